//! The pressure equation of a substep: which cells are water, what makes their flow free of divergence and their density that of
//! rest, and what that does to faces and bodies.

use super::faces::Faces;
use super::poisson::BodyRows;
use super::{LAYERS, PressureStepper, solids};
use nalgebra::Vector6;
use pd_core::{Collider, Real, Vec3};

/// A cell is water from this fill on.
const FULL: Real = 0.5;
/// The surface is never nearer to the middle of a cell than this, in cells.
const NEAREST: Real = 0.1;
/// Most iterations of a solve.
const MOST_ITERATIONS: usize = 200;

impl PressureStepper {
    /// Open parts of faces, rows of bodies, full cells.
    pub(super) fn classify(&mut self, colliders: &[Box<dyn Collider>], time: Real) {
        let (n, model) = (self.cells(), self.model.clone());
        self.open.clear();
        self.open.resize(self.fill.len(), 1.0);
        solids::obstacles(&model, colliders, time, &mut self.faces, &mut self.open);
        self.rates.resize(self.fill.len(), Vector6::zeros());
        self.rows.resize_with(model.bodies.len(), BodyRows::default);
        for (body, rows) in model.bodies.iter().zip(&mut self.rows) {
            let (p, q) = (&self.bodies.p[body.body], &self.bodies.q[body.body]);
            solids::body(&model, body, p, q, &mut self.faces, &mut self.open, &mut self.rates, rows);
        }
        self.measure_fill();
        // Nothing flows through a face of the domain.
        for (axis, faces) in self.faces.iter_mut().enumerate() {
            for f in 0..faces.u.len() {
                if [0, n[axis]].contains(&faces.place(f)[axis]) {
                    (faces.drift[f], faces.u[f]) = (0.0, 0.0);
                }
            }
        }
        self.report.water_cells = self.water.iter().filter(|w| **w).count();
    }

    /// How full the cells are of water. What little is open of a cell inside of a solid says nothing by itself, because of the
    /// few particles there; it takes part in its neighbours' as far as faces to them are open. Were it air, pressure would
    /// vanish there.
    fn measure_fill(&mut self) {
        let n = self.cells();
        let (stride, inverse) = ([n[1] * n[2], n[2], 1], 1.0 / self.model.dx.powi(3));
        self.water.resize(self.fill.len(), false);
        self.matter.clear();
        self.matter.extend(self.fill.iter().map(|[volume]| volume * inverse));
        for c in 0..self.fill.len() {
            let (mut matter, mut open) = (self.matter[c], self.open[c]);
            if open < 1.0 {
                let share = 1.0 - open;
                for (side, (f, axis)) in sides(&self.faces, n, c).into_iter().enumerate() {
                    let (faces, upper) = (&self.faces[axis], side % 2 == 1);
                    let at = faces.place(f)[axis];
                    if at > 0 && at < n[axis] {
                        let other = if upper { c + stride[axis] } else { c - stride[axis] };
                        matter += share * faces.open[f] * self.matter[other];
                        open += share * faces.open[f] * self.open[other];
                    }
                }
            }
            let fill = if open > 0.0 { matter / open } else { 0.0 };
            self.fill[c][0] = fill;
            self.water[c] = fill >= FULL;
        }
    }

    /// Distance from the middle of a full cell to the surface on the way to an empty one, in cells.
    fn to_surface(&self, full: usize, empty: usize) -> Real {
        let (a, b) = (self.fill[full][0].min(1.0), self.fill[empty][0]);
        ((a - FULL) / (a - b)).clamp(NEAREST, 1.0)
    }

