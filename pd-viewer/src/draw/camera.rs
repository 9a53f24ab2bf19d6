//! A camera on a sphere around a target: orbit, pan, dolly; projection and its inverse.
//!
//! The eye is at target + d (sin a cos e, sin e, cos a cos e) with azimuth a, elevation e and distance d. A pixel (x, y)
//! has its origin at the upper left corner of the picture; pixel centres are at halves.

use super::Bounds;
use nalgebra::{Matrix4, Vector4};
use pd_core::Vec3;

/// A half line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start, m.
    pub origin: Vec3,
    /// Unit direction.
    pub direction: Vec3,
}

impl Ray {
    /// The point at distance `t`, m.
    pub fn at(&self, t: f64) -> Vec3 {
        self.origin + self.direction * t
    }

    /// Where it meets the plane through `point` with this normal, if it does so in front of its origin.
    pub fn meets_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let t = (point - self.origin).dot(&normal) / self.direction.dot(&normal);
        (t.is_finite() && t >= 0.0).then(|| self.at(t))
    }
}

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point looked at, m.
    pub target: Vec3,
    /// Angle around the vertical axis, from +z towards +x, degrees.
    pub azimuth: f64,
    /// Angle above the horizon, degrees, within ±89.
    pub elevation: f64,
    /// Distance from the target, m.
    pub distance: f64,
    /// Vertical field of view, degrees.
    pub field_of_view: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::zeros(), azimuth: 35.0, elevation: 20.0, distance: 4.0, field_of_view: 35.0 }
    }
}

impl Camera {
    /// A camera that shows all of `bounds` from these angles in degrees. `aspect` is width over height.
    ///
    /// ```
    /// use pd_core::Vec3;
    /// use pd_viewer::draw::{Bounds, Camera};
    /// let bounds = Bounds::of([Vec3::repeat(-1.0), Vec3::repeat(1.0)]);
    /// let camera = Camera::framing(&bounds, 30.0, 20.0, 2.0);
    /// for corner in bounds.corners() {
    ///     let [x, y, _] = camera.project(corner, [200, 100]).unwrap();
    ///     assert!((0.0..=200.0).contains(&x) && (0.0..=100.0).contains(&y));
    /// }
    /// ```
    pub fn framing(bounds: &Bounds, azimuth: f64, elevation: f64, aspect: f64) -> Self {
        let mut camera = Self { azimuth, elevation, ..Self::default() };
        camera.frame(bounds, aspect);
        camera
    }

    /// Moves target and distance so that all of `bounds` is seen, keeping the angles.
    pub fn frame(&mut self, bounds: &Bounds, aspect: f64) {
        if bounds.is_empty() {
            (self.target, self.distance) = (Vec3::zeros(), 4.0);
        } else {
            self.frame_points(bounds.corners(), aspect);
        }
    }

    /// Moves target and distance so that the points just fill the picture, less a margin, keeping the angles.
    ///
    /// In the picture's axes a point (x, y, z) is seen by an eye at (X, Y, D) if |x − X| ≤ (D − z) t, with t the tangent of
    /// half the angle of view across. So D t ≥ max(x + z t) − X and D t ≥ max(z t − x) + X, of which the best X makes both
    /// equal; the same holds for y, and the larger D serves both.
    pub fn frame_points(&mut self, points: impl IntoIterator<Item = Vec3>, aspect: f64) {
        let (right, up, back) = self.axes();
        let tan_y = (self.field_of_view.to_radians() / 2.0).tan() * 0.9; // the margin
        let tans = [tan_y * aspect.max(1e-3), tan_y];
        let mut reach = [[f64::NEG_INFINITY; 2]; 2];
        let (mut near, mut far) = (f64::NEG_INFINITY, f64::INFINITY);
        for p in points {
            let (across, z) = ([p.dot(&right), p.dot(&up)], p.dot(&back));
            for k in 0..2 {
                reach[k][0] = reach[k][0].max(z * tans[k] + across[k]);
                reach[k][1] = reach[k][1].max(z * tans[k] - across[k]);
            }
            (near, far) = (near.max(z), far.min(z));
        }
        if !(near.is_finite() && far.is_finite()) {
            return;
        }
        let centre = [0, 1].map(|k| (reach[k][0] - reach[k][1]) / 2.0);
        let depth = [0, 1].map(|k| (reach[k][0] + reach[k][1]) / (2.0 * tans[k]));
        let middle = (near + far) / 2.0;
        self.target = right * centre[0] + up * centre[1] + back * middle;
        // Not into the points themselves, where they are all on one line of sight.
        self.distance = (depth[0].max(depth[1]) - middle).max((near - far) * 0.6).max(1e-3);
    }

