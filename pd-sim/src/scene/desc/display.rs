//! How a body or an obstacle is drawn. Simulation ignores it; it travels with the scene so that a window finds it again.

use serde::{Deserialize, Serialize};

/// Display settings. They never change a result, and a checkpoint does not depend on them.
///
/// ```
/// let text = "title = \"t\"\n[[object]]\nname = \"c\"\nshape = { kind = \"grid\", rows = 2, columns = 2 }\n\
///             display = { colour = [0.9, 0.2, 0.1], shading = \"matcap\" }";
/// let desc = pd_sim::scene::parse_desc("t.toml", text)?;
/// assert_eq!(desc.objects[0].display.colour, Some([0.9, 0.2, 0.1]));
/// # Ok::<(), pd_sim::SceneError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DisplayDesc {
    /// Red, green and blue from 0 to 1 as a screen shows them (sRGB); the drawing program chooses when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// How light falls on it; as the rest of the picture when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shading: Option<ShadingDesc>,
    /// Whether the edges of its mesh are drawn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wireframe: bool,
    /// Whether it is left out of the picture. It still takes part in the simulation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
}

impl DisplayDesc {
    /// Whether nothing was chosen, so that files need not mention it.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How light falls on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShadingDesc {
    /// Diffuse light and a highlight (Blinn-Phong), with shadows.
    #[default]
    BlinnPhong,
    /// A picture of a lit sphere, looked up by the normal.
    Matcap,
    /// The normal as a colour.
    Normals,
}

pub(super) fn is_false(value: &bool) -> bool {
    !*value
}
