//! Shapes that bodies of particles are made of: rest positions with the signed distance to the surface and its gradient.

use crate::ParticleError;
use pd_core::{Real, Vec3};

/// Particles at rest in the frame of the shape, and how deep each lies below its surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyShape {
    /// Positions, m.
    pub points: Vec<Vec3>,
    /// Signed distance of each to the surface, m; negative inside.
    pub depth: Vec<Real>,
    /// Outward unit gradient of the signed distance at each.
    pub outward: Vec<Vec3>,
}

impl BodyShape {
    /// Samples a shape given by its signed distance and outward normal (m, unit) on a cubic lattice within the box
    /// ± `half`: lattice points whose sphere of diameter `spacing` is inside. With `shell` only those within one and a half
    /// spacings of the surface are kept.
    ///
    /// # Errors
    /// [`ParticleError::TooThin`] if no particle fits.
    pub fn sample(
        half: Vec3,
        spacing: Real,
        shell: bool,
        distance: impl Fn(&Vec3) -> (Real, Vec3),
    ) -> Result<Self, ParticleError> {
        let thin = ParticleError::TooThin { spacing, size: (2.0 * half).into() };
        if !(spacing > 0.0 && spacing.is_finite() && half.iter().all(|c| c.is_finite())) {
            return Err(thin);
        }
        // Rounding must not drop the last layer of a box that is a whole number of spacings wide.
        let tolerance = 1e-9 * spacing;
        let counts = half.map(|h| ((2.0 * h + tolerance) / spacing).floor().max(0.0));
        let mut shape = Self::default();
        let at = |k: Real, axis: usize| (k - 0.5 * (counts[axis] - 1.0)) * spacing;
        for z in 0..counts.z as usize {
            for y in 0..counts.y as usize {
                for x in 0..counts.x as usize {
                    let p = Vec3::new(at(x as Real, 0), at(y as Real, 1), at(z as Real, 2));
                    let (depth, outward) = distance(&p);
                    if depth <= tolerance - 0.5 * spacing && !(shell && depth < -1.5 * spacing) {
                        shape.points.push(p);
                        shape.depth.push(depth);
                        shape.outward.push(outward);
                    }
                }
            }
        }
        if shape.points.is_empty() { Err(thin) } else { Ok(shape) }
    }

    /// A block of nx × ny × nz particles of diameter `spacing` (m), its surface half a spacing outside the outermost.
    ///
    /// # Errors
    /// [`ParticleError::TooThin`] if a count is zero or the spacing is not positive.
    pub fn block(counts: [usize; 3], spacing: Real) -> Result<Self, ParticleError> {
        let half = Vec3::from(counts.map(|n| 0.5 * n as Real * spacing));
        Self::sample(half, spacing, false, |p| block_distance(&half, p))
    }

    /// The outermost particles of a [`block`](Self::block).
    ///
    /// # Errors
    /// Those of [`block`](Self::block).
    pub fn block_shell(counts: [usize; 3], spacing: Real) -> Result<Self, ParticleError> {
        let mut shape = Self::block(counts, spacing)?;
        let keep: Vec<bool> = shape.depth.iter().map(|depth| *depth > -0.75 * spacing).collect();
        shape.retain(|k| keep[k]);
        Ok(shape)
    }

    /// Particles of diameter `spacing` inside a ball of `radius`, m.
    ///
    /// # Errors
    /// [`ParticleError::TooThin`] if none fits.
    pub fn ball(radius: Real, spacing: Real) -> Result<Self, ParticleError> {
        Self::sample(Vec3::repeat(radius), spacing, false, |p| ball_distance(radius, p))
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Keeps the particles for which `keep(number)` holds.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        fn filter<T: Clone>(column: &mut Vec<T>, keep: &impl Fn(usize) -> bool) {
            let mut k = 0;
            column.retain(|_| {
                k += 1;
                keep(k - 1)
            });
        }
        filter(&mut self.points, &keep);
        filter(&mut self.depth, &keep);
        filter(&mut self.outward, &keep);
    }

    /// Drops the deepest particles, so that `count` remain; of equally deep ones the last goes first. As it is if it has no more.
    pub fn keep_outermost(&mut self, count: usize) {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| self.depth[b].total_cmp(&self.depth[a]).then(a.cmp(&b)));
        let mut keep = vec![false; self.len()];
        order.iter().take(count).for_each(|&k| keep[k] = true);
        self.retain(|k| keep[k]);
    }

    pub(crate) fn check(&self) -> Result<(), ParticleError> {
        let expected = self.points.len();
        for (what, got) in
            [("depth of a shape", self.depth.len()), ("gradient of a shape", self.outward.len())]
        {
            if got != expected {
                return Err(ParticleError::Length { what, expected, got });
            }
        }
        if expected == 0 { Err(ParticleError::Empty) } else { Ok(()) }
    }
}

/// Signed distance to a box of half sides `half`, and its gradient; inside, that of the nearest face.
fn block_distance(half: &Vec3, p: &Vec3) -> (Real, Vec3) {
    let q = p.abs() - half;
    let sign = p.map(|c| if c < 0.0 { -1.0 } else { 1.0 });
    if q.max() > 0.0 {
        let out = q.sup(&Vec3::zeros()).component_mul(&sign);
        let length = out.norm();
        return (length, out / length);
    }
    // Particles of an edge or a corner are as near to two or three faces: their mean is the gradient to use.
    let face = q.map(|c| if c > q.max() - 1e-9 * half.max() { 1.0 } else { 0.0 });
    (q.max(), face.component_mul(&sign).normalize())
}

fn ball_distance(radius: Real, p: &Vec3) -> (Real, Vec3) {
    let length = p.norm();
    (length - radius, if length > 0.0 { p / length } else { Vec3::y() })
}
