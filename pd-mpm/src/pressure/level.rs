//! One level of the multigrid: (A x)_c = Σ_f a_f (x_c − x_n) + e_c x_c with couplings a_f through faces and e_c to air, its damped
//! Jacobi smoother, and the next coarser level.
//!
//! Coarse levels join 2³ cells. With piecewise constant interpolation the Galerkin product is twice too stiff, so it is
//! halved (Braess 1995).

use pd_core::{Real, exec};

/// Damping of Jacobi.
const OMEGA: Real = 0.8;

/// One level: couplings of each cell to the next along x, y and z, and the diagonal.
#[derive(Default)]
pub(crate) struct Level {
    pub(crate) n: [usize; 3],
    pub(crate) to_next: [Vec<Real>; 3],
    /// Coupling to air.
    pub(crate) air: Vec<Real>,
    pub(crate) diagonal: Vec<Real>,
    pub(super) x: Vec<Real>,
    pub(super) b: Vec<Real>,
    pub(super) r: Vec<Real>,
}

impl Level {
    pub(crate) fn reset(&mut self, n: [usize; 3]) {
        self.n = n;
        let cells = n[0] * n[1] * n[2];
        let [x, y, z] = &mut self.to_next;
        for data in [x, y, z, &mut self.air, &mut self.diagonal, &mut self.x, &mut self.b, &mut self.r] {
            data.clear();
            data.resize(cells, 0.0);
        }
    }

    fn plane(&self) -> usize {
        self.n[1] * self.n[2]
    }

    /// Diagonal from the couplings.
    pub(crate) fn finish(&mut self) {
        let (n, s) = (self.n, [self.n[1] * self.n[2], self.n[2], 1]);
        let Self { to_next, air, diagonal, .. } = self;
        for i in 0..n[0] {
            for j in 0..n[1] {
                for k in 0..n[2] {
                    let c = i * s[0] + j * s[1] + k;
                    let before = [i, j, k];
                    let mut sum = air[c];
                    for a in 0..3 {
                        sum += to_next[a][c] + if before[a] > 0 { to_next[a][c - s[a]] } else { 0.0 };
                    }
                    diagonal[c] = sum;
                }
            }
        }
    }

    /// Σ a P_n over the neighbours of a cell.
    #[inline(always)]
    fn around(&self, x: &[Real], [i, j, k]: [usize; 3], c: usize) -> Real {
        let (n, s) = (self.n, [self.n[1] * self.n[2], self.n[2], 1]);
        let mut sum = 0.0;
        for (a, at) in [i, j, k].into_iter().enumerate() {
            if at + 1 < n[a] {
                sum += self.to_next[a][c] * x[c + s[a]];
            }
            if at > 0 {
                sum += self.to_next[a][c - s[a]] * x[c - s[a]];
            }
        }
        sum
    }

    /// out(c) = f(c, Σ a P_n), plane after plane in parallel.
    pub(super) fn each(&self, x: &[Real], out: &mut [Real], f: impl Fn(usize, Real) -> Real + Sync) {
        let plane = self.plane();
        exec::for_each_chunk(out, plane, |first, out| {
            let i = first / plane;
            for j in 0..self.n[1] {
                for k in 0..self.n[2] {
                    let at = j * self.n[2] + k;
                    out[at] = f(first + at, self.around(x, [i, j, k], first + at));
                }
            }
        });
    }

    /// out = A x.
    pub(crate) fn apply(&self, x: &[Real], out: &mut [Real]) {
        self.each(x, out, |c, around| self.diagonal[c] * x[c] - around);
    }

    pub(super) fn smooth(&self, b: &[Real], x: &mut Vec<Real>, other: &mut Vec<Real>, sweeps: usize) {
        for _ in 0..sweeps {
            let old = &*x;
            self.each(old, other, |c, around| {
                let d = self.diagonal[c];
                if d > 0.0 { old[c] + OMEGA * ((b[c] + around) / d - old[c]) } else { 0.0 }
            });
            std::mem::swap(x, other);
        }
    }

    /// The next coarser level of this one.
    pub(super) fn coarsen(&self, coarse: &mut Level) {
        let (n, m) = (self.n, self.n.map(|n| n.div_ceil(2)));
        coarse.reset(m);
        for i in 0..n[0] {
            for j in 0..n[1] {
                for k in 0..n[2] {
                    let (c, at) = ((i * n[1] + j) * n[2] + k, [i, j, k]);
                    let big = (i / 2 * m[1] + j / 2) * m[2] + k / 2;
                    coarse.air[big] += 0.5 * self.air[c];
                    for a in (0..3).filter(|&a| at[a] % 2 == 1) {
                        coarse.to_next[a][big] += 0.5 * self.to_next[a][c];
                    }
                }
            }
        }
        coarse.finish();
    }
}
