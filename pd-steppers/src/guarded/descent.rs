//! The minimisation of a step: block steps and solves over one memory, each trial inside the guard.

use super::GuardedPd;
use pd_collide::contact::load_difference;
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::missing;
use pd_core::stepper::weighted_square_distance;
use pd_core::{LocalInput, Real, StepContext, StepError, StepReport, Vec3, as_flat, as_flat_mut, dot};
use std::time::Instant;

/// Part of diag(A) that block steps use: A is an upper bound of the Hessian, mostly by a factor of two.
const DAMPED: Real = 0.5;
/// Sweeps that move the inertial target out of contact.
const PROJECTIONS: usize = 4;
/// Lengths tried of a block step and of a step with a solve.
const LENGTHS: [usize; 2] = [2, 6];
/// Next length over the last.
const SHORTER: Real = 0.4;
/// If more than this part of the vertices has a row that presses, s is far from the minimum and not tried.
const CROWDED: Real = 1.0 / 3.0;
/// Vertices that may be held back at the end of a step, as a part of all, and by how much in the last trial, in δ: the next
/// step has another list.
const FEW: Real = 0.05;
const HELD: Real = 0.25;
/// Iteration ends when it lowers the objective by less than this part of what the step has lowered it by. That is strict, for
/// the sake of friction. Where the step lowers it by more than [`HARD`] times what it falls by where all that is pushed begins to
/// fall, ½ m (g h)², forces are many times the weight (a sheet buckles): the part grows with the ratio, at most so many times.
const STALLED: Real = 1e-4;
const HARD: Real = 3.0;
const VIOLENT: Real = 100.0;
/// Part of a step's motion that may be held back after the usual number of rounds. Where more is, there are more rounds as long as each
/// brings it to less than a part of what it was, or obstacles on by a part of their way; at most so many.
const HELD_BACK: Real = 0.01;
const GAINED: Real = 0.9;
const LEAST_WAY: Real = 0.2;
const MOST_ROUNDS: usize = 24;
/// Iterations of a step that is taken again, in those of others.
const CAUTIOUS: usize = 4;
/// Iterations outside of the guard that predict a motion.
const PREDICTION_ITERATIONS: usize = 2;

impl GuardedPd {
    pub(super) fn minimise(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if self.cautious {
            // As a whole, where the list has carried them.
            let Self { scratch, surface, list, .. } = self;
            for (i, x) in scratch.here.x.iter_mut().enumerate() {
                *x = if surface.touches(i) { list.guard.reference()[i] } else { scratch.target[i] };
            }
            self.place_obstacles();
            self.clamp_first(report);
            self.evaluate(context, report)?;
        } else {
            self.first_iterate(context, report)?;
        }
        let first_norm = dot(&self.scratch.here.b, &self.scratch.here.b).sqrt();
        let mut before = Real::INFINITY;
        for round in 1.. {
            self.contact.rounds += 1;
            self.pairs.reset();
            self.settled = false;
            let iterations =
                if round == 1 { context.params.iterations } else { (context.params.iterations / 2).max(2) };
            self.iterate(context, report, iterations, first_norm)?;
            let (held, way) = (self.share_held(context), self.list.fraction);
            self.contact.held = held;
            let usual = round >= self.options.rounds;
            let little = held < HELD_BACK || held > GAINED * before;
            let enough = self.is_barely_held() && way == 1.0
                || usual && little && (way == 1.0 || way < LEAST_WAY)
                || round == MOST_ROUNDS;
            if enough {
                break;
            }
            before = held;
            let started = Instant::now();
            self.recentre(context);
            report.stages.collide += started.elapsed();
            // Obstacles may have moved, and with them what they carry.
            self.place_obstacles();
            self.clamp_first(report);
            self.evaluate(context, report)?;
            self.refresh_cone(report);
        }
        let norm = dot(&self.scratch.here.b, &self.scratch.here.b).sqrt();
        report.reduction = if first_norm > 0.0 { norm / first_norm } else { 0.0 };
        report.missing = Some(self.part_left(context)?.max(self.contact.held));
        let pushed = self.compliance.iter().filter(|&&c| c > 0.0).count();
        self.contact.clamped_share = self.contact.clamped as Real / pushed.max(1) as Real;
        Ok(())
    }

    /// How far the guard holds the last trial back, as a part of the step's motion.
    fn share_held(&self, context: &StepContext<'_>) -> Real {
        if self.contact.clamped == 0 {
            return 0.0;
        }
        let scratch = &self.scratch;
        self.share(context, missing::distance(context.model, &scratch.here.x, &scratch.target))
    }

