//! Constraints, forces, obstacles and linear solvers written in Python, called with whole chunks.
//!
//! A constraint is called with as many elements as its `chunk` says, forces and obstacles with 1,024 vertices. Callbacks run
//! on the threads of the simulation, one at a time, because each takes the interpreter lock.

use crate::arrays::{fill, numbers, to_array};
use crate::errors::bad;
use numpy::{PyArray1, PyArrayMethods};
use pd_core::{
    Collider, Csr, EnergyBatch, Force, GlobalSolver, LinearError, Real, SolveReport, Stencil, Surface, Vec3,
    View, as_flat,
};
use pyo3::prelude::*;
use pyo3::types::PySlice;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The first exception of a callback during a step.
#[derive(Clone, Default)]
pub(crate) struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Runs a callback with the interpreter lock; nothing runs after the first exception.
    fn call(&self, f: impl FnOnce(Python<'_>) -> PyResult<()>) {
        if self.is_some() {
            return;
        }
        if let Err(error) = Python::attach(f) {
            self.keep(error);
        }
    }
}

fn slice(py: Python<'_>, range: &Range<usize>) -> Py<PySlice> {
    PySlice::new(py, range.start as isize, range.end as isize, 1).unbind()
}

/// A batch whose projection is `f(z, elements)`: z is (elements, rows, 3), `elements` a slice of the batch's elements.
pub(crate) struct Constraint {
    pub(crate) stencil: Stencil,
    pub(crate) project: Py<PyAny>,
    /// Elements to a call.
    pub(crate) chunk: usize,
    pub(crate) trouble: Trouble,
}

impl EnergyBatch for Constraint {
    fn kind(&self) -> &'static str {
        "python"
    }

    fn stencil(&self) -> &Stencil {
        &self.stencil
    }

    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        let rows = self.stencil.rows_per_element();
        self.trouble.call(|py| {
            let array = PyArray1::from_slice(py, as_flat(z)).reshape([elements.len(), rows, 3])?;
            let returned = self.project.bind(py).call1((array, slice(py, &elements)))?;
            fill("project", &returned, z)
        });
    }

    fn elements_per_call(&self) -> Option<usize> {
        Some(self.chunk)
    }

    /// One call for the whole range, as in all methods below.
    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        self.gather(elements.clone(), x, r);
        let dx = r.to_vec();
        self.project(elements, r);
        for (r, dx) in r.iter_mut().zip(dx) {
            *r = dx - *r;
        }
    }

    fn forces(&self, elements: Range<usize>, x: &[Vec3], forces: &mut [Vec3]) -> Real {
        let d = self.stencil.rows_per_element();
        let mut r = vec![Vec3::zeros(); elements.len() * d];
        self.residual(elements.clone(), x, &mut r);
        let mut forces = forces.iter_mut();
        for (r, row) in r.iter().zip(elements.start * d..) {
            let weight = self.stencil.weight(row / d);
            for (coefficient, force) in self.stencil.row_slices(row).1.iter().zip(&mut forces) {
                *force = r * -(weight * coefficient);
            }
        }
        self.energy_at(elements, x, &r)
    }

    fn energy(&self, elements: Range<usize>, x: &[Vec3]) -> Real {
        let mut r = vec![Vec3::zeros(); elements.len() * self.stencil.rows_per_element()];
        self.residual(elements.clone(), x, &mut r);
        self.energy_at(elements, x, &r)
    }
}

/// A force `f(positions, velocities, time, vertices)` that returns newtons, (n, 3).
pub(crate) struct CalledForce {
    pub(crate) call: Py<PyAny>,
    pub(crate) trouble: Trouble,
}

impl Force for CalledForce {
    fn kind(&self) -> &'static str {
        "python"
    }

    fn add(&self, state: &View<'_>, time: Real, vertices: Range<usize>, force: &mut [Vec3]) {
        self.trouble.call(|py| {
            let x = to_array(py, &state.x[vertices.clone()])?;
            let v = to_array(py, &state.v[vertices.clone()])?;
            let returned = self.call.bind(py).call1((x, v, time, slice(py, &vertices)))?;
            let mut added = vec![Vec3::zeros(); force.len()];
            fill("a force", &returned, &mut added)?;
            for (force, added) in force.iter_mut().zip(added) {
                *force += added;
            }
            Ok(())
        });
    }
}

