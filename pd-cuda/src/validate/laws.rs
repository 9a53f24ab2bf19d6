//! Every law of pd-constraints on random, inverted, flat and collapsed elements.

use super::dice::{Dice, representable};
use super::{Agreement, Outcome, kernel_tolerance};
use crate::model::DeviceModel;
use crate::queue::Queue;
use crate::{Device, DeviceReal, Summation};
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Pins, RingsRef, StrainRange, TetStrain, TriStrain, Volume,
    svd3,
};
use pd_core::{EnergyBatch, Mat3, Model, Real, Vec3, as_flat};

/// Elements of a kind that are compared.
const ELEMENTS: usize = 240;

/// The residual rows of every law, device against host.
pub fn laws<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let mut found = vec![];
    lines::<T>(device, &mut found)?;
    bending::<T>(device, &mut found)?;
    triangles::<T>(device, &mut found)?;
    tets::<T>(device, &mut found)?;
    Ok(found)
}

/// The worst error of an element relative to |D x| + |project(D x)|, where `unique` says that the nearest point is
/// unique with some margin; elsewhere the distance to it is compared, which is unique always.
fn compare<T: DeviceReal>(
    device: &Device,
    what: &str,
    batch: impl EnergyBatch,
    x: &[Vec3],
    unique: impl Fn(&[Vec3]) -> bool,
    found: &mut Vec<Agreement>,
) -> Outcome<()> {
    let model = Model::with_masses(vec![1.0; x.len()]).energy(batch).build()?;
    let stencil = model.batches()[0].stencil();
    let d = stencil.rows_per_element();
    let (mut expected, mut dx) = (vec![Vec3::zeros(); model.rows()], vec![Vec3::zeros(); model.rows()]);
    model.residual(x, &mut expected);
    model.batches()[0].gather(0..stencil.elements(), x, &mut dx);

    let queue = Queue::<T>::new(device)?;
    let on_device = DeviceModel::new(&queue, &model, Summation::Gather)?;
    on_device.residual(&queue, &queue.upload_reals(as_flat(x))?)?;
    let got = on_device.read_rows(&queue)?;

    let norm = |rows: &[Vec3]| rows.iter().map(|r| r.norm_squared()).sum::<Real>().sqrt();
    let (mut worst, mut compared): (Real, usize) = (0.0, 0);
    for ((got, expected), dx) in got.chunks(d).zip(expected.chunks(d)).zip(dx.chunks(d)) {
        let projected: Vec<Vec3> = dx.iter().zip(expected).map(|(dx, r)| dx - r).collect();
        let difference: Vec<Vec3> = got.iter().zip(expected).map(|(a, b)| a - b).collect();
        let scale = norm(dx) + norm(&projected);
        let error = if unique(dx) {
            compared += 1;
            norm(&difference)
        } else {
            (norm(got) - norm(expected)).abs()
        };
        // Where all is zero, so must be the difference. What is not a number must not get lost in a maximum.
        let relative = if scale > 0.0 { error / scale } else { error };
        worst = if relative <= worst { worst } else { relative };
    }
    if compared == 0 {
        worst = Real::NAN;
    }
    found.push(Agreement::new::<T>(what, worst, kernel_tolerance::<T>()));
    Ok(())
}

/// `count` separate tetrahedra at rest.
fn rest_tets(count: usize) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut dice = Dice::new(7);
    let corners = [Vec3::x(), Vec3::y(), Vec3::z(), Vec3::zeros()];
    let points = (0..4 * count).map(|k| corners[k % 4] * 0.3 + dice.vector() * 0.05).collect::<Vec<_>>();
    let tets = (0..count as u32).map(|t| [4 * t, 4 * t + 1, 4 * t + 2, 4 * t + 3]).collect();
    (representable(&points), tets)
}

/// Deformed copies: each element gets the map of its number, then a shift.
fn deform(rest: &[Vec3], corners: usize, dice: &mut Dice) -> Vec<Vec3> {
    let mut x = vec![];
    for (element, points) in rest.chunks(corners).enumerate() {
        let random = Mat3::from_fn(|_, _| dice.number());
        let rotation = {
            let svd = svd3(&random);
            svd.u * svd.v.transpose()
        };
        let diagonal = |a, b, c| rotation * Mat3::from_diagonal(&Vec3::new(a, b, c)) * rotation.transpose();
        let map = match element % 12 {
            0 => Mat3::identity(),
            1 => rotation,
            2 => diagonal(1.3, 0.9, 0.6),
            3 => diagonal(1.0, 0.8, -0.3),                       // inverted
            4 => -rotation,               // mirrored: the nearest rotation is not unique
            5 => diagonal(1.2, 0.9, 0.0), // flat
            6 => Mat3::from_diagonal(&Vec3::new(1.0, 0.0, 0.0)), // a line
            7 => Mat3::zeros(),           // a point
            8 => diagonal(300.0, 150.0, 90.0),
            9 => diagonal(1e-3, 2e-3, 4e-3),
            10 => random * 2.0,
            _ => rotation * 1.02 + Mat3::from_fn(|_, _| dice.number()) * 0.02,
        };
        let shift = dice.vector() * if element % 12 == 6 || element % 12 == 7 { 0.0 } else { 0.5 };
        x.extend(points.iter().map(|p| map * p + shift));
    }
    representable(&x)
}

/// Whether the singular vectors of the nearest matrix are determined: the distance to where they are not.
fn well_posed(f: &[Vec3]) -> bool {
    let sigma = match f {
        [a, b, c] => svd3(&Mat3::from_columns(&[*a, *b, *c])).sigma,
        [a, b] => {
            let s = svd3::svd32(&[*a, *b]).sigma;
            Vec3::new(s[0], s[1], 0.0)
        }
        _ => return true,
    };
    sigma.y + sigma.z > 0.05 * sigma.x && sigma.x > 0.0
}

