//! Animated PNG as a stream. Each frame is compressed by itself as a PNG; its image data is put after a frame control
//! chunk, the first as `IDAT`, later ones as `fdAT` with a sequence number (PNG specification, third edition, 11.3.6).
//! The number of frames stands at the start of the file and is put in at the end.

use super::Image;
use std::io::{self, Seek, SeekFrom, Write};

/// Bytes before the animation control chunk: signature and header chunk.
const CONTROL_AT: u64 = 8 + 25;

/// Writes frames one after another.
pub(super) struct ApngWriter<W> {
    out: W,
    fps: u16,
    frames: u32,
    sequence: u32,
}

impl<W: Write + Seek> ApngWriter<W> {
    pub(super) fn new(out: W, fps: u16) -> Self {
        Self { out, fps, frames: 0, sequence: 0 }
    }

    pub(super) fn add(&mut self, image: &Image) -> io::Result<()> {
        let mut single = Vec::new();
        image.encode_png(&mut single)?;
        if self.frames == 0 {
            self.out.write_all(&single[..CONTROL_AT as usize])?;
            self.control(0)?;
        }
        let mut control = Vec::with_capacity(26);
        for number in [self.next(), image.width, image.height, 0, 0] {
            control.extend(number.to_be_bytes());
        }
        control.extend(1u16.to_be_bytes());
        control.extend(self.fps.to_be_bytes());
        control.extend([0, 0]); // leave the picture as it is; overwrite, do not blend
        self.chunk(b"fcTL", &control)?;
        for (kind, data) in chunks(&single) {
            if kind == b"IDAT" && self.frames == 0 {
                self.chunk(b"IDAT", data)?;
            } else if kind == b"IDAT" {
                let mut content = self.next().to_be_bytes().to_vec();
                content.extend_from_slice(data);
                self.chunk(b"fdAT", &content)?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// Ends the file and fills in the number of frames.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.chunk(b"IEND", &[])?;
        self.out.seek(SeekFrom::Start(CONTROL_AT))?;
        self.control(self.frames)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn control(&mut self, frames: u32) -> io::Result<()> {
        let mut content = frames.to_be_bytes().to_vec();
        content.extend(0u32.to_be_bytes()); // repeat for ever
        self.chunk(b"acTL", &content)
    }

    fn next(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence - 1
    }

    fn chunk(&mut self, kind: &[u8; 4], content: &[u8]) -> io::Result<()> {
        self.out.write_all(&(content.len() as u32).to_be_bytes())?;
        self.out.write_all(kind)?;
        self.out.write_all(content)?;
        let crc = !content.iter().fold(kind.iter().fold(!0, crc_step), crc_step);
        self.out.write_all(&crc.to_be_bytes())
    }
}

/// Chunks of a PNG made here: kind and content.
fn chunks(png: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = &png[8..];
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(rest.get(..4)?.try_into().ok()?) as usize;
        let (kind, content) = (rest.get(4..8)?, rest.get(8..8 + length)?);
        rest = rest.get(12 + length..)?;
        Some((kind, content))
    })
}

/// One byte of the checksum of PNG: polynomial 0xedb88320, least bit first.
fn crc_step(crc: u32, byte: &u8) -> u32 {
    (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
}
