//! Contacts between different kinds of matter over a step: positions at its start and at the end of free motion.

pub(crate) mod bodies;
pub(crate) mod sheets;

use crate::attach::Attached;
use crate::memory::Memory;
use crate::{Layout, Row};
use pd_collide::broad::LinearBvh;
use pd_core::{Aabb, Bodies, Real, Vec3};

/// Rows are made for gaps up to this part of the contact distance, so that impulses of others find them.
const MARGIN: Real = 0.5;

/// Where everything is at the start and at the end of free motion.
#[derive(Clone, Copy)]
pub(crate) struct Motion<'a> {
    pub(crate) start: &'a [Vec3],
    pub(crate) end: &'a [Vec3],
    pub(crate) bodies_start: &'a Bodies,
    pub(crate) bodies_end: &'a Bodies,
    /// Flags of material points that are not there; may be shorter than the points.
    pub(crate) idle: &'a [u64],
}

/// A triangle of a sheet, with what is looked up for every pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) vertices: [u32; 3],
    pub(crate) half_thickness: Real,
    pub(crate) friction: Real,
}

impl Facet {
    /// Corners with a point before them.
    pub(crate) fn with(&self, point: usize, x: &[Vec3]) -> [Vec3; 4] {
        let [a, b, c] = self.vertices.map(|v| x[v as usize]);
        [x[point], a, b, c]
    }

    pub(crate) fn corners(&self, x: &[Vec3]) -> [Vec3; 3] {
        self.vertices.map(|v| x[v as usize])
    }
}

/// A point that meets sheets or bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) point: u32,
    pub(crate) radius: Real,
    pub(crate) friction: Real,
    /// A vertex of a sheet meets bodies only.
    pub(crate) meets_sheets: bool,
    /// Points that their own domain lets meet dynamic bodies.
    pub(crate) skips_dynamic: bool,
}

/// Finds contacts; holds lists of what can meet, and scratch.
pub(crate) struct Finder {
    facets: Vec<Facet>,
    balls: Vec<Ball>,
    first_material: usize,
    dynamic: Vec<bool>,
    /// Contact distance of each elastic vertex, m; infinite for those of no sheet.
    distances: Vec<Real>,
    /// The body that each elastic vertex is attached to, `u32::MAX` for none.
    glued: Vec<u32>,
    tree: LinearBvh,
    body_tree: LinearBvh,
    boxes: Vec<Aabb>,
    queries: Vec<Aabb>,
    /// Places in `balls` that are asked for.
    asked: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    found: Vec<sheets::Found>,
    samples: bodies::Samples,
}

impl Finder {
    pub(crate) fn new(layout: &Layout) -> Self {
        let (mut facets, mut balls) = (vec![], vec![]);
        let mut distances = vec![Real::INFINITY; layout.elastic];
        for sheet in &layout.sheets {
            let (half_thickness, friction) = (0.5 * sheet.thickness, sheet.friction);
            sheet.vertices.iter().for_each(|&v| distances[v as usize] = half_thickness);
            facets.extend(sheet.triangles.iter().map(|&vertices| Facet {
                vertices,
                half_thickness,
                friction,
            }));
            balls.extend(sheet.vertices.iter().map(|&point| Ball {
                point,
                radius: half_thickness,
                friction,
                meets_sheets: false,
                skips_dynamic: false,
            }));
        }
        for set in [&layout.grains, &layout.material].into_iter().flatten() {
            balls.extend(set.points.clone().enumerate().map(|(k, point)| Ball {
                point: point as u32,
                radius: set.radius[k],
                friction: set.friction[k],
                meets_sheets: true,
                skips_dynamic: set.meets_bodies,
            }));
        }
        let dynamic = |rigid: &std::sync::Arc<pd_rigid::RigidModel>| {
            (0..rigid.bodies()).map(|body| rigid.is_dynamic(body)).collect()
        };
        Self {
            facets,
            balls,
            first_material: layout.material.as_ref().map_or(usize::MAX, |set| set.points.start),
            dynamic: layout.rigid.as_ref().map(dynamic).unwrap_or_default(),
            distances,
            glued: vec![u32::MAX; layout.elastic],
            tree: LinearBvh::default(),
            body_tree: LinearBvh::default(),
            boxes: vec![],
            queries: vec![],
            asked: vec![],
            pairs: vec![],
            found: vec![],
            samples: bodies::Samples::default(),
        }
    }

    /// All contacts, in a fixed order: points with sheets, then points with bodies, then sheets with bodies. Returns where the
    /// last group begins.
    pub(crate) fn find(
        &mut self,
        layout: &Layout,
        motion: Motion<'_>,
        memory: &Memory,
        h: Real,
        rows: &mut Vec<Row>,
    ) -> usize {
        rows.clear();
        self.points_with_sheets(motion, memory, h, rows);
        self.points_with_bodies(layout, motion, memory, h, rows);
        let first = rows.len();
        self.sheets_with_bodies(layout, motion, memory, h, rows);
        first
    }

    /// Leaves out contacts of attached vertices, and of their triangles, with the body that holds them.
    pub(crate) fn glue(&mut self, attached: &Attached) {
        attached.mark(&mut self.glued);
    }

    fn is_idle(&self, motion: &Motion<'_>, point: u32) -> bool {
        let place = (point as usize).checked_sub(self.first_material);
        place.and_then(|k| motion.idle.get(k)).is_some_and(|&idle| idle != 0)
    }

    pub(crate) fn distances(&self) -> &[Real] {
        &self.distances
    }

    pub(crate) fn facets(&self) -> &[Facet] {
        &self.facets
    }

    pub(crate) fn balls(&self) -> &[Ball] {
        &self.balls
    }
}

/// The box around the path of a point.
fn path_box(motion: &Motion<'_>, point: u32) -> Aabb {
    let i = point as usize;
    Aabb::of_points([&motion.start[i], &motion.end[i]])
}
