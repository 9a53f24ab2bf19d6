//! Errors of mesh files: the defect, its line, and what was expected.

use crate::MeshError;

/// A defect of a file at a place. Displays as `file:line: defect`, or `file: defect` if it has no line.
#[derive(Clone, Debug, PartialEq)]
pub struct FileError {
    /// The name given by the caller, usually the path.
    pub file: String,
    /// 1-based line; 0 if the defect has no line.
    pub line: usize,
    /// The defect.
    pub kind: FileErrorKind,
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.kind),
            line => write!(f, "{}:{line}: {}", self.file, self.kind),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.kind)
    }
}

/// The defects that a reader can report.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// Text where a number must be.
    #[error("{found:?} is not {expected}")]
    NotANumber {
        /// The text found, shortened.
        found: String,
        /// What the number would have been.
        expected: &'static str,
    },
    /// A coordinate that is infinite, NaN or too large for a 64-bit float.
    #[error("coordinate {found:?} is not a finite number")]
    NotFinite {
        /// The text found, shortened.
        found: String,
    },
    /// The line ends too early.
    #[error("the line ends where {expected} was expected")]
    MissingValue {
        /// What is missing.
        expected: &'static str,
    },
    /// The file ends too early.
    #[error("the file ends inside {section} after {read} of {declared} entries")]
    UnexpectedEnd {
        /// The section being read.
        section: &'static str,
        /// Complete entries present.
        read: usize,
        /// Entries declared.
        declared: usize,
    },
    /// The file ends before a required part.
    #[error("the file ends where {expected} was expected")]
    MissingPart {
        /// What is missing.
        expected: &'static str,
    },
    /// Index 0, where counting starts at 1.
    #[error("index 0 found, indices count from 1")]
    ZeroIndex,
    /// An index that names no vertex; the number is as written in the file.
    #[error("vertex {index} does not exist, the file has {vertices}")]
    IndexOutOfRange {
        /// The index as written.
        index: i64,
        /// Vertices in the file.
        vertices: usize,
    },
    /// A face with one or two corners.
    #[error("a face with {corners} corners, at least 3 were expected")]
    TooFewCorners {
        /// Corners found.
        corners: usize,
    },
    /// The file starts like something else.
    #[error("{found:?} found where {expected} was expected")]
    WrongFormat {
        /// The text found, shortened.
        found: String,
        /// What a file of this format has there.
        expected: &'static str,
    },
    /// A known variant of the format that is not read.
    #[error("{what} is {value}, only {supported} is supported")]
    Unsupported {
        /// The property.
        what: &'static str,
        /// Its value in the file.
        value: u64,
        /// The supported values.
        supported: &'static str,
    },
    /// More entries than 32-bit indices can number.
    #[error("{section} declares {declared} entries, more than 32-bit indices can number")]
    CountTooLarge {
        /// The section.
        section: &'static str,
        /// The declared count.
        declared: u64,
    },
    /// A section that may come once comes again.
    #[error("a second section {section}, one was expected")]
    RepeatedSection {
        /// The section.
        section: &'static str,
    },
    /// The file is longer than any that is read.
    #[error("the file is longer than {limit} bytes")]
    TooLarge {
        /// Longest file, in bytes.
        limit: u64,
    },
    /// A word, or a line of a header, is longer than any that is read.
    #[error("a word or line is longer than {limit} bytes")]
    TooLong {
        /// Longest, in bytes.
        limit: usize,
    },
    /// More vertices or elements than the caller allows.
    #[error("more than {limit} {what}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The most allowed.
        limit: usize,
    },
    /// A small file that would need a lot of memory.
    #[error("{bytes} bytes of the file ask for {needed} bytes of memory, no mesh needs that many")]
    TooDense {
        /// Bytes of memory.
        needed: u64,
        /// Bytes of the file that require it.
        bytes: u64,
    },
    /// A known variant of the format that is not read, by its name.
    #[error("{found:?} is not supported, {expected} was expected")]
    NotSupported {
        /// What the file says, shortened.
        found: String,
        /// What would do.
        expected: &'static str,
    },
    /// Two parts of the file contradict each other.
    #[error("{what}: {found} found, {expected} was expected")]
    Contradiction {
        /// The quantity.
        what: &'static str,
        /// What stands there.
        found: u64,
        /// What other parts of the file require.
        expected: u64,
    },
    /// The contents are not a valid mesh.
    #[error("{0}")]
    Mesh(MeshError),
    /// The file name does not say which format it is.
    #[error("extension {extension:?} is not known, {expected} was expected")]
    UnknownExtension {
        /// The extension found, lower case.
        extension: String,
        /// The supported extensions.
        expected: &'static str,
    },
    /// An error of the operating system.
    #[error("{message}")]
    Io {
        /// Kind given by the system.
        kind: std::io::ErrorKind,
        /// Message given by the system.
        message: String,
    },
}

impl FileErrorKind {
    /// Puts the defect at a place.
    pub(crate) fn at(self, file: &str, line: usize) -> FileError {
        FileError { file: file.to_owned(), line, kind: self }
    }
}

impl From<std::io::Error> for FileErrorKind {
    fn from(error: std::io::Error) -> Self {
        Self::Io { kind: error.kind(), message: error.to_string() }
    }
}
