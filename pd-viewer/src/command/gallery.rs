//! `pd-viewer gallery`: scenes of every kind and the figures of the thesis as pictures, and the page that shows them.

use super::figures::{FIGURES, Figure};
use super::render::{parse_driver, parse_size, start};
use super::{Failure, print_line};
use pd_mesh::io::write_atomically;
use pd_sim::scene::Scene;
use pd_sim::{ModelPaths, SceneError};
use pd_viewer::draw::Ramp;
use pd_viewer::film::Film;
use pd_viewer::record::{Image, RecordError};
use pd_viewer::render::{Driver, Offscreen};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  pd-viewer gallery --out docs/images/gallery --page docs/gallery.md --models models\n\nA scene whose model is missing is drawn with its twin."
)]
pub(crate) struct Arguments {
    /// Directory for the pictures.
    #[arg(long, value_name = "DIR", default_value = "docs/images/gallery")]
    out: PathBuf,
    /// Page to write: docs/gallery.md, or none if only some pictures are drawn.
    #[arg(long, value_name = "FILE.md")]
    page: Option<PathBuf>,
    /// Draw only these pictures, by the name of the file.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Size of a picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "960x540", value_parser = parse_size)]
    size: [u32; 2],
    /// Graphics driver: any, or software for pictures that do not depend on the machine.
    #[arg(long, default_value = "any", value_parser = parse_driver)]
    driver: Driver,
    #[command(flatten)]
    models: crate::ModelArguments,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(name) = arguments.only.iter().find(|name| FIGURES.iter().all(|f| f.file != **name)) {
        let known: Vec<_> = FIGURES.iter().map(|f| f.file).collect();
        return Err(Failure::Input(format!("there is no picture {name:?}; known are {}", known.join(", "))));
    }
    let failed = |error| Failure::from(RecordError::File { path: arguments.out.clone(), source: error });
    std::fs::create_dir_all(&arguments.out).map_err(failed)?;
    let models = ModelPaths::from_env(arguments.models.models.clone());
    let mut offscreen = Offscreen::new(arguments.driver, 4)?;
    let mut scenes = vec![];
    for figure in FIGURES {
        let scene = load(figure, &models)?;
        scenes.push(scene.name.clone());
        if !arguments.only.is_empty() && !arguments.only.iter().any(|name| name == figure.file) {
            continue;
        }
        let path = arguments.out.join(format!("{}.png", figure.file));
        let image = draw(figure, scene, &mut offscreen, arguments.size)?;
        image
            .write_small_png(&path, MAX_BYTES)
            .map_err(|source| RecordError::File { path: path.clone(), source })?;
        let bytes = std::fs::metadata(&path).map_or(0, |data| data.len());
        print_line(format_args!("{}: {} kB", path.display(), bytes.div_ceil(1000)))?;
    }
    let usual = arguments.only.is_empty().then(|| PathBuf::from("docs/gallery.md"));
    if let Some(path) = &arguments.page.clone().or(usual) {
        let text = page(&arguments.out, path, &scenes);
        write_atomically(path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| RecordError::File { path: path.clone(), source })?;
        print_line(path.display())?;
    }
    Ok(())
}

/// The scene, or its twin where the model is missing.
fn load(figure: &Figure, models: &ModelPaths) -> Result<Scene, Failure> {
    match (Scene::load(figure.scene, models), figure.twin) {
        (Err(SceneError::ModelNotPresent { .. }), Some(twin)) => Ok(Scene::load(twin, models)?),
        (outcome, _) => Ok(outcome?),
    }
}

