//! Draw data: no device, no window.
//!
//! A [`Topology`] is made once per scene; a [`Drawing`] holds the moving part (positions, normals, values) together with
//! obstacles, lines and markers, and is refilled every frame without allocating; [`Options`] define the appearance, and a
//! [`Camera`] from where.
//!
//! ```
//! use pd_sim::{ModelPaths, scene::Scene};
//! use pd_viewer::draw::{Camera, Drawing, Options};
//!
//! let scene = Scene::load("cloth", &ModelPaths::default())?;
//! let mut drawing = Drawing::of_scene(&scene);
//! drawing.set_positions(&scene.rest());
//! let camera = Camera::framing(&drawing.body_bounds(), 35.0, 20.0, 4.0 / 3.0);
//! let hit = drawing.pick(&camera.ray([400.0, 300.0], [800, 600]));
//! assert!(hit.is_some_and(|hit| (hit.vertex as usize) < scene.vertices()));
//! # Ok::<(), pd_sim::SceneError>(())
//! ```

mod bounds;
mod camera;
mod contact;
mod cut;
mod drawing;
mod field;
mod fold;
mod hit;
mod incidence;
mod liquid;
mod material;
mod normals;
mod obstacle;
mod options;
mod pick;
mod ramp;
mod shown;
mod topology;

pub use bounds::Bounds;
pub use camera::{Camera, Ray};
pub use contact::{Contact, TOUCH, find_contacts, touch_distance};
pub use cut::{CutFaces, Plane};
pub use drawing::{Drawing, Line, Marker};
pub use field::{Field, FieldInput, FieldScratch};
pub use hit::{Hit, pick_brute_force};
pub use liquid::LiquidSurface;
pub use material::{Material, PALETTE};
pub use normals::vertex_normals;
pub use obstacle::{Floor, Obstacle, ObstacleShape};
pub use options::{ColourRange, MatCap, Options, Shading, Theme};
pub use pick::PickTree;
pub use ramp::{Legend, Ramp};
pub use shown::{Shown, body_contacts, ground, joint_anchors};
pub(crate) use topology::FACES as TET_FACES;
pub use topology::{Part, Topology};
