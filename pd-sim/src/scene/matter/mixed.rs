//! Several kinds of matter in one scene, and the stepper that couples them.
//!
//! Points of the state come in the order vertices of objects, particles, material points.

use super::{GridMatter, RigidMatter};
use crate::SceneError;
use crate::scene::Scene;
use crate::scene::desc::{GridSolverDesc, LawDesc, SceneDesc};
use crate::scene::obstacles::is_met_by_distance;
use pd_core::{Real, State, Stepper, Vec3};
use pd_couple::{
    AdmmIpc, AdmmSettings, Attachment, CoupleError, Coupled, CoupledSettings, Domain, ElasticDomain,
    GrainDomain, Layout, MaterialDomain, PointMatter, RigidDomain, RigidShape, Scheme, Sheet,
};
use pd_mpm::{Coupling, MpmBody, MpmModel, MpmStepper, PressureStepper};
use pd_particles::ParticleModel;
use std::sync::Arc;

/// Default friction of objects and of matter on the grid.
const FRICTION: Real = 0.3;

/// Dynamic viscosity of water at 20 °C, Pa·s.
const WATER_VISCOSITY: Real = 1e-3;

/// Default thickness of a surface as a fraction of its mean edge length.
const THICKNESS: Real = 0.2;

/// Kinds of matter besides deformable bodies.
#[derive(Debug, Default)]
pub struct MixedMatter {
    /// Vertices of deformable bodies, before all others.
    pub elastic: usize,
    /// Rigid bodies.
    pub rigid: Option<RigidMatter>,
    /// Grains and bodies of particles.
    pub particles: Option<Arc<ParticleModel>>,
    /// Material points on a grid; their own model counts from 0.
    pub grid: Option<GridMatter>,
}

impl MixedMatter {
    /// Number of particles and material points.
    pub fn points(&self) -> usize {
        self.particles.as_ref().map_or(0, |model| model.len())
            + self.grid.as_ref().map_or(0, |grid| grid.x.len())
    }

    /// The first material point.
    pub fn first_material(&self) -> usize {
        self.elastic + self.particles.as_ref().map_or(0, |model| model.len())
    }

    /// The state at the start, with these vertices of deformable bodies.
    pub(crate) fn state(&self, rest: Vec<Vec3>) -> State {
        let mut state = State::at_rest(rest);
        if let Some(model) = &self.particles {
            let own = model.state();
            state.x.extend(own.x);
            state.v.extend(own.v);
        }
        if let Some(grid) = &self.grid {
            state.x.extend_from_slice(&grid.x);
            state.v.extend_from_slice(&grid.v);
        }
        if let Some(rigid) = &self.rigid {
            state.bodies = rigid.start.clone();
        }
        state
    }

