//! The thread that steps: takes commands, advances, publishes.

use super::body_pull::BodyPull;
use super::build::Post;
use super::frame::{Mailbox, Publisher};
use super::pinned::Pinned;
use super::pools::Pools;
use super::pull::Pull;
use super::rate::Rate;
use super::scenes::Scenes;
use super::{Command, Event, MAX_UNREAD, Message};
use crate::app::advice::Problem;
use crate::draw::{Field, FieldScratch, Shown, Topology};
use pd_core::{State, StepReport, Vec3};
use pd_cuda::DeviceChoice;
use pd_sim::ModelPaths;
use pd_sim::scene::SceneRun;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// A scene in motion.
pub(super) struct Live {
    pub(super) run: SceneRun,
    pub(super) topology: Arc<Topology>,
    pub(super) id: u64,
    /// The requested device, and the one in use.
    pub(super) device_choice: DeviceChoice,
    /// The pins its factor was made for.
    pub(super) factored: Pinned,
    pub(super) pull: Option<Pull>,
    /// Rigid bodies and particles as meshes.
    pub(super) shown: Shown,
    pub(super) body_pull: Option<BodyPull>,
    pub(super) fields: Option<FieldScratch>,
    pub(super) before: Option<State>,
    pub(super) kept: Option<(State, u64)>,
}

pub(super) struct Engine {
    pub(super) models: ModelPaths,
    pub(super) publisher: Publisher,
    pub(super) post: Post,
    pub(super) pools: Pools,
    pub(super) live: Option<Live>,
    pub(super) scenes: Scenes,
    pub(super) running: bool,
    pub(super) steps: u64,
    real_time: bool,
    measure: u64,
    pub(super) field: Option<Field>,
    pub(super) contacts: bool,
    pub(super) liquids: bool,
    next: Instant,
    pub(super) rate: Rate,
    pub(super) report: StepReport,
    pub(super) wall: Duration,
    pub(super) computed: u64,
    unread: Arc<AtomicUsize>,
}

/// Why the loop ends.
#[derive(PartialEq)]
enum Leave {
    /// Continue in another pool.
    Pool,
    /// The window is gone.
    Window,
}

impl Engine {
    pub(super) fn new(
        models: ModelPaths,
        mailbox: Arc<Mailbox>,
        commands: Sender<Command>,
        messages: Sender<Message>,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let post = Post { wanted: Arc::new(AtomicU64::new(0)), commands, messages, wake };
        Self {
            models,
            publisher: Publisher::new(mailbox),
            post,
            pools: Pools::default(),
            live: None,
            scenes: Scenes::default(),
            running: false,
            steps: 0,
            real_time: true,
            measure: 0,
            field: None,
            contacts: false,
            liquids: false,
            next: Instant::now(),
            rate: Rate::default(),
            report: StepReport::default(),
            wall: Duration::ZERO,
            computed: 0,
            unread: Arc::default(),
        }
    }

    /// Measurements that were sent and not read.
    pub(super) fn unread(&self) -> Arc<AtomicUsize> {
        self.unread.clone()
    }

    /// Runs until the window closes. The loop runs on a thread of the pool that steps: if every frame were submitted to the
    /// pool, it would wait for a thread to wake up, and positions would be copied by another core.
    pub(super) fn run(mut self, mut inbox: Receiver<Command>) {
        loop {
            let leave = match self.pools.stepping() {
                Ok(pool) => pool.install(|| self.serve(&mut inbox)),
                // The first step will say so.
                Err(_) => self.serve(&mut inbox),
            };
            if leave == Leave::Window {
                return;
            }
        }
    }

    /// Handles commands and steps until there is a reason to leave the pool. (The inbox may be moved between threads but
    /// not shared, hence `&mut`.)
    fn serve(&mut self, inbox: &mut Receiver<Command>) -> Leave {
        loop {
            let wait = match self.moving() {
                false => None,
                true if self.real_time && self.steps == 0 => {
                    Some(self.next.saturating_duration_since(Instant::now()))
                }
                true => Some(Duration::ZERO),
            };
            let command = match wait {
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(wait) => inbox.recv_timeout(wait),
            };
            match command {
                Ok(Command::Quit) | Err(RecvTimeoutError::Disconnected) => return Leave::Window,
                Ok(Command::Threads(threads)) => {
                    if self.pools.set_threads(threads) {
                        return Leave::Pool;
                    }
                }
                Ok(command) => self.handle(command),
                Err(RecvTimeoutError::Timeout) => self.advance(),
            }
        }
    }

    fn moving(&self) -> bool {
        self.live.is_some() && (self.running || self.steps > 0)
    }

    fn handle(&mut self, command: Command) {
        match command {
            Command::Describe(request) => self.describe(request),
            Command::Clear(number) => self.clear(number),
            Command::Cancel => self.cancel(),
            Command::Run(running) => self.set_running(running),
            Command::Step(frames) => {
                self.running = false;
                self.steps = self.steps.saturating_add(frames);
                self.publish();
            }
            Command::Restart => self.restart(),
            Command::Pull(pull) => self.pull(pull),
            Command::Keep => self.keep(),
            Command::Restore => self.restore(),
            Command::RealTime(on) => self.real_time = on,
            Command::Measure(every) => self.measure = every,
            Command::Field(field) => {
                self.field = field;
                self.publish();
            }
            Command::Contacts(on) => {
                self.contacts = on;
                self.publish();
            }
            Command::Liquids(on) => {
                self.liquids = on;
                self.publish();
            }
            Command::Built(outcome) => self.built(*outcome),
            Command::Threads(_) | Command::Quit => {} // of the loop itself
        }
    }

