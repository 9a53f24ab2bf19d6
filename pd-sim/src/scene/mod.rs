//! Scenes: built from a TOML file and ready to run.

mod builtin;
mod check;
pub mod desc;
mod energies;
mod files;
mod group;
mod immersion;
mod matter;
mod motion;
mod object;
mod obstacles;
mod run;
mod set;
pub mod settings;
mod surface;
mod urdf;

pub use builtin::{Builtin, builtins};
pub use desc::SceneDesc;
pub use group::Group;
pub use immersion::Immersed;
pub use matter::{Cloud, DisplayMesh, GridMatter, Matter, MixedMatter, RigidMatter};
pub use object::Object;
pub use run::SceneRun;
pub use set::{Setting, set_key, with_settings};
pub use surface::Crossing;

use crate::{CustomContext, CustomParts, ModelPaths, SceneError};
use pd_core::{Collider, Force, Model, Real, State, StepParams, Vec3};
use pd_mesh::Mesh;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// A scene: its description, its bodies, and everything needed to simulate it.
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
    /// Rigid bodies, particles or fluids, instead of or in addition to deformable bodies.
    pub matter: Matter,
    masses: Vec<Real>,
    /// Obstacles whose triangles belong to the model.
    walls: Vec<surface::Wall>,
    custom: CustomParts,
    fingerprint: u64,
    /// The model with all pins, built with the scene, until a run takes it.
    first_model: Mutex<Option<Model>>,
}

impl Scene {
    /// A built-in scene by name, or a TOML file by path.
    pub fn load(name: &str, models: &ModelPaths) -> Result<Self, SceneError> {
        let (desc, directory) = read_desc(name)?;
        Self::from_desc(name, desc, directory.as_deref(), models)
    }