    /// The pressure equation of this substep.
    pub(super) fn project(&mut self, gravity: Vec3, h: Real) {
        let (n, dx, model) = (self.cells(), self.model.dx, self.model.clone());
        let law = &model.materials[0].law;
        let stride = [n[1] * n[2], n[2], 1];
        let unit = dx / law.density();
        let mut level = std::mem::take(self.grid.finest());
        level.reset(n);
        for right in [&mut self.right, &mut self.source] {
            right.clear();
            right.resize(self.fill.len(), 0.0);
        }
        for c in (0..self.fill.len()).filter(|c| self.water[*c]) {
            let mut out = 0.0;
            let mut deep = true;
            for (side, (f, axis)) in sides(&self.faces, n, c).into_iter().enumerate() {
                let (faces, upper) = (&self.faces[axis], side % 2 == 1);
                let at = faces.place(f)[axis];
                if at == 0 || at == n[axis] {
                    continue;
                }
                let sign = if upper { 1.0 } else { -1.0 };
                out += sign * (faces.open[f] * faces.u[f] + faces.drift[f]) * dx * dx;
                if faces.open[f] == 0.0 {
                    continue;
                }
                let other = if upper { c + stride[axis] } else { c - stride[axis] };
                if !self.water[other] {
                    deep = false;
                    level.air[c] += faces.open[f] * unit / self.to_surface(c, other);
                } else if upper {
                    level.to_next[axis][c] = faces.open[f] * unit;
                }
            }
            let excess = (self.fill[c][0] - 1.0).clamp(-0.5, 0.5);
            self.source[c] = match law.anchor_time() {
                Some(time) if deep || excess > 0.0 => excess / time.max(h) * self.open[c] * dx * dx * dx,
                _ => 0.0,
            };
            self.right[c] = -out;
        }
        for (body, rows) in model.bodies.iter().zip(&self.rows) {
            let (v, w) = (&self.bodies.v[body.body], &self.bodies.w[body.body]);
            let v = -Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z);
            rows.add_rates(&v, &mut self.right);
        }
        *self.grid.finest() = level;
        self.grid.prepare();
        let (scale, allowed) = (h / (dx * dx * dx), self.tolerance);
        // Pressures become impulses per area and back.
        self.p.iter_mut().for_each(|p| *p *= h);
        let Self { grid, rows, right, source, p, spread, .. } = self;
        let solved = grid.solve(rows, right, p, allowed / scale, MOST_ITERATIONS);
        spread.clear();
        spread.resize(p.len(), 0.0);
        // Density is known to some percent; a thousandth of the rate is enough.
        let rough = source.iter().fold(0.0, |most: Real, s| most.max(s.abs())) * 1e-3;
        let again = grid.solve(rows, source, spread, rough.max(allowed / scale), MOST_ITERATIONS);
        self.report.iterations += solved.iterations + again.iterations;
        self.report.divergence = self.report.divergence.max(solved.residual * scale);
        self.push_of_walls(gravity * h);
        self.accelerate();
        self.shifts.clear();
        for (body, rows) in model.bodies.iter().zip(&self.rows) {
            let impulse = rows.impulse(&self.p);
            let change = rows.inverse_mass * impulse;
            self.bodies.v[body.body] += change.fixed_rows::<3>(0);
            self.bodies.w[body.body] += change.fixed_rows::<3>(3);
            self.report.bodies += impulse.fixed_rows::<3>(0);
            self.shifts.push(rows.inverse_mass * rows.impulse(&self.spread));
        }
        self.p.iter_mut().for_each(|p| *p /= h);
    }

    /// Impulses of the faces of the domain on the water: the pressure on such a face is that in the middle of the cell beside it
    /// and what stops, over half a cell, the velocity that forces alone would have given the face.
    fn push_of_walls(&mut self, push: Vec3) {
        let (n, dx, density) = (self.cells(), self.model.dx, self.model.materials[0].law.density());
        for c in (0..self.fill.len()).filter(|c| self.water[*c]) {
            for (side, (f, axis)) in sides(&self.faces, n, c).into_iter().enumerate() {
                let (faces, upper) = (&self.faces[axis], side % 2 == 1);
                if faces.place(f)[axis] != if upper { n[axis] } else { 0 } {
                    continue;
                }
                let inward = if upper { -1.0 } else { 1.0 };
                let stopped = inward * (faces.old[f] + push[axis]);
                let pressure = self.p[c] - 0.5 * dx * density * stopped;
                self.report.walls[side][axis] += inward * pressure * faces.open[f] * dx * dx;
            }
        }
    }

    /// Pressure acts on faces; then faces inside of solids take the velocity beside them.
    pub(super) fn accelerate(&mut self) {
        let (n, dx, density) = (self.cells(), self.model.dx, self.model.materials[0].law.density());
        let mut faces = std::mem::take(&mut self.faces);
        for (axis, faces) in faces.iter_mut().enumerate() {
            let stride = [n[1] * n[2], n[2], 1][axis];
            for f in 0..faces.u.len() {
                let at = faces.place(f);
                faces.shift[f] = faces.u[f];
                if at[axis] == 0 || at[axis] == n[axis] {
                    faces.known[f] = true; // walls
                    continue;
                }
                let high = (at[0] * n[1] + at[1]) * n[2] + at[2];
                let low = high - stride;
                let open = faces.open[f] > 0.0;
                faces.known[f] = open && (self.water[low] || self.water[high] || faces.sums[f][1] > 0.0);
                if !open {
                    continue;
                }
                let (below, above) = match (self.water[low], self.water[high]) {
                    (true, true) => (1.0, 1.0),
                    (true, false) => (1.0 / self.to_surface(low, high), 0.0),
                    (false, true) => (0.0, 1.0 / self.to_surface(high, low)),
                    (false, false) => (0.0, 0.0),
                };
                let step = |p: &[Real]| (above * p[high] - below * p[low]) / (density * dx);
                faces.u[f] -= step(&self.p);
                faces.shift[f] = faces.u[f] - step(&self.spread);
            }
            faces.extrapolate(LAYERS);
        }
        self.faces = faces;
    }
}

/// The six faces of a cell, lower and upper along each axis, with the axis.
fn sides(faces: &[Faces; 3], n: [usize; 3], c: usize) -> [(usize, usize); 6] {
    let at = [c / (n[1] * n[2]), c / n[2] % n[1], c % n[2]];
    std::array::from_fn(|side| {
        let (axis, m) = (side / 2, faces[side / 2].n);
        let mut at = at;
        at[axis] += side % 2;
        ((at[0] * m[1] + at[1]) * m[2] + at[2], axis)
    })
}