    /// ‖A⁻¹b‖, which is how far another iteration of projective dynamics would go, as a part of the step's motion. (The contraction of the
    /// iterations tells nothing here: they are few, and block steps go another way than solves.)
    fn part_left(&mut self, context: &StepContext<'_>) -> Result<Real, StepError> {
        let scratch = &mut self.scratch;
        if self.settled {
            return Ok(0.0); // the last solve was taken
        }
        scratch.z.fill(Vec3::zeros());
        self.global.solve(as_flat(&scratch.here.b), as_flat_mut(&mut scratch.z), 3)?;
        Ok(self.share(context, missing::length(context.model, &self.scratch.z)))
    }

    /// A length ‖Δx‖_M as a part of the step's motion, or of what inertia and forces from outside would make of it, whichever is longer.
    fn share(&self, context: &StepContext<'_>, length: Real) -> Real {
        let (scratch, model) = (&self.scratch, context.model);
        let way = |x: &[Vec3]| missing::distance(model, x, &scratch.start);
        if length > 0.0 { length / way(&scratch.here.x).max(way(&scratch.s)) } else { 0.0 }
    }

    /// The better of x₀ + h v and of the predicted positions or else the inertial target moved out of contact, both inside the
    /// guard.
    fn first_iterate(&mut self, context: &StepContext<'_>, report: &mut StepReport) -> Result<(), StepError> {
        let n = context.model.vertices();
        let (start, velocity, dt) = (&self.scratch.start, &self.scratch.velocity, context.params.dt);
        exec::for_each_chunk(&mut self.scratch.here.x, VERTEX_CHUNK, |first, x| {
            for (k, x) in x.iter_mut().enumerate() {
                *x = start[first + k] + velocity[first + k] * dt;
            }
        });
        self.place_obstacles();
        self.clamp_first(report);
        self.evaluate(context, report)?;
        if !self.predicted && (self.contact.contacts as Real) > CROWDED * n as Real {
            return Ok(());
        }
        let started = Instant::now();
        let scratch = &mut self.scratch;
        std::mem::swap(&mut scratch.here, &mut scratch.there);
        scratch.here.x.copy_from_slice(if self.predicted { &scratch.target } else { &scratch.s });
        if !self.rows.is_empty() {
            let reference = self.list.guard.reference();
            load_difference(&scratch.here.x, Some(reference), &mut scratch.d);
            for _ in 0..PROJECTIONS {
                if self.rows.project(&self.compliance, &mut scratch.d) == 0 {
                    break;
                }
            }
            for i in 0..n {
                if self.rows.touches(i) {
                    scratch.here.x[i] = reference[i] + scratch.d[i].to_f64();
                }
            }
        }
        report.stages.collide += started.elapsed();
        self.place_obstacles();
        self.clamp_first(report);
        self.evaluate(context, report)?;
        let scratch = &mut self.scratch;
        // False for what is not a number.
        let better = scratch.here.objective < scratch.there.objective;
        if !better {
            std::mem::swap(&mut scratch.here, &mut scratch.there);
            self.evaluate_rows(report);
        }
        Ok(())
    }

    /// Whether so few vertices were held back by so little that another list is not worth its time.
    fn is_barely_held(&self) -> bool {
        if self.contact.clamped == 0 {
            return true;
        }
        let (x, target, surface) = (&self.scratch.here.x, &self.scratch.target, &self.surface);
        let little = |i: usize| (target[i] - x[i]).norm() <= HELD * surface.thickness_of(i);
        self.contact.clamped as Real <= FEW * x.len() as Real && (0..x.len()).all(little)
    }

    /// Some iterations outside of the guard, with the rows there are.
    pub(super) fn predict_motion(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let (start, velocity, dt) = (&self.scratch.start, &self.scratch.velocity, context.params.dt);
        exec::for_each_chunk(&mut self.scratch.here.x, VERTEX_CHUNK, |first, x| {
            for (k, x) in x.iter_mut().enumerate() {
                *x = start[first + k] + velocity[first + k] * dt;
            }
        });
        context.model.place_kinematic(&mut self.scratch.here.x);
        self.guarding = false;
        self.pairs.reset();
        let result = self
            .evaluate(context, report)
            .and_then(|()| self.iterate(context, report, PREDICTION_ITERATIONS, f64::INFINITY));
        self.guarding = true;
        result
    }

