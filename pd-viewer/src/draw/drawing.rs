//! Everything that one picture shows.

use super::obstacle::place;
use super::{
    Bounds, Contact, Floor, Hit, LiquidSurface, MatCap, Material, Obstacle, PALETTE, PickTree, Ray, Shading,
    Shown, Topology, ground, vertex_normals,
};
use pd_core::Vec3;
use pd_mesh::TriMesh;
use pd_sim::scene::Scene;
use pd_sim::scene::desc::{ColliderDesc, DisplayDesc, ShadingDesc};
use std::sync::Arc;

/// A straight line of constant width on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Start, m.
    pub from: Vec3,
    /// End, m.
    pub to: Vec3,
    /// Linear RGB and opacity.
    pub colour: [f32; 4],
    /// Width, pixels.
    pub width: f32,
    /// Whether it shows through surfaces.
    pub on_top: bool,
}

/// A round dot of constant size on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// Centre, m.
    pub at: Vec3,
    /// Linear RGB and opacity.
    pub colour: [f32; 4],
    /// Diameter, pixels.
    pub size: f32,
    /// Whether it shows through surfaces.
    pub on_top: bool,
}

/// Bodies in their current positions, obstacles, and overlays.
///
/// Refill it every frame: [`set_positions`](Self::set_positions) and [`set_obstacles`](Self::set_obstacles) allocate
/// nothing while the scene stays the same.
#[derive(Debug)]
pub struct Drawing {
    /// Which vertices make triangles, edges and tetrahedra.
    pub topology: Arc<Topology>,
    /// One per body.
    pub materials: Vec<Material>,
    /// Whether each body is drawn.
    pub visible: Vec<bool>,
    /// Light model of each body, where it differs from that of the picture.
    pub shadings: Vec<Option<Shading>>,
    /// Whether the edges of each body are drawn, even if the picture has no wireframe.
    pub wireframes: Vec<bool>,
    /// Obstacles of finite size.
    pub obstacles: Vec<Obstacle>,
    /// The floor.
    pub floor: Option<Floor>,
    /// Height of the ground of rigid bodies, m, drawn where no obstacle is a floor.
    pub ground: Option<f64>,
    /// Lines, such as the spring of a dragged vertex.
    pub lines: Vec<Line>,
    /// Dots, such as pins.
    pub markers: Vec<Marker>,
    /// Contacts, drawn if [`Options::contacts`](super::Options::contacts).
    pub contacts: Vec<Contact>,
    /// Surfaces of liquids, drawn in place of their points unless there is a cut.
    pub liquids: Vec<LiquidSurface>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    values: Vec<f32>,
    face_normals: Vec<[f32; 3]>,
    tree: PickTree,
    tree_is_old: bool,
}

impl Drawing {
    /// A scene at rest.
    pub fn of_scene(scene: &Scene) -> Self {
        let mut drawing = Self::new(Arc::new(Topology::of_scene(scene)));
        let parts = drawing.topology.parts.iter().enumerate();
        drawing.materials = parts.map(|(k, part)| Material::of_part(&scene.desc, part, k)).collect();
        let displays: Vec<_> =
            drawing.topology.parts.iter().map(|part| scene.desc.display_of(&part.name)).collect();
        drawing.set_display(&displays);
        let mut positions = vec![];
        Shown::of_scene(scene).place(&scene.initial_state(), &mut positions);
        drawing.set_positions(&positions);
        drawing.ground = ground(&scene.desc);
        drawing.set_obstacles(&scene.desc.colliders, 0.0);
        drawing
    }

    /// Bodies of a topology, all vertices at the origin.
    pub fn new(topology: Arc<Topology>) -> Self {
        let parts = topology.parts.len();
        Self {
            materials: (0..parts).map(|k| Material::plain(PALETTE[k % PALETTE.len()])).collect(),
            visible: vec![true; parts],
            shadings: vec![None; parts],
            wireframes: vec![false; parts],
            obstacles: vec![],
            floor: None,
            ground: None,
            lines: vec![],
            markers: vec![],
            contacts: vec![],
            liquids: vec![],
            positions: vec![[0.0; 3]; topology.vertices],
            normals: vec![[0.0, 1.0, 0.0]; topology.vertices],
            values: vec![],
            face_normals: vec![[0.0; 3]; topology.triangles.len()],
            tree: PickTree::default(),
            tree_is_old: true,
            topology,
        }
    }

    /// Moves the bodies and computes their normals. Positions beyond the number of vertices are ignored, missing ones
    /// stay where they were, and what is not finite is drawn at the origin.
    pub fn set_positions(&mut self, x: &[Vec3]) {
        for (p, x) in self.positions.iter_mut().zip(x) {
            *p = [x.x as f32, x.y as f32, x.z as f32];
            if !p.iter().all(|c| c.is_finite()) {
                *p = [0.0; 3];
            }
        }
        let topology = &self.topology;
        vertex_normals(
            &self.positions,
            &topology.triangles,
            &topology.vertex_faces,
            &mut self.face_normals,
            &mut self.normals,
        );
        self.tree_is_old = true;
    }

