//! How deep things are inside each other: the deepest point of every pair, by the bare distance of obstacles and of the parts of
//! rigid bodies, without margins and without the contact code of any method.
//!
//! A pair is a fault where it is deeper than its tolerance in two frames in a row (an impact may be resolved within one), or deeper
//! than ten times that in any. Tolerances:
//! a tenth of the thickness of a surface, of the radius of a particle or of the half thickness of a body; half a cell for matter
//! on a grid, which has no surface of its own.

use super::above;
use super::shapes::Probes;
use super::sources::name_of;
use super::subject::Subject;
use crate::scene::desc::ContactMode;
use crate::scene::{RigidMatter, Scene};
use crate::{SceneError, Simulation};
use pd_collide::contact::ContactOptions;
use pd_core::{Aabb, Collider, Real, Surface, Vec3};
use pd_couple::RigidShape;
use std::collections::BTreeMap;

/// Part of a thickness, a radius or a half thickness that is tolerated.
pub(super) const PART: Real = 0.1;
/// Default thickness of a surface as a part of its mean edge.
const THICKNESS: Real = 0.2;
/// Tolerances that are a fault in a single frame: as deep as the whole thickness.
const AT_ONCE: Real = 10.0;
/// Frames in a row after which a depth is a fault.
const IN_A_ROW: u64 = 2;
/// Points sampled at a time.
const BLOCK: usize = 64;

/// A thing that can be inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Object(usize),
    Body(usize),
    Particles(usize),
    Fluid(usize),
    Obstacle(usize),
}

impl Who {
    pub(super) fn name(self, scene: &Scene) -> String {
        let subject = |name: &str| format!("{name:?}");
        match self {
            Self::Object(k) => subject(&scene.objects[k].name),
            Self::Body(b) => match scene.matter.rigid() {
                Some(rigid) => subject(&rigid.names[b]),
                None => format!("body {b}"),
            },
            Self::Particles(k) => scene.desc.particles.get(k).map_or_else(String::new, |p| subject(&p.name)),
            Self::Fluid(k) => {
                let name = scene.desc.fluids.get(k).map(|fluid| subject(&fluid.name));
                name.unwrap_or_else(|| format!("fluid[{k}]"))
            }
            Self::Obstacle(k) => name_of(scene, k),
        }
    }
}

/// The deepest point of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Deep {
    /// m.
    pub(super) depth: Real,
    /// What is tolerated, m.
    pub(super) tolerance: Real,
    pub(super) frame: u64,
    /// Frames in a row, up to `last`.
    row: u64,
    last: u64,
    /// First frame at which it was a fault.
    pub(super) fault: Option<u64>,
}

/// Points of one thing, as balls of one radius.
pub(super) struct Points {
    pub(super) who: Who,
    pub(super) radius: Real,
    pub(super) tolerance: Real,
    /// Points of the state.
    pub(super) numbers: Vec<u32>,
}

/// All pairs so far.
pub(super) struct Depths {
    obstacles: Vec<Box<dyn Collider>>,
    pub(super) points: Vec<Points>,
    pub(super) probes: Vec<Probes>,
    /// Shapes of bodies by distance; `None` of a static mesh, which has an inside only by its triangles.
    pub(super) shapes: Vec<Option<RigidShape>>,
    pub(super) pairs: BTreeMap<[Who; 2], Deep>,
    /// Pairs that the scene keeps from touching.
    ignored: Vec<[Who; 2]>,
    /// Whether obstacles act on deformable bodies at all.
    pub(super) vertices_touch: bool,
    out: Vec<Surface>,
    placed: Vec<Vec3>,
}

