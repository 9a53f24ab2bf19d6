//! Display of obstacles.

use super::{Bounds, Material, Shading};
use pd_core::Vec3;
use pd_mesh::{MeshError, TriMesh, generate, transform};
use pd_sim::scene::desc::{ColliderDesc, ColliderShapeDesc};
use std::sync::Arc;

/// A shape about its own centre.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// A ball.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A torus about the y axis.
    Torus {
        /// Radius of the centre circle, m.
        major_radius: f64,
        /// Radius of the tube, m.
        minor_radius: f64,
    },
    /// A box along the axes.
    Block {
        /// Half of the size along each axis, m.
        half_extents: [f64; 3],
    },
    /// Any surface.
    Mesh(Arc<TriMesh>),
}

impl ObstacleShape {
    /// Triangles that show it.
    pub fn mesh(&self) -> Result<TriMesh, MeshError> {
        match self {
            Self::Sphere { radius } => generate::sphere(64, 32, *radius),
            Self::Torus { major_radius, minor_radius } => {
                generate::torus(96, 32, *major_radius, *minor_radius)
            }
            Self::Block { half_extents } => {
                let mut cube = generate::bar(1, 1, 1, 2.0)?.surface();
                transform::scale_axes(&mut cube.positions, Vec3::from(*half_extents));
                Ok(cube)
            }
            Self::Mesh(mesh) => Ok(mesh.as_ref().clone()),
        }
    }

    /// Whether its edges are sharp, so that it needs one normal per triangle.
    pub fn is_angular(&self) -> bool {
        matches!(self, Self::Block { .. })
    }

    /// Half of its size along each axis, m.
    pub fn half_extents(&self) -> Vec3 {
        match self {
            Self::Sphere { radius } => Vec3::repeat(*radius),
            Self::Torus { major_radius, minor_radius } => {
                Vec3::new(major_radius + minor_radius, *minor_radius, major_radius + minor_radius)
            }
            Self::Block { half_extents } => (*half_extents).into(),
            Self::Mesh(mesh) => mesh.positions.iter().fold(Vec3::zeros(), |most, p| most.sup(&p.abs())),
        }
    }
}

/// An obstacle of finite size in its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Number of the obstacle in the scene.
    pub index: usize,
    /// The shape.
    pub shape: ObstacleShape,
    /// Its centre, m.
    pub position: Vec3,
    /// What it is made of.
    pub material: Material,
    /// Its light model, where it differs from that of the picture.
    pub shading: Option<Shading>,
    /// Whether it is hidden.
    pub hidden: bool,
}

impl Obstacle {
    /// The box around it.
    pub fn bounds(&self) -> Bounds {
        let half = self.shape.half_extents();
        Bounds { low: self.position - half, high: self.position + half }
    }
}

/// A horizontal floor with square tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Height, m.
    pub height: f64,
    /// Side of a tile, m.
    pub tile: f64,
}

/// The obstacles and the floor of a scene at `time`, s.
pub(crate) fn place(colliders: &[ColliderDesc], time: f64, obstacles: &mut Vec<Obstacle>) -> Option<Floor> {
    let (mut floor, mut count) = (None, 0);
    for (index, desc) in colliders.iter().enumerate() {
        let turned = desc.rotate.is_some() || desc.turn.is_some();
        let shape = match desc.shape {
            ColliderShapeDesc::Floor { height } => {
                floor = Some(Floor { height: height + offset(desc, time).y, tile: 0.25 });
                continue;
            }
            _ if turned => offered(desc, time),
            ColliderShapeDesc::Sphere { radius, .. } => ObstacleShape::Sphere { radius },
            ColliderShapeDesc::Torus { major_radius, minor_radius, .. } => {
                ObstacleShape::Torus { major_radius, minor_radius }
            }
            ColliderShapeDesc::Block { half_extents, .. } => ObstacleShape::Block { half_extents },
            _ => offered(desc, time),
        };
        let centre = Vec3::from(desc.centre());
        let position = if desc.turn.is_some() {
            (desc.pose(time) * nalgebra::Point3::from(centre)).coords
        } else {
            centre + offset(desc, time)
        };
        let display = &desc.display;
        let material = display.colour.map_or(Material::obstacle(), |colour| {
            let colour = colour.map(super::material::linear);
            Material { colour, back: colour, ..Material::obstacle() }
        });
        let shading = display.shading.map(super::drawing::shading);
        let placed = Obstacle { index, shape, position, material, shading, hidden: display.hidden };
        match obstacles.get_mut(count) {
            Some(old) => *old = placed,
            None => obstacles.push(placed),
        }
        count += 1;
    }
    obstacles.truncate(count);
    floor
}

