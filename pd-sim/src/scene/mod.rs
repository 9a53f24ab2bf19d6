//! Scenes: what a TOML file describes, built and ready to run.

mod builtin;
mod check;
pub mod desc;
mod energies;
mod group;
mod matter;
mod object;
mod obstacles;
mod run;
mod set;

pub use builtin::{Builtin, builtins};
pub use desc::SceneDesc;
pub use group::Group;
pub use matter::{Cloud, DisplayMesh, GridMatter, Matter, RigidMatter};
pub use object::Object;
pub use run::SceneRun;
pub use set::set_key;

use crate::{ModelPaths, SceneError};
use pd_core::{Collider, Force, Model, Real, State, StepParams, Vec3};
use pd_mesh::Mesh;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A scene: its description, its bodies, and all a simulation of it needs.
///
/// ```
/// use pd_sim::{ModelPaths, scene::Scene};
/// let scene = Scene::load("bar", &ModelPaths::default())?;
/// assert_eq!((scene.vertices(), scene.elements()), (208, 540));
/// assert_eq!(scene.model(0.0)?.constraints(), 556);
/// # Ok::<(), pd_sim::SceneError>(())
/// ```
#[derive(Debug)]
pub struct Scene {
    /// Name of the built-in scene, or path of the file.
    pub name: String,
    /// The description it was built from.
    pub desc: SceneDesc,
    /// The bodies, in vertex order.
    pub objects: Vec<Object>,
    /// Rigid bodies, particles or matter on a grid, in place of deformable bodies.
    pub matter: Matter,
    masses: Vec<Real>,
    fingerprint: u64,
    /// The model with all pins, built when the scene was, until a run takes it.
    first_model: Mutex<Option<Model>>,
}

impl Scene {
    /// A built-in scene by name, or a TOML file by path.
    pub fn load(name: &str, models: &ModelPaths) -> Result<Self, SceneError> {
        let (desc, directory) = read_desc(name)?;
        Self::from_desc(name, desc, directory.as_deref(), models)
    }

    /// Reads TOML text. `name` is used in errors; relative mesh files are looked for in `directory` first.
    pub fn parse(
        name: &str,
        text: &str,
        directory: Option<&Path>,
        models: &ModelPaths,
    ) -> Result<Self, SceneError> {
        let desc = parse_desc(name, text)?;
        Self::from_desc(name, desc, directory, models)
    }

    /// Builds a description.
    pub fn from_desc(
        name: &str,
        desc: SceneDesc,
        directory: Option<&Path>,
        models: &ModelPaths,
    ) -> Result<Self, SceneError> {
        check::check(name, &desc)?;
        let files = object::Files { scene: name, directory, models };
        let mut objects = Vec::with_capacity(desc.objects.len());
        let mut masses = vec![];
        for object in &desc.objects {
            let built = Object::build(object, masses.len(), &files)?;
            masses.extend(built.masses(object, name)?);
            objects.push(built);
        }
        let matter = Matter::build(name, &desc)?;
        let fingerprint = fingerprint(&desc, &objects);
        let first_model = Mutex::new(None);
        let scene = Self { name: name.to_owned(), desc, objects, matter, masses, fingerprint, first_model };
        // Everything that can fail is tried here, so that a run does not find it out later. The run takes the model over.
        let model = scene.model(Real::NEG_INFINITY)?;
        *scene.first_model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
        scene.colliders()?;
        scene.forces()?;
        Ok(scene)
    }

    /// Takes step, solver, obstacles, forces and display settings of another description of the same bodies, without
    /// reading or meshing anything again. Refuses a description of other bodies; the scene is then as it was.
    pub fn set_environment(&mut self, desc: SceneDesc) -> Result<(), SceneError> {
        check::check(&self.name, &desc)?;
        if neutral(&desc).objects != neutral(&self.desc).objects {
            return Err(self.error("object", "the bodies differ; build the scene anew"));
        }
        let before = std::mem::replace(&mut self.desc, desc);
        if let Err(error) = self.colliders().and_then(|_| self.forces()) {
            self.desc = before;
            return Err(error);
        }
        self.fingerprint = fingerprint(&self.desc, &self.objects);
        Ok(())
    }

    /// Number of points of the state: vertices of deformable bodies, or particles.
    pub fn vertices(&self) -> usize {
        self.masses.len() + self.matter.points()
    }

    /// Triangles of surfaces plus tetrahedra of solids, as the thesis counts.
    pub fn elements(&self) -> usize {
        self.objects.iter().map(|object| object.mesh.element_count()).sum()
    }

    /// Positions at rest, in vertex order.
    pub fn rest(&self) -> Vec<Vec3> {
        self.objects.iter().flat_map(|object| object.mesh.positions().iter().copied()).collect()
    }

    /// The state at the start: the rest shape, not moving, or what the other kinds of matter start from.
    pub fn initial_state(&self) -> State {
        self.matter.state().unwrap_or_else(|| State::at_rest(self.rest()))
    }

