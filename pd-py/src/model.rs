//! Models: masses and constraints, collected by a builder.

use crate::arrays::{elements, indices, numbers, vectors};
use crate::called::{Constraint, Trouble};
use crate::errors::bad;
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Pins, RingsRef, StrainRange, TetStrain, TriStrain, Volume,
    Weight,
};
use pd_core::{BatchId, CollisionSurface, ContactMaterial, Stencil, SurfaceBody, Vec3};
use pd_mesh::topology::Rings;
use pd_mesh::{TetMesh, TriMesh};
use pyo3::prelude::*;
use std::sync::Arc;

/// A weight for all elements, or one for each.
type Weights = Vec<f64>;

/// A batch of constraints as it was asked for.
enum Term {
    Springs(Vec<[u32; 2]>, Weights),
    Bending(Vec<[u32; 3]>, Weights, BendingWeights),
    TriStrain(Vec<[u32; 3]>, Weights, StrainRange),
    Area(Vec<[u32; 3]>, Weights, (f64, f64)),
    TetStrain(Vec<[u32; 4]>, Weights, StrainRange),
    Volume(Vec<[u32; 4]>, Weights, (f64, f64)),
    Pins(Vec<u32>, Weights),
    Called {
        vertices: Vec<u32>,
        width: usize,
        rows: Vec<Vec<f64>>,
        weights: Weights,
        chunk: usize,
        project: Py<PyAny>,
    },
}

/// Description of a model. Every simulation builds its own model from it, so that it can be shared.
pub(crate) struct Recipe {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) masses: Vec<f64>,
    pub(crate) triangles: Vec<[u32; 3]>,
    terms: Vec<Term>,
    /// Triangles that keep apart, body after body.
    surfaces: Vec<(SurfaceBody, Vec<[u32; 3]>)>,
}

/// A model for one simulation, with handles on what the caller may change.
pub(crate) struct Built {
    pub(crate) model: pd_core::Model,
    /// The batches of pins, group after group.
    pub(crate) pins: Vec<BatchId>,
    /// Whether Python is called during a step.
    pub(crate) calls: bool,
}

fn weight(weights: &Weights) -> Weight<'_> {
    match weights[..] {
        [one] => Weight::Uniform(one),
        _ => Weight::PerElement(weights),
    }
}

impl Recipe {
    pub(crate) fn build(&self, trouble: &Trouble) -> PyResult<Built> {
        let x = &self.positions;
        let mut builder = pd_core::Model::with_masses(self.masses.clone());
        let (mut pins, mut calls) = (vec![], false);
        for term in &self.terms {
            match term {
                Term::Springs(edges, w) => builder.add(EdgeSprings::new(x, edges, weight(w)).map_err(bad)?),
                Term::Bending(triangles, w, kind) => {
                    let mesh = TriMesh { positions: x.clone(), triangles: triangles.clone() };
                    mesh.validate().map_err(bad)?;
                    let rings = Rings::new(&mesh).interior();
                    let rings = RingsRef {
                        vertices: &rings.vertices,
                        offsets: &rings.offsets,
                        neighbours: &rings.neighbours,
                    };
                    builder.add(Bending::new(x, rings, weight(w), *kind).map_err(bad)?)
                }
                Term::TriStrain(triangles, w, range) => {
                    builder.add(TriStrain::new(x, triangles, weight(w), *range).map_err(bad)?)
                }
                Term::Area(triangles, w, (min, max)) => {
                    builder.add(Area::new(x, triangles, weight(w), *min, *max).map_err(bad)?)
                }
                Term::TetStrain(tets, w, range) => {
                    builder.add(TetStrain::new(x, tets, weight(w), *range).map_err(bad)?)
                }
                Term::Volume(tets, w, (min, max)) => {
                    builder.add(Volume::new(x, tets, weight(w), *min, *max).map_err(bad)?)
                }
                Term::Pins(vertices, w) => {
                    let held = builder.add(Pins::new(x, vertices, weight(w)).map_err(bad)?);
                    pins.push(held);
                    held
                }
                Term::Called { vertices, width, rows, weights, chunk, project } => {
                    calls = true;
                    let stencil = stencil(vertices, *width, rows, weights);
                    let project = Python::attach(|py| project.clone_ref(py));
                    builder.add(Constraint { stencil, project, chunk: *chunk, trouble: trouble.clone() })
                }
            };
        }
        if self.keeps_apart() {
            let mut surface = CollisionSurface { rest: x.clone(), ..CollisionSurface::default() };
            for (body, triangles) in &self.surfaces {
                surface.add_body(*body, triangles, 0);
            }
            builder = builder.surface(surface);
        }
        Ok(Built { model: builder.build().map_err(bad)?, pins, calls })
    }

