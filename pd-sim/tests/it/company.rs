//! What a scene does with matter does not depend on what else is in the scene: obstacles and wind act on each kind as if it were
//! alone.

use pd_core::{Real, Vec3};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

fn run(text: &str) -> SceneRun {
    let scene = Scene::parse("company.toml", text, None, &ModelPaths::default());
    let scene = scene.unwrap_or_else(|error| panic!("{error}\n{text}"));
    SceneRun::new(scene, &Registry::standard()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn advance(run: &mut SceneRun, frames: usize) {
    for _ in 0..frames {
        run.advance().unwrap();
    }
}

const KINDS: [&str; 4] = ["cloth", "body", "grains", "water"];

/// Matter of a kind about (x, 0.3, 0), and the same far away.
fn matter(kind: &str, x: Real) -> String {
    match kind {
        "cloth" => format!(
            "[[object]]\nname = \"cloth{x}\"\nshape = {{ kind = \"grid\", rows = 5, columns = 5, width = 0.4, depth = 0.4 }}\n\
             translate = [{x:?}, 0.27, 0]\nmass = {{ total = 0.1 }}\nedge = {{ weight = 100 }}\nthickness = 0.02\n"
        ),
        "body" => format!(
            "[[body]]\nname = \"box{x}\"\nshape = {{ kind = \"box\", half-extents = [0.1, 0.1, 0.1] }}\n\
             position = [{x:?}, 0.305, 0]\ndensity = 300\n"
        ),
        "grains" => format!(
            "[[particles]]\nname = \"sand{x}\"\nkind = \"grains\"\ncount = [3, 1, 3]\nradius = 0.02\nmass = 0.02\nposition = [{x:?}, 0.225, 0]\n"
        ),
        _ => format!(
            "[grid]\ndx = 0.05\nmin = [{:?}, -1, -0.5]\ncells = [20, 40, 20]\n[[fluid]]\nname = \"water{x}\"\n\
             law = {{ kind = \"water\", sound-speed = 20.0 }}\nmin = [{:?}, 0.2, -0.1]\nmax = [{:?}, 0.3, 0.1]\n",
            x - 0.5,
            x - 0.1,
            x + 0.1
        ),
    }
}

/// Positions of the first matter of a kind.
fn positions(run: &SceneRun, kind: &str) -> Vec<Vec3> {
    let state = &run.sim.state;
    let grains = run.scene.rest().len();
    let material = grains + run.scene.desc.particles.iter().map(|_| 9).sum::<usize>();
    match kind {
        "cloth" => state.x[run.scene.objects[0].range()].to_vec(),
        "body" => vec![state.bodies.p[0], state.bodies.q[0].vector().into()],
        "grains" => state.x[grains..grains + 9].to_vec(),
        _ => state.x[material..].to_vec(),
    }
}

/// A block of thickness under everything, and wind.
const PLACE: &str = "[[collider]]\nkind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [1, 0.2, 1]\n\
                     [[collider]]\nkind = \"floor\"\nheight = -0.5\n";

#[test]
fn matter_far_away_changes_no_bit() {
    for mode in ["project", "guard"] {
        for kind in KINDS {
            let wind =
                if kind == "cloth" { "[[force]]\nkind = \"drag\"\nvelocity = [3, 1, 0]\n" } else { "" };
            let text = |others: &[&str], coupling: &str| {
                let far = |other: &&str| {
                    30.0 + 10.0 * KINDS.iter().position(|known| known == other).unwrap() as Real
                };
                let others = others.iter().map(|other| matter(other, far(other))).collect::<String>();
                let own = matter(kind, 0.0);
                // Keys that nothing would take are errors: contact without cloth, its thickness with projection alone.
                let contact = if format!("{own}{others}").contains("[[object]]") {
                    format!("contact = \"{mode}\"\n")
                } else {
                    String::new()
                };
                let own = if mode == "project" && others.is_empty() {
                    own.replace("thickness = 0.02\n", "")
                } else {
                    own
                };
                format!("title = \"t\"\n{contact}{coupling}{own}{others}{PLACE}{wind}")
            };
            let after = |others: &[&str], coupling: &str| {
                let mut run = run(&text(others, coupling));
                advance(&mut run, 12);
                positions(&run, kind)
            };
            let others: Vec<_> = KINDS.into_iter().filter(|other| *other != kind).collect();
            // Alone a frame is one step; in company as many as the coupling takes.
            let alone = after(&[], "step = { substeps = 1 }\n");
            for other in &others {
                let company = after(&[other], "coupling = { substeps = 1 }\n");
                assert!(alone == company, "{mode}: {kind} with {other}: {} {}", alone[0], company[0]);
            }
            let [one, all] =
                [&others[..1], &others[..]].map(|others| after(others, "coupling = { substeps = 4 }\n"));
            assert!(one == all, "{mode}: {kind} with {others:?}: {} {}", one[0], all[0]);
        }
    }
}

/// Obstacles whose surface is at y = 0.2, flat about the origin or nearly so.
const OBSTACLES: [(&str, &str); 13] = [
    ("floor", "kind = \"floor\"\nheight = 0.2"),
    ("half-space", "kind = \"half-space\"\npoint = [0, 0.2, 0]\nnormal = [0, 1, 0]"),
    ("block", "kind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [2, 0.2, 2]"),
    (
        "moving block",
        "kind = \"block\"\ncentre = [0, 0, 0]\nhalf-extents = [2, 0.2, 2]\nvelocity = [0, 0, 0]",
    ),
    (
        "hull",
        "kind = \"hull\"\npoints = [[-2, 0.2, -2], [2, 0.2, -2], [-2, 0.2, 2], [2, 0.2, 2], [0, -2, 0]]",
    ),
    ("cylinder", "kind = \"cylinder\"\nfrom = [0, -1, 0]\nto = [0, 0.2, 0]\nradius = 2"),
    ("sphere", "kind = \"sphere\"\ncentre = [0, -99.8, 0]\nradius = 100"),
    (
        "sphere with edges",
        "kind = \"sphere\"\ncentre = [0, -99.8, 0]\nradius = 100\nedges = true\ntolerance = 0.5",
    ),
    ("capsule", "kind = \"capsule\"\nfrom = [-9, -99.8, 0]\nto = [9, -99.8, 0]\nradius = 100"),
    (
        "moving capsule",
        "kind = \"capsule\"\nfrom = [-9, -99.8, 0]\nto = [9, -99.8, 0]\nradius = 100\nvelocity = [0, 0, 0]\ntolerance = 0.5",
    ),
    (
        "torus",
        "kind = \"torus\"\ncentre = [-300, -99.8, 0]\nmajor-radius = 300\nminor-radius = 100\ntolerance = 1.0",
    ),
    (
        "height field",
        "kind = \"height-field\"\ncorner = [-2, 0, -2]\nspacing = 2\nheights = [[0.2, 0.2, 0.2], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2]]",
    ),
    (
        "height field that rises",
        "kind = \"height-field\"\ncorner = [-2, 0, -2]\nspacing = 2\nheights = [[0.2, 0.2, 0.2], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2]]\nvelocity = [0, 0, 0]",
    ),
];

/// Rigid bodies, grains and water rest on the surface itself, whatever the contact method of deformable bodies.
#[test]
fn every_kind_rests_on_every_obstacle_in_every_contact_method() {
    for (name, obstacle) in OBSTACLES {
        let off = ["floor", "block"].contains(&name).then_some("off");
        for mode in ["project", "guard"].into_iter().chain(off) {
            // Only surfaces that are kept apart have triangles.
            let triangles = |line: &&str| line.starts_with("edges") || line.starts_with("tolerance");
            let obstacle: Vec<&str> =
                obstacle.lines().filter(|line| mode == "guard" || !triangles(line)).collect();
            let obstacle = obstacle.join("\n");
            let text = format!(
                "title = \"t\"\ncontact = \"{mode}\"\ncoupling = {{ substeps = 4 }}\n{}{}{}{}[[collider]]\n{obstacle}\n",
                matter("cloth", 30.0),
                matter("body", -0.3),
                matter("grains", 0.3),
                matter("water", 0.0),
            );
            let mut run = run(&text);
            advance(&mut run, 12);
            let (body, grains, water) =
                (positions(&run, "body")[0], positions(&run, "grains"), positions(&run, "water"));
            assert!((body.y - 0.3).abs() < 3e-3, "{name}, {mode}: the box is at {}", body.y);
            for grain in grains {
                assert!((grain.y - 0.22).abs() < 3e-3, "{name}, {mode}: a grain is at {}", grain.y);
            }
            let [low, high] = [Real::INFINITY, Real::NEG_INFINITY];
            let low = water.iter().map(|x| x.y).fold(low, Real::min);
            let high = water.iter().map(|x| x.y).fold(high, Real::max);
            assert!(low > 0.2 - 1e-3 && high < 0.35, "{name}, {mode}: water from {low} to {high}");
        }
    }
}

/// So they do on obstacles given as meshes, with the resolution of the distance field.
#[test]
fn every_kind_rests_on_meshes() {
    let table = "[[object]]\nname = \"table\"\nshape = { kind = \"bar\", width = 4, height = 1, depth = 4, length = 1 }\ntranslate = [0, 0.075, 0]\n";
    for way in ["surface", "distance"] {
        for mode in ["project", "guard"] {
            if mode == "project" && way == "surface" {
                continue; // projection knows distances alone
            }
            let met = if mode == "guard" { format!("as = \"{way}\"") } else { String::new() };
            let text = format!(
                "title = \"t\"\ncontact = \"{mode}\"\ncoupling = {{ substeps = 4 }}\n{table}obstacle = {{ {met} }}\n{}{}{}",
                matter("body", -0.3),
                matter("grains", 0.3),
                matter("water", 0.0),
            );
            let mut run = run(&text);
            assert!((run.scene.rest().iter().map(|x| x.y).fold(0.0, Real::max) - 0.2).abs() < 1e-12);
            advance(&mut run, 12);
            let (body, grains, water) =
                (positions(&run, "body")[0], positions(&run, "grains"), positions(&run, "water"));
            assert!((body.y - 0.3).abs() < 3e-3, "{way}, {mode}: the box is at {}", body.y);
            let lowest = grains.iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
            assert!((lowest - 0.22).abs() < 3e-3, "{way}, {mode}: a grain is at {lowest}");
            let lowest = water.iter().map(|x| x.y).fold(Real::INFINITY, Real::min);
            assert!(lowest > 0.2 - 3e-3, "{way}, {mode}: water at {lowest}");
        }
    }
}

/// The method of contact of deformable bodies is no part of scenes without them.
#[test]
fn scenes_without_deformable_bodies_have_no_contact_method() {
    for kind in ["body", "grains", "water"] {
        for mode in ["project", "guard", "off"] {
            let text = format!("title = \"t\"\ncontact = \"{mode}\"\n{}{PLACE}", matter(kind, 0.0));
            let error =
                Scene::parse("company.toml", &text, None, &ModelPaths::default()).unwrap_err().to_string();
            assert!(error.contains("contact.mode: is taken by deformable bodies"), "{kind}, {mode}: {error}");
        }
    }
}

/// Wind blows at cloth whatever else is in the scene; a force for more vertices than there are is an error.
#[test]
fn a_force_for_another_number_of_vertices_is_an_error() {
    let mut run = run(&format!(
        "title = \"t\"\n{}[[force]]\nkind = \"drag\"\nvelocity = [3, 1, 0]\n",
        matter("cloth", 0.0)
    ));
    let drag = pd_constraints::WindModel::Drag { density: 1.2, coefficient: 1.2 };
    let wind = pd_constraints::Wind::new(40, &[[0, 1, 39]], Vec3::x(), drag).unwrap();
    run.sim.forces.push(Box::new(wind));
    let before = run.sim.state.hash();
    let error = run.advance().unwrap_err().to_string();
    assert!(error.contains("40 vertices") && error.contains("wind"), "{error}");
    assert_eq!(run.sim.state.hash(), before);
}

/// `damping` slows everything that moves: a second at 1 /s leaves 1/e of the speed, fluids included, alone and in company.
#[test]
fn damping_slows_every_kind() {
    for kind in ["body", "grains", "water", "pressure water"] {
        for company in [false, true] {
            let cloth = if company { matter("cloth", 30.0) } else { String::new() };
            let text = matter(kind, 0.0)
                .replace("density = 300", "density = 300\nvelocity = [0.2, 0, 0]")
                .replace("radius = 0.02\n", "radius = 0.02\nvelocity = [0.2, 0, 0]\n")
                .replace("min = [-0.1,", "velocity = [0.2, 0, 0]\nmin = [-0.1,");
            let text = if kind == "pressure water" {
                text.replace("[grid]\n", "[grid]\nsolver = \"pressure\"\n")
            } else {
                text
            };
            let coupling = if company { "coupling = { substeps = 4 }\n" } else { "" };
            let head = format!("title = \"t\"\n{coupling}step = {{ gravity = [0, 0, 0], damping = 1.0 }}\n");
            let mut run = run(&format!("{head}{text}{cloth}"));
            advance(&mut run, 60);
            let state = &run.sim.state;
            let points = run.scene.rest().len()..state.x.len();
            let speed = if kind == "body" {
                state.bodies.v[0].x
            } else {
                state.v[points.clone()].iter().map(|v| v.x).sum::<Real>() / points.len() as Real
            };
            let left = speed / 0.2;
            assert!(
                (left - (-1.0f64).exp()).abs() < 0.01,
                "{kind}, company {company}: {left} of the speed is left"
            );
        }
    }
}
