//! A run says when it is wrong, for every kind of matter.

use crate::sandbox::Sandbox;
use serde_json::Value;

const SHEETS: &str = "title = \"t\"\ncontact = \"off\"\n\
    [[object]]\nname = \"a\"\nshape = { kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }\n\
    mass = { total = 0.1 }\nedge = { weight = 100 }\n\
    [[object]]\nname = \"b\"\nshape = { kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }\n\
    rotate = { axis = [1, 0, 0], degrees = 90 }\ntranslate = [0.03, 0, 0.02]\nmass = { total = 0.1 }\nedge = { weight = 100 }\n";

const FAR: &str = "[[body]]\nname = \"far\"\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [5, 0, 0]\ndensity = 300\n";

const OVERLAP: &str = "title = \"t\"\n[[body]]\nname = \"fixed\"\nshape = { kind = \"box\", half-extents = [0.5, 0.5, 0.5] }\nfixed = true\n\
    [[body]]\nname = \"free\"\nshape = { kind = \"box\", half-extents = [0.5, 0.5, 0.5] }\nposition = [0.1, 0.1, 0]\n";

const THROUGH: &str = "title = \"t\"\n\
    [[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 6, columns = 6 }\nmass = { total = 0.2 }\nedge = { weight = 200.0 }\n\
    [[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.2, 0.2, 0.2] }\nposition = [0, 0.05, 0]\n";

const CLOTH_IN_BALL: &str = "title = \"t\"\ncontact = \"project\"\n\
    [[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 4, columns = 4 }\nmass = { total = 0.2 }\nedge = { weight = 100.0 }\n\
    [[collider]]\nkind = \"sphere\"\nname = \"ball\"\ncentre = [0, 0, 0]\nradius = 0.3\n";

fn parsed(sandbox: &Sandbox, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = sandbox.pd(arguments);
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or(Value::Null))
}

#[test]
fn crossings_are_counted_in_company_as_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("alone.toml", SHEETS);
    sandbox.write("company.toml", format!("{SHEETS}{FAR}[coupling]\nsubsteps = 1\n"));
    let count = |scene: &str| {
        let (code, value) = parsed(&sandbox, &["run", scene, "--frames", "2", "--verify", "--json"]);
        assert_eq!(code, Some(0), "contact is off: they pass through each other as asked");
        value["intersections"].as_u64().unwrap()
    };
    let (alone, company) = (count("alone.toml"), count("company.toml"));
    assert!(alone > 20 && alone == company, "{alone} alone, {company} in company");
}

#[test]
fn what_overlaps_ends_with_exit_code_1_and_names() {
    let sandbox = Sandbox::new();
    for (text, words) in
        [(OVERLAP, ["free", "fixed"]), (THROUGH, ["box", "sheet"]), (CLOTH_IN_BALL, ["sheet", "ball"])]
    {
        sandbox.write("wrong.toml", text);
        let output = sandbox.pd(&["run", "wrong.toml", "--frames", "2", "--verify"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let line = text.lines().last().unwrap();
        assert!(line.contains("audit: ") && words.iter().all(|word| line.contains(word)), "{line}");
        let (_, value) = parsed(&sandbox, &["run", "wrong.toml", "--frames", "2", "--verify", "--json"]);
        assert!(value["audit"]["good"] == false && !value["audit"]["faults"][0]["text"].is_null(), "{value}");
    }
    let (code, value) = parsed(&sandbox, &["run", "pendulum", "--frames", "20", "--verify", "--json"]);
    assert_eq!((code, &value["audit"]["good"]), (Some(0), &Value::Bool(true)), "{}", value["audit"]);
    let plain = sandbox.pd(&["run", "pendulum", "--frames", "9"]);
    assert!(String::from_utf8_lossy(&plain.stdout).lines().last().unwrap().starts_with("  audit: good"));
}

/// A trace and a summary of several kinds tell of all of them.
#[test]
fn energies_of_a_mixed_scene_are_those_of_all_kinds() {
    let sandbox = Sandbox::new();
    let grains = "[[particles]]\nname = \"sand\"\nkind = \"grains\"\ncount = [2, 2, 2]\nradius = 0.05\nmass = 0.1\nposition = [-3, 0.4, 0]\n";
    sandbox.write("mixed.toml", format!("{SHEETS}{FAR}{grains}"));
    let arguments = ["run", "mixed.toml", "--frames", "3", "--json", "--trace", "t.csv"];
    let (_, value) = parsed(&sandbox, &arguments);
    let kinds = value["energy"]["kinds"].as_object().unwrap();
    assert_eq!(kinds.len(), 3, "{value}");
    for part in ["kinetic", "potential"] {
        let sum: f64 = kinds.values().map(|kind| kind[part].as_f64().unwrap()).sum();
        let total = value["energy"][part].as_f64().unwrap();
        assert!((sum - total).abs() <= 1e-12 * total.abs() && total != 0.0, "{part}: {sum} J of {total} J");
    }
    let mass = 0.2 + 0.8 + 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 300.0;
    let momentum = value["momentum"][1].as_f64().unwrap();
    assert!((momentum + mass * 9.8 * 0.05).abs() < 1e-4 * mass, "{momentum}");
    let text = sandbox.read("t.csv");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let last: Vec<&str> = text.lines().last().unwrap().split(',').collect();
    let at = |name: &str| last[header.iter().position(|h| *h == name).unwrap()].parse::<f64>().unwrap();
    assert_eq!(at("kinetic"), value["energy"]["kinetic"].as_f64().unwrap());
    assert_eq!(at("momentum_y"), momentum);
}
