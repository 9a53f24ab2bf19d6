//! A line plot with logarithmic axes as SVG, written by hand: no dependency, and the same bytes for the same numbers.

use std::fmt::Write;

/// One line of a plot.
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y), all positive.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
pub struct Plot {
    /// Title on top.
    pub title: String,
    /// Label of the horizontal axis.
    pub x: String,
    /// Label of the vertical axis.
    pub y: String,
    /// The lines.
    pub lines: Vec<Line>,
}

const SIZE: (f64, f64) = (860.0, 520.0);
const FRAME: [f64; 4] = [70.0, 40.0, 640.0, 460.0]; // left, top, right, bottom
const COLOURS: [&str; 10] = [
    "#c0392b", "#2060a8", "#d68910", "#1e8449", "#7d3c98", "#148f8f", "#7b7d7d", "#a04000", "#2e4053",
    "#b03a8c",
];

/// Whole powers of ten around the values.
fn decades(values: impl Iterator<Item = f64>) -> (i32, i32) {
    let (low, high) = values
        .filter(|v| *v > 0.0 && v.is_finite())
        .fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), v| (low.min(v), high.max(v)));
    if low > high {
        return (0, 1);
    }
    let (a, b) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    (a, b.max(a + 1))
}

impl Plot {
    /// The picture as SVG text.
    pub fn svg(&self) -> String {
        let all = || self.lines.iter().flat_map(|line| line.points.iter());
        let (x0, x1) = decades(all().map(|p| p.0));
        let (y0, y1) = decades(all().map(|p| p.1));
        let [left, top, right, bottom] = FRAME;
        let px = |x: f64| left + (x.log10() - f64::from(x0)) / f64::from(x1 - x0) * (right - left);
        let py = |y: f64| bottom - (y.log10() - f64::from(y0)) / f64::from(y1 - y0) * (bottom - top);
        let mut out = String::new();
        let (w, h) = SIZE;
        let mut add = |text: String| out.write_str(&text).unwrap_or(());
        add(format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {w} {h}' font-family='sans-serif' font-size='12'>\n\
             <rect width='{w}' height='{h}' fill='white'/>\n\
             <text x='{left}' y='24' font-size='15' font-weight='bold'>{}</text>\n",
            self.title
        ));
        for decade in x0..=x1 {
            let x = px(10f64.powi(decade));
            add(format!(
                "<line x1='{x:.1}' y1='{top}' x2='{x:.1}' y2='{bottom}' stroke='#ddd'/>\
                 <text x='{x:.1}' y='{:.1}' text-anchor='middle'>1e{decade}</text>\n",
                bottom + 16.0
            ));
        }
        for decade in y0..=y1 {
            let y = py(10f64.powi(decade));
            add(format!(
                "<line x1='{left}' y1='{y:.1}' x2='{right}' y2='{y:.1}' stroke='#ddd'/>\
                 <text x='{:.1}' y='{:.1}' text-anchor='end'>1e{decade}</text>\n",
                left - 6.0,
                y + 4.0
            ));
        }
        add(format!(
            "<text x='{:.1}' y='{:.1}' text-anchor='middle'>{}</text>\n\
             <text transform='translate(18 {:.1}) rotate(-90)' text-anchor='middle'>{}</text>\n",
            (left + right) / 2.0,
            bottom + 38.0,
            self.x,
            (top + bottom) / 2.0,
            self.y
        ));
        for (k, line) in self.lines.iter().enumerate() {
            let (colour, dash) =
                (COLOURS[k % COLOURS.len()], if k >= COLOURS.len() { "6 3" } else { "none" });
            let points: Vec<String> =
                line.points.iter().map(|&(x, y)| format!("{:.1},{:.1}", px(x), py(y))).collect();
            add(format!(
                "<polyline fill='none' stroke='{colour}' stroke-width='2' stroke-dasharray='{dash}' points='{}'/>\n",
                points.join(" ")
            ));
            for &(x, y) in &line.points {
                add(format!("<circle cx='{:.1}' cy='{:.1}' r='3' fill='{colour}'/>\n", px(x), py(y)));
            }
            let y = top + 12.0 + 20.0 * k as f64;
            add(format!(
                "<line x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}' stroke='{colour}' stroke-width='2' \
                 stroke-dasharray='{dash}'/><text x='{:.1}' y='{y:.1}'>{}</text>\n",
                right + 14.0,
                y - 4.0,
                right + 40.0,
                y - 4.0,
                right + 46.0,
                line.name
            ));
        }
        add("</svg>\n".into());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_lie_where_their_decades_are() {
        let line = Line { name: "a".into(), points: vec![(1.0, 1.0), (10.0, 100.0), (100.0, 10.0)] };
        let svg = Plot { title: "t".into(), x: "x".into(), y: "y".into(), lines: vec![line] }.svg();
        assert!(svg.contains("points='70.0,460.0 355.0,40.0 640.0,250.0'"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let svg = Plot { title: "t".into(), x: "x".into(), y: "y".into(), lines: vec![] }.svg();
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
