//! A table: columns that may depend on timing, rows of cells, notes.

use crate::Cell;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The same on every run: names, counts, published figures, errors, iterations.
    Fixed,
    /// Depends on the clock.
    Timing,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Heading.
    pub name: String,
    /// Whether it depends on timing.
    pub kind: Kind,
}

impl Column {
    /// A column that is identical in every run.
    pub fn fixed(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Fixed }
    }

    /// A column that depends on timing.
    pub fn timing(name: impl Into<String>) -> Self {
        Self { name: name.into(), kind: Kind::Timing }
    }
}

/// A table of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Short name, part of file names: "7.2", "7.4-equal".
    pub id: String,
    /// Heading.
    pub title: String,
    /// What was done, in a few sentences.
    pub about: String,
    /// Columns.
    pub columns: Vec<Column>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// Remarks below.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(id: &str, title: &str, about: impl Into<String>, columns: Vec<Column>) -> Self {
        let (id, title, about) = (id.to_owned(), title.to_owned(), about.into());
        Self { id, title, about, columns, rows: vec![], notes: vec![] }
    }

    /// Adds a row; missing cells at the end are empty, and surplus ones are dropped.
    pub fn push(&mut self, mut row: Vec<Cell>) {
        row.resize(self.columns.len(), Cell::Empty);
        self.rows.push(row);
    }

    /// Position of a column by its heading.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The cell of a row under a heading.
    pub fn cell(&self, row: usize, name: &str) -> Option<&Cell> {
        self.rows.get(row)?.get(self.column(name)?)
    }

    /// The row whose first cell reads `name`.
    pub fn row(&self, name: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.first().is_some_and(|cell| cell.to_string() == name))
    }

    /// The table without the columns that depend on timing: identical in every run.
    pub fn without_timings(&self) -> Self {
        let keep: Vec<usize> =
            (0..self.columns.len()).filter(|&c| self.columns[c].kind == Kind::Fixed).collect();
        let columns = keep.iter().map(|&c| self.columns[c].clone()).collect();
        let rows = self.rows.iter().map(|row| keep.iter().map(|&c| row[c].clone()).collect()).collect();
        Self { columns, rows, ..self.clone() }
    }
}
