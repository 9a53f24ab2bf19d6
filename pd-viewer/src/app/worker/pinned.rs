//! Adding and removing pins while a scene runs.
//!
//! A pin adds its weight to one diagonal entry of the matrix. If an edit changes only a few pins, the edited scene reuses the
//! stepper of the previous one, whose factor is changed by a low-rank update
//! ([`Incremental`](super::incremental::Incremental)): a click does not wait for a factor.

use super::incremental::DIRECT;
use pd_cuda::DeviceChoice;
use pd_sim::scene::{Scene, SceneDesc};

/// Maximum number of pins that may differ from those of the factor: below the maximum rank, since a pull needs one too.
const MOST: usize = 12;

/// Steppers whose one matrix is that of the model.
const STEPPERS: [&str; 3] = ["pd", "pd-anderson", "pd-lbfgs"];

/// The pins of a scene: vertex and weight, in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pinned(Vec<(u32, u64)>);

impl Pinned {
    pub(super) fn of(scene: &Scene) -> Self {
        let mut pins = vec![];
        for (object, desc) in scene.objects.iter().zip(&scene.desc.objects) {
            let first = object.range().start as u32;
            for (group, pin) in object.pins().iter().zip(&desc.pins) {
                pins.extend(group.iter().map(|v| (first + v, pin.weight.to_bits())));
            }
        }
        pins.sort_unstable();
        Self(pins)
    }

    /// Whether a factor with these pins can be updated to those of another scene.
    pub(super) fn reaches(&self, other: &Self) -> bool {
        let lone =
            |a: &[(u32, u64)], b: &[(u32, u64)]| a.iter().filter(|pin| b.binary_search(pin).is_err()).count();
        lone(&self.0, &other.0) + lone(&other.0, &self.0) <= MOST
    }
}

/// Whether two descriptions have the same matrix except for pins, and use a factor that can be updated.
pub(super) fn differ_in_pins_only(old: &SceneDesc, new: &SceneDesc, device_choice: DeviceChoice) -> bool {
    let bodies = |desc: &SceneDesc| {
        let mut objects = desc.objects.clone();
        for object in &mut objects {
            object.display = Default::default();
            object.pins.clear();
        }
        objects
    };
    let step = |desc: &SceneDesc| (desc.step.dt, desc.step.substeps, desc.solver.clone());
    device_choice == DeviceChoice::Cpu
        && STEPPERS.contains(&new.solver.stepper.as_str())
        && !new.contact_mode().keeps_apart()
        && DIRECT.contains(&new.solver.global.as_str())
        && step(old) == step(new)
        && bodies(old) == bodies(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::worker::{Command, Event, Loaded, Request, Worker};
    use pd_sim::ModelPaths;
    use pd_sim::scene::desc::{PinDesc, SelectDesc};
    use pd_sim::scene::{SceneRun, read_desc};
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    fn pin(vertices: Vec<u32>) -> PinDesc {
        PinDesc {
            select: SelectDesc::of(vertices),
            weight: 1000.0,
            release: None,
            path: vec![],
            turn: None,
            at: vec![],
        }
    }

    fn scene(desc: &SceneDesc) -> Scene {
        Scene::from_desc("edited", desc.clone(), None, &ModelPaths::default()).unwrap()
    }

    #[test]
    fn a_few_pins_are_within_reach_and_many_are_not() {
        let desc = read_desc("cloth-pair").unwrap().0;
        let with = |vertices: Vec<u32>| {
            let mut desc = desc.clone();
            desc.objects[1].pins.push(pin(vertices));
            Pinned::of(&scene(&desc))
        };
        let (none, base) = (with(vec![30]), Pinned::of(&scene(&desc)));
        assert_eq!(none.0.len(), base.0.len() + 1);
        assert!(none.0.iter().any(|(v, _)| *v == 441 + 30), "numbers are those of the scene");
        assert!(base.reaches(&base) && base.reaches(&none) && none.reaches(&base));
        assert!(base.reaches(&with((30..42).collect())));
        assert!(!base.reaches(&with((30..43).collect())));
    }

    #[test]
    fn only_pins_may_differ() {
        let mut old = read_desc("cloth").unwrap().0;
        old.contact = pd_sim::scene::desc::ContactMode::Project.into();
        let change = |change: fn(&mut SceneDesc)| {
            let mut new = old.clone();
            new.objects[0].pins.clear();
            change(&mut new);
            differ_in_pins_only(&old, &new, DeviceChoice::Cpu)
        };
        assert!(change(|_| {}));
        assert!(!change(|desc| desc.step.dt *= 0.5));
        assert!(!change(|desc| desc.solver.global = "jacobi".into()));
        assert!(!change(|desc| desc.objects[0].scale = Some(2.0)));
        assert!(!differ_in_pins_only(&old, &old, DeviceChoice::Cuda));
    }

    fn ready(worker: &Worker) -> Arc<Loaded> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(120) {
            match worker.message().map(|message| message.event) {
                Some(Event::Ready(loaded)) => return loaded,
                Some(Event::Refused(problem) | Event::Failed(problem)) => panic!("{problem:?}"),
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
        panic!("waited in vain");
    }

    /// The scene with pins set and taken while it is there moves as the same scene made from nothing.
    #[test]
    fn a_pinned_scene_keeps_its_factor_and_moves_as_a_fresh_one() {
        let worker = Worker::start(ModelPaths::default(), || {}).unwrap();
        worker.send(Command::RealTime(false));
        let mut desc = read_desc("bar").unwrap().0;
        let describe = |number: u64, desc: &SceneDesc| {
            let (name, desc, device_choice) = ("bar".to_owned(), desc.clone(), DeviceChoice::Cpu);
            let request = Request { number, name, desc, directory: None, fresh: number == 1, device_choice };
            worker.send(Command::Describe(Box::new(request)));
            ready(&worker)
        };
        assert!(!describe(1, &desc).kept_factor);
        desc.objects[0].pins.push(pin(vec![3, 9]));
        assert!(describe(2, &desc).kept_factor, "two pins more");
        desc.objects[0].pins.pop();
        desc.objects[0].pins.push(pin(vec![9, 12]));
        assert!(describe(3, &desc).kept_factor, "one other");
        worker.send(Command::Step(40));
        let start = Instant::now();
        while worker.frame().frame < 40 {
            assert!(start.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut fresh = SceneRun::new(scene(&desc), &pd_sim::Registry::standard()).unwrap();
        for _ in 0..40 {
            fresh.advance().unwrap();
        }
        let frame = worker.frame();
        let gap = frame.x.iter().zip(&fresh.sim.state.x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        let way =
            fresh.sim.state.x.iter().zip(fresh.scene.rest()).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(way > 0.01 && gap < 1e-8, "{gap:e} m apart after {way} m");
        desc.objects[0].pins.push(pin((20..60).collect()));
        assert!(!describe(4, &desc).kept_factor, "forty pins are a new factor");
    }
}
