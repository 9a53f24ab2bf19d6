//! Custom parts of scene files: energies, obstacles and forces, selected by the key `kind` of a `[[custom]]` table.
//! All other keys of the table belong to the part.

use pd_core::{Collider, EnergyBatch, Force, Real, Vec3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the constructor of a custom part receives.
#[non_exhaustive]
pub struct CustomContext<'a> {
    /// Positions at rest of all deformable vertices, m.
    pub rest: &'a [Vec3],
    /// Masses of the same vertices, kg.
    pub masses: &'a [Real],
    /// Deformable bodies, in vertex order.
    pub objects: &'a [crate::scene::Object],
    /// The keys of the `[[custom]]` table, without `kind`.
    pub keys: &'a toml::Table,
}

impl CustomContext<'_> {
    /// A number among the keys, or an error that names the key.
    pub fn number(&self, key: &str) -> Result<Real, String> {
        let value = self.keys.get(key).ok_or_else(|| format!("the key {key:?} is missing"))?;
        let number = value.as_float().or_else(|| value.as_integer().map(|i| i as Real));
        number.filter(|n| n.is_finite()).ok_or_else(|| format!("{key} = {value} is not a finite number"))
    }

    /// A vector of three numbers among the keys, or an error that names the key.
    pub fn vector(&self, key: &str) -> Result<Vec3, String> {
        let value = self.keys.get(key).ok_or_else(|| format!("the key {key:?} is missing"))?;
        let number = |v: &toml::Value| v.as_float().or_else(|| v.as_integer().map(|i| i as Real));
        let numbers: Option<Vec<Real>> = value.as_array().and_then(|a| a.iter().map(number).collect());
        match numbers.as_deref() {
            Some(&[x, y, z]) if x.is_finite() && y.is_finite() && z.is_finite() => Ok(Vec3::new(x, y, z)),
            _ => Err(format!("{key} = {value} is not a vector of three finite numbers")),
        }
    }

    /// The object that the key `object` names, or an error that lists the objects.
    pub fn object(&self) -> Result<&crate::scene::Object, String> {
        let name = self.keys.get("object").and_then(toml::Value::as_str);
        let name = name.ok_or_else(|| "the key \"object\" must name an object".to_owned())?;
        self.objects.iter().find(|object| object.name == name).ok_or_else(|| {
            let known = self.objects.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join(", ");
            format!("there is no object {name:?}; the scene has {known}")
        })
    }
}

type Constructor<T> = Arc<dyn Fn(&CustomContext<'_>) -> Result<Box<T>, String> + Send + Sync>;

/// Which part a name makes.
#[derive(Clone)]
enum Maker {
    Energy(Constructor<dyn EnergyBatch>),
    Collider(Constructor<dyn Collider>),
    Force(Constructor<dyn Force>),
}

/// Constructors of custom parts by name; clones share them.
#[derive(Clone, Default)]
pub struct CustomParts {
    makers: BTreeMap<String, Maker>,
}

impl std::fmt::Debug for CustomParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.makers.keys()).finish()
    }
}

impl CustomParts {
    /// Adds an energy, or replaces the part of that name.
    pub fn energy(
        &mut self,
        name: impl Into<String>,
        make: impl Fn(&CustomContext<'_>) -> Result<Box<dyn EnergyBatch>, String> + Send + Sync + 'static,
    ) {
        self.makers.insert(name.into(), Maker::Energy(Arc::new(make)));
    }

    /// Adds an obstacle, or replaces the part of that name.
    pub fn collider(
        &mut self,
        name: impl Into<String>,
        make: impl Fn(&CustomContext<'_>) -> Result<Box<dyn Collider>, String> + Send + Sync + 'static,
    ) {
        self.makers.insert(name.into(), Maker::Collider(Arc::new(make)));
    }

    /// Adds a force, or replaces the part of that name.
    pub fn force(
        &mut self,
        name: impl Into<String>,
        make: impl Fn(&CustomContext<'_>) -> Result<Box<dyn Force>, String> + Send + Sync + 'static,
    ) {
        self.makers.insert(name.into(), Maker::Force(Arc::new(make)));
    }

    /// Names of all parts, sorted.
    pub fn names(&self) -> Vec<&str> {
        self.makers.keys().map(String::as_str).collect()
    }

    /// Rejects a name that nothing was registered for.
    pub(crate) fn check(&self, kind: &str) -> Result<(), String> {
        if self.makers.contains_key(kind) {
            return Ok(());
        }
        let known = if self.makers.is_empty() { "none".to_owned() } else { self.names().join(", ") };
        Err(format!("no part {kind:?} is registered; this program has {known}"))
    }

    /// The energy of that name; `None` if the name is that of another kind of part.
    pub(crate) fn make_energy(
        &self,
        kind: &str,
        context: &CustomContext<'_>,
    ) -> Option<Result<Box<dyn EnergyBatch>, String>> {
        match self.makers.get(kind)? {
            Maker::Energy(make) => Some(make(context)),
            _ => None,
        }
    }

    /// The obstacle of that name; `None` if the name is that of another kind of part.
    pub(crate) fn make_collider(
        &self,
        kind: &str,
        context: &CustomContext<'_>,
    ) -> Option<Result<Box<dyn Collider>, String>> {
        match self.makers.get(kind)? {
            Maker::Collider(make) => Some(make(context)),
            _ => None,
        }
    }

    /// The force of that name; `None` if the name is that of another kind of part.
    pub(crate) fn make_force(
        &self,
        kind: &str,
        context: &CustomContext<'_>,
    ) -> Option<Result<Box<dyn Force>, String>> {
        match self.makers.get(kind)? {
            Maker::Force(make) => Some(make(context)),
            _ => None,
        }
    }
}
