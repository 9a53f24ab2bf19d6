//! Bodies of particles from any triangle mesh.
//!
//! *Volume*: points of a cubic lattice that lie inside by at least `inset`; inside is where the generalised winding number is
//! above one half (Jacobson, Kavan, Sorkine-Hornung 2013), so small holes of a scan do no harm.
//! *Surface*: dart throwing on the triangles: a dense, fixed set of candidates, each taken unless one that was taken lies
//! within a spacing; a closed mesh's points are then drawn inwards by `inset`. An open mesh, a sheet, has no inside: its particles get
//! no gradient and touch from both sides.
//!
//! Every particle stores the signed distance to the mesh and its outward gradient, the direction from which bodies leave
//! each other (Macklin et al. 2014, section 5).

use crate::{Axes, BodyShape, Grid, ParticleError};
use pd_collide::mesh::MeshQuery;
use pd_core::{Real, Vec3};

/// Where the particles of a body lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sampling {
    /// On a lattice through the inside.
    #[default]
    Volume,
    /// Near the surface only.
    Surface,
}

/// How a mesh is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleOptions {
    /// Where particles lie.
    pub sampling: Sampling,
    /// Distance of neighbouring particles, m.
    pub spacing: Real,
    /// Least depth of a particle's centre below the surface, in spacings. 0.5 keeps the whole particle inside; less
    /// lets it stand out, and thin parts keep some.
    pub inset: Real,
    /// Farthest that a vertex of the mesh may be from the nearest particle, in spacings.
    pub cover: Real,
}

impl SampleOptions {
    /// Whole particles inside, no part of the mesh farther than four spacings from one.
    pub fn new(sampling: Sampling, spacing: Real) -> Self {
        Self { sampling, spacing, inset: 0.5, cover: 4.0 }
    }
}

/// Lattice points or candidates tried at most.
const MOST_CANDIDATES: Real = 2e8;

/// Candidates of a surface are this share of a spacing apart.
const CANDIDATES: Real = 0.25;

impl BodyShape {
    /// Particles of a mesh.
    ///
    /// ```
    /// use pd_collide::mesh::MeshQuery;
    /// use pd_core::Vec3;
    /// use pd_particles::{BodyShape, SampleOptions, Sampling};
    /// let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
    /// let mesh = MeshQuery::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let shape = BodyShape::from_mesh(&mesh, &SampleOptions::new(Sampling::Volume, 0.05))?;
    /// assert!(shape.depth.iter().all(|depth| *depth < -0.0249));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ParticleError::TooThin`] if no particle fits, [`ParticleError::Uncovered`] if a part of the mesh gets none,
    /// [`ParticleError::Sampling`] if an option is out of its range.
    pub fn from_mesh(mesh: &MeshQuery, options: &SampleOptions) -> Result<Self, ParticleError> {
        let SampleOptions { sampling, spacing, inset, cover } = *options;
        let positive = "it must be positive and finite";
        let least = "it must be zero or positive and finite";
        let wrong = |what, value, expected| Err(ParticleError::Sampling { what, value, expected });
        if !(spacing > 0.0 && spacing.is_finite()) {
            return wrong("spacing", spacing, positive);
        }
        if !(inset >= 0.0 && inset.is_finite()) {
            return wrong("inset", inset, least);
        }
        if cover.is_nan() || cover <= 0.0 {
            return wrong("cover", cover, "it must be positive");
        }
        let shape = match sampling {
            Sampling::Volume => volume(mesh, spacing, inset * spacing)?,
            Sampling::Surface => surface(mesh, spacing, inset * spacing)?,
        };
        shape.check_cover(mesh, spacing, cover)?;
        Ok(shape)
    }

    /// Fails if some vertex of a triangle is farther than `cover` spacings from every particle.
    fn check_cover(&self, mesh: &MeshQuery, spacing: Real, cover: Real) -> Result<(), ParticleError> {
        if !cover.is_finite() {
            return Ok(());
        }
        let mut grid = Grid::default();
        let most = cover * spacing;
        grid.build(&self.points, most, Axes::default());
        for &v in mesh.triangles().as_flattened() {
            let p = &mesh.positions()[v as usize];
            let mut covered = false;
            grid.candidates(p, |range| {
                let near = |&i: &u32| (self.points[i as usize] - p).norm_squared() <= most * most;
                covered = covered || grid.order()[range].iter().any(near);
            });
            if !covered {
                let distances = self.points.iter().map(|q| (q - p).norm());
                let distance = distances.fold(Real::INFINITY, Real::min);
                return Err(ParticleError::Uncovered { spacing, distance, at: (*p).into() });
            }
        }
        Ok(())
    }
}

