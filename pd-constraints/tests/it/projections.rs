//! The projection is the nearest admissible point: no random admissible point is nearer, and it stays where it is.

use crate::common::*;
use nalgebra::Matrix3;
use pd_constraints::*;
use pd_core::{EnergyBatch, Mat3, Real, Vec3};
use proptest::prelude::*;

/// Unit tetrahedron: F is the matrix of its three edge vectors, so any F can be given to `project`.
fn unit_tet() -> ([Vec3; 4], [[u32; 4]; 1]) {
    ([Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()], [[0, 1, 2, 3]])
}

fn project(batch: &dyn EnergyBatch, f: &Mat3) -> Mat3 {
    let mut z = [0, 1, 2].map(|j| f.column(j).into_owned());
    batch.project(0..1, &mut z);
    Mat3::from_columns(&z)
}

fn project_two(batch: &dyn EnergyBatch, f: [Vec3; 2]) -> [Vec3; 2] {
    let mut z = f;
    batch.project(0..1, &mut z);
    z
}

fn matrix(size: Real) -> impl Strategy<Value = Mat3> {
    [vector(size), vector(size), vector(size)].prop_map(|c| Mat3::from_columns(&c))
}

fn tet_strain(range: StrainRange) -> TetStrain {
    let (x, tets) = unit_tet();
    TetStrain::new(&x, &tets, 1.0, range).unwrap()
}

fn volume(min: Real, max: Real) -> Volume {
    let (x, tets) = unit_tet();
    Volume::new(&x, &tets, 1.0, min, max).unwrap()
}

fn diagonal(a: Real, b: Real, c: Real) -> Mat3 {
    Matrix3::from_diagonal(&Vec3::new(a, b, c))
}

#[test]
fn identity_and_rotations_stay() {
    let rigid = tet_strain(StrainRange::RIGID);
    assert_eq!(project(&rigid, &Mat3::identity()), Mat3::identity());
    let turn = *nalgebra::Rotation3::new(Vec3::new(0.3, -2.0, 1.1)).matrix();
    assert!((project(&rigid, &turn) - turn).norm() < 1e-14);
    assert!((project(&rigid, &(turn * 2.5)) - turn).norm() < 1e-14);
}

#[test]
fn singular_values_are_clamped_at_both_ends() {
    let batch = tet_strain(StrainRange::uniform(0.9, 1.2));
    let clamped = project(&batch, &diagonal(1.5, 1.0, 0.5));
    assert!((clamped - diagonal(1.2, 1.0, 0.9)).norm() < 1e-14);
    let at_the_ends = diagonal(1.2, 1.0, 0.9);
    assert!((project(&batch, &at_the_ends) - at_the_ends).norm() < 1e-14);
}

#[test]
fn inverted_elements_come_back_at_the_lower_end() {
    let batch = tet_strain(StrainRange::uniform(0.9, 1.2));
    // The signed value −1.1 clamps to 0.9. Clamping its size first would give 1.1 after turning back: farther.
    let back = project(&batch, &diagonal(1.15, 1.12, -1.1));
    assert!((back - diagonal(1.15, 1.12, 0.9)).norm() < 1e-13, "{back}");
    assert!(project(&tet_strain(StrainRange::RIGID), &-Mat3::identity()).determinant() > 0.0);
}

#[test]
fn rank_deficient_gradients_project_to_admissible_ones() {
    let range = StrainRange::uniform(0.9, 1.2);
    let (a, b) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(0.3, 0.7, -1.0));
    let rank_one = a * b.transpose();
    let rank_two = rank_one + Vec3::y() * Vec3::x().transpose();
    for f in [Mat3::zeros(), rank_one, rank_two, rank_one * 1e-200, Mat3::identity() * 1e-310] {
        let t = project(&tet_strain(range), &f);
        let sigma = svd3(&t).sigma;
        assert!(sigma.iter().all(|s| (0.9 - 1e-12..1.2 + 1e-12).contains(s)), "{f} gave {sigma}");
        let t = project(&volume(1.0, 1.0), &f);
        assert!((t.determinant() - 1.0).abs() < 1e-12, "{f} gave {t}");
    }
    let (x, triangle) = ([Vec3::x(), Vec3::y(), Vec3::zeros()], [[0, 1, 2]]);
    let strain = TriStrain::new(&x, &triangle, 1.0, range).unwrap();
    let area = Area::new(&x, &triangle, 1.0, 1.0, 1.0).unwrap();
    for f in [[Vec3::zeros(); 2], [a, a], [a, -a * 0.5], [a, Vec3::zeros()], [Vec3::zeros(), b * 1e-300]] {
        let sigma = svd3::svd32(&project_two(&strain, f)).sigma;
        assert!(sigma.iter().all(|s| (0.9 - 1e-12..1.2 + 1e-12).contains(s)), "{f:?} gave {sigma:?}");
        let t = project_two(&area, f);
        assert!((t[0].cross(&t[1]).norm() - 1.0).abs() < 1e-12, "{f:?} gave {t:?}");
    }
}

#[test]
fn ranges_per_axis_hold_for_sorted_values() {
    // σ₁ ≥ σ₂ ≥ σ₃, so the lower end 0.99 of the last axis binds all three, and the upper end 1.02 of the first too.
    let batch = tet_strain(StrainRange { min: [0.8, 0.9, 0.99], max: [1.02, 1.3, 1.1] });
    assert!((project(&batch, &diagonal(0.5, 0.5, 0.5)) - diagonal(0.99, 0.99, 0.99)).norm() < 1e-14);
    assert!((project(&batch, &diagonal(2.0, 1.5, 1.2)) - diagonal(1.02, 1.02, 1.02)).norm() < 1e-14);
}

