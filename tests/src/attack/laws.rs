//! Laws that hold for any scene.

use super::draft::{Draft, table};
use pd_core::{State, Vec3};
use pd_sim::audit::Audit;
use pd_sim::scene::{Matter, Scene, SceneRun};
use pd_sim::{Checkpoint, Registry};
use std::collections::BTreeMap;
use toml::Value;

/// Why a law does not hold.
pub type Broken = String;

/// A law and its test.
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// Tests it on a scene.
    pub test: fn(&Draft) -> Result<(), Broken>,
}

/// All laws.
pub const LAWS: &[Law] = &[
    Law { name: "runs, and its audit is good", test: audited },
    Law { name: "resumed and on other threads: the same bits", test: resumed },
    Law { name: "alone or in company of something far: the same bits", test: in_company },
    Law { name: "the order of things does not matter", test: reordered },
    Law { name: "a scene turned by half a turn turns the result", test: turned },
    Law { name: "a mirrored scene mirrors the result", test: mirrored },
    Law { name: "half the step halves the error", test: halved },
];

/// Distance within which results are the same to rounding, m: rounding of 1e-16 grows in contact, thousandfold a frame at worst.
const ROUNDING: f64 = 1e-6;

/// Where everything is, by the name of its thing.
type Places = BTreeMap<String, Vec<Vec3>>;

fn fresh(scene: Scene) -> Result<SceneRun, Broken> {
    SceneRun::new(scene, &Registry::standard()).map_err(|error| format!("does not start: {error}"))
}

fn build(draft: &Draft) -> Result<Scene, Broken> {
    draft.build().map_err(|error| format!("is no scene: {error}"))
}

fn advance(run: &mut SceneRun, frames: usize) -> Result<(), Broken> {
    for _ in 0..frames {
        let frame = run.frame();
        run.advance().map_err(|error| format!("stops after frame {frame}: {error}"))?;
    }
    Ok(())
}

fn run(draft: &Draft) -> Result<Places, Broken> {
    let mut run = fresh(build(draft)?)?;
    advance(&mut run, draft.frames())?;
    Ok(places(&run.scene, &run.sim.state))
}

/// Whether a scene runs at all: what a law compares with. That it does not is for the first law to say.
fn first(draft: &Draft) -> Option<Places> {
    run(draft).ok()
}

fn places(scene: &Scene, state: &State) -> Places {
    let mut all = Places::new();
    for object in &scene.objects {
        all.insert(object.name.clone(), state.x[object.range()].to_vec());
    }
    if let Some(rigid) = scene.matter.rigid() {
        for (name, p) in rigid.names.iter().zip(&state.bodies.p) {
            all.insert(name.clone(), vec![*p]);
        }
    }
    let (particles, first, grid) = match &scene.matter {
        Matter::Particles(model) => (Some(model.clone()), 0, None),
        Matter::Grid(grid) => (None, 0, Some(grid)),
        Matter::Mixed(mixed) => (mixed.particles.clone(), mixed.elastic, mixed.grid.as_ref()),
        _ => (None, 0, None),
    };
    let points = particles.as_ref().map_or(0, |model| model.len());
    if let Some(model) = &particles {
        for set in model.sets() {
            let range = set.range.start + first..set.range.end + first;
            all.insert(set.name.clone(), state.x[range].to_vec());
        }
    }
    if let Some(grid) = grid {
        for (material, desc) in grid.model.materials().iter().zip(&scene.desc.fluids) {
            let start = first + points;
            let range = material.points.start + start..material.points.end + start;
            all.insert(desc.name.clone(), state.x[range].to_vec());
        }
    }
    all
}

/// The thing that differs most between two results, after `map` of the first, and by how much.
fn farthest(a: &Places, b: &Places, map: impl Fn(&Vec3) -> Vec3) -> (String, f64) {
    let mut worst = (String::new(), 0.0);
    for (name, x) in a {
        let Some(y) = b.get(name).filter(|y| y.len() == x.len()) else { continue };
        for (x, y) in x.iter().zip(y) {
            let way = (map(x) - y).norm();
            if way > worst.1 || way.is_nan() {
                worst = (name.clone(), way);
            }
        }
    }
    worst
}

fn audited(draft: &Draft) -> Result<(), Broken> {
    let mut run = fresh(build(draft)?)?;
    let mut audit = Audit::new(&run, true).map_err(|error| format!("cannot be audited: {error}"))?;
    for _ in 0..draft.frames() {
        let frame = run.frame();
        let report = run.advance().map_err(|error| format!("stops after frame {frame}: {error}"))?;
        audit.observe(&run, &report).map_err(|error| format!("cannot be audited: {error}"))?;
    }
    let report = audit.report(&run);
    if report.is_good() { Ok(()) } else { Err(report.line()) }
}

