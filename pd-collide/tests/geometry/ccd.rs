//! Continuous detection: closed forms, exact tests at dyadic times, and the queries with known answers.

use crate::{draw, queries};
use pd_collide::ccd::{ALGORITHMS, Additive, Ccd, Conservative, Cubic, EdgeEdge, PointTriangle, by_name};
use pd_collide::distance::{edge_edge, point_triangle};
use pd_collide::intersect::{segment_meets_triangle, segments_meet};
use pd_core::{Real, Vec3};
use proptest::prelude::*;

const CORNERS: [Vec3; 3] = [Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0)];

/// A vertex that moves straight from `a` to `b` over a triangle at rest in the plane y = 0.
fn dropped(a: Vec3, b: Vec3, separation: Real) -> PointTriangle {
    let with = |p: Vec3| [p, CORNERS[0], CORNERS[1], CORNERS[2]];
    PointTriangle { start: with(a), end: with(b), separation }
}

#[test]
fn names_are_found() {
    for algorithm in ALGORITHMS {
        assert_eq!(by_name(algorithm.name()).map(Ccd::name), Some(algorithm.name()));
    }
    assert!(by_name("guess").is_none());
}

#[test]
fn a_vertex_falls_on_a_triangle() {
    let (above, below) = (Vec3::new(0.25, 1.0, 0.25), Vec3::new(0.25, -1.0, 0.25));
    for algorithm in ALGORITHMS {
        let name = algorithm.name();
        for separation in [0.0, 0.1] {
            let hit = algorithm.vertex_triangle(&dropped(above, below, separation)).unwrap();
            let exact = 0.5 - 0.5 * separation;
            // The additive one keeps a tenth of the first gap.
            let early = if name == "additive" { 0.06 } else { 1e-9 };
            assert!(hit <= exact + 1e-12 && hit > exact - early, "{name}: {hit} for {exact}");
        }
        let stops = |height: Real| Vec3::new(0.25, height, 0.25);
        assert_eq!(algorithm.vertex_triangle(&dropped(above, stops(0.2), 0.0)), None, "{name}");
        assert!(algorithm.vertex_triangle(&dropped(above, stops(0.2), 0.2)).is_some(), "{name}");
        assert_eq!(algorithm.vertex_triangle(&dropped(above, stops(0.2), 0.15)), None, "{name}");
        let beside = Vec3::new(2.0, 0.0, 0.0);
        assert_eq!(algorithm.vertex_triangle(&dropped(above + beside, below + beside, 0.1)), None, "{name}");
        assert_eq!(algorithm.vertex_triangle(&dropped(above, above, 0.0)), None, "{name}: at rest");
        assert_eq!(algorithm.vertex_triangle(&dropped(stops(0.0), above, 0.0)), Some(0.0), "{name}: on it");
        let lost = algorithm.vertex_triangle(&dropped(Vec3::repeat(Real::NAN), above, 0.0));
        assert_eq!(lost, Some(0.0), "{name}: not a number");
    }
}