    /// Whether surfaces of the model must not cross.
    pub(crate) fn keeps_apart(&self) -> bool {
        !self.surfaces.is_empty()
    }
}

fn stencil(vertices: &[u32], width: usize, rows: &[Vec<f64>], weights: &[f64]) -> Stencil {
    let mut stencil = Stencil::new(rows.len());
    for (k, corners) in vertices.chunks_exact(width.max(1)).enumerate() {
        let entries: Vec<Vec<(u32, f64)>> = rows
            .iter()
            .map(|row| corners.iter().copied().zip(row.iter().copied()).filter(|(_, c)| *c != 0.0).collect())
            .collect();
        let rows: Vec<&[(u32, f64)]> = entries.iter().map(Vec::as_slice).collect();
        stencil.push(if weights.len() == 1 { weights[0] } else { weights[k] }, &rows);
    }
    stencil
}

/// Masses and constraints of a model. Methods return the builder, so that calls can be chained.
#[pyclass(module = "projdyn")]
pub(crate) struct ModelBuilder {
    recipe: Option<Recipe>,
}

impl ModelBuilder {
    fn add(mut slf: PyRefMut<'_, Self>, term: Term) -> PyResult<PyRefMut<'_, Self>> {
        slf.open()?.terms.push(term);
        Ok(slf)
    }

    fn open(&mut self) -> PyResult<&mut Recipe> {
        self.recipe.as_mut().ok_or_else(|| bad("this builder has built its model already"))
    }
}

fn weights(what: &str, source: &Bound<'_, PyAny>) -> PyResult<Weights> {
    let (values, shape) = numbers(what, source)?;
    if shape.len() > 1 {
        return Err(bad(format!(
            "{what}: one number, or one for each element, was expected; got shape {shape:?}"
        )));
    }
    Ok(values)
}

fn laplacian(name: &str) -> PyResult<BendingWeights> {
    match name {
        "mean-value" => Ok(BendingWeights::MeanValue),
        "cotan-voronoi" => Ok(BendingWeights::CotanVoronoi),
        _ => Err(bad(format!("laplacian: {name:?} is neither \"mean-value\" nor \"cotan-voronoi\""))),
    }
}

#[pymethods]
impl ModelBuilder {
    #[new]
    #[pyo3(signature = (positions, *, mass=1.0, masses=None, triangles=None))]
    fn new(
        positions: &Bound<'_, PyAny>,
        mass: f64,
        masses: Option<&Bound<'_, PyAny>>,
        triangles: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let positions = vectors("positions", positions, None)?;
        let masses = match masses {
            Some(masses) => weights("masses", masses)?,
            // As `pd_core::Model::builder` spreads it.
            None => vec![mass / positions.len().max(1) as f64; positions.len()],
        };
        if masses.len() != positions.len() {
            return Err(bad(format!("masses: {} for {} vertices", masses.len(), positions.len())));
        }
        let triangles = triangles.map(|t| elements::<3>("triangles", t)).transpose()?.unwrap_or_default();
        if !triangles.is_empty() {
            TriMesh { positions: positions.clone(), triangles: triangles.clone() }.validate().map_err(bad)?;
        }
        Ok(Self { recipe: Some(Recipe { positions, masses, triangles, terms: vec![], surfaces: vec![] }) })
    }

