//! `pd-viewer render`: frames as an image, an animation or meshes.

use super::look::Look;
use super::{Failure, eprint_line, print_line};
use pd_core::Vec3;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use pd_viewer::film::Film;
use pd_viewer::record::{Format, MeshFormat, MeshRecorder, Recorder};
use pd_viewer::render::{Driver, Offscreen};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  pd-viewer render cloth --frame 60 --size 1280x720 --out cloth.png\n  pd-viewer render bar --frame 150 --every 2 --fps 30 --out bar.gif --colour strain\n  pd-viewer render ball --frame 80 --cut x=0 --theme dark --out inside.png"
)]
pub(crate) struct Arguments {
    /// Name of a built-in scene or path of a .toml file.
    scene: String,
    /// The frame to render; the last one of an animation.
    #[arg(long, value_name = "N", default_value_t = 60)]
    frame: u64,
    /// First frame of an animation.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// Use every K-th frame in an animation.
    #[arg(long, value_name = "K", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Frames per second of an animation; default: real time, if possible.
    #[arg(long, value_name = "RATE")]
    fps: Option<u32>,
    /// Size in pixels.
    #[arg(long, value_name = "WxH", default_value = "960x540", value_parser = parse_size)]
    size: [u32; 2],
    /// Output: .png, .gif, .apng, .glb, or a directory for a sequence of images.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Camera: azimuth around the vertical axis and elevation above the horizon in degrees, and zoom factor.
    #[arg(long, value_name = "AZIMUTH,ELEVATION[,ZOOM]", default_value = "35,20", value_parser = parse_camera, allow_hyphen_values = true)]
    camera: [f64; 3],
    /// Point to look at, m; default: the centre of the scene.
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true)]
    target: Option<Vec3>,
    #[command(flatten)]
    look: Look,
    /// Global solver instead of the scene's.
    #[arg(long, value_name = "NAME")]
    global: Option<String>,
    /// Stepper instead of the scene's.
    #[arg(long, value_name = "NAME")]
    stepper: Option<String>,
    /// Samples a pixel: 1 or 4.
    #[arg(long, default_value_t = 4, value_parser = parse_samples)]
    samples: u32,
    /// Graphics driver: any, or software for pictures that do not depend on the machine.
    #[arg(long, default_value = "any", value_parser = parse_driver)]
    driver: Driver,
    #[command(flatten)]
    models: crate::ModelArguments,
}

/// The format given by the extension of a path.
enum Output {
    Pictures(Format),
    Meshes(MeshFormat),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = output(&arguments.out)?;
    let moving = !matches!(output, Output::Pictures(Format::Png));
    if moving && arguments.from > arguments.frame {
        let (from, to) = (arguments.from, arguments.frame);
        return Err(Failure::Input(format!("--from {from} is after --frame {to}")));
    }
    let models = ModelPaths::from_env(arguments.models.models.clone());
    let scene = Scene::load(&arguments.scene, &models)?;
    let rate = frames_a_second(arguments, &scene, &output)?;
    let run = start(scene, arguments.stepper.as_deref(), arguments.global.as_deref())?;
    let wanted: Vec<u64> = if moving {
        (arguments.from..=arguments.frame).step_by(arguments.every as usize).collect()
    } else {
        vec![arguments.frame]
    };
    match output {
        Output::Meshes(format) => meshes(arguments, run, &wanted, format, rate),
        Output::Pictures(format) => pictures(arguments, run, &wanted, format, rate),
    }
}

fn pictures(
    arguments: &Arguments,
    run: SceneRun,
    wanted: &[u64],
    format: Format,
    rate: u32,
) -> Result<(), Failure> {
    // Places and devices that do not exist are found before anything is simulated.
    let mut recorder = Recorder::new(&arguments.out, format, rate)?;
    if format == Format::Png {
        check_writable(&arguments.out)?;
    }
    let mut offscreen = Offscreen::new(arguments.driver, arguments.samples)?;
    let mut film = Film::shoot(run, wanted, arguments.look.colour, |_| {})?;
    if let Some((low, high)) = arguments.look.range {
        film.set_range(low, high);
    }
    let [azimuth, elevation, zoom] = arguments.camera;
    let aspect = f64::from(arguments.size[0]) / f64::from(arguments.size[1]);
    let mut camera = film.camera(azimuth, elevation, aspect, !arguments.look.no_obstacles);
    camera.dolly(1.0 / zoom);
    if let Some(target) = arguments.target {
        camera.target = target;
    }
    let mut options = arguments.look.options(azimuth);
    let colours = film.colours(arguments.look.ramp);
    options.colour = colours.as_ref().map(|(range, _)| *range);
    let legend = colours.map(|(_, legend)| legend).filter(|_| !arguments.look.no_legend);
    if let Some(vertex) = options.adjacency
        && vertex as usize >= film.drawing.topology.vertices
    {
        let count = film.drawing.topology.vertices;
        return Err(Failure::Input(format!("--adjacency {vertex}: the scene has {count} vertices")));
    }
    for index in 0..film.frames.len() {
        recorder.add(&film.draw(
            &mut offscreen,
            index,
            &options,
            &camera,
            arguments.size,
            legend.as_ref(),
        )?)?;
    }
    let count = recorder.finish()?;
    report(arguments, &film.run, count, &offscreen.gpu().describe())
}

