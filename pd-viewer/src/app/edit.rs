//! Changes of a description: pure functions, each one gesture of the window.

use crate::app::worker::LoadedObject;
use nalgebra::Rotation3;
use pd_core::{Real, Vec3};
use pd_sim::scene::SceneDesc;
use pd_sim::scene::desc::{
    ColliderDesc, DisplayDesc, ForceDesc, GroupDesc, ObjectDesc, PinDesc, RotateDesc, SelectDesc, ShapeDesc,
    StrainDesc, WeightDesc,
};

use super::worker::Placement;

/// Weight of a pin made by a click, N/m: it holds, and does not spoil the matrix.
const CLICK_WEIGHT: f64 = 1000.0;

/// A name like `wanted` that no object has yet.
pub fn free_name(desc: &SceneDesc, wanted: &str) -> String {
    let taken = |name: &str| desc.objects.iter().any(|object| object.name == name);
    if !taken(wanted) && !wanted.is_empty() {
        return wanted.to_owned();
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { "object" } else { stem };
    (2..).map(|k| format!("{stem} {k}")).find(|name| !taken(name)).unwrap_or_default()
}

/// A body of this shape with constraints that suit it.
pub fn body(name: &str, shape: ShapeDesc, solid: bool) -> ObjectDesc {
    let mut object = ObjectDesc::new(name, shape);
    if solid {
        object.tet = Some(StrainDesc { weight: 5000.0, min: 0.95, max: 1.05 });
    } else {
        object.edge = Some(WeightDesc { weight: 100.0 });
    }
    object
}

/// The shapes that can be added, with their names and whether they are solid.
pub fn shapes() -> Vec<(&'static str, ShapeDesc, bool)> {
    vec![
        ("cloth", ShapeDesc::Grid { rows: 20, columns: 20, width: 1.0, depth: 1.0 }, false),
        ("hemisphere", ShapeDesc::Hemisphere { sectors: 20, stacks: 10, radius: 0.4 }, false),
        ("sphere", ShapeDesc::Sphere { sectors: 24, stacks: 16, radius: 0.35 }, false),
        ("cylinder", ShapeDesc::Cylinder { sectors: 20, stacks: 16, radius: 0.2, height: 0.9 }, false),
        ("cone", ShapeDesc::Cone { sectors: 20, stacks: 14, radius: 0.35, height: 0.7 }, false),
        (
            "torus",
            ShapeDesc::Torus { sectors: 28, stacks: 14, major_radius: 0.35, minor_radius: 0.12 },
            false,
        ),
        ("bar", ShapeDesc::Bar { width: 3, height: 3, depth: 12, length: 1.0 }, true),
        ("ball", ShapeDesc::Ball { cells: 6, radius: 0.3 }, true),
        ("creature", ShapeDesc::Creature { cells: [8, 10, 6], layers: 1 }, true),
    ]
}

/// The obstacles that can be added.
pub fn obstacles() -> Vec<ColliderDesc> {
    let (margin, path, name, display) = (None, vec![], None, DisplayDesc::default());
    vec![
        ColliderDesc::Floor { height: -1.0, margin, path: path.clone(), name: name.clone(), display },
        ColliderDesc::Sphere {
            centre: [0.0, -0.5, 0.0],
            radius: 0.3,
            margin,
            path: path.clone(),
            name: name.clone(),
            display,
        },
        ColliderDesc::Block {
            centre: [0.0, -0.5, 0.0],
            half_extents: [0.3, 0.15, 0.3],
            margin,
            path: path.clone(),
            name: name.clone(),
            display,
        },
        ColliderDesc::Torus {
            centre: [0.0, -0.5, 0.0],
            major_radius: 0.4,
            minor_radius: 0.12,
            margin,
            path,
            name,
            display,
        },
    ]
}

/// Adds a body under a name of its own, beside those that are there; returns its place.
pub fn add_object(desc: &mut SceneDesc, mut object: ObjectDesc) -> usize {
    object.name = free_name(desc, &object.name);
    desc.objects.push(object);
    desc.objects.len() - 1
}

/// Removes a body and the forces that name it alone.
pub fn remove_object(desc: &mut SceneDesc, index: usize) {
    if index >= desc.objects.len() {
        return;
    }
    let name = desc.objects.remove(index).name;
    let solids = |object: &ObjectDesc| matches!(object.shape, ShapeDesc::Bar { .. } | ShapeDesc::Ball { .. });
    desc.forces.retain_mut(|force| match force {
        ForceDesc::Push { object, .. } => *object != name,
        ForceDesc::Wind { objects, .. } | ForceDesc::Drag { objects, .. } => {
            let named = !objects.is_empty();
            objects.retain(|object| *object != name);
            !(named && objects.is_empty())
        }
    });
    // Wind over nothing but solids is refused, so it goes with the last cloth.
    if desc.objects.iter().all(solids) {
        desc.forces.retain(|force| matches!(force, ForceDesc::Push { .. }));
    }
}

/// Copies a body next to itself; returns the place of the copy.
pub fn duplicate_object(desc: &mut SceneDesc, index: usize) -> Option<usize> {
    let mut copy = desc.objects.get(index)?.clone();
    let step = Vec3::new(0.25, 0.25, 0.0);
    shift(&mut copy, step);
    Some(add_object(desc, copy))
}

/// Renames a body, and what refers to it; refuses a name that is empty or taken.
pub fn rename_object(desc: &mut SceneDesc, index: usize, name: &str) -> bool {
    let taken = desc.objects.iter().enumerate().any(|(k, object)| k != index && object.name == name);
    if name.is_empty() || taken || index >= desc.objects.len() {
        return false;
    }
    let before = std::mem::replace(&mut desc.objects[index].name, name.to_owned());
    for force in &mut desc.forces {
        match force {
            ForceDesc::Push { object, .. } if *object == before => *object = name.to_owned(),
            ForceDesc::Push { .. } => {}
            ForceDesc::Wind { objects, .. } | ForceDesc::Drag { objects, .. } => {
                objects
                    .iter_mut()
                    .filter(|object| **object == before)
                    .for_each(|object| *object = name.to_owned());
            }
        }
    }
    true
}

/// Copies an obstacle next to itself; returns the place of the copy.
pub fn duplicate_obstacle(desc: &mut SceneDesc, index: usize) -> Option<usize> {
    let mut copy = desc.colliders.get(index)?.clone();
    let [x, y, z] = copy.centre();
    copy.set_centre([x + 0.25, y + 0.25, z]);
    copy.set_name(copy.name().map(|name| format!("{name} copy")));
    desc.colliders.push(copy);
    Some(desc.colliders.len() - 1)
}

fn shift(object: &mut ObjectDesc, by: Vec3) {
    let old = object.translate.map_or(Vec3::zeros(), Vec3::from);
    object.translate = Some((old + by).into());
    for pin in &mut object.pins {
        pin.at.iter_mut().for_each(|at| *at = (Vec3::from(*at) + by).into());
    }
}

/// A motion of a body: grown and turned about a point, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// The point that stays, m.
    pub about: Vec3,
    /// Turn.
    pub turn: Rotation3<Real>,
    /// Growth, positive.
    pub grow: Real,
    /// Shift, m.
    pub by: Vec3,
}

