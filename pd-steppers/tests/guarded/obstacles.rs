//! Obstacles that move, obstacles by signed distance, starts that intersect.

use crate::scenes::{Sheet, floor, folded, grams, sheet, sheet_over, slope};
use pd_collide::contact::{Contacts, StartPolicy};
use pd_collide::{Floor, Moving, Path, Sphere};
use pd_core::{Motion, Real, StepError, Stepper, Still, Vec3};
use pd_mesh::generate;

/// Rises from time 0.1 s on at a speed.
struct Rising(Real);

impl Motion for Rising {
    fn positions(&self, time: Real, rest: &[Vec3], out: &mut [Vec3]) {
        let way = Vec3::y() * (self.0 * (time - 0.1).clamp(0.0, 0.5));
        for (out, rest) in out.iter_mut().zip(rest) {
            *out = rest + way;
        }
    }
}

#[test]
fn a_ball_that_rises_at_three_metres_a_second_lifts_a_sheet() {
    let mut ball = generate::sphere(16, 8, 0.25).unwrap();
    ball.translate(Vec3::new(0.0, -0.3, 0.0));
    let mut scene = sheet_over(16, 0.3, |p| p, Vec3::zeros(), &[ball], 0.3, Rising(3.0));
    let mut stepper = scene.stepper();
    let mut least: Real = 1.0;
    for frame in 0..42 {
        let report = scene.step(&mut stepper).contact.unwrap();
        least = least.min(report.obstacle_fraction);
        assert_eq!(scene.crossings(), 0, "frame {frame}");
    }
    let top = scene.state.x[..scene.free].iter().map(|p| p.y).fold(0.0, Real::max);
    let ball_top = scene.state.x[scene.free..].iter().map(|p| p.y).fold(Real::NEG_INFINITY, Real::max);
    println!("top of the sheet {top:.3} m, of the ball {ball_top:.3} m, least fraction {least:.3}");
    assert!(top > ball_top && ball_top > 1.0);
}

#[test]
fn a_sheet_rests_on_a_half_space_at_its_thickness() {
    let mut scene = sheet(10, 0.121, |p| p + Vec3::y() * 0.05, Vec3::zeros(), &[]);
    scene.colliders = vec![Box::new(Floor::new(0.0).unwrap().with_margin(0.0).unwrap())];
    let mut stepper = scene.stepper();
    for _ in 0..60 {
        scene.step(&mut stepper);
        assert!(scene.state.x.iter().all(|p| p.y > 0.0));
    }
    let low = scene.state.x.iter().map(|p| p.y).fold(Real::INFINITY, Real::min);
    println!("lowest {low:.5} m, kinetic {:.2e} J", scene.kinetic());
    assert!((low - 0.02).abs() < 1e-4 && scene.kinetic() < 1e-6, "{low} {:.2e}", scene.kinetic());
}

#[test]
fn a_start_that_intersects_is_refused_or_ignored_until_apart() {
    let tilt = |p: Vec3| Vec3::new(p.x, 0.2 * p.x, p.z);
    let mut scene = sheet(8, 0.1, tilt, Vec3::zeros(), &[floor(0.0)]);
    let mut stepper = scene.stepper();
    let before = scene.state.clone();
    let mut state = scene.state.clone();
    let refused = stepper.step(scene.context(), &mut state);
    assert!(matches!(refused, Err(StepError::Intersecting { pairs, .. }) if pairs > 0), "{refused:?}");
    assert_eq!(state, before);
    scene.options.start = StartPolicy::IgnoreUntilApart;
    let mut stepper = scene.stepper();
    scene.step(&mut stepper);
    assert!(scene.state.x.iter().all(|p| p.iter().all(|c| c.is_finite())));
}

#[test]
fn forces_of_a_sheet_at_rest_carry_its_weight() {
    let mut scene = slope(10, 0.121, 0.0, 0.0, 0.3);
    let mut stepper = scene.stepper();
    for _ in 0..60 {
        scene.step(&mut stepper);
    }
    let mut contacts = Contacts::default();
    stepper.contacts(&mut contacts);
    let sums = contacts.resultants(2);
    let error = (sums[0] - Vec3::y() * (0.121 * 9.8)).norm() / (0.121 * 9.8);
    println!("{} contacts, resultant off by {error:.1e}", contacts.len());
    assert!(error < 1e-2, "{sums:?}");
    assert_eq!(sums[0], -sums[1], "equal and opposite");
}