    /// The stepper, with the one of the deformable bodies.
    pub(crate) fn stepper(
        &self,
        scene: &Scene,
        elastic: Option<Box<dyn Stepper>>,
    ) -> Result<Box<dyn Stepper>, SceneError> {
        let desc = &scene.desc;
        let refused = |error: &dyn std::fmt::Display| scene.error("coupling", error);
        let scheme = desc.coupling.scheme().map_err(|what| refused(&what))?;
        let steps = scene.steps_per_frame();
        let mut domains: Vec<Box<dyn Domain>> = vec![];
        let mut pushed = 0.0;
        let sheets = sheets(scene).map_err(|error| refused(&error))?;
        if let Some(grid) = &self.grid {
            let (model, met) = self.with_bodies(grid, scheme).map_err(|error| refused(&error))?;
            let heaviest = model.materials().iter().map(|m| m.law.density()).fold(0.0, Real::max);
            pushed = heaviest * model.dx();
            let walls = model.domain();
            let (masses, first) = (grid.masses.clone(), self.first_material());
            let domain = match desc.grid.as_ref().and_then(|grid| grid.solver) {
                Some(GridSolverDesc::Pressure) => {
                    if !met.is_empty() && matches!(scheme, Scheme::OneWay | Scheme::Staggered) {
                        let what = "rigid bodies in water of the pressure solver, which moves both in one system; take \"rows\"";
                        return Err(refused(&CoupleError::Unsupported { scheme: scheme.name(), what }));
                    }
                    let stepper = PressureStepper::new(Arc::new(model)).map_err(|error| refused(&error))?;
                    MaterialDomain::new(Box::new(stepper), masses, first, met)
                        .map_err(|error| refused(&error))?
                }
                Some(GridSolverDesc::Mpm) | None => {
                    let stepper = MpmStepper::new(Arc::new(model));
                    MaterialDomain::tagged(stepper, masses, first, met, &sheets)
                        .map_err(|error| refused(&error))?
                }
            };
            domains.push(Box::new(domain.within(walls)));
        }
        // With a barrier the coupling moves deformable bodies itself.
        let elastic = elastic.filter(|_| scheme != Scheme::AdmmIpc);
        domains.extend(elastic.map(|stepper| Box::new(ElasticDomain::new(stepper)) as Box<dyn Domain>));
        if let Some(model) = &self.particles {
            let mut own = desc.unified.clone();
            own.substeps = own.substeps.div_ceil(steps);
            let stepper = super::particles::stepper(model, &own)?;
            let domain = GrainDomain::new(model, stepper, self.elastic).map_err(|error| refused(&error))?;
            domains.push(Box::new(domain));
        }
        if let Some(rigid) = &self.rigid {
            let mut own = desc.rigid.clone();
            own.substeps = own.substeps.div_ceil(steps);
            domains.push(Box::new(RigidDomain::new(rigid.rigid_stepper(&own)?)));
        }
        let rigid = self.rigid.as_ref().map(|rigid| rigid.model.clone());
        let attachments = self.attachments(scene);
        if !attachments.is_empty() && desc.contact_mode().keeps_apart() {
            let what = "attached vertices with a contact that keeps surfaces apart, which would hold them back from their bodies; take \
                        contact \"project\" or \"off\"";
            return Err(refused(&CoupleError::Unsupported { scheme: scheme.name(), what }));
        }
        let mut layout = Layout::new(self.elastic, sheets, self.grains(), self.material(desc), rigid)
            .and_then(|layout| layout.attached(attachments))
            .map_err(|error| refused(&error))?;
        for (points, viscosity) in self.waters(desc) {
            layout = layout.with_water(points, viscosity).map_err(|error| refused(&error))?;
        }
        if scheme == Scheme::AdmmIpc {
            let settings = AdmmSettings { iterations: desc.coupling.iterations, ..Default::default() };
            let global = Box::new(pd_linear::Cholesky::default());
            let stepper = AdmmIpc::new(layout, domains, global, settings).map_err(|error| refused(&error))?;
            return Ok(Box::new(stepper));
        }
        let settings = CoupledSettings { scheme, sweeps: desc.coupling.sweeps, ..Default::default() };
        let stepper = Coupled::new(layout, domains, settings, pushed).map_err(|error| refused(&error))?;
        Ok(Box::new(stepper))
    }

    /// The model of the grid with the dynamic rigid bodies in it, and their numbers.
    fn with_bodies(
        &self,
        grid: &GridMatter,
        scheme: Scheme,
    ) -> Result<(MpmModel, Vec<usize>), Box<dyn std::error::Error>> {
        let Some(rigid) = &self.rigid else { return Ok(((*grid.model).clone(), vec![])) };
        let model = &rigid.model;
        let mut builder = MpmModel::clone(&grid.model).into_builder().coupling(match scheme {
            Scheme::OneWay => Coupling::OneWay,
            Scheme::Staggered => Coupling::Staggered,
            _ => Coupling::Rows,
        });
        let met: Vec<usize> = (0..model.bodies()).filter(|&body| model.is_dynamic(body)).collect();
        for &body in &met {
            let shape = Arc::new(RigidShape::of(model, body)?);
            let (mass, inertia) = (model.masses()[body], model.inertia()[body]);
            builder = builder.body(MpmBody { body, mass, inertia, shape });
        }
        Ok((builder.build()?, met))
    }