fn tets<T: DeviceReal>(device: &Device, found: &mut Vec<Agreement>) -> Outcome<()> {
    let (rest, tets) = rest_tets(ELEMENTS);
    let x = deform(&rest, 4, &mut Dice::new(3));
    for (name, range) in [
        ("tet-strain rigid", StrainRange::RIGID),
        ("tet-strain range", StrainRange::uniform(0.9, 1.1)),
        ("tet-strain per axis", StrainRange { min: [0.95, 0.9, 0.8], max: [1.2, 1.1, 1.05] }),
    ] {
        let batch = TetStrain::new(&rest, &tets, 1000.0, range)?;
        compare::<T>(device, name, batch, &x, well_posed, found)?;
    }
    for (min, max) in [(1.0, 1.0), (0.8, 1.25)] {
        let batch = Volume::new(&rest, &tets, 1000.0, min, max)?;
        compare::<T>(device, &format!("volume {min}..{max}"), batch, &x, well_posed, found)?;
    }
    Ok(())
}

fn triangles<T: DeviceReal>(device: &Device, found: &mut Vec<Agreement>) -> Outcome<()> {
    let (points, _) = rest_tets(ELEMENTS);
    let rest: Vec<Vec3> = points.chunks(4).flat_map(|t| [t[0], t[1], t[2]]).collect();
    let list: Vec<[u32; 3]> = (0..rest.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let x = deform(&rest, 3, &mut Dice::new(5));
    for (name, range) in [
        ("triangle-strain rigid", StrainRange::RIGID),
        ("triangle-strain range", StrainRange { min: [0.9, 0.8, 1.0], max: [1.1, 1.05, 1.0] }),
    ] {
        let batch = TriStrain::new(&rest, &list, 100.0, range)?;
        compare::<T>(device, name, batch, &x, well_posed, found)?;
    }
    for (min, max) in [(1.0, 1.0), (0.7, 1.3)] {
        let batch = Area::new(&rest, &list, 100.0, min, max)?;
        compare::<T>(device, &format!("area {min}..{max}"), batch, &x, well_posed, found)?;
    }
    Ok(())
}

fn lines<T: DeviceReal>(device: &Device, found: &mut Vec<Agreement>) -> Outcome<()> {
    let mut dice = Dice::new(11);
    let n = 300;
    let rest = representable(&(0..n).map(|_| dice.vector()).collect::<Vec<_>>());
    let mut x = representable(&(0..n).map(|_| dice.vector() * 2.0).collect::<Vec<_>>());
    let edges: Vec<[u32; 2]> = (0..n as u32 - 1).map(|k| [k, k + 1]).collect();
    x[10] = x[11]; // no length
    x[20] = x[21] + Vec3::y() * 1e-30; // lost in the rounding of the position
    (x[30], x[31]) = (Vec3::zeros(), Vec3::x() * Real::from(1e-30f32)); // hardly any length
    x[40] = Vec3::z() * 1e6;
    let batch = EdgeSprings::new(&rest, &edges, 100.0)?;
    compare::<T>(device, "edge", batch, &representable(&x), |_| true, found)?;

    let pinned: Vec<u32> = (0..n as u32).step_by(3).collect();
    let batch = Pins::new(&rest, &pinned, 50.0)?;
    compare::<T>(device, "pin", batch, &representable(&x), |_| true, found)?;
    Ok(())
}

/// Rings of different lengths around vertices of their own.
fn bending<T: DeviceReal>(device: &Device, found: &mut Vec<Agreement>) -> Outcome<()> {
    let mut dice = Dice::new(13);
    let (mut rest, mut vertices, mut offsets, mut neighbours) = (vec![], vec![], vec![0u32], vec![]);
    for ring in 0..120usize {
        let sides = 4 + ring % 5;
        let centre = rest.len() as u32;
        vertices.push(centre);
        // Bumps, dents and flat ones.
        let height = [0.3, -0.25, 0.0][ring % 3];
        rest.push(Vec3::new(0.02, 0.01, height));
        for side in 0..sides {
            let angle = std::f64::consts::TAU * side as Real / sides as Real;
            rest.push(Vec3::new(angle.cos(), angle.sin(), 0.05 * dice.number() * Real::from(height != 0.0)));
            neighbours.push(centre + 1 + side as u32);
        }
        offsets.push(neighbours.len() as u32);
    }
    let rest = representable(&rest);
    let rings = RingsRef { vertices: &vertices, offsets: &offsets, neighbours: &neighbours };
    for weights in [BendingWeights::MeanValue, BendingWeights::CotanVoronoi] {
        let batch = Bending::new(&rest, rings, 0.1, weights)?;
        let mut x: Vec<Vec3> = rest.iter().map(|p| p + dice.vector() * 0.1).collect();
        for ring in (0..vertices.len()).step_by(7) {
            // The Laplacian vanishes: every neighbour opposite to another, or all in one point.
            let range = offsets[ring] as usize..offsets[ring + 1] as usize;
            let centre = x[vertices[ring] as usize];
            for (k, &j) in neighbours[range].iter().enumerate() {
                x[j as usize] = if ring % 2 == 0 { centre } else { centre + Vec3::x() * 0.0 * k as Real };
            }
        }
        compare::<T>(device, &format!("bending {weights:?}"), batch, &representable(&x), |_| true, found)?;
    }
    Ok(())
}
