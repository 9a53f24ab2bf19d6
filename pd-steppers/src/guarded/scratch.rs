//! Arrays of a step.

use pd_collide::contact::Vec4;
use pd_core::{Real, Vec3};

/// An iterate with what is known of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Iterate {
    /// Positions, m.
    pub(crate) x: Vec<Vec3>,
    /// −∇ of inertia and elasticity, N.
    pub(crate) elastic: Vec<Vec3>,
    /// −∇ of the whole objective, N.
    pub(crate) b: Vec<Vec3>,
    /// Inertia and elasticity, J.
    pub(crate) potential: Real,
    /// The whole objective, J.
    pub(crate) objective: Real,
}

impl Iterate {
    fn prepare(&mut self, n: usize) {
        for list in [&mut self.x, &mut self.elastic, &mut self.b] {
            list.clear();
            list.resize(n, Vec3::zeros());
        }
    }
}

/// Arrays of a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Inertial target.
    pub(crate) s: Vec<Vec3>,
    /// Positions at the start of the step.
    pub(crate) start: Vec<Vec3>,
    /// Where they want to go; later where they were held back from.
    pub(crate) target: Vec<Vec3>,
    pub(crate) here: Iterate,
    pub(crate) there: Iterate,
    /// Velocities before the step.
    pub(crate) velocity: Vec<Vec3>,
    /// Positions before an iteration.
    pub(crate) before: Vec<Vec3>,
    pub(crate) direction: Vec<Vec3>,
    /// Conjugate gradients: residual, preconditioned residual, direction and its product.
    pub(crate) r: Vec<Vec3>,
    pub(crate) z: Vec<Vec3>,
    pub(crate) p: Vec<Vec3>,
    pub(crate) q: Vec<Vec3>,
    /// A times the direction.
    pub(crate) ap: Vec<Vec3>,
    /// How far vertices of surfaces that cross are pushed in this step.
    pub(crate) pushed: Vec<Vec3>,
    /// Displacements from the reference.
    pub(crate) d: Vec<Vec4>,
    /// Another such array.
    pub(crate) e: Vec<Vec4>,
}

impl Scratch {
    pub(crate) fn prepare(&mut self, n: usize) {
        self.here.prepare(n);
        self.there.prepare(n);
        let model = [&mut self.s, &mut self.start, &mut self.target, &mut self.velocity, &mut self.before];
        for list in model
            .into_iter()
            .chain([&mut self.direction, &mut self.r, &mut self.z, &mut self.p, &mut self.q])
            .chain([&mut self.ap, &mut self.pushed])
        {
            list.clear();
            list.resize(n, Vec3::zeros());
        }
        for list in [&mut self.d, &mut self.e] {
            list.clear();
            list.resize(n, Vec4::default());
        }
    }
}