/// An obstacle `f(points, time)` that returns signed distances (n,) and outward unit normals (n, 3).
pub(crate) struct CalledCollider {
    pub(crate) call: Py<PyAny>,
    pub(crate) trouble: Trouble,
}

impl CalledCollider {
    fn surfaces(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        self.trouble.call(|py| {
            let returned = self.call.bind(py).call1((to_array(py, points)?, time))?;
            let (distance, normal): (Bound<'_, PyAny>, Bound<'_, PyAny>) = returned.extract()?;
            let (distances, shape) = numbers("distances of an obstacle", &distance)?;
            if distances.len() != points.len() {
                return Err(bad(format!(
                    "an obstacle returned distances of shape {shape:?} for {} points",
                    points.len()
                )));
            }
            let mut normals = vec![Vec3::zeros(); points.len()];
            fill("an obstacle", &normal, &mut normals)?;
            for ((out, distance), normal) in out.iter_mut().zip(distances).zip(normals) {
                *out = Surface { distance, normal, velocity: Vec3::zeros() };
            }
            Ok(())
        });
    }
}

impl Collider for CalledCollider {
    fn kind(&self) -> &'static str {
        "python"
    }

    fn sample(&self, points: &[Vec3], time: Real, out: &mut [Surface]) {
        // Far away, should the callback fail.
        out.fill(Surface::default());
        self.surfaces(points, time, out);
    }

    /// One call for all points.
    fn push_out(&self, points: &mut [Vec3], time: Real, moved: &mut [bool]) {
        let mut surfaces = vec![Surface::default(); points.len()];
        self.sample(points, time, &mut surfaces);
        for ((p, surface), moved) in points.iter_mut().zip(surfaces).zip(moved) {
            if surface.distance < 0.0 {
                *p -= surface.normal * surface.distance;
                *moved = true;
            }
        }
    }
}

/// A linear solver object: `factor(indptr, indices, data)` once per matrix, `solve(b)` with b (n, columns).
pub(crate) struct CalledSolver {
    pub(crate) object: Py<PyAny>,
    pub(crate) trouble: Trouble,
}

impl CalledSolver {
    fn failed(&self) -> LinearError {
        LinearError::Backend {
            solver: "python".to_owned(),
            what: "the solver raised an exception".to_owned(),
        }
    }
}

impl GlobalSolver for CalledSolver {
    fn name(&self) -> &str {
        "python"
    }

    fn factor(&mut self, a: &Csr) -> Result<(), LinearError> {
        self.trouble.call(|py| {
            let offsets: Vec<i64> = a.pattern().offsets().iter().map(|&o| o as i64).collect();
            let columns: Vec<i64> = a.pattern().columns().iter().map(|&c| c.into()).collect();
            let arrays = (
                PyArray1::from_vec(py, offsets),
                PyArray1::from_vec(py, columns),
                PyArray1::from_slice(py, a.values()),
            );
            self.object.bind(py).call_method1("factor", arrays)?;
            Ok(())
        });
        if self.trouble.is_some() { Err(self.failed()) } else { Ok(()) }
    }

    fn solve(&mut self, b: &[Real], x: &mut [Real], columns: usize) -> Result<SolveReport, LinearError> {
        self.trouble.call(|py| {
            let array = PyArray1::from_slice(py, b).reshape([b.len() / columns.max(1), columns])?;
            let returned = self.object.bind(py).call_method1("solve", (array,))?;
            let (values, shape) = numbers("solution of the solver", &returned)?;
            if values.len() != x.len() {
                return Err(bad(format!(
                    "the solver returned an array of shape {shape:?} for {} numbers",
                    x.len()
                )));
            }
            x.copy_from_slice(&values);
            Ok(())
        });
        if self.trouble.is_some() { Err(self.failed()) } else { Ok(SolveReport::direct()) }
    }
}
