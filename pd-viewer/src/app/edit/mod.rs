//! Changes of a description: pure functions, each one gesture of the window.

mod files;
mod groups;
mod motion;
mod pins;

pub use files::keep_files;
pub use groups::{paint, set_group};
pub use motion::{Motion, move_object, move_obstacle};
pub use pins::toggle_pin;

use pd_core::Vec3;
use pd_sim::scene::SceneDesc;
use pd_sim::scene::desc::{
    ColliderDesc, ColliderShapeDesc, ForceDesc, ObjectDesc, ShapeDesc, SpringDesc, StartDesc, StrainDesc,
};

/// A name like `wanted` that is not used by an object.
pub fn free_name(desc: &SceneDesc, wanted: &str) -> String {
    let taken = |name: &str| desc.objects.iter().any(|object| object.name == name);
    if !taken(wanted) && !wanted.is_empty() {
        return wanted.to_owned();
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end();
    let stem = if stem.is_empty() { "object" } else { stem };
    (2..).map(|k| format!("{stem} {k}")).find(|name| !taken(name)).unwrap_or_default()
}

/// A body of this shape with suitable constraints.
pub fn body(name: &str, shape: ShapeDesc, solid: bool) -> ObjectDesc {
    let mut object = ObjectDesc::new(name, shape);
    if solid {
        object.tet = Some(StrainDesc { weight: 5000.0, min: 0.95, max: 1.05 });
    } else {
        object.edge = Some(SpringDesc::new(100.0));
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
    let centre = [0.0, -0.5, 0.0];
    let shapes = [
        ColliderShapeDesc::Floor { height: -1.0 },
        ColliderShapeDesc::Sphere { centre, radius: 0.3 },
        ColliderShapeDesc::Block { centre, half_extents: [0.3, 0.15, 0.3] },
        ColliderShapeDesc::Torus { centre, major_radius: 0.4, minor_radius: 0.12 },
    ];
    shapes.map(ColliderDesc::from).into()
}

/// Adds a body with a unique name beside the others; returns its index. If it overlaps another one, the two pass through
/// each other until they have separated.
pub fn add_object(desc: &mut SceneDesc, mut object: ObjectDesc) -> usize {
    object.name = free_name(desc, &object.name);
    if desc.contact.start == StartDesc::Refuse {
        desc.contact.start = StartDesc::Ignore;
    }
    desc.objects.push(object);
    desc.objects.len() - 1
}

/// Removes a body and the forces that refer only to it.
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
    // Wind is invalid in a scene of only solids, so it is removed with the last cloth.
    if desc.objects.iter().all(solids) {
        desc.forces.retain(|force| matches!(force, ForceDesc::Push { .. }));
    }
}

/// Copies a body next to itself; returns the index of the copy.
pub fn duplicate_object(desc: &mut SceneDesc, index: usize) -> Option<usize> {
    let mut copy = desc.objects.get(index)?.clone();
    let step = Vec3::new(0.25, 0.25, 0.0);
    shift(&mut copy, step);
    Some(add_object(desc, copy))
}

/// Renames a body and all references to it; rejects an empty or duplicate name.
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

/// Copies an obstacle next to itself; returns the index of the copy.
pub fn duplicate_obstacle(desc: &mut SceneDesc, index: usize) -> Option<usize> {
    let mut copy = desc.colliders.get(index)?.clone();
    let [x, y, z] = copy.centre();
    copy.set_centre([x + 0.25, y + 0.25, z]);
    copy.name = copy.name.map(|name| format!("{name} copy"));
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

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;
    use pd_sim::scene::desc::SelectDesc;
    use pd_sim::scene::{Scene, read_desc};

    fn scene(desc: SceneDesc) -> Scene {
        Scene::from_desc("edited", desc, None, &ModelPaths::default()).unwrap()
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
        // With contact by guard the block would be triangles of the model.
        desc.contact.mode = Some(pd_sim::scene::desc::ContactMode::Project);
        let built = scene(desc);
        assert_eq!((built.objects.len(), built.colliders().unwrap().len()), (18, 4));
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
}
