//! Few contacts instead of many: two faces that meet in dozens of particles are held as well by four of them.
//!
//! A sweep over many rows that say the same loads the first of them and leaves a body tilted by the last; four corners of the
//! patch converge in a few sweeps. Rows of two bodies (or a body and an obstacle) with nearly one normal form a patch; kept are
//! the outermost in four directions, and the deepest where the patch bulges between them. Their remembered pushes
//! are scaled so that the patch as a whole keeps its push.

use super::rows::{End, Row};
use pd_core::{Real, Vec3};

/// Rows of a patch that are kept.
const KEPT: usize = 4;
/// Cosine of the angle within which two normals belong to one patch.
const ONE_NORMAL: Real = 0.95;
/// Rows that carried a push win against others that are farther out by this share of a particle: the choice should not
/// flicker.
const LOYALTY: Real = 0.05;
/// How much deeper than the outermost rows, in sizes of a particle, a row must be to be kept beside them.
const DEEPER: Real = 0.005;

/// Sorts the rows by the bodies they join and thins out patches.
pub(crate) fn reduce(rows: &mut Vec<Row>) {
    rows.sort_unstable_by_key(|row| (key(row), row.number));
    let mut start = 0;
    while start < rows.len() {
        let group = key(&rows[start]);
        let end = start + rows[start..].iter().take_while(|row| key(row) == group).count();
        if group != u64::MAX && end - start > KEPT {
            patches(&mut rows[start..end], group);
        }
        start = end;
    }
    rows.retain(|row| row.kept);
}

/// The two sides of a row, whichever comes first; rows of single particles have none.
fn key(row: &Row) -> u64 {
    let side = |end: &End| match end {
        End::Body(b, _) => Some(u64::from(*b)),
        End::Obstacle(_) => Some(row.obstacle().into()),
        End::Point(_) => None,
    };
    match (side(&row.a), side(&row.b)) {
        (Some(a), Some(b)) => a.min(b) << 32 | a.max(b),
        _ => u64::MAX,
    }
}

fn patches(rows: &mut [Row], group: u64) {
    // Normals from the second body to the first.
    let sign = |row: &Row| match row.a {
        End::Body(b, _) if u64::from(b) == group >> 32 => 1.0,
        _ => -1.0,
    };
    rows.iter_mut().for_each(|row| row.kept = false);
    let mut next = 0;
    while next < rows.len() {
        // Rows before `next` are done; bring those of the patch of row `next` to the front of the rest.
        let n = rows[next].n * sign(&rows[next]);
        let mut end = next;
        for k in next..rows.len() {
            if rows[k].n.dot(&n) * sign(&rows[k]) > ONE_NORMAL {
                rows.swap(k, end);
                end += 1;
            }
        }
        thin(&mut rows[next..end]);
        next = end;
    }
}

/// Keeps at most five rows of a patch.
fn thin(rows: &mut [Row]) {
    if rows.len() <= KEPT {
        rows.iter_mut().for_each(|row| row.kept = true);
        return;
    }
    let favour = |row: &Row| if row.last() > 0.0 { LOYALTY * row.size } else { 0.0 };
    let [u, w] = axes(&rows[0].n);
    for side in [u + w, u - w, -u - w, w - u] {
        let k = best(rows, |row| side.dot(&row.at) + favour(row));
        rows[k].kept = true;
    }
    // A bulge between the four: the deepest too, if it is clearly deeper.
    let deepest = best(rows, |row| -row.gap);
    let shallow = rows.iter().filter(|row| row.kept).map(|row| row.gap).fold(Real::INFINITY, Real::min);
    if rows[deepest].gap < shallow - DEEPER * rows[deepest].size {
        rows[deepest].kept = true;
    }
    let total: Real = rows.iter().map(|row| row.last()).sum();
    let kept = rows.iter().filter(|row| row.kept).map(|row| row.last()).sum::<Real>();
    let count = rows.iter().filter(|row| row.kept).count() as Real;
    for row in rows.iter_mut().filter(|row| row.kept) {
        row.start(if 2.0 * kept > total { row.last() * (total / kept) } else { total / count });
    }
}

/// Two directions across a normal, the same for normals that are nearly the same.
fn axes(n: &Vec3) -> [Vec3; 2] {
    let helper = if n.y.abs() < 0.8 { Vec3::y() } else { Vec3::x() };
    let u = n.cross(&helper).normalize();
    [u, n.cross(&u)]
}

/// The first row of the largest score.
fn best(rows: &[Row], score: impl Fn(&Row) -> Real) -> usize {
    let scores = rows.iter().map(score).enumerate();
    scores.fold((0, Real::NEG_INFINITY), |best, (k, s)| if s > best.1 { (k, s) } else { best }).0
}
