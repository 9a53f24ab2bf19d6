//! What differs from one draw to the next: placement, material, light model.

use super::globals::shading_numbers;
use crate::draw::{Material, Shading};

/// Bytes between the constants of two draws: what every device allows.
pub(super) const SLOT: usize = 256;

/// Constants of one draw, as `Draw` in `surface.wgsl`, filled up to a slot.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct DrawConstants {
    offset: [f32; 4],
    front: [f32; 4],
    back: [f32; 4],
    flags: [f32; 4],
    shading: [f32; 4],
    unused: [[f32; 4]; 11],
}

impl DrawConstants {
    pub(super) fn new(
        offset: [f32; 3],
        material: &Material,
        shading: Option<Shading>,
        flags: [f32; 4],
    ) -> Self {
        let (model, layer) = shading.map_or((-1.0, 0.0), shading_numbers);
        let ([r, g, b], [br, bg, bb]) = (material.colour, material.back);
        Self {
            offset: [offset[0], offset[1], offset[2], 0.0],
            front: [r, g, b, material.specular],
            back: [br, bg, bb, material.shininess.max(1.0)],
            flags,
            shading: [model, layer, 0.0, 0.0],
            unused: [[0.0; 4]; 11],
        }
    }
}
