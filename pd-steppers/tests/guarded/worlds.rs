//! Sheets and balls over meshes, at any size; shared with the example `contact_scenes`.
#![allow(dead_code, reason = "each of the programs that share this file uses a part of it")]

use pd_collide::broad::{BroadPhase, FixedBvh};
use pd_collide::contact::ContactOptions;
use pd_collide::intersect::mesh_intersections;
use pd_constraints::material::{lumped_masses_tets, tet_weights};
use pd_constraints::{
    Bending, BendingWeights, EdgeSprings, Material, RingsRef, StrainRange, TetStrain, Volume,
};
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
    Sheet { friction, ..Sheet::new(n, mass) }.build(place, velocity, obstacles, motion)
}

/// A square sheet before it is placed.
pub(crate) struct Sheet {
    /// Cells along a side.
    pub(crate) n: usize,
    /// kg.
    pub(crate) mass: f64,
    /// Side, m; obstacles and places are given for 1 m and scaled, as are gravity and velocities: the same motion.
    pub(crate) size: f64,
    /// Where all of it is, m.
    pub(crate) origin: Vec3,
    pub(crate) friction: f64,
    /// Vertices of the sheet that move as obstacles do.
    pub(crate) held: Vec<u32>,
    /// Weight of the springs, N/m, and of bending.
    pub(crate) weights: [f64; 2],
}

impl Sheet {
    pub(crate) fn new(n: usize, mass: f64) -> Self {
        Self {
            n,
            mass,
            size: 1.0,
            origin: Vec3::zeros(),
            friction: 0.3,
            held: vec![],
            weights: [1500.0, 1e-4],
        }
    }

