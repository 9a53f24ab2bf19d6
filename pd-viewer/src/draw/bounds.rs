//! An axis-aligned box around what is drawn.

use pd_core::Vec3;

/// A box; of nothing it is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest corner, m.
    pub low: Vec3,
    /// Largest corner, m.
    pub high: Vec3,
}

impl Bounds {
    /// The box of nothing.
    pub fn nothing() -> Self {
        Self { low: Vec3::repeat(f64::INFINITY), high: Vec3::repeat(f64::NEG_INFINITY) }
    }

    /// The box of points; coordinates that are not finite do not count.
    ///
    /// ```
    /// use pd_core::Vec3;
    /// use pd_viewer::draw::Bounds;
    /// let bounds = Bounds::of([Vec3::zeros(), Vec3::new(2.0, 4.0, 4.0)]);
    /// assert_eq!((bounds.centre(), bounds.radius()), (Vec3::new(1.0, 2.0, 2.0), 3.0));
    /// ```
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Self {
        let mut bounds = Self::nothing();
        for p in points {
            bounds.add(p);
        }
        bounds
    }

    /// Grows to contain a point.
    pub fn add(&mut self, p: Vec3) {
        if p.iter().all(|c| c.is_finite()) {
            self.low = self.low.inf(&p);
            self.high = self.high.sup(&p);
        }
    }

    /// Grows to contain another box.
    pub fn join(&mut self, other: &Self) {
        self.low = self.low.inf(&other.low);
        self.high = self.high.sup(&other.high);
    }

    /// Whether it contains nothing.
    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// The middle; the origin if empty.
    pub fn centre(&self) -> Vec3 {
        if self.is_empty() { Vec3::zeros() } else { (self.low + self.high) / 2.0 }
    }

    /// Radius of the sphere around the box, m; 1 if empty.
    pub fn radius(&self) -> f64 {
        if self.is_empty() { 1.0 } else { ((self.high - self.low).norm() / 2.0).max(1e-6) }
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        })
    }
}
