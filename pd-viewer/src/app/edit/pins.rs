//! Pins by clicks.

use crate::app::worker::LoadedObject;
use pd_core::Vec3;
use pd_sim::scene::desc::{ObjectDesc, PinDesc, SelectDesc};

/// Weight of a pin made by a click, N/m: stiff enough to hold, without harming the condition of the matrix.
const CLICK_WEIGHT: f64 = 1000.0;

/// Pins a vertex (own number) at its position, or unpins it; returns whether it is pinned now.
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
            turn: None,
            at: vec![at.into()],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;
    use pd_sim::scene::{Scene, SceneDesc, read_desc};

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
}
