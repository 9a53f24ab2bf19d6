//! A world of kinds to choose from: cloth, grains, water, rigid bodies.

use pd_constraints::{EdgeSprings, Pins};
use pd_core::{Aabb, Model, ProjectiveDynamics, Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_couple::{
    Coupled, CoupledSettings, Domain, ElasticDomain, GrainDomain, Layout, MaterialDomain, PointMatter,
    RigidDomain, Scheme, Sheet,
};
use pd_linear::Cholesky;
use pd_mesh::generate;
use pd_mpm::{MpmModel, MpmStepper, Water};
use pd_particles::{Friction, Material, ParticleModel, SubstepSettings, UnifiedSubstep};
use pd_rigid::{BodyDesc, RigidModel, RigidParams, RigidStepper};
use std::sync::Arc;

const THICKNESS: Real = 0.01;
const RADIUS: Real = 0.01;

/// What there is.
#[derive(Default)]
pub(crate) struct World {
    /// Cells along a side, size (m), and whether its border is pinned.
    pub(crate) cloth: Option<(usize, Real, bool)>,
    pub(crate) grains: Option<Vec<Vec3>>,
    pub(crate) water: Option<Aabb>,
    pub(crate) bodies: Vec<BodyDesc>,
    pub(crate) scheme: Scheme,
}

pub(crate) struct Built {
    pub(crate) model: Model,
    pub(crate) state: State,
    pub(crate) stepper: Coupled,
    pub(crate) params: StepParams,
    pins: Vec<(usize, Vec3)>,
    pub(crate) masses: Vec<Real>,
    pub(crate) rigid: Option<Arc<RigidModel>>,
}

const PIN: Real = 5e3;

impl World {
    pub(crate) fn build(self, gravity: Real, dt: Real) -> Built {
        let (mut x, mut v, mut masses): (Vec<Vec3>, Vec<Vec3>, Vec<Real>) = (vec![], vec![], vec![]);
        let mut builder = Model::with_masses(vec![]);
        let mut domains: Vec<Box<dyn Domain>> = vec![];
        let (mut sheets, mut pins): (Vec<Sheet>, Vec<(usize, Vec3)>) = (vec![], vec![]);
        if let Some((cells, size, pinned)) = self.cloth {
            let mesh = generate::grid(cells, cells, size, size).unwrap();
            let density = 0.3;
            let n = mesh.positions.len();
            masses = vec![density * size * size / n as Real; n];
            builder = Model::with_masses(masses.clone())
                .energy(EdgeSprings::new(&mesh.positions, &mesh.edges(), 400.0).unwrap());
            if pinned {
                let border: Vec<u32> = (0..n as u32)
                    .filter(|&i| {
                        let p = &mesh.positions[i as usize];
                        p.x.abs() > 0.499 * size || p.z.abs() > 0.499 * size
                    })
                    .collect();
                pins = border.iter().map(|&i| (i as usize, mesh.positions[i as usize])).collect();
                builder = builder.energy(Pins::new(&mesh.positions, &border, PIN).unwrap());
            }
            sheets.push(Sheet::new("cloth", mesh.triangles.clone(), THICKNESS, 0.3, density).unwrap());
            x = mesh.positions;
            v = vec![Vec3::zeros(); n];
        }
        let elastic = x.len();
        let grains = self.grains.map(|at| {
            let material = Material { radius: RADIUS, mass: 0.004, friction: Friction::new(0.4) };
            let model = Arc::new(ParticleModel::builder().grains("sand", &at, material).build().unwrap());
            let settings = SubstepSettings { substeps: 1, ..Default::default() };
            let stepper = Box::new(UnifiedSubstep::new(model.clone(), settings));
            domains.push(Box::new(GrainDomain::new(&model, stepper, elastic).unwrap()));
            x.extend(&at);
            v.resize(x.len(), Vec3::zeros());
            masses.extend(model.masses());
            PointMatter::uniform(elastic..x.len(), RADIUS, model.masses().to_vec(), 0.4)
        });
        let rigid = (!self.bodies.is_empty()).then(|| {
            let mut builder = RigidModel::builder();
            self.bodies.iter().for_each(|body| {
                builder.body(body.clone()).unwrap();
            });
            let (model, bodies) = builder.build();
            (Arc::new(model), bodies)
        });
        let first = x.len();
        let water = self.water.map(|region| {
            let dx = 0.04;
            let at = pd_mpm::scenes::fill_box(&region, dx, 2);
            let volume = (region.max - region.min).product() / at.len() as Real;
            let mut builder = MpmModel::builder(dx)
                .domain(Vec3::new(-0.8, -1.0, -0.8), [40, 60, 40])
                .material(0..at.len(), Water::new(1000.0, 20.0).unwrap());
            let mut met = vec![];
            if let Some((model, _)) = &rigid {
                for body in (0..model.bodies()).filter(|&b| model.is_dynamic(b)) {
                    let shape = pd_couple::RigidShape::of(model, body).unwrap();
                    let (mass, inertia) = (model.masses()[body], model.inertia()[body]);
                    builder = builder.body(pd_mpm::MpmBody { body, mass, inertia, shape: Arc::new(shape) });
                    met.push(body);
                }
            }
            let model = Arc::new(builder.build().unwrap());
            let mass = vec![1000.0 * volume; at.len()];
            let stepper = MpmStepper::new(model);
            domains
                .push(Box::new(MaterialDomain::tagged(stepper, mass.clone(), first, met, &sheets).unwrap()));
            x.extend(&at);
            v.resize(x.len(), Vec3::zeros());
            masses.extend(&mass);
            let mut set = PointMatter::uniform(first..x.len(), 0.25 * dx, mass, 0.0);
            set.meets_bodies = true;
            set
        });
        if elastic > 0 {
            let stepper = Box::new(ProjectiveDynamics::new(Cholesky::default()));
            domains.push(Box::new(ElasticDomain::new(stepper)));
        }
        let mut state = State::new(x, v);
        if let Some((model, bodies)) = &rigid {
            state.bodies = bodies.clone();
            let mut params = RigidParams::default();
            params.substeps = 1;
            domains.push(Box::new(RigidDomain::new(RigidStepper::new(model.clone(), params))));
        }
        let rigid = rigid.map(|(model, _)| model);
        let layout = Layout::new(elastic, sheets, grains, water, rigid.clone()).unwrap();
        let settings = CoupledSettings { scheme: self.scheme, ..Default::default() };
        let stepper = Coupled::new(layout, domains, settings, 0.0).unwrap();
        let params = StepParams {
            dt,
            iterations: 4,
            gravity: Vec3::new(0.0, -gravity, 0.0),
            hold_pinned: false,
            ..Default::default()
        };
        let model = builder.build().unwrap();
        Built { model, state, stepper, params, pins, masses, rigid }
    }
}

impl Built {
    pub(crate) fn run(&mut self, steps: usize) {
        let context = StepContext::of(&self.model, &self.params);
        self.stepper.prepare(context).unwrap();
        for _ in 0..steps {
            self.stepper.step(context, &mut self.state).unwrap();
        }
    }

    pub(crate) fn momentum(&self) -> Vec3 {
        let points = self.state.v.iter().zip(&self.masses).map(|(v, m)| v * *m).sum::<Vec3>();
        points + self.rigid.as_ref().map_or(Vec3::zeros(), |rigid| rigid.momentum(&self.state.bodies)[0])
    }

    /// Force of the pins on the cloth, N.
    pub(crate) fn pin_force(&self) -> Vec3 {
        self.pins.iter().map(|&(i, at)| (at - self.state.x[i]) * PIN).sum()
    }
}

pub(crate) fn lattice(count: [usize; 3], spacing: Real, from: Vec3) -> Vec<Vec3> {
    let mut points = vec![];
    for y in 0..count[1] {
        for z in 0..count[2] {
            points.extend((0..count[0]).map(|x| {
                // A little off the lattice, so that nothing balances on a point.
                let shift = 0.02 * spacing * ((7 * x + 3 * y + 5 * z) % 11) as Real;
                from + Vec3::new(x as Real, y as Real, z as Real) * spacing + Vec3::new(shift, 0.0, -shift)
            }));
        }
    }
    points
}
