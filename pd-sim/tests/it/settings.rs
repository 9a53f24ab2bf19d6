//! Settings have an owner: every key is taken by somebody or refused by name, and what is taken has an effect.

use pd_sim::scene::settings::{Origin, keys, markdown};
use pd_sim::scene::{Scene, SceneDesc, SceneRun, Setting, builtins, parse_desc, set_key, with_settings};
use pd_sim::{ModelPaths, Registry, SceneError};
use std::collections::{BTreeMap, BTreeSet};

/// Small scenes, and values of keys that change what they do. Read when the test runs.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    base: Vec<Base>,
    /// Keys without an effect on a run, and why.
    without: BTreeMap<String, Vec<String>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Base {
    name: String,
    #[serde(default = "few")]
    frames: usize,
    text: String,
    change: BTreeMap<String, toml::Value>,
}

fn few() -> usize {
    3
}

fn cases() -> Cases {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/settings.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What a run shows: bits of the state, and counts of its reports.
fn shown(desc: SceneDesc, frames: usize) -> Result<(u64, Vec<usize>), SceneError> {
    let scene = Scene::from_desc("t.toml", desc, None, &ModelPaths::default())?;
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    let mut counts = vec![];
    for _ in 0..frames {
        let report = run.advance()?;
        counts.push(report.iterations);
    }
    Ok((run.sim.state.hash(), counts))
}

/// `object.sheet.pin.0.weight` as the row `object[].pin[]`.
fn row(key: &str) -> String {
    let named = ["object", "body", "particles", "fluid"];
    let mut path = String::new();
    let mut steps = key.split('.').peekable();
    while let Some(step) = steps.next() {
        path.push_str(if path.is_empty() { "" } else { "." });
        path.push_str(if path == "solver." && ["newton", "pd"].contains(&step) { "*" } else { step });
        let is_entry = |next: &&str| named.contains(&step) || next.parse::<usize>().is_ok();
        if steps.next_if(is_entry).is_some() {
            path.push_str("[]");
        }
    }
    let known = |path: &str| keys().any(|key| key.path == path);
    if known(&format!("{path}[]")) {
        path.push_str("[]"); // the whole list
    }
    while !known(&path) {
        let cut = path.strip_suffix("[]").map(str::len).or_else(|| path.rfind('.'));
        path.truncate(cut.unwrap_or_else(|| panic!("{key} is no key")));
    }
    path
}

#[test]
fn a_key_that_is_taken_changes_the_run() {
    let cases = cases();
    let mut seen: BTreeSet<String> = cases.without.values().flatten().cloned().collect();
    let mut faults = vec![];
    for base in &cases.base {
        let desc = parse_desc("t.toml", &base.text).unwrap_or_else(|error| panic!("{}: {error}", base.name));
        let before =
            shown(desc.clone(), base.frames).unwrap_or_else(|error| panic!("{}: {error}", base.name));
        for (key, value) in &base.change {
            seen.insert(row(key));
            let after =
                set_key("t.toml", &desc, key, &value.to_string()).and_then(|desc| shown(desc, base.frames));
            match after {
                Ok(after) if after == before => {
                    faults.push(format!("{}: {key} = {value} has no effect", base.name))
                }
                Ok(_) => {}
                Err(error) => faults.push(format!("{}: {key} = {value}: {error}", base.name)),
            }
        }
    }
    faults.extend(
        keys().filter(|key| !seen.contains(key.path)).map(|key| format!("{} is not tried", key.path)),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// One scene of each kind of matter, and one of two kinds.
const KINDS: [(&str, &str); 5] = [
    (
        "deformable bodies",
        "title = \"t\"\n[[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 2, columns = 2 }\nedge = { weight = 10 }\n",
    ),
    (
        "rigid bodies",
        "title = \"t\"\n[[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\n",
    ),
    (
        "particles",
        "title = \"t\"\n[[particles]]\nname = \"sand\"\nkind = \"grains\"\ncount = [2, 1, 1]\nradius = 0.05\nmass = 0.1\n",
    ),
    (
        "matter on a grid",
        "title = \"t\"\n[grid]\ndx = 0.1\ncells = [4, 4, 4]\n[[fluid]]\nname = \"water\"\nlaw = { kind = \"water\", sound-speed = 10 }\n\
         min = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n",
    ),
    (
        "the coupling of several kinds of matter",
        "title = \"t\"\n[[particles]]\nname = \"sand\"\nkind = \"grains\"\ncount = [2, 1, 1]\nradius = 0.05\nmass = 0.1\n\
         [[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\nposition = [3, 0, 0]\n",
    ),
];

/// Options, keys, a value that holds anyway, and who takes them.
const OPTIONS: [(&str, &str, &str, &[usize]); 8] = [
    ("--stepper", "solver.stepper", "\"pd\"", &[0]),
    ("--global", "solver.global", "\"panels\"", &[0]),
    ("--contact", "contact.mode", "\"project\"", &[0]),
    ("--iterations", "step.iterations", "10", &[0]),
    ("--coupling", "coupling.scheme", "\"rows\"", &[4]),
    ("--rigid", "rigid.solver", "\"direct\"", &[1, 4]),
    ("--particles", "unified.solver", "\"unified-substep\"", &[2, 4]),
    ("--dt", "step.dt", "0.01", &[0, 1, 2, 3, 4]),
];

fn start(desc: SceneDesc) -> Result<SceneRun, SceneError> {
    let mut run = SceneRun::new(
        Scene::from_desc("t.toml", desc, None, &ModelPaths::default())?,
        &Registry::standard(),
    )?;
    run.prepare().map(|()| run)
}

/// Every option and every section of the wrong kind is refused with the name of who would take it, even if its value is the
/// default; every name that nobody knows is refused.
#[test]
fn options_and_sections_of_the_wrong_kind_are_refused() {
    for (flag, key, usual, takers) in OPTIONS {
        assert!(keys().any(|row| row.path == key && row.flag == Some(flag)), "{flag}");
        for (k, (kind, text)) in KINDS.iter().enumerate() {
            let outcome = |value: &str| {
                let value: toml::Table = format!("v = {value}").parse().unwrap();
                let setting = Setting::flag(flag, key, value["v"].clone());
                with_settings("t.toml", parse_desc("t.toml", text).unwrap(), &[setting]).and_then(start)
            };
            let known = outcome(usual).map(|_| ());
            assert_eq!(known.is_ok(), takers.contains(&k), "{flag} {usual} with {kind}: {known:?}");
            if let Err(error) = known {
                let said = error.to_string();
                assert!(said.contains(flag) && said.contains(key) && said.contains("is taken by"), "{said}");
            }
            let nonsense = if usual.starts_with('"') { "\"nonsense\"" } else { "0" };
            assert!(outcome(nonsense).is_err(), "{flag} {nonsense} with {kind}");
        }
    }
    let sections = [
        ("[solver]\nstepper = \"pd\"", &[0][..]),
        ("[solver.newton]\niterations = 3", &[0]),
        ("contact = \"project\"", &[0]),
        ("[contact]\nmode = \"off\"", &[0]),
        ("coupling = \"rows\"", &[4]),
        ("[coupling]\nsubsteps = 16", &[4]),
        ("[rigid]\nsubsteps = 4", &[1, 4]),
        ("[unified]\nsubsteps = 8", &[2, 4]),
        ("[step]\niterations = 10", &[0]),
        ("[step]\nhold-pinned = true", &[0]),
        ("[step]\ndamping = 0.5", &[0, 1, 2, 3, 4]),
        ("[[force]]\nkind = \"wind\"\nstrength = 1\ndirection = [1, 0, 0]", &[0]),
        ("[[stitch]]\nobjects = [\"sheet\", \"sheet\"]\npairs = [[0, 8]]\nweight = 1", &[0]),
        ("[[joint]]\nkind = \"ball\"\nb = \"box\"\nanchor = [0, 0, 0]", &[1, 4]),
    ];
    for (section, takers) in sections {
        for (k, (kind, text)) in KINDS.iter().enumerate() {
            let text = text.replacen("title = \"t\"\n", &format!("title = \"t\"\n{section}\n"), 1);
            let outcome = parse_desc("t.toml", &text).and_then(start).map(|_| ());
            assert_eq!(outcome.is_ok(), takers.contains(&k), "{section} with {kind}: {outcome:?}");
            if let Err(error) = outcome {
                let said = error.to_string();
                let line = said.strip_prefix("t.toml:").and_then(|rest| rest.split(':').next()?.parse().ok());
                let lines = 2..=1 + section.lines().count();
                assert!(
                    line.is_some_and(|line| lines.contains(&line)) && said.contains("is taken by"),
                    "{said}"
                );
            }
        }
    }
    // A grid without matter on it.
    let grid = format!("{}[grid]\ndx = 0.1\ncells = [4, 4, 4]\n", KINDS[1].1);
    let said = parse_desc("t.toml", &grid).and_then(start).map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("is taken by matter on a grid; the scene has none"), "{said}");
}

/// Settings of particles hold beside other matter too.
#[test]
fn settings_of_particles_hold_in_company() {
    let (_, text) = KINDS[4];
    let hash = |section: &str| shown(parse_desc("t.toml", &format!("{text}{section}")).unwrap(), 3);
    let plain = hash("").unwrap();
    for section in ["[unified]\nsolver = \"unified\"\n", "[unified]\nsubsteps = 64\nmost-substeps = 100\n"] {
        assert_ne!(hash(section).unwrap().0, plain.0, "{section}");
    }
    let said = hash("[unified]\nsolver = \"nonsense\"\n").unwrap_err().to_string();
    assert!(said.contains("unified.solver") && said.contains("nonsense"), "{said}");
}

#[test]
fn misspelt_names_are_corrected() {
    let said = |text: &str| parse_desc("t.toml", text).and_then(start).map(|_| ()).unwrap_err().to_string();
    let (_, sheet) = KINDS[0];
    for (wrong, meant) in [
        (format!("{sheet}[step]\ndumping = 1\n"), "damping"),
        (format!("{sheet}[solver]\nglobal = \"panel\"\n"), "panels"),
        (format!("{sheet}[solver]\nstepper = \"newtn\"\n"), "newton"),
        (format!("{}[rigid]\nsolver = \"dirct\"\n", KINDS[1].1), "direct"),
        (sheet.replace("\"grid\"", "\"gird\""), "grid"),
    ] {
        let said = said(&wrong);
        assert!(said.contains("did you mean") && said.contains(meant), "{said}");
    }
    let far = said(&format!("{sheet}[solver]\nglobal = \"magic\"\n"));
    assert!(!far.contains("did you mean"), "{far}");
}

/// In a file, keys of solvers wait for what takes them; on the command line they are for what runs.
#[test]
fn keys_of_solvers_wait_in_files_only() {
    let (_, sheet) = KINDS[0];
    let text = format!(
        "contact = \"project\"\n[solver]\nstepper = \"xpbd\"\nglobal = \"cholesky\"\nrho = 0.5\n{sheet}"
    );
    let text = text.replacen("title = \"t\"\n", "", 1);
    let desc = parse_desc("t.toml", &format!("title = \"t\"\n{text}")).unwrap();
    start(desc.clone()).unwrap();
    for (flag, key, value) in
        [("--global", "solver.global", "cholesky"), ("--stepper", "solver.stepper", "vbd")]
    {
        let desc = with_settings("t.toml", desc.clone(), &[Setting::flag(flag, key, value)]).unwrap();
        assert_eq!(start(desc).is_ok(), flag == "--stepper", "{flag}");
    }
    let mut desc = parse_desc("t.toml", sheet).unwrap();
    (desc.solver.stepper, desc.solver.global) = ("xpbd".into(), "cholesky".into());
    start(desc).unwrap();
}

/// A key of the file that the command line puts out of use is no fault; it is listed.
#[test]
fn what_the_command_line_puts_out_of_use_is_listed() {
    let (_, sheet) = KINDS[0];
    let desc = parse_desc("t.toml", &format!("contact = {{ mode = \"guard\", thickness = 0.05 }}\n{sheet}"))
        .unwrap();
    assert_eq!(desc.unused(), Vec::<String>::new());
    let project = [Setting::flag("--contact", "contact.mode", "project")];
    let flat = with_settings("t.toml", desc.clone(), &project).unwrap();
    assert!(flat.unused()[0].starts_with("contact.thickness is taken by deformable bodies, with contact"));
    start(flat.clone()).unwrap();
    // Given beside it, it is a fault, whichever comes first.
    let thickness = Setting { origin: Origin::Set, key: "contact.thickness".into(), value: 0.04.into() };
    let both = with_settings("t.toml", desc, &[thickness, project[0].clone()]).unwrap();
    let said = start(both).map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("contact.thickness"), "{said}");
    let twice = with_settings("t.toml", flat, &[project[0].clone(), project[0].clone()]).unwrap_err();
    assert!(twice.to_string().contains("given twice"), "{twice}");
}

/// While a scene runs, a key changes and has its effect, or is refused by name and leaves everything as it was.
#[test]
fn keys_of_a_running_scene_are_live_or_refused() {
    let text = format!(
        "{}[[collider]]\nkind = \"floor\"\nheight = -1.0\n[[joint]]\nkind = \"ball\"\nb = \"box\"\nanchor = [3, 0, 0]\n\
         [[object]]\nname = \"sheet\"\nshape = {{ kind = \"grid\", rows = 2, columns = 2 }}\nedge = {{ weight = 10 }}\ntranslate = [9, 0, 0]\n\
         [[fluid]]\nname = \"water\"\nlaw = {{ kind = \"water\", sound-speed = 10 }}\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n\
         [grid]\ndx = 0.1\nmin = [-9, -9, -9]\ncells = [200, 200, 200]\n[coupling]\nsubsteps = 2\n",
        KINDS[4].1
    );
    let mut run = start(parse_desc("t.toml", &text).unwrap()).unwrap();
    let fingerprint = run.scene.fingerprint();
    for (key, value) in [
        ("body.box.position", "[4, 0, 0]"),
        ("body.box.friction", "0.1"),
        ("particles.sand.mass", "0.3"),
        ("fluid.water.max", "[0.2, 0.1, 0.1]"),
        ("rigid.substeps", "7"),
        ("rigid.solver", "\"xpbd\""),
        ("unified.substeps", "64"),
        ("coupling.substeps", "3"),
        ("coupling.scheme", "\"staggered\""),
        ("grid.dx", "0.2"),
        ("joint.0.anchor", "[2.9, 0, 0]"),
        ("object.sheet.edge.weight", "11"),
        ("object.sheet.friction", "0.1"),
        ("solver.global", "\"cholesky\""),
        ("solver.stepper", "\"xpbd\""),
        ("step.substeps", "2"),
        ("contact.mode", "\"guard\""),
        ("contact.friction", "0.1"),
        ("custom", "[{ kind = \"leash\" }]"),
        ("stitch", "[{ objects = [\"sheet\", \"sheet\"], pairs = [[0, 8]], weight = 1.0 }]"),
    ] {
        let desc = set_key("t.toml", &run.scene.desc, key, value).unwrap();
        let said = run.set_environment(desc).unwrap_err().to_string();
        let section = key.split('.').next().unwrap();
        assert!(said.contains(section), "{key}: {said}");
        assert_eq!(run.scene.fingerprint(), fingerprint, "{key}");
    }
    for (key, value) in [
        ("step.gravity", "[0, -1, 0]"),
        ("step.dt", "0.01"),
        ("step.damping", "0.3"),
        ("collider.0.height", "-0.5"),
    ] {
        let before = run.scene.fingerprint();
        let desc = set_key("t.toml", &run.scene.desc, key, value).unwrap();
        run.set_environment(desc).unwrap();
        assert_ne!(run.scene.fingerprint(), before, "{key}");
    }
    // Display is no part of the physics, and a run may go on with another number of iterations.
    for (key, value) in [("body.box.display.colour", "[1, 0, 0]"), ("step.iterations", "3")] {
        let desc = set_key("t.toml", &run.scene.desc, key, value).unwrap();
        let before = run.scene.fingerprint();
        run.set_environment(desc).unwrap();
        assert_eq!(run.scene.fingerprint(), before, "{key}");
    }
    run.advance().unwrap();
}

/// What serde reads is in the table, and the other way round.
#[test]
fn the_table_has_the_keys_of_the_description() {
    let sections = [
        ("", ""),
        ("step.", "[step]\n"),
        ("rigid.", "[rigid]\n"),
        ("unified.", "[unified]\n"),
        ("grid.", "[grid]\n"),
        ("object[].", "[[object]]\n"),
        ("object[].obstacle.", "[[object]]\n[object.obstacle]\n"),
        ("contact.pair[].", "[[contact.pair]]\n"),
        ("body[].", "[[body]]\n"),
        ("joint[].", "[[joint]]\n"),
        ("urdf[].", "[[urdf]]\n"),
        ("particles[].", "[[particles]]\n"),
        ("fluid[].", "[[fluid]]\n"),
    ];
    let paths: BTreeSet<&str> = keys().map(|key| key.path).collect();
    assert_eq!(paths.len(), keys().count(), "a key has two rows");
    let mut missing = vec![];
    for (path, header) in sections {
        let error = toml::from_str::<SceneDesc>(&format!("{header}no-such-key = 1\n")).unwrap_err();
        let message = error.message().to_owned();
        let names: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        // The message of an untagged table names no keys.
        assert!(!names.is_empty() || path == "contact.pair[].", "{path}: {message}");
        for name in names {
            let full = format!("{path}{name}");
            let covers = |row: &&str| {
                **row == full || row.starts_with(&format!("{full}.")) || row.starts_with(&format!("{full}[]"))
            };
            if !paths.iter().any(covers) {
                missing.push(full);
            }
        }
    }
    assert!(missing.is_empty(), "add rows to scene/settings/keys.rs for {missing:?}");
}

#[test]
fn the_page_of_keys_is_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/keys.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table: String =
        page.lines().filter(|line| line.starts_with('|')).flat_map(|line| [line, "\n"]).collect();
    assert!(table == markdown(), "docs/keys.md: replace its table by the output of `pd keys --markdown`");
}

/// Built-in scenes give nothing that nobody takes, and what is written of them is read again.
#[test]
fn built_in_scenes_give_only_what_is_taken() {
    for builtin in builtins() {
        pd_sim::scene::settings::check(builtin.name, &builtin.desc().unwrap()).unwrap();
    }
}
