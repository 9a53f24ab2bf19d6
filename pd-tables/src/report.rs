//! A report: tables, plots, and where, when and how they were measured.

use crate::Table;
use crate::lab::{Lab, TableError};
use crate::machine::Machine;
use crate::peers::PeerRows;
use crate::render::{csv, html, json, markdown};
use crate::tables::{self, Figure, Id, Part};
use std::path::{Path, PathBuf};

/// All that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Where and when.
    pub machine: Machine,
    /// How: effort, threads, rows asked for, as name and value.
    pub settings: Vec<(String, String)>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The pictures.
    pub figures: Vec<Figure>,
}

/// Measures the requested tables; `peers` are measurements of other engines for table 7.6.
pub fn report(lab: &Lab<'_>, ids: &[Id], peers: Option<&PeerRows>) -> Result<Report, TableError> {
    report_as_it_comes(lab, ids, peers, &mut |_| Ok(()))
}

/// As [`report`], and calls `so_far` after each table with the report of all there are, so that a run that is ended early has its tables.
pub fn report_as_it_comes(
    lab: &Lab<'_>,
    ids: &[Id],
    peers: Option<&PeerRows>,
    so_far: &mut dyn FnMut(&Report) -> Result<(), TableError>,
) -> Result<Report, TableError> {
    let machine = Machine::here(); // before the work: the sources may change meanwhile
    let names: Vec<&str> = ids.iter().map(|id| id.name()).collect();
    let effort = &lab.effort;
    let settings = [
        ("tables", names.join(" ")),
        ("effort", effort.name.to_owned()),
        ("seconds a measurement", effort.seconds.to_string()),
        ("seconds a curve", effort.curve_seconds.to_string()),
        ("frames of table 7.6", effort.settle_frames.to_string()),
        ("threads", lab.threads.to_string()),
        ("scenes", if lab.only.is_empty() { "all".into() } else { lab.only.join(" ") }),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let of = |part: &Part| Report {
        machine: machine.clone(),
        settings: settings.clone(),
        tables: part.tables.clone(),
        figures: part.figures.clone(),
    };
    let part = tables::make(lab, ids, peers, &mut |part| so_far(&of(part)))?;
    Ok(of(&part))
}

impl Report {
    /// The table of this short name.
    pub fn table(&self, id: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// As Markdown. With `pictures`, tables are followed by links to the SVG files that [`write`](Self::write) puts
    /// beside it.
    pub fn markdown(&self, pictures: bool) -> String {
        markdown::report(self, pictures)
    }

    /// As one HTML page with everything inside: no script, no link to another file or host.
    pub fn html(&self) -> String {
        html::page(self)
    }

    /// As JSON.
    pub fn json(&self) -> serde_json::Value {
        json::report(self)
    }

    /// Writes `report.md`, `report.html`, `table-*.csv` and the pictures into a directory; returns the files.
    pub fn write(&self, directory: &Path) -> Result<Vec<PathBuf>, TableError> {
        let mut files =
            vec![("report.md".to_owned(), self.markdown(true)), ("report.html".to_owned(), self.html())];
        files.extend(self.tables.iter().map(|table| (format!("table-{}.csv", table.id), csv::table(table))));
        files.extend(self.figures.iter().map(|f| (format!("figure-{}.svg", f.id), f.drawing.svg())));
        std::fs::create_dir_all(directory)
            .map_err(|error| TableError::File { path: directory.to_owned(), error })?;
        files.into_iter().map(|(name, text)| write(&directory.join(name), &text)).collect()
    }
}

/// Writes a file atomically.
pub(crate) fn write(path: &Path, text: &str) -> Result<PathBuf, TableError> {
    let written = pd_mesh::io::write_atomically(path, |out| std::io::Write::write_all(out, text.as_bytes()));
    let error = |error: std::io::Error| TableError::File { path: path.to_owned(), error };
    written.map(|()| path.to_owned()).map_err(|failure| error(std::io::Error::other(failure.to_string())))
}
