//! Velocities on the faces of cells (Harlow, Welch 1965): component a of the velocity lives in the middle of the faces that
//! are normal to axis a, so that the volume rate out of a cell needs no average.
//!
//! Particles to faces and back by trilinear weights, affine (Jiang et al. 2015): u_f = Σ w m (v_a + c_a·(x_f − x_p)) / Σ w m;
//! v_a = Σ w u_f, c_a = Σ u_f ∇w. Planes of faces normal to x are the unit of work: each plane adds up the particles of the
//! cells beside it in their order, so no two threads write one place.

use pd_core::{Real, Vec3, exec};

/// One component of the velocity.
#[derive(Default)]
pub(crate) struct Faces {
    /// Faces along x, y and z.
    pub(crate) n: [usize; 3],
    /// Place of the first face in cells, from the corner of the domain.
    pub(crate) first: [Real; 3],
    pub(crate) u: Vec<Real>,
    /// Momentum and mass, then velocity and mass.
    pub(crate) sums: Vec<[Real; 2]>,
    /// Velocity before forces.
    pub(crate) old: Vec<Real>,
    /// Velocity that particles move with: that of the water, and what restores its density.
    pub(crate) shift: Vec<Real>,
    /// Part of the face's box of fluid that is outside of solids.
    pub(crate) open: Vec<Real>,
    /// What solids other than bodies drive through the closed part, m/s.
    pub(crate) drift: Vec<Real>,
    pub(crate) known: Vec<bool>,
    next: Vec<bool>,
}

/// The particles of a substep, sorted by cell.
pub(crate) struct Sorted<'a> {
    /// Positions relative to the corner in cells.
    pub(crate) x: &'a [Vec3],
    pub(crate) order: &'a [u32],
    /// Where the particles of a cell begin in `order`.
    pub(crate) start: &'a [u32],
    pub(crate) cells: [usize; 3],
}

impl Sorted<'_> {
    /// Calls `f` with each particle whose trilinear weight at plane `i` of a lattice that begins at `first` cells can be positive.
    fn near_plane(&self, i: usize, first: Real, mut f: impl FnMut(usize)) {
        let plane = self.cells[1] * self.cells[2];
        let middle = i as Real + first;
        let low = (middle - 1.0).floor().max(0.0) as usize;
        let high = ((middle + 1.0).ceil() as usize).min(self.cells[0]);
        if low >= high {
            return;
        }
        let range = self.start[low * plane] as usize..self.start[high * plane] as usize;
        for &k in &self.order[range] {
            f(k as usize);
        }
    }
}

/// Lower lattice point and fraction along an axis with `n` points that begins at `first`; clamped to the lattice.
#[inline(always)]
pub(crate) fn locate(x: Real, first: Real, n: usize) -> (usize, Real) {
    if n < 2 {
        return (0, 0.0);
    }
    let s = (x - first).clamp(0.0, (n - 1) as Real);
    let k = (s as usize).min(n - 2);
    (k, s - k as Real)
}

/// Adds `value(particle, offset)` times the weight for one plane of a lattice; `offset` is from the particle to the point, in cells.
fn add_plane<const N: usize>(
    sorted: &Sorted<'_>,
    n: [usize; 3],
    first: [Real; 3],
    i: usize,
    out: &mut [[Real; N]],
    value: impl Fn(usize, [Real; 3]) -> [Real; N],
) {
    out.fill([0.0; N]);
    sorted.near_plane(i, first[0], |p| {
        let x = &sorted.x[p];
        let (ix, fx) = locate(x.x, first[0], n[0]);
        let wx = if ix == i {
            1.0 - fx
        } else if ix + 1 == i {
            fx
        } else {
            return;
        };
        let ((j, fy), (k, fz)) = (locate(x.y, first[1], n[1]), locate(x.z, first[2], n[2]));
        for (dj, wy) in [(0, 1.0 - fy), (1, fy)] {
            for (dk, wz) in [(0, 1.0 - fz), (1, fz)] {
                let w = wx * wy * wz;
                if w > 0.0 {
                    let at = [
                        i as Real + first[0] - x.x,
                        (j + dj) as Real + first[1] - x.y,
                        (k + dk) as Real + first[2] - x.z,
                    ];
                    let value = value(p, at);
                    let out = &mut out[(j + dj) * n[2] + k + dk];
                    (0..N).for_each(|a| out[a] += w * value[a]);
                }
            }
        }
    });
}

