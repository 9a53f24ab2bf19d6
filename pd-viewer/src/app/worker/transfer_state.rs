//! Keeping the state of bodies that an edit did not touch.
//!
//! A body is the same if it has the same mesh; where only its placement p ↦ t + s R p has changed, positions and velocities
//! are mapped from the old placement to the new one, so a moved body keeps its deformation.

use nalgebra::{Rotation3, Unit};
use pd_core::{Real, State, Vec3};
use pd_sim::scene::desc::ObjectDesc;
use pd_sim::scene::{Matter, Scene};

/// A body's placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) translate: Vec3,
    pub(crate) rotate: Rotation3<Real>,
    pub(crate) scale: Real,
}

impl Placement {
    pub(crate) fn of(desc: &ObjectDesc) -> Self {
        let rotate = desc.rotate.map_or_else(Rotation3::identity, |r| {
            match Unit::try_new(Vec3::from(r.axis), 1e-12) {
                Some(axis) => Rotation3::from_axis_angle(&axis, r.degrees.to_radians()),
                None => Rotation3::identity(),
            }
        });
        let translate = desc.translate.map_or(Vec3::zeros(), Vec3::from);
        Self { translate, rotate, scale: desc.scale.unwrap_or(1.0) }
    }
}

/// Whether two bodies have the same mesh before they are placed.
fn same_mesh(a: &ObjectDesc, b: &ObjectDesc) -> bool {
    a.shape == b.shape && a.tetrahedralize == b.tetrahedralize && a.normalize == b.normalize
}

/// The body of the old scene that a body of the new scene was, if any: that of the same name, or of the same place in the
/// list if it was renamed.
fn origin(old: &Scene, new: &Scene, k: usize) -> Option<usize> {
    let name = &new.objects[k].name;
    let named = old.objects.iter().position(|object| object.name == *name);
    let renamed = || {
        let before = old.objects.get(k)?;
        let gone = !new.objects.iter().any(|object| object.name == before.name);
        gone.then_some(k)
    };
    let j = named.or_else(renamed)?;
    let same = same_mesh(&old.desc.objects[j], &new.desc.objects[k])
        && old.objects[j].range().len() == new.objects[k].range().len();
    same.then_some(j)
}

/// The state of the new scene: bodies that stay keep theirs, new ones are at rest.
pub(super) fn transfer_state(old: &Scene, state: &State, new: &Scene) -> State {
    let mut carried = new.initial_state();
    let fits = (carried.x.len(), carried.bodies.len()) == (state.x.len(), state.bodies.len());
    if !matches!(new.matter, Matter::Elastic) {
        return if fits { state.clone() } else { carried }; // rigid bodies, particles: as they are, or built again
    }
    carried.time = state.time;
    for (k, object) in new.objects.iter().enumerate() {
        let Some(j) = origin(old, new, k) else { continue };
        let (from, to) = (Placement::of(&old.desc.objects[j]), Placement::of(&new.desc.objects[k]));
        let (source, target) = (old.objects[j].range(), object.range());
        if from.translate == to.translate && from.rotate == to.rotate && from.scale == to.scale {
            carried.x[target.clone()].copy_from_slice(&state.x[source.clone()]);
            carried.v[target].copy_from_slice(&state.v[source]);
            continue;
        }
        let turn = to.rotate * from.rotate.inverse();
        let grow = to.scale / from.scale;
        for (i, o) in target.zip(source) {
            carried.x[i] = to.translate + turn * (state.x[o] - from.translate) * grow;
            carried.v[i] = turn * state.v[o] * grow;
        }
    }
    carried
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::scene::SceneRun;
    use pd_sim::scene::desc::RotateDesc;
    use pd_sim::{ModelPaths, Registry};

    fn running() -> SceneRun {
        let scene = Scene::load("cloth-pair", &ModelPaths::default()).unwrap();
        let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
        (0..10).for_each(|_| {
            run.advance().unwrap();
        });
        run
    }

    fn edited(run: &SceneRun, edit: impl FnOnce(&mut pd_sim::scene::SceneDesc)) -> (Scene, State) {
        let mut desc = run.scene.desc.clone();
        edit(&mut desc);
        let scene = Scene::from_desc("edited", desc, None, &ModelPaths::default()).unwrap();
        let state = transfer_state(&run.scene, &run.sim.state, &scene);
        (scene, state)
    }

    #[test]
    fn an_edit_of_constraints_changes_no_position() {
        let run = running();
        let (_, state) = edited(&run, |desc| desc.objects[0].edge = None);
        assert_eq!(state, run.sim.state);
        let (_, state) = edited(&run, |desc| desc.objects[1].name = "another".into());
        assert_eq!(state, run.sim.state, "renamed");
    }

    #[test]
    fn removing_a_body_keeps_the_other_and_a_new_one_is_at_rest() {
        let run = running();
        let (scene, state) = edited(&run, |desc| drop(desc.objects.remove(0)));
        assert_eq!(state.x, run.sim.state.x[441..]);
        assert_eq!(state.v, run.sim.state.v[441..]);
        assert_eq!(scene.vertices(), 441);
        let (scene, state) = edited(&run, |desc| {
            let mut third = desc.objects[0].clone();
            third.name = "third".into();
            desc.objects.push(third);
        });
        assert_eq!(state.x[..882], run.sim.state.x);
        assert_eq!(state.x[882..], scene.rest()[882..]);
    }

    #[test]
    fn a_moved_body_keeps_its_shape() {
        let run = running();
        let (_, state) = edited(&run, |desc| {
            let body = &mut desc.objects[1];
            body.translate = Some([3.0, 1.0, -2.0]);
            body.rotate = Some(RotateDesc { axis: [1.0, 2.0, 0.5], degrees: 77.0 });
            body.scale = Some(1.0);
        });
        assert_eq!(state.x[..441], run.sim.state.x[..441]);
        let gap = |x: &[Vec3], i: usize, j: usize| (x[441 + i] - x[441 + j]).norm();
        for (i, j) in [(0, 440), (13, 200), (420, 20)] {
            assert!((gap(&state.x, i, j) - gap(&run.sim.state.x, i, j)).abs() < 1e-9);
        }
        let speed = |v: &[Vec3]| v[441 + 100].norm();
        assert!((speed(&state.v) - speed(&run.sim.state.v)).abs() < 1e-9);
    }
}
