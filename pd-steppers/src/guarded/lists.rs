//! When the list is made, which rows are chosen, and what is remembered.

use super::GuardedPd;
use pd_collide::contact::{
    Choice, ContactKind, ContactSurface, Immersion, ListInput, Row, StartPolicy, immersions, load_difference,
};
use pd_core::exec::{self, VERTEX_CHUNK};
use pd_core::{Aabb, ContactMaterial, Real, StepContext, StepError, StepReport, Vec3, View, stepper};
use std::time::Instant;

/// Part of the reach by which vertices may have left the reference before the list is made again.
const STRAYED: Real = 0.5;
/// Part of the reach above which a motion in a step is fast.
const FAST: Real = 0.5;
/// Part of all vertices that may be fast without another list.
const FEW_FAST: Real = 0.01;
/// Part of δ by which targets may move before rows are chosen again.
const STALE: Real = 0.04;
/// Part of g h² that the reach must exceed: a body at rest must be able to settle.
const SETTLE: Real = 0.4;
/// Most of it, in δ: in a long step all would otherwise be near all.
const FARTHEST: Real = 1.0;
/// How far surfaces that cross are pushed apart in a step, in δ.
const RECOVERY: Real = 0.5;

impl GuardedPd {
    /// Inertial target s and targets t.
    pub(super) fn open(&mut self, context: &StepContext<'_>, state: &View<'_>) {
        let StepContext { model, params, .. } = *context;
        self.time = state.time;
        let scratch = &mut self.scratch;
        stepper::predict(*context, state, &mut scratch.s);
        stepper::hold_pinned(*context, state, &mut scratch.s);
        scratch.start.copy_from_slice(state.x);
        scratch.velocity.copy_from_slice(state.v);
        let slow = params.gravity.norm() * params.dt;
        for i in 0..model.vertices() {
            let fast = state.v[i].norm() > slow;
            scratch.target[i] = if fast { scratch.s[i] } else { state.x[i] + state.v[i] * params.dt };
        }
        model.place_kinematic(&mut scratch.target);
    }

    /// The memory, list and rows that the state tells of, where those at hand are others.
    pub(super) fn recall(&mut self, context: &StepContext<'_>, state: &View<'_>) {
        if !self.memory.is_stored(&state.columns) {
            self.memory.load(&state.columns, self.surface.vertices());
            if self.memory.start.is_empty() {
                self.rows.clear();
            } else {
                self.make_list(context);
                self.choose(context, Which::Remembered);
            }
        }
    }

    /// Makes the list if need be, chooses rows, and sets where slip is measured from.
    pub(super) fn open_lists(
        &mut self,
        context: &StepContext<'_>,
        state: &View<'_>,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let started = Instant::now();
        self.predicted = false;
        let end = state.time + context.params.dt;
        let kept = !self.memory.start.is_empty()
            && !self.memory.tangled
            && self.obstacles_are_as_listed(context, end)
            && self.list_serves(context);
        if !kept {
            // What the last list does not hold was put there from outside: it is looked at as a start is.
            let foreign = self.memory.start.is_empty() || !self.list.guard.holds(&self.scratch.start);
            if foreign || !self.memory.ignored.is_empty() || self.memory.tangled {
                self.inspect_start(context)?;
            }
            report.stages.collide += started.elapsed();
            if !self.memory.tangled {
                self.predict_target(context, state.time + context.params.dt, report)?;
            }
            let started = Instant::now();
            self.remember_rows();
            let scratch = &self.scratch;
            self.memory.start.clone_from(&scratch.start);
            self.memory.target.clone_from(&scratch.target);
            self.memory.made = [1.0, state.time + context.params.dt];
            self.make_list(context);
            self.contact.rebuilds += 1;
            report.stages.collide += started.elapsed();
        }
        let started = Instant::now();
        if !kept || self.choice_is_stale() {
            if kept {
                self.remember_rows();
            }
            self.choose(context, Which::Near);
        }
        self.begin(context);
        report.stages.collide += started.elapsed();
        Ok(())
    }

