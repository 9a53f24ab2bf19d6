//! Limits of readers.

/// Limits of readers on size and memory, for untrusted files. In addition, no reader
/// uses more memory than ten times the length of its input plus a few kilobytes.
///
/// ```
/// use pd_mesh::io::{Format, Limits, read_within};
/// let limits = Limits { vertices: 2, ..Limits::default() };
/// let error = read_within(Format::Obj, &b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"[..], "big.obj", limits).unwrap_err();
/// assert_eq!(error.to_string(), "big.obj:3: more than 2 vertices");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest file, bytes.
    pub bytes: u64,
    /// Most vertices.
    pub vertices: usize,
    /// Maximum number of triangles and tetrahedra; polygons count as their triangles.
    pub elements: usize,
}

impl Default for Limits {
    /// 4 GiB, and what 32-bit indices can number.
    fn default() -> Self {
        Self { bytes: 1 << 32, vertices: u32::MAX as usize - 1, elements: u32::MAX as usize - 1 }
    }
}