fn meshes(
    arguments: &Arguments,
    run: SceneRun,
    wanted: &[u64],
    format: MeshFormat,
    rate: u32,
) -> Result<(), Failure> {
    let triangles = pd_viewer::draw::Topology::of_scene(&run.scene).triangles;
    let mut recorder = MeshRecorder::new(&arguments.out, format, triangles, rate)?;
    check_writable(&arguments.out)?;
    let film = Film::shoot(run, wanted, None, |_| {})?;
    for frame in &film.frames {
        recorder.add(&frame.positions)?;
    }
    let count = recorder.finish()?;
    report(arguments, &film.run, count, "meshes")
}

fn report(arguments: &Arguments, run: &SceneRun, count: usize, how: &str) -> Result<(), Failure> {
    let frames = if count == 1 { "1 frame".to_owned() } else { format!("{count} frames") };
    print_line(format_args!(
        "{}: {frames}, the last is {}: {} [{how}]",
        run.scene.name,
        run.frame(),
        arguments.out.display()
    ))
}

/// Starts a scene with another stepper or solver than its own.
pub(crate) fn start(
    mut scene: Scene,
    stepper: Option<&str>,
    global: Option<&str>,
) -> Result<SceneRun, Failure> {
    let solver = &mut scene.desc.solver;
    if let Some(stepper) = stepper {
        stepper.clone_into(&mut solver.stepper);
    }
    if let Some(global) = global {
        global.clone_into(&mut solver.global);
    }
    Ok(SceneRun::new(scene, &Registry::standard())?)
}

fn output(path: &Path) -> Result<Output, Failure> {
    if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb")) {
        return Ok(Output::Meshes(MeshFormat::Glb));
    }
    Format::of_path(path).map(Output::Pictures).ok_or_else(|| {
        let path = path.display();
        Failure::Input(format!(
            "{path}: the ending must be .png, .gif, .apng or .glb, or none for a directory"
        ))
    })
}

/// The requested rate, or the one for real-time playback.
fn frames_a_second(arguments: &Arguments, scene: &Scene, output: &Output) -> Result<u32, Failure> {
    if let Some(fps) = arguments.fps {
        return Ok(fps);
    }
    let true_rate = 1.0 / (scene.desc.step.dt * arguments.every as f64);
    let most = if matches!(output, Output::Pictures(Format::Gif)) { 50.0 } else { 240.0 };
    let rate = true_rate.round().clamp(1.0, most);
    if (rate - true_rate).abs() > 0.05 * true_rate && !matches!(output, Output::Pictures(Format::Png)) {
        eprint_line(format_args!("played at {rate} frames a second; the scene has {true_rate:.1}"));
    }
    Ok(rate as u32)
}

/// Tests whether a file can be created, without leaving one.
pub(crate) fn check_writable(path: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::Input(format!("{}: {error}", path.display()));
    if path.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    let existed = path.exists();
    std::fs::OpenOptions::new().append(true).create(true).open(path).map_err(failed)?;
    if !existed {
        std::fs::remove_file(path).map_err(failed)?;
    }
    Ok(())
}

pub(crate) fn parse_size(text: &str) -> Result<[u32; 2], String> {
    let parse = |s: &str| s.parse::<u32>().ok().filter(|n| (16..=8192).contains(n));
    text.split_once('x')
        .and_then(|(w, h)| Some([parse(w)?, parse(h)?]))
        .ok_or_else(|| "expected WIDTHxHEIGHT, each from 16 to 8192, such as 960x540".into())
}

fn numbers(text: &str) -> Option<Vec<f64>> {
    text.split(',').map(|s| s.trim().parse::<f64>().ok().filter(|v| v.is_finite())).collect()
}

fn parse_camera(text: &str) -> Result<[f64; 3], String> {
    match numbers(text).as_deref() {
        Some(&[azimuth, elevation]) if elevation.abs() <= 89.0 => Ok([azimuth, elevation, 1.0]),
        Some(&[azimuth, elevation, zoom]) if elevation.abs() <= 89.0 && (0.01..=100.0).contains(&zoom) => {
            Ok([azimuth, elevation, zoom])
        }
        _ => Err(
            "expected two angles in degrees, the second within ±89, and perhaps a zoom: 35,20 or 35,20,1.5"
                .into(),
        ),
    }
}

fn parse_point(text: &str) -> Result<Vec3, String> {
    match numbers(text).as_deref() {
        Some(&[x, y, z]) => Ok(Vec3::new(x, y, z)),
        _ => Err("expected three coordinates in m, such as 0,0.5,0".into()),
    }
}

fn parse_samples(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|n| [1, 4].contains(n)).ok_or_else(|| "expected 1 or 4".into())
}

pub(crate) fn parse_driver(text: &str) -> Result<Driver, String> {
    match text {
        "any" => Ok(Driver::Any),
        "software" => Ok(Driver::Software),
        _ => Err("known are any, software".into()),
    }
}
