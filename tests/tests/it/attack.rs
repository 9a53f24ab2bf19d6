//! Fixed seeds of the attack: random scenes of all kinds, and the laws that hold for any of them. By hand, with any number of seeds:
//! `cargo run -p tests --bin attack -- SEEDS`.

use tests::attack::{Draft, LAWS, scene, shrink};

/// A generator that makes the same scenes again, of every kind, alone and together.
#[test]
fn scenes_of_all_kinds_are_made_and_build() {
    let mut together = 0;
    let mut kinds = std::collections::BTreeMap::new();
    for seed in 0..60 {
        let draft = scene(seed);
        assert_eq!(draft, scene(seed));
        draft.build().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", draft.text()));
        together += usize::from(draft.kinds().len() > 1);
        draft.kinds().into_iter().for_each(|kind| *kinds.entry(kind).or_insert(0) += 1);
    }
    assert!(together > 15 && kinds.len() == 4 && kinds.values().all(|&n| n > 3), "{kinds:?}, {together}");
}

/// Shrinking takes away all that a broken law does not need.
#[test]
fn a_broken_law_is_shrunk_to_what_breaks_it() {
    let law = tests::attack::Law {
        name: "no heavy body",
        test: |draft: &Draft| {
            let heavy =
                draft.list("body").iter().any(|body| body["mass"].as_float().is_some_and(|m| m > 1.0));
            if heavy { Err("a body is heavy".to_owned()) } else { Ok(()) }
        },
    };
    let seed = (0..200).find(|&seed| (law.test)(&scene(seed)).is_err() && scene(seed).kinds().len() > 2);
    let small = shrink(&scene(seed.unwrap()), &law);
    assert_eq!((small.kinds(), small.list("body").len(), small.list("collider").len()), (vec!["body"], 1, 0));
    assert!((law.test)(&small).is_err() && !small.text().contains("velocity"), "{}", small.text());
}

/// The laws that hold for every scene today. The others find faults by hand that docs/limits.md has the reasons of.
#[test]
fn fixed_seeds_hold_the_laws_of_bits_mirrors_and_steps() {
    let mut text = String::new();
    for law in LAWS.iter().filter(|law| HELD.contains(&law.name)) {
        for seed in 0..24 {
            if let Err(why) = (law.test)(&scene(seed)) {
                text += &format!("seed {seed}: {}: {why}\n", law.name);
            }
        }
    }
    assert!(text.is_empty(), "{text}");
    assert!(HELD.iter().all(|name| LAWS.iter().any(|law| law.name == *name)));
}

/// Names of these laws.
const HELD: [&str; 3] = [
    "resumed and on other threads: the same bits",
    "a mirrored scene mirrors the result",
    "half the step halves the error",
];
