//! A finished picture.

use std::io::{self, Write};
use std::path::Path;

/// A picture in 8-bit sRGB, three bytes a pixel, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// `width · height · 3` bytes.
    pub pixels: Vec<u8>,
}

impl Image {
    /// The colour of a pixel, `[0, 0]` being the upper left one.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = (y as usize * self.width as usize + x as usize) * 3;
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Writes a PNG file, whole or not at all.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        pd_mesh::io::write_atomically(path, |out| self.encode_png(out))
    }

    /// As [`write_png`](Self::write_png), with more effort for a smaller file; where that is still above `most` bytes, with
    /// 256 colours.
    pub fn write_small_png(&self, path: &Path, most: usize) -> io::Result<()> {
        let mut bytes = vec![];
        self.encode(&mut bytes, png::Compression::High)?;
        if bytes.len() > most {
            bytes.clear();
            self.encode_indexed(&mut bytes)?;
        }
        pd_mesh::io::write_atomically(path, |out| out.write_all(&bytes))
    }

    /// PNG with a palette of 256 colours, chosen as for a GIF.
    fn encode_indexed(&self, out: &mut dyn Write) -> io::Result<()> {
        let side = |s: u32| u16::try_from(s).map_err(io::Error::other);
        let frame = gif::Frame::from_rgb_speed(side(self.width)?, side(self.height)?, &self.pixels, 1);
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        // Neighbouring numbers of a palette are not neighbouring colours, so differences of them do not help.
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(frame.palette.unwrap_or_default());
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&frame.buffer).map_err(io::Error::other)
    }

    /// Copies another picture to where its upper left corner is at (x, y); what lies outside is cut off.
    pub fn paste(&mut self, other: &Self, x: u32, y: u32) {
        let width = other.width.min(self.width.saturating_sub(x)) as usize * 3;
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let to = ((y + row) as usize * self.width as usize + x as usize) * 3;
            let from = row as usize * other.width as usize * 3;
            self.pixels[to..to + width].copy_from_slice(&other.pixels[from..from + width]);
        }
    }

    /// Writes PNG to any writer.
    pub fn encode_png(&self, out: &mut dyn Write) -> io::Result<()> {
        self.encode(out, png::Compression::Balanced)
    }

    fn encode(&self, out: &mut dyn Write, compression: png::Compression) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(compression);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.pixels).map_err(io::Error::other)
    }

    /// Reads a PNG file of 8 bits a channel: RGB, RGBA or with a palette; opacity is dropped.
    pub fn read_png(path: &Path) -> io::Result<Self> {
        let file = io::BufReader::new(std::fs::File::open(path)?);
        let mut decoder = png::Decoder::new(file);
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(io::Error::other)?;
        let size = reader.output_buffer_size().ok_or_else(|| io::Error::other("too large a picture"))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(io::Error::other)?;
        let pixels = match (info.color_type, info.bit_depth) {
            (png::ColorType::Rgb, png::BitDepth::Eight) => bytes,
            (png::ColorType::Rgba, png::BitDepth::Eight) => {
                bytes.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
            }
            (kind, depth) => {
                return Err(io::Error::other(format!("{kind:?} of {depth:?} bits is not read here")));
            }
        };
        Ok(Self { width: info.width, height: info.height, pixels })
    }

    /// Mean difference of a channel, 0 to 255, and the share of pixels with a channel that differs by more than 24.
    /// `None` if the sizes differ.
    pub fn difference(&self, other: &Self) -> Option<(f64, f64)> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let (mut sum, mut far) = (0u64, 0u64);
        for (a, b) in self.pixels.chunks_exact(3).zip(other.pixels.chunks_exact(3)) {
            let gaps = [a[0].abs_diff(b[0]), a[1].abs_diff(b[1]), a[2].abs_diff(b[2])];
            sum += gaps.iter().map(|&g| u64::from(g)).sum::<u64>();
            far += u64::from(gaps.iter().any(|&g| g > 24));
        }
        let pixels = f64::from(self.width) * f64::from(self.height);
        Some((sum as f64 / (3.0 * pixels), far as f64 / pixels))
    }
}
