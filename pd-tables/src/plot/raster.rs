//! Shapes into pixels: disks swept along lines, an 8×8 bitmap font for text.

use super::drawing::{Anchor, Drawing, Shape};
use font8x8::UnicodeFonts;

/// Pixels to a unit.
const SCALE: f64 = 2.0;

struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

pub(super) fn png(drawing: &Drawing) -> Result<Vec<u8>, png::EncodingError> {
    let (width, height) = ((drawing.size.0 * SCALE) as usize, (drawing.size.1 * SCALE) as usize);
    let mut canvas = Canvas { width, height, rgb: vec![255; width * height * 3] };
    for shape in &drawing.shapes {
        canvas.draw(shape);
    }
    let mut bytes = vec![];
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&canvas.rgb)?;
    Ok(bytes)
}

/// `#rrggbb`; black if malformed.
fn colour(text: &str) -> [f64; 3] {
    let channel =
        |at: usize| text.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or(0);
    [channel(1), channel(3), channel(5)].map(f64::from)
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Rect([x, y, w, h], paint) => {
                self.rect([x * SCALE, y * SCALE, w * SCALE, h * SCALE], colour(paint))
            }
            Shape::Path(points, paint, width, dashed) => {
                let mut travelled = 0.0;
                for ends in points.windows(2) {
                    travelled = self.segment(ends[0], ends[1], *width, colour(paint), *dashed, travelled);
                }
            }
            Shape::Disk((x, y), radius, paint) => self.near((*x, *y), (*x, *y), *radius, colour(paint)),
            Shape::Text(at, words, size, anchor, upwards) => self.text(*at, words, *size, *anchor, *upwards),
        }
    }

    fn blend(&mut self, x: usize, y: usize, paint: [f64; 3], cover: f64) {
        if x >= self.width || y >= self.height {
            return;
        }
        let at = (y * self.width + x) * 3;
        for (pixel, paint) in self.rgb[at..at + 3].iter_mut().zip(paint) {
            *pixel = (f64::from(*pixel) * (1.0 - cover) + paint * cover).round() as u8;
        }
    }

    fn rect(&mut self, [x, y, w, h]: [f64; 4], paint: [f64; 3]) {
        for row in y.max(0.0) as usize..((y + h).max(0.0) as usize).min(self.height) {
            for column in x.max(0.0) as usize..((x + w).max(0.0) as usize).min(self.width) {
                self.blend(column, row, paint, 1.0);
            }
        }
    }

    /// A segment, in dashes of 6 and gaps of 3 if asked; returns the length travelled.
    fn segment(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        width: f64,
        paint: [f64; 3],
        dashed: bool,
        travelled: f64,
    ) -> f64 {
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        if !dashed || length == 0.0 {
            self.near(from, to, width / 2.0, paint);
            return travelled + length;
        }
        let at = |s: f64| (from.0 + (to.0 - from.0) * s / length, from.1 + (to.1 - from.1) * s / length);
        let mut start = -(travelled % 9.0);
        while start < length {
            let (a, b) = (start.max(0.0), (start + 6.0).min(length));
            if a < b {
                self.near(at(a), at(b), width / 2.0, paint);
            }
            start += 9.0;
        }
        travelled + length
    }

    /// All pixels within `radius` of a segment, with soft edges.
    fn near(&mut self, from: (f64, f64), to: (f64, f64), radius: f64, paint: [f64; 3]) {
        let (a, b) = ((from.0 * SCALE, from.1 * SCALE), (to.0 * SCALE, to.1 * SCALE));
        let r = radius * SCALE;
        let range = |p: f64, q: f64, limit: usize| {
            let low = (p.min(q) - r - 1.0).clamp(0.0, limit as f64) as usize;
            low..((p.max(q) + r + 2.0).clamp(0.0, limit as f64) as usize)
        };
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let square = (dx * dx + dy * dy).max(f64::MIN_POSITIVE);
        for y in range(a.1, b.1, self.height) {
            for x in range(a.0, b.0, self.width) {
                let (px, py) = (x as f64 + 0.5 - a.0, y as f64 + 0.5 - a.1);
                let t = ((px * dx + py * dy) / square).clamp(0.0, 1.0);
                let cover = (r + 0.5 - (px - t * dx).hypot(py - t * dy)).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.blend(x, y, paint, cover);
                }
            }
        }
    }

    /// Each dot of the font becomes a square of whole pixels.
    fn text(&mut self, at: (f64, f64), words: &str, size: f64, anchor: Anchor, upwards: bool) {
        let dot = (size * SCALE / 14.0).round().max(1.0);
        let advance = 7.0 * dot;
        let length = advance * words.chars().count() as f64;
        let shift = match anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -length / 2.0,
            Anchor::End => -length,
        };
        for (k, letter) in words.chars().enumerate() {
            let glyph = font8x8::BASIC_FONTS.get(letter).or_else(|| font8x8::LATIN_FONTS.get(letter));
            for (row, bits) in glyph.unwrap_or_default().iter().enumerate() {
                for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                    let along = shift + k as f64 * advance + f64::from(column) * dot;
                    let across = (row as f64 - 7.0) * dot;
                    let (x, y) = if upwards {
                        (at.0 * SCALE + across, at.1 * SCALE - along - dot)
                    } else {
                        (at.0 * SCALE + along, at.1 * SCALE + across)
                    };
                    self.rect([x.round(), y.round(), dot, dot], [20.0; 3]);
                }
            }
        }
    }
}
