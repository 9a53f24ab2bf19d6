//! Rigid bodies from scene files: every key, and what is wrong with bad ones.

use crate::scene::{Matter, Scene, SceneRun};
use crate::{ModelPaths, Registry, SceneError};
use pd_core::Vec3;

fn parse(text: &str) -> Result<Scene, SceneError> {
    Scene::parse("t.toml", &format!("title = \"t\"\n{text}"), None, &ModelPaths::default())
}

fn run(text: &str, frames: usize) -> SceneRun {
    let mut run = SceneRun::new(parse(text).unwrap(), &Registry::standard()).unwrap();
    for _ in 0..frames {
        run.advance().unwrap();
    }
    run
}

const BOX: &str = "[[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\n";

#[test]
fn bad_bodies_and_joints_are_named() {
    let message = |text: &str| parse(text).map(|_| ()).unwrap_err().to_string();
    let joint = |keys: &str| message(&format!("{BOX}[[joint]]\n{keys}"));
    for (text, words) in [
        (format!("{BOX}density = 0.0"), "mass 0 kg"),
        (format!("{BOX}mass = nan"), "mass NaN kg"),
        (format!("{BOX}inertial = {{ mass = 1.0, inertia = [1.0, 1.0, 3.0, 0.0, 0.0, 0.0] }}"), "principal moments"),
        (format!("{BOX}mass = 1.0\ninertial = {{ mass = 1.0, inertia = [1, 1, 1, 0, 0, 0] }}"), "not both"),
        (format!("{BOX}fixed = true\npath = [[0, 0, 0, 0], [1, 1, 0, 0]]"), "follows a path"),
        (format!("{BOX}path = [[1, 0, 0, 0], [0, 1, 0, 0]]"), "time"),
        (format!("{BOX}{BOX}"), "used twice"),
        (
            "[[body]]\nname = \"flat\"\nshape = { kind = \"hull\", points = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] }".to_owned(),
            "no volume",
        ),
        ("[[body]]\nname = \"c\"\nshape = { kind = \"compound\", parts = [] }".to_owned(), "at least one part"),
        ("[[body]]\nname = \"m\"\nshape = { kind = \"mesh\", file = \"none.obj\" }".to_owned(), "none.obj"),
    ] {
        assert!(message(&text).contains(words), "{words}: {}", message(&text));
    }
    assert!(
        joint("kind = \"ball\"\na = \"bx\"\nb = \"box\"\nanchor = [0, 0, 0]")
            .contains("no body or obstacle \"bx\"")
    );
    let limits = joint("kind = \"hinge\"\nb = \"box\"\nanchor = [0, 0, 0]\nlimit = [10, -10]");
    assert!(limits.contains("from 10 to -10 degrees of body \"box\" is empty"), "{limits}");
    assert!(
        joint("kind = \"hinge\"\nb = \"box\"\nanchor = [0, 0, 0]\naxis = [0, 0, 0]")
            .contains("axis is [0.0, 0.0, 0.0]")
    );
    assert!(
        joint("kind = \"ball\"\na = \"box\"\nb = \"box\"\nanchor = [0, 0, 0]").contains("\"box\" to itself")
    );
    assert!(message(&format!("{BOX}rotate = {{ axis = [0, 0, 0], degrees = 10 }}")).contains("rotate.axis"));
    assert!(joint("kind = \"fixed\"\nb = \"box\"\nanchor = [0, 0, 0]\nlimit = [0, 1]").contains("no limit"));
    assert!(joint("kind = \"gear\"\nb = \"box\"\nanchor = [0, 0, 0]\nratio = 2.0").contains("two bodies"));
    assert!(
        joint("kind = \"ball\"\nb = \"box\"\nanchor = [0, 0, 0]\nratio = 2.0")
            .contains("taken by rigid bodies, joints \"gear\"")
    );
    let other = BOX.replace("\"box\"\n", "\"other\"\n");
    let gear = |keys: &str| {
        joint(&format!("kind = \"gear\"\na = \"other\"\nb = \"box\"\nanchor = [0, 0, 0]\n{keys}\n{other}"))
    };
    assert!(gear("").contains("needs its ratio") && gear("ratio = 0.0").contains("not zero"));
    assert!(joint("kind = \"distance\"\nb = \"box\"\nanchor = [0, 0, 0]").contains("needs its length"));
    assert!(
        joint("kind = \"slider\"\nb = \"box\"\nanchor = [0, 0, 0]\nmotor-position = 1.0")
            .contains("motor-stiffness")
    );
    assert!(
        joint("kind = \"ball\"\nb = \"box\"\nanchor = [0, 0, 0]\ncompliance = -1.0").contains("compliance")
    );
}

