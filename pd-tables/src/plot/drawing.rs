//! A list of shapes, and its two forms: SVG and PNG.

use super::raster;
use std::fmt::Write;

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It starts there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// A shape. Lengths in pixels, y down; colours as `#rrggbb`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A filled rectangle: left, top, width, height.
    Rect([f64; 4], &'static str),
    /// A line through points, with its width and whether it is dashed.
    Path(Vec<(f64, f64)>, &'static str, f64, bool),
    /// A filled disk: centre, radius.
    Disk((f64, f64), f64, &'static str),
    /// A text: point at its baseline, words, size, anchor, whether it reads upwards.
    Text((f64, f64), String, f64, Anchor, bool),
}

/// Shapes on a white page.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Width and height, pixels.
    pub size: (f64, f64),
    /// In the order they are drawn.
    pub shapes: Vec<Shape>,
}

impl Drawing {
    /// An empty page.
    pub fn new(width: f64, height: f64) -> Self {
        Self { size: (width, height), shapes: vec![] }
    }

    /// Adds a text of 12 pixels.
    pub fn text(&mut self, at: (f64, f64), words: impl Into<String>, anchor: Anchor) {
        self.shapes.push(Shape::Text(at, words.into(), 12.0, anchor, false));
    }

    /// Adds a thin line.
    pub fn rule(&mut self, from: (f64, f64), to: (f64, f64), colour: &'static str) {
        self.shapes.push(Shape::Path(vec![from, to], colour, 1.0, false));
    }

    /// The picture as SVG text.
    pub fn svg(&self) -> String {
        let (w, h) = self.size;
        let mut out = format!(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {w} {h}' font-family='sans-serif' font-size='12'>\n\
             <rect width='{w}' height='{h}' fill='white'/>\n"
        );
        for shape in &self.shapes {
            write_shape(&mut out, shape);
        }
        out.push_str("</svg>\n");
        out
    }

    /// The picture as PNG, two pixels to a unit.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        raster::png(self)
    }
}

fn write_shape(out: &mut String, shape: &Shape) {
    // Writing to a string does not fail.
    let _ = match shape {
        Shape::Rect([x, y, w, h], colour) => {
            writeln!(out, "<rect x='{x:.1}' y='{y:.1}' width='{w:.1}' height='{h:.1}' fill='{colour}'/>")
        }
        Shape::Path(points, colour, width, dashed) => {
            let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let dash = if *dashed { " stroke-dasharray='6 3'" } else { "" };
            writeln!(
                out,
                "<polyline fill='none' stroke='{colour}' stroke-width='{width}'{dash} points='{}'/>",
                points.join(" ")
            )
        }
        Shape::Disk((x, y), r, colour) => {
            writeln!(out, "<circle cx='{x:.1}' cy='{y:.1}' r='{r}' fill='{colour}'/>")
        }
        Shape::Text((x, y), words, size, anchor, upwards) => {
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor='middle'",
                Anchor::End => " text-anchor='end'",
            };
            let place = if *upwards {
                format!("transform='translate({x:.1} {y:.1}) rotate(-90)'")
            } else {
                format!("x='{x:.1}' y='{y:.1}'")
            };
            let size = if *size == 12.0 { String::new() } else { format!(" font-size='{size}'") };
            writeln!(out, "<text {place}{size}{anchor}>{}</text>", escape(words))
        }
    };
}

/// Text for XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
