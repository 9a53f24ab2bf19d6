//! Colour and gloss of a surface.

use super::Part;
use pd_sim::scene::SceneDesc;

/// How a surface reflects light. Colours are linear RGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Colour of the front.
    pub colour: [f32; 3],
    /// Colour of the back of a cloth or shell.
    pub back: [f32; 3],
    /// Strength of the highlight, 0 to 1.
    pub specular: f32,
    /// Exponent of the highlight; larger is smaller and sharper.
    pub shininess: f32,
}

impl Material {
    /// The same colour on both sides.
    pub const fn plain(colour: [f32; 3]) -> Self {
        Self { colour, back: colour, specular: 0.18, shininess: 40.0 }
    }

    /// Front and back as of a lined cloth: the back is paler.
    pub fn lined(colour: [f32; 3]) -> Self {
        Self { back: colour.map(|c| 0.45 * c + 0.28), ..Self::plain(colour) }
    }

    /// What a body is made of that the scene gives no colour: the next of the palette, cloth with a paler back, water
    /// in blue.
    pub(crate) fn of_part(desc: &SceneDesc, part: &Part, number: usize) -> Self {
        if desc.fluids.iter().any(|fluid| fluid.name == part.name && fluid.is_water()) {
            return Self::plain(WATER);
        }
        let colour = PALETTE[number % PALETTE.len()];
        let cloth = part.tets.is_empty() && desc.objects.iter().any(|object| object.name == part.name);
        if cloth { Self::lined(colour) } else { Self::plain(colour) }
    }

    /// What obstacles are made of.
    pub const fn obstacle() -> Self {
        Self { colour: [0.50, 0.49, 0.47], back: [0.50, 0.49, 0.47], specular: 0.25, shininess: 60.0 }
    }
}

/// Linear light of an sRGB channel from 0 to 1.
pub(super) fn linear(srgb: f64) -> f32 {
    let c = srgb.clamp(0.0, 1.0);
    (if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
}

/// Colour of water, linear RGB.
const WATER: [f32; 3] = [0.03, 0.17, 0.48];

/// Body colours in the order of the bodies, linear RGB.
pub const PALETTE: [[f32; 3]; 8] = [
    [0.62, 0.06, 0.05],
    [0.05, 0.20, 0.52],
    [0.80, 0.38, 0.03],
    [0.06, 0.33, 0.12],
    [0.30, 0.09, 0.42],
    [0.03, 0.36, 0.38],
    [0.55, 0.10, 0.26],
    [0.26, 0.28, 0.05],
];