fn volume(mesh: &MeshQuery, spacing: Real, inset: Real) -> Result<BodyShape, ParticleError> {
    let bounds = mesh.bounds();
    let size = bounds.max - bounds.min;
    // A lattice about the middle of the box, so that symmetric shapes are sampled symmetrically.
    let counts = size.map(|s| ((s - 2.0 * inset) / spacing * (1.0 + 1e-9)).floor() + 1.0);
    check_count(counts.map(|n| n.max(1.0)).product(), spacing)?;
    let (middle, mut shape) = ((bounds.min + bounds.max) / 2.0, BodyShape::default());
    let at = |k: usize, axis: usize| (k as Real - 0.5 * (counts[axis] - 1.0)) * spacing;
    let tolerance = 1e-9 * spacing;
    for z in 0..counts.z.max(0.0) as usize {
        for y in 0..counts.y.max(0.0) as usize {
            for x in 0..counts.x.max(0.0) as usize {
                let p = middle + Vec3::new(at(x, 0), at(y, 1), at(z, 2));
                let (distance, outward) = signed(mesh, &p);
                if distance <= tolerance - inset {
                    shape.points.push(p);
                    shape.depth.push(distance);
                    shape.outward.push(outward);
                }
            }
        }
    }
    if shape.is_empty() { Err(ParticleError::TooThin { spacing, size: size.into() }) } else { Ok(shape) }
}

fn surface(mesh: &MeshQuery, spacing: Real, inset: Real) -> Result<BodyShape, ParticleError> {
    let closed = mesh.check_closed().is_ok();
    let (points, normals) = candidates(mesh, spacing * CANDIDATES)?;
    let mut grid = Grid::default();
    grid.build(&points, spacing, Axes::default());
    let (mut taken, mut shape) = (vec![false; points.len()], BodyShape::default());
    for (k, p) in points.iter().enumerate() {
        let mut free = true;
        grid.candidates(p, |range| {
            let near =
                |&i: &u32| taken[i as usize] && (points[i as usize] - p).norm_squared() < spacing * spacing;
            free = free && !grid.order()[range].iter().any(near);
        });
        if free {
            taken[k] = true;
            let (inner, distance, outward) =
                if closed { drawn_in(mesh, *p, &normals[k], inset) } else { (*p, 0.0, Vec3::zeros()) };
            // Outside is what was drawn inwards through a part that is thinner than the inset.
            if distance <= 1e-9 * spacing {
                shape.points.push(inner);
                shape.depth.push(distance);
                shape.outward.push(outward);
            }
        }
    }
    let size = mesh.bounds().max - mesh.bounds().min;
    if shape.is_empty() { Err(ParticleError::TooThin { spacing, size: size.into() }) } else { Ok(shape) }
}

/// A point of a closed mesh drawn inwards to the depth `inset`: along its triangle's normal first, then, beside an edge, along
/// the gradient.
fn drawn_in(mesh: &MeshQuery, p: Vec3, normal: &Vec3, inset: Real) -> (Vec3, Real, Vec3) {
    let mut p = p - normal * inset;
    let (mut distance, mut outward) = signed(mesh, &p);
    for _ in 0..3 {
        if distance > 1e-6 * inset - inset {
            p -= outward * (distance + inset);
            (distance, outward) = signed(mesh, &p);
        }
    }
    (p, distance, outward)
}

/// Points on all triangles, at most `step` apart, with the normals of their triangles.
fn candidates(mesh: &MeshQuery, step: Real) -> Result<(Vec<Vec3>, Vec<Vec3>), ParticleError> {
    let rows = |[a, b, c]: &[Vec3; 3]| {
        let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
        (longest / step).ceil().max(1.0)
    };
    let triangles = 0..mesh.triangles().len() as u32;
    let total: Real =
        triangles.clone().map(|t| rows(&mesh.corners(t))).map(|n| 0.5 * (n + 1.0) * (n + 2.0)).sum();
    check_count(total, step)?;
    let (mut points, mut normals) = (vec![], vec![]);
    for t in triangles {
        let corners = mesh.corners(t);
        let [a, b, c] = corners;
        let n = rows(&corners) as usize;
        let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (i as Real / n as Real, j as Real / n as Real);
                points.push(a + (b - a) * u + (c - a) * v);
                normals.push(normal);
            }
        }
    }
    Ok((points, normals))
}

fn check_count(count: Real, spacing: Real) -> Result<(), ParticleError> {
    if count <= MOST_CANDIDATES {
        return Ok(());
    }
    let expected = "the mesh would be tried at more than 200 million points; it must be larger";
    Err(ParticleError::Sampling { what: "spacing", value: spacing, expected })
}