    pub(crate) fn build(
        &self,
        place: impl Fn(Vec3) -> Vec3,
        velocity: Vec3,
        obstacles: &[TriMesh],
        motion: impl Motion + 'static,
    ) -> Scene {
        let (n, size) = (self.n, self.size);
        let cloth = generate::grid(n, n, 1.0, 1.0).unwrap();
        let free = cloth.positions.len();
        let material = ContactMaterial::with_friction(self.friction);
        let body = SurfaceBody { material, ..SurfaceBody::new(0.2 * size / n as f64) };
        let mut surface = CollisionSurface::default();
        surface.add_body(body, &cloth.triangles, 0);
        let mut rest = cloth.positions.clone();
        for obstacle in obstacles {
            surface.add_body(body, &obstacle.triangles, rest.len() as u32);
            rest.extend_from_slice(&obstacle.positions);
        }
        rest.iter_mut().for_each(|p| *p *= size);
        surface.rest = rest.clone();
        let rings = Rings::new(&cloth).interior();
        let rings =
            RingsRef { vertices: &rings.vertices, offsets: &rings.offsets, neighbours: &rings.neighbours };
        let mut kinematic = self.held.clone();
        kinematic.extend(free as u32..rest.len() as u32);
        let x: Vec<Vec3> = rest
            .iter()
            .enumerate()
            .map(|(i, p)| if i < free { place(p / size) * size } else { *p })
            .map(|p| p + self.origin)
            .collect();
        let model = Model::with_masses(vec![self.mass / free as f64; rest.len()])
            .energy(EdgeSprings::new(&rest, &cloth.edges(), self.weights[0]).unwrap())
            .energy(
                Bending::new(&rest, rings, self.weights[1] * size * size, BendingWeights::MeanValue).unwrap(),
            )
            .kinematic(&x, &kinematic, motion)
            .surface(surface)
            .build()
            .unwrap();
        let v = (0..rest.len()).map(|i| if i < free { velocity * size } else { Vec3::zeros() }).collect();
        let gravity = StepParams::default().gravity * size;
        let params = StepParams { iterations: 6, gravity, ..StepParams::default() };
        let options = ContactOptions::default();
        Scene { model, params, options, colliders: vec![], state: State::new(x, v), free }
    }
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

/// Where a sheet goes that is folded once over itself at x = 0 and lies at a height.
pub(crate) fn folded(p: Vec3, height: f64) -> Vec3 {
    let r = 0.03;
    let half = std::f64::consts::FRAC_PI_2 * r;
    let (u, y) = (p.x, height + p.y);
    if u < -half {
        Vec3::new(u + half, y, p.z)
    } else if u > half {
        Vec3::new(half - u, y + 2.0 * r, p.z)
    } else {
        let a = (u + half) / r;
        Vec3::new(r * a.sin(), y + r - r * a.cos(), p.z)
    }
}

pub(crate) fn grams(n: usize) -> f64 {
    0.001 * ((n + 1) * (n + 1)) as f64
}

/// Folded once over itself, lying on the floor.
pub(crate) fn fold(n: usize) -> Scene {
    Sheet::new(n, grams(n)).build(|p| folded(p, 0.01), Vec3::zeros(), &[floor(0.0)], Still)
}

/// Stands almost upright on the floor, tips over and folds onto itself.
#[allow(dead_code, reason = "the tests are too short for it; the report program runs it")]
pub(crate) fn tip(n: usize) -> Scene {
    let angle = 84.0f64.to_radians();
    let place = |p: Vec3| {
        let (y, z) = (p.y * angle.cos() - p.z * angle.sin(), p.y * angle.sin() + p.z * angle.cos());
        Vec3::new(p.x, y + 0.52, z)
    };
    let sheet = Sheet { weights: [300.0, 1e-5], ..Sheet::new(n, 0.2) };
    let mut scene = sheet.build(place, Vec3::zeros(), &[], Still);
    scene.colliders.push(Box::new(pd_collide::Floor::new(0.0).unwrap()));
    scene.params.damping = 0.5;
    scene.params.iterations = 10;
    scene
}

/// The same far from the origin.
pub(crate) fn far_fold(n: usize, distance: f64) -> Scene {
    let origin = Vec3::new(distance, 0.3 * distance, -0.7 * distance);
    let sheet = Sheet { origin, ..Sheet::new(n, grams(n)) };
    sheet.build(|p| folded(p, 0.01), Vec3::zeros(), &[floor(0.0)], Still)
}

/// Folded twice, as a letter is: three layers, of a sheet of this side. The motion scales with it.
pub(crate) fn three_layers(n: usize, size: f64) -> Scene {
    let r = 0.03;
    let half = std::f64::consts::FRAC_PI_2 * r;
    let arc = |centre: f64, y: f64, a: f64, side: f64| {
        Vec3::new(centre + side * r * a.sin(), y + r - r * a.cos(), 0.0)
    };
    // Along u the sheet goes right, turns up at 1/6, goes left, turns up at −1/6, goes right.
    let place = move |p: Vec3| {
        let (u, third) = (p.x, 1.0 / 6.0);
        let q = if u < -third - half {
            Vec3::new(third + (u + third + half), 0.0, 0.0)
        } else if u < -third + half {
            arc(third, 0.0, (u + third + half) / r, 1.0)
        } else if u < third - half {
            Vec3::new(third - (u + third - half), 2.0 * r, 0.0)
        } else if u < third + half {
            let end = third - (2.0 * third - 2.0 * half);
            arc(end, 2.0 * r, (u - third + half) / r, -1.0)
        } else {
            let end = third - (2.0 * third - 2.0 * half);
            Vec3::new(end + (u - third - half), 4.0 * r, 0.0)
        };
        q + Vec3::new(0.0, 0.01, p.z)
    };
    let sheet = Sheet { size, ..Sheet::new(n, grams(n)) };
    sheet.build(place, Vec3::zeros(), &[floor(0.0)], Still)
}

/// Two sides of a sheet turn against each other and come together.
struct Wringing {
    /// Full turns of one side against the other, and how long they take, s.
    turns: f64,
    time: f64,
}

impl Motion for Wringing {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        let part = (time / self.time).clamp(0.0, 1.0);
        let angle = std::f64::consts::PI * self.turns * part;
        for (out, p) in out.iter_mut().zip(rest) {
            let (s, c) = (angle * p.x.signum()).sin_cos();
            *out = Vec3::new(p.x * (1.0 - 0.35 * part), p.y * c - p.z * s, p.y * s + p.z * c);
        }
    }
}

/// A sheet wrung by four full turns in two seconds.
pub(crate) fn twist(n: usize) -> Scene {
    let cloth = generate::grid(n, n, 1.0, 1.0).unwrap();
    let held = (0..cloth.positions.len() as u32).filter(|&v| cloth.positions[v as usize].x.abs() > 0.499);
    let sheet = Sheet { held: held.collect(), ..Sheet::new(n, grams(n)) };
    sheet.build(|p| p, Vec3::zeros(), &[], Wringing { turns: 4.0, time: 2.0 })
}

/// Plates above and below come together.
struct Press {
    /// Half of the gap at first and in the end, m, and the time it takes, s.
    from: f64,
    to: f64,
    time: f64,
}

