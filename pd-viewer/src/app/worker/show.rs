//! Contents of a frame: positions, and the fields that the window requested.

use super::engine::{Engine, Live};
use crate::draw::{FieldInput, FieldScratch, body_contacts, find_contacts, joint_anchors, touch_distance};
use pd_core::StepContext;
use pd_sim::scene::Matter;

impl Engine {
    /// Publishes the current state and wakes the window.
    pub(super) fn publish(&mut self) {
        let Some(live) = &mut self.live else { return };
        let Live { run, topology, id, pull, body_pull, shown, fields, before, .. } = live;
        let (moving, field) = (self.running || self.steps > 0, self.field);
        let (contacts, liquids) = (self.contacts, self.liquids);
        let (report, wall, rate, computed) = (self.report, self.wall, self.rate.get(), self.computed);
        self.publisher.publish(|frame| {
            let state = &run.sim.state;
            frame.scene = *id;
            (frame.frame, frame.computed) = (run.frame(), computed);
            frame.time = state.time;
            frame.running = moving;
            shown.place(state, &mut frame.x);
            let body_pull = body_pull.as_ref().map(|pull| (pull.vertex, pull.pointer));
            frame.pull = pull.map(|pull| (pull.vertex, pull.pointer)).or(body_pull);
            frame.joints.clear();
            if contacts {
                joint_anchors(&run.scene, state, &mut frame.joints);
            }
            (frame.report, frame.wall) = (report, wall);
            frame.rate = if moving { rate } else { 0.0 };
            frame.contacts.clear();
            if contacts {
                find_contacts(
                    &state.x,
                    &run.sim.colliders,
                    state.time,
                    touch_distance(&run.sim.model),
                    &mut frame.contacts,
                );
                body_contacts(&run.scene, state, &mut frame.contacts);
            }
            // A liquid whose surface cannot be found is drawn by its points.
            let found = liquids.then(|| run.scene.water_surfaces(state).ok()).flatten();
            frame.liquids = found.unwrap_or_default();
            frame.values.clear();
            // Fields are of deformable bodies.
            if let Some(field) = field.filter(|_| matches!(run.scene.matter, Matter::Elastic)) {
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
