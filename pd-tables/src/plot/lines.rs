//! A line plot with logarithmic axes.

use super::drawing::{Anchor, Drawing, Shape};
use super::{COLOURS, decade_label, decades};

/// One line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y), all positive; others are left out.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
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

const WIDTH: f64 = 860.0;
const FRAME: [f64; 4] = [70.0, 40.0, 640.0, 460.0]; // left, top, right, bottom
const LEGEND_STEP: f64 = 18.0;
/// Most lines whose widths differ.
const MOST_NESTED: usize = 6;
const GRID: &str = "#dddddd";

impl Plot {
    /// The picture as SVG text.
    pub fn svg(&self) -> String {
        self.drawing().svg()
    }

    /// The picture as shapes.
    pub fn drawing(&self) -> Drawing {
        let all = || self.lines.iter().flat_map(|line| line.points.iter());
        let (x0, x1) = decades(all().map(|p| p.0));
        let (y0, y1) = decades(all().map(|p| p.1));
        let [left, top, right, bottom] = FRAME;
        let px = |x: f64| left + (x.log10() - f64::from(x0)) / f64::from(x1 - x0) * (right - left);
        let py = |y: f64| bottom - (y.log10() - f64::from(y0)) / f64::from(y1 - y0) * (bottom - top);
        let height = (bottom + 60.0).max(top + 24.0 + LEGEND_STEP * self.lines.len() as f64);
        let mut page = Drawing::new(WIDTH, height);
        page.shapes.push(Shape::Text((left, 24.0), self.title.clone(), 15.0, Anchor::Start, false));
        for decade in x0..=x1 {
            let x = px(10f64.powi(decade));
            page.rule((x, top), (x, bottom), GRID);
            page.text((x, bottom + 16.0), decade_label(decade), Anchor::Middle);
        }
        for decade in y0..=y1 {
            let y = py(10f64.powi(decade));
            page.rule((left, y), (right, y), GRID);
            page.text((left - 6.0, y + 4.0), decade_label(decade), Anchor::End);
        }
        page.text(((left + right) / 2.0, bottom + 38.0), self.x.clone(), Anchor::Middle);
        page.shapes.push(Shape::Text(
            (16.0, (top + bottom) / 2.0),
            self.y.clone(),
            12.0,
            Anchor::Middle,
            true,
        ));
        for (k, line) in self.lines.iter().enumerate() {
            let (colour, dashed) = (COLOURS[k % COLOURS.len()], k >= COLOURS.len());
            let width = line_width(k, self.lines.len());
            let ok = |p: &&(f64, f64)| p.0 > 0.0 && p.1 > 0.0 && p.0.is_finite() && p.1.is_finite();
            let points: Vec<(f64, f64)> =
                line.points.iter().filter(ok).map(|&(x, y)| (px(x), py(y))).collect();
            for &point in &points {
                page.shapes.push(Shape::Disk(point, width + 1.0, colour));
            }
            page.shapes.push(Shape::Path(points, colour, width, dashed));
            let y = top + 12.0 + LEGEND_STEP * k as f64;
            let sample = vec![(right + 14.0, y - 4.0), (right + 40.0, y - 4.0)];
            page.shapes.push(Shape::Path(sample, colour, width, dashed));
            page.text((right + 46.0, y), line.name.clone(), Anchor::Start);
        }
        page
    }
}

/// Few lines get thinner one by one, so that one shows behind another that it coincides with.
fn line_width(number: usize, lines: usize) -> f64 {
    if lines > MOST_NESTED { 2.0 } else { 2.0 + 1.2 * (lines - 1 - number) as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(lines: Vec<Line>) -> Plot {
        Plot { title: "t <&>".into(), x: "x".into(), y: "y".into(), lines }
    }

    #[test]
    fn points_lie_where_their_decades_are() {
        let line = Line { name: "a".into(), points: vec![(1.0, 1.0), (10.0, 100.0), (100.0, 10.0)] };
        let svg = plot(vec![line]).svg();
        assert!(svg.contains("points='70.0,460.0 355.0,40.0 640.0,250.0'"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.contains("t &lt;&amp;&gt;"));
    }

    #[test]
    fn nothing_to_draw_is_still_a_picture() {
        let odd = Line { name: "odd".into(), points: vec![(0.0, 1.0), (1.0, f64::NAN)] };
        for lines in [vec![], vec![odd]] {
            let svg = plot(lines).svg();
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn the_png_has_the_line_in_its_colour() {
        let line = Line { name: "a".into(), points: vec![(1.0, 1.0), (100.0, 1.0)] };
        let bytes = plot(vec![line]).drawing().png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1720, 1040));
        // Half way along the line: y = 1 is the lower edge of the frame.
        let at = ((460 * 2) * info.width as usize + 355 * 2) * 3;
        assert_eq!(&pixels[at..at + 3], [0xc0, 0x39, 0x2b]);
        assert_eq!(&pixels[..3], [255; 3]);
    }
}
