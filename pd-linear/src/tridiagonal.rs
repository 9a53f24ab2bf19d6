//! Extreme eigenvalues of a symmetric tridiagonal matrix by bisection on Sturm counts.
//!
//! Golub and Van Loan 2013, "Matrix Computations", section 8.4.

use pd_core::Real;

/// Number of eigenvalues below `shift`.
fn count_below(diagonal: &[Real], off: &[Real], shift: Real) -> usize {
    let mut pivot = 1.0;
    let mut count = 0;
    for (i, &d) in diagonal.iter().enumerate() {
        let coupling = if i > 0 { off[i - 1] * off[i - 1] / pivot } else { 0.0 };
        pivot = d - shift - coupling;
        if pivot == 0.0 {
            pivot = Real::MIN_POSITIVE;
        }
        count += usize::from(pivot < 0.0);
    }
    count
}

/// Smallest and largest eigenvalue; `off` has one entry less than `diagonal`. `None` if an entry is not finite or
/// there is none.
pub(crate) fn extreme_eigenvalues(diagonal: &[Real], off: &[Real]) -> Option<(Real, Real)> {
    let n = diagonal.len();
    let (mut low, mut high) = (Real::INFINITY, Real::NEG_INFINITY);
    for i in 0..n {
        let left = if i > 0 { off[i - 1].abs() } else { 0.0 };
        let right = if i + 1 < n { off[i].abs() } else { 0.0 };
        low = low.min(diagonal[i] - left - right);
        high = high.max(diagonal[i] + left + right);
        if !(diagonal[i].is_finite() && left.is_finite()) {
            return None;
        }
    }
    if n == 0 {
        return None;
    }
    // The k-th smallest eigenvalue: where the count passes k. The small end needs relative accuracy, so the
    // bisection continues until the interval no longer splits.
    let find = |k: usize| {
        let (mut a, mut b) = (low, high);
        for _ in 0..120 {
            let middle = 0.5 * (a + b);
            if middle <= a || middle >= b || b - a <= 1e-6 * middle.abs() {
                break;
            }
            if count_below(diagonal, off, middle) >= k { b = middle } else { a = middle }
        }
        0.5 * (a + b)
    };
    Some((find(1), find(n)))
}

/// |last component| of the unit eigenvector to `eigenvalue`: times the next off-diagonal entry it bounds the
/// distance of a Ritz value to an eigenvalue. Backward recurrence, stable because components grow.
pub(crate) fn last_component(diagonal: &[Real], off: &[Real], eigenvalue: Real) -> Real {
    let n = diagonal.len();
    let (mut next, mut current, mut square, mut last) = (0.0, 1.0, 1.0, 1.0 as Real);
    for i in (1..n).rev() {
        let beyond = if i + 1 < n { off[i] * next } else { 0.0 };
        let previous = ((eigenvalue - diagonal[i]) * current - beyond) / off[i - 1];
        (next, current) = (current, previous);
        square += previous * previous;
        if square > 1e200 {
            let scale = 1e-100;
            (next, current, square, last) =
                (next * scale, current * scale, square * scale * scale, last * scale);
        }
    }
    last / square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalues_of_the_path_are_cosines() {
        let n = 50;
        let (diagonal, off) = (vec![2.0; n], vec![-1.0; n - 1]);
        let (low, high) = extreme_eigenvalues(&diagonal, &off).unwrap();
        let angle = std::f64::consts::PI / (n + 1) as Real;
        assert!((low / (2.0 - 2.0 * angle.cos()) - 1.0).abs() < 2e-6);
        assert!((high / (2.0 + 2.0 * angle.cos()) - 1.0).abs() < 2e-6);
        // Unit eigenvector: √(2/(n+1)) sin(i π/(n+1)).
        let last = (2.0 / (n + 1) as Real).sqrt() * angle.sin();
        let exact = 2.0 - 2.0 * angle.cos();
        assert!((last_component(&diagonal, &off, exact) / last - 1.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_and_nan_give_none() {
        assert!(extreme_eigenvalues(&[], &[]).is_none());
        assert!(extreme_eigenvalues(&[Real::NAN], &[]).is_none());
        assert_eq!(extreme_eigenvalues(&[3.0], &[]), Some((3.0, 3.0)));
    }
}
