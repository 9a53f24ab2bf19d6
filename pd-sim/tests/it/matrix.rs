//! Every coupling with every pair of kinds: it keeps what it promises, or refuses by name.
//!
//! One kind flies at another that nothing holds, without gravity. Whatever the coupling, nothing may get through, and what flies is
//! slowed; `rows` and `staggered` keep momentum to rounding (not with the pressure solver), `admm-ipc` to its tolerance, and with `one-way` the heavier kind feels nothing.

use pd_core::{Real, Vec3};
use pd_sim::scene::{Matter, Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

const SCHEMES: [&str; 4] = ["rows", "staggered", "one-way", "admm-ipc"];

const STEP: &str = r#"
title = "two kinds"
[step]
gravity = [0.0, 0.0, 0.0]
"#;

/// For deformable bodies that their own stepper moves.
const OWN: &str = "iterations = 3\n[solver]\nglobal = \"cholesky\"\n";

/// Upper faces at a height of zero; heavy, so that `staggered` takes them.
const HELD: [(&str, &str); 4] = [
    (
        "cloth",
        r#"
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 8, columns = 8, width = 0.4, depth = 0.4 }
mass = { density = 90.0 }
edge = { weight = 2000.0 }
thickness = 0.02
"#,
    ),
    (
        "st-venant-kirchhoff",
        r#"
[[object]]
name = "block"
shape = { kind = "bar", width = 2, height = 2, depth = 2, length = 0.3 }
translate = [0.0, -0.15, 0.0]
material = { young = 1e5, poisson = 0.3, density = 3000, law = "st-venant-kirchhoff" }
thickness = 0.02
"#,
    ),
    (
        "neo-hookean",
        r#"
[[object]]
name = "block"
shape = { kind = "bar", width = 2, height = 2, depth = 2, length = 0.3 }
translate = [0.0, -0.15, 0.0]
material = { young = 1e5, poisson = 0.3, density = 3000, law = "neo-hookean" }
thickness = 0.02
"#,
    ),
    (
        "body",
        r#"
[[body]]
name = "slab"
shape = { kind = "box", half-extents = [0.2, 0.1, 0.2] }
position = [0.0, -0.1, 0.0]
density = 1000
"#,
    ),
];

