//! Obstacles: random points and the special ones, device against host.

use super::dice::{Dice, representable};
use super::{Agreement, Outcome, kernel_tolerance};
use crate::colliders::{NUMBERS, export};
use crate::queue::{Argument, Queue, int};
use crate::{Device, DeviceReal};
use pd_collide::{Block, Floor, Moving, Path, Sphere, Torus};
use pd_core::{Collider, Real, Vec3, as_flat, resolve_collisions};

/// Random points per obstacle.
const POINTS: usize = 400;

/// Every primitive at rest and in motion: where points end, that a second pass moves none, and the counts.
pub fn collisions<T: DeviceReal>(device: &Device) -> Outcome<Vec<Agreement>> {
    let path = || Path::new(vec![(0.0, Vec3::zeros()), (1.0, Vec3::new(0.5, -0.25, 0.125))]);
    // Numbers with few bits, so that points on faces, axes and centres are exactly there in both precisions.
    let sphere = || Sphere::new(Vec3::new(0.25, 0.5, -0.125), 0.5).and_then(|s| s.with_margin(0.125));
    let block =
        || Block::new(Vec3::repeat(0.25), Vec3::new(0.5, 0.75, 1.0)).and_then(|b| b.with_margin(0.125));
    let torus = || Torus::with_all(Vec3::new(0.0, 0.25, 0.0), 1.0, 0.25, 0.125);
    let floor = || Floor::new(-0.5).and_then(|f| f.with_margin(0.125));
    let all: Vec<(&str, Vec<Box<dyn Collider>>)> = vec![
        ("floor", vec![Box::new(floor()?)]),
        ("sphere", vec![Box::new(sphere()?)]),
        ("block", vec![Box::new(block()?)]),
        ("torus", vec![Box::new(torus()?)]),
        ("floor in motion", vec![Box::new(Moving::new(floor()?, path()?))]),
        ("sphere in motion", vec![Box::new(Moving::new(sphere()?, path()?))]),
        ("block in motion", vec![Box::new(Moving::new(block()?, path()?))]),
        ("torus in motion", vec![Box::new(Moving::new(torus()?, path()?))]),
        ("all in a row", vec![Box::new(sphere()?), Box::new(torus()?), Box::new(floor()?)]),
    ];
    let mut found = vec![];
    for (name, colliders) in &all {
        found.extend(compare::<T>(device, name, colliders, 0.5)?);
    }
    Ok(found)
}

fn compare<T: DeviceReal>(
    device: &Device,
    name: &str,
    colliders: &[Box<dyn Collider>],
    time: Real,
) -> Outcome<[Agreement; 2]> {
    let mut dice = Dice::new(17);
    let offset = colliders[0].export(time).map_or_else(Vec3::zeros, |data| data.offset);
    // Centres, the axis, the tube circle, faces and edges; then anywhere.
    let special =
        [(0.25, 0.5, -0.125), (0.25, 0.25, 0.25), (0.0, 0.25, 0.0), (1.0, 0.25, 0.0), (0.0, 0.25, -1.0)];
    let mut points: Vec<Vec3> = special.iter().map(|&(x, y, z)| Vec3::new(x, y, z) + offset).collect();
    points.extend((0..POINTS).map(|_| dice.vector() * 1.5));
    let points = representable(&points);
    let mut expected = points.clone();
    resolve_collisions(colliders, time, &mut expected);

    let queue = Queue::<T>::new(device)?;
    let mut numbers = vec![0.0; NUMBERS * colliders.len()];
    export(colliders, time, &mut numbers)?;
    let (shapes, x) = (queue.upload_reals(&numbers)?, queue.upload_reals(as_flat(&points))?);
    let (status, count) = (queue.zeros::<i32>(3)?, queue.upload(&[int("obstacles", colliders.len())?])?);
    let (mut got, mut counts) = (vec![T::from_real(0.0); 3 * points.len()], [0; 3]);
    for slot in [1, 2] {
        let arguments = [
            queue.buffer(&shapes, numbers.len()),
            queue.buffer(&count, 1),
            queue.buffer(&x, 3 * points.len()),
            queue.buffer(&status, 3),
            Argument::Int(slot),
            Argument::Int(int("points", points.len())?),
        ];
        queue.launch("collide", points.len(), &arguments)?;
        if slot == 1 {
            queue.read(&x, &mut got)?;
        }
    }
    queue.read(&status, &mut counts)?;
    let difference = got.iter().zip(as_flat(&expected)).map(|(a, b)| (a.to_real() - b).abs());
    let worst = difference.fold(0.0, |worst: Real, d| if d <= worst { worst } else { d });
    // Obstacles in a row may push a point back into an earlier one, on the host as here.
    let again = if colliders.len() == 1 { Real::from(counts[2]) } else { 0.0 };
    let nothing_moved = Real::from(counts[1] == 0);
    Ok([
        Agreement::new::<T>(format!("collide: {name}"), worst, kernel_tolerance::<T>()),
        Agreement::new::<T>(format!("collide: {name}, moved twice"), again + nothing_moved, 0.0),
    ])
}
