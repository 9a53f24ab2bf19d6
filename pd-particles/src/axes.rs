//! The order in which a grid's cells follow each other.
//!
//! Sweeps run along sorted particles, so the order decides how far one sweep carries a load: with the vertical axis in
//! the middle, the particles of a layer come from the bottom to the top, and a column of grains is pushed up in one pass.
//! Layers of the slow axis are what threads share, so it is the longest of the other two.

use pd_core::{Real, Vec3};

/// Which coordinate runs fastest, which second and which slowest over the cells of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Coordinates in the order fast, middle, slow.
    pub order: [usize; 3],
    /// Whether the middle coordinate runs downwards.
    pub flip: bool,
}

impl Default for Axes {
    fn default() -> Self {
        Self { order: [0, 1, 2], flip: false }
    }
}

impl Axes {
    /// Middle: against `gravity`; slow: the longer of the other two sides of `extent`.
    ///
    /// ```
    /// use pd_core::Vec3;
    /// use pd_particles::Axes;
    /// let axes = Axes::new(&Vec3::new(0.0, -9.8, 0.0), &Vec3::new(5.0, 40.0, 1.0));
    /// assert_eq!((axes.order, axes.flip), ([2, 1, 0], false));
    /// ```
    pub fn new(gravity: &Vec3, extent: &Vec3) -> Self {
        let middle = (0..3).fold(1, |best, k| if gravity[k].abs() > gravity[best].abs() { k } else { best });
        let (a, b) = ((middle + 1) % 3, (middle + 2) % 3);
        let (fast, slow) = if extent[a] > extent[b] { (b, a) } else { (a, b) };
        Self { order: [fast, middle, slow], flip: gravity[middle] > 0.0 }
    }

    /// A position's coordinates in the order fast, middle, slow; upwards positive.
    #[inline]
    pub fn permute(&self, p: &Vec3) -> [Real; 3] {
        let [fast, middle, slow] = self.order;
        [p[fast], if self.flip { -p[middle] } else { p[middle] }, p[slow]]
    }
}
