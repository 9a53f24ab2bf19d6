//! How a body or an obstacle is drawn. Simulation ignores it; it is stored in the scene for the viewer.

use super::{FluidDesc, LawDesc, ParticleKindDesc, ParticlesDesc, SceneDesc};
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
    /// Red, green and blue from 0 to 1 as a screen shows them (sRGB); chosen by the program when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// Shading; that of the scene when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shading: Option<ShadingDesc>,
    /// Whether the edges of its mesh are drawn.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wireframe: bool,
    /// Whether it is hidden. It still takes part in the simulation.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
}

impl DisplayDesc {
    /// Whether all settings are default, so that they are not written.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl SceneDesc {
    /// How the object, body, set of particles or fluid called `name` is drawn. Copies of a body (`name.3`) are drawn as
    /// the body; water and sand have their own colours where the scene names none.
    pub fn display_of(&self, name: &str) -> DisplayDesc {
        let original =
            name.rsplit_once('.').filter(|(_, copy)| copy.parse::<usize>().is_ok()).map_or(name, |(n, _)| n);
        let object = self.objects.iter().find(|object| object.name == name).map(|object| object.display);
        let body =
            || self.bodies.iter().find(|b| b.name == name || b.name == original).map(|body| body.display);
        let set = || self.particles.iter().find(|set| set.name == name).map(grain_display);
        let fluid = || self.fluids.iter().find(|fluid| fluid.name == name).map(fluid_display);
        object.or_else(body).or_else(set).or_else(fluid).unwrap_or_default()
    }
}

/// Colour of dry sand, sRGB.
const SAND: [f64; 3] = [0.80, 0.68, 0.45];

fn grain_display(set: &ParticlesDesc) -> DisplayDesc {
    let usual = (set.kind == ParticleKindDesc::Grains).then_some(SAND);
    DisplayDesc { colour: set.display.colour.or(usual), ..set.display }
}

fn fluid_display(fluid: &FluidDesc) -> DisplayDesc {
    let usual = match fluid.law {
        LawDesc::Water { .. } => Some([0.16, 0.46, 0.78]),
        LawDesc::Sand { .. } => Some(SAND),
        LawDesc::Elastic { .. } => None,
    };
    DisplayDesc { colour: fluid.display.colour.or(usual), ..fluid.display }
}

/// Shading of a body.
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

#[cfg(test)]
mod tests {
    use crate::scene::parse_desc;

    #[test]
    fn copies_and_fluids_have_a_display() {
        let text = "title = \"t\"\n[grid]\ndx = 0.1\ncells = [8, 8, 8]\n\
                    [[fluid]]\nname = \"water\"\nlaw = { kind = \"water\", sound-speed = 20.0 }\nmin = [0, 0, 0]\nmax = [0.2, 0.2, 0.2]\n\
                    [[fluid]]\nname = \"ink\"\nlaw = { kind = \"water\", sound-speed = 20.0 }\nmin = [0.4, 0, 0]\nmax = [0.6, 0.2, 0.2]\n\
                    display = { colour = [0.1, 0.1, 0.1] }\n\
                    [[body]]\nname = \"box\"\nshape = { kind = \"box\", half-extents = [0.1, 0.1, 0.1] }\ndisplay = { colour = [1, 0, 0] }\n";
        let desc = parse_desc("t.toml", text).unwrap();
        assert!(desc.display_of("water").colour.is_some_and(|[r, _, b]| b > r));
        assert_eq!(desc.display_of("ink").colour, Some([0.1; 3]));
        assert_eq!(desc.display_of("box.12").colour, Some([1.0, 0.0, 0.0]));
        assert_eq!(desc.display_of("nothing").colour, None);
    }
}
