//! Atomic file replacement: readers see either the old or the new contents.

use std::io::{self, Write};
use std::path::Path;

/// Writes to a new file beside `path`, then renames it to `path`. If `write` or the disk fails, the new file is removed
/// and the previous file at `path` is unchanged.
///
/// The data reach the disk before the rename, so a power failure cannot leave an empty file under the final name.
///
/// # Errors
/// What `write` returns, or what the system reports.
///
/// ```no_run
/// pd_mesh::io::write_atomically("frame.txt", |out| writeln!(out, "done"))?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_atomically(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let path = path.as_ref();
    if path.file_name().is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display())));
    }
    // In the same directory, because a rename is atomic only within one file system.
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".").suffix(".tmp");
    // Readable by whom the user's mask allows, as any new file; temporary files are private otherwise.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(directory)?;
    let mut out = io::BufWriter::new(&mut file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.as_file().sync_all()?;
    file.persist(path).map_err(|failure| failure.error)?;
    Ok(())
}