    /// Reads TOML text. `name` is used in errors; relative mesh files are searched in `directory` first.
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
        Self::with_custom(name, desc, directory, models, &CustomParts::default())
    }

    /// Builds a description whose `[[custom]]` tables may use these parts.
    pub fn with_custom(
        name: &str,
        desc: SceneDesc,
        directory: Option<&Path>,
        models: &ModelPaths,
        custom: &CustomParts,
    ) -> Result<Self, SceneError> {
        settings::check(name, &desc)?;
        check::check(name, &desc)?;
        let mut desc = desc;
        desc.use_stepper(&desc.solver.stepper.clone());
        let files = files::Files { scene: name, directory, models };
        let mut objects = Vec::with_capacity(desc.objects.len());
        let mut masses = vec![];
        for object in &desc.objects {
            let built = Object::build(object, masses.len(), &files)?;
            masses.extend(built.masses(object, name)?);
            objects.push(built);
        }
        let walls = surface::walls(name, &desc, masses.len())?;
        for wall in &walls {
            masses.resize(masses.len() + wall.positions.len(), 1.0); // kinematic: the mass has no effect
        }
        let matter = Matter::build(&files, &desc, masses.len())?;
        let fingerprint = fingerprint(&desc, &objects, Solving::Free);
        let first_model = Mutex::new(None);
        let (name, custom) = (name.to_owned(), custom.clone());
        let scene = Self { name, desc, objects, matter, masses, walls, custom, fingerprint, first_model };
        for (k, part) in scene.desc.custom.iter().enumerate() {
            let known = scene.custom.check(&part.kind);
            known.map_err(|what| scene.error(format!("custom[{k}]"), what))?;
        }
        // Everything that can fail is done here, so that errors do not appear later. The run takes the model.
        let model = scene.model(Real::NEG_INFINITY)?;
        *scene.first_model.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
        scene.colliders()?;
        scene.forces()?;
        Ok(scene)
    }

    /// Takes another description that differs only in keys that may change while the scene runs (the column "live" of
    /// [`settings::keys`]): nothing is read or meshed again. Any other difference is an error that names the key and leaves the
    /// scene unchanged.
    pub fn set_environment(&mut self, desc: SceneDesc) -> Result<(), SceneError> {
        self.takes(&desc)?;
        let before = std::mem::replace(&mut self.desc, desc);
        if let Err(error) = self.colliders().and_then(|_| self.forces()) {
            self.desc = before;
            return Err(error);
        }
        self.fingerprint = fingerprint(&self.desc, &self.objects, Solving::Free);
        Ok(())
    }

    /// Checks that a run can go on with another description: that it is valid, and that what differs may change.
    pub fn takes(&self, desc: &SceneDesc) -> Result<(), SceneError> {
        settings::check(&self.name, desc)?;
        check::check(&self.name, desc)?;
        settings::check_live(&self.name, &self.desc, desc)
    }

    /// Number of points of the state: vertices of deformable bodies, particles, material points.
    pub fn vertices(&self) -> usize {
        self.masses.len() + self.matter.points()
    }

    /// Triangles of surfaces plus tetrahedra of solids, as the thesis counts.
    pub fn elements(&self) -> usize {
        self.objects.iter().map(|object| object.mesh.element_count()).sum()
    }

    /// Positions at rest, in vertex order.
    pub fn rest(&self) -> Vec<Vec3> {
        let objects = self.objects.iter().flat_map(|object| object.mesh.positions());
        objects.chain(self.walls.iter().flat_map(|wall| &wall.positions)).copied().collect()
    }

    /// The motion of an object that is an obstacle.
    fn mesh_motion(&self, k: usize) -> Result<motion::MeshMotion, SceneError> {
        let (object, desc) = (&self.objects[k], &self.desc.objects[k]);
        let Some(obstacle) = &desc.obstacle else {
            return Err(self.error(format!("object {:?}", object.name), "is no obstacle"));
        };
        let motion = motion::Motion::new(&obstacle.path, obstacle.turn.as_ref(), Vec3::zeros());
        let motion = motion
            .map_err(|(key, what)| self.error(format!("object {:?}.obstacle.{key}", object.name), what))?;
        Ok(motion::MeshMotion { frames: object.frames.clone(), motion })
    }

    /// Sets another contact method, before the scene runs.
    pub(crate) fn set_contact(&mut self, mode: desc::ContactMode) -> Result<(), SceneError> {
        self.desc.contact.mode = Some(mode);
        let objects = self.objects.last().map_or(0, |object| object.range().end);
        self.walls = surface::walls(&self.name, &self.desc, objects)?;
        let vertices = objects + self.walls.iter().map(|wall| wall.positions.len()).sum::<usize>();
        self.masses.resize(vertices, 1.0);
        *self.first_model.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// The initial state: the rest shape with zero velocity, and the initial states of rigid bodies, particles and fluids.
    pub fn initial_state(&self) -> State {
        let start = || {
            let mut x = self.rest();
            for (k, object) in self.objects.iter().enumerate() {
                // An invalid motion was reported when the scene was built.
                if let Ok(motion) = self.mesh_motion(k) {
                    pd_core::Motion::positions(&motion, 0.0, object.mesh.positions(), &mut x[object.range()]);
                }
            }
            for wall in &self.walls {
                let first = wall.first as usize;
                let x = &mut x[first..first + wall.positions.len()];
                pd_core::Motion::positions(&wall.mesh_motion(), 0.0, &wall.positions, x);
            }
            x
        };
        self.matter.state(start).unwrap_or_else(|| State::at_rest(start()))
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

    /// Steps per frame: the substeps of the description, subdivided further if several kinds of matter are coupled.
    pub fn steps_per_frame(&self) -> usize {
        let coupled = matches!(self.matter, Matter::Mixed(_));
        self.desc.substeps() * if coupled { self.desc.coupling.substeps } else { 1 }
    }

    /// Masses of the vertices of an object, kg.
    pub(crate) fn object_masses(&self, object: &Object) -> &[Real] {
        &self.masses[object.range()]
    }

    /// Parameters of one step (a substep of a frame).
    pub fn params(&self) -> StepParams {
        let step = &self.desc.step;
        StepParams {
            dt: step.dt / self.steps_per_frame() as Real,
            iterations: self.desc.iterations(),
            gravity: step.gravity.into(),
            damping: step.damping,
            hold_pinned: step.hold_pinned,
            tolerance: step.tolerance,
            accuracy: step.accuracy,
            measure: false,
        }
    }

    /// The model with the pins that are active at `time`, s.
    pub fn model(&self, time: Real) -> Result<Model, SceneError> {
        match self.matter.model() {
            Some(model) => model.map_err(|error| self.error("model", error)),
            None => energies::model(self, time),
        }
    }

    /// The model with all pins; the first call returns the one built with the scene, later calls rebuild it.
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
        let mut colliders = obstacles::colliders(self)?;
        colliders.extend(self.custom_parts(CustomParts::make_collider)?);
        Ok(colliders)
    }

    /// The forces besides gravity.
    pub fn forces(&self) -> Result<Vec<Box<dyn Force>>, SceneError> {
        let mut forces = obstacles::forces(self)?;
        forces.extend(self.custom_parts(CustomParts::make_force)?);
        Ok(forces)
    }

    /// The custom parts that `make` creates, in the order of the file.
    fn custom_parts<T>(
        &self,
        make: impl Fn(&CustomParts, &str, &CustomContext<'_>) -> Option<Result<T, String>>,
    ) -> Result<Vec<T>, SceneError> {
        if self.desc.custom.is_empty() {
            return Ok(vec![]);
        }
        let rest = self.rest();
        let mut parts = vec![];
        for (k, part) in self.desc.custom.iter().enumerate() {
            let (masses, objects) = (&self.masses[..], &self.objects[..]);
            let context = CustomContext { rest: &rest, masses, objects, keys: &part.keys };
            if let Some(made) = make(&self.custom, &part.kind, &context) {
                let field = || format!("custom[{k}] ({})", part.kind);
                parts.push(made.map_err(|what| self.error(field(), what))?);
            }
        }
        Ok(parts)
    }

    /// Hash of the description, the meshes and the pins: a checkpoint must have the same. The name, the title, the number
    /// of frames and how a step is solved (stepper, solver, contact method, iterations and when they end) are excluded.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether a checkpoint with this fingerprint is of this scene, also if an earlier build wrote it.
    pub(crate) fn is_of(&self, fingerprint: u64) -> bool {
        fingerprint == self.fingerprint
            || fingerprint == self::fingerprint(&self.desc, &self.objects, Solving::Counted)
    }

    pub(crate) fn error(&self, field: impl Into<String>, what: impl ToString) -> SceneError {
        SceneError::Value { file: self.name.clone(), field: field.into(), what: what.to_string() }
    }
}

/// Reads the description of a built-in scene by name or of a TOML file by path, with the directory of the
/// file; of a URDF file a scene of that robot.
pub fn read_desc(name: &str) -> Result<(SceneDesc, Option<PathBuf>), SceneError> {
    if let Some(builtin) = builtins().iter().find(|b| b.name == name) {
        return Ok((builtin.desc()?, None));
    }
    let path = Path::new(name);
    if !path.exists() && path.extension().is_none() {
        let known = builtins().iter().map(|b| b.name).collect::<Vec<_>>().join(", ");
        return Err(SceneError::Unknown { name: name.to_owned(), known });
    }
    if path.extension().is_some_and(|extension| extension == "urdf") {
        let file =
            path.file_name().map_or_else(|| name.to_owned(), |file| file.to_string_lossy().into_owned());
        return Ok((urdf::scene(&file), path.parent().map(Path::to_owned)));
    }
    let text = std::fs::read_to_string(path).map_err(|error| SceneError::io(path, &error))?;
    Ok((parse_desc(name, &text)?, path.parent().map(Path::to_owned)))
}

/// Reads TOML text into a description; errors give line and column.
pub fn parse_desc(name: &str, text: &str) -> Result<SceneDesc, SceneError> {
    let desc: Result<SceneDesc, toml::de::Error> = toml::from_str(text);
    let mut desc = desc.map_err(|error| {
        let at = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = text.get(..at).unwrap_or(text);
        SceneError::Syntax {
            file: name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|&c| c != '\n').count() + 1,
            what: settings::with_suggestion(error.message().trim()),
        }
    })?;
    let stepper = desc.solver.stepper.clone();
    desc.use_stepper(&stepper);
    Ok(desc.with_given(settings::given_in(text)))
}

