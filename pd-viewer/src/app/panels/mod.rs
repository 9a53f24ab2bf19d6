//! The pages of the side panels, one file each.

mod browser;
mod constraints;
mod display;
mod groups;
mod measure;
mod objects;
mod obstacle;
mod physics;
mod record;
mod shape;
mod solver;

use crate::draw::Ramp;

/// State of the panels between two passes.
#[derive(Default)]
pub(super) struct State {
    /// Path typed for opening or saving a scene.
    pub(super) scene_path: String,
    /// Path typed for a mesh.
    pub(super) mesh_path: String,
    /// Name being typed for the selected object.
    pub(super) name: Option<String>,
    /// Name for a new group of vertices.
    pub(super) group: String,
    /// Path of a list of vertices.
    pub(super) group_path: String,
    /// Colours of maps.
    pub(super) ramp: Ramp,
    /// Pictures of the built-in scenes.
    pub(super) thumbnails: std::collections::BTreeMap<&'static str, egui::TextureHandle>,
}
