//! Translations change nothing, rotations turn the residual along, and distance from the origin costs no digits.

use crate::common::*;
use pd_constraints::*;
use pd_core::{EnergyBatch, Real, Vec3};
use proptest::prelude::*;

/// One of each energy that sees shape only, on a curved patch or a bar, with its rest positions.
fn batches() -> Vec<(Box<dyn EnergyBatch>, Vec<Vec3>)> {
    let patch = Patch::cap(4, 1.0);
    let (bar, tets) = bar(2, 1, 1);
    let range = StrainRange::uniform(0.95, 1.05);
    let (x, t) = (&patch.x, &patch.triangles);
    vec![
        (Box::new(EdgeSprings::new(x, &patch.edges, 100.0).unwrap()), x.clone()),
        (Box::new(Bending::new(x, patch.rings(), 0.1, BendingWeights::MeanValue).unwrap()), x.clone()),
        (Box::new(Bending::new(x, patch.rings(), 0.1, BendingWeights::CotanVoronoi).unwrap()), x.clone()),
        (Box::new(TriStrain::new(x, t, 100.0, range).unwrap()), x.clone()),
        (Box::new(Area::new(x, t, 100.0, 0.98, 1.02).unwrap()), x.clone()),
        (Box::new(TetStrain::new(&bar, &tets, 1e3, range).unwrap()), bar.clone()),
        (Box::new(Volume::new(&bar, &tets, 1e3, 0.98, 1.02).unwrap()), bar.clone()),
    ]
}

#[test]
fn rows_sum_to_zero() {
    for (batch, _) in batches() {
        let stencil = batch.stencil();
        for row in 0..stencil.rows() {
            let (sum, size) = stencil.row(row).fold((0.0, 0.0), |(s, a), (_, c)| (s + c, a + c.abs()));
            assert!(sum.abs() <= 1e-15 * size, "{} row {row}: {sum:e} of {size:e}", batch.kind());
        }
    }
}

#[test]
fn difference_form_is_the_same_linear_map_as_the_stencil() {
    for (batch, x) in batches() {
        let (dx, _) = gather_and_project(batch.as_ref(), &x);
        let mut plain = vec![Vec3::zeros(); dx.len()];
        batch.stencil().gather(0..batch.stencil().elements(), &x, &mut plain);
        assert!(distance(&dx, &plain) <= 1e-13 * (1.0 + largest(&dx)), "{}", batch.kind());
    }
}

#[test]
fn far_from_the_origin_no_digit_is_lost() {
    // Positions on a grid of 2⁻²⁰ plus a power of two are exact, so D x must come out bit for bit.
    let snap = |p: &Vec3| p.map(|c| (c * 1048576.0).round() / 1048576.0);
    for (batch, x) in batches() {
        let near: Vec<Vec3> = x.iter().map(snap).collect();
        let far: Vec<Vec3> = near.iter().map(|p| p + Vec3::new(8192.0, -16384.0, 8192.0)).collect();
        assert_eq!(gather_and_project(batch.as_ref(), &near), gather_and_project(batch.as_ref(), &far));
        assert_eq!(residual(batch.as_ref(), &near), residual(batch.as_ref(), &far), "{}", batch.kind());
    }
}

#[test]
fn rest_shape_far_from_the_origin_has_a_tiny_residual() {
    for (batch, x) in batches() {
        let far: Vec<Vec3> = x.iter().map(|p| p + Vec3::new(1e4, -1e4, 1e4)).collect();
        let size = (0..batch.stencil().rows())
            .map(|row| batch.stencil().row(row).map(|(_, c)| c.abs()).sum::<Real>())
            .fold(0.0, Real::max);
        // Rounding of the positions themselves: half a unit in the last place of 1e4, times the row.
        assert!(largest(&residual(batch.as_ref(), &far)) <= 4e-12 * size, "{}", batch.kind());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn residual_turns_with_the_body(noise in vectors(25, 0.05), turn in rotation(), shift in vector(10.0)) {
        for (batch, rest) in batches() {
            let x: Vec<Vec3> = rest.iter().zip(&noise).map(|(x, n)| x + n).collect();
            let turned: Vec<Vec3> = x.iter().map(|p| turn * p + shift).collect();
            let expected: Vec<Vec3> = residual(batch.as_ref(), &x).iter().map(|r| turn * r).collect();
            let got = residual(batch.as_ref(), &turned);
            let size = largest(&gather_and_project(batch.as_ref(), &x).0);
            prop_assert!(distance(&got, &expected) <= 1e-11 * (1.0 + size), "{}", batch.kind());
            let all = 0..batch.stencil().elements();
            let (e, turned_e) = (batch.energy(all.clone(), &x), batch.energy(all, &turned));
            prop_assert!((e - turned_e).abs() <= 1e-10 * e.max(1e-3));
        }
    }
}
