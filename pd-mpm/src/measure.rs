//! Quantities of matter at rest and in flow, for checks and reports.

use crate::MpmModel;
use pd_core::{Real, State, Vec3};

/// Kinetic energy ½ Σ m v² (J) and largest speed (m/s) of all points.
pub fn motion(masses: &[Real], state: &State) -> (Real, Real) {
    masses.iter().zip(&state.v).fold((0.0, 0.0), |(energy, most), (m, v)| {
        (energy + 0.5 * m * v.norm_squared(), Real::max(most, v.norm()))
    })
}

/// Height under which a share of all points lies, m. The surface of a lattice of particles is half a spacing above the
/// highest.
pub fn height(model: &MpmModel, state: &State, share: Real) -> Real {
    quantile(model, state, 1, share)
}

/// Distance from the corner of the domain along x within which a share of all points lies, m: the front of a flow.
pub fn front(model: &MpmModel, state: &State, share: Real) -> Real {
    quantile(model, state, 0, share)
}

/// Slope (rad) of the straight heap against the wall at the low end of x that has the same centroid: tan = y/x of the centroid
/// over that corner of the domain. For matter that lies as a wedge.
pub fn heap_slope(model: &MpmModel, state: &State) -> Real {
    let low = model.domain().min;
    let sum: Vec3 = state.x[model.points()].iter().map(|x| x - low).sum();
    sum.y.atan2(sum.x)
}

fn quantile(model: &MpmModel, state: &State, axis: usize, share: Real) -> Real {
    let mut places: Vec<Real> =
        state.x[model.points()].iter().map(|x: &Vec3| x[axis] - model.domain().min[axis]).collect();
    places.sort_unstable_by(Real::total_cmp);
    let k = ((places.len() - 1) as Real * share.clamp(0.0, 1.0)).round() as usize;
    places[k]
}

/// Mean of a value over the points in each of `layers` equal layers between two heights; NaN for an empty layer.
pub fn layers(
    model: &MpmModel,
    state: &State,
    between: [Real; 2],
    layers: usize,
    value: impl Fn(usize) -> Real,
) -> Vec<Real> {
    let mut sums = vec![(0.0, 0usize); layers];
    for point in model.points() {
        let y = state.x[point].y - model.domain().min.y;
        let layer = (y - between[0]) / (between[1] - between[0]) * layers as Real;
        if layer >= 0.0 && (layer as usize) < layers {
            let sum = &mut sums[layer as usize];
            *sum = (sum.0 + value(point), sum.1 + 1);
        }
    }
    sums.into_iter().map(|(sum, count)| sum / count as Real).collect()
}
