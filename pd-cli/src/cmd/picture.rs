//! `pd picture`: simulate up to a frame and draw it.

use super::run::check_writable;
use crate::failure::Failure;
use crate::picture;
use crate::print_line::print_line;
use pd_mesh::io::write_atomically;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Example:\n  pd picture cloth --frame 90 --size 1280x960 --out cloth.png")]
pub(crate) struct Arguments {
    /// Name of a built-in scene or path of a .toml file.
    scene: String,
    /// Frame to draw.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frame: u64,
    /// Size in pixels.
    #[arg(long, value_name = "WxH", default_value = "960x720", value_parser = parse_size)]
    size: (u32, u32),
    /// Camera direction: azimuth around the vertical axis and elevation above the horizon, degrees.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", default_value = "35,20", value_parser = parse_angles, allow_hyphen_values = true)]
    view: (f64, f64),
    /// PNG file to write.
    #[arg(long, value_name = "FILE.png")]
    out: PathBuf,
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let parse = |s: &str| s.parse::<u32>().ok().filter(|n| (16..=8192).contains(n));
    text.split_once('x')
        .and_then(|(w, h)| Some((parse(w)?, parse(h)?)))
        .ok_or_else(|| "expected WIDTHxHEIGHT, each from 16 to 8192, such as 960x720".into())
}

fn parse_angles(text: &str) -> Result<(f64, f64), String> {
    let parse = |s: &str| s.trim().parse::<f64>().ok().filter(|a| a.is_finite());
    text.split_once(',')
        .and_then(|(a, e)| Some((parse(a)?, parse(e)?)))
        .ok_or_else(|| "expected two angles in degrees, such as 35,20".into())
}

pub(crate) fn run(arguments: &Arguments, models: &ModelPaths) -> Result<(), Failure> {
    if !arguments.out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(Failure::file(
            &arguments.out,
            "pictures are PNG files; give it a name that ends in .png",
        ));
    }
    check_writable(&arguments.out)?;
    let scene = Scene::load(&arguments.scene, models)?;
    let mut run = SceneRun::new(scene, &Registry::standard())?;
    for _ in 0..arguments.frame {
        run.advance()?;
    }
    let image = picture::draw(&run, arguments.size, arguments.view)?;
    write_atomically(&arguments.out, |out| image.write_png(out))
        .map_err(|e| Failure::file(&arguments.out, e))?;
    print_line(format_args!("{} at frame {}: {}", run.scene.name, run.frame(), arguments.out.display()))
}
