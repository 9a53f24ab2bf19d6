//! Generated bodies with documented vertex numbers, so that scenes can pin vertices by number and tables by count.
//!
//! | generator | body | vertices |
//! |---|---|---|
//! | [`grid`] | cloth in the plane y = 0 | (rows+1)(columns+1) |
//! | [`hemisphere`] | open shell, one vertex per sector at the pole | sectors (stacks+1) |
//! | [`cylinder`] | open tube along y | sectors (stacks+1) |
//! | [`cone`] | closed cone along y | sectors·stacks + 2 |
//! | [`sphere`] | closed lat-long sphere | sectors (stacks−1) + 2 |
//! | [`torus`] | closed ring about y | major·minor |
//! | [`bar`] | solid w × h × d cubes, 5 tetrahedra each | (w+1)(h+1)(d+1) |
//! | [`ball`] | solid ball | (n+1)³ + layers (6n²+2) |
//! | [`creature`] | thick-walled body on four legs | (6k²+2)(layers+1) |
//!
//! Lengths are in metres. All bodies are centred at the origin unless documented otherwise. Errors name the parameter.

mod ball;
mod bar;
mod creature;
mod cube_shell;
mod grid;
mod hexahedron;
mod revolution;
mod torus;

pub use ball::ball;
pub use bar::bar;
pub use creature::{armadillo_class, ball_class, bunny_class, creature, creature_with_cells, dragon_class};
pub use grid::grid;
pub use revolution::{cone, cylinder, hemisphere, sphere};
pub use torus::torus;

use crate::MeshError;

/// A count must be at least `least`.
fn at_least(parameter: &'static str, value: usize, least: usize) -> Result<(), MeshError> {
    if value < least { Err(MeshError::CountTooSmall { parameter, value, least }) } else { Ok(()) }
}

/// A length must be positive and finite.
fn positive(parameter: &'static str, value: f64) -> Result<(), MeshError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(MeshError::BadLength { parameter, value, expected: "a positive finite length" })
    }
}

/// Product of the factors, if a generator may make that many vertices.
fn checked_count(factors: &[usize]) -> Result<usize, MeshError> {
    let vertices = factors.iter().fold(1u128, |product, &factor| product.saturating_mul(factor as u128));
    if vertices <= MAX_VERTICES {
        Ok(vertices as usize)
    } else {
        Err(MeshError::TooManyVertices { vertices })
    }
}

/// Largest generated mesh: about 7 GB for a solid. A larger request is probably a typing error, and the
/// allocation would abort the program.
const MAX_VERTICES: u128 = 1 << 26;
