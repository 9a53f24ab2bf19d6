//! How kinds of matter act on each other, by name.

/// A coupling scheme. All keep linear momentum to rounding, except `one-way`, which is not meant to, and `admm-ipc`, which does
/// so to the tolerance of its iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// Lighter kinds give way to heavier ones, which feel nothing: points to cloth and bodies, cloth to bodies.
    OneWay,
    /// Every contact is visited once. Solids lighter than the fluid they push before them are unstable; such are refused.
    Staggered,
    /// Contacts are iterated with the masses of both sides. The default.
    #[default]
    Rows,
    /// One barrier problem of solids and the points that touch them, split by ADMM: [`AdmmIpc`](crate::AdmmIpc).
    AdmmIpc,
}

impl Scheme {
    /// All schemes with their names.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("one-way", Self::OneWay),
        ("staggered", Self::Staggered),
        ("rows", Self::Rows),
        ("admm-ipc", Self::AdmmIpc),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, scheme)| *scheme == self).map_or("rows", |(name, _)| name)
    }

    /// The scheme of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, scheme)| *scheme)
    }
}
