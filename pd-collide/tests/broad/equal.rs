//! Same pairs, same order, for every method, number of threads and history.

use crate::draw::{boxes, moved};
use pd_collide::broad::{
    BroadPhase, BruteForce, FixedBvh, LinearBvh, SparseGrid, SweepAndPrune, UniformGrid, overlap,
};
use pd_core::Aabb;
use proptest::prelude::*;

fn methods() -> Vec<Box<dyn BroadPhase>> {
    vec![
        Box::new(FixedBvh::default()),
        Box::new(LinearBvh::default()),
        Box::new(SparseGrid::default()),
        Box::new(UniformGrid::default()),
        Box::new(SweepAndPrune::default()),
    ]
}

/// The definition, without any code of the library but the comparison of two boxes.
fn plain(boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let n = boxes.len();
    (0..n)
        .flat_map(|i| (i + 1..n).map(move |j| [i, j]))
        .filter(|&[i, j]| overlap(&boxes[i], &boxes[j]))
        .map(|[i, j]| [i as u32, j as u32])
        .collect()
}

fn plain_with(queries: &[Aabb], boxes: &[Aabb]) -> Vec<[u32; 2]> {
    (0..queries.len())
        .flat_map(|q| (0..boxes.len()).map(move |i| [q, i]))
        .filter(|&[q, i]| overlap(&queries[q], &boxes[i]))
        .map(|[q, i]| [q as u32, i as u32])
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn equal_to_brute_force(boxes in boxes(), others in boxes()) {
        let (expected, expected_with) = (plain(&boxes), plain_with(&others, &boxes));
        let mut brute: Box<dyn BroadPhase> = Box::new(BruteForce::default());
        let mut found = vec![[7, 7]];
        for method in std::iter::once(&mut brute).chain(&mut methods()) {
            // A method that was used before must not remember.
            for history in [&[][..], &others] {
                method.build(history);
                method.self_pairs(&mut found);
                method.build(&boxes);
                method.self_pairs(&mut found);
                prop_assert_eq!(&found, &expected, "{}", method.name());
                method.pairs_with(&others, &mut found);
                prop_assert_eq!(&found, &expected_with, "{} with others", method.name());
            }
        }
    }

    #[test]
    fn equal_after_refit(start in boxes(), way in prop_oneof![Just(0.0), Just(0.1), Just(3.0)]) {
        let end = moved(&start, way);
        let (expected, mut found) = (plain(&end), Vec::new());
        for method in &mut methods() {
            method.build(&start);
            method.refit(&end);
            method.self_pairs(&mut found);
            prop_assert_eq!(&found, &expected, "{}", method.name());
            method.refit(&end[end.len() / 2..]); // another number
            method.self_pairs(&mut found);
            prop_assert_eq!(&found, &plain(&end[end.len() / 2..]), "{}", method.name());
        }
        let mut tree = FixedBvh::default();
        tree.build(&start);
        tree.refit(&end);
        let mut visited: Vec<Vec<[u32; 2]>> = Vec::new();
        tree.visit_pairs(&mut visited, |found, i, j| found.push([i, j]));
        let mut visited = visited.concat();
        visited.sort_unstable();
        prop_assert_eq!(&visited, &expected);
        let (mut tree, mut visited) = (LinearBvh::default(), Vec::<Vec<[u32; 2]>>::new());
        tree.build(&end);
        tree.visit_pairs(&mut visited, |found, i, j| found.push([i, j]));
        let mut visited = visited.concat();
        visited.sort_unstable();
        prop_assert_eq!(&visited, &expected);
    }
}

/// A sheet of n × n boxes, folded: enough for several levels and many tasks.
fn folded(n: usize) -> Vec<Aabb> {
    let corner = |i: usize, j: usize| {
        let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
        pd_core::Vec3::new((2.0 * u - 1.0).abs(), if u < 0.5 { 0.0 } else { 0.3 / n as f64 }, v)
    };
    (0..n * n)
        .map(|k| (corner(k / n, k % n), corner(k / n + 1, k % n + 1)))
        .map(|(a, b)| Aabb {
            min: a.inf(&b).add_scalar(-0.6 / n as f64),
            max: a.sup(&b).add_scalar(0.6 / n as f64),
        })
        .collect()
}

#[test]
fn same_for_any_number_of_threads() {
    let boxes = folded(60);
    let (expected, expected_with) = (plain(&boxes), plain_with(&boxes[..999], &boxes));
    assert!(expected.len() > 10 * boxes.len());
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for method in &mut methods() {
            let mut found = Vec::new();
            pool.install(|| {
                method.build(&boxes);
                method.self_pairs(&mut found);
                assert_eq!(found, expected, "{}, {threads} threads", method.name());
                method.pairs_with(&boxes[..999], &mut found);
                assert_eq!(found, expected_with, "{}, {threads} threads", method.name());
            });
        }
    }
}
