//! Results of a sweep: counted, or as one table.

use super::File;
use super::plan::Plan;
use crate::failure::Failure;
use crate::print_line::print_line;
use pd_mesh::film::write_npz_columns;
use pd_mesh::io::write_atomically;
use serde_json::{Value, json};
use std::io::Write;

/// Results of all runs in the order of the plan; `None` if a run is not finished.
fn results(plan: &Plan, file: &File) -> Result<Vec<Option<Value>>, Failure> {
    let directory = file.directory();
    let read = |id: &str| {
        let path = directory.join(id).join("run.json");
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| Failure::file(&path, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::file(&path, error)),
        }
    };
    plan.runs.iter().map(|run| read(&run.id)).collect()
}

pub(super) fn status(file: &File) -> Result<(), Failure> {
    let plan = Plan::read(&file.file)?;
    let results = results(&plan, file)?;
    let count =
        |outcome: &str| results.iter().flatten().filter(|result| result["outcome"] == outcome).count();
    let (ran, refused, diverged) = (count("ran"), count("refused"), count("diverged"));
    let open = results.iter().filter(|result| result.is_none()).count();
    if file.json {
        return print_line(
            json!({ "runs": results.len(), "ran": ran, "refused": refused, "diverged": diverged, "open": open }),
        );
    }
    print_line(format_args!(
        "{} runs: {ran} ran, {refused} refused, {diverged} diverged, {open} to do",
        results.len()
    ))
}

pub(super) fn gather(file: &File) -> Result<(), Failure> {
    let plan = Plan::read(&file.file)?;
    let results = results(&plan, file)?;
    let keys: Vec<&str> =
        plan.runs.first().map_or(vec![], |run| run.set.iter().map(|(key, _)| key.as_str()).collect());
    let figures = ["frames", "max_edge_strain", "residual"];
    let texts = ["outcome", "state_hash", "message"];
    let rows: Vec<(&str, &Value)> = plan
        .runs
        .iter()
        .zip(&results)
        .filter_map(|(run, result)| Some((run.id.as_str(), result.as_ref()?)))
        .collect();
    let directory = file.directory();
    let csv = directory.join("results.csv");
    let write = |out: &mut dyn Write| -> std::io::Result<()> {
        let head: Vec<String> =
            ["id"].iter().chain(&keys).chain(&figures).chain(&texts).map(|name| cell(&json!(name))).collect();
        writeln!(out, "{}", head.join(","))?;
        for (id, result) in &rows {
            let mut cells = vec![(*id).to_owned()];
            cells.extend(keys.iter().map(|key| cell(&result["set"][*key])));
            cells.extend(figures.iter().chain(&texts).map(|name| cell(&result[*name])));
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    };
    write_atomically(&csv, write).map_err(|error| Failure::file(&csv, error))?;
    // Columns that are numbers throughout; NaN where a run has none.
    let mut columns: Vec<(String, Vec<f64>)> = vec![];
    for name in &keys {
        let values: Option<Vec<f64>> = rows.iter().map(|(_, result)| result["set"][*name].as_f64()).collect();
        columns.extend(values.map(|values| ((*name).to_owned(), values)));
    }
    for name in figures {
        columns.push((
            name.to_owned(),
            rows.iter().map(|(_, r)| r[name].as_f64().unwrap_or(f64::NAN)).collect(),
        ));
    }
    let ids: Vec<&str> = rows.iter().map(|(id, _)| *id).collect();
    let of =
        |name: &'static str| rows.iter().map(move |(_, r)| r[name].as_str().unwrap_or_default()).collect();
    let words: [(&str, Vec<&str>); 3] =
        [("id", ids), ("outcome", of("outcome")), ("state_hash", of("state_hash"))];
    let npz = directory.join("results.npz");
    write_atomically(&npz, |out| write_npz_columns(out, &columns, &words))
        .map_err(|error| Failure::file(&npz, error))?;
    let summary = json!({ "rows": rows.len(), "runs": plan.runs.len(), "csv": csv, "npz": npz });
    if file.json {
        return print_line(summary);
    }
    print_line(format_args!(
        "{} of {} runs in {} and {}",
        rows.len(),
        plan.runs.len(),
        csv.display(),
        npz.display()
    ))
}

/// A value as a cell of CSV (RFC 4180).
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains(['"', ',', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => cell(&Value::String(value.to_string())),
        other => other.to_string(),
    }
}
