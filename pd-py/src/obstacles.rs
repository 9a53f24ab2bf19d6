//! Obstacles that the caller moves between steps.

use crate::called::{CalledCollider, Trouble};
use crate::errors::bad;
use pd_collide::{Block, Capsule, Cylinder, Floor, Moving, Path, Sphere, Torus};
use pd_core::{Collider, Real, Vec3};
use pyo3::prelude::*;

/// A shape at offset zero.
pub(crate) enum Shape {
    Sphere(Sphere),
    Floor(Floor),
    Block(Block),
    Torus(Torus),
    Capsule(Capsule),
    Cylinder(Cylinder),
    /// Distances and normals from Python.
    Called(Py<PyAny>),
}

impl Shape {
    fn collider(&self, trouble: &Trouble) -> Box<dyn Collider> {
        match self {
            Self::Sphere(shape) => Box::new(*shape),
            Self::Floor(shape) => Box::new(*shape),
            Self::Block(shape) => Box::new(*shape),
            Self::Torus(shape) => Box::new(*shape),
            Self::Capsule(shape) => Box::new(*shape),
            Self::Cylinder(shape) => Box::new(*shape),
            Self::Called(call) => {
                let call = Python::attach(|py| call.clone_ref(py));
                Box::new(CalledCollider { call, trouble: trouble.clone() })
            }
        }
    }
}

/// A shape and where it was moved to.
pub(crate) struct Obstacle {
    shape: Shape,
    offset: Vec3,
}

impl Obstacle {
    /// Where the shape says.
    pub(crate) fn new(shape: Shape) -> Self {
        Self { shape, offset: Vec3::zeros() }
    }

    /// What a simulation takes, at rest.
    pub(crate) fn at_rest(&self, trouble: &Trouble) -> Box<dyn Collider> {
        self.shape.collider(trouble)
    }

    /// What a simulation takes from `time` on: it arrives at `offset` after `dt` and stays there.
    pub(crate) fn move_to(
        &mut self,
        offset: Vec3,
        time: Real,
        dt: Real,
        trouble: &Trouble,
    ) -> PyResult<Box<dyn Collider>> {
        let path = Path::new(vec![(time, self.offset), (time + dt, offset)]).map_err(bad)?;
        self.offset = offset;
        Ok(Box::new(Moving::new(self.shape.collider(trouble), path)))
    }

    /// Whether Python is asked for distances.
    pub(crate) fn calls(&self) -> bool {
        matches!(self.shape, Shape::Called(_))
    }
}
