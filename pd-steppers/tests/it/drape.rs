//! Fabrics on the drape tester.

use crate::drape_tester::drape;
use pd_constraints::Fabric;

/// Rings of the disc: triangles of 15 mm, a little below the bending length. With 15 rings leather has 64 %.
const RINGS: usize = 10;

#[test]
fn fabrics_drape_within_published_bands() {
    let mut tested = 0;
    for fabric in Fabric::ALL.iter().filter(|fabric| fabric.drape.is_some()) {
        let found = drape(fabric, RINGS, 120).unwrap();
        println!("{}: {:.1} %, still moves {:.1e} m a step", fabric.name, found.coefficient, found.moved);
        assert!(found.moved < 1e-3, "{}: not at rest, {} m a step", fabric.name, found.moved);
        let [least, most] = fabric.drape.unwrap_or_default();
        assert!((least..=most).contains(&found.coefficient), "{}: {}", fabric.name, found.coefficient);
        tested += 1;
    }
    assert!(tested > 0, "no fabric has a published band");
}

/// Fabrics without a published coefficient: softer and heavier cloth, of a shorter bending length, drapes more.
#[test]
fn the_coefficient_grows_with_the_bending_length() {
    let soft = Fabric { bending: Fabric::LEATHER.bending.map(|b| b / 8.0), ..Fabric::LEATHER };
    let found =
        [soft, Fabric::LEATHER, Fabric::DENIM].map(|fabric| drape(&fabric, RINGS, 60).unwrap().coefficient);
    println!("{found:?}");
    assert!(found[0] + 5.0 < found[1] && found[1] + 5.0 < found[2] && found[2] < 100.0, "{found:?}");
}
