//! Plots without a plotting library: shapes, written as SVG text or drawn into a PNG. The same numbers give the same
//! bytes.

mod bars;
mod drawing;
mod lines;
mod raster;

pub use bars::{Bars, Group};
pub(crate) use drawing::escape;
pub use drawing::{Anchor, Drawing, Shape};
pub use lines::{Line, Plot};

/// Colours of lines and bars, in order.
pub const COLOURS: [&str; 10] = [
    "#c0392b", "#2060a8", "#d68910", "#1e8449", "#7d3c98", "#148f8f", "#7b7d7d", "#a04000", "#2e4053",
    "#b03a8c",
];

/// Whole powers of ten around the positive values.
pub(crate) fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (low, high) = values
        .filter(|v| *v > 0.0 && v.is_finite())
        .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
    if low > high {
        return (0, 1);
    }
    let (a, b) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (a, b.max(a + 1))
}

/// A power of ten as people write it: 0.1, 10, 1000, else 1e-5.
pub(crate) fn decade_label(decade: i32) -> String {
    match decade {
        -2..=4 => format!("{}", 10f64.powi(decade)),
        _ => format!("1e{decade}"),
    }
}
