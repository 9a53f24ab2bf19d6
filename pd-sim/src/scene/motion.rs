//! Prescribed motion: p ↦ c + R(t) (p − c) + o(t), with the offset o of a path and the turn R about an axis through c.

use super::desc::TurnDesc;
use nalgebra::{Isometry3, Unit, UnitQuaternion};
use pd_collide::{CollideError, Moving, Path, Posed};
use pd_core::{Collider, Real, Vec3};

/// Largest turn between two keyframes of an obstacle, rad: well below half a turn, where the direction of rotation would be ambiguous.
const STEP: Real = 1.0;

/// Motion along a path and about an axis.
#[derive(Clone, Debug)]
pub(super) struct Motion {
    path: Option<Path>,
    turn: Option<Turn>,
}

#[derive(Clone, Debug)]
struct Turn {
    axis: Unit<Vec3>,
    about: Vec3,
    /// Time, s, and angle, rad.
    keys: Vec<(Real, Real)>,
}

/// An invalid motion: the key and the reason.
pub(super) type Fault = (&'static str, String);

impl Motion {
    /// Reads a path and a turn; the axis passes through `about` unless the turn specifies a point.
    pub(super) fn new(path: &[[f64; 4]], turn: Option<&TurnDesc>, about: Vec3) -> Result<Self, Fault> {
        let path =
            if path.is_empty() { None } else { Some(keyframes(path).map_err(|e| ("path", e.to_string()))?) };
        let turn = turn.map(|desc| Turn::new(desc, about)).transpose().map_err(|what| ("turn", what))?;
        Ok(Self { path, turn })
    }

    /// Whether nothing moves.
    pub(super) fn is_still(&self) -> bool {
        self.path.is_none() && self.turn.is_none()
    }

    fn offset(&self, time: Real) -> Vec3 {
        self.path.as_ref().map_or_else(Vec3::zeros, |path| path.offset(time))
    }

    fn rotation(&self, time: Real) -> UnitQuaternion<Real> {
        self.turn.as_ref().map_or_else(UnitQuaternion::identity, |turn| {
            UnitQuaternion::from_axis_angle(&turn.axis, turn.angle(time))
        })
    }

    /// Pose at a time relative to the initial placement.
    pub(super) fn pose(&self, time: Real) -> Isometry3<Real> {
        let (rotation, offset) = (self.rotation(time), self.offset(time));
        let about = self.turn.as_ref().map_or_else(Vec3::zeros, |turn| turn.about);
        Isometry3::from_parts((about + offset - rotation * about).into(), rotation)
    }

    /// An obstacle with this motion, first rotated about `centre` by `first`.
    pub(super) fn moving_collider(
        &self,
        shape: Box<dyn Collider>,
        first: UnitQuaternion<Real>,
        centre: Vec3,
    ) -> Result<Box<dyn Collider>, CollideError> {
        let shape: Box<dyn Collider> = if first == UnitQuaternion::identity() {
            shape
        } else {
            let pose = Isometry3::from_parts((centre - first * centre).into(), first);
            Box::new(Posed::new(shape, pose)?)
        };
        let Some(turn) = &self.turn else {
            return Ok(match &self.path {
                Some(path) => Box::new(Moving::new(shape, path.clone())),
                None => shape,
            });
        };
        // About the axis, so that positions between two keyframes are linear in time.
        let home = Moving::new(shape, Path::new(vec![(0.0, -turn.about)])?);
        let keys = self.times().into_iter().map(|time| {
            (time, Isometry3::from_parts((turn.about + self.offset(time)).into(), self.rotation(time)))
        });
        Ok(Box::new(Posed::moving(home, keys.collect())?))
    }

    /// Times of all keyframes, subdivided so that each rotation is small.
    fn times(&self) -> Vec<Real> {
        let mut times: Vec<Real> =
            self.path.iter().flat_map(|path| path.keyframes()).map(|key| key.0).collect();
        if let Some(turn) = &self.turn {
            times.extend(turn.keys.iter().map(|key| key.0));
            for pair in turn.keys.windows(2) {
                let [(t0, a0), (t1, a1)] = [pair[0], pair[1]];
                let count = ((a1 - a0).abs() / STEP).ceil().max(1.0) as usize;
                times.extend((1..count).map(|k| t0 + (t1 - t0) * k as Real / count as Real));
            }
        }
        times.sort_by(Real::total_cmp);
        times.dedup();
        times
    }
}

impl Turn {
    fn new(desc: &TurnDesc, about: Vec3) -> Result<Self, String> {
        let axis = Vec3::from(desc.axis);
        if !(axis.norm() > 0.0 && axis.norm().is_finite()) {
            return Err("the axis must be finite and not zero".to_owned());
        }
        let about = desc.about.map_or(about, Vec3::from);
        if !about.iter().all(|c| c.is_finite()) {
            return Err("about must be finite".to_owned());
        }
        if desc.keys.is_empty() {
            return Err("there are no keys".to_owned());
        }
        for (k, [time, degrees]) in desc.keys.iter().enumerate() {
            if !(time.is_finite() && degrees.is_finite()) {
                return Err(format!("key {k} is not finite: time {time}, {degrees} degrees"));
            }
            if k > 0 && *time <= desc.keys[k - 1][0] {
                return Err(format!(
                    "key {k} is at time {time}, not after the one before at {}",
                    desc.keys[k - 1][0]
                ));
            }
        }
        let keys = desc.keys.iter().map(|&[time, degrees]| (time, degrees.to_radians())).collect();
        Ok(Self { axis: Unit::new_normalize(axis), about, keys })
    }

    fn angle(&self, time: Real) -> Real {
        let keys = &self.keys;
        match keys.partition_point(|key| key.0 <= time) {
            0 => keys[0].1,
            next if next == keys.len() => keys[next - 1].1,
            next => {
                let ((t0, a0), (t1, a1)) = (keys[next - 1], keys[next]);
                a0 + (a1 - a0) * (time - t0) / (t1 - t0)
            }
        }
    }
}

/// Keyframes `[time, dx, dy, dz]` as a path.
pub(super) fn keyframes(keys: &[[f64; 4]]) -> Result<Path, CollideError> {
    Path::new(keys.iter().map(|&[time, x, y, z]| (time, Vec3::new(x, y, z))).collect())
}

/// A mesh through frames of positions, moved as a whole.
#[derive(Clone, Debug)]
pub(super) struct MeshMotion {
    /// Frames after the first: time, s, and positions, m; the first is the rest shape at time 0.
    pub(super) frames: Vec<(Real, Vec<Vec3>)>,
    pub(super) motion: Motion,
}

impl pd_core::Motion for MeshMotion {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        let next = self.frames.partition_point(|frame| frame.0 <= time);
        let before: (Real, &[Vec3]) =
            next.checked_sub(1).map_or((0.0, rest), |k| (self.frames[k].0, self.frames[k].1.as_slice()));
        match self.frames.get(next) {
            Some((end, after)) if *end > before.0 => {
                let part = ((time - before.0) / (end - before.0)).clamp(0.0, 1.0);
                for (out, (a, b)) in out.iter_mut().zip(before.1.iter().zip(after)) {
                    *out = a + (b - a) * part;
                }
            }
            _ => out.copy_from_slice(before.1),
        }
        if !self.motion.is_still() {
            let pose = self.motion.pose(time);
            out.iter_mut().for_each(|p| *p = pose.rotation * *p + pose.translation.vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_collide::Block;

    #[test]
    fn an_obstacle_that_turns_is_where_its_points_are_carried() {
        let turn = TurnDesc {
            axis: [0.0, 0.0, 2.0],
            about: Some([1.0, 0.0, 0.0]),
            keys: vec![[0.0, 0.0], [2.0, 720.0]],
        };
        let motion =
            Motion::new(&[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 3.0, 0.0]], Some(&turn), Vec3::zeros()).unwrap();
        let block = Block::new(Vec3::zeros(), Vec3::new(0.5, 0.1, 0.2)).unwrap().with_margin(0.0).unwrap();
        let first = UnitQuaternion::from_axis_angle(&Vec3::y_axis(), 0.3);
        let carried = motion.moving_collider(Box::new(block), first, Vec3::zeros()).unwrap();
        for k in 0..=40 {
            let time = 0.05 * Real::from(k);
            let corner = motion.pose(time) * nalgebra::Point3::from(first * Vec3::new(0.5, 0.1, 0.2));
            let surface = carried.surface_at(&corner.coords, time);
            assert!(surface.distance.abs() < 1e-12, "{time}: {}", surface.distance);
            let ahead = motion.pose(time + 1e-7) * motion.pose(time).inverse() * corner;
            if (time * 20.0).fract() < 0.5 && time < 0.99 {
                let velocity = (ahead - corner) / 1e-7;
                assert!(
                    (velocity - surface.velocity).norm() < 1e-4,
                    "{time}: {velocity} {}",
                    surface.velocity
                );
            }
        }
    }

    #[test]
    fn bad_turns_are_named() {
        let good = TurnDesc { axis: [0.0, 1.0, 0.0], about: None, keys: vec![[0.0, 0.0]] };
        for (turn, word) in [
            (TurnDesc { axis: [0.0; 3], ..good.clone() }, "axis"),
            (TurnDesc { about: Some([Real::NAN, 0.0, 0.0]), ..good.clone() }, "about"),
            (TurnDesc { keys: vec![], ..good.clone() }, "keys"),
            (TurnDesc { keys: vec![[0.0, Real::NAN]], ..good.clone() }, "finite"),
            (TurnDesc { keys: vec![[1.0, 0.0], [1.0, 2.0]], ..good.clone() }, "after"),
        ] {
            let (key, what) = Motion::new(&[], Some(&turn), Vec3::zeros()).unwrap_err();
            assert!(key == "turn" && what.contains(word), "{what}");
        }
    }

    #[test]
    fn a_mesh_goes_through_its_frames() {
        let motion = Motion::new(&[[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0]], None, Vec3::zeros()).unwrap();
        let mesh = MeshMotion { frames: vec![(0.5, vec![Vec3::x()]), (1.5, vec![Vec3::z()])], motion };
        let at = |time: Real| {
            let mut out = [Vec3::zeros()];
            pd_core::Motion::positions(&mesh, time, &[Vec3::zeros()], &mut out);
            out[0]
        };
        assert_eq!(at(0.25), Vec3::new(0.5, 0.25, 0.0));
        assert_eq!(at(1.0), Vec3::new(0.5, 1.0, 0.5));
        assert_eq!(at(9.0), Vec3::new(0.0, 1.0, 1.0));
    }
}