    /// Edges of all meshes in the scene's vertex numbers.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let shift = |object: &Object, [i, j]: [u32; 2]| [i + object.first, j + object.first];
        self.objects.iter().flat_map(|o| o.edges.iter().map(move |&edge| shift(o, edge))).collect()
    }

    /// Surface triangles of all bodies in the scene's vertex numbers.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let shift = |first: u32, t: &[u32; 3]| t.map(|v| v + first);
        self.objects.iter().flat_map(|o| o.surface.iter().map(move |t| shift(o.first, t))).collect()
    }

    /// Parameters of one step (a substep of a frame).
    pub fn params(&self) -> StepParams {
        let step = &self.desc.step;
        StepParams {
            dt: step.dt / step.substeps as Real,
            iterations: step.iterations,
            gravity: step.gravity.into(),
            damping: step.damping,
            hold_pinned: step.hold_pinned,
            tolerance: step.tolerance,
            measure: false,
        }
    }

    /// The model with the pins that hold at `time`, s.
    pub fn model(&self, time: Real) -> Result<Model, SceneError> {
        match self.matter.model() {
            Some(model) => model.map_err(|error| self.error("model", error)),
            None => energies::model(self, time),
        }
    }

    /// The model with all pins; what was built with the scene the first time, built anew after that.
    pub(crate) fn take_first_model(&self) -> Result<Model, SceneError> {
        let kept = self.first_model.lock().unwrap_or_else(PoisonError::into_inner).take();
        kept.map_or_else(|| self.model(Real::NEG_INFINITY), Ok)
    }

    /// Times at which pins are released, ascending.
    pub fn releases(&self) -> Vec<Real> {
        let pins = self.desc.objects.iter().flat_map(|object| &object.pins);
        let mut times: Vec<Real> = pins.filter_map(|pin| pin.release).collect();
        times.sort_by(Real::total_cmp);
        times.dedup();
        times
    }

    /// The obstacles.
    pub fn colliders(&self) -> Result<Vec<Box<dyn Collider>>, SceneError> {
        obstacles::colliders(self)
    }

    /// The forces besides gravity.
    pub fn forces(&self) -> Result<Vec<Box<dyn Force>>, SceneError> {
        obstacles::forces(self)
    }

    /// Hash of the description, the meshes and the pins: what a checkpoint must agree with. The name, the title, the number
    /// of frames and the choice of solver do not count.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    pub(crate) fn error(&self, field: impl Into<String>, what: impl ToString) -> SceneError {
        SceneError::Value { file: self.name.clone(), field: field.into(), what: what.to_string() }
    }
}

/// Reads the description of a built-in scene by name or of a TOML file by path, with the directory of the file.
pub fn read_desc(name: &str) -> Result<(SceneDesc, Option<PathBuf>), SceneError> {
    if let Some(builtin) = builtins().iter().find(|b| b.name == name) {
        return Ok((builtin.desc()?, None));
    }
    let path = Path::new(name);
    if !path.exists() && path.extension().is_none() {
        let known = builtins().iter().map(|b| b.name).collect::<Vec<_>>().join(", ");
        return Err(SceneError::Unknown { name: name.to_owned(), known });
    }
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::io(path, &error))?;
    Ok((parse_desc(name, &text)?, path.parent().map(Path::to_owned)))
}

/// Reads TOML text into a description, naming line and column of a fault.
pub fn parse_desc(name: &str, text: &str) -> Result<SceneDesc, SceneError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..at).unwrap_or(text);
        SceneError::Syntax {
            file: name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|&c| c != '\n').count() + 1,
            what: error.message().trim().to_owned(),
        }
    })
}

/// The description without what the result does not depend on.
fn neutral(desc: &SceneDesc) -> SceneDesc {
    let mut neutral = SceneDesc {
        title: String::new(),
        source: String::new(),
        frames: 0,
        solver: Default::default(),
        published: None,
        ..desc.clone()
    };
    neutral.objects.iter_mut().for_each(|object| object.display = Default::default());
    for collider in &mut neutral.colliders {
        collider.display = Default::default();
        collider.name = None;
    }
    neutral
}

/// The description as sorted keys and values, keys that have their default value left out: a new optional key then leaves the
/// fingerprints of old files as they are.
fn canonical(desc: &SceneDesc) -> String {
    let table = |value: Result<toml::Value, toml::ser::Error>| match value {
        Ok(toml::Value::Table(table)) => table,
        _ => toml::Table::new(), // a description is always a table
    };
    let mut all = table(toml::Value::try_from(neutral(desc)));
    let defaults = [
        ("step", table(toml::Value::try_from(desc::StepDesc::default()))),
        ("rigid", table(toml::Value::try_from(desc::RigidDesc::default()))),
        ("unified", table(toml::Value::try_from(desc::UnifiedDesc::default()))),
    ];
    for key in ["title", "source", "frames", "solver"] {
        all.remove(key);
    }
    for (name, default) in defaults {
        if let Some(toml::Value::Table(given)) = all.get_mut(name) {
            given.retain(|key, value| default.get(key) != Some(value));
        }
    }
    // Tables are sorted by key; `{:?}` of numbers keeps every digit.
    format!("{all:?}")
}

fn fingerprint(desc: &SceneDesc, objects: &[Object]) -> u64 {
    let mut bytes = canonical(desc).into_bytes();
    for object in objects {
        for value in pd_core::as_flat(object.mesh.positions()) {
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        // A mesh file or a list of pins may change without its vertices or its name changing.
        let elements: &[u32] = match &object.mesh {
            Mesh::Tri(mesh) => mesh.triangles.as_flattened(),
            Mesh::Tet(mesh) => mesh.tets.as_flattened(),
        };
        for index in elements.iter().chain(object.pins.iter().flatten()) {
            bytes.extend_from_slice(&index.to_le_bytes());
        }
        for group in object.groups.iter().filter(|group| group.weight != 1.0 || group.mass != 1.0) {
            for index in group.vertices.iter().chain(group.elements.iter().flatten()) {
                bytes.extend_from_slice(&index.to_le_bytes());
            }
        }
    }
    crate::checkpoint::hash(&bytes)
}
