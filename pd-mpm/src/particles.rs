//! Particles as substeps see them: next to each other in memory by block, with the numbers of one particle together.

use crate::{Memory, MpmError, MpmModel};
use pd_core::{Mat3, Owner, Real, Vec3, View};

/// One particle. Positions are relative to the corner of the domain, so that nothing is lost far from the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Particle {
    pub(crate) x: [Real; 3],
    /// Volume ratio, or the law's own number.
    pub(crate) j: Real,
    pub(crate) v: [Real; 3],
    pub(crate) mass: Real,
    /// Columns of the affine velocity C, 1/s; the fourth numbers are zero.
    pub(crate) c: [[Real; 4]; 3],
}

impl Particle {
    pub(crate) fn gradient(&self) -> Mat3 {
        let c = &self.c;
        Mat3::new(c[0][0], c[1][0], c[2][0], c[0][1], c[1][1], c[2][1], c[0][2], c[1][2], c[2][2])
    }
}

/// Which point of the state a particle is, counted from the first material point, and its material.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) id: u32,
    pub(crate) set: u32,
}

/// Particles in some order.
#[derive(Default)]
pub(crate) struct Particles {
    pub(crate) p: Vec<Particle>,
    pub(crate) tag: Vec<Tag>,
    /// Elastic deformation; empty where no law needs it.
    pub(crate) f: Vec<Mat3>,
}

impl Particles {
    pub(crate) fn reserve(&mut self, count: usize, deformation: bool) {
        self.p.reserve(count);
        self.tag.reserve(count);
        if deformation {
            self.f.reserve(count);
        }
    }

    /// Makes room for `count` particles whose values do not matter.
    pub(crate) fn resize(&mut self, count: usize, deformation: bool) {
        self.p.resize(count, Particle::default());
        self.tag.resize(count, Tag::default());
        self.f.resize(if deformation { count } else { 0 }, Mat3::identity());
    }

    /// Takes the points of the state that are not idle, in their order. Columns that the state does not have, or whose
    /// length is another, stand for matter at rest.
    pub(crate) fn load(
        &mut self,
        model: &MpmModel,
        masses: &[Real],
        state: &View<'_>,
    ) -> Result<(), MpmError> {
        model.check(state)?;
        let (first, count) = (model.points().start, model.points().len());
        let whole = |column: &'static str, width: usize| {
            let data = state.columns.real(column);
            (data.len() == width * count).then_some(data)
        };
        let (c, j, f) = (whole("mpm.c", 9), whole("mpm.j", 1), whole("mpm.f", 9));
        let idle = state.columns.keys("mpm.idle");
        self.resize(0, false);
        for (set, material) in model.materials.iter().enumerate() {
            for point in material.points.clone() {
                let k = point - first;
                if idle.get(k).is_some_and(|&idle| idle != 0) {
                    continue;
                }
                let mut particle = Particle {
                    x: (state.x[point] - model.min).into(),
                    j: j.map_or_else(|| material.law.initial(), |j| j[k]),
                    v: state.v[point].into(),
                    mass: masses[point],
                    ..Particle::default()
                };
                if let Some(c) = c {
                    for axis in 0..3 {
                        particle.c[axis][..3].copy_from_slice(&c[9 * k + 3 * axis..][..3]);
                    }
                }
                self.p.push(particle);
                self.tag.push(Tag { id: k as u32, set: set as u32 });
                if model.has_deformation() {
                    let whole = material.law.memory() == Memory::Deformation;
                    let f = f.filter(|_| whole).map(|f| Mat3::from_column_slice(&f[9 * k..9 * k + 9]));
                    self.f.push(f.unwrap_or_else(Mat3::identity));
                }
            }
        }
        Ok(())
    }

    /// Adds a particle that comes in.
    pub(crate) fn push(&mut self, model: &MpmModel, tag: Tag, x: Vec3, v: Vec3, mass: Real) {
        let law = &model.materials[tag.set as usize].law;
        self.p.push(Particle {
            x: (x - model.min).into(),
            j: law.initial(),
            v: v.into(),
            mass,
            ..Particle::default()
        });
        self.tag.push(tag);
        if model.has_deformation() {
            self.f.push(Mat3::identity());
        }
    }

    /// Writes particles back to their points. Points that are no particle any more become idle and rest where they were.
    pub(crate) fn store(&self, model: &MpmModel, state: &mut View<'_>) {
        let (first, count) = (model.points().start, model.points().len());
        if model.has_idle() {
            let idle = state.columns.keys_mut("mpm.idle", Owner::Points(0), 1);
            idle.clear();
            idle.resize(count, 1);
            for tag in &self.tag {
                idle[tag.id as usize] = 0;
            }
            for (k, _) in idle.iter().enumerate().filter(|(_, idle)| **idle != 0) {
                state.v[first + k] = Vec3::zeros();
            }
        }
        for (particle, tag) in self.p.iter().zip(&self.tag) {
            let point = first + tag.id as usize;
            state.x[point] = model.min + Vec3::from(particle.x);
            state.v[point] = particle.v.into();
        }
        let c = state.columns.real_mut("mpm.c", Owner::Points(0), 9);
        c.resize(9 * count, 0.0);
        for (particle, tag) in self.p.iter().zip(&self.tag) {
            for axis in 0..3 {
                c[9 * tag.id as usize + 3 * axis..][..3].copy_from_slice(&particle.c[axis][..3]);
            }
        }
        let j = state.columns.real_mut("mpm.j", Owner::Points(0), 1);
        if j.len() != count {
            j.clear();
            for material in &model.materials {
                j.resize(j.len() + material.points.len(), material.law.initial());
            }
        }
        for (particle, tag) in self.p.iter().zip(&self.tag) {
            j[tag.id as usize] = particle.j;
        }
        if model.has_deformation() {
            let f = state.columns.real_mut("mpm.f", Owner::Points(0), 9);
            if f.len() != 9 * count {
                f.clear();
                (0..count).for_each(|_| f.extend_from_slice(Mat3::identity().as_slice()));
            }
            for (matrix, tag) in self.f.iter().zip(&self.tag) {
                f[9 * tag.id as usize..][..9].copy_from_slice(matrix.as_slice());
            }
        }
    }
}
