//! The renderer: one [`SceneRenderer`] behind the window, the off-screen command and the tests.
//!
//! ```no_run
//! use pd_sim::{ModelPaths, scene::Scene};
//! use pd_viewer::draw::{Camera, Drawing, Options};
//! use pd_viewer::render::{Driver, Offscreen};
//!
//! let scene = Scene::load("cloth", &ModelPaths::default())?;
//! let drawing = Drawing::of_scene(&scene);
//! let camera = Camera::framing(&drawing.bounds(), 35.0, 20.0, 4.0 / 3.0);
//! let image = Offscreen::new(Driver::Any, 4)?.draw(&drawing, &Options::default(), &camera, [640, 480], None)?;
//! image.write_png("cloth.png".as_ref())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bodies;
mod buffer;
mod callback;
mod constants;
mod globals;
mod gpu;
mod legend;
mod marks;
mod matcap;
mod obstacles;
mod offscreen;
mod passes;
mod pipeline;
mod renderer;
mod texture;

pub use callback::SceneCallback;
pub use gpu::{Driver, Gpu, RenderError};
pub use legend::paint_legend;
pub use offscreen::Offscreen;
pub use renderer::SceneRenderer;
