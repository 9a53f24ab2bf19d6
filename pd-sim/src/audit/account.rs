//! Energy and momentum of all matter of a run, kind by kind, from state, masses and laws alone: kinetic ½ Σ m v² (of bodies with
//! their spin, of affine material points with ½ m D |C|²), stored Σ E, potential −Σ m g·x, Σ m v and Σ x × m v.

use super::subject::{Kind, Subject};
use crate::Simulation;
use crate::scene::{GridMatter, Scene};
use pd_core::{Mat3, Real, State, Vec3};
use pd_mpm::{Memory, Spline, Transfer};
use pd_particles::ParticleModel;
use std::iter::Sum;
use std::ops::Range;

/// Sums over matter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Sums {
    /// J.
    pub kinetic: Real,
    /// Stored by deformation, J; 0 where no law tells ([`stores`](Self::stores)).
    pub elastic: Real,
    /// Of gravity, J; zero at the origin.
    pub potential: Real,
    /// kg m/s.
    pub momentum: Vec3,
    /// About the origin, kg m²/s.
    pub angular: Vec3,
    /// kg.
    pub mass: Real,
    /// Whether matter can store energy: [`elastic`](Self::elastic) says how much.
    pub stores: bool,
    /// Whether some of it stores energy that no law tells: links of particles with a stiffness, springs of joints.
    pub untold: bool,
}

impl Sums {
    /// Kinetic, elastic and potential energy together, J.
    pub fn energy(&self) -> Real {
        self.kinetic + self.elastic + self.potential
    }

    /// Adds a point of matter.
    fn point(&mut self, mass: Real, x: &Vec3, v: &Vec3, gravity: &Vec3) {
        self.mass += mass;
        self.kinetic += 0.5 * mass * v.norm_squared();
        self.potential -= mass * gravity.dot(x);
        self.momentum += v * mass;
        self.angular += x.cross(v) * mass;
    }
}

impl Sum for Sums {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |a, b| Self {
            kinetic: a.kinetic + b.kinetic,
            elastic: a.elastic + b.elastic,
            potential: a.potential + b.potential,
            momentum: a.momentum + b.momentum,
            angular: a.angular + b.angular,
            mass: a.mass + b.mass,
            stores: a.stores || b.stores,
            untold: a.untold || b.untold,
        })
    }
}

/// The sums of every kind of matter in a run.
///
/// ```
/// use pd_sim::{ModelPaths, Registry, audit::Account, scene::{Scene, SceneRun}};
/// let run = SceneRun::new(Scene::load("bar", &ModelPaths::default())?, &Registry::standard())?;
/// let account = Account::of(&run.scene, &run.sim);
/// assert_eq!(account.kinds.len(), 1);
/// assert_eq!(account.total().kinetic, 0.0);
/// # Ok::<(), pd_sim::SceneError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// In the order of [`Kind`].
    pub kinds: Vec<(Kind, Sums)>,
}

impl Account {
    /// Of the present state.
    pub fn of(scene: &Scene, sim: &Simulation) -> Self {
        let (state, gravity, subject) = (&sim.state, &sim.params.gravity, Subject::of(scene, &sim.model));
        let mut kinds = vec![];
        if !subject.elastic.is_empty() {
            kinds.push((Kind::Deformable, deformable(sim, subject.elastic.clone())));
        }
        if let Some(rigid) = subject.rigid {
            let model = &rigid.model;
            let ([kinetic, potential], [momentum, angular]) =
                (model.energy(&state.bodies, gravity), model.momentum(&state.bodies));
            let mass = model.masses().iter().filter(|m| m.is_finite()).sum();
            kinds
                .push((Kind::Rigid, Sums { kinetic, potential, momentum, angular, mass, ..Sums::default() }));
        }
        if let Some((points, model)) = &subject.particles {
            kinds.push((Kind::Particles, grains(model, points.clone(), state, gravity)));
        }
        if let Some((points, grid)) = &subject.fluid {
            kinds.push((Kind::Fluid, fluid(grid, points.clone(), state, gravity)));
        }
        Self { kinds }
    }

