//! A report as JSON: rows as objects keyed by their headings, numbers as numbers, outcomes as words.

use crate::{Cell, Kind, Report, Table};
use serde_json::{Map, Value, json};

pub(crate) fn report(report: &Report) -> Value {
    let m = &report.machine;
    let settings: Map<String, Value> =
        report.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    json!({
        "date": m.date,
        "revision": m.revision,
        "version": m.version,
        "machine": {
            "processor": m.processor, "threads": m.threads, "simd": m.simd, "memory_gb": m.memory_gb,
            "system": m.system, "device": m.device,
        },
        "settings": settings,
        "tables": report.tables.iter().map(table).collect::<Vec<_>>(),
    })
}

fn table(table: &Table) -> Value {
    let timing = table.columns.iter().filter(|c| c.kind == Kind::Timing).map(|c| c.name.as_str());
    let rows = table.rows.iter().map(|row| {
        let cells = table.columns.iter().zip(row).map(|(column, cell)| (column.name.clone(), value(cell)));
        Value::Object(cells.collect())
    });
    json!({
        "id": table.id,
        "title": table.title,
        "timing_columns": timing.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "notes": table.notes,
    })
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Empty => Value::Null,
        Cell::Count(count) => json!(count),
        Cell::Number(v) => json!(v),
        cell => json!(cell.to_string()),
    }
}
