//! Shape of tetrahedra: dihedral angles, aspect ratio, volume, and histograms of them.
//!
//! Dihedral angle at the edge (a, b) with the other corners c and d: the angle between c and d seen along the edge; the
//! regular tetrahedron has 70.53° everywhere. Aspect ratio here: longest edge over the least height, divided by its value
//! √(3/2) for the regular tetrahedron, so that 1 is best and a flat element has infinity.

use crate::{TetMesh, Vec3};

/// The two ends of every edge, then the two corners that are not on it.
const EDGES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

/// The six dihedral angles in radians, at the edges 01, 02, 03, 12, 13, 23.
#[must_use]
pub fn dihedral_angles(x: [Vec3; 4]) -> [f64; 6] {
    EDGES.map(|[a, b, c, d]| {
        let edge = x[b] - x[a];
        let (to_c, to_d) = (edge.cross(&(x[c] - x[a])), edge.cross(&(x[d] - x[a])));
        to_c.cross(&to_d).norm().atan2(to_c.dot(&to_d))
    })
}

/// Longest edge over least height, 1 for the regular tetrahedron, infinite for a flat one.
#[must_use]
pub fn aspect_ratio(x: [Vec3; 4]) -> f64 {
    let longest = EDGES.iter().map(|&[a, b, ..]| (x[b] - x[a]).norm()).fold(0.0, f64::max);
    let sixfold = (x[1] - x[0]).dot(&(x[2] - x[0]).cross(&(x[3] - x[0]))).abs();
    let double_area = |a: usize, b: usize, c: usize| (x[b] - x[a]).cross(&(x[c] - x[a])).norm();
    let largest =
        double_area(1, 2, 3).max(double_area(0, 2, 3)).max(double_area(0, 1, 3)).max(double_area(0, 1, 2));
    // Height over a face = 3 V / area = sixfold volume / double area.
    longest * largest / (sixfold * 1.5f64.sqrt())
}

/// Counts of values between equally spaced bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// Lower end of the first bin.
    pub low: f64,
    /// Upper end of the last bin.
    pub high: f64,
    /// Values in each bin; what lies outside is counted in the first or last.
    pub counts: Vec<usize>,
}

impl Histogram {
    /// Sorts `values` into `bins` bins between `low` and `high`. NaN is counted in the last bin.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = f64>, low: f64, high: f64, bins: usize) -> Self {
        let mut counts = vec![0; bins.max(1)];
        let last = counts.len() - 1;
        let width = (high - low) / counts.len() as f64;
        for value in values {
            let bin = if width > 0.0 { ((value - low) / width).floor() } else { 0.0 };
            // A float-to-integer cast saturates; NaN must not land in bin 0.
            let bin = if bin.is_nan() { last } else { (bin.max(0.0) as usize).min(last) };
            counts[bin] += 1;
        }
        Self { low, high, counts }
    }

    /// Lower end of a bin.
    #[must_use]
    pub fn bin_start(&self, bin: usize) -> f64 {
        self.low + (self.high - self.low) * bin as f64 / self.counts.len() as f64
    }
}

/// Extremes and distribution of the shapes of a tetrahedron mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct TetQuality {
    /// Smallest dihedral angle, in degrees.
    pub min_dihedral: f64,
    /// Largest dihedral angle, in degrees.
    pub max_dihedral: f64,
    /// Largest aspect ratio.
    pub max_aspect: f64,
    /// Smallest signed volume, in m³.
    pub min_volume: f64,
    /// Largest signed volume, in m³.
    pub max_volume: f64,
    /// Sum of the signed volumes, in m³.
    pub total_volume: f64,
    /// Elements with volume ≤ 0.
    pub inverted: usize,
    /// All dihedral angles in degrees, 0 to 180 in 18 bins.
    pub dihedral: Histogram,
    /// Aspect ratios, 1 to 11 in 10 bins; the last bin takes everything above.
    pub aspect: Histogram,
    /// Volumes, from the smallest to the largest in 10 bins.
    pub volume: Histogram,
}

impl TetQuality {
    /// Measures every element.
    ///
    /// ```
    /// let bar = pd_mesh::generate::bar(2, 2, 2, 1.0)?;
    /// let quality = pd_mesh::quality::TetQuality::new(&bar);
    /// assert_eq!(quality.inverted, 0);
    /// assert!((quality.total_volume - 1.0).abs() < 1e-12);
    /// assert!((quality.min_dihedral - 54.7356).abs() < 1e-3);
    /// # Ok::<(), pd_mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &TetMesh) -> Self {
        let corners = || mesh.tets.iter().map(|tet| tet.map(|v| mesh.positions[v as usize]));
        let angles: Vec<f64> = corners().flat_map(dihedral_angles).map(f64::to_degrees).collect();
        let aspects: Vec<f64> = corners().map(aspect_ratio).collect();
        let volumes = mesh.volumes();
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (min_volume, max_volume) = (least(&volumes), most(&volumes));
        Self {
            min_dihedral: least(&angles),
            max_dihedral: most(&angles),
            max_aspect: most(&aspects),
            min_volume,
            max_volume,
            total_volume: volumes.iter().sum(),
            inverted: volumes.iter().filter(|&&volume| volume <= 0.0 || volume.is_nan()).count(),
            dihedral: Histogram::new(angles, 0.0, 180.0, 18),
            aspect: Histogram::new(aspects, 1.0, 11.0, 10),
            volume: Histogram::new(volumes, min_volume, max_volume, 10),
        }
    }
}