    /// Where vertices will be, as far as elasticity and the rows of the last list can tell: a list that is made for this
    /// motion need not leave room for what forces do.
    fn predict_target(
        &mut self,
        context: &StepContext<'_>,
        time: Real,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        if !self.rows.is_empty() {
            let started = Instant::now();
            self.remember_rows();
            self.choose(context, Which::Near);
            self.begin(context);
            report.stages.collide += started.elapsed();
        }
        self.predict_motion(context, report)?;
        let started = Instant::now();
        let scratch = &mut self.scratch;
        self.list.lift(&self.surface, context.colliders, time, &mut scratch.here.x);
        scratch.target.copy_from_slice(&scratch.here.x);
        context.model.place_kinematic(&mut scratch.target);
        self.solids.hold(&scratch.start, &mut scratch.target);
        self.predicted = true;
        report.stages.collide += started.elapsed();
        Ok(())
    }

    /// After a round in which vertices were held back: the list at the present iterate.
    pub(super) fn recentre(&mut self, context: &StepContext<'_>) {
        self.remember_rows();
        let scratch = &mut self.scratch;
        context.model.place_kinematic(&mut scratch.target);
        self.memory.start.clone_from(&scratch.here.x);
        self.memory.target.clone_from(&scratch.target);
        self.memory.made[0] = if self.cautious { -1.0 } else { self.memory.made[0].signum() };
        self.list_again(context);
    }

    /// Another list in the same step, for what the memory says.
    pub(super) fn list_again(&mut self, context: &StepContext<'_>) {
        self.make_list(context);
        self.contact.rebuilds += 1;
        self.choose(context, Which::Near);
        self.begin(context);
    }

    fn input<'a>(&'a self, context: &StepContext<'a>) -> ListInput<'a> {
        let [scale, time] = self.memory.made;
        ListInput {
            surface: &self.surface,
            options: &self.options,
            compliance: &self.compliance,
            start: &self.memory.start,
            target: &self.memory.target,
            scale: scale.abs(),
            carried: scale > 0.0,
            least_reach: self.least_reach(context),
            obstacles: context.colliders,
            time,
            ignored: &self.memory.ignored,
        }
    }

    fn make_list(&mut self, context: &StepContext<'_>) {
        let started = Instant::now();
        let mut list = std::mem::take(&mut self.list);
        list.clear_tangle();
        if self.memory.tangled {
            let tangled = list.find_tangle(&self.surface, &self.memory.start);
            self.contact.tangled = self.contact.tangled.max(tangled);
        }
        self.listed_obstacles = context.colliders.len();
        list.build(&self.input(context));
        self.list = list;
        self.contact.listing += started.elapsed();
        self.contact.uncertified += self.list.size.uncertified;
        // The list has grown by itself; what is chosen from it finds room at once.
        if let Some(capacity) = self.capacity.as_mut().filter(|capacity| !capacity.holds(&self.list.size)) {
            capacity.grow(&self.list.size);
            self.rows.reserve(capacity.rows);
            self.memory.reserve(self.scratch.start.len(), capacity.rows);
        }
    }

    /// A state that contact has not seen, or bodies that intersected: which do?
    fn inspect_start(&mut self, context: &StepContext<'_>) -> Result<(), StepError> {
        self.inspect_obstacles(context)?;
        let before = std::mem::take(&mut self.memory.ignored);
        self.memory.tangled = false;
        let (mut pairs, mut first, mut bodies) = (0, None, vec![]);
        self.crossings(context, false, |surface, f, g| {
            pairs += 1;
            first.get_or_insert((f, g));
            let [a, b] = [f, g].map(|t| surface.body()[surface.triangles()[t][0] as usize]);
            bodies.push([a.min(b), a.max(b)]);
        });
        let Some((first, second)) = first else { return Ok(()) };
        match self.options.start {
            StartPolicy::Refuse => return Err(StepError::Intersecting { pairs, first, second }),
            StartPolicy::IgnoreUntilApart => {}
            StartPolicy::Untangle => {
                self.memory.tangled = true;
                self.push_apart(context);
                return Ok(());
            }
        }
        bodies.sort_unstable();
        bodies.dedup();
        if !before.is_empty() {
            bodies.retain(|pair| before.binary_search(pair).is_ok());
        }
        self.memory.ignored = bodies;
        Ok(())
    }

