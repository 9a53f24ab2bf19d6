//! A cut through the bodies. Tetrahedra (and triangles of cloth) whose centre lies on the positive side of the plane are
//! hidden; the faces between visible and hidden elements are exposed.

use super::Topology;
use super::topology::{FACES, OUTSIDE};
use pd_core::Vec3;
use std::ops::Range;

/// A plane: the points p with n·(p − point) = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point on it, m.
    pub point: Vec3,
    /// The side that is hidden; need not be of unit length.
    pub normal: Vec3,
}

impl Plane {
    /// The plane of all points whose coordinate `axis` (0 to 2) is `value`; larger values are hidden.
    pub fn across(axis: usize, value: f64) -> Self {
        let mut normal = Vec3::zeros();
        normal[axis.min(2)] = 1.0;
        Self { point: normal * value, normal }
    }

    fn hides(&self, sum: [f32; 3], count: f32) -> bool {
        let p = Vec3::new(f64::from(sum[0]), f64::from(sum[1]), f64::from(sum[2])) / f64::from(count);
        self.normal.dot(&(p - self.point)) > 0.0
    }
}

/// The visible part after a cut. Kept between frames, so that it allocates only while it grows.
#[derive(Clone, Debug, Default)]
pub struct CutFaces {
    /// Surface triangles that are left.
    pub surface: Vec<[u32; 3]>,
    /// Exposed interior faces of solids.
    pub opened: Vec<[u32; 3]>,
    /// Range of `surface` of each body.
    pub surface_parts: Vec<Range<usize>>,
    /// Range of `opened` of each body.
    pub opened_parts: Vec<Range<usize>>,
    hidden: Vec<bool>,
}

impl CutFaces {
    /// Whether each tetrahedron is hidden.
    pub fn hidden(&self) -> &[bool] {
        &self.hidden
    }

    /// Cuts the bodies as they are now.
    pub fn update(&mut self, topology: &Topology, positions: &[[f32; 3]], plane: &Plane) {
        let sum = |corners: &[u32]| {
            corners.iter().fold([0.0f32; 3], |s, &v| {
                let p = positions[v as usize];
                [s[0] + p[0], s[1] + p[1], s[2] + p[2]]
            })
        };
        self.hidden.clear();
        self.hidden.extend(topology.tets.iter().map(|tet| plane.hides(sum(tet), 4.0)));
        self.surface.clear();
        self.opened.clear();
        self.surface_parts.clear();
        self.opened_parts.clear();
        for part in &topology.parts {
            let (first_surface, first_opened) = (self.surface.len(), self.opened.len());
            if part.tets.is_empty() {
                let triangles = &topology.triangles[part.triangles.clone()];
                self.surface.extend(triangles.iter().filter(|t| !plane.hides(sum(&t[..]), 3.0)));
            } else {
                self.cut_solid(topology, part.tets.clone());
            }
            self.surface_parts.push(first_surface..self.surface.len());
            self.opened_parts.push(first_opened..self.opened.len());
        }
    }

    fn cut_solid(&mut self, topology: &Topology, tets: Range<usize>) {
        let neighbours = topology.tet_neighbours();
        for k in tets.filter(|&k| !self.hidden[k]) {
            for (face, &neighbour) in neighbours[k].iter().enumerate() {
                let corners = FACES[face].map(|c| topology.tets[k][c]);
                if neighbour == OUTSIDE {
                    self.surface.push(corners);
                } else if self.hidden[neighbour as usize] {
                    self.opened.push(corners);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Drawing;
    use pd_sim::{ModelPaths, scene::Scene};

    fn cut(scene: &str, plane: &Plane) -> (CutFaces, Drawing) {
        let scene = Scene::load(scene, &ModelPaths::default()).unwrap();
        let drawing = Drawing::of_scene(&scene);
        let mut faces = CutFaces::default();
        faces.update(&drawing.topology, drawing.positions(), plane);
        (faces, drawing)
    }

    #[test]
    fn a_solid_cut_in_two_is_closed_on_each_side() {
        // Signed volumes under the triangles of both halves add up to the whole: each half is closed.
        let volume = |positions: &[[f32; 3]], triangles: &[[u32; 3]]| -> f64 {
            let corner = |v: u32| Vec3::from(positions[v as usize].map(f64::from));
            triangles.iter().map(|t| corner(t[0]).cross(&corner(t[1])).dot(&corner(t[2])) / 6.0).sum()
        };
        let half = |normal: f64| {
            let plane = Plane { point: Vec3::new(0.0, 0.01, 0.0), normal: Vec3::new(0.0, normal, 0.0) };
            let (faces, drawing) = cut("bar", &plane);
            assert!(!faces.opened.is_empty());
            volume(drawing.positions(), &[&faces.surface[..], &faces.opened[..]].concat())
        };
        let (_, drawing) = cut("bar", &Plane::across(1, 1e9));
        let whole = volume(drawing.positions(), &drawing.topology.triangles);
        let (low, high) = (half(1.0), half(-1.0));
        assert!(low > 0.1 * whole && high > 0.1 * whole, "{low} {high} {whole}");
        assert!((low + high - whole).abs() < 1e-6 * whole, "{low} + {high} = {whole}");
    }

    #[test]
    fn a_plane_beyond_everything_hides_nothing_or_all() {
        let (faces, drawing) = cut("cloth-pair", &Plane::across(0, 100.0));
        assert_eq!(faces.surface, drawing.topology.triangles);
        let (faces, _) = cut("cloth-pair", &Plane::across(0, -100.0));
        assert!(faces.surface.is_empty() && faces.opened.is_empty());
        let (faces, drawing) = cut("bar", &Plane::across(0, 100.0));
        assert_eq!(faces.surface.len(), drawing.topology.triangles.len());
    }
}
