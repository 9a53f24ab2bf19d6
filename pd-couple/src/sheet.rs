//! Surfaces of elastic bodies that other matter meets: cloth from both sides, solids from outside.

use crate::CoupleError;
use pd_core::Real;

/// The surface of one elastic body.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// Name for errors and reports.
    pub name: String,
    /// Triangles of elastic vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Vertices that triangles use, ascending; filled by [`new`](Self::new).
    pub vertices: Vec<u32>,
    /// Points are kept at half of this distance, beside their own radius, m.
    pub thickness: Real,
    /// Coulomb friction coefficient.
    pub friction: Real,
    /// Mass per area of the surface, kg/m²: what the staggered scheme asks for.
    pub mass_per_area: Real,
}

impl Sheet {
    /// A sheet of these triangles.
    ///
    /// # Errors
    /// [`CoupleError::Parameter`] for a thickness, friction or mass that is not in its range.
    pub fn new(
        name: impl Into<String>,
        triangles: Vec<[u32; 3]>,
        thickness: Real,
        friction: Real,
        mass_per_area: Real,
    ) -> Result<Self, CoupleError> {
        let positive = "it must be positive and finite";
        for (name, value) in [("thickness of a sheet", thickness), ("mass per area", mass_per_area)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(CoupleError::Parameter { name, value, expected: positive });
            }
        }
        if !(friction >= 0.0 && friction.is_finite()) {
            let expected = "it must be zero or positive and finite";
            return Err(CoupleError::Parameter { name: "friction", value: friction, expected });
        }
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        Ok(Self { name: name.into(), triangles, vertices, thickness, friction, mass_per_area })
    }
}
