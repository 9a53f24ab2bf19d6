//! Settings have an owner: the table of all keys of a scene, and the one check that every key given is taken.
//!
//! A key is *taken* if its kind of matter is in the scene and the condition of its row holds. Every other key is an error that
//! names who would take it, wherever it was given: in the file, on the command line, in Python or in the window. A key of
//! the file that something stronger has put out of use (`--contact project` above `thickness` of `[contact]`) is no error;
//! [`SceneDesc::unused`] lists those.

mod given;
mod keys;
mod live;
mod when;
mod words;

pub(super) use given::given_in;
pub use given::{Given, Origin};
pub(super) use live::check_live;
pub use when::Condition;
pub use words::did_you_mean;
pub(crate) use words::with_suggestion;

use super::SceneDesc;
use super::desc::{CouplingDesc, RigidDesc, SampleDesc, SolverDesc, StepDesc, UnifiedDesc};
use crate::SceneError;
use toml::Value;

/// Who takes a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every scene.
    Scene,
    /// Deformable bodies, `[[object]]`.
    Deformable,
    /// Rigid bodies, `[[body]]` and `[[urdf]]`.
    Rigid,
    /// Grains and bodies of particles, `[[particles]]`.
    Particles,
    /// Water, sand and elastic matter on a grid, `[[fluid]]`.
    Grid,
    /// The coupling of several kinds of matter.
    Coupling,
}

impl Kind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene => "every scene",
            Self::Deformable => "deformable bodies",
            Self::Rigid => "rigid bodies",
            Self::Particles => "particles",
            Self::Grid => "matter on a grid",
            Self::Coupling => "the coupling of several kinds of matter",
        }
    }

    /// Whether a scene has it.
    pub fn is_in(self, desc: &SceneDesc) -> bool {
        match self {
            Self::Scene => true,
            Self::Deformable => !desc.objects.is_empty(),
            Self::Rigid => desc.has_rigid_bodies(),
            Self::Particles => !desc.particles.is_empty(),
            Self::Grid => !desc.fluids.is_empty(),
            Self::Coupling => desc.kinds() > 1,
        }
    }

    fn lack(self) -> &'static str {
        if self == Self::Coupling { "the scene has one kind" } else { "the scene has none" }
    }
}

/// A key of a scene: a row of the table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Key {
    /// Its path, `[]` for an entry of a list, `*` for any name.
    pub path: &'static str,
    /// The option of `pd run` for it.
    pub flag: Option<&'static str>,
    /// Who takes it.
    pub owner: Kind,
    /// And when.
    pub when: Condition,
    /// When it may change while the scene runs.
    pub live: Condition,
    /// Unit; empty if it has none or several.
    pub unit: &'static str,
    /// What it is for.
    pub about: &'static str,
}

/// All keys, in the order of the documentation.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    keys::all()
}

impl Key {
    /// Who takes it, with the condition.
    pub fn taken_by(&self) -> String {
        match (self.owner, self.when.words) {
            (Kind::Scene, words) if !words.is_empty() => words.trim_start_matches("by ").to_owned(),
            (owner, "") => owner.name().to_owned(),
            (owner, words) => format!("{}, {}", owner.name(), words.trim_start_matches("by ")),
        }
    }

    /// Why it is not taken.
    fn refuses(&self, desc: &SceneDesc, at: &[usize]) -> Option<String> {
        if !self.owner.is_in(desc) {
            return Some(format!("is taken by {}; {}", self.owner.name(), self.owner.lack()));
        }
        let lacking = || format!("is taken by {}; here nothing takes it", self.taken_by());
        (!(self.when.holds)(desc, at)).then(lacking)
    }
}

/// The row of a path as it is given, and the numbers of the entries on its way.
fn find(path: &str) -> (Option<&'static Key>, Vec<usize>) {
    let (pattern, at) = pattern(path);
    let mut rest = pattern.as_str();
    loop {
        if let Some(key) = keys().find(|key| key.path == rest) {
            return (Some(key), at);
        }
        let Some(cut) = rest.strip_suffix("[]").map(str::len).or_else(|| rest.rfind('.')) else {
            return (None, at);
        };
        rest = &rest[..cut];
    }
}

/// `object[2].pin[0].weight` as `object[].pin[].weight` and [2, 0]; the name of a stepper as `*`.
fn pattern(path: &str) -> (String, Vec<usize>) {
    let (mut text, mut at) = (String::with_capacity(path.len()), vec![]);
    for (k, part) in path.split('[').enumerate() {
        let Some((number, after)) = part.split_once(']').filter(|_| k > 0) else {
            text.push_str(part);
            continue;
        };
        at.extend(number.parse::<usize>());
        text.push_str("[]");
        text.push_str(after);
    }
    let options = text.strip_prefix("solver.").and_then(|rest| rest.split_once('.'));
    match options.map(|(_, option)| format!("solver.*.{option}")) {
        Some(options) => (options, at),
        None => (text, at),
    }
}

