//! Every kind against every other, for `--verify`: bodies in bodies, points in bodies, grains in grains and in surfaces, and triangles
//! that cross, by exact predicates. Nothing is asked of the contact code of any method.

use super::depth::{Depths, PART, Who};
use super::subject::Subject;
use crate::scene::{RigidMatter, Scene};
use crate::{SceneError, Simulation};
use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::distance::point_triangle;
use pd_collide::intersect::triangles_meet;
use pd_core::{Aabb, Bodies, Real, Surface, Vec3};
use std::collections::BTreeMap;

/// Crossing triangles by the names of their two things.
pub(super) type Crossings = BTreeMap<[String; 2], usize>;

impl Depths {
    /// Points of particles, fluids and deformable bodies, and bodies, in rigid bodies; particles in each other and in surfaces.
    pub(super) fn against_each_other(&mut self, frame: u64, scene: &Scene, sim: &Simulation) {
        let subject = Subject::of(scene, &sim.model);
        if let Some(rigid) = subject.rigid {
            self.in_bodies(frame, scene, sim, rigid);
            self.bodies_in_bodies(frame, scene, &sim.state.bodies, rigid);
        }
        if let Some((range, model)) = &subject.particles {
            let x = &sim.state.x[range.clone()];
            let found = model.overlap(x, PART * model.radius_range()[1]);
            if found.pairs > 0 {
                let set = |i: usize| {
                    let k = model.sets().partition_point(|set| set.range.end <= i);
                    Who::Particles(k)
                };
                let [a, b] = found.worst;
                let least = model.radii()[a].min(model.radii()[b]);
                self.note(frame, [set(a), set(b)], found.deepest, PART * least);
            }
        }
        self.particles_in_surfaces(frame, scene, sim);
    }

    fn in_bodies(&mut self, frame: u64, scene: &Scene, sim: &Simulation, rigid: &RigidMatter) {
        let bodies = &sim.state.bodies;
        let (points, shapes) = (std::mem::take(&mut self.points), std::mem::take(&mut self.shapes));
        let idle = sim.state.columns.keys("mpm.idle");
        let fluid = Subject::of(scene, &sim.model).fluid.map_or(0, |(range, _)| range.start);
        let (mut near, mut out) = (vec![], vec![]);
        for set in &points {
            let attached = match set.who {
                Who::Object(k) => attached(scene, k),
                _ => vec![],
            };
            for (body, shape) in shapes.iter().enumerate() {
                let Some(shape) = shape.as_ref().filter(|shape| !shape.is_empty()) else { continue };
                let bounds = shape.bounds_at(&bodies.p[body], &bodies.q[body]).grown(set.radius);
                near.clear();
                near.extend(set.numbers.iter().map(|&i| i as usize).filter(|&i| {
                    let waits =
                        matches!(set.who, Who::Fluid(_)) && idle.get(i - fluid).is_some_and(|&k| k != 0);
                    bounds.contains(&sim.state.x[i]) && !waits && attached.binary_search(&i).is_err()
                }));
                let places: Vec<Vec3> = near.iter().map(|&i| sim.state.x[i]).collect();
                out.clear();
                out.resize(places.len(), Surface::default());
                shape.sample_at(&bodies.p[body], &bodies.q[body], &places, &mut out);
                let deepest = out.iter().map(|s| set.radius - s.distance).fold(0.0, Real::max);
                if deepest > 0.0 {
                    self.note(frame, [set.who, Who::Body(body)], deepest, set.tolerance);
                }
            }
        }
        (self.points, self.shapes) = (points, shapes);
        let _ = rigid;
    }

    fn bodies_in_bodies(&mut self, frame: u64, scene: &Scene, bodies: &Bodies, rigid: &RigidMatter) {
        let model = &rigid.model;
        let (probes, shapes) = (std::mem::take(&mut self.probes), std::mem::take(&mut self.shapes));
        let boxes: Vec<Aabb> = (shapes.iter().enumerate())
            .map(|(b, shape)| {
                let own = shape.as_ref().map(|shape| shape.bounds_at(&bodies.p[b], &bodies.q[b]));
                own.unwrap_or_else(Aabb::empty)
            })
            .collect();
        let (mut tree, mut pairs) = (LinearBvh::default(), vec![]);
        tree.build(&boxes);
        tree.self_pairs(&mut pairs);
        let (mut places, mut out) = (vec![], vec![]);
        for [a, b] in pairs.iter().map(|pair| pair.map(|b| b as usize)) {
            if !(model.is_dynamic(a) || model.is_dynamic(b)) || !may_touch(scene, rigid, [a, b]) {
                continue;
            }
            let mut deepest: Real = 0.0;
            for [from, to] in [[a, b], [b, a]] {
                probes[from].place(bodies, from, &mut places);
                out.clear();
                out.resize(places.len(), Surface::default());
                if let Some(shape) = &shapes[to] {
                    shape.sample_at(&bodies.p[to], &bodies.q[to], &places, &mut out);
                }
                let each = probes[from].points.iter().zip(&out);
                deepest = each.map(|(probe, s)| probe.radius - s.distance).fold(deepest, Real::max);
            }
            if deepest > 0.0 {
                let size = probes[a].size.min(probes[b].size);
                let [a, b] = if model.is_dynamic(a) { [a, b] } else { [b, a] };
                self.note(frame, [Who::Body(a), Who::Body(b)], deepest, PART * size);
            }
        }
        (self.probes, self.shapes) = (probes, shapes);
    }