/// The description without keys that do not affect the result.
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
    neutral.bodies.iter_mut().for_each(|body| body.display = Default::default());
    neutral.particles.iter_mut().for_each(|set| set.display = Default::default());
    neutral.fluids.iter_mut().for_each(|fluid| fluid.display = Default::default());
    for collider in &mut neutral.colliders {
        collider.display = Default::default();
        collider.name = None;
    }
    neutral
}

/// Which settings of how a step is solved count: none, or those that counted in files of earlier builds.
#[derive(Clone, Copy, PartialEq)]
enum Solving {
    Free,
    Counted,
}

/// The description as sorted keys and values, without default values: a new optional key then does not change the
/// fingerprints of old files.
fn canonical(desc: &SceneDesc, solving: Solving) -> String {
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
    // The thesis' contact does not count, as it once was the default; what holds without a key is what a key could say.
    let mut contact = desc.contact.clone();
    if solving == Solving::Free {
        contact.mode = None;
    } else if contact.mode.is_none() && !desc.objects.is_empty() {
        contact.mode = Some(desc::ContactMode::Guard);
    }
    if contact == desc::ContactMode::Project.into() || contact.is_default() {
        all.remove("contact");
    } else {
        all.insert("contact".to_owned(), table(toml::Value::try_from(contact)).into());
    }
    for (name, default) in defaults {
        if let Some(toml::Value::Table(given)) = all.get_mut(name) {
            given.retain(|key, value| default.get(key) != Some(value));
        }
    }
    if let (Solving::Free, Some(toml::Value::Table(step))) = (solving, all.get_mut("step")) {
        step.retain(|key, _| !["iterations", "tolerance", "accuracy"].contains(&key));
    }
    // Tables are sorted by key; `{:?}` of numbers keeps every digit.
    format!("{all:?}")
}

fn fingerprint(desc: &SceneDesc, objects: &[Object], solving: Solving) -> u64 {
    let mut bytes = canonical(desc, solving).into_bytes();
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
