//! `pd scenes`: the built-in scenes with their counts.

use crate::failure::Failure;
use crate::print_line::print_line;
use pd_sim::scene::{Builtin, Scene, builtins};
use pd_sim::{ModelPaths, SceneError};
use serde::Serialize;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  pd scenes --json\n  pd scenes --show cloth > my.toml")]
pub(crate) struct Arguments {
    /// Print one JSON object instead of a table.
    #[arg(long)]
    json: bool,
    /// Print the file of one scene, to change it and run it.
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    show: Option<String>,
}

#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: String,
    source: String,
    vertices: Option<usize>,
    elements: Option<usize>,
    constraints: Option<usize>,
    colliders: usize,
    /// The model file that is not present, if the scene needs one.
    missing: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    if let Some(name) = &arguments.show {
        let builtin = builtins().iter().find(|builtin| builtin.name == name);
        let unknown =
            || Failure::Input(format!("--show {name}: no built-in scene has this name; see pd scenes"));
        return print_line(builtin.ok_or_else(unknown)?.text.trim_end());
    }
    let rows = builtins().iter().map(|b| row(b, models)).collect::<Result<Vec<_>, _>>()?;
    if arguments.json {
        return print_line(serde_json::json!({ "scenes": rows }));
    }
    print_line(format_args!(
        "{:<20} {:>8} {:>8} {:>11}  what",
        "name", "vertices", "elements", "constraints"
    ))?;
    for row in &rows {
        let count = |n: Option<usize>| n.map_or("-".into(), |n| n.to_string());
        let (v, e, c) = (count(row.vertices), count(row.elements), count(row.constraints));
        print_line(format_args!("{:<20} {v:>8} {e:>8} {c:>11}  {} [{}]", row.name, row.title, row.source))?;
        if let Some(file) = &row.missing {
            print_line(format_args!(
                "{:<20} model not present: put {file} in models/ or name its directory with --models",
                ""
            ))?;
        }
    }
    print_line("\nRun one with: pd run NAME")
}

fn row(builtin: &Builtin, models: &ModelPaths) -> Result<Row, Failure> {
    let desc = builtin.desc()?;
    let (counts, missing) = match Scene::load(builtin.name, models) {
        Ok(scene) => (Some((scene.vertices(), scene.elements(), scene.model(0.0)?.constraints())), None),
        Err(SceneError::ModelNotPresent { wanted, .. }) => (None, Some(wanted)),
        Err(error) => return Err(error.into()),
    };
    Ok(Row {
        name: builtin.name,
        title: desc.title,
        source: desc.source,
        vertices: counts.map(|c| c.0),
        elements: counts.map(|c| c.1),
        constraints: counts.map(|c| c.2),
        colliders: desc.colliders.len(),
        missing,
    })
}
