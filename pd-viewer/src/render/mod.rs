//! The renderer: one [`SceneRenderer`] behind the window, the off-screen command and the tests.

mod callback;
mod renderer;

pub use callback::SceneCallback;
pub use renderer::SceneRenderer;
