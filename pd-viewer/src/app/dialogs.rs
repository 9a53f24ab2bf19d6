//! File dialogs in their own thread: the window continues while one is open. Without a desktop portal
//! the path can be typed.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// What a path is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A scene to open.
    Open,
    /// A file for the scene.
    Save,
    /// A mesh to import.
    Import,
    /// A directory for recordings.
    RecordTo,
}

impl Purpose {
    /// What to do if no dialog can be opened.
    pub fn otherwise(self) -> &'static str {
        match self {
            Self::Open | Self::Save => "No file chosen; a path can also be typed under Scenes, Files",
            Self::Import => "No file chosen; a path can also be typed under Objects, Import a mesh",
            Self::RecordTo => "No directory chosen; one can also be typed",
        }
    }
}

/// At most one dialog.
#[derive(Default)]
pub struct Dialogs {
    open: Option<(Purpose, Receiver<Option<PathBuf>>)>,
}

impl Dialogs {
    /// Opens a dialog, unless one is open.
    pub fn ask(&mut self, purpose: Purpose, wake: impl Fn() + Send + 'static) {
        if self.open.is_some() {
            return;
        }
        let (answer, wait) = channel();
        let ask = move || {
            let dialog = rfd::FileDialog::new();
            let path = match purpose {
                Purpose::Open => dialog.set_title("Open a scene").add_filter("scene", &["toml"]).pick_file(),
                Purpose::Save => dialog.set_title("Save the scene").set_file_name("scene.toml").save_file(),
                Purpose::Import => dialog.set_title("Import a mesh").pick_file(),
                Purpose::RecordTo => dialog.set_title("Directory for recordings").pick_folder(),
            };
            let _ = answer.send(path);
            wake();
        };
        if std::thread::Builder::new().name("dialog".into()).spawn(ask).is_ok() {
            self.open = Some((purpose, wait));
        }
    }

    /// The result, once available; no path if the dialog was closed or could not be opened.
    pub fn answer(&mut self) -> Option<(Purpose, Option<PathBuf>)> {
        let (purpose, wait) = self.open.as_ref()?;
        let path = match wait.try_recv() {
            Ok(path) => path,
            Err(TryRecvError::Empty) => return None,
            Err(TryRecvError::Disconnected) => None,
        };
        let purpose = *purpose;
        self.open = None;
        Some((purpose, path))
    }
}
