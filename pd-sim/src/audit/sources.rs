//! What else does work on the matter of a scene, or holds it, and when: moving pins and obstacles, driven bodies, motors, wind. The
//! work that these do is not known to the audit, so energy is not judged while they act, and the report says so.

use super::subject::Subject;
use crate::Simulation;
use crate::scene::Scene;
use crate::scene::desc::{ForceDesc, TurnDesc};
use pd_core::{Real, Vec3};

/// Something that does unknown work in an interval of time, s.
struct Source {
    what: String,
    from: Real,
    to: Real,
}

/// All of them, and the speed they may give.
pub(super) struct Sources {
    list: Vec<Source>,
    /// Greatest speed of what moves by itself, m/s.
    pub(super) speed: Real,
    /// Greatest rise of what moves by itself above where it starts, along −g, m.
    pub(super) rise: Real,
    /// Whether forces or motors push without a speed that bounds what they do.
    pub(super) unbounded: Option<String>,
    /// What takes momentum besides obstacles that are near.
    pub(super) holds: Option<String>,
}

impl Sources {
    pub(super) fn of(scene: &Scene, sim: &Simulation) -> Self {
        let mut all = Self { list: vec![], speed: 0.0, rise: 0.0, unbounded: None, holds: None };
        let (desc, up) = (&scene.desc, -sim.params.gravity.try_normalize(0.0).unwrap_or_else(Vec3::zeros));
        let reach = sim.state.x.iter().chain(&sim.state.bodies.p).map(Vec3::norm).fold(1.0, Real::max);
        for object in &desc.objects {
            for pin in &object.pins {
                let what = format!("pins of {:?}", object.name);
                all.holds.get_or_insert_with(|| what.clone());
                all.moved(&format!("{what} that move"), &pin.path, pin.turn.as_ref(), up, reach);
            }
            if let Some(obstacle) = &object.obstacle {
                let what = format!("{:?}, which moves", object.name);
                all.moved(&what, &obstacle.path, obstacle.turn.as_ref(), up, reach);
                if let (Some(first), Some(last)) = (obstacle.frames.first(), obstacle.frames.last()) {
                    all.list.push(Source { what, from: first.0.min(0.0), to: last.0 });
                    all.unbounded.get_or_insert_with(|| format!("{:?}, which deforms", object.name));
                }
            }
        }
        for (k, collider) in desc.colliders.iter().enumerate() {
            let what = format!("{}, which moves", name_of(scene, k));
            all.moved(&what, &collider.path, collider.turn.as_ref(), up, reach);
            if let Some(velocity) = collider.velocity {
                let velocity = Vec3::from(velocity);
                all.speed = all.speed.max(velocity.norm());
                all.rise += up.dot(&velocity).max(0.0) * desc.frames as Real * desc.step.dt;
                all.list.push(Source { what, from: 0.0, to: Real::INFINITY });
            }
        }
        all.bodies(scene, sim);
        for force in &desc.forces {
            let (what, from, to) = match force {
                ForceDesc::Wind { from, to, .. } => ("wind", *from, to.unwrap_or(Real::INFINITY)),
                ForceDesc::Drag { from, to, .. } => ("drag", *from, to.unwrap_or(Real::INFINITY)),
                ForceDesc::Push { from, to, .. } => ("a push", *from, *to),
            };
            match force {
                ForceDesc::Drag { velocity, .. } => all.speed = all.speed.max(Vec3::from(*velocity).norm()),
                _ => all.unbounded = Some(what.to_owned()),
            }
            all.holds.get_or_insert_with(|| what.to_owned());
            all.list.push(Source { what: what.to_owned(), from, to });
        }
        if !desc.custom.is_empty() {
            let what = "parts of the program's own".to_owned();
            (all.unbounded, all.holds) = (Some(what.clone()), Some(what.clone()));
            all.list.push(Source { what, from: Real::NEG_INFINITY, to: Real::INFINITY });
        }
        if desc.step.damping > 0.0 {
            all.holds.get_or_insert_with(|| "damping".to_owned());
        }
        all
    }