    /// Vertices of objects that are attached to bodies, where both are at the start.
    fn attachments(&self, scene: &Scene) -> Vec<Attachment> {
        let (Some(rigid), rest) = (&self.rigid, scene.rest()) else { return vec![] };
        let mut list = vec![];
        for (object, desc) in scene.objects.iter().zip(&scene.desc.objects) {
            for (attach, vertices) in desc.attachments.iter().zip(object.attachments()) {
                let Some(body) = rigid.names.iter().position(|name| *name == attach.body) else { continue };
                let most = attach.break_force.unwrap_or(Real::INFINITY);
                list.extend(vertices.iter().map(|v| {
                    let vertex = v + object.first;
                    Attachment::here(vertex, &rest[vertex as usize], body as u32, &rigid.start)
                        .breaking_at(most)
                }));
            }
        }
        list
    }

    /// Points that are water, with its viscosity, Pa·s: that of the scene, or of real water where it is taken as inviscid.
    fn waters(&self, desc: &SceneDesc) -> Vec<(std::ops::Range<usize>, Real)> {
        let (Some(grid), first) = (&self.grid, self.first_material()) else { return vec![] };
        let sets = grid.model.materials().iter().zip(&desc.fluids);
        sets.filter_map(|(material, fluid)| match fluid.law {
            LawDesc::Water { viscosity, .. } => {
                let points = material.points.start + first..material.points.end + first;
                Some((points, viscosity.filter(|v| *v > 0.0).unwrap_or(WATER_VISCOSITY)))
            }
            _ => None,
        })
        .collect()
    }

    fn grains(&self) -> Option<PointMatter> {
        let model = self.particles.as_ref()?;
        let mut friction = Vec::with_capacity(model.len());
        for set in model.sets() {
            friction.resize(set.range.end, set.friction.fixed);
        }
        Some(PointMatter {
            points: self.elastic..self.elastic + model.len(),
            radius: model.radii().to_vec(),
            mass: model.masses().to_vec(),
            friction,
            meets_bodies: false,
        })
    }

    fn material(&self, desc: &SceneDesc) -> Option<PointMatter> {
        let grid = self.grid.as_ref()?;
        let mut friction = Vec::with_capacity(grid.x.len());
        for (material, fluid) in grid.model.materials().iter().zip(&desc.fluids) {
            let own = match fluid.law {
                LawDesc::Water { .. } => 0.0,
                LawDesc::Sand { friction_angle, .. } => friction_angle.to_radians().tan(),
                LawDesc::Elastic { .. } => FRICTION,
            };
            friction.resize(material.points.end, own);
        }
        let first = self.first_material();
        Some(PointMatter {
            points: first..first + grid.x.len(),
            radius: vec![grid.radius; grid.x.len()],
            mass: grid.masses.clone(),
            friction,
            meets_bodies: true,
        })
    }
}

/// Surfaces of the objects of a scene.
fn sheets(scene: &Scene) -> Result<Vec<Sheet>, CoupleError> {
    let (rest, contact) = (scene.rest(), &scene.desc.contact);
    let mut sheets = vec![];
    for (k, (object, desc)) in scene.objects.iter().zip(&scene.desc.objects).enumerate() {
        if is_met_by_distance(scene, k) {
            continue;
        }
        let positions = &rest[object.range()];
        let at = |v: u32| positions[v as usize];
        let lengths = object.edges.iter().map(|&[i, j]| (at(i) - at(j)).norm());
        let mean = lengths.sum::<Real>() / object.edges.len().max(1) as Real;
        let area: Real = object
            .surface
            .iter()
            .map(|&[a, b, c]| 0.5 * (at(b) - at(a)).cross(&(at(c) - at(a))).norm())
            .sum();
        let mass: Real = scene.object_masses(object).iter().sum();
        let triangles = object.surface.iter().map(|t| t.map(|v| v + object.first)).collect();
        sheets.push(Sheet::new(
            object.name.clone(),
            triangles,
            desc.thickness.or(contact.thickness).unwrap_or(THICKNESS * mean),
            desc.friction.or(contact.friction).unwrap_or(FRICTION),
            mass / area,
        )?);
    }
    Ok(sheets)
}
