//! Whole runs: arrays, files, and a page that plays in a notebook.

use crate::arrays::to_elements;
use crate::errors::bad;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pd_core::Vec3;
use pd_mesh::TriMesh;
use pd_mesh::film;
use pd_mesh::io::{write_atomically, write_obj};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// The states of a run. Displayed as a player in a notebook.
#[pyclass(module = "projdyn", frozen)]
pub(crate) struct Film {
    pub(crate) film: film::Film,
    pub(crate) hash: u64,
}

fn frames<'py>(py: Python<'py>, frames: &[Vec<Vec3>], n: usize) -> PyResult<Bound<'py, PyArray3<f64>>> {
    let flat: Vec<f64> = frames.iter().flatten().flat_map(|x| [x.x, x.y, x.z]).collect();
    PyArray1::from_vec(py, flat).reshape([frames.len(), n, 3])
}

impl Film {
    fn bodies(&self) -> Vec<&film::Rigid> {
        self.film.rigid.iter().filter(|rigid| !rigid.obstacle).collect()
    }

    fn poses<'a>(&'a self, bodies: &'a [&film::Rigid]) -> impl Iterator<Item = film::Pose> + 'a {
        (0..self.film.frames.len()).flat_map(move |frame| bodies.iter().map(move |body| body.pose(frame)))
    }
}

#[pymethods]
impl Film {
    /// Positions (frames, n, 3), m.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        frames(py, &self.film.frames, self.film.vertices())
    }

    /// Velocities (frames, n, 3), m/s.
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        frames(py, &self.film.velocities, self.film.vertices())
    }

    /// Times (frames,), s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.film.times)
    }

    /// Triangles of all surfaces (m, 3).
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        to_elements(py, &self.film.triangles())
    }

    /// Positions (frames, b, 3) of the rigid bodies, m.
    #[getter]
    fn body_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let bodies = self.bodies();
        let flat = self.poses(&bodies).flat_map(|pose| [pose.position.x, pose.position.y, pose.position.z]);
        PyArray1::from_vec(py, flat.collect()).reshape([self.film.frames.len(), bodies.len(), 3])
    }

    /// Rotations (frames, b, 4) of the rigid bodies, quaternions x y z w.
    #[getter]
    fn body_rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let bodies = self.bodies();
        let flat = self.poses(&bodies).flat_map(|pose| <[f64; 4]>::from(pose.rotation.coords));
        PyArray1::from_vec(py, flat.collect()).reshape([self.film.frames.len(), bodies.len(), 4])
    }

    /// Names of the deforming objects.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.film.parts.iter().map(|part| part.name.clone()).collect()
    }

    /// Hash of the bits of the last state, as `pd run` prints it.
    #[getter]
    fn hash(&self) -> String {
        format!("{:016x}", self.hash)
    }

    fn __len__(&self) -> usize {
        self.film.frames.len()
    }

    /// Writes .html, .glb, .usda, .npz or .pc2 (with an .obj beside it).
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_owned();
        let film = &self.film;
        let known = ["html", "glb", "usda", "npz", "pc2"];
        if !known.contains(&kind.as_str()) {
            return Err(bad(format!("{}: one of .{} was expected", path.display(), known.join(", ."))));
        }
        let outcome = py.detach(|| {
            if kind == "pc2" {
                let mesh = TriMesh { positions: film.frames[0].clone(), triangles: film.triangles() };
                write_atomically(path.with_extension("obj"), |out| write_obj(out, &mesh))?;
            }
            write_atomically(&path, |out| match kind.as_str() {
                "html" => film::write_html(out, film),
                "glb" => film::write_glb_film(out, film),
                "usda" => film::write_usda(out, film),
                "npz" => film::write_npz(out, film),
                _ => film::write_pc2(out, film),
            })
        });
        outcome.map_err(|error| PyOSError::new_err(format!("{}: {error}", path.display())))
    }

    /// The page that plays the run.
    fn html(&self, py: Python<'_>) -> PyResult<String> {
        let mut page = Vec::new();
        py.detach(|| film::write_html(&mut page, &self.film)).map_err(bad)?;
        String::from_utf8(page).map_err(bad)
    }

    /// For notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let page = self.html(py)?.replace('&', "&amp;").replace('"', "&quot;");
        Ok(format!("<iframe srcdoc=\"{page}\" width=\"100%\" height=\"480\" style=\"border:0\"></iframe>"))
    }

    fn __repr__(&self) -> String {
        format!("<projdyn.Film: {} frames of {} vertices>", self.film.frames.len(), self.film.vertices())
    }
}
