//! The tables, one file each.

mod ccd;
mod consensus;
mod counts;
pub(crate) mod coupling;
mod engines;
mod equal_error;
mod laboratory;
mod local_step;
mod particles;
mod plain_tets;
mod rates;
mod rigid;
mod solvers;

use crate::Table;
use crate::lab::{Lab, TableError};
use crate::peers::PeerRows;
use crate::plot::Drawing;

/// A picture of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Short name, part of file names.
    pub id: String,
    /// The table it belongs to.
    pub table: String,
    /// The picture.
    pub drawing: Drawing,
}

/// Tables and pictures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Part {
    /// Tables.
    pub(crate) tables: Vec<Table>,
    /// Pictures.
    pub(crate) figures: Vec<Figure>,
}

/// A table of a thesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// Counts of the scenes.
    T71,
    /// Precomputation and frame rates.
    T72,
    /// The local step over its size.
    T73,
    /// Global solvers: direct, naive Jacobi, A-Jacobi of order 1.
    T74,
    /// Global solvers: A-Jacobi of order 2 and 3.
    T75,
    /// Other engines.
    T76,
    /// Consensus ADMM against projective dynamics.
    T41,
    /// All steppers at equal error.
    Laboratory,
    /// Rigid bodies: table 1 of the XPBD report.
    Rigid,
    /// Scenes of the unified-particle report.
    Particles,
    /// Tables 4.1 and 4.2 and the mixed scene of the coupling thesis.
    Coupling,
}

impl Id {
    /// All, in the order of reports.
    pub const ALL: [Self; 11] = [
        Self::T71,
        Self::T72,
        Self::T73,
        Self::T74,
        Self::T75,
        Self::T76,
        Self::T41,
        Self::Laboratory,
        Self::Rigid,
        Self::Particles,
        Self::Coupling,
    ];

    /// Its number.
    pub fn name(self) -> &'static str {
        match self {
            Self::T71 => "7.1",
            Self::T72 => "7.2",
            Self::T73 => "7.3",
            Self::T74 => "7.4",
            Self::T75 => "7.5",
            Self::T76 => "7.6",
            Self::T41 => "4.1",
            Self::Laboratory => "lab",
            Self::Rigid => "rigid",
            Self::Particles => "particles",
            Self::Coupling => "coupling",
        }
    }

    /// Reads numbers of tables; `all`, or none at all, means every one. The answer is in the order of reports.
    ///
    /// ```
    /// use pd_tables::Id;
    /// assert_eq!(Id::parse(&["7.3".into(), "7.1".into()])?, [Id::T71, Id::T73]);
    /// assert_eq!(Id::parse(&[])?, Id::ALL);
    /// assert!(Id::parse(&["7.9".into()]).unwrap_err().to_string().contains("7.6"));
    /// # Ok::<(), pd_tables::TableError>(())
    /// ```
    pub fn parse(names: &[String]) -> Result<Vec<Self>, TableError> {
        let mut ids = vec![];
        for name in names {
            if name == "all" {
                ids.extend(Self::ALL);
            } else if let Some(&id) = Self::ALL.iter().find(|id| id.name() == name) {
                ids.push(id);
            } else {
                let known = Self::ALL.map(Self::name).join(", ");
                return Err(TableError::Unknown { name: name.clone(), known });
            }
        }
        if names.is_empty() {
            ids.extend(Self::ALL);
        }
        ids.sort();
        ids.dedup();
        Ok(ids)
    }
}

/// Measures the requested tables. `peers` are the measurements of other engines, if they were taken. `done` is called after each table
/// with all there are.
pub(crate) fn make(
    lab: &Lab<'_>,
    ids: &[Id],
    peers: Option<&PeerRows>,
    done: &mut dyn FnMut(&Part) -> Result<(), TableError>,
) -> Result<Part, TableError> {
    let mut whole = Part::default();
    let mut add = |part: Part| -> Result<(), TableError> {
        whole.tables.extend(part.tables);
        whole.figures.extend(part.figures);
        done(&whole)
    };
    for &id in ids {
        match id {
            Id::T71 => add(counts::make(lab)?)?,
            Id::T72 => add(rates::make(lab)?)?,
            Id::T73 => add(local_step::make(lab)?)?,
            Id::T74 => add(solvers::make(lab, "7.4", &[0, 1, 2])?)?,
            Id::T75 => add(solvers::make(lab, "7.5", &[3, 4])?)?,
            Id::T76 => add(engines::make(lab, peers)?)?,
            Id::T41 => add(consensus::make(lab)?)?,
            Id::Laboratory => add(laboratory::make(lab)?)?,
            Id::Rigid => add(rigid::make(lab)?)?,
            Id::Particles => add(particles::make(lab)?)?,
            Id::Coupling => add(coupling::make(lab, !ids.contains(&Id::T41), peers)?)?,
        }
        // Tables 7.4 and 7.5 are one table in two halves; what is measured at equal error belongs to both.
        let last_of_pair = match id {
            Id::T74 => !ids.contains(&Id::T75),
            Id::T75 => true,
            _ => false,
        };
        if last_of_pair {
            add(equal_error::make(lab)?)?;
        }
    }
    Ok(whole)
}

/// Name of a row measured on a stand-in.
fn row_name(name: &str, stand: crate::lab::Stand) -> String {
    match stand {
        crate::lab::Stand::Twin(_) => format!("{name} (twin)"),
        _ => name.to_owned(),
    }
}
