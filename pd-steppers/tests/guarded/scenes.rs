//! Sheets of springs over fixed meshes.

use crate::dense::Dense;
use pd_collide::broad::{BroadPhase, FixedBvh};
use pd_collide::contact::ContactOptions;
use pd_collide::intersect::mesh_intersections;
use pd_constraints::{Bending, BendingWeights, EdgeSprings, RingsRef};
use pd_core::*;
use pd_mesh::{TriMesh, generate, topology::Rings};
use pd_steppers::GuardedPd;

/// A scene ready to step.
pub(crate) struct Scene {
    pub(crate) model: Model,
    pub(crate) params: StepParams,
    pub(crate) options: ContactOptions,
    pub(crate) colliders: Vec<Box<dyn Collider>>,
    pub(crate) state: State,
    /// Vertices of the sheet.
    pub(crate) free: usize,
}

impl Scene {
    pub(crate) fn stepper(&self) -> GuardedPd {
        let local = Box::new(CpuLocal::default());
        let mut stepper = GuardedPd::new(local, Box::new(Dense::default()), self.options);
        stepper.prepare(self.context()).unwrap();
        stepper
    }

    pub(crate) fn context(&self) -> StepContext<'_> {
        StepContext::new(&self.model, &self.params, &[], &self.colliders)
    }

    /// One step; makes room where a list did not fit.
    pub(crate) fn step(&mut self, stepper: &mut GuardedPd) -> StepReport {
        let mut state = std::mem::take(&mut self.state);
        self.model.set_time(state.time + self.params.dt);
        let mut result = stepper.step(self.context(), &mut state);
        while matches!(result, Err(StepError::Capacity { .. })) {
            stepper.prepare(self.context()).unwrap();
            result = stepper.step(self.context(), &mut state);
        }
        self.state = state;
        result.unwrap()
    }

    pub(crate) fn kinetic(&self) -> f64 {
        let masses = self.model.masses();
        self.state.v.iter().zip(masses).map(|(v, m)| 0.5 * m * v.norm_squared()).sum()
    }

    /// Mean displacement of the sheet from positions `x`, m.
    pub(crate) fn moved(&self, x: &[Vec3]) -> f64 {
        let sum: Vec3 = (0..self.free).map(|i| self.state.x[i] - x[i]).sum();
        (sum / self.free as f64).norm()
    }

    /// Pairs of triangles that cross, by exact predicates.
    pub(crate) fn crossings(&self) -> usize {
        let (x, triangles) = (&self.state.x, &self.model.surface().triangles);
        let boxes: Vec<Aabb> =
            triangles.iter().map(|t| Aabb::of_points(t.iter().map(|&v| &x[v as usize]))).collect();
        let (mut tree, mut pairs) = (FixedBvh::default(), vec![]);
        tree.build(&boxes);
        tree.self_pairs(&mut pairs);
        mesh_intersections(x, triangles, &pairs).len()
    }
}

/// A square sheet of 1 m with n × n cells, placed by `place`, over fixed meshes.
pub(crate) fn sheet(
    n: usize,
    mass: f64,
    place: impl Fn(Vec3) -> Vec3,
    velocity: Vec3,
    obstacles: &[TriMesh],
) -> Scene {
    sheet_over(n, mass, place, velocity, obstacles, 0.3, Still)
}

