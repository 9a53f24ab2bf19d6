//! Persistent settings of the window.

use crate::draw::{Options, Shading, Theme};
use pd_cuda::DeviceChoice;
use serde::{Deserialize, Serialize};

/// Key in the storage of the window.
pub(super) const KEY: &str = "pd-viewer";

/// Most files remembered.
const RECENT: usize = 8;

/// Settings of the window; none of them changes a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark instead of light.
    pub dark: bool,
    /// Whether panels are shown.
    pub panels: bool,
    /// Page of the left panel.
    pub left: LeftPage,
    /// Page of the right panel.
    pub right: RightPage,
    /// Limit to real time.
    pub real_time: bool,
    /// Threads of the solver; 0: all.
    pub threads: usize,
    /// Where steps are computed: the name of a [`DeviceChoice`].
    pub device: String,
    /// Interval in frames at which energies are measured; 0: never.
    pub measure_every: u64,
    /// Smooth edges.
    pub smooth: Smooth,
    /// How surfaces are drawn.
    pub look: Look,
    /// Shadows.
    pub shadows: bool,
    /// Triangle edges over all surfaces.
    pub wireframe: bool,
    /// Pinned vertices as dots.
    pub show_pins: bool,
    /// Where vertices touch obstacles.
    pub show_contacts: bool,
    /// Whether liquids are drawn by their surface instead of their points.
    pub liquid_surfaces: bool,
    /// Lines from the vertex under the pointer, or clicked last, to its neighbours.
    pub show_neighbours: bool,
    /// Whether two fingers on a touchpad orbit instead of zooming.
    pub scroll_turns: bool,
    /// Scene files opened or saved, the latest first.
    pub recent: Vec<String>,
    /// Where recordings go.
    pub record_directory: String,
    /// Frames after which a recording ends by itself.
    pub record_frames: u64,
    /// Size of pictures that are written, pixels; 0: as the view.
    pub record_size: [u32; 2],
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dark: true,
            panels: true,
            left: LeftPage::Scenes,
            right: RightPage::Physics,
            real_time: true,
            threads: 0,
            device: DeviceChoice::Cpu.name().into(),
            measure_every: 10,
            smooth: Smooth::Auto,
            look: Look::default(),
            shadows: true,
            wireframe: false,
            show_pins: true,
            show_contacts: false,
            liquid_surfaces: true,
            show_neighbours: false,
            scroll_turns: false,
            recent: vec![],
            record_directory: "recordings".into(),
            record_frames: 120,
            record_size: [0, 0],
        }
    }
}

impl Settings {
    /// Puts a file at the head of the recent files.
    pub fn remember(&mut self, file: &str) {
        self.recent.retain(|other| other != file);
        self.recent.insert(0, file.to_owned());
        self.recent.truncate(RECENT);
    }

    /// Options of the renderer.
    pub fn options(&self) -> Options {
        let look = self.look;
        Options {
            shading: look.shading,
            flat: look.flat,
            softness: look.softness,
            light_azimuth: look.light_azimuth,
            light_elevation: look.light_elevation,
            surfaces: look.surfaces,
            edges: look.edges,
            points: look.points,
            obstacles: look.obstacles,
            floor: look.floor,
            shadows: self.shadows,
            wireframe: self.wireframe,
            contacts: self.show_contacts,
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            ..Options::default()
        }
    }

    /// Where steps are computed; an unknown name means the CPU.
    pub fn device_choice(&self) -> DeviceChoice {
        DeviceChoice::by_name(&self.device).unwrap_or_default()
    }
}

/// Whether the edges of the picture are smooth, which takes four samples per pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Smooth {
    /// Where a graphics processor draws; without one the picture would take twice the time.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Smooth {
    /// Samples per pixel, with the picture drawn by the CPU (`software`) or not.
    pub fn samples(self, software: bool) -> u32 {
        match self {
            Self::Auto if software => 1,
            Self::Auto | Self::Always => 4,
            Self::Never => 1,
        }
    }
}

/// Persistent display settings of surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    /// Light model.
    pub shading: Shading,
    /// One normal per triangle.
    pub flat: bool,
    /// Width of the shadows' borders.
    pub softness: f32,
    /// Direction of the light, degrees.
    pub light_azimuth: f32,
    /// Height of the light, degrees.
    pub light_elevation: f32,
    /// Surfaces.
    pub surfaces: bool,
    /// All edges.
    pub edges: bool,
    /// Vertices.
    pub points: bool,
    /// Obstacles.
    pub obstacles: bool,
    /// The floor.
    pub floor: bool,
}

impl Look {
    /// That of some options.
    pub fn of(options: &Options) -> Self {
        Self {
            shading: options.shading,
            flat: options.flat,
            softness: options.softness,
            light_azimuth: options.light_azimuth,
            light_elevation: options.light_elevation,
            surfaces: options.surfaces,
            edges: options.edges,
            points: options.points,
            obstacles: options.obstacles,
            floor: options.floor,
        }
    }
}

impl Default for Look {
    fn default() -> Self {
        Self::of(&Options::default())
    }
}

/// Pages of the left panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftPage {
    /// Built-in scenes and files.
    Scenes,
    /// Bodies and obstacles.
    Objects,
}

/// Pages of the right panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RightPage {
    /// Gravity, wind, damping.
    Physics,
    /// Stepper, solver, threads.
    Solver,
    /// Light, colours, wires.
    Display,
    /// Times, counts, plots.
    Measure,
    /// Pictures and meshes.
    Record,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_file_comes_first_and_old_ones_are_forgotten() {
        let mut settings = Settings::default();
        (0..20).for_each(|k| settings.remember(&format!("{k}.toml")));
        settings.remember("15.toml");
        assert_eq!(settings.recent.len(), RECENT);
        assert_eq!(&settings.recent[..2], ["15.toml", "19.toml"]);
    }

    #[test]
    fn settings_of_another_version_are_read_as_far_as_known() {
        let text = "{\"dark\": false, \"measure_every\": 3}";
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings, Settings { dark: false, measure_every: 3, ..Settings::default() });
    }
}
