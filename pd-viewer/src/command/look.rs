//! `--shading`, `--colour`, `--cut` and the other options for the appearance of a picture.

use pd_core::Vec3;
use pd_viewer::draw::{Field, MatCap, Options, Plane, Ramp, Shading, Theme};

/// Appearance of a picture.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Look {
    /// Light model: phong, flat, normals, or a MatCap: clay, steel, jade, porcelain.
    #[arg(long, default_value = "phong", value_parser = parse_shading)]
    pub(crate) shading: ShadingWord,
    /// Colour bodies by speed, strain, residual or bending, and show a legend.
    #[arg(long, visible_alias = "color", value_name = "FIELD", value_parser = parse_field)]
    pub(crate) colour: Option<Field>,
    /// Values at the ends of the colour ramp; default: from the frames.
    #[arg(long, value_name = "LOW,HIGH", value_parser = parse_range, requires = "colour", allow_hyphen_values = true)]
    pub(crate) range: Option<(f32, f32)>,
    /// Colours: sequential, heat or diverging.
    #[arg(long, default_value = "sequential", value_parser = parse_ramp)]
    pub(crate) ramp: Ramp,
    /// Leave the legend out.
    #[arg(long)]
    pub(crate) no_legend: bool,
    /// Background: light or dark.
    #[arg(long, default_value = "light", value_parser = parse_theme)]
    pub(crate) theme: Theme,
    /// Draw the edges of the triangles over the surfaces.
    #[arg(long, visible_alias = "wireframe")]
    pub(crate) wire: bool,
    /// Draw all edges of the meshes, including interior ones, through the surfaces.
    #[arg(long)]
    pub(crate) edges: bool,
    /// Draw a dot on every vertex.
    #[arg(long)]
    pub(crate) points: bool,
    /// Draw every tetrahedron separately, shrunk to this fraction.
    #[arg(long, value_name = "FRACTION", value_parser = parse_fraction)]
    pub(crate) tets: Option<f32>,
    /// Hide what lies beyond a plane across an axis: x=0.1 hides larger x, -x=0.1 smaller.
    #[arg(long, value_name = "AXIS=VALUE", value_parser = parse_cut, allow_hyphen_values = true)]
    pub(crate) cut: Option<Plane>,
    /// Draw lines from this vertex to its neighbours.
    #[arg(long, value_name = "VERTEX")]
    pub(crate) adjacency: Option<u32>,
    /// Draw contacts: a dot and the normal where a vertex touches an obstacle.
    #[arg(long)]
    pub(crate) contacts: bool,
    /// No shadows.
    #[arg(long)]
    pub(crate) no_shadows: bool,
    /// Softness of shadows: radius of the light as an angle, degrees.
    #[arg(long, value_name = "DEGREES", default_value_t = 1.5)]
    pub(crate) softness: f32,
    /// No floor.
    #[arg(long)]
    pub(crate) no_floor: bool,
    /// No obstacles.
    #[arg(long)]
    pub(crate) no_obstacles: bool,
}

/// A light model and whether triangles are flat.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShadingWord(Shading, bool);

impl Look {
    /// As the renderer takes it; the light stands at the left of the camera.
    pub(crate) fn options(&self, azimuth: f64) -> Options {
        Options {
            shading: self.shading.0,
            flat: self.shading.1,
            shadows: !self.no_shadows,
            softness: self.softness,
            light_azimuth: azimuth as f32 - 50.0,
            wireframe: self.wire,
            edges: self.edges,
            points: self.points,
            tets: self.tets,
            cut: self.cut,
            adjacency: self.adjacency,
            contacts: self.contacts,
            floor: !self.no_floor,
            obstacles: !self.no_obstacles,
            theme: self.theme,
            ..Options::default()
        }
    }
}

/// The item of that name, or a message with all names.
fn named<T: Copy>(text: &str, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|item| name(*item) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|item| name(*item)).collect();
        format!("known are {}", names.join(", "))
    })
}

fn parse_shading(text: &str) -> Result<ShadingWord, String> {
    match text {
        "phong" | "smooth" => Ok(ShadingWord(Shading::Phong, false)),
        "flat" => Ok(ShadingWord(Shading::Phong, true)),
        "normals" => Ok(ShadingWord(Shading::Normals, false)),
        "matcap" => Ok(ShadingWord(Shading::MatCap(MatCap::Clay), false)),
        _ => named(text, &MatCap::ALL, MatCap::name)
            .map(|ball| ShadingWord(Shading::MatCap(ball), false))
            .map_err(|balls| format!("{balls}, phong, flat, matcap, normals")),
    }
}

fn parse_field(text: &str) -> Result<Field, String> {
    named(text, &Field::ALL, Field::name)
}

fn parse_ramp(text: &str) -> Result<Ramp, String> {
    named(text, &Ramp::ALL, Ramp::name)
}

fn parse_theme(text: &str) -> Result<Theme, String> {
    match text {
        "light" => Ok(Theme::Light),
        "dark" => Ok(Theme::Dark),
        _ => Err("known are light, dark".into()),
    }
}

fn parse_range(text: &str) -> Result<(f32, f32), String> {
    let parse = |s: &str| s.trim().parse::<f32>().ok().filter(|v| v.is_finite());
    text.split_once(',')
        .and_then(|(low, high)| Some((parse(low)?, parse(high)?)))
        .filter(|(low, high)| low < high)
        .ok_or_else(|| "expected two numbers, the smaller first, such as 0,0.2".into())
}

fn parse_fraction(text: &str) -> Result<f32, String> {
    let fraction = text.parse::<f32>().ok().filter(|f| (0.1..=1.0).contains(f));
    fraction.ok_or_else(|| "expected a number from 0.1 to 1".into())
}

fn parse_cut(text: &str) -> Result<Plane, String> {
    let wrong = || "expected an axis and a value in m, such as x=0.1 or -y=0".to_owned();
    let (axis, value) = text.split_once('=').ok_or_else(wrong)?;
    let (sign, axis) = axis.strip_prefix('-').map_or((1.0, axis), |axis| (-1.0, axis));
    let axis = ["x", "y", "z"].iter().position(|name| *name == axis).ok_or_else(wrong)?;
    let value = value.parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(wrong)?;
    let mut point = Vec3::zeros();
    point[axis] = value;
    let mut normal = Vec3::zeros();
    normal[axis] = sign;
    Ok(Plane { point, normal })
}
