//! Central differences of functions of N points.

use pd_collide::distance::Derivatives;
use pd_core::{Real, Vec3};

/// Fails unless gradient and Hessian agree with differences of the value and of the gradient, both by `step`, to
/// within `tolerance` of the size of the derivatives.
pub(crate) fn check<const N: usize>(
    x: &[Vec3; N],
    step: Real,
    tolerance: Real,
    f: impl Fn(&[Vec3; N]) -> Derivatives<N>,
) {
    let here = f(x);
    let first = here.gradient.iter().map(|g| g.amax()).fold(0.0, Real::max);
    let second = here.hessian.iter().flatten().map(|h| h.amax()).fold(0.0, Real::max);
    for k in 0..N {
        for axis in 0..3 {
            let at = |sign: Real| {
                let mut moved = *x;
                moved[k][axis] += sign * step;
                f(&moved)
            };
            let (up, down) = (at(1.0), at(-1.0));
            let slope = (up.value - down.value) / (2.0 * step);
            let exact = here.gradient[k][axis];
            // The second derivative bounds what a difference of values can tell at a kink of the gradient's slope.
            let allowed = tolerance * (first + here.value.abs()) + second * step + 1e-11;
            assert!(
                (slope - exact).abs() <= allowed,
                "d/dx[{k}][{axis}]: {exact} but {slope} by differences"
            );
            for j in 0..N {
                let column = (up.gradient[j] - down.gradient[j]) / (2.0 * step);
                let exact = here.hessian[j][k].column(axis).into_owned();
                let error = (column - exact).amax();
                assert!(
                    error <= tolerance * (second + first) + 1e-9,
                    "d²/dx[{j}]dx[{k}][{axis}]: {exact:?} but {column:?} by differences"
                );
            }
            for j in 0..N {
                let skew = (here.hessian[j][k] - here.hessian[k][j].transpose()).amax();
                assert!(skew <= 1e-14 * second, "blocks ({j}, {k}) and ({k}, {j}) differ by {skew:e}");
            }
        }
    }
}
