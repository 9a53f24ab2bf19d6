//! Side tags of thin sheets (compatible particle-in-cell, Hu et al. 2018): two sides of a cloth do not talk through the kernel.
//!
//! A node or particle within reach of a sheet is in front of it, behind it, or, where the nearest point is on the border of the
//! sheet, neither. A particle in front and a node behind the same sheet do not belong together: the particle then gives its share
//! to a *ghost* of that node, which all matter of its side shares, and reads it back from there. So each side has a grid of its
//! own next to the sheet, as if nothing were beyond, and both grids are one again past the border. Mass, momentum and angular
//! momentum are those of the transfers without sheets.
//!
//! Sheets stand still during a step. They do not push: contact is between particles and triangles. A node has one ghost, so
//! matter beyond two different sheets on either side of one node shares it; sheets, and folds of one, keep three cells apart for
//! tags to be exact.

pub(crate) mod tags;

use crate::MpmError;
use pd_collide::broad::{BroadPhase, LinearBvh};
use pd_collide::distance::point_triangle;
use pd_core::{Aabb, Real, Vec3};
use std::collections::BTreeMap;

/// Most sheets of a stepper: one bit each.
const MOST_SHEETS: usize = 32;

/// On which side of which sheets something is: bit k of `front` or `back` for sheet k.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) front: u32,
    pub(crate) back: u32,
}

impl Sides {
    /// Whether some sheet is between the two.
    #[inline(always)]
    pub(crate) fn parted(self, other: Self) -> bool {
        (self.front & other.back) | (self.back & other.front) != 0
    }

    pub(crate) fn is_none(self) -> bool {
        self.front | self.back == 0
    }

    pub(crate) fn with(self, other: Self) -> Self {
        Self { front: self.front | other.front, back: self.back | other.back }
    }
}

/// A triangle of a sheet.
#[derive(Clone, Copy, Debug)]
struct Facet {
    vertices: [u32; 3],
    sheet: u32,
    /// Bit k: corner k is on the border; bit 3 + k: the edge opposite to corner k is.
    border: u8,
}

/// Sheets of triangles whose two sides do not exchange momentum through the grid.
pub struct ThinSheets {
    facets: Vec<Facet>,
    sheets: u32,
    corners: Vec<[Vec3; 3]>,
    boxes: Vec<Aabb>,
    bounds: Aabb,
    tree: LinearBvh,
}

impl Default for ThinSheets {
    fn default() -> Self {
        let (facets, corners, boxes, tree) = (vec![], vec![], vec![], LinearBvh::default());
        Self { facets, sheets: 0, corners, boxes, bounds: Aabb::empty(), tree }
    }
}

impl ThinSheets {
    /// Adds a sheet of these triangles.
    ///
    /// # Errors
    /// [`MpmError::Parameter`] for more than 32 sheets.
    pub fn add(&mut self, triangles: &[[u32; 3]]) -> Result<(), MpmError> {
        if self.sheets as usize >= MOST_SHEETS {
            let expected = "it must be at most 32";
            let value = self.sheets as Real + 1.0;
            return Err(MpmError::Parameter { name: "number of thin sheets", value, expected });
        }
        let edge = |t: &[u32; 3], k: usize| {
            let (a, b) = (t[(k + 1) % 3], t[(k + 2) % 3]);
            (a.min(b), a.max(b))
        };
        let mut uses = BTreeMap::new();
        for t in triangles {
            (0..3).for_each(|k| *uses.entry(edge(t, k)).or_insert(0) += 1);
        }
        let mut on_border: Vec<u32> =
            uses.iter().filter(|(_, n)| **n == 1).flat_map(|(&(a, b), _)| [a, b]).collect();
        on_border.sort_unstable();
        self.facets.extend(triangles.iter().map(|t| {
            let corner = |k: usize| u8::from(on_border.binary_search(&t[k]).is_ok()) << k;
            let side = |k: usize| u8::from(uses[&edge(t, k)] == 1) << (3 + k);
            let border = (0..3).map(|k| corner(k) | side(k)).sum();
            Facet { vertices: *t, sheet: self.sheets, border }
        }));
        self.sheets += 1;
        Ok(())
    }

    /// Whether there are no sheets.
    pub fn is_empty(&self) -> bool {
        self.facets.is_empty()
    }

    /// Where the vertices are, m.
    pub fn place(&mut self, x: &[Vec3]) {
        self.corners.clear();
        self.corners.extend(self.facets.iter().map(|facet| facet.vertices.map(|v| x[v as usize])));
        self.boxes.clear();
        self.boxes.extend(self.corners.iter().map(Aabb::of_points));
        self.bounds = self.boxes.iter().fold(Aabb::empty(), |all, one| all.union(one));
        self.tree.build(&self.boxes);
    }