    fn set_running(&mut self, running: bool) {
        self.running = running;
        self.steps = 0;
        self.next = Instant::now();
        self.rate = Rate::default();
        self.publish();
    }

    /// Sends a message about the running scene.
    fn tell(&self, event: Event) {
        self.post.tell(self.live.as_ref().map_or(0, |live| live.id), event);
    }

    pub(super) fn fail(&mut self, problem: Problem) {
        self.running = false;
        self.steps = 0;
        self.tell(Event::Failed(problem));
        self.publish();
    }

    fn restart(&mut self) {
        let Some(live) = &mut self.live else { return };
        let state = live.run.scene.initial_state();
        if let Err(error) = live.run.set_state(state, 0) {
            self.fail(Problem::of(&error));
        }
        self.report = StepReport::default();
        self.publish();
    }

    fn keep(&mut self) {
        if let Some(live) = &mut self.live {
            let frame = live.run.frame();
            live.kept = Some((live.run.sim.state.clone(), frame));
            self.tell(Event::Kept(frame));
        }
    }

    fn restore(&mut self) {
        let Some(live) = &mut self.live else { return };
        let Some((state, frame)) = live.kept.clone() else { return };
        match live.run.set_state(state, frame) {
            Ok(()) => self.tell(Event::Restored(frame)),
            Err(error) => self.fail(Problem::of(&error)),
        }
        self.publish();
    }

    fn pull(&mut self, wanted: Option<(u32, Vec3)>) {
        let Some(live) = &mut self.live else { return };
        if let (Some(pull), Some((vertex, pointer))) = (&mut live.pull, wanted)
            && pull.vertex == vertex
        {
            pull.pointer = pointer;
            return self.publish();
        }
        if let (Some(pull), Some((vertex, pointer))) = (&mut live.body_pull, wanted)
            && pull.vertex == vertex
        {
            pull.pointer = pointer;
            return self.publish();
        }
        let points = live.run.sim.state.x.len();
        BodyPull::end(&mut live.body_pull, &mut live.run.sim.state);
        if let Some((vertex, pointer)) = wanted
            && vertex as usize >= points
        {
            let body = live.shown.body_of(vertex, points);
            live.body_pull = body.and_then(|body| BodyPull::start(&live.run, body, vertex, pointer));
            return self.publish();
        }
        let sim = &mut live.run.sim;
        if let Some(pull) = live.pull.take() {
            pull.end(sim);
        }
        let mut failed = None;
        if let Some((vertex, pointer)) = wanted {
            let part = live.topology.part_of_vertex(vertex).map(|part| &live.topology.parts[part]);
            let range = part.map_or(0..0, |part| part.vertices.clone());
            let mass = sim.model.masses()[range.clone()].iter().sum();
            let size = crate::draw::Bounds::of(sim.state.x[range].iter().copied()).radius() * 2.0;
            match Pull::start(sim, vertex, pointer, mass, size) {
                Ok(pull) => live.pull = pull,
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = failed {
            self.fail(Problem::words("The vertex could not be taken hold of.", error.to_string()));
        }
        self.publish();
    }

    fn advance(&mut self) {
        let pool = match self.pools.stepping() {
            Ok(pool) => pool,
            Err(problem) => return self.fail(problem),
        };
        let Some(live) = &mut self.live else { return };
        let started = Instant::now();
        let dt = live.run.scene.desc.step.dt;
        let number = live.run.frame() + 1;
        live.run.sim.params.measure = self.measure > 0 && number.is_multiple_of(self.measure);
        let batches = live.run.sim.model.batches().len();
        if let Some(pull) = &mut live.pull {
            pull.follow(&mut live.run.sim, dt);
        }
        if let Some(pull) = &live.body_pull {
            pull.follow(&mut live.run);
        }
        if self.field == Some(Field::Residual) {
            live.before.get_or_insert_with(State::default).clone_from(&live.run.sim.state);
        }
        let run = &mut live.run;
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| pool.install(|| run.advance())));
        self.wall = started.elapsed();
        if live.pull.is_some() && live.run.sim.model.batches().len() != batches {
            live.pull = None; // pins were released and the model was rebuilt without the pull
        }
        self.steps = self.steps.saturating_sub(1);
        match outcome {
            Ok(Ok(report)) => {
                self.report = report;
                self.computed += 1;
                self.rate.tick();
                self.next = (self.next + Duration::from_secs_f64(dt.clamp(0.0, 1.0)))
                    .max(Instant::now().checked_sub(Duration::from_millis(50)).unwrap_or(self.next));
                if self.measure > 0 && self.unread.load(Ordering::Relaxed) < MAX_UNREAD {
                    self.unread.fetch_add(1, Ordering::Relaxed);
                    let measured = Event::Measured {
                        frame: number,
                        reduction: report.reduction,
                        measures: report.measures,
                    };
                    let _ = self.post.messages.send(Message { about: live.id, event: measured });
                }
                self.publish();
            }
            Ok(Err(error)) => self.fail(Problem::of(&error)),
            Err(_) => self.fail(Problem::internal("a step of the simulation")),
        }
    }
}
