//! Continuous collision detection: do two primitives that move meet, and when?
//!
//! Vertices move along straight lines from time 0 to time 1. Three algorithms answer for a vertex and a triangle and for
//! two edges, all with a minimum separation:
//!
//! | name | what it does | misses a hit? | reports a miss as a hit? |
//! | --- | --- | --- | --- |
//! | [`Conservative`] | chain of separating planes with a proven rounding bound | never | only below some 1e-28 of the size |
//! | [`Additive`] | steps of distance over speed (ACCD) | none known, not proven | yes: keeps a tenth of the first gap |
//! | [`Cubic`] | isolated roots of the coplanarity polynomial | by rounding, in degenerate motion | by its tolerance |
//!
//! ```
//! use pd_collide::ccd::{Ccd, Conservative, PointTriangle};
//! use pd_core::Vec3;
//!
//! let triangle = [Vec3::zeros(), Vec3::z(), Vec3::x()];
//! let start = [Vec3::new(0.2, 1.0, 0.2), triangle[0], triangle[1], triangle[2]];
//! let end = [Vec3::new(0.2, -3.0, 0.2), triangle[0], triangle[1], triangle[2]];
//! let hit = Conservative.vertex_triangle(&PointTriangle { start, end, separation: 0.0 });
//! assert!((hit.unwrap() - 0.25).abs() < 1e-12 && hit.unwrap() <= 0.25);
//! ```

mod additive;
mod conservative;
mod cubic;
mod plane;
mod polynomial;
mod query;
mod refine;
mod wide;

pub use additive::Additive;
pub use conservative::Conservative;
pub use cubic::Cubic;
pub use query::{EdgeEdge, PointTriangle};

use pd_core::Real;

/// An algorithm of continuous collision detection.
///
/// Both answers are a time in [0, 1] at or before the first at which the primitives are as near as their separation, or
/// `None` if they never are. What lies before that time is free; at that time itself primitives may touch, so who moves
/// by an answer keeps some distance (a factor of 0.9, say). Input that is not finite counts as a hit at time 0.
pub trait Ccd: Send + Sync {
    /// Name in files and reports.
    fn name(&self) -> &'static str;

    /// First contact of a vertex and a triangle.
    fn vertex_triangle(&self, query: &PointTriangle) -> Option<Real>;

    /// First contact of two edges.
    fn edge_edge(&self, query: &EdgeEdge) -> Option<Real>;

    /// Answers to many queries; one virtual call for all of them.
    fn vertex_triangles(&self, queries: &[PointTriangle], answers: &mut Vec<Option<Real>>) {
        answers.clear();
        answers.extend(queries.iter().map(|query| self.vertex_triangle(query)));
    }

    /// Answers to many queries; one virtual call for all of them.
    fn edge_edges(&self, queries: &[EdgeEdge], answers: &mut Vec<Option<Real>>) {
        answers.clear();
        answers.extend(queries.iter().map(|query| self.edge_edge(query)));
    }
}

/// All algorithms, the safest first.
pub const ALGORITHMS: [&'static dyn Ccd; 3] = [&Conservative, &Additive, &Cubic];

/// The algorithm of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Ccd> {
    ALGORITHMS.into_iter().find(|algorithm| algorithm.name() == name)
}
