//! Sums over constraints and vertices: forces, energies, norms.

use super::dice::{Dice, representable};
use super::{Agreement, Outcome, kernel_tolerance};
use crate::model::DeviceModel;
use crate::queue::{Buffer, Queue};
use crate::{CudaError, CudaLocal, Device, DeviceReal, Summation};
use pd_constraints::{EdgeSprings, Pins, StrainRange, TetStrain};
use pd_core::{CpuLocal, LocalInput, LocalStep, Model, Real, Vec3, as_flat};

/// A model of edges, tetrahedra and pins on one set of vertices, and a deformed state of it.
fn sample() -> Outcome<(Model, Vec<Vec3>, Vec<Vec3>)> {
    let mesh = pd_mesh::generate::bar(2, 2, 5, 0.2)?;
    let rest = representable(&mesh.positions);
    let edges: Vec<[u32; 2]> = mesh.tets.iter().flat_map(|t| [[t[0], t[1]], [t[2], t[3]]]).collect();
    let model = Model::builder(&rest, 0.5)
        .energy(EdgeSprings::new(&rest, &edges, 20.0)?)
        .energy(TetStrain::new(&rest, &mesh.tets, 1000.0, StrainRange::uniform(0.95, 1.05))?)
        .energy(Pins::new(&rest, &[0, 3, 7], 100.0)?)
        .build()?;
    let mut dice = Dice::new(23);
    let x: Vec<Vec3> = rest.iter().map(|p| p + dice.vector() * 0.05).collect();
    let s: Vec<Vec3> = rest.iter().map(|p| p + dice.vector() * 0.05).collect();
    Ok((model, representable(&s), representable(&x)))
}

/// Right-hand side and energy of a local step; the gathered sum again and with other blocks, bit by bit.
pub fn sums<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let (model, s, x) = sample()?;
    let input = LocalInput { model: &model, dt: 1.0 / 60.0, s: &s, x: &x };
    let mut host = CpuLocal::default();
    let mut expected = vec![Vec3::zeros(); x.len()];
    host.prepare(&model)?;
    host.run(input, &mut expected)?;
    let energy = host.elastic_energy(input)?;
    let scale = expected.iter().map(|b| b.norm()).fold(0.0, Real::max);
    let worst_of = |got: &[Vec3]| {
        let errors = got.iter().zip(&expected).map(|(a, b)| (a - b).norm() / scale);
        errors.fold(0.0, |worst: Real, e| if e <= worst { worst } else { e })
    };
    let mut found = vec![];
    for (name, summation) in [("gather", Summation::Gather), ("scatter", Summation::Scatter)] {
        let mut local = CudaLocal::<T>::new(device).with_summation(summation);
        let mut got = vec![Vec3::zeros(); x.len()];
        local.prepare(&model)?;
        local.run(input, &mut got)?;
        found.push(Agreement::new::<T>(format!("forces by {name}"), worst_of(&got), kernel_tolerance::<T>()));
        let error = (local.elastic_energy(input)? / energy - 1.0).abs();
        found.push(Agreement::new::<T>(format!("energy after {name}"), error, kernel_tolerance::<T>()));
    }
    let mut first: Option<Vec<Vec3>> = None;
    let mut differing = 0;
    for block in [128, 128, 32, 64, 256] {
        let mut local = CudaLocal::<T>::new(&device.clone().with_block(block)?);
        let mut got = vec![Vec3::zeros(); x.len()];
        local.prepare(&model)?;
        local.run(input, &mut got)?;
        let bits = |v: &[Vec3]| as_flat(v).iter().map(|c| c.to_bits()).collect::<Vec<_>>();
        differing += usize::from(
            first
                .get_or_insert_with(|| got.clone())
                .iter()
                .zip(&got)
                .any(|(a, b)| bits(&[*a]) != bits(&[*b])),
        );
    }
    found.push(Agreement::new::<T>("gather: runs and blocks that differ", differing as Real, 0.0));
    Ok(found)
}

/// Norms and maxima of vectors of awkward lengths.
pub fn reductions<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let mut found = vec![];
    for n in [1, 255, 256, 257, 700] {
        let mut dice = Dice::new(n as u64);
        let vectors = representable(&(0..n).map(|_| dice.vector()).collect::<Vec<_>>());
        let model = Model::with_masses(vec![2.0; n]).energy(Pins::new(&vectors, &[0], 1.0)?).build()?;
        let queue = Queue::<T>::new(device)?;
        let mut on_device = DeviceModel::new(&queue, &model, Summation::Gather)?;
        on_device.set_dt(&queue, &model, 0.5)?;
        let a = queue.upload_reals(as_flat(&vectors))?;
        let zero = queue.zeros::<T>(3 * n)?;
        let out = queue.zeros::<T>(3)?;
        on_device.square(&queue, &a, &out, 0)?;
        on_device.largest(&queue, &a, &out, 1)?;
        on_device.inertia_energy(&queue, &a, &zero, &out, 2)?;
        let got = read(&queue, &out)?;
        let square: Real = vectors.iter().map(|v| v.norm_squared()).sum();
        let largest = vectors.iter().map(|v| v.norm()).fold(0.0, Real::max);
        // ½ m/h² = 4 for each.
        for (name, got, expected) in
            [("square", got[0], square), ("largest", got[1], largest), ("inertia", got[2], 4.0 * square)]
        {
            let error = (got / expected - 1.0).abs();
            found.push(Agreement::new::<T>(format!("{name} of {n} vectors"), error, kernel_tolerance::<T>()));
        }
        // What is not a number must come through.
        let mut spoilt = vectors.clone();
        spoilt[n / 2].y = Real::NAN;
        let a = queue.upload_reals(as_flat(&spoilt))?;
        on_device.square(&queue, &a, &out, 0)?;
        on_device.largest(&queue, &a, &out, 1)?;
        let got = read(&queue, &out)?;
        let lost = usize::from(!got[0].is_nan()) + usize::from(!got[1].is_nan());
        found.push(Agreement::new::<T>(format!("not-a-numbers lost among {n}"), lost as Real, 0.0));
    }
    Ok(found)
}

fn read<T: DeviceReal>(queue: &Queue<T>, buffer: &Buffer<T>) -> Result<[Real; 3], CudaError> {
    let mut values = [T::from_real(0.0); 3];
    queue.read(buffer, &mut values)?;
    Ok(values.map(T::to_real))
}
