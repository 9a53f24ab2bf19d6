//! What a frame shows of a scene in motion: positions, and what the window asked for beside them.

use super::engine::{Engine, Live};
use crate::draw::{FieldInput, FieldScratch, TOUCH, find_contacts};
use pd_core::StepContext;

impl Engine {
    /// Publishes the present and wakes the window.
    pub(super) fn publish(&mut self) {
        let Some(live) = &mut self.live else { return };
        let Live { run, topology, id, pull, fields, before, .. } = live;
        let (moving, field, contacts) = (self.running || self.steps > 0, self.field, self.contacts);
        let (report, wall, rate, computed) = (self.report, self.wall, self.rate.get(), self.computed);
        self.publisher.publish(|frame| {
            let state = &run.sim.state;
            frame.scene = *id;
            (frame.frame, frame.computed) = (run.frame(), computed);
            frame.time = state.time;
            frame.running = moving;
            frame.x.clone_from(&state.x);
            frame.pull = pull.map(|pull| (pull.vertex, pull.pointer));
            (frame.report, frame.wall) = (report, wall);
            frame.rate = if moving { rate } else { 0.0 };
            frame.contacts.clear();
            if contacts {
                find_contacts(&state.x, &run.sim.colliders, state.time, TOUCH, &mut frame.contacts);
            }
            frame.values.clear();
            if let Some(field) = field {
                let sim = &run.sim;
                let scratch = fields.get_or_insert_with(|| FieldScratch::new(topology, &run.scene.rest()));
                let context = StepContext::new(&sim.model, &sim.params, &sim.forces, &sim.colliders);
                let fits = before.as_ref().filter(|before| before.x.len() == state.x.len());
                let input = FieldInput { context, state, before: fits };
                scratch.evaluate(field, topology, &input, &mut frame.values);
                frame.range = scratch.range(&frame.values);
            }
        });
        (self.post.wake)();
    }
}
