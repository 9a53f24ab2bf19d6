//! A small software rasteriser: triangles with a depth buffer, one directional light with a shadow map.
//!
//! Colours are linear until written. Four samples a pixel come from drawing at twice the size.

use pd_core::Vec3;
use std::io::{self, Write};

/// Samples per pixel along each axis.
const OVERSAMPLE: usize = 2;

/// A parallel projection: screen x, screen y (up) and depth (towards the eye) as dot products.
#[derive(Clone, Copy)]
pub(crate) struct Camera {
    right: Vec3,
    up: Vec3,
    back: Vec3,
    centre: Vec3,
    /// World units per half of the smaller image side.
    extent: f64,
}

impl Camera {
    /// Looks at `centre` from the given angles in degrees; `extent` is half of what fits on the smaller side.
    pub(crate) fn new(centre: Vec3, extent: f64, azimuth: f64, elevation: f64) -> Self {
        let (a, e) = (azimuth.to_radians(), elevation.clamp(-89.0, 89.0).to_radians());
        let back = Vec3::new(a.sin() * e.cos(), e.sin(), a.cos() * e.cos());
        let right = Vec3::y().cross(&back).normalize();
        Self { right, up: back.cross(&right), back, centre, extent }
    }

    fn project(&self, p: &Vec3, width: usize, height: usize) -> Vec3 {
        let d = p - self.centre;
        let scale = width.min(height) as f64 / (2.0 * self.extent);
        Vec3::new(
            width as f64 / 2.0 + self.right.dot(&d) * scale,
            height as f64 / 2.0 - self.up.dot(&d) * scale,
            self.back.dot(&d),
        )
    }
}

/// A surface to draw.
pub(crate) struct Surface {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) paint: Paint,
}

/// How a surface is coloured, linear RGB.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    /// One colour.
    Plain([f64; 3]),
    /// Squares of two colours in x and z, with the side in m.
    Checker([f64; 3], [f64; 3], f64),
}

impl Paint {
    fn at(&self, p: &Vec3) -> [f64; 3] {
        match *self {
            Self::Plain(colour) => colour,
            Self::Checker(a, b, side) => {
                let odd = ((p.x / side).floor() + (p.z / side).floor()).rem_euclid(2.0) >= 1.0;
                if odd { a } else { b }
            }
        }
    }
}