fn resumed(draft: &Draft) -> Result<(), Broken> {
    let Ok(scene) = build(draft) else { return Ok(()) };
    let Ok(mut whole) = fresh(scene) else { return Ok(()) };
    let half = draft.frames() / 2;
    if advance(&mut whole, half).is_err() {
        return Ok(());
    }
    let bytes = whole.checkpoint().to_bytes();
    if advance(&mut whole, draft.frames() - half).is_err() {
        return Ok(());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().map_err(|error| error.to_string())?;
    let hash = pool.install(|| {
        let scene = build(draft)?;
        let stepper = Registry::standard().for_scene(&scene).map_err(|error| error.to_string())?;
        let checkpoint = Checkpoint::from_bytes(&bytes)?;
        let mut run = SceneRun::resume(scene, stepper, checkpoint).map_err(|error| error.to_string())?;
        advance(&mut run, draft.frames() - half)?;
        Ok::<u64, Broken>(run.sim.state.hash())
    })?;
    if hash == whole.sim.state.hash() {
        return Ok(());
    }
    let mut again = fresh(build(draft)?)?;
    pool.install(|| advance(&mut again, draft.frames()))?;
    let threads = again.sim.state.hash() != whole.sim.state.hash();
    let what =
        if threads { "three threads give other bits than all" } else { "a resumed run gives other bits" };
    Err(format!("{what} (checkpoint after frame {half})"))
}

/// A thing of a kind that the scene does not have, far from all.
fn far(draft: &Draft) -> Vec<(&'static str, Value)> {
    let things = [
        (
            "object",
            "name = \"far\"\nshape = { kind = \"grid\", rows = 2, columns = 2, width = 0.5, depth = 0.5 }\n\
          translate = [80.0, 30.0, 0.0]\nmass = { total = 0.1 }\nedge = { weight = 100.0 }",
        ),
        ("body", "name = \"far\"\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [80.0, 30.0, 0.0]"),
        (
            "particles",
            "name = \"far\"\nkind = \"grains\"\ncount = [2, 1, 1]\nradius = 0.05\nmass = 0.1\nposition = [80.0, 30.0, 0.0]",
        ),
    ];
    let kinds = draft.kinds();
    let missing = things.iter().filter(|(kind, _)| !kinds.contains(kind));
    missing.map(|(kind, text)| (*kind, Value::Table(table(text)))).collect()
}

fn in_company(draft: &Draft) -> Result<(), Broken> {
    // A scene of one kind takes no coupling steps: with one a step it is the same scene in company.
    let mut alone = draft.clone();
    if draft.kinds().len() == 1 {
        alone.0.insert("coupling".into(), table("substeps = 1").into());
    }
    if alone.0.get("contact").is_none() && !alone.list("object").is_empty() {
        alone.0.insert("contact".into(), table("mode = \"project\"").into());
    }
    let Some(a) = first(&alone) else { return Ok(()) };
    for (kind, thing) in far(&alone) {
        let mut company = alone.clone();
        company.list_mut(kind).push(thing);
        if kind == "object" && company.0.get("contact").is_none() {
            company.0.insert("contact".into(), table("mode = \"project\"").into());
        }
        let b = run(&company).map_err(|why| format!("with a far {kind}: {why}"))?;
        let (name, way) = farthest(&a, &b, |x| *x);
        if way != 0.0 {
            return Err(format!("with a far {kind}, {name:?} is {way:.2e} m elsewhere"));
        }
    }
    Ok(())
}

fn reordered(draft: &Draft) -> Result<(), Broken> {
    let Some(a) = first(draft) else { return Ok(()) };
    let mut other = draft.clone();
    super::draft::LISTS.iter().filter(|list| draft.list(list).len() > 1).for_each(|list| {
        other.list_mut(list).reverse();
    });
    if other == *draft {
        return Ok(());
    }
    let b = run(&other).map_err(|why| format!("in the other order: {why}"))?;
    same(&a, &b, |x| *x, "in the other order")
}

fn same(a: &Places, b: &Places, map: impl Fn(&Vec3) -> Vec3, how: &str) -> Result<(), Broken> {
    let (name, way) = farthest(a, b, map);
    if way <= ROUNDING { Ok(()) } else { Err(format!("{how}, {name:?} is {way:.2e} m elsewhere")) }
}

/// Changes the sign of axes of every vector, and of angles about y.
fn reflected(draft: &Draft, signs: [f64; 3]) -> Draft {
    let mirror = signs.iter().product::<f64>() < 0.0;
    let mut other = draft.clone();
    let apply = |value: &mut Value, signs: [f64; 3]| {
        for (x, sign) in value.as_array_mut().into_iter().flatten().zip(signs) {
            if let Some(number) = x.as_float() {
                *x = Value::Float(number * sign);
            }
        }
    };
    let axial = signs.map(|sign| if mirror { -sign } else { sign });
    for (list, table) in other.tables_mut() {
        for key in ["translate", "position", "velocity", "centre", "from", "to"] {
            if let Some(value) = table.get_mut(key) {
                apply(value, signs);
            }
        }
        if let Some(value) = table.get_mut("angular-velocity") {
            apply(value, axial);
        }
        if list == "fluid" {
            let [mut min, mut max] = ["min", "max"].map(|key| table.get(key).cloned());
            for axis in (0..3).filter(|&axis| signs[axis] < 0.0) {
                let at =
                    |value: &Option<Value>| value.as_ref().and_then(|v| v[axis].as_float()).unwrap_or(0.0);
                let (low, high) = (at(&min), at(&max));
                if let (Some(min), Some(max)) = (&mut min, &mut max) {
                    (min[axis], max[axis]) = (Value::Float(-high), Value::Float(-low));
                }
            }
            min.into_iter().for_each(|min| drop(table.insert("min".into(), min)));
            max.into_iter().for_each(|max| drop(table.insert("max".into(), max)));
        }
        let degrees = table.get("rotate").and_then(|rotate| rotate["degrees"].as_float());
        let turned = list == "object" || list == "body";
        if mirror {
            if let (Some(degrees), Some(rotate)) = (degrees, table.get_mut("rotate")) {
                rotate["degrees"] = Value::Float(-degrees);
            }
        } else if turned {
            let degrees = degrees.unwrap_or(0.0) + 180.0;
            let text = format!("rotate = {{ axis = [0, 1, 0], degrees = {degrees:?} }}");
            table.extend(super::draft::table(&text));
        }
    }
    other
}

fn turned(draft: &Draft) -> Result<(), Broken> {
    // A block of points of a grid keeps its numbers, so that its points are others after half a turn.
    if !draft.list("fluid").is_empty() || draft.list("particles").iter().any(|p| p.get("rolling").is_some()) {
        return Ok(());
    }
    let Some(a) = first(draft) else { return Ok(()) };
    let b = run(&reflected(draft, [-1.0, 1.0, -1.0])).map_err(|why| format!("turned: {why}"))?;
    let single = |places: Places| {
        let keep = draft.list("particles").iter().filter_map(|p| p["name"].as_str()).collect::<Vec<_>>();
        places.into_iter().filter(|(name, _)| !keep.contains(&name.as_str())).collect::<Places>()
    };
    same(&single(a), &single(b), |x| Vec3::new(-x.x, x.y, -x.z), "turned by half a turn")
}

fn mirrored(draft: &Draft) -> Result<(), Broken> {
    // The triangles and tetrahedra of a mesh are not symmetric, nor is the numbering of a block.
    if !draft.list("object").is_empty()
        || !draft.list("fluid").is_empty()
        || !draft.list("particles").is_empty()
    {
        return Ok(());
    }
    let Some(a) = first(draft) else { return Ok(()) };
    let b = run(&reflected(draft, [-1.0, 1.0, 1.0])).map_err(|why| format!("mirrored: {why}"))?;
    same(&a, &b, |x| Vec3::new(-x.x, x.y, x.z), "mirrored")
}

/// Of smooth scenes alone: one thing that meets nothing.
fn halved(draft: &Draft) -> Result<(), Broken> {
    let things: usize = super::draft::LISTS[..4].iter().map(|list| draft.list(list).len()).sum();
    if things != 1 || draft.list("particles").iter().chain(draft.list("fluid")).next().is_some() {
        return Ok(());
    }
    let with = |substeps: i64| {
        let mut other = draft.clone();
        other.0.remove("collider");
        if let Some(step) = other.0.get_mut("step").and_then(Value::as_table_mut) {
            step.insert("substeps".into(), Value::Integer(substeps));
            step.insert("iterations".into(), Value::Integer(200));
            step.insert("dt".into(), Value::Float(1.0 / 240.0));
        }
        first(&other)
    };
    let (Some(a), Some(b), Some(c)) = (with(2), with(4), with(8)) else { return Ok(()) };
    let ((_, coarse), (name, fine)) = (farthest(&a, &b, |x| *x), farthest(&b, &c, |x| *x));
    if fine < 1e-7 || fine <= 0.75 * coarse {
        return Ok(());
    }
    Err(format!("half the step moves {name:?} by {coarse:.2e} m, a quarter by {fine:.2e} m more"))
}