    /// Applies the display settings of a scene; a body without a colour keeps the one it has.
    pub fn set_display<'a>(&mut self, displays: impl IntoIterator<Item = &'a DisplayDesc>) {
        for (k, display) in displays.into_iter().enumerate().take(self.materials.len()) {
            self.visible[k] = !display.hidden;
            self.wireframes[k] = display.wireframe;
            self.shadings[k] = display.shading.map(shading);
            if let Some(colour) = display.colour {
                let linear = colour.map(super::material::linear);
                let lined = self.topology.parts[k].tets.is_empty();
                self.materials[k] = if lined { Material::lined(linear) } else { Material::plain(linear) };
            }
        }
    }

    /// Places the obstacles and the floor of a scene as they are at `time`, s.
    pub fn set_obstacles(&mut self, colliders: &[ColliderDesc], time: f64) {
        let ground = self.ground.map(|height| Floor { height, tile: 0.25 });
        self.floor = place(colliders, time, &mut self.obstacles).or(ground);
    }

    /// Sets one value per vertex for [`Options::colour`](super::Options::colour); an empty slice removes them.
    pub fn set_values(&mut self, values: &[f32]) {
        self.values.clear();
        if !values.is_empty() {
            self.values.extend_from_slice(values);
            self.values.resize(self.topology.vertices, 0.0);
        }
    }

    /// Replaces the surfaces of liquids, each given with the name of its body; without one its points are drawn.
    pub fn set_liquids(&mut self, surfaces: &[(String, TriMesh)]) {
        let topology = &self.topology;
        self.liquids.clear();
        self.liquids
            .extend(surfaces.iter().filter_map(|(name, mesh)| LiquidSurface::new(topology, name, mesh)));
    }

    /// Positions of all vertices, m.
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Unit normals of all vertices.
    pub fn normals(&self) -> &[[f32; 3]] {
        &self.normals
    }

    /// One value per vertex, or none.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Position of a vertex, m.
    pub fn position(&self, vertex: u32) -> Option<Vec3> {
        self.positions.get(vertex as usize).map(|p| Vec3::from(p.map(f64::from)))
    }

    /// The box around visible bodies and obstacles, without the floor.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = self.body_bounds();
        for obstacle in self.obstacles.iter().filter(|obstacle| !obstacle.hidden) {
            bounds.join(&obstacle.bounds());
        }
        bounds
    }

    /// The box around visible bodies.
    pub fn body_bounds(&self) -> Bounds {
        let shown = self.topology.parts.iter().zip(&self.visible).filter(|(_, visible)| **visible);
        let points = shown.flat_map(|(part, _)| &self.positions[part.vertices.clone()]);
        Bounds::of(points.map(|p| Vec3::from(p.map(f64::from))))
    }

    /// The nearest triangle of a visible body that a ray meets, and the corner of it nearest to the ray's point. The
    /// tree is updated at the first call after [`set_positions`](Self::set_positions).
    pub fn pick(&mut self, ray: &Ray) -> Option<Hit> {
        if self.tree_is_old {
            self.tree.fit(&self.topology, &self.positions);
            self.tree_is_old = false;
        }
        let (topology, visible) = (&self.topology, &self.visible);
        let shown = |triangle: usize| {
            let part = topology.parts.iter().position(|part| part.triangles.contains(&triangle));
            part.is_none_or(|part| visible.get(part).copied().unwrap_or(true))
        };
        self.tree.pick(ray, &topology.triangles, &self.positions, shown)
    }

    /// The nearest obstacle of finite size that a ray meets: its place in [`obstacles`](Self::obstacles) and the distance.
    pub fn pick_obstacle(&self, ray: &Ray) -> Option<(usize, f64)> {
        let shown = self.obstacles.iter().enumerate().filter(|(_, obstacle)| !obstacle.hidden);
        let hits = shown.filter_map(|(k, obstacle)| {
            let mesh = obstacle.shape.mesh().ok()?;
            let local = Ray { origin: ray.origin - obstacle.position, ..*ray };
            let positions: Vec<[f32; 3]> =
                mesh.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
            super::pick_brute_force(&local, &mesh.triangles, &positions).map(|hit| (k, hit.distance))
        });
        hits.min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// A light model as the renderer names it.
pub(super) fn shading(desc: ShadingDesc) -> Shading {
    match desc {
        ShadingDesc::BlinnPhong => Shading::Phong,
        ShadingDesc::Matcap => Shading::MatCap(MatCap::default()),
        ShadingDesc::Normals => Shading::Normals,
    }
}