impl Depths {
    pub(super) fn new(scene: &Scene, sim: &Simulation) -> Result<Self, SceneError> {
        let subject = Subject::of(scene, &sim.model);
        let mut points = vec![];
        for (k, object) in scene.objects.iter().enumerate() {
            let desc = &scene.desc.objects[k];
            if desc.obstacle.is_some() {
                continue;
            }
            let (x, edges) = (object.mesh.positions(), &object.edges);
            let length = |&[i, j]: &[u32; 2]| (x[i as usize] - x[j as usize]).norm();
            let mean = edges.iter().map(length).sum::<Real>() / edges.len().max(1) as Real;
            let thickness = desc.thickness.or(scene.desc.contact.thickness).unwrap_or(THICKNESS * mean);
            let pinned = |v: &u32| object.pins().iter().any(|pin| pin.binary_search(v).is_ok());
            let count = x.len() as u32;
            let numbers = (0..count).filter(|v| !pinned(v)).map(|v| v + object.first).collect();
            points.push(Points { who: Who::Object(k), radius: 0.0, tolerance: PART * thickness, numbers });
        }
        if let Some((range, model)) = &subject.particles {
            for (k, set) in model.sets().iter().enumerate() {
                let numbers = set.range.clone().filter(|&i| !model.fixed(i));
                points.push(Points {
                    who: Who::Particles(k),
                    radius: set.radius,
                    tolerance: PART * set.radius,
                    numbers: numbers.map(|i| (i + range.start) as u32).collect(),
                });
            }
        }
        if let Some((range, grid)) = &subject.fluid {
            for (k, material) in grid.model.materials().iter().enumerate() {
                let numbers = material.points.clone().map(|i| (i + range.start) as u32).collect();
                let tolerance = 0.5 * grid.model.dx();
                points.push(Points { who: Who::Fluid(k), radius: 0.0, tolerance, numbers });
            }
        }
        let (mut probes, mut shapes) = (vec![], vec![]);
        if let Some(RigidMatter { model, .. }) = subject.rigid {
            probes = (0..model.bodies()).map(|body| Probes::of(model, body)).collect();
            shapes = (0..model.bodies()).map(|body| RigidShape::of(model, body).ok()).collect();
        }
        Ok(Self {
            obstacles: scene.bare_obstacles()?,
            points,
            probes,
            shapes,
            pairs: BTreeMap::new(),
            ignored: ignored(scene),
            vertices_touch: scene.desc.contact_mode() != ContactMode::Off,
            out: vec![],
            placed: vec![],
        })
    }

    /// Notes a depth of a pair, m.
    /// Speed at which guarded contact parts surfaces that are nearer than their thickness, m/s.
    pub(super) fn easing(&self, scene: &Scene) -> Real {
        if scene.desc.contact_mode() != ContactMode::Guard {
            return 0.0;
        }
        let objects = self.points.iter().filter(|set| matches!(set.who, Who::Object(_)));
        let thickest = objects.map(|set| set.tolerance / PART).fold(0.0, Real::max);
        let speed = ContactOptions::default().ease_rate * thickest;
        scene.desc.contact.ease_speed.map_or(speed, |most| speed.min(most))
    }

    /// Energy of contacts that carry the weight of all rigid bodies, J.
    pub(super) fn pressed(&self, scene: &Scene, sim: &Simulation) -> Real {
        let Some(RigidMatter { model, .. }) = scene.matter.rigid() else { return 0.0 };
        let weight = |body: usize| model.masses()[body] * sim.params.gravity.norm();
        let carried = |body: usize| weight(body) * super::energy::PRESSED * self.probes[body].size;
        (0..model.bodies()).filter(|&body| model.is_dynamic(body)).map(carried).sum()
    }

    pub(super) fn note(&mut self, frame: u64, pair: [Who; 2], depth: Real, tolerance: Real) {
        if self.ignored.contains(&pair) || self.ignored.contains(&[pair[1], pair[0]]) {
            return;
        }
        let new = Deep { depth, tolerance, frame, row: 0, last: frame, fault: None };
        let deep = self.pairs.entry(pair).or_insert(new);
        if above(depth, deep.depth) {
            (deep.depth, deep.frame, deep.tolerance) = (depth, frame, tolerance);
        }
        if above(depth, tolerance) {
            deep.row = if deep.last + 1 == frame { deep.row + 1 } else { 1 };
            deep.last = frame;
            if deep.row >= IN_A_ROW || above(depth, AT_ONCE * tolerance) {
                deep.fault.get_or_insert(frame);
            }
        }
    }

