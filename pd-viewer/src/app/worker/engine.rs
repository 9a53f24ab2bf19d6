//! The thread that steps: takes commands, advances, publishes.

use super::build::{self, Built, Outcome, Post};
use super::frame::{Mailbox, Publisher};
use super::pull::Pull;
use super::{Command, Event, Request, carry::carry};
use crate::app::advice::Problem;
use crate::draw::{Field, FieldInput, FieldScratch, Topology};
use pd_core::{State, StepContext, StepReport, Vec3};
use pd_sim::ModelPaths;
use pd_sim::scene::{SceneDesc, SceneRun};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// A scene in motion.
struct Live {
    run: SceneRun,
    topology: Arc<Topology>,
    id: u64,
    pull: Option<Pull>,
    fields: Option<FieldScratch>,
    before: Option<State>,
    kept: Option<(State, u64)>,
}

pub(super) struct Engine {
    models: ModelPaths,
    publisher: Publisher,
    post: Post,
    pool: Option<Arc<rayon::ThreadPool>>,
    threads: usize,
    live: Option<Live>,
    /// The preparation under way, and the request to follow it.
    building: Option<(u64, bool)>,
    pending: Option<Box<Request>>,
    generation: u64,
    running: bool,
    steps: u64,
    real_time: bool,
    measure: u64,
    field: Option<Field>,
    next: Instant,
    rate: Rate,
    report: StepReport,
    wall: Duration,
}

impl Engine {
    pub(super) fn new(
        models: ModelPaths,
        mailbox: Arc<Mailbox>,
        commands: Sender<Command>,
        events: Sender<Event>,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let post = Post { wanted: Arc::new(AtomicU64::new(0)), commands, events, wake };
        Self {
            models,
            publisher: Publisher::new(mailbox),
            post,
            pool: None,
            threads: 0,
            live: None,
            building: None,
            pending: None,
            generation: 0,
            running: false,
            steps: 0,
            real_time: true,
            measure: 0,
            field: None,
            next: Instant::now(),
            rate: Rate::default(),
            report: StepReport::default(),
            wall: Duration::ZERO,
        }
    }