impl Motion {
    /// Nothing moves.
    pub fn still(about: Vec3) -> Self {
        Self { about, turn: Rotation3::identity(), grow: 1.0, by: Vec3::zeros() }
    }

    /// Where a point goes, m.
    pub fn apply(&self, p: Vec3) -> Vec3 {
        self.about + self.turn * (p - self.about) * self.grow + self.by
    }
}

/// Moves a body's placement, its boxes excepted.
pub fn move_object(object: &mut ObjectDesc, motion: &Motion) {
    let old = Placement::of(object);
    let turn = motion.turn * old.rotate;
    let scale = old.scale * motion.grow;
    object.translate = Some(motion.apply(old.translate).into());
    if motion.turn != Rotation3::identity() {
        object.rotate = turn
            .axis_angle()
            .map(|(axis, angle)| RotateDesc { axis: axis.into_inner().into(), degrees: angle.to_degrees() });
    }
    if motion.grow != 1.0 {
        object.scale = Some(scale.clamp(1e-6, 1e6));
    }
    for pin in &mut object.pins {
        pin.at.iter_mut().for_each(|at| *at = motion.apply(Vec3::from(*at)).into());
    }
}

/// Moves and grows an obstacle; obstacles do not turn.
pub fn move_obstacle(collider: &mut ColliderDesc, motion: &Motion) {
    collider.set_centre(motion.apply(Vec3::from(collider.centre())).into());
    let grow = motion.grow.clamp(1e-3, 1e3);
    match collider {
        ColliderDesc::Floor { .. } => {}
        ColliderDesc::Sphere { radius, .. } => *radius *= grow,
        ColliderDesc::Block { half_extents, .. } => half_extents.iter_mut().for_each(|h| *h *= grow),
        ColliderDesc::Torus { major_radius, minor_radius, .. } => {
            *major_radius *= grow;
            *minor_radius *= grow;
        }
    }
}

