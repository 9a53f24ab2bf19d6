//! Which part of each face is open, and what moving solids drive through the rest.
//!
//! Fractions are those of the box of a cell's size around the middle of a face, not of the face itself: then the force on a
//! body, Kᵀ P = Σ_c P_c ∂D_c/∂V, takes the pressure where its surface is, between the middles of cells, and a body in water
//! at rest is borne by the weight of the water it displaces, wherever it lies on the grid (Batty, Bertails, Bridson 2007).

use super::faces::Faces;
use super::poisson::BodyRows;
use crate::bodies::{bounds, sample};
use crate::{MpmBody, MpmModel};
use nalgebra::{Matrix6, UnitQuaternion, Vector6};
use pd_core::{Aabb, Collider, Mat3, Real, Surface, Vec3};

/// Closed part of the box around a face from the distances at the middles of its eight parts.
fn closed(corners: &[Surface], dx: Real) -> Real {
    corners.iter().map(|s| (0.5 - 2.0 * s.distance / dx).clamp(0.0, 1.0)).sum::<Real>() / 8.0
}

/// Calls `found(faces, face, closed part, place, surface velocity)` for each face that a solid closes in part.
fn over_faces(
    model: &MpmModel,
    faces: &mut Faces,
    bounds: &Aabb,
    sample: impl Fn(&[Vec3], &mut [Surface]),
    mut found: impl FnMut(&mut Faces, usize, Real, Vec3, Vec3),
) {
    let (dx, n) = (model.dx, faces.n);
    let range: [(usize, usize); 3] = std::array::from_fn(|a| {
        let at = |x: Real| ((x - model.min[a]) / dx - faces.first[a]).clamp(0.0, n[a] as Real);
        (at(bounds.min[a] - dx) as usize, (at(bounds.max[a] + dx) as usize + 1).min(n[a]))
    });
    let offsets: [Vec3; 8] = std::array::from_fn(|k| {
        let sign = |bit: usize| if k >> bit & 1 == 0 { -0.25 * dx } else { 0.25 * dx };
        Vec3::new(sign(0), sign(1), sign(2))
    });
    let mut corners = [Surface::default(); 8];
    let mut middle = [Surface::default()];
    for i in range[0].0..range[0].1 {
        for j in range[1].0..range[1].1 {
            for k in range[2].0..range[2].1 {
                let at = Vec3::new(i as Real, j as Real, k as Real) + Vec3::from(faces.first);
                let place = model.min + at * dx;
                sample(&[place], &mut middle);
                let distance = middle[0].distance;
                if distance >= dx {
                    continue;
                }
                let part = if distance <= -dx {
                    1.0
                } else {
                    sample(&offsets.map(|o| place + o), &mut corners);
                    closed(&corners, dx)
                };
                if part > 0.0 {
                    found(faces, (i * n[1] + j) * n[2] + k, part, place, middle[0].velocity);
                }
            }
        }
    }
}

/// Takes from the open part of each cell's trilinear kernel, −1 to 1 cells around its middle, what a solid closes.
fn close_cells(model: &MpmModel, bounds: &Aabb, sample: impl Fn(&[Vec3], &mut [Surface]), open: &mut [Real]) {
    let (dx, n) = (model.dx, model.cells.map(|n| n as usize));
    let range: [(usize, usize); 3] = std::array::from_fn(|a| {
        let at = |x: Real| ((x - model.min[a]) / dx - 0.5).clamp(0.0, n[a] as Real);
        (at(bounds.min[a] - 2.0 * dx) as usize, (at(bounds.max[a] + 2.0 * dx) as usize + 1).min(n[a]))
    });
    let mut around = [Surface::default(); 64];
    let mut middle = [Surface::default()];
    for i in range[0].0..range[0].1 {
        for j in range[1].0..range[1].1 {
            for k in range[2].0..range[2].1 {
                let place = model.min + Vec3::new(i as Real + 0.5, j as Real + 0.5, k as Real + 0.5) * dx;
                sample(&[place], &mut middle);
                let distance = middle[0].distance / dx;
                let closed = match distance {
                    d if d >= 2.0 => continue,
                    d if d <= -2.0 => 1.0,
                    _ => {
                        let parts = [kernel(i, n[0]), kernel(j, n[1]), kernel(k, n[2])];
                        let part = |k: usize| [k >> 4, k >> 2 & 3, k & 3];
                        let places: [Vec3; 64] =
                            std::array::from_fn(|k| place + Vec3::from(part(k).map(|p| PARTS[p])) * dx);
                        sample(&places, &mut around);
                        let weigh = |(k, s): (usize, &Surface)| {
                            let [x, y, z] = part(k);
                            let inside = (0.5 - 2.0 * s.distance / dx).clamp(0.0, 1.0);
                            parts[0][x] * parts[1][y] * parts[2][z] * inside
                        };
                        around.iter().enumerate().map(weigh).sum()
                    }
                };
                let cell = &mut open[(i * n[1] + j) * n[2] + k];
                *cell = (*cell - closed).max(0.0);
            }
        }
    }
}

