//! What is constant about particles: sets, bodies, and a column for each attribute.

use crate::grid::bounds;
use crate::{Axes, Grid, Links, Pairs, ParticleModelBuilder, Skin};
use pd_core::{Mat3, Measures, Model, ModelError, Real, State, Vec3, View};
use std::ops::Range;

/// The body number of a particle that is in none.
pub const NO_BODY: u32 = u32::MAX;

/// Coulomb friction and rolling resistance of a set. Between two sets the mean of their coefficients holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Largest ratio of tangential to normal force at rest, μ_s.
    pub fixed: Real,
    /// The same while sliding, μ_k; not above `fixed`.
    pub sliding: Real,
    /// Largest ratio of rolling torque to normal force times radius. `Some` gives the grains of the set a spin.
    pub rolling: Option<Real>,
}

impl Friction {
    /// No friction and no spin.
    pub const NONE: Self = Self { fixed: 0.0, sliding: 0.0, rolling: None };

    /// Coefficient `mu` at rest, 0.8 of it while sliding, no spin.
    pub fn new(mu: Real) -> Self {
        Self { fixed: mu, sliding: 0.8 * mu, rolling: None }
    }
}

/// What the particles of a set are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SetKind {
    /// Free grains that meet each other.
    Grains,
    /// Points of ropes, cloth and inflatables: joined by the model's links, and in contact with everything else.
    Points,
    /// Particles that do not move.
    Fixed,
    /// Bodies of particles.
    Bodies(BodyKind),
}

/// How a body of particles holds together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BodyKind {
    /// It moves, but does not change its shape.
    Rigid,
    /// Matched by a linear map: goals (β A + (1 − β) R) q, 0 ≤ β ≤ 1.
    Linear(Real),
    /// Matched by a quadratic map, 0 ≤ β ≤ 1.
    Quadratic(Real),
}

/// Particles that share kind, radius, mass and friction.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleSet {
    /// Name for reports.
    pub name: String,
    /// Its particles.
    pub range: Range<usize>,
    /// What they are.
    pub kind: SetKind,
    /// Radius of each, m.
    pub radius: Real,
    /// Friction.
    pub friction: Friction,
    /// Triangles of cloth and inflatables, counted from the first particle of the set; empty for other kinds.
    pub triangles: Vec<[u32; 3]>,
    /// Whether points of the set touch each other, where they were not nearer than their radii at the start.
    pub self_contact: bool,
}

/// A body of particles, rigid or deformable.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleBody {
    /// Its particles.
    pub range: Range<usize>,
    /// How it holds together.
    pub kind: BodyKind,
    /// Total mass, kg.
    pub mass: Real,
    /// Σ m (|q|² I − q qᵀ) over the rest positions, kg m².
    pub inertia: Mat3,
    /// Distance of the farthest particle from the centre of mass, m.
    pub reach: Real,
}

/// All that is constant about a simulation's particles; made by [`ParticleModelBuilder`].
///
/// Particle i is vertex i of the [`State`]. A body's particles never touch each other.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleModel {
    pub(crate) sets: Vec<ParticleSet>,
    pub(crate) bodies: Vec<ParticleBody>,
    pub(crate) start: Vec<Vec3>,
    pub(crate) start_velocity: Vec<Vec3>,
    pub(crate) mass: Vec<Real>,
    pub(crate) radius: Vec<Real>,
    pub(crate) set: Vec<u32>,
    /// Whether a particle stays where it is.
    pub(crate) held: Vec<bool>,
    pub(crate) links: Links,
    pub(crate) skins: Vec<Skin>,
    pub(crate) body: Vec<u32>,
    /// Offset from the body's centre of mass at rest, m.
    pub(crate) rest: Vec<Vec3>,
    /// Signed distance to the body's surface at rest, m; negative inside, 0 for particles of no body.
    pub(crate) depth: Vec<Real>,
    /// Outward unit gradient of the signed distance at rest; zero for particles of no body.
    pub(crate) outward: Vec<Vec3>,
}

/// Particles that overlap, as [`ParticleModel::overlap`] finds them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Number of overlapping pairs.
    pub pairs: usize,
    /// Depth of the deepest, m.
    pub deepest: Real,
    /// Its two particles.
    pub worst: [usize; 2],
}

