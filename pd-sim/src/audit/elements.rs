//! Tetrahedra turned inside out: det [x₁ − x₀, x₂ − x₀, x₃ − x₀] has another sign than at rest.

use super::above;
use crate::scene::{Object, Scene};
use pd_core::{Real, Vec3};
use pd_mesh::Mesh;

fn volume([a, b, c, d]: [Vec3; 4]) -> Real {
    (b - a).cross(&(c - a)).dot(&(d - a))
}

/// Whether every tetrahedron of every object has a positive determinant at rest.
pub(super) struct Elements(Vec<Vec<bool>>);

impl Elements {
    pub(super) fn of(scene: &Scene) -> Self {
        let of = |object: &Object| match &object.mesh {
            Mesh::Tet(mesh) => {
                mesh.tets.iter().map(|tet| volume(tet.map(|v| mesh.positions[v as usize])) > 0.0).collect()
            }
            Mesh::Tri(_) => vec![],
        };
        Self(scene.objects.iter().map(of).collect())
    }

    /// Tetrahedra turned inside out at positions `x` of all vertices, and the first object that has any.
    pub(super) fn inverted(&self, scene: &Scene, x: &[Vec3]) -> (usize, Option<usize>) {
        let of = |(object, right): (&Object, &Vec<bool>)| {
            let Mesh::Tet(mesh) = &object.mesh else { return 0 };
            let x = &x[object.range()];
            let each = mesh.tets.iter().zip(right);
            // A determinant that is no number is neither.
            let wrong = each.filter(|&(tet, &right)| {
                let volume = volume(tet.map(|v| x[v as usize]));
                above(if right { -volume } else { volume }, 0.0) || volume == 0.0
            });
            wrong.count()
        };
        let counts: Vec<usize> = scene.objects.iter().zip(&self.0).map(of).collect();
        (counts.iter().sum(), counts.iter().position(|&count| count > 0))
    }
}