/// The same with friction and obstacles that move.
pub(crate) fn sheet_over(
    n: usize,
    mass: f64,
    place: impl Fn(Vec3) -> Vec3,
    velocity: Vec3,
    obstacles: &[TriMesh],
    friction: f64,
    motion: impl Motion + 'static,
) -> Scene {
    let cloth = generate::grid(n, n, 1.0, 1.0).unwrap();
    let free = cloth.positions.len();
    let body = SurfaceBody {
        material: ContactMaterial::with_friction(friction),
        ..SurfaceBody::new(0.2 / n as f64)
    };
    let mut surface = CollisionSurface::default();
    surface.add_body(body, &cloth.triangles, 0);
    let mut rest = cloth.positions.clone();
    for obstacle in obstacles {
        surface.add_body(body, &obstacle.triangles, rest.len() as u32);
        rest.extend_from_slice(&obstacle.positions);
    }
    surface.rest = rest.clone();
    let rings = Rings::new(&cloth).interior();
    let rings =
        RingsRef { vertices: &rings.vertices, offsets: &rings.offsets, neighbours: &rings.neighbours };
    let kinematic: Vec<u32> = (free as u32..rest.len() as u32).collect();
    let model = Model::with_masses(vec![mass / free as f64; rest.len()])
        .energy(EdgeSprings::new(&rest, &cloth.edges(), 1500.0).unwrap())
        .energy(Bending::new(&rest, rings, 1e-4, BendingWeights::MeanValue).unwrap())
        .kinematic(&rest, &kinematic, motion)
        .surface(surface)
        .build()
        .unwrap();
    let x: Vec<Vec3> = rest.iter().enumerate().map(|(i, p)| if i < free { place(*p) } else { *p }).collect();
    let v = (0..rest.len()).map(|i| if i < free { velocity } else { Vec3::zeros() }).collect();
    let params = StepParams { iterations: 6, ..StepParams::default() };
    let options = ContactOptions::default();
    Scene { model, params, options, colliders: vec![], state: State::new(x, v), free }
}

pub(crate) fn floor(angle: f64) -> TriMesh {
    let s = 3.0;
    let corners = [[-s, -s], [-s, s], [s, s], [s, -s]];
    let positions = corners.map(|[x, z]| turned(Vec3::new(x, 0.0, z), angle)).to_vec();
    TriMesh::new(positions, vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

pub(crate) fn turned(p: Vec3, angle: f64) -> Vec3 {
    let (s, c) = angle.sin_cos();
    Vec3::new(p.x * c - p.y * s, p.x * s + p.y * c, p.z)
}

/// Folded once over itself, lying on the floor.
pub(crate) fn fold(n: usize) -> Scene {
    let r = 0.03;
    let half = std::f64::consts::FRAC_PI_2 * r;
    let place = move |p: Vec3| {
        let (u, y) = (p.x, 0.01);
        if u < -half {
            Vec3::new(u + half, y, p.z)
        } else if u > half {
            Vec3::new(half - u, y + 2.0 * r, p.z)
        } else {
            let a = (u + half) / r;
            Vec3::new(r * a.sin(), y + r - r * a.cos(), p.z)
        }
    };
    sheet(n, 0.001 * ((n + 1) * (n + 1)) as f64, place, Vec3::zeros(), &[floor(0.0)])
}

/// Thrown onto an upright wedge with a sharp edge.
pub(crate) fn knife(n: usize, speed: f64) -> Scene {
    let (w, h, l) = (0.01, 0.5, 0.8);
    let positions = [[-w, -l], [w, -l], [-w, l], [w, l]];
    let mut positions: Vec<Vec3> = positions.iter().map(|p| Vec3::new(p[0], 0.05, p[1])).collect();
    positions.extend([Vec3::new(0.0, h, -l), Vec3::new(0.0, h, l)]);
    let triangles =
        vec![[0, 4, 1], [2, 3, 5], [0, 2, 5], [0, 5, 4], [1, 4, 5], [1, 5, 3], [0, 1, 3], [0, 3, 2]];
    let wedge = TriMesh::new(positions, triangles).unwrap();
    let mass = 0.001 * ((n + 1) * (n + 1)) as f64;
    sheet(n, mass, |p| p + Vec3::y() * 0.52, Vec3::new(0.0, -speed, 0.0), &[wedge, floor(0.0)])
}

/// Falls on a ball that lies on the floor.
pub(crate) fn drape(n: usize) -> Scene {
    let mut ball = generate::sphere(24, 12, 0.25).unwrap();
    ball.translate(Vec3::new(0.0, 0.30, 0.0));
    let mass = 0.001 * ((n + 1) * (n + 1)) as f64;
    sheet(n, mass, |p| p + Vec3::y() * 0.60, Vec3::zeros(), &[ball, floor(0.0)])
}

/// A flat sheet on a slope, thrown along it.
pub(crate) fn slope(n: usize, mass: f64, angle: f64, speed: f64, friction: f64) -> Scene {
    let gap = 0.999 * 0.2 / n as f64;
    let place = move |p: Vec3| turned(p + Vec3::y() * gap, angle);
    sheet_over(n, mass, place, turned(Vec3::x() * speed, angle), &[floor(angle)], friction, Still)
}
