//! The pictures of the gallery: scene, frames, camera.

use pd_core::Vec3;
use pd_viewer::draw::{Field, MatCap, Options, Plane, Shading, Theme};

/// One picture of the gallery: one or more frames of a scene.
pub(crate) struct Figure {
    /// Name of the file, without ending.
    pub(crate) file: &'static str,
    /// Heading of the part of the page that it begins, or nothing.
    pub(crate) part: &'static str,
    /// Figure of the thesis, or nothing.
    pub(crate) number: &'static str,
    /// What is seen.
    pub(crate) caption: &'static str,
    /// The scene, and its replacement if the model file is missing.
    pub(crate) scene: &'static str,
    pub(crate) twin: Option<&'static str>,
    pub(crate) frames: &'static [u64],
    /// Tiles beside each other.
    pub(crate) columns: u32,
    /// Azimuth and elevation in degrees, zoom.
    pub(crate) camera: [f64; 3],
    /// What the camera looks at, if not the middle.
    pub(crate) target: Option<[f64; 3]>,
    pub(crate) look: Style,
}

/// The few ways in which figures differ.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Style {
    Plain,
    /// One normal per triangle, for bodies with edges.
    Flat,
    Dark,
    Wire,
    FlatWire,
    MatCap(MatCap),
    Colour(Field),
    Cut(usize, f64),
    Tets(f32),
    Contacts,
}

impl Style {
    pub(crate) fn options(self, azimuth: f64) -> Options {
        let mut options = Options { light_azimuth: azimuth as f32 - 50.0, ..Options::default() };
        match self {
            Self::Plain | Self::Colour(_) => {}
            Self::Flat => options.flat = true,
            Self::Dark => options.theme = Theme::Dark,
            Self::Wire => options.wireframe = true,
            Self::FlatWire => (options.wireframe, options.flat) = (true, true),
            Self::MatCap(ball) => options.shading = Shading::MatCap(ball),
            Self::Cut(axis, value) => options.cut = Some(Plane::across(axis, value)),
            Self::Tets(shrink) => (options.tets, options.obstacles) = (Some(shrink), false),
            Self::Contacts => options.contacts = true,
        }
        options
    }

    pub(crate) fn field(self) -> Option<Field> {
        if let Self::Colour(field) = self { Some(field) } else { None }
    }

    /// The same as words of `pd-viewer render`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Plain => String::new(),
            Self::Flat => " --shading flat".into(),
            Self::FlatWire => " --shading flat --wire".into(),
            Self::Dark => " --theme dark".into(),
            Self::Wire => " --wire".into(),
            Self::MatCap(ball) => format!(" --shading {}", ball.name()),
            Self::Colour(field) => format!(" --colour {}", field.name()),
            Self::Cut(axis, value) => format!(" --cut {}={value}", ["x", "y", "z"][axis]),
            Self::Tets(shrink) => format!(" --tets {shrink} --no-obstacles"),
            Self::Contacts => " --contacts".into(),
        }
    }
}

impl Figure {
    pub(crate) fn target(&self) -> Option<Vec3> {
        self.target.map(Vec3::from)
    }
}

/// Defaults of a figure.
const PLAIN: Figure = Figure {
    file: "",
    part: "",
    number: "",
    caption: "",
    scene: "",
    twin: None,
    frames: &[],
    columns: 2,
    camera: [35.0, 20.0, 1.0],
    target: None,
    look: Style::Plain,
};

