//! The simulation on a thread of its own.
//!
//! The window sends [`Command`]s and reads the latest [`Frame`] whenever it draws; neither side ever waits for the other.
//! Whatever needs a new factor is prepared by yet another thread, stage by stage, while the present scene goes on; a newer
//! request makes it give up at the next stage, and its result is dropped.

mod build;
mod carry;
mod engine;
mod frame;
mod incremental;
mod pull;

pub use build::{Loaded, LoadedObject, Stage};
pub(crate) use carry::Placement;
pub use frame::Frame;
pub use incremental::registry;

use crate::app::advice::Problem;
use crate::draw::Field;
use pd_core::{Measures, Vec3};
use pd_sim::scene::SceneDesc;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// A scene to simulate.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name for messages: that of a built-in scene or of a file.
    pub name: String,
    /// The description.
    pub desc: SceneDesc,
    /// Directory in which files that it names are looked for first.
    pub directory: Option<PathBuf>,
    /// Whether it starts from rest; otherwise bodies that stay keep their state.
    pub fresh: bool,
}

/// What the window asks for.
pub enum Command {
    /// Simulate this from now on.
    Describe(Box<Request>),
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
    /// A preparation has ended.
    Built(Box<build::Outcome>),
    /// The window closes.
    Quit,
}

/// What the simulation tells.
#[derive(Debug)]
pub enum Event {
    /// A preparation has come to this stage.
    Preparing(Stage),
    /// A scene is ready and its first frame published.
    Ready(Arc<Loaded>),
    /// A preparation was given up.
    Cancelled,
    /// Something went wrong; the simulation is as it was, paused if it could not go on.
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
    events: Receiver<Event>,
    mailbox: Arc<frame::Mailbox>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread. `wake` is called after every frame and event, to have the window drawn again.
    pub fn start(
        models: pd_sim::ModelPaths,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (commands, inbox) = channel();
        let (outbox, events) = channel();
        let mailbox = Arc::new(frame::Mailbox::default());
        let engine = engine::Engine::new(models, mailbox.clone(), commands.clone(), outbox, Arc::new(wake));
        let thread =
            std::thread::Builder::new().name("simulation".into()).spawn(move || engine.run(&inbox))?;
        Ok(Self { commands, events, mailbox, thread: Some(thread) })
    }

    /// Sends a command. Does nothing after the thread has ended.
    pub fn send(&self, command: Command) {
        let _ = self.commands.send(command);
    }

    /// The next event, if there is one.
    pub fn event(&self) -> Option<Event> {
        self.events.try_recv().ok()
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