/// What flies down at them.
const FLYING: [(&str, &str); 6] = [
    (
        "water",
        r#"
[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [-0.075, 0.025, -0.075]
max = [0.075, 0.125, 0.075]
velocity = [0.0, -2.0, 0.0]
"#,
    ),
    (
        "water by pressure",
        r#"
[[fluid]]
name = "water"
law = { kind = "water", sound-speed = 20.0 }
min = [-0.075, 0.025, -0.075]
max = [0.075, 0.125, 0.075]
velocity = [0.0, -2.0, 0.0]
"#,
    ),
    (
        "sand on the grid",
        r#"
[[fluid]]
name = "sand"
law = { kind = "sand", young = 1e6, friction-angle = 35.0 }
min = [-0.075, 0.025, -0.075]
max = [0.075, 0.125, 0.075]
velocity = [0.0, -2.0, 0.0]
"#,
    ),
    (
        "elastic matter on the grid",
        r#"
[[fluid]]
name = "jelly"
law = { kind = "elastic", young = 1e5, poisson = 0.3 }
min = [-0.075, 0.025, -0.075]
max = [0.075, 0.125, 0.075]
velocity = [0.0, -2.0, 0.0]
"#,
    ),
    (
        "grains",
        r#"
[[particles]]
name = "sand"
kind = "grains"
count = [4, 3, 4]
radius = 0.015
mass = 0.02
position = [0.003, 0.07, 0.002]
velocity = [0.0, -2.0, 0.0]
"#,
    ),
    (
        "a box",
        r#"
[[body]]
name = "box"
shape = { kind = "box", half-extents = [0.06, 0.05, 0.06] }
position = [0.01, 0.08, 0.0]
density = 500
velocity = [0.0, -2.0, 0.0]
"#,
    ),
];

const GRID: &str = "[grid]\ndx = 0.05\nmin = [-0.5, -0.5, -0.5]\ncells = [20, 20, 20]\n";

fn text(scheme: &str, flying: (&str, &str), held: &str) -> String {
    let grid = if flying.1.contains("[[fluid]]") { GRID } else { "" };
    let solver = if flying.0.contains("pressure") { "solver = \"pressure\"\n" } else { "" };
    let joint = scheme == "admm-ipc";
    let (substeps, iterations) = if joint { (4, ", iterations = 30") } else { (8, "") };
    let coupling = format!("coupling = {{ scheme = \"{scheme}\", substeps = {substeps}{iterations} }}");
    let own = if held.contains("[[object]]") && !joint { OWN } else { "" };
    format!("{coupling}{STEP}{own}{held}{}{grid}{solver}", flying.1)
}

fn start(text: &str) -> Result<SceneRun, pd_sim::SceneError> {
    let mut run =
        SceneRun::new(Scene::parse("pair.toml", text, None, &ModelPaths::default())?, &Registry::standard())?;
    run.prepare()?;
    Ok(run)
}

/// Momentum along y of vertices, of other points, and of bodies, and the lowest place of each, of bodies their centres.
struct Seen {
    momentum: [Real; 3],
    lowest: [Real; 3],
}

fn see(run: &SceneRun) -> Seen {
    let Matter::Mixed(mixed) = &run.scene.matter else { panic!("two kinds") };
    let mut masses = run.sim.model.masses()[..mixed.elastic].to_vec();
    masses.extend(mixed.particles.iter().flat_map(|model| model.masses()));
    masses.extend(mixed.grid.iter().flat_map(|grid| &grid.masses));
    let (state, n) = (&run.sim.state, mixed.elastic);
    let momentum = |range: std::ops::Range<usize>| range.map(|i| masses[i] * state.v[i].y).sum::<Real>();
    let lowest = |points: &[Vec3]| points.iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
    let bodies = mixed.rigid.as_ref().map_or(0.0, |rigid| rigid.model.momentum(&state.bodies)[0].y);
    Seen {
        momentum: [momentum(0..n), momentum(n..masses.len()), bodies],
        lowest: [lowest(&state.x[..n]), lowest(&state.x[n..]), lowest(&state.bodies.p)],
    }
}

/// Runs a pair and checks what its coupling promises.
fn check(scheme: &str, pair: &str, text: &str, held: usize, flying: usize) {
    let mut run = start(text).unwrap_or_else(|error| panic!("{scheme}, {pair}: {error}"));
    let before = see(&run);
    for _ in 0..3 {
        run.advance().unwrap_or_else(|error| panic!("{scheme}, {pair}: {error}"));
    }
    let after = see(&run);
    let moving = before.momentum[flying];
    assert!(moving < 0.0 && before.momentum[held] == 0.0, "{scheme}, {pair}");
    let kept = after.momentum[flying] / moving;
    if scheme == "one-way" && flying == 2 {
        // Bodies are the heaviest kind: the box flies on and takes the other along.
        assert!(
            (kept - 1.0).abs() < 1e-12 && after.momentum[held] / moving > 0.1,
            "{scheme}, {pair}: {kept}"
        );
        return;
    }
    assert!(kept < 0.9, "{scheme}, {pair}: they did not meet: {kept}");
    let error = (after.momentum.iter().sum::<Real>() / moving - 1.0).abs();
    match scheme {
        "one-way" => assert!(after.momentum[held].abs() < 1e-12, "{pair}: the heavier kind feels something"),
        // The pressure solver does not keep momentum where water hits something.
        _ if pair.contains("pressure") => assert!(error < 0.2, "{scheme}, {pair}: momentum {error:e}"),
        "admm-ipc" => assert!(error < 0.05, "{scheme}, {pair}: momentum {error:e}"),
        _ => assert!(error < 1e-10, "{scheme}, {pair}: momentum {error:e}"),
    }
    // The flying kind has its lowest point (a box: its centre) above the lowest of what it flies at.
    assert!(after.lowest[flying] > after.lowest[held], "{scheme}, {pair}: {:?}", after.lowest);
}

#[test]
fn every_coupling_with_every_pair() {
    for scheme in SCHEMES {
        for flying in FLYING {
            for (held, text_of_held) in HELD {
                let two_bodies = flying.0 == "a box" && held == "body";
                if two_bodies {
                    continue; // one kind: not coupled
                }
                let pair = format!("{} and {held}", flying.0);
                let text = text(scheme, flying, text_of_held);
                let has_bodies = text.contains("[[body]]");
                let one_system = flying.0.contains("pressure") && scheme != "rows";
                if has_bodies && (scheme == "admm-ipc" || one_system) {
                    let error = start(&text).map(|_| ()).unwrap_err().to_string();
                    let named = format!("the scheme \"{scheme}\" does not take rigid bodies");
                    assert!(error.contains(&named), "{pair}: {error}");
                    continue;
                }
                let kind = |name: &str| match name {
                    "a box" | "body" => 2,
                    "cloth" | "st-venant-kirchhoff" | "neo-hookean" => 0,
                    _ => 1,
                };
                check(scheme, &pair, &text, kind(held), kind(flying.0));
            }
        }
    }
}

#[test]
fn staggered_refuses_what_is_too_light_with_both_masses() {
    let light = |held: &str| text("staggered", FLYING[0], held);
    let cloth = start(&light(&HELD[0].1.replace("90.0", "0.4"))).map(|_| ()).unwrap_err().to_string();
    assert!(cloth.contains("\"cloth\"") && cloth.contains("0.4") && cloth.contains("50.0"), "{cloth}");
    // 0.2 m of 100 kg/m³.
    let body = start(&light(&HELD[3].1.replace("1000", "100"))).map(|_| ()).unwrap_err().to_string();
    assert!(body.contains("20") && body.contains("50") && body.contains("`rows`"), "{body}");
}