    /// Everything against obstacles, after a frame.
    pub(super) fn against_obstacles(&mut self, frame: u64, scene: &Scene, sim: &Simulation) {
        let (state, time) = (&sim.state, sim.state.time);
        let (points, obstacles) = (std::mem::take(&mut self.points), std::mem::take(&mut self.obstacles));
        let idle = state.columns.keys("mpm.idle");
        let first_fluid = Subject::of(scene, &sim.model).fluid.map_or(0, |(range, _)| range.start);
        for set in &points {
            if matches!(set.who, Who::Object(_)) && !self.vertices_touch {
                continue;
            }
            self.placed.clear();
            let fluid = matches!(set.who, Who::Fluid(_));
            let active = |i: usize| !fluid || idle.get(i - first_fluid).is_none_or(|&idle| idle == 0);
            let here = set.numbers.iter().map(|&i| i as usize).filter(|&i| active(i));
            self.placed.extend(here.map(|i| state.x[i]));
            for (k, obstacle) in obstacles.iter().enumerate() {
                let deepest = self.deepest(obstacle.as_ref(), time, |_| set.radius);
                if let Some(depth) = deepest {
                    self.note(frame, [set.who, Who::Obstacle(k)], depth, set.tolerance);
                }
            }
        }
        if let Some(rigid) = scene.matter.rigid() {
            let probes = std::mem::take(&mut self.probes);
            for (body, probes) in probes.iter().enumerate().filter(|(b, _)| rigid.model.is_dynamic(*b)) {
                let around = Aabb::of_points([&state.bodies.p[body]]).grown(probes.reach);
                if obstacles.iter().all(|obstacle| !obstacle.bounds(time).overlaps(&around)) {
                    continue;
                }
                let mut placed = std::mem::take(&mut self.placed);
                probes.place(&state.bodies, body, &mut placed);
                self.placed = placed;
                for (k, obstacle) in obstacles.iter().enumerate() {
                    let deepest = self.deepest(obstacle.as_ref(), time, |n| probes.points[n].radius);
                    if let Some(depth) = deepest {
                        self.note(frame, [Who::Body(body), Who::Obstacle(k)], depth, PART * probes.size);
                    }
                }
            }
            self.probes = probes;
        }
        (self.points, self.obstacles) = (points, obstacles);
    }

    /// The greatest depth of the placed points in an obstacle, m, if it is positive.
    fn deepest(
        &mut self,
        obstacle: &dyn Collider,
        time: Real,
        radius: impl Fn(usize) -> Real,
    ) -> Option<Real> {
        let (mut deepest, bounds) = (0.0, obstacle.bounds(time));
        self.out.resize(BLOCK, Surface::default());
        for (first, points) in self.placed.chunks(BLOCK).enumerate() {
            let largest = (0..points.len()).map(|k| radius(first * BLOCK + k)).fold(0.0, Real::max);
            if !bounds.overlaps(&Aabb::of_points(points).grown(largest)) {
                continue;
            }
            let out = &mut self.out[..points.len()];
            obstacle.sample(points, time, out);
            for (k, surface) in out.iter().enumerate() {
                let depth = radius(first * BLOCK + k) - surface.distance;
                if above(depth, deepest) {
                    deepest = depth;
                }
            }
        }
        (deepest != 0.0).then_some(deepest)
    }

    /// Whether nothing that stands or moves by itself is within `reach` (m) of any matter: obstacles, static bodies, walls of a grid.
    pub(super) fn alone(&self, scene: &Scene, sim: &Simulation, reach: Real) -> bool {
        let (state, subject) = (&sim.state, Subject::of(scene, &sim.model));
        let mut all = Aabb::of_points(&state.x).grown(reach);
        let around = |body: usize| {
            let (p, q) = (&state.bodies.p[body], &state.bodies.q[body]);
            self.shapes[body].as_ref().map_or_else(Aabb::everything, |shape| shape.bounds_at(p, q))
        };
        let dynamic = |body: &usize| scene.matter.rigid().is_some_and(|rigid| rigid.model.is_dynamic(*body));
        for body in (0..self.shapes.len()).filter(dynamic) {
            all = all.union(&around(body).grown(reach));
        }
        let clear = self.obstacles.iter().all(|o| !o.bounds(state.time).overlaps(&all));
        let bodies = (0..self.shapes.len()).filter(|b| !dynamic(b)).all(|body| !around(body).overlaps(&all));
        let walls = subject.fluid.is_none_or(|(range, grid)| {
            let inside = grid.model.domain().grown(-4.0 * grid.model.dx() - reach);
            state.x[range].iter().all(|x| inside.contains(x))
        });
        let meshes = scene.desc.objects.iter().all(|object| object.obstacle.is_none());
        clear && bodies && walls && meshes
    }
}

/// Pairs with `touch = false`.
fn ignored(scene: &Scene) -> Vec<[Who; 2]> {
    let who = |name: &String| {
        let object = scene.objects.iter().position(|object| object.name == *name).map(Who::Object);
        let obstacle = (0..scene.desc.colliders.len()).find(|k| format!("collider[{k}]") == *name);
        object.or(obstacle.map(Who::Obstacle))
    };
    let mut all = vec![];
    for pair in scene.desc.contact.pairs.iter().filter(|pair| !pair.touch) {
        let members: Vec<Who> = pair.objects.iter().filter_map(who).collect();
        all.extend(members.iter().flat_map(|a| members.iter().map(move |b| [*a, *b])));
    }
    all
}
