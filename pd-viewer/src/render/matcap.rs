//! Sphere images for MatCap shading, computed here: each pixel is a unit normal n in eye space, lit by a few lights.

use crate::draw::MatCap;

/// An sRGB picture of a ball, RGBA, rows from the top. Outside the disc it continues the rim.
pub(super) fn paint(ball: MatCap, side: u32) -> Vec<u8> {
    let mut pixels = Vec::with_capacity((side * side * 4) as usize);
    for row in 0..side {
        for column in 0..side {
            let at = |k: u32| (k as f32 + 0.5) / side as f32 * 2.0 - 1.0;
            let (mut x, mut y) = (at(column) / 0.97, -at(row) / 0.97);
            let r = x.hypot(y);
            if r > 0.999 {
                (x, y) = (x / r * 0.999, y / r * 0.999);
            }
            let n = [x, y, (1.0 - x * x - y * y).max(0.0).sqrt()];
            pixels.extend(colour(ball, n).map(encode));
            pixels.push(255);
        }
    }
    pixels
}

/// Linear colour of a material seen at normal `n`.
fn colour(ball: MatCap, n: [f32; 3]) -> [f32; 3] {
    let lamp = |direction: [f32; 3]| {
        let length = dot(direction, direction).sqrt();
        dot(n, direction) / length
    };
    let (key, fill) = (lamp([-0.5, 0.7, 0.6]), lamp([0.8, -0.1, 0.5]));
    // The half vector of the key lamp and the eye.
    let glint = lamp([-0.26, 0.36, 0.83]).max(0.0);
    let rim = (1.0 - n[2]).powi(3);
    let mix = |a: [f32; 3], b: [f32; 3], t: f32| -> [f32; 3] {
        std::array::from_fn(|c| a[c] + (b[c] - a[c]) * t.clamp(0.0, 1.0))
    };
    let add =
        |a: [f32; 3], light: [f32; 3], t: f32| -> [f32; 3] { std::array::from_fn(|c| a[c] + light[c] * t) };
    match ball {
        MatCap::Clay => {
            let base = mix([0.10, 0.018, 0.012], [0.72, 0.26, 0.15], key * 0.5 + 0.5);
            let base = add(base, [0.16, 0.07, 0.06], fill.max(0.0));
            add(add(base, [0.30, 0.26, 0.22], glint.powi(18)), [0.10, 0.12, 0.20], rim)
        }
        MatCap::Steel => {
            // A bright sky over a dark horizon over a grey floor, mirrored.
            let up = 2.0 * n[2] * n[1];
            let world = if up > 0.0 {
                mix([0.10, 0.11, 0.13], [0.66, 0.70, 0.76], up.powf(0.6))
            } else {
                mix([0.10, 0.11, 0.13], [0.32, 0.31, 0.30], -up * 1.4)
            };
            add(add(world, [0.9, 0.9, 0.9], glint.powi(60)), [0.35, 0.38, 0.42], rim)
        }
        MatCap::Jade => {
            // Light that enters on one side comes out on the other.
            let through = (0.5 - 0.5 * key).powi(2);
            let base = mix([0.015, 0.10, 0.05], [0.16, 0.55, 0.28], key * 0.5 + 0.5);
            let base = add(base, [0.10, 0.34, 0.12], through);
            add(add(base, [0.7, 0.75, 0.7], glint.powi(50)), [0.10, 0.22, 0.14], rim)
        }
        MatCap::Porcelain => {
            let base = mix([0.16, 0.16, 0.19], [0.86, 0.85, 0.83], key * 0.5 + 0.55);
            add(add(base, [0.5, 0.5, 0.5], glint.powi(70)), [0.10, 0.11, 0.14], fill.max(0.0))
        }
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn encode(linear: f32) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let encoded = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balls_differ_and_are_lit_from_the_upper_left() {
        let mut means = vec![];
        for ball in MatCap::ALL {
            let pixels = paint(ball, 64);
            assert_eq!(pixels.len(), 64 * 64 * 4);
            let light = |x: usize, y: usize| -> u32 {
                pixels[(y * 64 + x) * 4..][..3].iter().map(|&c| u32::from(c)).sum()
            };
            assert!(light(20, 16) > light(44, 50), "{ball:?}");
            means.push((light(32, 32), pixels[(32 * 64 + 32) * 4]));
        }
        means.sort_unstable();
        means.dedup();
        assert_eq!(means.len(), 4);
    }
}