impl ParticleModel {
    /// Starts an empty model.
    pub fn builder() -> ParticleModelBuilder {
        ParticleModelBuilder::default()
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there is none; never true of a model that was built.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// The sets, in the order of their particles.
    pub fn sets(&self) -> &[ParticleSet] {
        &self.sets
    }

    /// The bodies, in the order of their particles.
    pub fn bodies(&self) -> &[ParticleBody] {
        &self.bodies
    }

    /// Distances, bending and volumes of ropes, cloth and inflatables.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// Render meshes of bodies, in the order of their bodies.
    pub fn skins(&self) -> &[Skin] {
        &self.skins
    }

    /// Mass of every particle, kg.
    pub fn masses(&self) -> &[Real] {
        &self.mass
    }

    /// Radius of every particle, m.
    pub fn radii(&self) -> &[Real] {
        &self.radius
    }

    /// Body of every particle, [`NO_BODY`] for none.
    pub fn body_of(&self) -> &[u32] {
        &self.body
    }

    /// Rest positions relative to the centre of mass of their body, m; zero for particles of no body.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// The state in which the model was built, at time zero.
    pub fn state(&self) -> State {
        State::new(self.start.clone(), self.start_velocity.clone())
    }

    /// A model of the same masses without energies, for the context of a step.
    ///
    /// # Errors
    /// Those of [`pd_core::ModelBuilder::build`].
    pub fn core_model(&self) -> Result<Model, ModelError> {
        Model::with_masses(self.mass.clone()).build()
    }

    /// Whether two particles can touch.
    #[inline]
    pub fn may_touch(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.body[i], self.body[j]);
        a != b || (a == NO_BODY && !(self.fixed(i) && self.fixed(j)) && !self.same_points(i, j))
    }

    /// Whether both are points of one set that do not touch: the set's links keep them apart, or they were near at the start.
    fn same_points(&self, i: usize, j: usize) -> bool {
        let set = &self.sets[self.set[i] as usize];
        if self.set[i] != self.set[j] || set.kind != SetKind::Points {
            return false;
        }
        let (apart, near) = (self.start[i] - self.start[j], 2.0 * set.radius);
        !set.self_contact || apart.norm_squared() < near * near
    }

    /// Whether a particle is held where it is.
    #[inline]
    pub fn fixed(&self, i: usize) -> bool {
        self.held[i]
    }

    /// 1/m of a particle, 1/kg; 0 for a fixed one.
    #[inline]
    pub fn inverse_mass(&self, i: usize) -> Real {
        if self.fixed(i) { 0.0 } else { 1.0 / self.mass[i] }
    }

    /// Whether any two particles can touch: all are grains.
    pub(crate) fn all_grains(&self) -> bool {
        self.sets.iter().all(|set| set.kind == SetKind::Grains) && !self.held.contains(&true)
    }

    #[inline]
    pub(crate) fn friction_of(&self, i: usize) -> &Friction {
        &self.sets[self.set[i] as usize].friction
    }

    /// Largest and smallest radius, m.
    pub fn radius_range(&self) -> [Real; 2] {
        let radii = self.sets.iter().map(|set| set.radius);
        radii.fold([0.0, Real::INFINITY], |[most, least], r| [most.max(r), least.min(r)])
    }

    /// ½ Σ m v² and −Σ m g·x of a state, J; spins of grains are left out.
    pub fn energy(&self, state: &State, gravity: &Vec3) -> [Real; 2] {
        self.energies(&state.x, &state.v, gravity)
    }

    fn energies(&self, x: &[Vec3], v: &[Vec3], gravity: &Vec3) -> [Real; 2] {
        let each = self.mass.iter().zip(x.iter().zip(v));
        each.fold([0.0; 2], |[kinetic, potential], (m, (x, v))| {
            [kinetic + 0.5 * m * v.norm_squared(), potential - m * gravity.dot(x)]
        })
    }

    /// Σ m v (kg m/s) and Σ x × m v (kg m²/s) of a state; spins of grains are left out.
    pub fn momentum(&self, state: &State) -> [Vec3; 2] {
        let each = self.mass.iter().zip(state.x.iter().zip(&state.v));
        each.fold([Vec3::zeros(); 2], |[p, l], (m, (x, v))| [p + v * *m, l + x.cross(v) * *m])
    }

    /// What a step reports of a new state.
    pub(crate) fn measures(&self, state: &View<'_>, gravity: &Vec3) -> Measures {
        let [kinetic, potential] = self.energies(state.x, state.v, gravity);
        Measures { kinetic, potential, ..Measures::default() }
    }

    /// Pairs of particles at `x` that overlap by more than `tolerance`, m. Steppers part them at bounded speed.
    pub fn overlap(&self, x: &[Vec3], tolerance: Real) -> Overlap {
        let (mut grid, mut pairs) = (Grid::default(), Pairs::default());
        let box_ = bounds(x);
        grid.build(x, 2.0 * self.radius_range()[0], Axes::new(&Vec3::zeros(), &(box_.max - box_.min)));
        let order = grid.order();
        let depth = |a: usize, b: usize| {
            let (i, j) = (order[a] as usize, order[b] as usize);
            self.radius[i] + self.radius[j] - (x[i] - x[j]).norm()
        };
        let touch = |a: usize, b: usize| self.may_touch(order[a] as usize, order[b] as usize);
        pairs.build(&grid, |a, b| depth(a, b) > tolerance && touch(a, b));
        let found = Overlap { pairs: pairs.len(), ..Overlap::default() };
        pairs.iter().fold(found, |found, [a, b]| {
            let deepest = depth(a, b);
            if deepest > found.deepest {
                Overlap { deepest, worst: [order[a] as usize, order[b] as usize], ..found }
            } else {
                found
            }
        })
    }
}