    /// On which sides of the plane of a triangle a box has points.
    fn box_sides(&self, around: &Aabb, triangle: u32) -> Sides {
        let corners = &self.corners[triangle as usize];
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let (middle, half) = ((around.min + around.max) * 0.5, (around.max - around.min) * 0.5);
        let (at, spread) = (normal.dot(&(middle - corners[0])), normal.abs().dot(&half));
        let bit = 1 << self.facets[triangle as usize].sheet;
        Sides {
            front: if at + spread > 0.0 { bit } else { 0 },
            back: if at - spread < 0.0 { bit } else { 0 },
        }
    }

    /// On which sides a place is of the sheets that are within `reach` of it; `pairs` name the triangles that may be near.
    /// Where triangles share the nearest point, that decides which the place is most in front of or behind.
    fn sides(&self, place: &Vec3, pairs: &[[u32; 2]], reach: Real) -> Sides {
        let mut sides = Sides::default();
        // Almost always one sheet; each is looked at for itself.
        let mut todo = pairs.iter().fold(0u32, |all, pair| all | 1 << self.facets[pair[1] as usize].sheet);
        while todo != 0 {
            let sheet = todo.trailing_zeros();
            todo &= todo - 1;
            let (mut nearest, mut certain, mut signed) = (reach * reach, 0.0, 0.0);
            for &[_, k] in pairs {
                let (facet, around) = (&self.facets[k as usize], &self.boxes[k as usize]);
                let off = (around.min - place).sup(&(place - around.max)).sup(&Vec3::zeros());
                if facet.sheet != sheet || off.norm_squared() > nearest * (1.0 + 1e-9) {
                    continue;
                }
                let [a, b, c] = self.corners[k as usize];
                let x = [*place, a, b, c];
                let closest = point_triangle(&x);
                let separation = closest.separation(&x);
                let distance = separation.norm_squared();
                if distance > nearest * (1.0 + 1e-9) {
                    continue;
                }
                let along = (b - a).cross(&(c - a)).try_normalize(0.0).map_or(0.0, |n| n.dot(&separation));
                if distance < nearest * (1.0 - 1e-9) || along.abs() > certain {
                    nearest = distance.min(nearest);
                    certain = along.abs();
                    signed = if on_border(facet.border, closest.support >> 1) { 0.0 } else { along };
                }
            }
            if signed > 0.0 {
                sides.front |= 1 << sheet;
            } else if signed < 0.0 {
                sides.back |= 1 << sheet;
            }
        }
        sides
    }
}

/// Whether the feature with these corners is on the border.
fn on_border(border: u8, corners: u8) -> bool {
    match corners & 7 {
        0b001 | 0b010 | 0b100 => border & corners != 0,
        0b110 => border & 0b001_000 != 0,
        0b101 => border & 0b010_000 != 0,
        0b011 => border & 0b100_000 != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of 2 m in the plane y = 0, of two triangles that face up, with a roof over one edge.
    fn sheet() -> ThinSheets {
        let mut sheets = ThinSheets::default();
        sheets.add(&[[0, 1, 2], [0, 2, 3], [3, 2, 4]]).unwrap();
        let v = Vec3::new;
        sheets.place(&[
            v(-1.0, 0.0, -1.0),
            v(-1.0, 0.0, 1.0),
            v(1.0, 0.0, 1.0),
            v(1.0, 0.0, -1.0),
            v(1.5, 1.0, 0.0),
        ]);
        sheets
    }

    fn side(at: Vec3) -> i32 {
        let sheets = sheet();
        let sides = sheets.sides(&at, &[[0, 0], [0, 1], [0, 2]], 0.5);
        sides.front as i32 - sides.back as i32
    }

    #[test]
    fn places_are_in_front_behind_or_beside() {
        let v = Vec3::new;
        assert_eq!(side(v(0.3, 0.2, 0.2)), 1);
        assert_eq!(side(v(0.3, -0.2, 0.2)), -1);
        assert_eq!(side(v(0.0, 1e-9, 0.0)), 1, "over the edge between two triangles");
        assert_eq!(side(v(0.3, 0.6, 0.2)), 0, "out of reach");
        assert_eq!(side(v(-1.2, 0.1, 0.0)), 0, "beyond the border");
        assert_eq!(side(v(-0.99, 0.1, 0.0)), 1, "just inside of it");
        assert_eq!(side(v(1.1, -0.05, 0.0)), -1, "below the edge of the roof, an inner edge");
        assert_eq!(side(v(0.95, 0.1, 0.0)), 1, "in the corner under the roof");
    }

    #[test]
    fn more_sheets_than_bits_are_refused() {
        let mut sheets = ThinSheets::default();
        for _ in 0..32 {
            sheets.add(&[[0, 1, 2]]).unwrap();
        }
        assert!(matches!(sheets.add(&[[0, 1, 2]]), Err(MpmError::Parameter { value: 33.0, .. })));
    }
}