    pub(super) fn run(mut self, inbox: &Receiver<Command>) {
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
                Ok(Command::Quit) | Err(RecvTimeoutError::Disconnected) => return,
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
            Command::Threads(threads) => {
                if threads != self.threads {
                    (self.threads, self.pool) = (threads, None);
                }
            }
            Command::RealTime(on) => self.real_time = on,
            Command::Measure(every) => self.measure = every,
            Command::Field(field) => {
                self.field = field;
                self.publish();
            }
            Command::Built(outcome) => self.built(*outcome),
            Command::Quit => {}
        }
    }

    fn set_running(&mut self, running: bool) {
        self.running = running;
        self.steps = 0;
        self.next = Instant::now();
        self.rate = Rate::default();
        self.publish();
    }

    fn tell(&self, event: Event) {
        let _ = self.post.events.send(event);
        (self.post.wake)();
    }

    fn fail(&mut self, problem: Problem) {
        self.running = false;
        self.steps = 0;
        self.tell(Event::Failed(problem));
        self.publish();
    }

    /// The pool of the chosen number of threads, made when first needed.
    fn pool(&mut self) -> Option<Arc<rayon::ThreadPool>> {
        if self.pool.is_none() {
            match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
                Ok(pool) => self.pool = Some(Arc::new(pool)),
                Err(error) => self.fail(Problem::threads(self.threads, &error.to_string())),
            }
        }
        self.pool.clone()
    }

    fn describe(&mut self, request: Box<Request>) {
        if let Some(live) = &mut self.live
            && !request.fresh
            && self.building.is_none()
            && is_outside_only(&live.run.scene.desc, &request.desc)
        {
            // Forces are made anew only if they changed; a pull is no force, so it stays.
            if let Err(error) = live.run.set_outside(request.desc) {
                self.tell(Event::Failed(Problem::of(&error)));
            }
            return;
        }
        match self.building {
            // An edit waits for the edit before it, so that dragging a slider does not starve itself.
            Some(_) if !request.fresh => {
                let fresh = self.pending.as_ref().is_some_and(|pending| pending.fresh);
                self.pending = Some(Box::new(Request { fresh, ..*request }));
            }
            _ => self.build(*request),
        }
    }

    fn build(&mut self, request: Request) {
        let Some(pool) = self.pool() else { return };
        self.generation += 1;
        self.pending = None;
        self.building = Some((self.generation, request.fresh));
        self.post.wanted.store(self.generation, Ordering::Relaxed);
        let started = build::spawn(self.generation, request, self.models.clone(), pool, self.post.clone());
        if started.is_err() {
            self.building = None;
            self.fail(Problem::internal("starting a thread"));
        }
    }

    fn cancel(&mut self) {
        if self.building.take().is_some() {
            self.generation += 1;
            self.post.wanted.store(self.generation, Ordering::Relaxed);
            self.pending = None;
            self.tell(Event::Cancelled);
        }
    }

    fn built(&mut self, outcome: Outcome) {
        if self.building.map(|(generation, _)| generation) != Some(outcome.generation) {
            return; // given up
        }
        self.building = None;
        match outcome.result {
            Ok(built) => self.install(built),
            Err(problem) => self.tell(Event::Failed(problem)),
        }
        if let Some(request) = self.pending.take() {
            self.describe(request);
        }
    }

    fn install(&mut self, built: Built) {
        let Built { mut run, loaded } = built;
        let mut kept = None;
        if let Some(old) = self.live.take()
            && !loaded.fresh
        {
            let state = carry(&old.run.scene, &old.run.sim.state, &run.scene);
            kept = old.kept.map(|(state, frame)| (carry(&old.run.scene, &state, &run.scene), frame));
            if let Err(error) = run.set_state(state, old.run.frame()) {
                self.tell(Event::Failed(Problem::of(&error)));
            }
        } else {
            (self.running, self.steps) = (false, 0);
            self.report = StepReport::default();
        }
        let (topology, id) = (loaded.topology.clone(), loaded.id);
        self.live = Some(Live { run, topology, id, pull: None, fields: None, before: None, kept });
        self.rate = Rate::default();
        self.publish();
        self.tell(Event::Ready(Arc::new(loaded)));
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
        let sim = &mut live.run.sim;
        let mut result = live.pull.take().map_or(Ok(()), |pull| pull.end(sim));
        if let (Ok(()), Some((vertex, pointer))) = (&result, wanted) {
            let part = live.topology.part_of_vertex(vertex).map(|part| &live.topology.parts[part]);
            let range = part.map_or(0..0, |part| part.vertices.clone());
            let mass = sim.model.masses()[range.clone()].iter().sum();
            let size = crate::draw::Bounds::of(sim.state.x[range].iter().copied()).radius() * 2.0;
            match Pull::start(sim, vertex, pointer, mass, size) {
                Ok(pull) => live.pull = pull,
                Err(error) => result = Err(error),
            }
        }
        if let Err(error) = result {
            self.fail(Problem::words("The vertex could not be taken hold of.", error.to_string()));
        }
        self.publish();
    }

    fn advance(&mut self) {
        let Some(pool) = self.pool() else { return };
        let Some(live) = &mut self.live else { return };
        let started = Instant::now();
        let dt = live.run.scene.desc.step.dt;
        let number = live.run.frame() + 1;
        live.run.sim.params.measure = self.measure > 0 && number.is_multiple_of(self.measure);
        let batches = live.run.sim.model.batches().len();
        if let Some(pull) = &mut live.pull {
            pull.follow(&mut live.run.sim, dt);
        }
        if self.field == Some(Field::Residual) {
            live.before.get_or_insert_with(State::default).clone_from(&live.run.sim.state);
        }
        let run = &mut live.run;
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| pool.install(|| run.advance())));
        self.wall = started.elapsed();
        if live.pull.is_some() && live.run.sim.model.batches().len() != batches {
            live.pull = None; // pins let go and the model was made anew, without ours
        }
        self.steps = self.steps.saturating_sub(1);
        match outcome {
            Ok(Ok(report)) => {
                self.report = report;
                self.rate.tick();
                self.next = (self.next + Duration::from_secs_f64(dt.clamp(0.0, 1.0)))
                    .max(Instant::now().checked_sub(Duration::from_millis(50)).unwrap_or(self.next));
                if self.measure > 0 {
                    let measured = Event::Measured {
                        frame: number,
                        reduction: report.reduction,
                        measures: report.measures,
                    };
                    let _ = self.post.events.send(measured);
                }
                self.publish();
            }
            Ok(Err(error)) => self.fail(Problem::of(&error)),
            Err(_) => self.fail(Problem::internal("a step of the simulation")),
        }
    }

    fn publish(&mut self) {
        let Some(live) = &mut self.live else { return };
        let Live { run, topology, id, pull, fields, before, .. } = live;
        let (moving, field) = (self.running || self.steps > 0, self.field);
        let (report, wall, rate) = (self.report, self.wall, self.rate.get());
        self.publisher.publish(|frame| {
            let state = &run.sim.state;
            frame.scene = *id;
            frame.frame = run.frame();
            frame.time = state.time;
            frame.running = moving;
            frame.x.clone_from(&state.x);
            frame.pull = pull.map(|pull| (pull.vertex, pull.pointer));
            (frame.report, frame.wall) = (report, wall);
            frame.rate = if moving { rate } else { 0.0 };
            frame.values.clear();
            if let Some(field) = field {
                let sim = &run.sim;
                let scratch = fields.get_or_insert_with(|| FieldScratch::new(topology, &run.scene.rest()));
                let context = StepContext {
                    model: &sim.model,
                    params: &sim.params,
                    forces: &sim.forces,
                    colliders: &sim.colliders,
                };
                let fits = before.as_ref().filter(|before| before.x.len() == state.x.len());
                let input = FieldInput { context, state, before: fits };
                scratch.evaluate(field, topology, &input, &mut frame.values);
                frame.range = scratch.range(&frame.values);
            }
        });
        (self.post.wake)();
    }
}

/// Whether a change of description needs neither meshes nor a new factor.
fn is_outside_only(old: &SceneDesc, new: &SceneDesc) -> bool {
    let bodies = |desc: &SceneDesc| {
        let mut objects = desc.objects.clone();
        objects.iter_mut().for_each(|object| object.display = Default::default());
        objects
    };
    let step = |desc: &SceneDesc| (desc.step.dt, desc.step.substeps, desc.solver.clone());
    step(old) == step(new) && bodies(old) == bodies(new)
}

/// Frames per second over the last second or so.
#[derive(Default)]
struct Rate {
    since: Option<Instant>,
    frames: u32,
    value: f64,
}

impl Rate {
    fn tick(&mut self) {
        let now = Instant::now();
        let since = *self.since.get_or_insert(now);
        self.frames += 1;
        let passed = (now - since).as_secs_f64();
        if passed > 0.5 {
            self.value = f64::from(self.frames) / passed;
            (self.since, self.frames) = (Some(now), 0);
        }
    }

    fn get(&self) -> f64 {
        self.value
    }
}