    fn iterate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        iterations: usize,
        first_norm: Real,
    ) -> Result<(), StepError> {
        let limit = self.options.motion_tolerance * self.surface.least_thickness();
        let balanced = self.options.force_tolerance * self.weight(context);
        let fall = self.fall(context);
        let iterations = if self.cautious { CAUTIOUS * iterations } else { iterations };
        for iteration in 0..iterations {
            if iteration > 0 {
                self.refresh_cone(report);
            }
            if dot(&self.scratch.here.b, &self.scratch.here.b).sqrt() < balanced {
                if iteration == 0 {
                    self.settled = true;
                    self.settle(report)?;
                    report.iterations += 1;
                }
                break;
            }
            self.scratch.before.copy_from_slice(&self.scratch.here.x);
            let before = self.scratch.here.objective;
            self.highest = self.highest.max(before);
            let mut taken = false;
            for _ in 0..self.options.block_steps {
                self.scratch.direction.copy_from_slice(&self.scratch.here.b);
                self.pairs.reduce(&mut self.scratch.direction);
                self.block_direction();
                self.pairs.direct(&mut self.scratch.direction, 1.0);
                taken |= self.search(context, report, LENGTHS[0])?;
            }
            self.scratch.r.copy_from_slice(&self.scratch.here.b);
            self.pairs.reduce(&mut self.scratch.r);
            self.solve(report)?;
            self.pairs.direct(&mut self.scratch.direction, 1.0);
            taken |= self.search(context, report, LENGTHS[1])?;
            report.iterations += 1;
            if !taken {
                if self.pairs.is_empty() {
                    break;
                }
                // The pairs mislead.
                self.pairs.reset();
                continue;
            }
            let moved = {
                let (x, before) = (&self.scratch.here.x, &self.scratch.before);
                let leaf = |range: std::ops::Range<usize>| {
                    range.map(|i| (x[i] - before[i]).norm_squared()).fold(0.0, Real::max)
                };
                exec::reduce(0..x.len(), VERTEX_CHUNK, &leaf, &Real::max).sqrt()
            };
            let norm = dot(&self.scratch.here.b, &self.scratch.here.b).sqrt();
            let here = self.scratch.here.objective;
            let drop = (self.highest - here).max(0.0);
            let effort =
                if fall > 0.0 && !self.cautious { (drop / (HARD * fall)).clamp(1.0, VIOLENT) } else { 1.0 };
            let stalled = before - here < STALLED * effort * drop;
            if stalled
                || moved < limit
                || first_norm.is_finite() && norm <= context.params.tolerance * first_norm
            {
                break;
            }
        }
        Ok(())
    }

    /// direction ← (½ diag(A) + blocks of K)⁻¹ direction.
    fn block_direction(&mut self) {
        let (rows, diagonal) = (&self.rows, &self.diagonal);
        exec::for_each_chunk(&mut self.scratch.direction, VERTEX_CHUNK, |first, direction| {
            for (k, d) in direction.iter_mut().enumerate() {
                let i = first + k;
                let t = DAMPED * diagonal[i];
                *d = if rows.touches(i) { solve_block(t, rows.block(i).map(Real::from), d) } else { *d / t };
            }
        });
    }

    /// direction ← about (A + K)⁻¹ r, by conjugate gradients with A⁻¹ as preconditioner. z = A⁻¹ r is what a solve gives, so
    /// A p = r + β A p_before follows without a product with A.
    fn solve(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        let started = Instant::now();
        let scratch = &mut self.scratch;
        let mut others = started.elapsed();
        scratch.direction.fill(Vec3::zeros());
        let (mut first, mut last) = (0.0, 0.0);
        for k in 0..self.options.solves {
            scratch.z.fill(Vec3::zeros());
            report.linear = self.global.solve(as_flat(&scratch.r), as_flat_mut(&mut scratch.z), 3)?;
            report.linear_iterations += report.linear.iterations;
            self.contact.solves += 1;
            if self.contact.contacts == 0 {
                std::mem::swap(&mut scratch.direction, &mut scratch.z);
                break;
            }
            let rz = dot(&scratch.r, &scratch.z);
            if k == 0 {
                first = rz;
            }
            // False for what is not a number.
            if !(rz > self.options.solve_tolerance * first && rz > 0.0) {
                break;
            }
            let beta = if k == 0 { 0.0 } else { rz / last };
            last = rz;
            advance(&mut scratch.p, &scratch.z, beta);
            advance(&mut scratch.ap, &scratch.r, beta);
            scratch.q.copy_from_slice(&scratch.ap);
            let contact = Instant::now();
            self.rows.multiply(&scratch.p, &mut scratch.e, &mut scratch.q);
            others += contact.elapsed();
            let alpha = rz / dot(&scratch.p, &scratch.q);
            add(&mut scratch.direction, &scratch.p, alpha);
            add(&mut scratch.r, &scratch.q, -alpha);
        }
        report.stages.collide += others;
        report.stages.global += started.elapsed().saturating_sub(others);
        Ok(())
    }

    /// One solve from an iterate that is nearly balanced; that it descends is not looked at.
    fn settle(&mut self, report: &mut StepReport) -> Result<(), StepError> {
        self.scratch.r.copy_from_slice(&self.scratch.here.b);
        self.solve(report)?;
        self.scratch.before.copy_from_slice(&self.scratch.here.x);
        add(&mut self.scratch.here.x, &self.scratch.direction, 1.0);
        self.contact.clamped = self.clamp_here(report);
        self.solids.hold(&self.scratch.before, &mut self.scratch.here.x);
        Ok(())
    }

    /// ‖M g‖, N.
    pub(super) fn weight(&self, context: &StepContext<'_>) -> Real {
        let masses = context.model.masses();
        let leaf = |range: std::ops::Range<usize>| {
            range
                .map(|i| if context.model.is_kinematic(i) { 0.0 } else { masses[i] * masses[i] })
                .sum::<Real>()
        };
        let square = exec::reduce(0..masses.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b);
        square.sqrt() * context.params.gravity.norm()
    }

    /// ½ m (g h)² of all that is pushed, J.
    fn fall(&self, context: &StepContext<'_>) -> Real {
        let masses = context.model.masses();
        let leaf = |range: std::ops::Range<usize>| {
            range.map(|i| if context.model.is_kinematic(i) { 0.0 } else { masses[i] }).sum::<Real>()
        };
        let mass = exec::reduce(0..masses.len(), VERTEX_CHUNK, &leaf, &|a, b| a + b);
        0.5 * mass * (context.params.gravity.norm() * context.params.dt).powi(2)
    }

    /// Goes along the direction if the objective falls; remembers the step. Says whether it was taken.
    fn search(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
        lengths: usize,
    ) -> Result<bool, StepError> {
        let scratch = &mut self.scratch;
        std::mem::swap(&mut scratch.here, &mut scratch.there);
        let mut length = 1.0;
        for _ in 0..lengths {
            let scratch = &mut self.scratch;
            let (from, direction) = (&scratch.there.x, &scratch.direction);
            exec::for_each_chunk(&mut scratch.here.x, VERTEX_CHUNK, |first, x| {
                for (k, x) in x.iter_mut().enumerate() {
                    *x = from[first + k] + direction[first + k] * length;
                }
            });
            scratch.target.copy_from_slice(&scratch.here.x);
            self.contact.clamped = self.clamp_here(report);
            if self.guarding {
                self.solids.hold(&self.scratch.there.x, &mut self.scratch.here.x);
            }
            self.evaluate(context, report)?;
            let scratch = &self.scratch;
            if scratch.here.objective <= scratch.there.objective {
                let (from, to) = (&scratch.there, &scratch.here);
                self.pairs.remember((&from.x, &from.b), (&to.x, &to.b));
                return Ok(true);
            }
            length *= SHORTER;
        }
        std::mem::swap(&mut self.scratch.here, &mut self.scratch.there);
        self.evaluate_rows(report);
        Ok(false)
    }

    /// Vertices of prescribed motion go as far as this round's list allows.
    fn place_obstacles(&mut self) {
        let (surface, reference) = (&self.surface, self.list.guard.reference());
        for (i, x) in self.scratch.here.x.iter_mut().enumerate().filter(|(i, _)| surface.is_kinematic(*i)) {
            *x = reference[i];
        }
    }

    /// The first iterate of a list: elements are held where they are at the references, and those inside of bodies at the targets.
    fn clamp_first(&mut self, report: &mut StepReport) {
        if self.solids.is_empty() {
            self.clamp_here(report);
            return;
        }
        let Self { scratch, surface, list, cautious, .. } = self;
        let reference = list.guard.reference();
        let inside = if *cautious { &scratch.here.x } else { &scratch.target };
        for (i, base) in scratch.before.iter_mut().enumerate() {
            *base = if surface.touches(i) { reference[i] } else { inside[i] };
        }
        list.guard.clamp(&mut scratch.before);
        self.clamp_here(report);
        self.solids.hold(&self.scratch.before, &mut self.scratch.here.x);
    }

    fn clamp_here(&mut self, report: &mut StepReport) -> usize {
        if !self.guarding {
            return 0;
        }
        let started = Instant::now();
        let moved = self.list.guard.clamp(&mut self.scratch.here.x);
        report.stages.collide += started.elapsed();
        moved
    }

    /// Everything at the present iterate.
    pub(super) fn evaluate(
        &mut self,
        context: &StepContext<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let started = Instant::now();
        let (model, dt) = (context.model, context.params.dt);
        let scratch = &mut self.scratch;
        let here = &mut scratch.here;
        let input = LocalInput { model, dt, s: &scratch.s, x: &here.x };
        self.local.run(input, &mut here.elastic)?;
        model.clear_kinematic(&mut here.elastic);
        let masses = model.masses();
        let inertia = weighted_square_distance(|i| masses[i] / (dt * dt), &here.x, &scratch.s);
        here.potential = inertia + self.local.elastic_energy(input)?;
        report.local_steps += 1;
        report.stages.local += started.elapsed();
        self.evaluate_rows(report);
        Ok(())
    }

    /// Contact's part at the present iterate, whose inertia and elasticity are known.
    fn evaluate_rows(&mut self, report: &mut StepReport) {
        let started = Instant::now();
        let here = &mut self.scratch.here;
        here.b.copy_from_slice(&here.elastic);
        here.objective = here.potential;
        self.contact.contacts = 0;
        if !self.rows.is_empty() {
            load_difference(&here.x, Some(self.list.guard.reference()), &mut self.scratch.d);
            let (energy, pressed) = self.rows.evaluate(&self.scratch.d);
            self.rows.gather(&mut here.b);
            here.objective += energy;
            self.contact.contacts = pressed;
            self.contact.evaluations += 1;
        }
        report.stages.collide += started.elapsed();
    }

    /// Cone radii from the forces at the present iterate, which must be evaluated, and contact's part with them.
    fn refresh_cone(&mut self, report: &mut StepReport) {
        if self.rows.is_empty() || !self.rows.has_friction() {
            return;
        }
        let started = Instant::now();
        let scratch = &mut self.scratch;
        load_difference(&scratch.here.x, Some(self.list.guard.reference()), &mut scratch.d);
        self.rows.balance(&scratch.d, &scratch.here.elastic, &mut scratch.e);
        report.stages.collide += started.elapsed();
        self.evaluate_rows(report);
    }
}