#[test]
fn overlaps_at_the_start_are_named_with_their_depth() {
    let text = format!("{BOX}copies = {{ count = [2, 1, 1], spacing = [0.15, 0, 0] }}");
    let scene = parse(&text).unwrap();
    let words = scene.body_overlaps(1e-3).unwrap();
    assert_eq!(words.len(), 1);
    assert!(words[0].contains("\"box\" and \"box.1\" overlap by 0.0500 m"), "{}", words[0]);
    assert!(scene.body_overlaps(0.06).unwrap().is_empty());
    // Also in a scene with other matter, and with an obstacle.
    let rock = "[[collider]]\nkind = \"sphere\"\nname = \"rock\"\ncentre = [0.95, 0, 0]\nradius = 0.82\nmargin = 0\n";
    let mixed = parse(&format!("{text}\n{CLOTH}{rock}")).unwrap();
    let words = mixed.body_overlaps(1e-3).unwrap();
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(words[1].contains("body \"box.1\" and \"rock\" overlap by"), "{}", words[1]);
}

#[test]
fn a_box_rests_on_an_obstacle_itself() {
    let block = "[[collider]]\nkind = \"block\"\ncentre = [0, -0.3, 0]\nhalf-extents = [1, 0.2, 1]\n";
    let run = run(&format!("{BOX}{block}"), 30);
    let y = run.sim.state.bodies.p[0].y;
    assert!(y.abs() < 1e-3, "{y}");
}

#[test]
fn a_body_hangs_from_an_obstacle_that_moves() {
    let text = format!(
        "[[collider]]\nkind = \"sphere\"\nname = \"crane\"\ncentre = [0, 5, 0]\nradius = 0.1\npath = [[0, 0, 0, 0], [2, 2, 0, 0]]\n\
         {BOX}position = [0, 4, 0]\n[[joint]]\nkind = \"ball\"\na = \"crane\"\nb = \"box\"\nanchor = [0, 5, 0]\n"
    );
    let run = run(&text, 240);
    let p = run.sim.state.bodies.p[0];
    assert!((p - Vec3::new(2.0, 5.0, 0.0)).norm() < 1.0 + 1e-6 && p.y < 4.5 && p.x > 1.2, "{p}");
}

#[test]
fn paths_groups_masses_and_servos_do_what_they_say() {
    // A paddle that turns sweeps a box away, and one of another group stays.
    let text = "[[body]]\nname = \"ground\"\nshape = { kind = \"ground\" }\n\
        [[body]]\nname = \"paddle\"\nshape = { kind = \"box\", half-extents = [1.0, 0.1, 0.05] }\nposition = [0, 0.2, 0]\nspin = [0, 2, 0]\n\
        [[body]]\nname = \"hit\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\nposition = [0.6, 0.1, -0.3]\nmass = 2.0\n\
        [[body]]\nname = \"ghost\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\nposition = [-0.6, 0.1, 0.3]\ngroup = 2\nmask = 1\n\
        [[body]]\nname = \"arm\"\nshape = { kind = \"box\", half-extents = [0.2, 0.05, 0.05] }\nposition = [5, 1, 0]\n\
        [[joint]]\nkind = \"hinge\"\nb = \"arm\"\nanchor = [4.8, 1, 0]\naxis = [0, 0, 1]\nmotor-position = 30.0\nmotor-stiffness = 4000.0\nmotor-damping = 200.0\n";
    // The ghost touches the ground alone: the paddle is in group 4 from here on.
    let text = text.replace("spin = [0, 2, 0]", "spin = [0, 2, 0]\ngroup = 4");
    let run = run(&text, 120);
    let Matter::Rigid(rigid) = &run.scene.matter else { panic!("bodies") };
    assert_eq!(rigid.model.masses()[2], 2.0);
    let p = &run.sim.state.bodies.p;
    assert!((p[2] - Vec3::new(0.6, 0.1, -0.3)).norm() > 0.2, "swept away: {}", p[2]);
    assert!((p[3] - Vec3::new(-0.6, 0.1, 0.3)).norm() < 0.01, "left alone: {}", p[3]);
    let up = (p[4].y - 1.0) / 0.2;
    assert!((up.asin().to_degrees() - 30.0).abs() < 1.0, "{} degrees", up.asin().to_degrees());
}