    /// Of all matter together.
    pub fn total(&self) -> Sums {
        self.kinds.iter().map(|(_, sums)| *sums).sum()
    }
}

/// Vertices with prescribed motion are excluded.
fn deformable(sim: &Simulation, range: Range<usize>) -> Sums {
    let (model, state) = (&sim.model, &sim.state);
    let mut sums = Sums { stores: true, ..Sums::default() };
    for i in range.clone().filter(|&i| !model.is_kinematic(i)) {
        sums.point(model.masses()[i], &state.x[i], &state.v[i], &sim.params.gravity);
    }
    sums.elastic = model.elastic_energy(&state.x[range]);
    sums
}

/// Held particles do not move and are excluded. Grains that roll have the spin of a ball.
fn grains(model: &ParticleModel, range: Range<usize>, state: &State, gravity: &Vec3) -> Sums {
    let links = model.links();
    let soft = links.two.iter().any(|link| link.compliance > 0.0) || !links.bags.is_empty();
    let untold = soft || !(links.three.is_empty() && links.four.is_empty());
    let mut sums = Sums { untold, ..Sums::default() };
    for (k, i) in range.clone().enumerate().filter(|&(k, _)| !model.fixed(k)) {
        sums.point(model.masses()[k], &state.x[i], &state.v[i], gravity);
    }
    let spin = state.columns.real("grain.spin");
    if spin.len() == 3 * range.len() {
        for (k, w) in spin.chunks_exact(3).enumerate().filter(|&(k, _)| !model.fixed(k)) {
            let inertia = 0.4 * model.masses()[k] * model.radii()[k].powi(2);
            let w = Vec3::new(w[0], w[1], w[2]);
            sums.kinetic += 0.5 * inertia * w.norm_squared();
            sums.angular += w * inertia;
        }
    }
    sums
}

/// Points that wait to flow in, or have left, do not count.
fn fluid(grid: &GridMatter, range: Range<usize>, state: &State, gravity: &Vec3) -> Sums {
    let (model, count) = (&grid.model, range.len());
    let whole = |name: &str, width: usize| {
        let data = state.columns.real(name);
        (data.len() == width * count).then_some(data)
    };
    let (j, f) = (whole("mpm.j", 1), whole("mpm.f", 9));
    let affine = matches!(model.transfer(), Transfer::Apic | Transfer::Mls);
    let c = whole("mpm.c", 9).filter(|_| affine);
    // Second moment of the weights about a particle, m².
    let moment = model.dx().powi(2) / if model.spline() == Spline::Quadratic { 4.0 } else { 3.0 };
    let idle = state.columns.keys("mpm.idle");
    let mut sums = Sums { stores: true, ..Sums::default() };
    for material in model.materials() {
        let rest = material.law.energy(&Mat3::identity(), material.law.initial());
        for point in material.points.clone() {
            let (k, i) = (point, range.start + point);
            if idle.get(k).is_some_and(|&idle| idle != 0) {
                continue;
            }
            let mass = grid.masses[k];
            sums.point(mass, &state.x[i], &state.v[i], gravity);
            if let Some(c) = c {
                let c = Mat3::from_column_slice(&c[9 * k..9 * k + 9]);
                sums.kinetic += 0.5 * mass * moment * c.norm_squared();
                let axial = Vec3::new(c[(2, 1)] - c[(1, 2)], c[(0, 2)] - c[(2, 0)], c[(1, 0)] - c[(0, 1)]);
                sums.angular += axial * (mass * moment);
            }
            let ratio = j.map_or_else(|| material.law.initial(), |j| j[k]);
            let whole = material.law.memory() == Memory::Deformation;
            let shape = f
                .filter(|_| whole)
                .map_or_else(Mat3::identity, |f| Mat3::from_column_slice(&f[9 * k..9 * k + 9]));
            match (material.law.energy(&shape, ratio), rest) {
                (Some(density), Some(rest)) => {
                    sums.elastic += (density - rest) * mass / material.law.density()
                }
                _ => sums.untold = true,
            }
        }
    }
    sums
}
