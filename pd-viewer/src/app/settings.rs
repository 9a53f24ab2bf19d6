//! What the window remembers from one day to the next.

use crate::draw::{Options, Shading, Theme};
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
    /// Run no faster than time passes.
    pub real_time: bool,
    /// Threads of the solver; 0: all.
    pub threads: usize,
    /// Measure energies in every so many frames; 0: never.
    pub measure_every: u64,
    /// Shadows.
    pub shadows: bool,
    /// Triangle edges over all surfaces.
    pub wireframe: bool,
    /// Pinned vertices as dots.
    pub show_pins: bool,
    /// Whether two fingers on a touchpad turn the view instead of zooming.
    pub scroll_turns: bool,
    /// Scene files opened or saved, the latest first.
    pub recent: Vec<String>,
    /// Where recordings go.
    pub record_directory: String,
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
            measure_every: 10,
            shadows: true,
            wireframe: false,
            show_pins: true,
            scroll_turns: false,
            recent: vec![],
            record_directory: "recordings".into(),
        }
    }
}

impl Settings {
    /// Puts a file at the head of those remembered.
    pub fn remember(&mut self, file: &str) {
        self.recent.retain(|other| other != file);
        self.recent.insert(0, file.to_owned());
        self.recent.truncate(RECENT);
    }

    /// Options of the renderer.
    pub fn options(&self) -> Options {
        Options {
            shading: Shading::Phong,
            shadows: self.shadows,
            wireframe: self.wireframe,
            theme: if self.dark { Theme::Dark } else { Theme::Light },
            ..Options::default()
        }
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