/// Pins a vertex (own number) where it is, or lets it go if it is pinned; returns whether it is pinned now.
pub fn toggle_pin(
    object: &mut ObjectDesc,
    loaded: &LoadedObject,
    vertex: u32,
    at: Vec3,
    rest: &[Vec3],
) -> bool {
    let holds: Vec<bool> = loaded.pins.iter().map(|group| group.binary_search(&vertex).is_ok()).collect();
    if !holds.contains(&true) {
        add_click_pin(object, vertex, at);
        return true;
    }
    let mut kept = vec![];
    for (k, pin) in object.pins.drain(..).enumerate() {
        if !holds.get(k).copied().unwrap_or(false) {
            kept.push(pin);
            continue;
        }
        // Written out vertex by vertex, since a range or box cannot leave one out.
        let group = &loaded.pins[k];
        let points = |pin: &PinDesc| -> Vec<[f64; 3]> {
            if pin.at.len() == group.len() {
                pin.at.clone()
            } else {
                group.iter().map(|&v| rest.get(v as usize).copied().unwrap_or_default().into()).collect()
            }
        };
        let all = points(&pin);
        let (vertices, at): (Vec<u32>, Vec<[f64; 3]>) =
            group.iter().copied().zip(all).filter(|(v, _)| *v != vertex).unzip();
        if !vertices.is_empty() {
            let at = if pin.at.is_empty() { vec![] } else { at };
            kept.push(PinDesc { select: SelectDesc::of(vertices), at, ..pin });
        }
    }
    object.pins = kept;
    false
}

/// Click pins share one group, so that a scene with many of them stays readable.
fn add_click_pin(object: &mut ObjectDesc, vertex: u32, at: Vec3) {
    let ours = |pin: &&mut PinDesc| {
        let only = SelectDesc::of(pin.select.vertices.clone());
        let plain = pin.release.is_none() && pin.path.is_empty() && pin.weight == CLICK_WEIGHT;
        plain && pin.select == only && pin.at.len() == pin.select.vertices.len()
    };
    match object.pins.iter_mut().find(ours) {
        Some(pin) => {
            // Points belong to vertices in ascending order.
            let place = pin.select.vertices.partition_point(|&v| v < vertex);
            pin.select.vertices.insert(place, vertex);
            pin.at.insert(place, at.into());
        }
        None => object.pins.push(PinDesc {
            select: SelectDesc::of(vec![vertex]),
            weight: CLICK_WEIGHT,
            release: None,
            path: vec![],
            at: vec![at.into()],
        }),
    }
}

/// Makes a group of these vertices (own numbers), or replaces the one of that name.
pub fn set_group(object: &mut ObjectDesc, name: &str, mut vertices: Vec<u32>, weight: Option<f64>) {
    vertices.sort_unstable();
    vertices.dedup();
    if vertices.is_empty() {
        object.groups.retain(|group| group.name != name);
        return;
    }
    match object.groups.iter_mut().find(|group| group.name == name) {
        Some(group) => {
            *group =
                GroupDesc { name: name.to_owned(), vertices, weight, mass: group.mass, ..Default::default() }
        }
        None => {
            object.groups.push(GroupDesc { name: name.to_owned(), vertices, weight, ..Default::default() })
        }
    }
}