#[test]
fn a_mesh_from_a_file_falls_as_convex_parts() {
    let directory = tempfile::tempdir().unwrap();
    let cube = pd_mesh::generate::bar(1, 1, 1, 0.4).unwrap().surface();
    let file = std::fs::File::create(directory.path().join("cube.obj")).unwrap();
    pd_mesh::io::write_obj(file, &cube).unwrap();
    let text = "title = \"t\"\n[[body]]\nname = \"ground\"\nshape = { kind = \"ground\" }\n\
        [[body]]\nname = \"cube\"\nshape = { kind = \"mesh\", file = \"cube.obj\" }\nposition = [0, 0.5, 0]\n";
    let scene = Scene::parse("t.toml", text, Some(directory.path()), &ModelPaths::default()).unwrap();
    let Matter::Rigid(rigid) = &scene.matter else { panic!("bodies") };
    assert!((rigid.model.masses()[1] / 64.0 - 1.0).abs() < 0.02, "{} kg", rigid.model.masses()[1]);
    let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
    for _ in 0..120 {
        run.advance().unwrap();
    }
    assert!((run.sim.state.bodies.p[1].y - 0.2).abs() < 0.01, "{}", run.sim.state.bodies.p[1]);
}

const CLOTH: &str = "[[object]]\nname = \"cloth\"\nshape = { kind = \"grid\", rows = 4, columns = 4, width = 1.0, depth = 1.0 }\n\
                     translate = [0.6, 0, 0]\nedge = { weight = 200.0 }\n";

#[test]
fn cloth_is_attached_to_bodies() {
    let edge = "attach = [{ select = { within = [[0, -1, -1], [0.11, 1, 1]] }, body = \"box\" }]\n";
    let run = run(&format!("{CLOTH}{edge}{BOX}angular-velocity = [0, 5, 0]"), 20);
    let (state, scene) = (&run.sim.state, &run.scene);
    let rest = scene.rest();
    let held = scene.objects[0].attachments()[0].clone();
    assert_eq!(held.len(), 5);
    let Matter::Mixed(mixed) = &scene.matter else { panic!("cloth and a body") };
    let start = &mixed.rigid.as_ref().unwrap().start;
    for &v in &held {
        let place = start.q[0].inverse() * (rest[v as usize] - start.p[0]);
        assert!((state.bodies.world(0, &place) - state.x[v as usize]).norm() < 1e-6, "vertex {v}");
    }
    assert!(state.bodies.w[0].y < 4.9, "the cloth slows the box: {}", state.bodies.w[0]);
}

#[test]
fn bad_attachments_are_named() {
    let message = |text: &str| parse(text).map(|_| ()).unwrap_err().to_string();
    let attach = |what: &str| format!("attach = [{{ select = {{ vertices = [0, 1] }}, {what} }}]\n");
    let good = attach("body = \"box\"");
    assert!(parse(&format!("{CLOTH}{good}{BOX}")).is_ok());
    for (text, words) in [
        (format!("{CLOTH}{good}"), "the scene has no [[body]]"),
        (format!("{CLOTH}{}{BOX}", attach("body = \"bx\"")), "there is no body \"bx\"; known are box"),
        (format!("{CLOTH}{}{BOX}", good.replace("[0, 1]", "[99]")), "vertex 99 does not exist"),
        (format!("{CLOTH}{}{BOX}", good.replace("[0, 1]", "[]")), "selects no vertex"),
        (
            format!("{CLOTH}{good}pin = [{{ select = {{ vertices = [1] }}, weight = 10 }}]\n{BOX}"),
            "vertex 1 is pinned as well",
        ),
        (format!("{CLOTH}{}{BOX}", attach("body = \"box\", break-force = 0")), "must be positive"),
        (
            format!(
                "{CLOTH}{}{BOX}",
                good.replace(" }]", " }, { select = { vertices = [1] }, body = \"box\" }]")
            ),
            "vertex 1 is attached to a body already",
        ),
        (
            format!("{}obstacle = {{}}\n{good}{BOX}", CLOTH.replace("edge = { weight = 200.0 }\n", "")),
            "leave out attach",
        ),
    ] {
        assert!(message(&text).contains(words), "{words}: {}", message(&text));
    }
}
