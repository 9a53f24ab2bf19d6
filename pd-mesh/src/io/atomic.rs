//! Replacing a file in one step: readers see the old contents or the new, never half of them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes to a new file beside `path`, then renames it to `path`. If `write` or the disk fails, the new file is removed
/// and what was at `path` before is untouched.
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
    let (mut file, temporary) = create_beside(path)?;
    // Removes the file on every way out, a panic in `write` included, until the rename has taken it away.
    let mut guard = RemoveOnDrop { path: Some(temporary) };
    let mut out = io::BufWriter::new(&mut file);
    write(&mut out)?;
    out.flush()?;
    drop(out);
    file.sync_all()?;
    // Some systems refuse to rename an open file.
    drop(file);
    if let Some(temporary) = &guard.path {
        fs::rename(temporary, path)?;
    }
    guard.path = None;
    Ok(())
}

/// Opens a file that did not exist, in the directory of `path`, because a rename is atomic only within one file system.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} names no file", path.display())));
    };
    let mut attempt = 0u32;
    loop {
        let mut temporary_name = std::ffi::OsString::from(".");
        temporary_name.push(name);
        temporary_name.push(format!(".{}.{attempt}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary_name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 10_000 => attempt += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Removes a file when dropped, unless it was given up.
struct RemoveOnDrop {
    path: Option<PathBuf>,
}

impl Drop for RemoveOnDrop {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing useful can be done if the removal fails too: the first error is on its way to the caller.
            let _ = fs::remove_file(path);
        }
    }
}