/// A finished picture, 8-bit sRGB.
pub(crate) struct Image {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Image {
    pub(crate) fn write_png(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer.write_image_data(&self.pixels).map_err(io::Error::other)
    }
}

/// Draws surfaces as seen by `eye` under a light that shines from `light`.
pub(crate) fn render(surfaces: &[Surface], eye: Camera, light: Camera, size: (u32, u32)) -> Image {
    let (width, height) = (size.0 as usize * OVERSAMPLE, size.1 as usize * OVERSAMPLE);
    let side = 2048;
    let mut shadow = vec![f64::NEG_INFINITY; side * side];
    for surface in surfaces {
        for triangle in &surface.triangles {
            let corners = triangle.map(|v| light.project(&surface.positions[v as usize], side, side));
            rasterise(&corners, side, side, |pixel, depth, _| shadow[pixel] = shadow[pixel].max(depth));
        }
    }
    let mut depths = vec![f64::NEG_INFINITY; width * height];
    let mut colours = vec![[0.0; 3]; width * height];
    for (row, colours) in colours.chunks_exact_mut(width).enumerate() {
        let t = row as f64 / height as f64; // sky: light grey to white
        colours.fill([0.62 + 0.25 * t, 0.70 + 0.20 * t, 0.82 + 0.13 * t]);
    }
    let bias = light.extent * 0.006;
    for surface in surfaces {
        for triangle in &surface.triangles {
            let index = triangle.map(|v| v as usize);
            let corners = index.map(|v| eye.project(&surface.positions[v], width, height));
            rasterise(&corners, width, height, |pixel, depth, w| {
                if depth <= depths[pixel] {
                    return;
                }
                depths[pixel] = depth;
                let mix = |f: &[Vec3]| f[index[0]] * w[0] + f[index[1]] * w[1] + f[index[2]] * w[2];
                let (p, n) = (mix(&surface.positions), mix(&surface.normals));
                let s = light.project(&p, side, side);
                let lit = sample(&shadow, side, s.x, s.y).is_none_or(|depth| s.z + bias >= depth);
                colours[pixel] = shade(&surface.paint.at(&p), &n, &eye, &light, lit);
            });
        }
    }
    resolve(&colours, size)
}

/// Two-sided diffuse and specular light over a little ambient.
fn shade(colour: &[f64; 3], normal: &Vec3, eye: &Camera, light: &Camera, lit: bool) -> [f64; 3] {
    let mut n = normal.try_normalize(1e-12).unwrap_or(eye.back);
    if n.dot(&eye.back) < 0.0 {
        n = -n;
    }
    let half = (light.back + eye.back).normalize();
    let on = if lit { 1.0 } else { 0.25 };
    let diffuse = 0.32 + 0.08 * n.y + 0.68 * on * n.dot(&light.back).max(0.0);
    let specular = 0.18 * on * n.dot(&half).max(0.0).powi(40);
    colour.map(|c| c * diffuse + specular)
}

fn sample(map: &[f64], side: usize, x: f64, y: f64) -> Option<f64> {
    let inside = x >= 0.0 && y >= 0.0 && x < side as f64 && y < side as f64;
    inside.then(|| map[y as usize * side + x as usize])
}

/// Calls `f(pixel, depth, barycentric weights)` for every pixel centre inside the triangle.
fn rasterise(p: &[Vec3; 3], width: usize, height: usize, mut f: impl FnMut(usize, f64, [f64; 3])) {
    let edge = |a: &Vec3, b: &Vec3, x: f64, y: f64| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
    let area = edge(&p[0], &p[1], p[2].x, p[2].y);
    if area.abs() < 1e-9 || !area.is_finite() {
        return;
    }
    let range = |values: [f64; 3], limit: usize| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min).floor().clamp(0.0, limit as f64);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil().clamp(0.0, limit as f64);
        low as usize..high as usize
    };
    for y in range(p.map(|v| v.y), height) {
        for x in range(p.map(|v| v.x), width) {
            let (cx, cy) = (x as f64 + 0.5, y as f64 + 0.5);
            let w = [
                edge(&p[1], &p[2], cx, cy) / area,
                edge(&p[2], &p[0], cx, cy) / area,
                edge(&p[0], &p[1], cx, cy) / area,
            ];
            if w.iter().all(|&w| w >= 0.0) {
                f(y * width + x, w[0] * p[0].z + w[1] * p[1].z + w[2] * p[2].z, w);
            }
        }
    }
}

/// Averages the samples of each pixel and encodes them as sRGB.
fn resolve(colours: &[[f64; 3]], size: (u32, u32)) -> Image {
    let (w, h) = (size.0 as usize, size.1 as usize);
    let mut pixels = Vec::with_capacity(w * h * 3);
    for y in 0..h {
        for x in 0..w {
            for channel in 0..3 {
                let mut sum = 0.0;
                for dy in 0..OVERSAMPLE {
                    for dx in 0..OVERSAMPLE {
                        let row = y * OVERSAMPLE + dy;
                        sum += colours[row * w * OVERSAMPLE + x * OVERSAMPLE + dx][channel];
                    }
                }
                let linear = (sum / (OVERSAMPLE * OVERSAMPLE) as f64).clamp(0.0, 1.0);
                let encoded = if linear <= 0.003_130_8 {
                    12.92 * linear
                } else {
                    1.055 * linear.powf(1.0 / 2.4) - 0.055
                };
                pixels.push((encoded * 255.0).round() as u8);
            }
        }
    }
    Image { width: size.0, height: size.1, pixels }
}