    /// Unit vectors of the picture: to the right, up, and towards the eye.
    pub fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let (a, e) = (self.azimuth.to_radians(), self.elevation.clamp(-89.0, 89.0).to_radians());
        let back = Vec3::new(a.sin() * e.cos(), e.sin(), a.cos() * e.cos());
        let right = Vec3::new(a.cos(), 0.0, -a.sin());
        (right, back.cross(&right), back)
    }

    /// Where the eye is, m.
    pub fn eye(&self) -> Vec3 {
        self.target + self.axes().2 * self.distance
    }

    /// Turns around the target by angles in degrees.
    pub fn orbit(&mut self, azimuth: f64, elevation: f64) {
        self.azimuth = (self.azimuth + azimuth).rem_euclid(360.0);
        self.elevation = (self.elevation + elevation).clamp(-89.0, 89.0);
    }

    /// Moves the target so that what lies at its depth follows the pointer, which moved by (dx, dy) pixels.
    pub fn pan(&mut self, dx: f64, dy: f64, size: [u32; 2]) {
        let (right, up, _) = self.axes();
        let metres = self.metres_per_pixel(size);
        self.target += (up * dy - right * dx) * metres;
    }

    /// Multiplies the distance to the target.
    pub fn dolly(&mut self, factor: f64) {
        self.distance = (self.distance * factor).clamp(1e-3, 1e5);
    }

    /// Size of a pixel at the depth of the target, m.
    pub fn metres_per_pixel(&self, size: [u32; 2]) -> f64 {
        2.0 * self.distance * (self.field_of_view.to_radians() / 2.0).tan() / f64::from(size[1].max(1))
    }

    /// World to eye coordinates: x right, y up, −z forward.
    pub fn view(&self) -> Matrix4<f64> {
        let (right, up, back) = self.axes();
        let eye = self.eye();
        let row = |axis: Vec3| [axis.x, axis.y, axis.z, -axis.dot(&eye)];
        let (r, u, b) = (row(right), row(up), row(back));
        Matrix4::from_row_slice(&[r, u, b, [0.0, 0.0, 0.0, 1.0]].concat())
    }

    /// Eye to clip coordinates, depth from 0 (near) to 1 (far). The near plane follows the distance.
    pub fn projection(&self, aspect: f64) -> Matrix4<f64> {
        let f = 1.0 / (self.field_of_view.to_radians() / 2.0).tan();
        let (near, far) = (self.distance * 0.02, self.distance * 60.0);
        #[rustfmt::skip]
        let rows = [
            f / aspect.max(1e-6), 0.0, 0.0, 0.0,
            0.0, f, 0.0, 0.0,
            0.0, 0.0, far / (near - far), near * far / (near - far),
            0.0, 0.0, -1.0, 0.0,
        ];
        Matrix4::from_row_slice(&rows)
    }

    /// World to clip coordinates.
    pub fn view_projection(&self, aspect: f64) -> Matrix4<f64> {
        self.projection(aspect) * self.view()
    }

    /// Pixel and depth (0 near, 1 far) of a point; `None` behind the near plane.
    pub fn project(&self, p: Vec3, size: [u32; 2]) -> Option<[f64; 3]> {
        let [w, h] = size.map(f64::from);
        let clip = self.view_projection(w / h) * Vector4::new(p.x, p.y, p.z, 1.0);
        (clip.z > 0.0 && clip.w > 0.0).then(|| {
            let ndc = clip / clip.w;
            [(ndc.x + 1.0) / 2.0 * w, (1.0 - ndc.y) / 2.0 * h, ndc.z]
        })
    }

    /// The ray from the eye through a pixel.
    pub fn ray(&self, pixel: [f64; 2], size: [u32; 2]) -> Ray {
        let [w, h] = size.map(|s| f64::from(s.max(1)));
        let (right, up, back) = self.axes();
        let tan = (self.field_of_view.to_radians() / 2.0).tan();
        let x = (2.0 * pixel[0] / w - 1.0) * tan * w / h;
        let y = (1.0 - 2.0 * pixel[1] / h) * tan;
        Ray { origin: self.eye(), direction: (right * x + up * y - back).normalize() }
    }

    /// The point under a pixel on the plane through `through` that faces the camera: where a dragged vertex goes.
    pub fn unproject(&self, pixel: [f64; 2], size: [u32; 2], through: Vec3) -> Option<Vec3> {
        self.ray(pixel, size).meets_plane(through, self.axes().2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> Camera {
        Camera {
            target: Vec3::new(0.3, -0.2, 0.5),
            azimuth: 120.0,
            elevation: -35.0,
            distance: 3.0,
            field_of_view: 50.0,
        }
    }

    #[test]
    fn ray_and_projection_are_inverse() {
        let size = [640, 360];
        for pixel in [[0.5, 0.5], [320.0, 180.0], [639.5, 12.25], [77.0, 359.0]] {
            let ray = camera().ray(pixel, size);
            for t in [0.5, 3.0, 40.0] {
                let [x, y, depth] = camera().project(ray.at(t), size).unwrap();
                assert!((x - pixel[0]).abs() < 1e-9 && (y - pixel[1]).abs() < 1e-9, "{x} {y} {pixel:?}");
                assert!((0.0..1.0).contains(&depth));
            }
            assert!(camera().project(ray.at(-1.0), size).is_none(), "behind the eye");
        }
    }

    #[test]
    fn a_dragged_point_stays_under_the_pointer_and_at_its_depth() {
        let (camera, size, point) = (camera(), [800, 600], Vec3::new(0.1, 0.4, 0.2));
        let moved = camera.unproject([123.0, 456.0], size, point).unwrap();
        let [x, y, _] = camera.project(moved, size).unwrap();
        assert!((x - 123.0).abs() < 1e-9 && (y - 456.0).abs() < 1e-9);
        assert!((moved - point).dot(&camera.axes().2).abs() < 1e-12);
    }

    #[test]
    fn framing_is_tight_and_complete() {
        for (azimuth, elevation, aspect) in [(20.0, 10.0, 1.6), (140.0, -40.0, 0.5), (300.0, 80.0, 3.0)] {
            let points: Vec<Vec3> = (0..40)
                .map(|k| {
                    Vec3::new(
                        (f64::from(k) * 1.7).sin() * 3.0,
                        (f64::from(k) * 0.9).cos(),
                        (f64::from(k) * 2.3).sin(),
                    )
                })
                .collect();
            let mut camera = Camera { azimuth, elevation, ..Camera::default() };
            camera.frame_points(points.iter().copied(), aspect);
            let size = [(aspect * 1000.0) as u32, 1000];
            let seen: Vec<_> = points.iter().map(|p| camera.project(*p, size).unwrap()).collect();
            let share = |k: usize| {
                let values = seen.iter().map(|s| s[k] / f64::from(size[k]));
                values.fold((1.0f64, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
            };
            let (x, y) = (share(0), share(1));
            assert!(x.0 > 0.04 && x.1 < 0.96 && y.0 > 0.04 && y.1 < 0.96, "{x:?} {y:?}");
            let fill = (x.1 - x.0).max(y.1 - y.0);
            assert!((fill - 0.9).abs() < 0.01, "{fill}");
        }
    }

    #[test]
    fn panning_moves_the_target_by_as_many_pixels() {
        let (mut camera, size) = (camera(), [800, 600]);
        let was = camera.target;
        camera.pan(30.0, -12.0, size);
        let [x, y, _] = camera.project(was, size).unwrap();
        assert!((x - 430.0).abs() < 1e-9 && (y - 288.0).abs() < 1e-9, "{x} {y}");
    }

    #[test]
    fn orbit_keeps_the_distance_and_never_flips() {
        let mut camera = camera();
        camera.orbit(400.0, 1000.0);
        assert_eq!(camera.elevation, 89.0);
        assert!(((camera.eye() - camera.target).norm() - 3.0).abs() < 1e-12);
        let (right, up, back) = camera.axes();
        assert!((right.cross(&up) - back).norm() < 1e-12 && up.y > 0.0);
    }
}
