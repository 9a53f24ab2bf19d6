//! A random scene: things of all kinds, each in a place of its own, over a floor and obstacles.

use super::draft::{Draft, table};
use crate::Random;
use toml::Value;

/// Side of the place of a thing, m: near enough for things to meet within the frames of a scene.
const PLACE: f64 = 0.5;

/// The scene of a seed.
pub fn scene(seed: u64) -> Draft {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(17));
    let r = &mut random;
    let mut draft = Draft(table(&format!("title = \"attack {seed}\"\nframes = {}\n", 8 + r.below(17))));
    let dt = pick(r, &[1.0 / 120.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 60.0, 1.0 / 30.0]);
    let step = format!("dt = {dt}\nsubsteps = {}\niterations = {}", 1 + r.below(3), 6 + r.below(15));
    draft.0.insert("step".into(), table(&step).into());
    draft.0.insert("coupling".into(), table(&format!("substeps = {}", 2 + r.below(11))).into());
    let contact = pick(r, &["guard", "guard", "project"]);
    let mut places: Vec<[f64; 3]> = vec![];
    for x in [-1.0, 0.0, 1.0] {
        for z in [-1.0, 0.0, 1.0] {
            for y in [0.6, 1.6] {
                places.push([x * PLACE, y * PLACE, z * PLACE]);
            }
        }
    }
    for k in 0..1 + r.below(5) {
        let place = places.swap_remove(r.below(places.len()));
        let (list, text) = match r.below(9) {
            0..=1 => ("object", cloth(r, k, place)),
            2 => ("object", solid(r, k, place)),
            3..=5 => ("body", body(r, k, place)),
            6..=7 => ("particles", grains(r, k, place)),
            _ if draft.list("fluid").is_empty() => ("fluid", fluid(r, k, place)),
            _ => continue,
        };
        draft.list_mut(list).push(Value::Table(table(&text)));
    }
    if draft.kinds().is_empty() {
        draft.list_mut("body").push(Value::Table(table(&body(r, 0, [0.0, PLACE, 0.0]))));
    }
    if !draft.list("object").is_empty() {
        draft.0.insert("contact".into(), table(&format!("mode = \"{contact}\"")).into());
    }
    if !draft.list("fluid").is_empty() {
        let grid = "dx = 0.08\nmin = [-2.0, -0.4, -2.0]\ncells = [50, 36, 50]";
        draft.0.insert("grid".into(), table(grid).into());
    }
    if r.below(5) > 0 {
        draft.list_mut("collider").push(Value::Table(table("kind = \"floor\"\nheight = 0.0")));
    }
    for k in 0..r.below(3) {
        let text = obstacle(r, k);
        draft.list_mut("collider").push(Value::Table(table(&text)));
    }
    draft
}

fn pick<T: Copy>(r: &mut Random, of: &[T]) -> T {
    of[r.below(of.len())]
}

/// 10 to a power that is uniform between two.
fn ten(r: &mut Random, low: f64, high: f64) -> f64 {
    let value = 10f64.powf(r.within(low, high));
    format!("{value:.2e}").parse().unwrap_or(value)
}