/// The surface of an obstacle about its centre, rotated as at a time; empty for an invalid one, which the scene then
/// names.
fn offered(desc: &ColliderDesc, time: f64) -> ObstacleShape {
    let mut mesh = desc.mesh().unwrap_or_else(|| TriMesh { positions: vec![], triangles: vec![] });
    let centre = Vec3::from(desc.centre());
    let turn = desc.turn.as_ref().map(|_| desc.pose(time).rotation);
    for p in &mut mesh.positions {
        *p -= centre;
        if let Some(turn) = turn {
            *p = turn * *p;
        }
    }
    ObstacleShape::Mesh(Arc::new(mesh))
}

/// Displacement of an obstacle that does not turn, as the obstacle itself takes it (`pd_collide::Path`), without allocating.
fn offset(desc: &ColliderDesc, time: f64) -> Vec3 {
    if let Some(velocity) = desc.velocity {
        return Vec3::from(velocity) * time.max(0.0);
    }
    along(&desc.path, time)
}

fn along(path: &[[f64; 4]], time: f64) -> Vec3 {
    let place = |&[_, x, y, z]: &[f64; 4]| Vec3::new(x, y, z);
    match (path.partition_point(|key| key[0] <= time), path.len()) {
        (_, 0) => Vec3::zeros(),
        (0, _) => place(&path[0]),
        (next, count) if next == count => place(&path[count - 1]),
        (next, _) => {
            let (a, b) = (&path[next - 1], &path[next]);
            place(a).lerp(&place(b), (time - a[0]) / (b[0] - a[0]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::scene::read_desc;

    #[test]
    fn obstacles_follow_their_paths() {
        let colliders = read_desc("bar").unwrap().0.colliders;
        let mut obstacles = vec![];
        assert_eq!(place(&colliders, 0.0, &mut obstacles), None);
        assert_eq!(obstacles[0].position, Vec3::new(0.0, -1.9, 0.25));
        place(&colliders, 1.5, &mut obstacles);
        assert!((obstacles[0].position - Vec3::new(0.0, -1.4, 0.25)).norm() < 1e-12);
        let floor = place(&read_desc("bunny").unwrap().0.colliders, 2.0, &mut obstacles).unwrap();
        assert!((floor.height + 0.5).abs() < 1e-12 && obstacles.is_empty());
    }

    #[test]
    fn paths_are_those_of_the_obstacles() {
        let keys = [[0.5, 1.0, 0.0, 0.0], [1.0, 1.0, -2.0, 0.5], [1.25, 0.0, 0.0, 3.0]];
        let path = pd_collide::Path::new(keys.iter().map(|&[t, x, y, z]| (t, Vec3::new(x, y, z))).collect())
            .unwrap();
        for k in 0..40 {
            let time = f64::from(k) * 0.05;
            assert!((along(&keys, time) - path.offset(time)).norm() < 1e-12, "{time}");
        }
    }

    #[test]
    fn meshes_fill_their_boxes() {
        for shape in [
            ObstacleShape::Sphere { radius: 0.3 },
            ObstacleShape::Torus { major_radius: 0.5, minor_radius: 0.1 },
            ObstacleShape::Block { half_extents: [0.1, 0.2, 0.3] },
        ] {
            let mesh = shape.mesh().unwrap();
            let bounds = Bounds::of(mesh.positions.iter().copied());
            assert!((bounds.high - shape.half_extents()).amax() < 1e-12, "{shape:?}");
            assert!((bounds.low + shape.half_extents()).amax() < 1e-12, "{shape:?}");
        }
    }
}
