//! Where the vertices of a drawing are at a state: points of the state, then those of meshes that show rigid bodies and
//! particles, in the order of [`Topology::of_scene`](super::Topology::of_scene).

use super::Contact;
use pd_core::{State, Vec3};
use pd_sim::scene::desc::BodyShapeDesc;
use pd_sim::scene::{DisplayMesh, Scene};

/// Display meshes of rigid bodies and particles.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    meshes: Vec<DisplayMesh>,
}

impl Shown {
    /// Those of a scene; none for deformable bodies, which are drawn directly.
    pub fn of_scene(scene: &Scene) -> Self {
        Self { meshes: scene.matter.display(&scene.desc) }
    }

    /// Replaces `out` by the positions of all vertices, m.
    pub fn place(&self, state: &State, out: &mut Vec<Vec3>) {
        out.clone_from(&state.x);
        self.meshes.iter().for_each(|mesh| mesh.place(state, out));
    }

    /// The rigid body that a vertex of the drawing belongs to; `points` is the number of points of the state.
    pub fn body_of(&self, vertex: u32, points: usize) -> Option<usize> {
        let mut first = points;
        for mesh in &self.meshes {
            if (first..first + mesh.vertices).contains(&(vertex as usize)) {
                return mesh.body();
            }
            first += mesh.vertices;
        }
        None
    }
}

/// Anchors of all joints of a scene that hold, each on its first and its second body, m.
pub fn joint_anchors(scene: &Scene, state: &State, out: &mut Vec<[Vec3; 2]>) {
    out.clear();
    let Some(rigid) = scene.matter.rigid() else { return };
    let broken = state.columns.keys("joint.broken");
    let holds = |j: &usize| broken.get(*j).is_none_or(|&b| b == 0);
    let joints = (0..rigid.model.joints().len()).filter(holds);
    out.extend(joints.map(|j| rigid.model.anchors(&state.bodies, j)));
}

/// Adds the contacts of rigid bodies, those with another body counted as with obstacle 0.
pub fn body_contacts(scene: &Scene, state: &State, out: &mut Vec<Contact>) {
    let Some(rigid) = scene.matter.rigid() else { return };
    let (keys, places) = (state.columns.keys("contact.key"), state.columns.real("contact.place"));
    let forces = state.columns.real("contact.lambda");
    for ((key, place), force) in keys.chunks_exact(2).zip(places.chunks_exact(3)).zip(forces.chunks_exact(3))
    {
        let Some(part) = rigid.model.parts().get((key[0] >> 32) as usize) else { continue };
        let force = Vec3::new(force[0], force[1], force[2]);
        if let Some(normal) = force.try_normalize(1e-9) {
            let point = state.bodies.world(part.body as usize, &Vec3::new(place[0], place[1], place[2]));
            out.push(Contact { vertex: 0, collider: 0, point, normal });
        }
    }
}

/// Height of the ground that rigid bodies stand on, or of the lower wall of a grid, m.
pub fn ground(scene: &pd_sim::scene::SceneDesc) -> Option<f64> {
    let ground = scene.bodies.iter().find(|body| matches!(body.shape, BodyShapeDesc::Ground));
    let wall = || scene.grid.as_ref().map(|grid| grid.min[1]);
    ground.map(|body| body.position[1]).or_else(wall)
}