impl Motion for Press {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        let way = (self.from - self.to) * (time / self.time).clamp(0.0, 1.0);
        for (out, p) in out.iter_mut().zip(rest) {
            *out = p - Vec3::y() * (way * p.y.signum());
        }
    }
}

/// A soft ball between plates that come together to 40 % of its diameter in one second.
pub(crate) fn squeeze(n: usize) -> Scene {
    let radius = 0.1;
    let ball = generate::ball(n, 2, radius).unwrap();
    let free = ball.positions.len();
    let thickness = 0.1 * radius / n as f64;
    let body = SurfaceBody::new(thickness);
    let (mut surface, mut rest) = (CollisionSurface::default(), ball.positions.clone());
    surface.add_body(body, &ball.surface_triangles(), 0);
    let from = radius + 2.0 * thickness;
    for side in [-1.0, 1.0] {
        let mut plate = floor(0.0);
        plate.positions.iter_mut().for_each(|p| *p = Vec3::new(0.1 * p.x, side * from, 0.1 * p.z));
        surface.add_body(body, &plate.triangles, rest.len() as u32);
        rest.extend_from_slice(&plate.positions);
    }
    surface.rest = rest.clone();
    let kinematic: Vec<u32> = (free as u32..rest.len() as u32).collect();
    let model = Model::with_masses(vec![0.5 / free as f64; rest.len()])
        .energy(TetStrain::new(&rest, &ball.tets, 2e4, StrainRange::RIGID).unwrap())
        .kinematic(&rest, &kinematic, Press { from, to: 0.4 * radius, time: 1.0 })
        .surface(surface)
        .build()
        .unwrap();
    let params = StepParams { iterations: 6, ..StepParams::default() };
    let v = vec![Vec3::zeros(); rest.len()];
    let (options, state) = (ContactOptions::default(), State::new(rest, v));
    Scene { model, params, options, colliders: vec![], state, free }
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

/// A solid ball before it is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    /// Cells along half the diameter.
    pub(crate) cells: usize,
    pub(crate) radius: f64,
    /// Young's modulus, Pa, and density, kg/m³.
    pub(crate) young: f64,
    pub(crate) density: f64,
    /// Gap to the floor, m, and thickness.
    pub(crate) height: f64,
    pub(crate) thickness: f64,
}

impl Ball {
    pub(crate) fn new(young: f64, height: f64) -> Self {
        Self { cells: 4, radius: 0.12, young, density: 500.0, height, thickness: 0.004 }
    }

    /// Over a floor that is a half-space, or a mesh.
    pub(crate) fn build(&self, mesh: bool) -> Scene {
        let ball = generate::ball(self.cells, self.cells / 2, self.radius).unwrap();
        let free = ball.positions.len();
        let body = SurfaceBody::new(self.thickness);
        let mut surface = CollisionSurface::default();
        surface.add_body(body, &ball.surface_triangles(), 0);
        let lift = Vec3::y() * (self.radius + self.height);
        let mut rest: Vec<Vec3> = ball.positions.iter().map(|p| p + lift).collect();
        let material = Material::new(self.young, 0.4, self.density).unwrap();
        let mut masses = lumped_masses_tets(&rest, &ball.tets, self.density).unwrap();
        if mesh {
            let floor = floor(0.0);
            surface.add_body(body, &floor.triangles, free as u32);
            rest.extend_from_slice(&floor.positions);
            masses.resize(rest.len(), 1.0);
        }
        surface.rest = rest.clone();
        let weights = tet_weights(&material, true).unwrap();
        let fixed: Vec<u32> = (free as u32..rest.len() as u32).collect();
        let model = Model::with_masses(masses)
            .energy(TetStrain::new(&rest, &ball.tets, weights.strain, StrainRange::RIGID).unwrap())
            .energy(Volume::new(&rest, &ball.tets, weights.volume.unwrap(), 1.0, 1.0).unwrap())
            .fixed(&rest, &fixed)
            .surface(surface)
            .build()
            .unwrap();
        let params = StepParams { iterations: 10, measure: true, ..StepParams::default() };
        let v = vec![Vec3::zeros(); rest.len()];
        let (options, state) = (ContactOptions::default(), State::new(rest, v));
        let mut scene = Scene { model, params, options, colliders: vec![], state, free };
        if !mesh {
            scene.colliders.push(Box::new(pd_collide::Floor::new(0.0).unwrap().with_margin(0.0).unwrap()));
        }
        scene
    }
}
