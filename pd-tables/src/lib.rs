//! Reproduces the published tables: published value, measured value, their ratio, and why they differ.
//!
//! [`report`] creates tables 7.1 to 7.6 of the thesis on GPU projective dynamics and table 4.1 of the one on fluid-solid
//! coupling; [`Report`] writes them as Markdown, CSV, JSON and one self-contained HTML page. [`compare`] measures
//! error against a converged reference over time and iterations, for any stepper and solver.
//!
//! "diverges", "too large", "no device", "model not present" and "not reached" are values ([`Outcome`]), never failures.
//! Columns state whether they depend on timing ([`Kind`]); all others are identical in every run.
//!
//! ```
//! use pd_tables::{Cell, Effort, Id, Lab};
//!
//! let models = pd_sim::ModelPaths::default();
//! let mut lab = Lab::new(&models, Effort::QUICK, 1, &|_| {})?;
//! lab.only = vec!["bar".into()];
//! let report = pd_tables::report(&lab, &[Id::T71], None)?;
//! assert_eq!(report.tables[0].cell(0, "constraints, here"), Some(&Cell::Count(556)));
//! # Ok::<(), pd_tables::TableError>(())
//! ```

mod cell;
pub mod compare;
mod device;
mod docs;
mod lab;
mod machine;
pub mod peers;
pub mod plot;
pub mod published;
pub mod quality;
mod render;
mod report;
mod table;
mod tables;

pub use cell::{Cell, Outcome};
pub use compare::Contender;
pub use device::device_name;
pub use docs::{check_docs, update_docs};
pub use lab::{CONSENSUS_SWEEP, Effort, Lab, Rates, Stand, TableError};
pub use machine::{Machine, threads};
pub use pd_linear::SolverOptions;
pub use report::{Report, report, report_as_it_comes};
pub use table::{Column, Kind, Table};
pub use tables::coupling::WATER_RESOLUTION;
pub use tables::{Figure, Id};
