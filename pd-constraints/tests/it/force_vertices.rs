//! The forces of the local step, against −DᵀW r from rows, and their energy.

use crate::common::*;
use pd_constraints::*;
use pd_core::{EnergyBatch, Real, Vec3};
use proptest::prelude::*;
use std::ops::Range;

/// −DᵀW r and the energy by way of rows.
fn by_rows(batch: &dyn EnergyBatch, x: &[Vec3]) -> (Vec<Vec3>, Real) {
    let (stencil, mut forces) = (batch.stencil(), vec![Vec3::zeros(); x.len()]);
    let r = residual(batch, x);
    for (row, r) in r.iter().enumerate() {
        let weight = stencil.weight(row / stencil.rows_per_element());
        for (vertex, coefficient) in stencil.row(row) {
            forces[vertex] -= r * (weight * coefficient);
        }
    }
    (forces, batch.energy(0..stencil.elements(), x))
}

/// The same by `forces`, cut into ranges of `size` elements.
fn by_corners(batch: &dyn EnergyBatch, x: &[Vec3], size: usize) -> (Vec<Vec3>, Real) {
    let mut sums = vec![Vec3::zeros(); x.len()];
    let mut energy = 0.0;
    let count = batch.stencil().elements();
    for start in (0..count).step_by(size) {
        let range: Range<usize> = start..count.min(start + size);
        let vertices = match batch.force_vertices() {
            Some((n, vertices)) => &vertices[n * range.start..n * range.end],
            None => batch.stencil().entries_of(range.clone()).0,
        };
        let mut forces = vec![Vec3::repeat(Real::NAN); vertices.len()];
        energy += batch.forces(range, x, &mut forces);
        vertices.iter().zip(forces).for_each(|(&v, f)| sums[v as usize] += f);
    }
    (sums, energy)
}

fn agree(batch: impl EnergyBatch, x: &[Vec3], size: usize) -> Result<(), TestCaseError> {
    let (wanted, energy) = by_rows(&batch, x);
    let (got, got_energy) = by_corners(&batch, x, size);
    let kind = batch.kind();
    let scale = largest(&wanted).max(1e-3);
    let error = wanted.iter().zip(&got).fold(0.0, |m: Real, (a, b)| m.max((a - b).amax()));
    prop_assert!(error < 1e-10 * scale, "{kind}: {error} of {scale}");
    prop_assert!((energy - got_energy).abs() < 1e-10 * energy.max(1e-3), "{kind}: {energy} {got_energy}");
    Ok(())
}

fn moved(x: &[Vec3], noise: &[Vec3]) -> Vec<Vec3> {
    x.iter().zip(noise.iter().cycle()).map(|(x, n)| x + n).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn solids(noise in vectors(36, 0.2), size in 1usize..70, low in 0.6..1.0, high in 1.0..1.4) {
        let (x, tets) = bar(4, 2, 2);
        let now = moved(&x, &noise);
        let per_axis = StrainRange { min: [low; 3], max: [high + 0.1, high, high] };
        for range in [StrainRange::RIGID, StrainRange::uniform(low, high), per_axis] {
            agree(TetStrain::new(&x, &tets, 7.0, range).unwrap(), &now, size)?;
        }
        agree(Volume::new(&x, &tets, 3.0, low, high).unwrap(), &now, size)?;
    }

    #[test]
    fn surfaces(noise in vectors(81, 0.2), size in 1usize..70, low in 0.6..1.0, high in 1.0..1.4) {
        for patch in [Patch::flat(8), Patch::cap(8, 2.0)] {
            let now = moved(&patch.x, &noise);
            agree(EdgeSprings::new(&patch.x, &patch.edges, 7.0).unwrap(), &now, size)?;
            for weights in [BendingWeights::MeanValue, BendingWeights::CotanVoronoi] {
                agree(Bending::new(&patch.x, patch.rings(), 0.3, weights).unwrap(), &now, size)?;
            }
            let per_axis = StrainRange { min: [low; 3], max: [high + 0.1, high, high] };
            for range in [StrainRange::RIGID, StrainRange::uniform(low, high), per_axis] {
                agree(TriStrain::new(&patch.x, &patch.triangles, 7.0, range).unwrap(), &now, size)?;
            }
            agree(Area::new(&patch.x, &patch.triangles, 3.0, low, high).unwrap(), &now, size)?;
            agree(Pins::new(&patch.x, &[1, 5, 7], 2.0).unwrap(), &now, size)?;
        }
    }
}