fn short(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn turn(r: &mut Random) -> String {
    format!("rotate = {{ axis = [0, 1, 0], degrees = {} }}", short(r.within(0.0, 90.0)))
}

fn triple(values: [f64; 3]) -> String {
    format!("[{:?}, {:?}, {:?}]", values[0], values[1], values[2])
}

fn velocity(r: &mut Random) -> String {
    let size = pick(r, &[0.0, 0.0, 0.5, 3.0, 8.0]);
    let v = r.vector(size);
    triple([short(v.x), short(v.y), short(v.z)])
}

fn cloth(r: &mut Random, k: usize, at: [f64; 3]) -> String {
    let (rows, columns) = (3 + r.below(6), 3 + r.below(6));
    let size = short(r.within(0.2, 0.48));
    let pin = if r.below(3) == 0 {
        format!("\npin = [{{ select = {{ vertices = [0, {columns}] }}, weight = {:?} }}]", ten(r, 2.0, 6.0))
    } else {
        String::new()
    };
    let bending = if r.below(2) == 0 {
        format!("\nbending = {{ weight = {:?} }}", ten(r, -5.0, -2.0))
    } else {
        String::new()
    };
    format!(
        "name = \"cloth{k}\"\nshape = {{ kind = \"grid\", rows = {rows}, columns = {columns}, width = {size:?}, depth = {size:?} }}\n\
         {}\ntranslate = {}\nmass = {{ total = {:?} }}\nedge = {{ weight = {:?} }}{bending}{pin}",
        turn(r),
        triple(at),
        ten(r, -3.0, 2.0),
        ten(r, 1.0, 5.0)
    )
}

fn solid(r: &mut Random, k: usize, at: [f64; 3]) -> String {
    let shape = if r.below(2) == 0 {
        let length = short(r.within(0.1, 0.22));
        format!(
            "{{ kind = \"bar\", width = {}, height = 2, depth = 2, length = {length:?} }}",
            2 + r.below(3)
        )
    } else {
        format!(
            "{{ kind = \"ball\", cells = {}, radius = {:?} }}",
            2 + r.below(2),
            short(r.within(0.1, 0.23))
        )
    };
    let law = pick(r, &["corotated", "neo-hookean"]);
    format!(
        "name = \"solid{k}\"\nshape = {shape}\n{}\ntranslate = {}\n\
         material = {{ young = {:?}, poisson = {:?}, density = {:?}, law = \"{law}\" }}",
        turn(r),
        triple(at),
        ten(r, 3.5, 7.0),
        short(r.within(0.1, 0.45)),
        ten(r, 2.0, 4.0)
    )
}

fn body(r: &mut Random, k: usize, at: [f64; 3]) -> String {
    let size = |r: &mut Random| short(r.within(0.02, 0.11));
    let shape = match r.below(4) {
        0 => format!("{{ kind = \"sphere\", radius = {:?} }}", size(r)),
        1 => format!("{{ kind = \"capsule\", half-length = {:?}, radius = {:?} }}", size(r), size(r)),
        2 => format!("{{ kind = \"cylinder\", half-height = {:?}, radius = {:?} }}", size(r), size(r)),
        _ => format!("{{ kind = \"box\", half-extents = {} }}", triple([size(r), size(r), size(r)])),
    };
    let spin = pick(r, &[0.0, 0.0, 4.0]);
    let w = r.vector(spin);
    format!(
        "name = \"body{k}\"\nshape = {shape}\n{}\nposition = {}\nvelocity = {}\nangular-velocity = {}\nmass = {:?}\n\
         friction = {:?}\nrestitution = {:?}",
        turn(r),
        triple(at),
        velocity(r),
        triple([short(w.x), short(w.y), short(w.z)]),
        ten(r, -3.0, 3.0),
        short(r.within(0.0, 1.0)),
        pick(r, &[0.0, 0.0, 0.5])
    )
}

fn grains(r: &mut Random, k: usize, at: [f64; 3]) -> String {
    let count = [1 + r.below(5), 1 + r.below(5), 1 + r.below(5)];
    let rolling = if r.below(4) == 0 { "\nrolling = 0.1" } else { "" };
    format!(
        "name = \"grains{k}\"\nkind = \"grains\"\ncount = {count:?}\nradius = {:?}\nmass = {:?}\nposition = {}\nvelocity = {}\n\
         friction = {:?}{rolling}",
        short(r.within(0.01, 0.045)),
        ten(r, -3.0, 2.0),
        triple(at),
        velocity(r),
        short(r.within(0.0, 0.8))
    )
}

fn fluid(r: &mut Random, k: usize, at: [f64; 3]) -> String {
    let half = short(r.within(0.1, 0.23));
    let law = match r.below(3) {
        0 => "{ kind = \"water\", sound-speed = 20.0 }".to_owned(),
        1 => "{ kind = \"sand\", density = 1600.0, young = 1e5, friction-angle = 30.0 }".to_owned(),
        _ => format!("{{ kind = \"elastic\", young = {:?}, poisson = 0.3 }}", ten(r, 3.5, 5.5)),
    };
    let [min, max] = [-half, half].map(|h| triple(at.map(|x| short(x + h))));
    format!("name = \"fluid{k}\"\nlaw = {law}\nmin = {min}\nmax = {max}")
}

fn obstacle(r: &mut Random, k: usize) -> String {
    let (x, z) = (short(r.within(-1.0, 1.0)), short(r.within(-1.0, 1.0)));
    let radius = short(r.within(0.1, 0.3));
    let shape = match r.below(4) {
        0 => format!("kind = \"sphere\"\ncentre = [{x:?}, -0.15, {z:?}]\nradius = {radius:?}"),
        1 => format!(
            "kind = \"block\"\ncentre = [{x:?}, -0.15, {z:?}]\nhalf-extents = [{radius:?}, 0.2, {radius:?}]"
        ),
        2 => {
            format!(
                "kind = \"capsule\"\nfrom = [{x:?}, -0.05, {z:?}]\nto = [{z:?}, -0.05, {x:?}]\nradius = 0.1"
            )
        }
        _ => format!(
            "kind = \"cylinder\"\nfrom = [{x:?}, -0.2, {z:?}]\nto = [{x:?}, 0.04, {z:?}]\nradius = {radius:?}"
        ),
    };
    format!("name = \"obstacle{k}\"\n{shape}\nfriction = {:?}", short(r.within(0.0, 1.0)))
}