/// Paints vertices (own numbers) with a factor on the weights: they go into the group of that factor and leave those of
/// other painted factors. A factor of 1 takes the paint away.
pub fn paint(object: &mut ObjectDesc, vertices: &[u32], factor: f64) {
    let name = |factor: f64| format!("painted x{factor}");
    for group in &mut object.groups {
        if group.name.starts_with("painted x") && group.name != name(factor) {
            group.vertices.retain(|v| !vertices.contains(v));
        }
    }
    object.groups.retain(|group| !(group.name.starts_with("painted x") && group.vertices.is_empty()));
    if factor != 1.0 {
        let old = object.groups.iter().find(|group| group.name == name(factor));
        let mut all = old.map_or_else(Vec::new, |group| group.vertices.clone());
        all.extend_from_slice(vertices);
        set_group(object, &name(factor), all, Some(factor));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;
    use pd_sim::scene::{Scene, read_desc};

    fn scene(desc: SceneDesc) -> Scene {
        Scene::from_desc("edited", desc, None, &ModelPaths::default()).unwrap()
    }

    fn loaded(scene: &Scene, index: usize) -> LoadedObject {
        let object = &scene.objects[index];
        LoadedObject {
            name: object.name.clone(),
            range: object.range(),
            solid: object.is_solid(),
            elements: object.mesh.element_count(),
            mass: 1.0,
            pins: object.pins().to_vec(),
            groups: vec![],
        }
    }

    #[test]
    fn everything_that_can_be_added_is_a_scene() {
        let mut desc = read_desc("cloth").unwrap().0;
        desc.objects.clear();
        for (name, shape, solid) in shapes() {
            for _ in 0..2 {
                let index = add_object(&mut desc, body(name, shape.clone(), solid));
                assert_eq!(scene(desc.clone()).objects[index].is_solid(), solid, "{name}");
            }
        }
        desc.colliders = obstacles();
        let built = scene(desc);
        assert_eq!((built.objects.len(), built.colliders().unwrap().len()), (18, 4));
    }

    #[test]
    fn a_motion_of_a_body_moves_its_rest_shape_alike() {
        let mut desc = read_desc("cloth-pair").unwrap().0;
        desc.objects[1].rotate = Some(RotateDesc { axis: [1.0, 0.0, 1.0], degrees: 30.0 });
        desc.objects[1].scale = Some(0.7);
        let before = scene(desc.clone()).rest();
        let motion = Motion {
            about: Vec3::new(0.3, -0.2, 0.9),
            turn: Rotation3::from_euler_angles(0.4, -1.2, 2.0),
            grow: 1.6,
            by: Vec3::new(1.0, 2.0, -3.0),
        };
        move_object(&mut desc.objects[1], &motion);
        let after = scene(desc).rest();
        assert_eq!(before[..441], after[..441]);
        for v in 441..882 {
            assert!((after[v] - motion.apply(before[v])).norm() < 1e-12, "vertex {v}");
        }
    }

    #[test]
    fn pins_toggle_whatever_way_they_were_given() {
        let mut desc = read_desc("tubes").unwrap().0; // pins by ranges
        let before = scene(desc.clone()).model(0.0).unwrap().pinned().len();
        let built = scene(desc.clone());
        let body = loaded(&built, 0);
        let rest = built.rest();
        let pinned = body.pins[0][3];
        let free = (0..).find(|v| !body.pins.iter().flatten().any(|p| p == v)).unwrap();
        assert!(!toggle_pin(&mut desc.objects[0], &body, pinned, Vec3::zeros(), &rest));
        assert_eq!(scene(desc.clone()).model(0.0).unwrap().pinned().len(), before - 1);
        let body = loaded(&scene(desc.clone()), 0);
        assert!(toggle_pin(&mut desc.objects[0], &body, free, Vec3::new(0.1, 0.2, 0.3), &rest));
        let body = loaded(&scene(desc.clone()), 0);
        assert!(toggle_pin(&mut desc.objects[0], &body, pinned, Vec3::new(1.0, 2.0, 3.0), &rest));
        let last = desc.objects[0].pins.last().unwrap().clone();
        let mut expected = [(free, [0.1, 0.2, 0.3]), (pinned, [1.0, 2.0, 3.0])];
        expected.sort_by_key(|(v, _)| *v);
        assert_eq!(last.select.vertices, expected.map(|(v, _)| v), "click pins share a group");
        assert_eq!(last.at, expected.map(|(_, at)| at), "points follow their vertices");
        assert_eq!(scene(desc).model(0.0).unwrap().pinned().len(), before + 1);
    }

    #[test]
    fn removing_and_renaming_keep_forces_consistent() {
        let mut desc = read_desc("cloth-pair-wind").unwrap().0;
        let name = desc.objects[0].name.clone();
        let push = ForceDesc::Push {
            object: name,
            select: SelectDesc::of(vec![1]),
            force: [0.0; 3],
            from: 0.0,
            to: 1.0,
        };
        desc.forces.push(push);
        assert!(rename_object(&mut desc, 0, "flag"));
        scene(desc.clone());
        let other = desc.objects[1].name.clone();
        assert!(!rename_object(&mut desc, 0, &other) && !rename_object(&mut desc, 0, ""));
        remove_object(&mut desc, 0);
        scene(desc.clone());
        assert!(!desc.forces.iter().any(|force| matches!(force, ForceDesc::Push { .. })));
        let copy = duplicate_object(&mut desc, 0).unwrap();
        scene(desc.clone());
        assert_ne!(desc.objects[copy].name, desc.objects[0].name);
    }

    #[test]
    fn painting_moves_vertices_between_factors_and_one_takes_it_away() {
        let mut object = read_desc("cloth").unwrap().0.objects.remove(0);
        paint(&mut object, &[3, 1, 2], 4.0);
        paint(&mut object, &[2, 5], 0.5);
        assert_eq!(object.groups[0].vertices, [1, 3]);
        assert_eq!((object.groups[1].vertices.as_slice(), object.groups[1].weight), (&[2, 5][..], Some(0.5)));
        paint(&mut object, &[1, 3, 5], 1.0);
        assert_eq!(object.groups.len(), 1);
        assert_eq!(object.groups[0].vertices, [2]);
        set_group(&mut object, "corner", vec![9, 9, 4], None);
        assert_eq!(object.groups[1].vertices, [4, 9]);
    }
}