    /// Balls of particles against triangles of deformable bodies.
    fn particles_in_surfaces(&mut self, frame: u64, scene: &Scene, sim: &Simulation) {
        let (x, points) = (&sim.state.x, std::mem::take(&mut self.points));
        for (k, object) in scene.objects.iter().enumerate() {
            let triangles: Vec<[usize; 3]> =
                object.surface.iter().map(|t| t.map(|v| (v + object.first) as usize)).collect();
            let boxes: Vec<Aabb> = triangles.iter().map(|t| Aabb::of_points(&t.map(|v| x[v]))).collect();
            let mut tree = LinearBvh::default();
            tree.build(&boxes);
            for set in points.iter().filter(|set| matches!(set.who, Who::Particles(_))) {
                let ball = |&i: &u32| Aabb::of_points([&x[i as usize]]).grown(set.radius);
                let balls: Vec<Aabb> = set.numbers.iter().map(ball).collect();
                let mut near = vec![];
                tree.pairs_with(&balls, &mut near);
                let depth = |&[a, b]: &[u32; 2]| {
                    let (ball, triangle) = (a, b);
                    let [p, q, r] = triangles[triangle as usize].map(|v| x[v]);
                    let corners = [x[set.numbers[ball as usize] as usize], p, q, r];
                    set.radius - point_triangle(&corners).separation(&corners).norm()
                };
                let deepest = near.iter().map(depth).fold(0.0, Real::max);
                if deepest > 0.0 {
                    self.note(frame, [set.who, Who::Object(k)], deepest, set.tolerance);
                }
            }
        }
        self.points = points;
    }
}

/// Vertices of an object that are attached to bodies, in the scene's numbers, ascending.
fn attached(scene: &Scene, k: usize) -> Vec<usize> {
    let object = &scene.objects[k];
    let mut all: Vec<usize> =
        object.attachments().iter().flatten().map(|v| (v + object.first) as usize).collect();
    all.sort_unstable();
    all
}

/// Whether two bodies may touch: no joint keeps them apart, and their groups meet.
fn may_touch(scene: &Scene, rigid: &RigidMatter, [a, b]: [usize; 2]) -> bool {
    let joined = rigid.model.joints().iter().any(|joint| {
        let ends = [joint.desc.a, joint.desc.b];
        !joint.desc.collide && (ends == [Some(a), Some(b)] || ends == [Some(b), Some(a)])
    });
    let filter = |body: usize| {
        let desc = scene.desc.bodies.get(rigid.source[body]);
        let (group, mask) = desc.map_or((None, None), |desc| (desc.group, desc.mask));
        (group.unwrap_or(1), mask.unwrap_or(u32::MAX))
    };
    let ((ga, ma), (gb, mb)) = (filter(a), filter(b));
    !joined && ga & mb != 0 && gb & ma != 0
}

/// Triangles that cross: of deformable bodies and mesh obstacles among themselves, and of rigid bodies with deformable ones.
pub(super) fn crossings(scene: &Scene, sim: &Simulation) -> Result<Crossings, SceneError> {
    let mut all = Crossings::new();
    if scene.objects.is_empty() {
        return Ok(all);
    }
    for crossing in scene.crossings(&sim.state.x)? {
        let mut names = crossing.bodies;
        names.sort_unstable();
        *all.entry(names).or_default() += 1;
    }
    let Some(rigid) = scene.matter.rigid() else { return Ok(all) };
    let soft: Vec<(usize, [Vec3; 3])> = (scene.objects.iter().enumerate())
        .flat_map(|(k, object)| {
            let attached = attached(scene, k);
            let mine = object.surface.iter().map(move |t| t.map(|v| (v + object.first) as usize));
            mine.filter(move |t| t.iter().all(|v| attached.binary_search(v).is_err()))
                .map(move |t| (k, t.map(|v| sim.state.x[v])))
        })
        .collect();
    let boxes: Vec<Aabb> = soft.iter().map(|(_, t)| Aabb::of_points(t)).collect();
    let mut tree = LinearBvh::default();
    tree.build(&boxes);
    for part in rigid.model.parts() {
        let (body, bodies) = (part.body as usize, &sim.state.bodies);
        let Some(solid) = part.shape.polyhedron() else { continue };
        let corners: Vec<Vec3> = (solid.vertices().iter())
            .map(|p| bodies.world(body, &(part.pose * nalgebra::Point3::from(*p)).coords))
            .collect();
        let faces: Vec<[Vec3; 3]> =
            solid.triangles().iter().map(|t| t.map(|v| corners[v as usize])).collect();
        let boxes: Vec<Aabb> = faces.iter().map(Aabb::of_points).collect();
        let mut near = vec![];
        tree.pairs_with(&boxes, &mut near);
        for [a, b] in near {
            let ([p, q, r], (k, [s, t, u])) = (&faces[a as usize], &soft[b as usize]);
            if triangles_meet([p, q, r], [s, t, u]) {
                let mut names = [scene.objects[*k].name.clone(), rigid.names[body].clone()];
                names.sort_unstable();
                *all.entry(names).or_default() += 1;
            }
        }
    }
    Ok(all)
}
