//! Vertices with prescribed motion: infinite mass, unaffected by forces.

use crate::{Real, Vec3};

/// Where kinematic vertices are at a time. A function of time only, so checkpoints do not contain it.
pub trait Motion: Send + Sync {
    /// Positions at `time` (s) of the vertices whose rest positions are `rest`; `out` is as long.
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]);
}

/// Stays at the rest positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Still;

impl Motion for Still {
    fn positions(&self, _time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        out.copy_from_slice(rest);
    }
}

/// Kinematic vertices of one motion.
pub(crate) struct KinematicGroup {
    pub(crate) vertices: Vec<u32>,
    pub(crate) rest: Vec<Vec3>,
    pub(crate) motion: Box<dyn Motion>,
}

/// All kinematic vertices of a model and their positions at the end of the step.
#[derive(Default)]
pub(crate) struct Kinematic {
    groups: Vec<KinematicGroup>,
    /// All vertices, group after group.
    pub(crate) vertices: Vec<u32>,
    /// Target of each of them.
    pub(crate) targets: Vec<Vec3>,
    /// By vertex of the model; empty if there is none.
    pub(crate) mask: Vec<bool>,
}

impl Kinematic {
    pub(crate) fn new(groups: Vec<KinematicGroup>, model_vertices: usize) -> Self {
        let vertices: Vec<u32> = groups.iter().flat_map(|group| group.vertices.iter().copied()).collect();
        let targets = groups.iter().flat_map(|group| group.rest.iter().copied()).collect();
        let mut mask = vec![false; if vertices.is_empty() { 0 } else { model_vertices }];
        for &vertex in &vertices {
            mask[vertex as usize] = true;
        }
        Self { groups, vertices, targets, mask }
    }

    pub(crate) fn into_groups(self) -> Vec<KinematicGroup> {
        self.groups
    }

    pub(crate) fn contains(&self, vertex: usize) -> bool {
        self.mask.get(vertex).copied().unwrap_or(false)
    }

    pub(crate) fn set_time(&mut self, time: Real) {
        let mut first = 0;
        for group in &self.groups {
            let end = first + group.vertices.len();
            group.motion.positions(time, &group.rest, &mut self.targets[first..end]);
            first = end;
        }
    }
}