#[test]
fn a_sheet_parts_with_a_share_of_its_speed() {
    let mut scene = slope(10, 0.121, 0.0, 0.0, 0.0);
    let mut surface = scene.model.surface().clone();
    surface.bodies.iter_mut().for_each(|body| body.material.restitution = 0.5);
    scene.model = scene.model.into_builder().surface(surface).build().unwrap();
    for i in 0..scene.free {
        scene.state.x[i].y += 0.03;
        scene.state.v[i].y = -2.0;
    }
    let mut stepper = scene.stepper();
    let mut speeds = vec![-2.0];
    for _ in 0..4 {
        scene.step(&mut stepper);
        speeds.push(scene.state.v[..scene.free].iter().map(|v| v.y).sum::<f64>() / scene.free as f64);
    }
    // Before the step of the impact, and after it.
    let k = (1..speeds.len()).find(|&k| speeds[k] > 0.0).unwrap();
    let share = -speeds[k] / speeds[k - 1];
    println!("{speeds:?}: {share:.4}");
    assert!((share - 0.5).abs() < 0.01, "{speeds:?}");
}

/// The list of a sheet at rest is kept; an obstacle that comes later, or that rises slowly, must not be missed for that.
#[test]
fn obstacles_that_come_later_or_rise_under_a_sheet_at_rest_are_met() {
    let mut scene = sheet(10, 0.121, |p| p + Vec3::y() * 0.03, Vec3::zeros(), &[]);
    let mut stepper = scene.stepper();
    scene.colliders = vec![Box::new(Floor::new(0.0).unwrap().with_margin(0.0).unwrap())];
    for _ in 0..60 {
        scene.step(&mut stepper);
    }
    assert!(scene.state.x.iter().all(|p| p.y > 0.0), "the floor came after the preparation");
    assert_eq!(scene.step(&mut stepper).contact.unwrap().rebuilds, 0, "at rest");
    let (radius, start) = (0.2, scene.state.time);
    let path = Path::new(vec![(start, Vec3::zeros()), (start + 1.0, Vec3::y() * 0.3)]).unwrap();
    let ball = Sphere::new(Vec3::new(0.0, -0.22, 0.0), radius).unwrap().with_margin(0.0).unwrap();
    scene.colliders.push(Box::new(Moving::new(ball, path)));
    for frame in 0..60 {
        scene.step(&mut stepper);
        let way = (0.3 * (scene.state.time - start)).min(0.3);
        let centre = Vec3::y() * (way - 0.22);
        let least = scene.state.x.iter().map(|p| (p - centre).norm()).fold(Real::INFINITY, Real::min);
        assert!(least > radius, "frame {frame}: a vertex is {:.2e} m inside", radius - least);
    }
    assert!(scene.state.x.iter().any(|p| p.y > 0.25), "the ball has lifted the sheet");
}

/// Parting the layers of a fold that falls on a floor must not push the lower one into it.
#[test]
fn layers_that_are_parted_stay_out_of_the_floor_below_them() {
    for velocity in [Vec3::new(0.0, -2.0, 0.0), Vec3::new(3.0, -8.0, 1.0), Vec3::new(0.0, -25.0, 0.0)] {
        let mut scene = Sheet::new(14, grams(14)).build(|p| folded(p, 0.05), velocity, &[], Still);
        scene.options.verify = true;
        scene.colliders = vec![Box::new(Floor::new(0.0).unwrap().with_margin(0.0).unwrap())];
        let (mut stepper, mut least) = (scene.stepper(), Real::INFINITY);
        for _ in 0..40 {
            scene.step(&mut stepper);
            least = scene.state.x.iter().map(|p| p.y).fold(least, Real::min);
        }
        println!("thrown at {velocity:?}: lowest vertex {least:.2e} m above the floor");
        assert!(least > 0.0, "{least}");
    }
}
