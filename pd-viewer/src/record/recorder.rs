//! Recording of pictures.

use super::apng::ApngWriter;
use super::gif::{GifWriter, MAX_FPS};
use super::{Image, RecordError};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Output format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One picture; each frame replaces the one before.
    Png,
    /// A directory of pictures.
    PngSequence,
    /// A GIF.
    Gif,
    /// An animated PNG.
    Apng,
}

impl Format {
    /// By the ending of a path; a path without an ending is a directory of pictures.
    ///
    /// ```
    /// use pd_viewer::record::Format;
    /// assert_eq!(Format::of_path("a/b.gif".as_ref()), Some(Format::Gif));
    /// assert_eq!(Format::of_path("frames".as_ref()), Some(Format::PngSequence));
    /// assert_eq!(Format::of_path("a.jpeg".as_ref()), None);
    /// ```
    pub fn of_path(path: &Path) -> Option<Self> {
        let Some(extension) = path.extension() else { return Some(Self::PngSequence) };
        match extension.to_str()?.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "gif" => Some(Self::Gif),
            "apng" => Some(Self::Apng),
            _ => None,
        }
    }
}

enum Sink {
    Files,
    Gif(Option<GifWriter<BufWriter<File>>>),
    Apng(ApngWriter<BufWriter<File>>),
}

/// Records pictures to files.
///
/// ```
/// use pd_viewer::record::{Format, Image, Recorder};
/// let directory = tempfile::tempdir()?;
/// let mut recorder = Recorder::new(&directory.path().join("run.gif"), Format::Gif, 25)?;
/// for shade in [0, 128, 255] {
///     recorder.add(&Image { width: 8, height: 4, pixels: vec![shade; 96] })?;
/// }
/// assert_eq!(recorder.finish()?, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder {
    path: PathBuf,
    /// Temporary file of an animation until it is finished.
    part: Option<PathBuf>,
    format: Format,
    fps: u32,
    size: Option<[u32; 2]>,
    frames: usize,
    sink: Sink,
}

impl Recorder {
    /// Starts a recording at `fps` frames per second. Fails now if the place cannot be written.
    pub fn new(path: &Path, format: Format, fps: u32) -> Result<Self, RecordError> {
        let most = if format == Format::Gif { MAX_FPS } else { 1000 };
        if !(1..=most).contains(&fps) {
            return Err(RecordError::Rate { fps, most });
        }
        let failed = |error| RecordError::file(path, error);
        let mut part = None;
        let mut open = || {
            let mut name = path.file_name().unwrap_or_default().to_owned();
            name.push(".part");
            let place = path.with_file_name(name);
            let file = File::create(&place).map(BufWriter::new);
            part = Some(place);
            file
        };
        let sink = match format {
            Format::Png => Sink::Files,
            Format::PngSequence => {
                std::fs::create_dir_all(path).map_err(failed)?;
                Sink::Files
            }
            Format::Gif => {
                drop(open().map_err(failed)?);
                Sink::Gif(None) // the header needs the size
            }
            Format::Apng => Sink::Apng(ApngWriter::new(open().map_err(failed)?, fps as u16)),
        };
        Ok(Self { path: path.to_owned(), part, format, fps, size: None, frames: 0, sink })
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Adds a picture; all must be of one size.
    pub fn add(&mut self, image: &Image) -> Result<(), RecordError> {
        let [width, height] = *self.size.get_or_insert([image.width, image.height]);
        if [width, height] != [image.width, image.height] {
            let (got_width, got_height) = (image.width, image.height);
            return Err(RecordError::Size { frame: self.frames, got_width, got_height, width, height });
        }
        let outcome = match &mut self.sink {
            Sink::Files if self.format == Format::Png => image.write_png(&self.path),
            Sink::Files => image.write_png(&self.path.join(format!("frame_{:05}.png", self.frames))),
            Sink::Apng(writer) => writer.add(image),
            Sink::Gif(writer) => match (writer, &self.part) {
                (Some(writer), _) => writer.add(image),
                (none, Some(part)) => File::create(part)
                    .and_then(|file| {
                        let side = |s: u32| u16::try_from(s).map_err(std::io::Error::other);
                        GifWriter::new(BufWriter::new(file), [side(width)?, side(height)?], self.fps)
                    })
                    .and_then(|writer| none.insert(writer).add(image)),
                (None, None) => Ok(()),
            },
        };
        outcome.map_err(|error| RecordError::file(&self.path, error))?;
        self.frames += 1;
        Ok(())
    }

    /// Ends the recording and puts the file in its place; returns the number of frames.
    pub fn finish(mut self) -> Result<usize, RecordError> {
        if self.frames == 0 {
            return Err(RecordError::Empty { path: self.path.clone() });
        }
        let sink = std::mem::replace(&mut self.sink, Sink::Files);
        let ended = match sink {
            Sink::Files | Sink::Gif(None) => Ok(None),
            Sink::Gif(Some(writer)) => writer.finish().map(Some),
            Sink::Apng(writer) => writer.finish().map(Some),
        };
        let placed = ended
            .and_then(|out| {
                out.map_or(Ok(()), |out| out.into_inner().map_err(|e| e.into_error())?.sync_all())
            })
            .and_then(|()| match &self.part {
                Some(part) => std::fs::rename(part, &self.path),
                None => Ok(()),
            });
        placed.map_err(|error| RecordError::file(&self.path, error))?;
        self.part = None;
        Ok(self.frames)
    }
}

impl Drop for Recorder {
    /// An unfinished recording leaves no file.
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // The receiver is gone; the error is ignored.
            let _ = std::fs::remove_file(part);
        }
    }
}
