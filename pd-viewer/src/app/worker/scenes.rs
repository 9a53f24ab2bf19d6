//! The active scene: receives requests, finishes preparations, swaps scenes.

use super::build::{self, Built, Outcome};
use super::engine::{Engine, Live};
use super::pinned::{Pinned, differ_in_pins_only};
use super::rate::Rate;
use super::{Event, Request, memory, transfer_state::transfer_state};
use crate::app::advice::Problem;
use crate::draw::Shown;
use pd_core::StepReport;
use pd_sim::scene::SceneDesc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Requests under way.
#[derive(Default)]
pub(super) struct Scenes {
    /// Number of the request being prepared.
    building: Option<u64>,
    /// The edit to follow it.
    pending: Option<Box<Request>>,
    /// Number of the last request.
    latest: u64,
    /// Whether a scene other than the running one was requested: the next one starts from rest.
    other: bool,
}

impl Engine {
    pub(super) fn describe(&mut self, request: Box<Request>) {
        self.scenes.latest = request.number;
        self.scenes.other |= request.fresh;
        if let Some(live) = &mut self.live
            && !self.scenes.other
            && self.scenes.building.is_none()
            && live.device_choice == request.device_choice
            && !needs_factor(&live.run.scene.desc, &request.desc)
            && live.run.scene.takes(&request.desc).is_ok()
        {
            // Forces are rebuilt only if they changed; a pull is no force, so it stays.
            let event = match live.run.set_environment(request.desc) {
                Ok(()) => Event::Applied,
                Err(error) => Event::Refused(Problem::of(&error)),
            };
            return self.post.tell(request.number, event);
        }
        match self.scenes.building {
            // An edit waits for the edit before it, so that dragging a slider does not starve itself.
            Some(_) if !request.fresh => self.scenes.pending = Some(request),
            _ => self.build(*request),
        }
    }

    fn build(&mut self, mut request: Request) {
        let number = request.number;
        request.fresh = self.scenes.other;
        self.scenes.pending = None;
        self.want(Some(number));
        let factored = self.factored(&request);
        let started = self.pools.preparing().and_then(|pool| {
            build::spawn(request, factored, self.models.clone(), pool, self.post.clone())
                .map_err(|_| Problem::internal("starting a thread"))
        });
        if let Err(problem) = started {
            self.want(None);
            self.post.tell(number, Event::Refused(problem));
        }
    }

    /// The pins of the factor in use, if the request may continue with it.
    fn factored(&self, request: &Request) -> Option<Pinned> {
        let live = self
            .live
            .as_ref()
            .filter(|live| !request.fresh && live.device_choice == request.device_choice)?;
        differ_in_pins_only(&live.run.scene.desc, &request.desc, request.device_choice)
            .then(|| live.factored.clone())
    }

    /// Cancels every preparation except this one.
    fn want(&mut self, number: Option<u64>) {
        self.scenes.building = number;
        self.post.wanted.store(number.unwrap_or(0), Ordering::Relaxed);
    }

    pub(super) fn cancel(&mut self) {
        if self.scenes.building.is_some() {
            self.want(None);
            self.scenes.pending = None;
            self.post.tell(self.scenes.latest, Event::Cancelled);
        }
    }

    /// Nothing is simulated from now on.
    pub(super) fn clear(&mut self, number: u64) {
        self.want(None);
        self.scenes = Scenes { latest: number, other: true, ..Scenes::default() };
        self.live = None;
        (self.running, self.steps) = (false, 0);
        self.publisher.publish(|frame| {
            (frame.scene, frame.frame, frame.time) = (number, 0, 0.0);
            (frame.running, frame.rate, frame.pull) = (false, 0.0, None);
            frame.x.clear();
            frame.values.clear();
        });
        memory::give_back();
        (self.post.wake)();
    }

    pub(super) fn built(&mut self, outcome: Outcome) {
        if self.scenes.building != Some(outcome.number) {
            return; // given up
        }
        self.want(None);
        match outcome.result {
            Ok(built) => self.install(built),
            Err(problem) => self.post.tell(outcome.number, Event::Refused(problem)),
        }
        if let Some(request) = self.scenes.pending.take() {
            self.describe(request);
        }
    }

    fn install(&mut self, built: Built) {
        let Built { mut run, loaded } = built;
        let (mut kept, mut factored) = (None, Pinned::of(&run.scene));
        if let Some(mut old) = self.live.take()
            && !loaded.fresh
        {
            if loaded.kept_factor {
                // The one made for the new scene has prepared nothing yet.
                let unused = run.sim.exchange_stepper(Box::new(pd_core::ProjectiveDynamics::new(
                    pd_linear::Cholesky::default(),
                )));
                run.sim.set_boxed_stepper(old.run.sim.exchange_stepper(unused));
                factored = old.factored;
            }
            let state = transfer_state(&old.run.scene, &old.run.sim.state, &run.scene);
            kept = old.kept.map(|(state, frame)| (transfer_state(&old.run.scene, &state, &run.scene), frame));
            if let Err(error) = run.set_state(state, old.run.frame()) {
                self.post.tell(loaded.id, Event::Failed(Problem::of(&error)));
            }
        } else {
            (self.running, self.steps) = (false, 0);
            self.report = StepReport::default();
        }
        self.scenes.other = false;
        let (topology, id, device_choice, fresh) =
            (loaded.topology.clone(), loaded.id, loaded.device_choice, loaded.fresh);
        let live = Live {
            shown: Shown::of_scene(&run.scene),
            run,
            topology,
            id,
            device_choice,
            factored,
            pull: None,
            body_pull: None,
            fields: None,
            before: None,
            kept,
        };
        self.live = Some(live);
        self.rate = Rate::default();
        self.publish();
        if fresh {
            memory::give_back();
        }
        self.post.tell(id, Event::Ready(Arc::new(loaded)));
    }
}

/// Whether a change of description needs a new factor, which is better made in the background.
fn needs_factor(old: &SceneDesc, new: &SceneDesc) -> bool {
    let matrix = |desc: &SceneDesc| (desc.step.dt, desc.step.substeps);
    matrix(old) != matrix(new)
}
