//! A report as Markdown.

use crate::{Report, Table};
use std::fmt::Write;

pub(crate) fn report(report: &Report, pictures: bool) -> String {
    let settings: Vec<String> =
        report.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let mut out = format!(
        "# Measured\n\nMade by `pd tables`: {}. {}, {}. Settings: {}. Ratios above 1 are in favour of this program. Figures \
         that depend on the clock vary by some percent from run to run, more on a busy machine; all others are the same on \
         every run.\n",
        report.machine.line(),
        report.machine.system,
        report.machine.simd,
        settings.join(", ")
    );
    for table in &report.tables {
        out += &self::table(table);
        for figure in report.figures.iter().filter(|f| pictures && f.table == table.id) {
            let _ = writeln!(out, "\n![{}](figure-{}.svg)", figure.id, figure.id);
        }
    }
    out
}

/// One table with its heading and notes.
pub(crate) fn table(table: &Table) -> String {
    let mut out = format!("\n## {}\n\n{}\n\n", table.title, table.about);
    out += &rows(table);
    for note in &table.notes {
        let _ = write!(out, "\n{note}\n");
    }
    out
}

pub(crate) fn rows(table: &Table) -> String {
    let used = used_columns(table);
    let names: Vec<&str> = used.iter().map(|&c| table.columns[c].name.as_str()).collect();
    let mut out = format!("| {} |\n", names.join(" | "));
    let align = |c: &usize| if table.rows.iter().any(|row| row[*c].is_numeric()) { "---:" } else { "---" };
    let _ = writeln!(out, "|{}|", used.iter().map(align).collect::<Vec<_>>().join("|"));
    for row in &table.rows {
        let cells: Vec<String> = used.iter().map(|&c| row[c].to_string().replace('|', "\\|")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// Columns with anything in them.
pub(crate) fn used_columns(table: &Table) -> Vec<usize> {
    let filled = |c: &usize| table.rows.iter().any(|row| row[*c] != crate::Cell::Empty);
    (0..table.columns.len()).filter(filled).collect()
}
