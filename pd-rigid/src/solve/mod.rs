//! Solvers of islands, by name.

mod assemble;
pub(crate) mod body;
mod bounce;
pub(crate) mod contact;
mod direct;
mod energy;
pub(crate) mod factor;
mod free;
pub(crate) mod group;
mod hold;
pub(crate) mod lanes;
mod mend;
mod motion;
mod open;
mod place;
pub(crate) mod rows;
mod side;
mod soft;
mod sweep;
pub(crate) mod system;
mod warm;
pub(crate) mod work;
mod xpbd;

pub use direct::Direct;
pub use soft::TgsSoft;
pub use work::Island;
pub use xpbd::Xpbd;

use crate::RigidError;

/// Names of the solvers, the default first; `rattle` is another name of it.
pub const SOLVERS: &[&str] = &["direct", "rattle", "tgs-soft", "xpbd"];

/// Advances one island (bodies that depend on each other through joints and contacts) by a frame.
///
/// Islands are solved in parallel, each by one thread, so a solver may go over its contacts and joints in order.
pub trait RigidSolver: Send + Sync {
    /// Name, as [`SOLVERS`] has it.
    fn name(&self) -> &'static str;

    /// Advances bodies, multipliers and free coordinates of an island by its time step.
    fn solve(&self, island: &mut Island<'_>);
}

/// The solver of a name.
///
/// # Errors
/// [`RigidError::UnknownSolver`].
pub fn solver(name: &str) -> Result<Box<dyn RigidSolver>, RigidError> {
    match name {
        "direct" | "rattle" => Ok(Box::new(Direct)),
        "tgs-soft" => Ok(Box::new(TgsSoft)),
        "xpbd" => Ok(Box::new(Xpbd)),
        _ => Err(RigidError::UnknownSolver { name: name.into(), known: SOLVERS }),
    }
}