#[test]
fn edges_cross() {
    let fixed = [Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
    let at = |height: Real| [fixed[0], fixed[1], Vec3::new(0.3, height, -1.0), Vec3::new(0.3, height, 1.0)];
    for algorithm in ALGORITHMS {
        let name = algorithm.name();
        let ask = |from: Real, to: Real, separation: Real| {
            algorithm.edge_edge(&EdgeEdge { start: at(from), end: at(to), separation })
        };
        let hit = ask(1.0, -3.0, 0.0).unwrap();
        assert!(hit <= 0.25 + 1e-12 && hit > 0.22, "{name}: {hit}");
        assert_eq!(ask(1.0, 0.2, 0.0), None, "{name}");
        assert!(ask(1.0, 0.2, 0.2).is_some(), "{name}");
        // Parallel edges that meet along their length, and collinear ones that meet end to end.
        let side = |z: Real| [fixed[0], fixed[1], fixed[0] + Vec3::z() * z, fixed[1] + Vec3::z() * z];
        let slide = |x: Real| [fixed[0], fixed[1], fixed[0] + Vec3::x() * x, fixed[1] + Vec3::x() * x];
        for (start, end) in [(side(1.0), side(-1.0)), (slide(4.0), slide(0.0))] {
            let hit = algorithm.edge_edge(&EdgeEdge { start, end, separation: 0.0 }).unwrap();
            assert!(hit <= 0.5 + 1e-9 && hit > 0.44, "{name}: {hit}");
        }
        for (start, end) in [(side(1.0), side(0.2)), (slide(4.0), slide(2.4))] {
            assert_eq!(algorithm.edge_edge(&EdgeEdge { start, end, separation: 0.0 }), None, "{name}");
        }
    }
}

fn between(a: &[Vec3; 4], b: &[Vec3; 4], t: Real) -> [Vec3; 4] {
    std::array::from_fn(|j| a[j] * (1.0 - t) + b[j] * t)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// On a lattice positions at sixteenths of the motion are exact, and so is the test whether they touch there.
    #[test]
    fn no_contact_at_a_dyadic_time_is_missed(start in draw::lattice::<4>(), end in draw::lattice::<4>()) {
        let moved = |shift: Vec3| (start.map(|x| x + shift), end.map(|x| x + shift));
        let touches = |t: Real| {
            let [a, b, c, d] = between(&start, &end, t);
            (segment_meets_triangle([&a, &a], [&b, &c, &d]), segments_meet([&a, &b], [&c, &d]))
        };
        let first = |pick: fn((bool, bool)) -> bool| {
            (0..=16).map(|k| Real::from(k) / 16.0).find(|t| pick(touches(*t)))
        };
        let expected = (first(|touches| touches.0), first(|touches| touches.1));
        for algorithm in ALGORITHMS {
            let ask = |(start, end)| (
                algorithm.vertex_triangle(&PointTriangle { start, end, separation: 0.0 }),
                algorithm.edge_edge(&EdgeEdge { start, end, separation: 0.0 }),
            );
            let found = ask((start, end));
            for (found, expected) in [(found.0, expected.0), (found.1, expected.1)] {
                if let Some(t) = expected {
                    prop_assert!(found.is_some_and(|f| f <= t + 1e-9), "{}: {found:?}, {t}", algorithm.name());
                    prop_assert!(algorithm.name() != "conservative" || found.is_some_and(|f| f <= t));
                }
            }
            // Far from the origin, where the lattice is still exact, the answers are the same to the bit.
            prop_assert_eq!(found, ask(moved(Vec3::new(1048576.0, -4194304.0, 65536.0))));
        }
    }

    /// Up to the answer nothing is nearer than the separation, and at the answer it is about that.
    #[test]
    fn the_way_to_an_answer_is_free(
        start in draw::general::<4>(),
        end in draw::general::<4>(),
        separation in prop_oneof![Just(0.0), 1e-3..0.3],
    ) {
        let face = |t: Real| {
            let x = between(&start, &end, t);
            point_triangle(&x).separation(&x).norm()
        };
        let edge = |t: Real| {
            let x = between(&start, &end, t);
            edge_edge(&x).separation(&x).norm()
        };
        for algorithm in ALGORITHMS {
            let answers = [
                (algorithm.vertex_triangle(&PointTriangle { start, end, separation }), face(0.0), &face as &dyn Fn(Real) -> Real),
                (algorithm.edge_edge(&EdgeEdge { start, end, separation }), edge(0.0), &edge),
            ];
            for (answer, first, distance) in answers {
                let name = algorithm.name();
                let last = answer.unwrap_or(1.0);
                for k in 0..64 {
                    let d = distance(last * Real::from(k) / 64.0);
                    prop_assert!(d >= separation - 1e-9 || first <= separation, "{name}: {d} at {k}/64");
                }
                if let Some(t) = answer {
                    let kept = if name == "additive" { 0.1 * (first - separation).max(0.0) } else { 0.0 };
                    prop_assert!(distance(t) <= separation + kept + 1e-6 || t == 0.0, "{name}: {} at {t}", distance(t));
                }
            }
        }
    }
}

/// Counts on the queries with exact answers. What they are, and times, is in the guide on continuous detection.
#[test]
fn answers_to_known_queries() {
    let sets = match queries::load() {
        Ok(sets) => sets,
        Err(why) => {
            println!("skipped: no known queries ({why}), so nothing was compared");
            return;
        }
    };
    let mut answers = Vec::new();
    let (mut total, mut wrong) = (0, 0);
    for set in &sets {
        set.ask(&Conservative, &mut answers);
        let (missed, invented) = set.errors(&answers);
        assert_eq!(missed, 0, "{}", set.name);
        total += set.truth.len();
        wrong += invented;
        set.ask(&Additive, &mut answers);
        assert_eq!(set.errors(&answers).0, 0, "additive on {}", set.name);
        set.ask(&Cubic, &mut answers);
        let (missed, invented) = set.errors(&answers);
        // The hand-crafted sets are made to be hard for tolerances; simulations are what it is for.
        if !set.name.starts_with("handcrafted") {
            assert_eq!((missed, invented), (0, 0), "cubic on {}", set.name);
        }
    }
    println!("conservative: {wrong} of {total} are false positives");
    assert!(wrong * 1000 <= total, "{wrong} of {total} are false positives");
}