/// p ← z + β p.
pub(super) fn advance(p: &mut [Vec3], z: &[Vec3], beta: Real) {
    exec::for_each_chunk(p, VERTEX_CHUNK, |first, p| {
        for (p, z) in p.iter_mut().zip(&z[first..]) {
            *p = z + *p * beta;
        }
    });
}

/// a ← a + factor b.
pub(super) fn add(a: &mut [Vec3], b: &[Vec3], factor: Real) {
    exec::for_each_chunk(a, VERTEX_CHUNK, |first, a| {
        for (a, b) in a.iter_mut().zip(&b[first..]) {
            *a += b * factor;
        }
    });
}

/// (t I + m)⁻¹ r for the symmetric m = xx, yy, zz, xy, xz, yz.
fn solve_block(t: Real, m: [Real; 6], r: &Vec3) -> Vec3 {
    let [a, d, f] = [m[0] + t, m[1] + t, m[2] + t];
    let [b, c, e] = [m[3], m[4], m[5]];
    let (c0, c1, c2) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let scale = 1.0 / (a * c0 + b * c1 + c * c2);
    let (d1, d2, f2) = (a * f - c * c, b * c - a * e, a * d - b * b);
    Vec3::new(c0 * r.x + c1 * r.y + c2 * r.z, c1 * r.x + d1 * r.y + d2 * r.z, c2 * r.x + d2 * r.y + f2 * r.z)
        * scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_core::Mat3;

    #[test]
    fn blocks_are_solved() {
        let m = [2.0, 0.5, 1.0, 0.3, -0.2, 0.4];
        let full = Mat3::new(2.7, 0.3, -0.2, 0.3, 1.2, 0.4, -0.2, 0.4, 1.7);
        let r = Vec3::new(1.0, -2.0, 0.5);
        assert!((full * solve_block(0.7, m, &r) - r).norm() < 1e-14);
    }
}
