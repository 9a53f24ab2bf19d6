//! GIF: each frame has its own palette of 256 colours.

use super::Image;
use std::io::{self, Write};

/// Most frames a second: a frame lasts whole hundredths of a second, and players do not obey less than two.
pub(super) const MAX_FPS: u32 = 50;

/// Writes frames one after another.
pub(super) struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    fps: u32,
    frames: u32,
}

impl<W: Write> GifWriter<W> {
    pub(super) fn new(out: W, size: [u16; 2], fps: u32) -> io::Result<Self> {
        let mut encoder = gif::Encoder::new(out, size[0], size[1], &[]).map_err(io::Error::other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { encoder, fps, frames: 0 })
    }

    pub(super) fn add(&mut self, image: &Image) -> io::Result<()> {
        let mut frame =
            gif::Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.pixels, 10);
        // Rounded at the ends, so that the whole lasts as long as it should.
        let end = |frame: u32| (f64::from(frame) * 100.0 / f64::from(self.fps)).round() as u16;
        frame.delay = end(self.frames + 1).saturating_sub(end(self.frames));
        self.encoder.write_frame(&frame).map_err(io::Error::other)?;
        self.frames += 1;
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<W> {
        self.encoder.into_inner().map_err(io::Error::other)
    }
}
