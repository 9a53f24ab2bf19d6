//! A table as CSV: the heading, then one line a row; figures with all their digits.

use crate::{Cell, Table};

pub(crate) fn table(table: &Table) -> String {
    let mut out = line(table.columns.iter().map(|column| column.name.clone()));
    for row in &table.rows {
        out += &line(row.iter().map(value));
    }
    out
}

fn value(cell: &Cell) -> String {
    match cell {
        Cell::Number(v) => v.to_string(),
        cell => cell.to_string(),
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| quoted(&cell)).collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Column;

    #[test]
    fn commas_and_quotes_survive() {
        let mut t = Table::new("1", "t", "", vec![Column::fixed("a, b"), Column::timing("c")]);
        t.push(vec![Cell::text("say \"x\""), Cell::Number(0.1)]);
        assert_eq!(super::table(&t), "\"a, b\",c\n\"say \"\"x\"\"\",0.1\n");
    }
}