    /// Springs along edges (m, 2); stiffness in N/m.
    fn springs<'py>(
        slf: PyRefMut<'py, Self>,
        edges: &Bound<'py, PyAny>,
        stiffness: &Bound<'py, PyAny>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let term = Term::Springs(elements("edges", edges)?, weights("stiffness", stiffness)?);
        Self::add(slf, term)
    }

    /// Bending of a surface of triangles (m, 3); weight in J.
    #[pyo3(signature = (triangles, weight, *, laplacian="cotan-voronoi"))]
    fn bending<'py>(
        slf: PyRefMut<'py, Self>,
        triangles: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        laplacian: &str,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let triangles = elements("triangles", triangles)?;
        let term = Term::Bending(triangles, weights("weight", weight)?, self::laplacian(laplacian)?);
        Self::add(slf, term)
    }

    /// Strain of triangles (m, 3), whose stretches may lie from `min` to `max`; weight in N/m.
    #[pyo3(signature = (triangles, weight, *, min=1.0, max=1.0))]
    fn triangle_strain<'py>(
        slf: PyRefMut<'py, Self>,
        triangles: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        min: f64,
        max: f64,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let triangles = elements("triangles", triangles)?;
        let term = Term::TriStrain(triangles, weights("weight", weight)?, StrainRange::uniform(min, max));
        Self::add(slf, term)
    }

    /// Area of triangles (m, 3), relative to rest from `min` to `max`; weight in N/m.
    #[pyo3(signature = (triangles, weight, *, min=1.0, max=1.0))]
    fn area<'py>(
        slf: PyRefMut<'py, Self>,
        triangles: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        min: f64,
        max: f64,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let triangles = elements("triangles", triangles)?;
        Self::add(slf, Term::Area(triangles, weights("weight", weight)?, (min, max)))
    }

    /// Strain of tetrahedra (m, 4), whose stretches may lie from `min` to `max`; weight in Pa.
    #[pyo3(signature = (tets, weight, *, min=1.0, max=1.0))]
    fn strain<'py>(
        slf: PyRefMut<'py, Self>,
        tets: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        min: f64,
        max: f64,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let tets: Vec<[u32; 4]> = elements("tets", tets)?;
        let weights = weights("weight", weight)?;
        let mut slf = slf;
        let recipe = slf.open()?;
        let solid = TetMesh { positions: recipe.positions.clone(), tets: tets.clone() };
        solid.validate().map_err(bad)?;
        if recipe.triangles.is_empty() {
            recipe.triangles = solid.surface_triangles();
        }
        Self::add(slf, Term::TetStrain(tets, weights, StrainRange::uniform(min, max)))
    }

    /// Volume of tetrahedra (m, 4), relative to rest from `min` to `max`; weight in Pa.
    #[pyo3(signature = (tets, weight, *, min=1.0, max=1.0))]
    fn volume<'py>(
        slf: PyRefMut<'py, Self>,
        tets: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        min: f64,
        max: f64,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let tets = elements("tets", tets)?;
        Self::add(slf, Term::Volume(tets, weights("weight", weight)?, (min, max)))
    }

    /// Pins vertices (m,) at their positions; weight in N/m. `Simulation.move_pins` moves them.
    #[pyo3(signature = (vertices, weight=None))]
    fn pins<'py>(
        slf: PyRefMut<'py, Self>,
        vertices: &Bound<'py, PyAny>,
        weight: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let weights = weight.map_or(Ok(vec![1e5]), |w| weights("weight", w))?;
        Self::add(slf, Term::Pins(indices("vertices", vertices, 1)?, weights))
    }

    /// Triangles (m, 3) of one body that never cross each other, those of other bodies or convex obstacles. Surfaces rest at
    /// the distance `thickness`, m; `friction` is Coulomb's coefficient. The simulation then needs `stepper="pd"`.
    #[pyo3(signature = (triangles, thickness, *, friction=0.3, self_contact=true))]
    fn contact<'py>(
        mut slf: PyRefMut<'py, Self>,
        triangles: &Bound<'py, PyAny>,
        thickness: f64,
        friction: f64,
        self_contact: bool,
    ) -> PyResult<PyRefMut<'py, Self>> {
        let triangles: Vec<[u32; 3]> = elements("triangles", triangles)?;
        if !(thickness > 0.0 && thickness.is_finite()) {
            return Err(bad(format!("thickness: {thickness} m; it must be positive and finite")));
        }
        let material = ContactMaterial::with_friction(friction);
        material.check().map_err(bad)?;
        let body = SurfaceBody { thickness, material, self_contact };
        let recipe = slf.open()?;
        TriMesh { positions: recipe.positions.clone(), triangles: triangles.clone() }
            .validate()
            .map_err(bad)?;
        recipe.surfaces.push((body, triangles));
        Ok(slf)
    }

    /// A custom constraint: for every element, z = coefficients (rows, corners) times the positions of its vertices
    /// (m, corners), and `project(z, elements)` returns the nearest admissible z, (elements, rows, 3). It is called with up to
    /// `chunk` elements at a time.
    #[pyo3(signature = (vertices, coefficients, weight, project, *, chunk=65536))]
    fn constraint<'py>(
        slf: PyRefMut<'py, Self>,
        vertices: &Bound<'py, PyAny>,
        coefficients: &Bound<'py, PyAny>,
        weight: &Bound<'py, PyAny>,
        project: Py<PyAny>,
        chunk: usize,
    ) -> PyResult<PyRefMut<'py, Self>> {
        if chunk == 0 {
            return Err(bad("chunk must be at least 1"));
        }
        let (values, shape) = numbers("coefficients", coefficients)?;
        let &[count, width] = &shape[..] else {
            return Err(bad(format!("coefficients: shape (rows, corners) was expected, got {shape:?}")));
        };
        if count == 0 || width == 0 {
            return Err(bad("coefficients: at least one row and one corner are needed"));
        }
        let rows = values.chunks_exact(width).map(<[f64]>::to_vec).collect();
        // A single corner is a column.
        let vertices = if width == 1 {
            let column = vertices.py().import("numpy")?.call_method1("ravel", (vertices,))?;
            indices("vertices", &column, 1)?
        } else {
            indices("vertices", vertices, width)?
        };
        let weights = weights("weight", weight)?;
        let elements = vertices.len() / width;
        if weights.len() != 1 && weights.len() != elements {
            return Err(bad(format!("weight: {} for {elements} elements", weights.len())));
        }
        Self::add(slf, Term::Called { vertices, width, rows, weights, chunk, project })
    }

    /// Builds the model; consumes the builder.
    fn build(&mut self, py: Python<'_>) -> PyResult<Model> {
        if self.recipe.as_ref().is_some_and(|recipe| recipe.positions.is_empty()) {
            return Err(bad("a model needs at least one vertex"));
        }
        let recipe = self.recipe.take().ok_or_else(|| bad("this builder has built its model already"))?;
        // Everything that can be wrong is found here rather than by the first simulation.
        let tried = py.detach(|| recipe.build(&Trouble::default()));
        match tried {
            Ok(built) => Ok(Model { constraints: built.model.constraints(), recipe: Arc::new(recipe) }),
            Err(error) => {
                self.recipe = Some(recipe);
                Err(error)
            }
        }
    }
}

/// Masses and constraints, constant. Can be used by any number of simulations.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct Model {
    pub(crate) recipe: Arc<Recipe>,
    constraints: usize,
}

#[pymethods]
impl Model {
    /// Number of vertices.
    #[getter]
    fn vertices(&self) -> usize {
        self.recipe.positions.len()
    }

    /// Number of constraints.
    #[getter]
    fn constraints(&self) -> usize {
        self.constraints
    }

    /// Positions at rest (n, 3), m.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        crate::arrays::to_array(py, &self.recipe.positions)
    }

    /// Triangles to draw (m, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray2<u32>>> {
        crate::arrays::to_elements(py, &self.recipe.triangles)
    }

    fn __repr__(&self) -> String {
        format!("<projdyn.Model: {} vertices, {} constraints>", self.recipe.positions.len(), self.constraints)
    }
}
