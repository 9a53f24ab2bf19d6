//! Numbers that all pipelines share, and the projection of the shadow map.

use super::texture::SHADOW_SIDE;
use crate::draw::{Bounds, Camera, MatCap, Options, Shading, Theme};
use nalgebra::Matrix4;
use pd_core::Vec3;

/// As in `globals.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Globals {
    view_projection: [[f32; 4]; 4],
    light_projection: [[f32; 4]; 4],
    view: [[f32; 4]; 4],
    eye: [f32; 4],
    light: [f32; 4],
    sky: [f32; 4],
    ground: [f32; 4],
    top: [f32; 4],
    bottom: [f32; 4],
    ramp: [f32; 4],
    shadow: [f32; 4],
    shading: [f32; 4],
    viewport: [f32; 4],
    wire: [f32; 4],
}

/// Colours of a theme, linear.
pub(super) struct Colours {
    sky: [f32; 4],
    ground: [f32; 4],
    top: [f32; 4],
    bottom: [f32; 4],
    wire: [f32; 4],
    /// Tiles of the floor.
    pub(super) floor: [[f32; 3]; 2],
}

const LIGHT: Colours = Colours {
    sky: [0.34, 0.35, 0.37, 0.0],
    ground: [0.15, 0.145, 0.14, 0.0],
    top: [0.60, 0.70, 0.84, 0.0],
    bottom: [0.86, 0.88, 0.90, 0.0],
    wire: [0.01, 0.01, 0.02, 0.5],
    floor: [[0.46, 0.48, 0.50], [0.62, 0.63, 0.65]],
};

const DARK: Colours = Colours {
    sky: [0.30, 0.32, 0.37, 0.0],
    ground: [0.12, 0.11, 0.11, 0.0],
    top: [0.010, 0.012, 0.018, 0.0],
    bottom: [0.030, 0.034, 0.044, 0.0],
    wire: [0.005, 0.005, 0.008, 0.6],
    floor: [[0.045, 0.050, 0.060], [0.085, 0.092, 0.105]],
};

pub(super) fn colours(theme: Theme) -> &'static Colours {
    match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
    }
}

impl Globals {
    /// For a picture of `size` pixels of what lies in `bounds`.
    pub(super) fn new(camera: &Camera, options: &Options, bounds: &Bounds, size: [u32; 2]) -> Self {
        let [w, h] = size.map(|s| s as f32);
        let colours = colours(options.theme);
        let (right, up, light) = axes(options.light_azimuth, options.light_elevation);
        let radius = shadow_radius(bounds);
        let eye = camera.eye();
        let (shading, layer) = shading_numbers(options.shading);
        let span = options.colour.map_or(1.0, |c| (c.high - c.low).max(f32::MIN_POSITIVE));
        let spread = 2.0 * options.softness.clamp(0.0, 20.0).to_radians().tan();
        Self {
            view_projection: columns(&camera.view_projection(f64::from(w / h))),
            light_projection: columns(&light_projection(bounds.centre(), radius, right, up, light)),
            view: columns(&camera.view()),
            eye: [eye.x as f32, eye.y as f32, eye.z as f32, 1.0],
            light: [light.x as f32, light.y as f32, light.z as f32, 0.82],
            sky: colours.sky,
            ground: colours.ground,
            top: colours.top,
            bottom: colours.bottom,
            ramp: [
                options.colour.map_or(0.0, |c| c.low),
                1.0 / span,
                f32::from(u8::from(options.colour.is_some())),
                0.0,
            ],
            shadow: [
                1.0 / SHADOW_SIDE as f32,
                spread,
                (3.0 * radius / f64::from(SHADOW_SIDE)) as f32,
                f32::from(u8::from(casts_shadows(options))),
            ],
            shading: [shading, layer, f32::from(u8::from(options.flat)), 0.0],
            viewport: [w, h, 0.0, 0.0],
            wire: colours.wire,
        }
    }
}

/// Light model and layer of the painted balls, as the shader takes them.
pub(super) fn shading_numbers(shading: Shading) -> (f32, f32) {
    match shading {
        Shading::Phong => (0.0, 0.0),
        Shading::MatCap(ball) => (1.0, MatCap::ALL.iter().position(|b| *b == ball).unwrap_or(0) as f32),
        Shading::Normals => (2.0, 0.0),
    }
}

/// Whether the shadow map is needed.
pub(super) fn casts_shadows(options: &Options) -> bool {
    options.shadows && options.shading == Shading::Phong
}

/// Unit vectors right, up and towards the light.
fn axes(azimuth: f32, elevation: f32) -> (Vec3, Vec3, Vec3) {
    let camera = Camera { azimuth: azimuth.into(), elevation: elevation.into(), ..Camera::default() };
    camera.axes()
}

/// Grows in steps, so that the edges of shadows do not crawl while bodies move.
fn shadow_radius(bounds: &Bounds) -> f64 {
    let steps = (bounds.radius() * 1.02).log(1.1).ceil();
    1.1f64.powf(steps)
}

/// Onto a square of side 2 around the bodies; depth 0 to ½ across them and up to 1 as far again behind, where the floor
/// is.
fn light_projection(centre: Vec3, radius: f64, right: Vec3, up: Vec3, light: Vec3) -> Matrix4<f64> {
    let row = |axis: Vec3, scale: f64, shift: f64| {
        let axis = axis * scale;
        [axis.x, axis.y, axis.z, shift - axis.dot(&centre)]
    };
    let rows = [
        row(right, 1.0 / radius, 0.0),
        row(up, 1.0 / radius, 0.0),
        row(light, -0.25 / radius, 0.25),
        [0.0, 0.0, 0.0, 1.0],
    ];
    Matrix4::from_row_slice(&rows.concat())
}

fn columns(m: &Matrix4<f64>) -> [[f32; 4]; 4] {
    std::array::from_fn(|c| std::array::from_fn(|r| m[(r, c)] as f32))
}