/// All figures, in the order of the page.
pub(crate) const FIGURES: &[Figure] = &[
    Figure {
        file: "twist",
        part: "Contact",
        caption: "A strip of cloth is wrung by four full turns; it folds over itself and never through itself.",
        scene: "twist",
        frames: &[0, 60, 120, 200],
        ..PLAIN
    },
    Figure {
        file: "pile",
        caption: "Eight cloths in a pile over a ball.",
        scene: "pile",
        frames: &[10, 30, 60, 150],
        ..PLAIN
    },
    Figure {
        file: "funnel",
        caption: "Soft balls squeeze through a funnel.",
        scene: "funnel",
        frames: &[0, 40, 90, 180],
        ..PLAIN
    },
    Figure {
        file: "wrecking-ball",
        part: "Rigid bodies",
        caption: "A ball on a chain goes through a wall.",
        scene: "wrecking-ball",
        frames: &[0, 65, 80, 140],
        ..PLAIN
    },
    Figure {
        file: "ragdoll",
        caption: "A ragdoll falls down the stairs.",
        scene: "ragdoll",
        frames: &[0, 40, 70, 120],
        ..PLAIN
    },
    Figure {
        file: "sand",
        part: "Particles",
        caption: "A tower of 16,000 grains, hit by a ball after a second.",
        scene: "sand",
        frames: &[75, 115, 130, 170],
        ..PLAIN
    },
    Figure {
        file: "floating-boxes",
        part: "Water, and everything together",
        caption: "Boxes of 250, 500 and 750 kg/m³ in a basin.",
        scene: "floating-boxes",
        frames: &[0, 60],
        ..PLAIN
    },
    Figure {
        file: "water-on-cloth",
        caption: "Water falls onto a tilted cloth and runs off.",
        scene: "water-on-cloth",
        frames: &[15, 35, 42, 55],
        ..PLAIN
    },
    Figure {
        file: "world",
        caption: "Rigid bodies, a soft body, sand and water fall into one cloth.",
        scene: "world",
        frames: &[0, 30, 50, 80],
        ..PLAIN
    },
    Figure {
        file: "7-01-cloth-pair",
        part: "The thesis",
        number: "7.1",
        caption: "Two cloths of the same weight; the left one resists bending. Once both hang, a ball moves through it.",
        scene: "cloth-pair",
        frames: &[110, 190, 230, 290],
        camera: [25.0, 12.0, 1.0],
        ..PLAIN
    },
    Figure {
        file: "7-02-wind",
        number: "7.2",
        caption: "The same cloths as they swing down, in wind, and in a sudden gust five times as strong.",
        scene: "cloth-pair-wind",
        frames: &[32, 120, 200, 280],
        camera: [50.0, 12.0, 1.0],
        ..PLAIN
    },
    Figure {
        file: "7-03-tubes",
        number: "7.3",
        caption: "A ball passes down through each of two tubes. The left one resists bending; the published weight is too small to have a visible effect.",
        scene: "tubes",
        frames: &[30, 90, 140, 200],
        camera: [15.0, 10.0, 1.0],
        columns: 4,
        ..PLAIN
    },
    Figure {
        file: "7-04-hemispheres",
        number: "7.4",
        caption: "Five shells with decreasing bending stiffness: at rest, under gravity, pushed from below, and afterwards.",
        scene: "hemispheres",
        frames: &[0, 55, 90, 180],
        camera: [6.0, 8.0, 1.0],
        columns: 1,
        ..PLAIN
    },
    Figure {
        file: "7-05-bar-mesh",
        number: "7.5",
        caption: "The tetrahedra of the bar.",
        scene: "bar",
        frames: &[0],
        camera: [55.0, 20.0, 1.0],
        look: Style::Tets(0.8),
        ..PLAIN
    },
    Figure {
        file: "7-06-bar",
        number: "7.6",
        caption: "The bar swings under its weight until a rising torus pushes it.",
        scene: "bar",
        frames: &[30, 60, 90, 120],
        camera: [60.0, 15.0, 1.0],
        look: Style::Flat,
        columns: 4,
        ..PLAIN
    },
    Figure {
        file: "7-07-bridge-mesh",
        number: "7.7",
        caption: "The mesh of the bridge, pinned at both ends.",
        scene: "bridge",
        frames: &[0],
        camera: [60.0, 20.0, 1.0],
        look: Style::FlatWire,
        ..PLAIN
    },
    Figure {
        file: "7-08-bridge",
        number: "7.8",
        caption: "The bridge hangs, then is pushed up, sideways and down.",
        scene: "bridge",
        frames: &[35, 50, 80, 160],
        camera: [60.0, 15.0, 1.0],
        look: Style::Flat,
        ..PLAIN
    },
    Figure {
        file: "7-09-bunny",
        number: "7.9",
        caption: "The Bunny hangs by its ears over a floor that rises and throws it up.",
        scene: "bunny",
        twin: Some("bunny-twin"),
        frames: &[60, 112, 130, 180],
        columns: 4,
        ..PLAIN
    },
    Figure {
        file: "7-10-dragon-mesh",
        number: "7.10",
        caption: "A body of the Dragon's size: 41 000 vertices, 168 000 tetrahedra, cut open.",
        scene: "dragon",
        twin: Some("dragon-twin"),
        frames: &[0],
        look: Style::Cut(0, 0.0),
        ..PLAIN
    },
    Figure {
        file: "7-11-dragon",
        number: "7.11",
        caption: "The same body falls on the floor.",
        scene: "dragon",
        twin: Some("dragon-twin"),
        frames: &[10, 24, 34, 60],
        ..PLAIN
    },
    Figure {
        file: "7-12-armadillo",
        number: "7.12",
        caption: "The Armadillo hangs by its back, is released, falls and bounces a little.",
        scene: "armadillo",
        twin: Some("armadillo-twin"),
        frames: &[30, 118, 140, 170],
        camera: [215.0, 18.0, 1.0],
        ..PLAIN
    },
    Figure {
        file: "7-13-cloth-140-wire",
        number: "7.13",
        caption: "A cloth of 140×140 quads, held by two corners, as a wireframe.",
        scene: "cloth-140",
        frames: &[36],
        look: Style::Wire,
        ..PLAIN
    },
    Figure {
        file: "7-14-cloth-140",
        number: "7.14",
        caption: "The same cloth, shaded.",
        scene: "cloth-140",
        frames: &[36],
        ..PLAIN
    },
    Figure {
        file: "7-16-armadillo-free",
        number: "7.16",
        caption: "The Armadillo dropped on the floor: nose and fingers bend on contact.",
        scene: "armadillo-free",
        twin: Some("armadillo-free-twin"),
        frames: &[15, 24, 32, 60],
        camera: [215.0, 18.0, 1.0],
        ..PLAIN
    },
    Figure {
        file: "5-01-ball",
        number: "5.1",
        caption: "An elastic ball squeezes through a torus that is too small for it.",
        scene: "ball",
        frames: &[10, 24, 40, 70],
        ..PLAIN
    },
    Figure {
        file: "6-01-sandbox",
        number: "6.1",
        caption: "The sandbox: six bodies over one floor.",
        scene: "sandbox",
        frames: &[45],
        ..PLAIN
    },
    Figure {
        file: "cloth",
        part: "Ways to draw",
        caption: "The introductory scene: a cloth falls over a ball.",
        scene: "cloth",
        frames: &[32],
        ..PLAIN
    },
    Figure {
        file: "strain",
        caption: "Coloured by strain, with a legend.",
        scene: "bar",
        frames: &[120],
        camera: [60.0, 15.0, 1.0],
        look: Style::Colour(Field::Strain),
        ..PLAIN
    },
    Figure {
        file: "cut",
        caption: "A cut through a solid shows its tetrahedra.",
        scene: "ball",
        frames: &[24],
        look: Style::Cut(0, 0.0),
        ..PLAIN
    },
    Figure {
        file: "contacts",
        caption: "Contacts: where the cloth touches the ball.",
        scene: "cloth",
        frames: &[60],
        look: Style::Contacts,
        ..PLAIN
    },
    Figure {
        file: "matcap",
        caption: "MatCap shading.",
        scene: "hemispheres",
        frames: &[90],
        camera: [10.0, 15.0, 1.0],
        look: Style::MatCap(MatCap::Jade),
        ..PLAIN
    },
    Figure {
        file: "dark",
        caption: "The dark theme.",
        scene: "sandbox",
        frames: &[60],
        look: Style::Dark,
        ..PLAIN
    },
];