/// Signed distance to a mesh, m, and its outward unit gradient.
fn signed(mesh: &MeshQuery, p: &Vec3) -> (Real, Vec3) {
    let nearest = mesh.closest(p);
    let inside = mesh.winding_number(p) > 0.5;
    let out = if inside { nearest.point - p } else { p - nearest.point };
    // On the surface itself the direction to it is lost: the triangle's normal is the gradient there.
    let face = || {
        let [a, b, c] = mesh.corners(nearest.triangle);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vec3::y)
    };
    let size = (mesh.bounds().max - mesh.bounds().min).amax();
    let outward = out.try_normalize(1e-12 * size).unwrap_or_else(face);
    (if inside { -nearest.distance } else { nearest.distance }, outward)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box about the origin, outward.
    fn block(half: Vec3) -> MeshQuery {
        let corner = |k: usize| {
            let side = |axis: usize| if k >> axis & 1 == 1 { half[axis] } else { -half[axis] };
            Vec3::new(side(0), side(1), side(2))
        };
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        MeshQuery::new((0..8).map(corner).collect(), triangles).unwrap()
    }

    #[test]
    fn a_box_of_whole_spacings_is_the_block_of_particles() {
        let shape = BodyShape::from_mesh(
            &block(Vec3::new(0.2, 0.3, 0.1)),
            &SampleOptions::new(Sampling::Volume, 0.1),
        )
        .unwrap();
        let same = BodyShape::block([4, 6, 2], 0.1).unwrap();
        assert_eq!(shape.len(), same.len());
        for k in 0..shape.len() {
            assert!((shape.points[k] - same.points[k]).norm() < 1e-12);
            assert!((shape.depth[k] - same.depth[k]).abs() < 1e-12);
            // Along an edge the mesh knows one of the nearest faces, the block their mean.
            assert!(shape.outward[k].dot(&same.outward[k]) > 0.5, "{k}");
        }
    }

    #[test]
    fn surface_particles_are_a_spacing_apart_and_leave_no_gap() {
        let half = Vec3::new(0.3, 0.2, 0.4);
        let options = SampleOptions { inset: 0.0, ..SampleOptions::new(Sampling::Surface, 0.05) };
        let mesh = block(half);
        let shape = BodyShape::from_mesh(&mesh, &options).unwrap();
        let nearest = |p: &Vec3, but: usize| {
            let others = shape.points.iter().enumerate().filter(|(k, _)| *k != but);
            others.map(|(_, q)| (q - p).norm()).fold(Real::INFINITY, Real::min)
        };
        for (k, p) in shape.points.iter().enumerate() {
            assert!(nearest(p, k) >= 0.05 - 1e-12);
            assert!(shape.depth[k].abs() < 1e-12);
            let face = (0..3).filter(|&a| (p[a].abs() - half[a]).abs() < 1e-12);
            assert!(face.count() >= 1);
        }
        // Every point of the surface is nearer than a spacing (and the distance of candidates) to a particle.
        let (all, _) = candidates(&mesh, 0.02).unwrap();
        assert!(all.iter().all(|p| nearest(p, usize::MAX) < 0.05 * 1.3));
        let inner = BodyShape::from_mesh(&mesh, &SampleOptions::new(Sampling::Surface, 0.05)).unwrap();
        assert!(inner.depth.iter().all(|d| (*d + 0.025).abs() < 1e-9));
    }

    #[test]
    fn an_open_sheet_has_no_inside_but_a_surface() {
        let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::new(1.0, 0.0, 1.0), Vec3::z()];
        let sheet = MeshQuery::new(corners, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
        let volume = BodyShape::from_mesh(&sheet, &SampleOptions::new(Sampling::Volume, 0.1));
        assert!(matches!(volume, Err(ParticleError::TooThin { .. })));
        let surface = BodyShape::from_mesh(&sheet, &SampleOptions::new(Sampling::Surface, 0.1)).unwrap();
        assert!(surface.len() > 60);
        assert!(surface.points.iter().all(|p| p.y == 0.0) && surface.outward.iter().all(|n| n.norm() == 0.0));
    }

    #[test]
    fn a_mesh_too_thin_is_named_with_its_numbers() {
        // A plate thinner than a particle, and a block with a needle on it.
        let plate = BodyShape::from_mesh(
            &block(Vec3::new(1.0, 0.02, 1.0)),
            &SampleOptions::new(Sampling::Volume, 0.1),
        );
        assert!(matches!(plate, Err(ParticleError::TooThin { spacing, .. }) if spacing == 0.1));
        let (thick, thin) = (block(Vec3::repeat(0.25)), block(Vec3::new(0.01, 1.5, 0.01)));
        let mut positions = thick.positions().to_vec();
        positions.extend(thin.positions());
        let mut triangles = thick.triangles().to_vec();
        triangles.extend(thin.triangles().iter().map(|t| t.map(|v| v + 8)));
        let both = MeshQuery::new(positions, triangles).unwrap();
        let options = SampleOptions::new(Sampling::Volume, 0.1);
        let fault = BodyShape::from_mesh(&both, &options).unwrap_err();
        let ParticleError::Uncovered { distance, at, .. } = fault else { panic!("{fault}") };
        assert!(distance > 1.2 && at[1].abs() == 1.5);
        let wanted = SampleOptions { cover: Real::INFINITY, ..options };
        // 5 × 4 × 5 particles, without those beside the needle's own surface.
        assert_eq!(BodyShape::from_mesh(&both, &wanted).unwrap().len(), 96);
        for bad in [0.0, -1.0, Real::NAN, 1e-9] {
            let fault = BodyShape::from_mesh(&thick, &SampleOptions::new(Sampling::Volume, bad));
            assert!(matches!(fault, Err(ParticleError::Sampling { what: "spacing", .. })), "{bad}");
        }
    }
}
