//! Barycentric skinning: every vertex x of a fine surface follows one tetrahedron, x = Σ w_i x_i with Σ w_i = 1. Vertices
//! outside the solid are bound to the nearest tetrahedron with weights outside [0, 1].

use crate::geometry::{Bounds, Bvh, closest_on_triangle};
use crate::{MeshError, TetMesh, TriMesh, Vec3};

/// One vertex of the surface: the tetrahedron it follows and its weights, which sum to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Embedding {
    /// 0-based tetrahedron.
    pub tet: u32,
    /// Barycentric coordinates, in the order of the tetrahedron's corners.
    pub weights: [f64; 4],
}

/// A surface embedded in a solid.
///
/// ```
/// use pd_mesh::{Vec3, generate, tetrahedralize::Skin};
/// let mut bar = generate::bar(1, 1, 3, 1.0)?;
/// let surface = generate::sphere(16, 8, 0.4)?;
/// let skin = Skin::new(&surface, &bar)?;
/// bar.translate(Vec3::y());
/// let moved = skin.positions(&bar.positions);
/// assert!((moved[0] - surface.positions[0] - Vec3::y()).norm() < 1e-12);
/// # Ok::<(), pd_mesh::MeshError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// One per vertex of the surface.
    pub embeddings: Vec<Embedding>,
    /// Corners of the tetrahedra, one per embedding.
    pub corners: Vec<[u32; 4]>,
    /// The triangles of the surface.
    pub triangles: Vec<[u32; 3]>,
}

impl Skin {
    /// Binds every vertex of `surface` to the tetrahedron of `solid` that contains it or is nearest.
    ///
    /// # Errors
    /// A mesh that is not valid, or a solid without volume.
    pub fn new(surface: &TriMesh, solid: &TetMesh) -> Result<Self, MeshError> {
        surface.validate()?;
        solid.validate()?;
        let usable: Vec<(u32, [Vec3; 4])> = (0..)
            .zip(solid.tets.iter().map(|tet| tet.map(|v| solid.positions[v as usize])))
            .filter(|(_, x)| weights(x[0], *x).is_some())
            .collect();
        if usable.is_empty() {
            return Err(MeshError::NoElements {
                element: "tetrahedron with volume",
                vertices: solid.positions.len(),
            });
        }
        let boxes: Vec<Bounds> = usable.iter().map(|(_, x)| Bounds::of(x)).collect();
        let bvh = Bvh::new(&boxes);
        let embeddings: Vec<Embedding> = surface.positions.iter().map(|&x| embed(x, &usable, &bvh)).collect();
        let corners = embeddings.iter().map(|one| solid.tets[one.tet as usize]).collect();
        Ok(Self { embeddings, corners, triangles: surface.triangles.clone() })
    }

    /// Positions of the surface when the solid has these positions, in metres.
    #[must_use]
    pub fn positions(&self, solid: &[Vec3]) -> Vec<Vec3> {
        let one = |(embedding, corners): (&Embedding, &[u32; 4])| {
            let mut x = Vec3::zeros();
            for (weight, &v) in embedding.weights.iter().zip(corners) {
                x += solid[v as usize] * *weight;
            }
            x
        };
        self.embeddings.iter().zip(&self.corners).map(one).collect()
    }
}

/// The tetrahedron that contains `x` or is nearest to it; of equals the one with the lower number.
fn embed(x: Vec3, tets: &[(u32, [Vec3; 4])], bvh: &Bvh) -> Embedding {
    let mut best = (f64::INFINITY, usize::MAX);
    bvh.nearest(x, f64::INFINITY, |item, limit| {
        let squared = squared_distance(x, &tets[item].1);
        if (squared, item) < best {
            best = (squared, item);
        }
        // Slightly above the best, so that an equal one with a lower number is still looked at.
        limit.min(best.0 * (1.0 + 1e-12) + f64::MIN_POSITIVE)
    });
    let (tet, corners) = tets[best.1.min(tets.len() - 1)];
    // `usable` holds only tetrahedra for which the weights exist.
    Embedding { tet, weights: weights(x, corners).unwrap_or([0.25; 4]) }
}

/// Squared distance to a tetrahedron, 0 inside.
fn squared_distance(q: Vec3, x: &[Vec3; 4]) -> f64 {
    if weights(q, *x).is_some_and(|w| w.iter().all(|&w| w >= 0.0)) {
        return 0.0;
    }
    let face = |[a, b, c]: [usize; 3]| (closest_on_triangle(q, [x[a], x[b], x[c]]) - q).norm_squared();
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map(face).into_iter().fold(f64::INFINITY, f64::min)
}

/// Barycentric coordinates of `q`, or `None` for a tetrahedron without volume.
fn weights(q: Vec3, [a, b, c, d]: [Vec3; 4]) -> Option<[f64; 4]> {
    let det = |u: Vec3, v: Vec3, w: Vec3| u.dot(&v.cross(&w));
    let volume = det(b - a, c - a, d - a);
    let w = [
        det(q - a, c - a, d - a) / volume,
        det(b - a, q - a, d - a) / volume,
        det(b - a, c - a, q - a) / volume,
    ];
    let first = 1.0 - w[0] - w[1] - w[2];
    (volume != 0.0 && first.is_finite() && w.iter().all(|w| w.is_finite()))
        .then_some([first, w[0], w[1], w[2]])
}
