//! Appearance of a drawing.

use super::{Plane, Ramp};

/// Light model of the surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Shading {
    /// Blinn-Phong with a key light, a sky and shadows.
    #[default]
    Phong,
    /// A ball of some material, looked up by the normal as the eye sees it; no shadows.
    MatCap(MatCap),
    /// The normal as a colour, to find flipped triangles.
    Normals,
}

/// The painted balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum MatCap {
    /// Red clay.
    #[default]
    Clay,
    /// Polished steel.
    Steel,
    /// Green jade.
    Jade,
    /// White porcelain; takes the body's own colour.
    Porcelain,
}

impl MatCap {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Clay, Self::Steel, Self::Jade, Self::Porcelain];

    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clay => "clay",
            Self::Steel => "steel",
            Self::Jade => "jade",
            Self::Porcelain => "porcelain",
        }
    }
}

/// Background and floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Pale sky, light floor.
    #[default]
    Light,
    /// Near black.
    Dark,
}

/// Which values the ends of a ramp stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourRange {
    /// Value of the first colour.
    pub low: f32,
    /// Value of the last colour.
    pub high: f32,
    /// The colours.
    pub ramp: Ramp,
}

/// All switches of the renderer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Light model.
    pub shading: Shading,
    /// One normal per triangle instead of smooth ones.
    pub flat: bool,
    /// Whether the key light casts shadows (Phong only).
    pub shadows: bool,
    /// Radius of the key light, as an angle in degrees: softness of shadows. The sun has 0.27.
    pub softness: f32,
    /// Where the key light stands, degrees around the vertical axis, as [`Camera::azimuth`](super::Camera::azimuth).
    pub light_azimuth: f32,
    /// How high it stands, degrees above the horizon.
    pub light_elevation: f32,
    /// Triangle edges over the surface.
    pub wireframe: bool,
    /// Whether body surfaces are drawn at all.
    pub surfaces: bool,
    /// All edges of the meshes, inner ones of solids included, seen through the surface.
    pub edges: bool,
    /// A dot on every vertex.
    pub points: bool,
    /// Every tetrahedron separately, shrunk to this fraction (0.1 to 1) about its centre.
    pub tets: Option<f32>,
    /// Hides what lies on the positive side of a plane: whole tetrahedra and triangles. Exposed faces are drawn.
    pub cut: Option<Plane>,
    /// Obstacles of finite size.
    pub obstacles: bool,
    /// The floor.
    pub floor: bool,
    /// Contacts: a dot and the normal.
    pub contacts: bool,
    /// Lines from this vertex to its neighbours.
    pub adjacency: Option<u32>,
    /// Colours by the drawing's values instead of materials.
    pub colour: Option<ColourRange>,
    /// Light or dark.
    pub theme: Theme,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            shading: Shading::Phong,
            flat: false,
            shadows: true,
            softness: 1.5,
            light_azimuth: -15.0,
            light_elevation: 52.0,
            wireframe: false,
            surfaces: true,
            edges: false,
            points: false,
            tets: None,
            cut: None,
            obstacles: true,
            floor: true,
            contacts: false,
            adjacency: None,
            colour: None,
            theme: Theme::Light,
        }
    }
}