/// One frame fills the picture; more are tiles of it.
fn draw(figure: &Figure, scene: Scene, offscreen: &mut Offscreen, size: [u32; 2]) -> Result<Image, Failure> {
    let mut film = Film::shoot(start(scene, None, None)?, figure.frames, figure.look.field(), |_| {})?;
    let count = figure.frames.len() as u32;
    let columns = figure.columns.min(count);
    let rows = count.div_ceil(columns);
    let tile = [(size[0] + GAP) / columns - GAP, (size[1] + GAP) / rows - GAP];
    let [azimuth, elevation, zoom] = figure.camera;
    let aspect = f64::from(tile[0]) / f64::from(tile[1]);
    let mut camera = film.camera(azimuth, elevation, aspect, figure.look.options(azimuth).obstacles);
    camera.dolly(1.0 / zoom);
    camera.target = figure.target().unwrap_or(camera.target);
    let mut options = figure.look.options(azimuth);
    let colours = film.colours(Ramp::default());
    options.colour = colours.as_ref().map(|(range, _)| *range);
    let legend = colours.map(|(_, legend)| legend);
    let mut images = vec![];
    for index in 0..film.frames.len() {
        images.push(film.draw(offscreen, index, &options, &camera, tile, legend.as_ref())?);
    }
    Ok(montage(images, size, columns))
}

/// Larger files are written with 256 colours.
const MAX_BYTES: usize = 150_000;

/// Pixels between tiles.
const GAP: u32 = 4;

fn montage(mut images: Vec<Image>, [width, height]: [u32; 2], columns: u32) -> Image {
    if images.len() == 1 {
        return images.swap_remove(0);
    }
    let mut whole = Image { width, height, pixels: vec![255; (width * height * 3) as usize] };
    for (k, image) in images.iter().enumerate() {
        let (column, row) = (k as u32 % columns, k as u32 / columns);
        whole.paste(image, column * (image.width + GAP), row * (image.height + GAP));
    }
    whole
}

/// The page in Markdown.
fn page(pictures: &Path, page: &Path, scenes: &[String]) -> String {
    let mut text = String::from(
        "# Gallery\n\nScenes of every kind, and every scene of the thesis' table 7.1 at the frames of its figures, rendered by one \
         command:\n\n```sh\n\
         cargo run --release -p pd-viewer -- gallery\n```\n\nIf a scanned model is missing, its generated twin is drawn; \
         [replicate.md](replicate.md#models) says where to put models. Below each picture is the command that draws its \
         last frame.\n\n[A cloth over a ball, played in the browser](pages/cloth.html): drag to orbit, space to pause. \
         `pd run cloth --frames 180 --every 2 --format html` wrote it.\n",
    );
    for (figure, scene) in FIGURES.iter().zip(scenes) {
        let heading =
            if figure.number.is_empty() { String::new() } else { format!("Figure {}: ", figure.number) };
        let place = relative(pictures, page).join(format!("{}.png", figure.file));
        let place = place.to_string_lossy().replace('\\', "/");
        let [azimuth, elevation, zoom] = figure.camera;
        let zoom = if zoom == 1.0 { String::new() } else { format!(",{zoom}") };
        let target = figure.target.map_or(String::new(), |[x, y, z]| format!(" --target {x},{y},{z}"));
        let frame = figure.frames.last().copied().unwrap_or(0);
        let frames = figure.frames.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let shown = if figure.frames.len() > 1 { format!(" Frames {frames}.") } else { String::new() };
        let part = if figure.part.is_empty() { String::new() } else { format!("\n## {}\n", figure.part) };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{part}\n### {heading}`{scene}`\n\n{}{shown}\n\n![{}]({place})\n\n\
             `pd-viewer render {scene} --frame {frame} --camera {azimuth},{elevation}{zoom}{target}{} --out {}.png`\n",
            figure.caption,
            figure.caption,
            figure.look.words(),
            figure.file,
        );
    }
    text
}

/// `directory` as seen from the directory of `page`, where it lies below it.
fn relative(directory: &Path, page: &Path) -> PathBuf {
    let base = page.parent().unwrap_or(Path::new(""));
    directory.strip_prefix(base).unwrap_or(directory).to_owned()
}