/// Middles of the four equal parts of a kernel along an axis, in cells.
const PARTS: [Real; 4] = [-0.75, -0.25, 0.25, 0.75];

/// Integrals of the kernel of cell `at` of `n` over these parts. Particles between a wall and the middle of the cell beside it
/// belong to that cell alone, so what the kernel has beyond the wall is there instead: a solid beyond the wall closes nothing.
fn kernel(at: usize, n: usize) -> [Real; 4] {
    let mut parts = [0.125, 0.375, 0.375, 0.125];
    if at == 0 {
        (parts[0], parts[1]) = (0.0, 0.5);
    }
    if at + 1 == n {
        (parts[2], parts[3]) = (0.5, 0.0);
    }
    parts
}

/// Closes faces behind obstacles.
pub(crate) fn obstacles(
    model: &MpmModel,
    colliders: &[Box<dyn Collider>],
    time: Real,
    faces: &mut [Faces; 3],
    open: &mut [Real],
) {
    for collider in colliders {
        let sample = |points: &[Vec3], out: &mut [Surface]| collider.sample(points, time, out);
        close_cells(model, &collider.bounds(time), sample, open);
        for (axis, faces) in faces.iter_mut().enumerate() {
            let sample = |points: &[Vec3], out: &mut [Surface]| collider.sample(points, time, out);
            over_faces(model, faces, &collider.bounds(time), sample, |faces, face, part, _, v| {
                let part = part.min(faces.open[face]);
                faces.open[face] -= part;
                faces.drift[face] += part * v[axis];
            });
        }
    }
}

/// Closes faces and cells inside of a body and collects what its velocities drive into the cells beside them.
#[allow(clippy::too_many_arguments, reason = "what a body closes and what it drives are found in one pass")]
pub(crate) fn body(
    model: &MpmModel,
    body: &MpmBody,
    p: &Vec3,
    q: &UnitQuaternion<Real>,
    faces: &mut [Faces; 3],
    open: &mut [Real],
    rates: &mut [Vector6<Real>],
    out: &mut BodyRows,
) {
    out.cells.clear();
    out.rates.clear();
    let (n, area) = (model.cells.map(|n| n as usize), model.dx * model.dx);
    let around = bounds(body, p, q);
    close_cells(model, &around, |points, out| sample(body, p, q, points, out), open);
    for (axis, faces) in faces.iter_mut().enumerate() {
        let sample = |points: &[Vec3], out: &mut [Surface]| sample(body, p, q, points, out);
        let stride = [n[1] * n[2], n[2], 1][axis];
        over_faces(model, faces, &around, sample, |faces, face, part, place, _| {
            let part = part.min(faces.open[face]);
            faces.open[face] -= part;
            let (e, at) = (Vec3::ith(axis, 1.0), faces.place(face));
            let turn = (place - p).cross(&e);
            let rate = Vector6::new(e.x, e.y, e.z, turn.x, turn.y, turn.z) * (part * area);
            let cell = (at[0] * n[1] + at[1]) * n[2] + at[2]; // the one behind the face
            if at[axis] < n[axis] {
                rates[cell] -= rate;
            }
            if at[axis] > 0 {
                rates[cell - stride] += rate;
            }
        });
    }
    for (cell, rate) in rates.iter_mut().enumerate().filter(|(_, rate)| **rate != Vector6::zeros()) {
        out.cells.push(cell as u32);
        out.rates.push(*rate);
        *rate = Vector6::zeros();
    }
    let r = q.to_rotation_matrix().into_inner();
    let inertia = r * Mat3::from_diagonal(&body.inertia.map(|i| 1.0 / i)) * r.transpose();
    out.inverse_mass = Matrix6::from_diagonal_element(1.0 / body.mass);
    out.inverse_mass.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
}