    /// Driven bodies, joints to the world, motors and damping of rigid bodies.
    fn bodies(&mut self, scene: &Scene, sim: &Simulation) {
        let subject = Subject::of(scene, &sim.model);
        if let Some((_, model)) = &subject.particles
            && (0..model.len()).any(|k| model.fixed(k))
        {
            self.holds.get_or_insert_with(|| "held particles".to_owned());
        }
        let Some(rigid) = subject.rigid else { return };
        let (model, end) = (&rigid.model, scene.desc.frames as Real * scene.desc.step.dt);
        for body in 0..model.bodies() {
            let at = |time: Real| model.driven(body, time);
            let speeds = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| at(part * end));
            let moves = speeds.iter().flatten().any(|(_, v, w)| v.norm() + w.norm() > 0.0);
            if moves {
                let speed = |(_, v, w): &(_, Vec3, Vec3)| v.norm() + w.norm() * reach_of(rigid, body);
                self.speed = speeds.iter().flatten().map(speed).fold(self.speed, Real::max);
                let what = format!("{:?}, which is driven", rigid.names[body]);
                self.list.push(Source { what, from: Real::NEG_INFINITY, to: Real::INFINITY });
            }
        }
        for (k, joint) in model.joints().iter().enumerate() {
            if joint.desc.a.is_none() || joint.desc.b.is_none() {
                self.holds.get_or_insert_with(|| format!("joint[{k}] to the world"));
            }
            let soft = joint.desc.compliance > 0.0 || joint.desc.angular_compliance > 0.0;
            if joint.desc.controls.iter().any(|control| control.motor.is_some()) || soft {
                let what = format!("the {} of joint[{k}]", if soft { "spring" } else { "motor" });
                self.unbounded.get_or_insert_with(|| what.clone());
                self.list.push(Source { what, from: Real::NEG_INFINITY, to: Real::INFINITY });
            }
        }
        if scene.desc.bodies.iter().any(|body| body.damping.is_some_and(|rates| rates != [0.0; 2])) {
            self.holds.get_or_insert_with(|| "damping of bodies".to_owned());
        }
    }

    fn moved(&mut self, what: &str, path: &[[f64; 4]], turn: Option<&TurnDesc>, up: Vec3, reach: Real) {
        if let (Some(first), Some(last)) = (path.first(), path.last())
            && path.len() > 1
        {
            self.list.push(Source { what: what.to_owned(), from: first[0].min(0.0), to: last[0] });
        }
        let offset = |key: &[f64; 4]| Vec3::new(key[1], key[2], key[3]);
        for pair in path.windows(2) {
            let speed = (offset(&pair[1]) - offset(&pair[0])).norm() / (pair[1][0] - pair[0][0]);
            self.speed = self.speed.max(speed);
        }
        self.rise = path.iter().map(|key| up.dot(&offset(key))).fold(self.rise, Real::max);
        if let Some(turn) = turn
            && let (Some(first), Some(last)) = (turn.keys.first(), turn.keys.last())
        {
            self.list.push(Source { what: what.to_owned(), from: first[0], to: last[0] });
            let rate = |pair: &[[f64; 2]]| ((pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0])).abs();
            let fastest = turn.keys.windows(2).map(rate).fold(0.0, Real::max).to_radians();
            self.speed = self.speed.max(2.0 * fastest * reach);
            self.rise = self.rise.max(2.0 * reach);
        }
    }

    /// What does unknown work between two times, if anything does.
    pub(super) fn working(&self, from: Real, to: Real) -> Option<&str> {
        let acts = |source: &&Source| source.from < to && source.to > from;
        self.list.iter().find(acts).map(|source| source.what.as_str())
    }
}

/// Greatest distance of a part of a body from its centre of mass, m.
pub(super) fn reach_of(rigid: &crate::scene::RigidMatter, body: usize) -> Real {
    let own = rigid.model.parts().iter().filter(|part| part.body as usize == body);
    own.map(|part| part.pose.translation.vector.norm() + part.shape.reach())
        .filter(|reach| reach.is_finite())
        .fold(0.0, Real::max)
}

/// What an obstacle is called in reports.
pub(super) fn name_of(scene: &Scene, k: usize) -> String {
    let desc = &scene.desc.colliders[k];
    desc.name.as_ref().map_or_else(|| format!("collider[{k}] ({})", desc.kind()), |name| format!("{name:?}"))
}