impl SceneDesc {
    /// How many kinds of matter it has.
    pub fn kinds(&self) -> usize {
        [Kind::Deformable, Kind::Rigid, Kind::Particles, Kind::Grid]
            .into_iter()
            .filter(|kind| kind.is_in(self))
            .count()
    }

    /// Whether it has rigid bodies.
    pub fn has_rigid_bodies(&self) -> bool {
        !(self.bodies.is_empty() && self.urdf.is_empty())
    }

    /// Keys of the file that something stronger has put out of use, each with who would take it.
    pub fn unused(&self) -> Vec<String> {
        let idle = self.given.iter().filter(|(path, origin, taken)| {
            *taken && matches!(origin, Origin::Line(_)) && self.standing_refusal(path).is_some()
        });
        idle.map(|(path, ..)| format!("{path} {}", self.refusal(path).unwrap_or_default())).collect()
    }

    /// Why nothing takes a key that is given.
    fn refusal(&self, path: &str) -> Option<String> {
        let (key, at) = find(path);
        let Some(key) = key else { return Some("is no key of a scene".to_owned()) };
        let what = key.refuses(self, &at)?;
        // A value that holds anyway is in nobody's way, as long as the kind is there.
        (!key.owner.is_in(self) || !is_default(self, path)).then_some(what)
    }

    /// As [`refusal`](Self::refusal), for a key of a file or one that a program has set: keys of `[solver]` may wait for a stepper
    /// or a solver that takes them, as `[solver.newton]` does.
    fn standing_refusal(&self, path: &str) -> Option<String> {
        let waits = path.starts_with("solver.") && Kind::Deformable.is_in(self);
        self.refusal(path).filter(|_| !waits)
    }

    /// The description with what is given in the text that it was read from.
    pub(super) fn with_given(mut self, mut given: Given) -> Self {
        given.judge(|path| self.standing_refusal(path).is_none());
        self.given = given;
        self
    }
}

/// Checks that everything given is taken.
///
/// # Errors
/// The first key that is not, with who would take it.
pub fn check(name: &str, desc: &SceneDesc) -> Result<(), SceneError> {
    for (path, origin, taken) in desc.given.iter() {
        if taken && matches!(origin, Origin::Line(_)) {
            continue; // put out of use by something stronger
        }
        let refusal = match origin {
            Origin::Line(_) => desc.standing_refusal(path),
            _ => desc.refusal(path),
        };
        if let Some(what) = refusal {
            return Err(origin.error(name, path, what));
        }
    }
    // What a program has set without saying so. Keys of contact wait for a method that takes them: in the window it is switched
    // to and fro.
    let waits = |path: &str| path.starts_with("contact.") && Kind::Deformable.is_in(desc);
    for path in set_in(desc).into_iter().filter(|path| !waits(path)) {
        if desc.given.origin(&path).is_none()
            && let Some(what) = desc.standing_refusal(&path)
        {
            return Err(SceneError::Value { file: name.to_owned(), field: path, what });
        }
    }
    Ok(())
}

/// Paths of all keys that a description sets.
fn set_in(desc: &SceneDesc) -> Vec<String> {
    let mut paths = vec![];
    // A description is always a table.
    if let Ok(value) = Value::try_from(desc) {
        live::leaves(&value, &mut String::new(), &mut |path, _| paths.push(path.to_owned()));
    }
    paths
}

/// Whether a key of a section, or of the sampling of particles, has the value that it would have anyway.
fn is_default(desc: &SceneDesc, path: &str) -> bool {
    fn same<T: serde::Serialize + Default>(own: &T, key: &str) -> bool {
        let value = |table: &T| toml::Table::try_from(table).ok().and_then(|table| table.get(key).cloned());
        let default = value(&T::default());
        default.is_some() && value(own) == default
    }
    let Some((section, key)) = path.rsplit_once('.') else { return false };
    match section {
        "step" => same::<StepDesc>(&desc.step, key),
        "solver" => same::<SolverDesc>(&desc.solver, key),
        "rigid" => same::<RigidDesc>(&desc.rigid, key),
        "unified" => same::<UnifiedDesc>(&desc.unified, key),
        "coupling" => same::<CouplingDesc>(&desc.coupling, key),
        _ if section.ends_with(".sample") => {
            let set = pattern(section).1.first().and_then(|&k| desc.particles.get(k));
            set.is_some_and(|set| same::<SampleDesc>(&set.sample, key))
        }
        _ => false,
    }
}

/// The table as a page of the documentation (Markdown).
pub fn markdown() -> String {
    let mut page = String::from(
        "| key | option | taken by | may change while running | unit | what for |\n|---|---|---|---|---|---|\n",
    );
    for key in keys() {
        let flag = key.flag.map_or_else(String::new, |flag| format!("`{flag}`"));
        let (path, live, unit, about) = (key.path, key.live.words, key.unit, key.about);
        page += &format!("| `{path}` | {flag} | {} | {live} | {unit} | {about} |\n", key.taken_by());
    }
    page
}