    /// Nothing may begin inside of an obstacle that is given by a distance.
    fn inspect_obstacles(&self, context: &StepContext<'_>) -> Result<(), StepError> {
        if self.options.start != StartPolicy::Refuse || !self.memory.start.is_empty() {
            return Ok(());
        }
        let (mut places, mut first) = (0, None);
        immersions(&self.surface, context.colliders, self.time, &self.scratch.start, |found| {
            places += 1;
            first.get_or_insert(found);
        });
        let Some(Immersion { obstacle, vertex, depth, .. }) = first else { return Ok(()) };
        Err(StepError::Immersed { places, vertex, obstacle, depth })
    }

    /// Moves the targets of vertices whose triangles cross.
    fn push_apart(&mut self, context: &StepContext<'_>) {
        let scratch = &mut self.scratch;
        scratch.pushed.fill(Vec3::zeros());
        self.list.find_tangle(&self.surface, &scratch.start);
        self.list.push_apart(&self.surface, &scratch.start, &mut scratch.pushed);
        for (i, push) in scratch.pushed.iter_mut().enumerate() {
            let length =
                if context.model.is_kinematic(i) { 0.0 } else { RECOVERY * self.surface.thickness_of(i) };
            *push *= length;
            scratch.s[i] += *push;
            scratch.target[i] += *push;
        }
    }

    /// Pairs of triangles that cross, at the new positions or at those of the start.
    fn crossings(
        &mut self,
        context: &StepContext<'_>,
        new: bool,
        mut each: impl FnMut(&ContactSurface, usize, usize),
    ) {
        let mut list = std::mem::take(&mut self.list);
        let x = if new { &self.scratch.here.x } else { &self.scratch.start };
        list.crossings(&self.input(context), x, |f, g| each(&self.surface, f, g));
        self.list = list;
    }

    /// In verified runs: nothing may cross.
    pub(super) fn verify(&mut self, context: &StepContext<'_>) -> Result<(), StepError> {
        if !self.options.verify || self.memory.tangled {
            return Ok(());
        }
        let (mut pairs, mut found) = (0, None);
        self.crossings(context, true, |_, f, g| {
            pairs += 1;
            found.get_or_insert((f, g));
        });
        found.map_or(Ok(()), |(first, second)| Err(StepError::Intersecting { pairs, first, second }))
    }

    /// Whether no obstacle came, went, or moved near the bodies since the list was made: the list looks for them only where
    /// they were.
    pub(super) fn obstacles_are_as_listed(&self, context: &StepContext<'_>, end: Real) -> bool {
        let made = self.memory.made[1];
        let mut moved = context
            .colliders
            .iter()
            .filter_map(|collider| collider.for_vertices())
            .filter(|c| c.pose(end) != c.pose(made))
            .peekable();
        if context.colliders.len() != self.listed_obstacles || moved.peek().is_none() {
            return context.colliders.len() == self.listed_obstacles;
        }
        let thickness = self.surface.bodies().iter().map(|body| body.thickness).fold(0.0, Real::max);
        let bodies = Aabb::of_points(&self.scratch.start).grown(2.0 * thickness);
        moved.all(|collider| !collider.bounds(end).overlaps(&bodies))
    }

    /// Whether the list still covers where vertices are and want to go.
    fn list_serves(&self, context: &StepContext<'_>) -> bool {
        let scratch = &self.scratch;
        let guard = &self.list.guard;
        let least = self.least_reach(context);
        let (part, surface) = (self.options.reach, &self.surface);
        // How many are fast, and whether all are covered. What slides fast has other faces before it in every step.
        let leaf = |range: std::ops::Range<usize>| {
            range.fold((0, true), |(fast, covered), i| {
                let reach = (part * surface.thickness_of(i)).max(least);
                let way = (scratch.target[i] - scratch.start[i]).norm_squared();
                let strayed = (scratch.start[i] - guard.reference()[i]).norm_squared();
                let near = !surface.touches(i)
                    || guard.region(i).contains(&scratch.target[i]) && strayed < (STRAYED * reach).powi(2);
                (fast + usize::from(way > (FAST * reach).powi(2) && surface.touches(i)), covered && near)
            })
        };
        let n = scratch.start.len();
        let (fast, covered) = exec::reduce(0..n, VERTEX_CHUNK, &leaf, &|a, b| (a.0 + b.0, a.1 && b.1));
        covered && fast as Real <= FEW_FAST * n as Real && guard.holds(&scratch.start)
    }

