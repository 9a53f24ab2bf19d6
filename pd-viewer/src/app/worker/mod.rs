//! The simulation on a thread of its own.
//!
//! The window sends [`Command`]s and reads the latest [`Frame`] whenever it draws; neither side ever waits for the other.
//! Whatever needs a new factor is prepared by yet another thread, stage by stage, while the present scene goes on; a newer
//! scene makes it give up at the next stage, and its result is dropped. The window numbers its requests, and every
//! [`Message`] says which one it is about, so that late words about a scene that was replaced can be told from news.

mod build;
mod carry;
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

pub use build::{Loaded, LoadedObject, Stage};
pub(crate) use carry::Placement;
pub use frame::Frame;
pub use incremental::registry;

use crate::app::advice::Problem;
use crate::draw::Field;
use pd_core::{Measures, Vec3};
use pd_cuda::Place;
use pd_sim::scene::SceneDesc;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Most measurements that wait for a window which does not read them because it is hidden; further ones are dropped.
const MOST_UNREAD: usize = 1000;

/// A scene to simulate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number; later requests have larger ones. The scene made of it has the same.
    pub number: u64,
    /// Name for messages: that of a built-in scene or of a file.
    pub name: String,
    /// The description.
    pub desc: SceneDesc,
    /// Directory in which files that it names are looked for first.
    pub directory: Option<PathBuf>,
    /// Whether it starts from rest; otherwise bodies that stay keep their state.
    pub fresh: bool,
    /// Where it runs.
    pub place: Place,
}

/// What the window asks for.
pub enum Command {
    /// Simulate this from now on.
    Describe(Box<Request>),
    /// Simulate nothing; the number is that of a request.
    Clear(u64),
    /// Give up what is being prepared.
    Cancel,
    /// Run or pause.
    Run(bool),
    /// So many frames, then pause.
    Step(u64),
    /// Back to the start.
    Restart,
    /// Pull a vertex to a point, or let go.
    Pull(Option<(u32, Vec3)>),
    /// Remember the state.
    Keep,
    /// Back to the state remembered.
    Restore,
    /// Threads of the solver; 0: all.
    Threads(usize),
    /// Whether to run no faster than time passes.
    RealTime(bool),
    /// Measure energies and residual in every so many frames; 0: never.
    Measure(u64),
    /// Compute values for a colour map.
    Field(Option<Field>),
    /// Whether to look for contacts.
    Contacts(bool),
    /// A preparation has ended.
    Built(Box<build::Outcome>),
    /// The window closes.
    Quit,
}

/// What the simulation tells.
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
    /// The preparation has come to this stage.
    Preparing(Stage),
    /// The scene is ready and its first frame published.
    Ready(Arc<Loaded>),
    /// The request changed something that needs no preparation, and is in force.
    Applied,
    /// This request and those before it were given up.
    Cancelled,
    /// The request cannot be met; the simulation goes on as it was.
    Refused(Problem),
    /// The scene cannot go on and is paused.
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
    /// A state was remembered at this frame.
    Kept(u64),
    /// The state remembered is in force again.
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
