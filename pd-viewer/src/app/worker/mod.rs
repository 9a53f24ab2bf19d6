//! The simulation in its own thread.
//!
//! The window sends [`Command`]s and reads the latest [`Frame`] whenever it draws; neither side waits for the other.
//! Changes that need a new factor are prepared by another thread, stage by stage, while the current scene continues; a newer
//! scene cancels it at the next stage, and its result is dropped. The window numbers its requests, and every
//! [`Message`] says which one it is about, so that late messages about a replaced scene can be ignored.

mod body_pull;
mod build;
mod engine;
mod frame;
mod incremental;
mod memory;
mod pinned;
mod pools;
mod pull;
mod rate;
mod scenes;
mod show;
mod transfer_state;

pub use build::{Loaded, LoadedObject, Stage};
pub use frame::Frame;
pub use incremental::registry;
pub(crate) use transfer_state::Placement;

use crate::app::advice::Problem;
use crate::draw::Field;
use pd_core::{Measures, Vec3};
use pd_cuda::DeviceChoice;
use pd_sim::scene::SceneDesc;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Maximum number of queued measurements while the window is hidden; further ones are dropped.
const MAX_UNREAD: usize = 1000;

/// A scene to simulate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number; later requests have larger ones. The scene made of it has the same.
    pub number: u64,
    /// Name for messages: that of a built-in scene or of a file.
    pub name: String,
    /// The description.
    pub desc: SceneDesc,
    /// Directory that is searched first for its files.
    pub directory: Option<PathBuf>,
    /// Whether it starts from rest; otherwise bodies that stay keep their state.
    pub fresh: bool,
    /// Where it runs.
    pub device_choice: DeviceChoice,
}

/// Commands of the window.
pub enum Command {
    /// Simulate this scene.
    Describe(Box<Request>),
    /// Simulate nothing; the number is that of a request.
    Clear(u64),
    /// Cancel the current preparation.
    Cancel,
    /// Run or pause.
    Run(bool),
    /// Advance this many frames, then pause.
    Step(u64),
    /// Back to the start.
    Restart,
    /// Pull a vertex to a point, or release it.
    Pull(Option<(u32, Vec3)>),
    /// Remember the state.
    Keep,
    /// Return to the stored state.
    Restore,
    /// Threads of the solver; 0: all.
    Threads(usize),
    /// Whether to limit to real time.
    RealTime(bool),
    /// Interval in frames at which energies and residual are measured; 0: never.
    Measure(u64),
    /// Compute values for a colour map.
    Field(Option<Field>),
    /// Whether to look for contacts.
    Contacts(bool),
    /// Whether to find the surfaces of liquids.
    Liquids(bool),
    /// A preparation has ended.
    Built(Box<build::Outcome>),
    /// The window closes.
    Quit,
}

/// Messages of the simulation.
#[derive(Debug)]
pub struct Message {
    /// Number of the request it is about: the one being prepared, or the one whose scene runs.
    pub about: u64,
    /// What happened.
    pub event: Event,
}

/// What can happen.
#[derive(Debug)]
pub enum Event {
    /// The preparation has reached this stage.
    Preparing(Stage),
    /// The scene is ready and its first frame published.
    Ready(Arc<Loaded>),
    /// The request needed no preparation and is active.
    Applied,
    /// This request and those before it were cancelled.
    Cancelled,
    /// The request failed; the simulation continues unchanged.
    Refused(Problem),
    /// The scene cannot continue and is paused.
    Failed(Problem),
    /// Quantities of a frame.
    Measured {
        /// Frame number.
        frame: u64,
        /// Force imbalance at the end over that at the start of the frame's last step.
        reduction: f64,
        /// Energies and residual, if they were measured.
        measures: Option<Measures>,
    },
    /// The state was stored at this frame.
    Kept(u64),
    /// The stored state was restored.
    Restored(u64),
}

/// The window's end of the simulation.
pub struct Worker {
    commands: Sender<Command>,
    messages: Receiver<Message>,
    mailbox: Arc<frame::Mailbox>,
    /// Measurements among the messages.
    unread: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread. `wake` is called after every frame and message, to have the window drawn again. From now on the
    /// allocator of the process keeps little of what is freed.
    pub fn start(
        models: pd_sim::ModelPaths,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        memory::keep_little();
        let (commands, inbox) = channel();
        let (outbox, messages) = channel();
        let mailbox = Arc::new(frame::Mailbox::default());
        let engine = engine::Engine::new(models, mailbox.clone(), commands.clone(), outbox, Arc::new(wake));
        let unread = engine.unread();
        let thread =
            std::thread::Builder::new().name("simulation".into()).spawn(move || engine.run(inbox))?;
        Ok(Self { commands, messages, mailbox, unread, thread: Some(thread) })
    }

    /// Sends a command. Does nothing after the thread has ended.
    pub fn send(&self, command: Command) {
        let _ = self.commands.send(command);
    }

    /// For another thread to send commands.
    pub fn commands(&self) -> Sender<Command> {
        self.commands.clone()
    }

    /// The next message, if there is one.
    pub fn message(&self) -> Option<Message> {
        let message = self.messages.try_recv().ok()?;
        if matches!(message.event, Event::Measured { .. }) {
            self.unread.fetch_sub(1, Ordering::Relaxed);
        }
        Some(message)
    }

    /// The latest frame.
    pub fn frame(&self) -> Arc<Frame> {
        self.mailbox.latest()
    }

    /// The frames for another thread to read.
    pub fn frames(&self) -> Frames {
        Frames(self.mailbox.clone())
    }
}

/// The latest frame, for any thread.
#[derive(Clone, Debug)]
pub struct Frames(Arc<frame::Mailbox>);

impl Frames {
    /// The latest frame.
    pub fn latest(&self) -> Arc<Frame> {
        self.0.latest()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.send(Command::Quit);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
