//! What the picture tests share: the software driver and small scenes.

use pd_core::Vec3;
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use pd_viewer::draw::{Camera, Drawing, Options};
use pd_viewer::record::Image;
use pd_viewer::render::{Driver, Offscreen};

pub(crate) const SIZE: [u32; 2] = [320, 240];

/// The pinned driver. Its absence is a failure, not a reason to skip: `./check` installs it.
pub(crate) fn offscreen(samples: u32) -> Offscreen {
    let offscreen = Offscreen::new(Driver::Software, samples).expect("the software Vulkan driver");
    assert!(offscreen.gpu().describe().contains("Cpu"), "{}", offscreen.gpu().describe());
    offscreen
}

pub(crate) fn scene(name: &str) -> Scene {
    Scene::load(name, &ModelPaths::default()).unwrap()
}

pub(crate) fn run(name: &str) -> SceneRun {
    SceneRun::new(scene(name), &Registry::standard()).unwrap()
}

/// A drawing of a scene at rest, and a camera that shows its bodies.
pub(crate) fn at_rest(name: &str, azimuth: f64, elevation: f64) -> (Drawing, Camera) {
    let drawing = Drawing::of_scene(&scene(name));
    let camera = Camera::framing(&drawing.body_bounds(), azimuth, elevation, 4.0 / 3.0);
    (drawing, camera)
}

pub(crate) fn draw(drawing: &Drawing, camera: &Camera, options: &Options) -> Image {
    offscreen(4).draw(drawing, options, camera, SIZE, None).unwrap()
}

/// The pixel in which a point is seen, whether or not something is before it.
pub(crate) fn pixel_of(camera: &Camera, p: Vec3) -> [u32; 2] {
    let [x, y, _] = camera.project(p, SIZE).expect("in front of the camera");
    let inside = (0.0..f64::from(SIZE[0])).contains(&x) && (0.0..f64::from(SIZE[1])).contains(&y);
    assert!(inside, "{p} is not in the picture: {x} {y}");
    [x as u32, y as u32]
}

pub(crate) fn at(image: &Image, [x, y]: [u32; 2]) -> [i32; 3] {
    image.pixel(x, y).map(i32::from)
}

/// Sum of the channels.
pub(crate) fn light(image: &Image, pixel: [u32; 2]) -> i32 {
    at(image, pixel).iter().sum()
}

/// Share of pixels with a channel that differs by more than 12.
pub(crate) fn changed(a: &Image, b: &Image) -> f64 {
    let pixels = a.pixels.chunks_exact(3).zip(b.pixels.chunks_exact(3));
    let count = pixels.clone().filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 12)).count();
    count as f64 / pixels.len() as f64
}