/// Σ w V of the particles at the middles of cells.
pub(crate) fn fill(sorted: &Sorted<'_>, volumes: &[Real], out: &mut [[Real; 1]]) {
    let n = sorted.cells;
    exec::for_each_chunk(out, n[1] * n[2], |first, out| {
        add_plane(sorted, n, [0.5; 3], first / (n[1] * n[2]), out, |p, _| [volumes[p]]);
    });
}

impl Faces {
    pub(crate) fn reset(&mut self, axis: usize, cells: [usize; 3]) {
        self.n = cells;
        self.n[axis] += 1;
        self.first = [0.5; 3];
        self.first[axis] = 0.0;
        let count = self.n[0] * self.n[1] * self.n[2];
        self.sums.resize(count, [0.0; 2]);
        for data in [&mut self.u, &mut self.old, &mut self.shift, &mut self.open, &mut self.drift] {
            data.resize(count, 0.0);
        }
        self.open.fill(1.0);
        self.drift.fill(0.0);
        self.known.resize(count, false);
        self.next.resize(count, false);
    }

    pub(crate) fn place(&self, c: usize) -> [usize; 3] {
        [c / (self.n[1] * self.n[2]), c / self.n[2] % self.n[1], c % self.n[2]]
    }

    /// From particles; `value` gives velocity and mass of a particle at an offset in cells.
    pub(crate) fn add_particles(
        &mut self,
        sorted: &Sorted<'_>,
        value: impl Fn(usize, [Real; 3]) -> [Real; 2] + Sync,
    ) {
        let (n, first, plane) = (self.n, self.first, self.n[1] * self.n[2]);
        exec::for_each_chunk(&mut self.sums, plane, |from, out| {
            add_plane(sorted, n, first, from / plane, out, |p, at| {
                let [v, m] = value(p, at);
                [v * m, m]
            });
        });
        for (c, [momentum, mass]) in self.sums.iter().enumerate() {
            self.known[c] = *mass > 0.0;
            self.u[c] = if *mass > 0.0 { momentum / mass } else { 0.0 };
        }
    }

    /// Gives faces that are not known the mean of their known neighbours, layer after layer.
    pub(crate) fn extrapolate(&mut self, layers: usize) {
        let (n, s) = (self.n, [self.n[1] * self.n[2], self.n[2], 1]);
        for _ in 0..layers {
            self.next.copy_from_slice(&self.known);
            for c in 0..self.u.len() {
                if self.known[c] {
                    continue;
                }
                let at = self.place(c);
                let (mut sum, mut shift, mut count) = (0.0, 0.0, 0.0);
                for a in 0..3 {
                    let below = (at[a] > 0).then(|| c - s[a]);
                    let above = (at[a] + 1 < n[a]).then(|| c + s[a]);
                    for other in [below, above].into_iter().flatten().filter(|o| self.known[*o]) {
                        sum += self.u[other];
                        shift += self.shift[other];
                        count += 1.0;
                    }
                }
                if count > 0.0 {
                    (self.u[c], self.shift[c]) = (sum / count, shift / count);
                    self.next[c] = true;
                }
            }
            std::mem::swap(&mut self.known, &mut self.next);
        }
    }

    /// Value and gradient (per cell) at a place in cells, of `data` on these faces.
    #[inline]
    pub(crate) fn at(&self, data: &[Real], x: &Vec3) -> (Real, Vec3) {
        let (n, s) = (self.n, [self.n[1] * self.n[2], self.n[2]]);
        let at: [(usize, Real); 3] = std::array::from_fn(|a| locate(x[a], self.first[a], n[a]));
        let step = |a: usize| usize::from(n[a] > 1);
        let base = at[0].0 * s[0] + at[1].0 * s[1] + at[2].0;
        let [fx, fy, fz] = at.map(|(_, f)| f);
        let (dx, dy, dz) = (step(0) * s[0], step(1) * s[1], step(2));
        let row = |c: usize| (data[c] + fz * (data[c + dz] - data[c]), data[c + dz] - data[c]);
        let side = |c: usize| {
            let ((a, ga), (b, gb)) = (row(c), row(c + dy));
            (a + fy * (b - a), b - a, ga + fy * (gb - ga))
        };
        let ((a, ay, az), (b, by, bz)) = (side(base), side(base + dx));
        (a + fx * (b - a), Vec3::new(b - a, ay + fx * (by - ay), az + fx * (bz - az)))
    }
}