    /// Reach in which a body at rest can settle, m.
    fn least_reach(&self, context: &StepContext<'_>) -> Real {
        let fallen = SETTLE * context.params.gravity.norm() * context.params.dt * context.params.dt;
        fallen.min(FARTHEST * self.surface.least_thickness())
    }

    fn choice_is_stale(&self) -> bool {
        let (choice, target, surface) = (&self.memory.choice, &self.scratch.target, &self.surface);
        let leaf = |range: std::ops::Range<usize>| {
            range.into_iter().any(|i| {
                let limit = STALE * surface.thickness_of(i);
                (target[i] - choice[i]).norm_squared() > limit * limit
            })
        };
        exec::reduce(0..target.len(), VERTEX_CHUNK, &leaf, &|a, b| a || b)
    }

    pub(super) fn remember_rows(&mut self) {
        if !self.memory.start.is_empty() {
            self.memory.keep(&self.rows, &self.list.rows);
        }
    }

    fn choose(&mut self, context: &StepContext<'_>, which: Which) {
        let scratch = &mut self.scratch;
        let surface = &self.surface;
        let law = |row: &Row| material(context, surface, row);
        let choice = match which {
            Which::Remembered => Choice::Remembered,
            Which::Near => {
                let reference = Some(self.list.guard.reference());
                load_difference(&scratch.start, reference, &mut scratch.d);
                load_difference(&scratch.target, reference, &mut scratch.e);
                self.memory.choice.clone_from(&scratch.target);
                Choice::Near(&scratch.d, &scratch.e)
            }
        };
        self.rows.choose(&self.list.rows, &self.memory, choice, law, &self.compliance);
    }

    pub(super) fn begin(&mut self, context: &StepContext<'_>) {
        let pace = self.pace(context);
        let (scratch, time) = (&mut self.scratch, self.time);
        load_difference(&scratch.start, Some(self.list.guard.reference()), &mut scratch.d);
        let distance = |row: &Row, between: &Vec3| match row.kind {
            ContactKind::Obstacle => {
                context.colliders[row.bodies[1] as usize].surface_at(between, time).distance
            }
            _ => between.norm(),
        };
        self.rows.begin(&self.list.rows, &scratch.d, &scratch.start, context.params.dt, pace, distance);
    }

    /// Multipliers, what is remembered and what is reported.
    pub(super) fn close_lists(&mut self) {
        let scratch = &mut self.scratch;
        load_difference(&scratch.here.x, Some(self.list.guard.reference()), &mut scratch.d);
        if self.rows.has_friction() {
            self.rows.balance(&scratch.d, &scratch.here.elastic, &mut scratch.e);
        }
        self.rows.update_multipliers(&scratch.d);
        self.describe_contacts();
        self.remember_rows();
    }

    /// What is reported of contacts.
    pub(super) fn describe_contacts(&mut self) {
        self.contact.rows = self.rows.len();
        self.contact.obstacle_fraction = self.list.fraction;
        self.contact.min_gap = self.rows.least_gap(&self.list.rows, &self.scratch.d);
    }
}

/// Friction and restitution of a row.
pub(super) fn material(context: &StepContext<'_>, surface: &ContactSurface, row: &Row) -> ContactMaterial {
    let [a, b] = row.bodies.map(|body| body as usize);
    match row.kind {
        ContactKind::Obstacle => {
            ContactMaterial::between(&surface.bodies()[a].material, &context.colliders[b].material())
        }
        _ => surface.material(row.bodies[0], row.bodies[1]),
    }
}

/// Which rows to choose.
enum Which {
    Near,
    Remembered,
}