#[test]
fn an_edge_of_no_length_takes_its_rest_direction() {
    let x = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 5.0)];
    let batch = EdgeSprings::new(&x, &[[0, 1]], 1.0).unwrap();
    assert_eq!(residual(&batch, &[Vec3::x(); 2]), [Vec3::z() * 2.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn tet_strain_is_nearest(
        f in matrix(2.0), min in 0.5..1.0, max in 1.0..1.5,
        others in proptest::collection::vec((rotation(), [0.0..1.0, 0.0..1.0, 0.0..1.0], rotation()), 20),
        small in vector(0.1),
    ) {
        let batch = tet_strain(StrainRange::uniform(min, max));
        let t = project(&batch, &f);
        prop_assert!((project(&batch, &t) - t).norm() < 1e-12);
        prop_assert!(t.determinant() > 0.0);
        let best = (f - t).norm();
        for (u, s, v) in others {
            let s = Vec3::from(s.map(|s: Real| min + s * (max - min)));
            prop_assert!(best <= (f - u * Matrix3::from_diagonal(&s) * v.transpose()).norm() + 1e-12);
            // Admissible points close to the answer are the harder competitors.
            let turn = nalgebra::Rotation3::new(small * s.x).matrix() * t;
            prop_assert!(best <= (f - turn).norm() + 1e-12);
            let near = svd3(&t);
            let moved = near.sigma.zip_map(&s, |a, b| a + 0.1 * (b - a));
            prop_assert!(best <= (f - near.with(&moved)).norm() + 1e-12);
        }
    }

    #[test]
    fn volume_is_nearest(f in matrix(2.0), min in 0.3..1.0, max in 1.0..2.0, others in
        proptest::collection::vec((matrix(1.0), vector(1.0)), 40)) {
        let batch = volume(min, max);
        let t = project(&batch, &f);
        let ratio = t.determinant();
        prop_assert!(ratio >= min - 1e-11 && ratio <= max + 1e-11);
        prop_assert!((project(&batch, &t) - t).norm() < 1e-10);
        let best = (f - t).norm();
        for (step, _) in others {
            for size in [1e-3, 1e-1, 1.0] {
                let mut other = t + step * size;
                let ratio = other.determinant();
                prop_assume!(ratio.abs() > 1e-6);
                if ratio < 0.0 { other.column_mut(0).neg_mut(); }
                let ratio = ratio.abs();
                other *= (ratio.clamp(min, max) / ratio).cbrt();
                prop_assert!(best <= (f - other).norm() + 1e-10, "{f} {t} {other}");
            }
        }
    }

    #[test]
    fn triangles_are_nearest(f in [vector(2.0), vector(2.0)], min in 0.5..1.0, max in 1.0..1.5,
        others in proptest::collection::vec((rotation(), 0.0..6.3, 0.0..1.0, 0.0..1.0, [vector(1.0), vector(1.0)]), 20)) {
        let (x, triangle) = ([Vec3::x(), Vec3::y(), Vec3::zeros()], [[0, 1, 2]]);
        let strain = TriStrain::new(&x, &triangle, 1.0, StrainRange::uniform(min, max)).unwrap();
        let area = Area::new(&x, &triangle, 1.0, min, max).unwrap();
        let (by_strain, by_area) = (project_two(&strain, f), project_two(&area, f));
        prop_assert!(distance(&project_two(&strain, by_strain), &by_strain) < 1e-12);
        prop_assert!(distance(&project_two(&area, by_area), &by_area) < 1e-10);
        for (u, angle, s0, s1, step) in others {
            let [s0, s1] = [s0, s1].map(|s| min + s * (max - min));
            let (sin, cos) = Real::sin_cos(angle);
            let [a, b] = [u.column(0) * s0, u.column(1) * s1];
            let other = [a * cos - b * sin, a * sin + b * cos];
            prop_assert!(distance(&f, &by_strain) <= distance(&f, &other) + 1e-12);
            for size in [1e-3, 1e-1, 1.0] {
                let other = [by_area[0] + step[0] * size, by_area[1] + step[1] * size];
                let ratio = other[0].cross(&other[1]).norm();
                prop_assume!(ratio > 1e-6);
                let scale = (ratio.clamp(min, max) / ratio).sqrt();
                prop_assert!(distance(&f, &by_area) <= distance(&f, &other.map(|c| c * scale)) + 1e-10);
            }
        }
    }

    #[test]
    fn edges_and_bending_are_nearest(noise in vectors(25, 0.3), directions in vectors(10, 1.0)) {
        let patch = Patch::cap(4, 1.0);
        let x: Vec<Vec3> = patch.x.iter().zip(&noise).map(|(x, n)| x + n).collect();
        let edges = EdgeSprings::new(&patch.x, &patch.edges, 1.0).unwrap();
        let bending = Bending::new(&patch.x, patch.rings(), 1.0, BendingWeights::MeanValue).unwrap();
        let heights: Vec<Real> = bending.rest().iter().map(|r| r.norm()).collect();
        for (batch, lengths) in [(&edges as &dyn EnergyBatch, edges.rest_lengths()), (&bending, &heights)] {
            let (dx, t) = gather_and_project(batch, &x);
            let mut again = t.clone();
            batch.project(0..t.len(), &mut again);
            prop_assert!(distance(&t, &again) < 1e-12);
            for (element, length) in lengths.iter().enumerate() {
                prop_assert!((t[element].norm() - length).abs() < 1e-12);
                for direction in &directions {
                    let other = direction.normalize() * *length;
                    prop_assert!((dx[element] - t[element]).norm() <= (dx[element] - other).norm() + 1e-12);
                }
            }
        }
    }
}
