//! How long a frame takes: `cargo run --release -p pd-viewer --example draw_time -- [SCENE] [WIDTHxHEIGHT]`.
//!
//! Prints medians of the parts: positions and normals on the processor, sending them to the device, drawing, and reading
//! the picture back; and of picking a vertex with the tree and by brute force.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};
use pd_viewer::draw::{Camera, Drawing, Options, pick_brute_force};
use pd_viewer::render::{Driver, Gpu, Offscreen, SceneRenderer};
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "cloth-140".into());
    let size = std::env::args().nth(2).unwrap_or_else(|| "1280x720".into());
    let size: Vec<u32> = size.split('x').map(str::parse).collect::<Result<_, _>>()?;
    let size = [size[0], size[1]];
    let mut run = SceneRun::new(Scene::load(&name, &ModelPaths::from_env([]))?, &Registry::standard())?;
    for _ in 0..40 {
        run.advance()?;
    }
    let mut drawing = Drawing::of_scene(&run.scene);
    drawing.set_positions(&run.sim.state.x);
    let camera = Camera::framing(&drawing.bounds(), 35.0, 20.0, f64::from(size[0]) / f64::from(size[1]));
    let gpu = Gpu::open(Driver::Any)?;
    let triangles = drawing.topology.triangles.len();
    println!(
        "{name}: {} vertices, {triangles} triangles, {}x{} on {}",
        drawing.topology.vertices,
        size[0],
        size[1],
        gpu.describe()
    );
    let (device, queue) = (&gpu.device, &gpu.queue);
    let looks = [
        ("4 samples, soft shadows", 4, Options::default()),
        ("4 samples, no shadows", 4, Options { shadows: false, ..Options::default() }),
        ("1 sample, soft shadows", 1, Options::default()),
        ("4 samples, wireframe", 4, Options { wireframe: true, ..Options::default() }),
    ];
    for (what, samples, options) in looks {
        let mut renderer =
            SceneRenderer::new(device, queue, egui_wgpu::wgpu::TextureFormat::Rgba8UnormSrgb, samples);
        let mut times = [vec![], vec![], vec![]];
        for _ in 0..21 {
            times[0].push(milliseconds(|| drawing.set_positions(&run.sim.state.x)));
            times[1].push(milliseconds(|| renderer.upload(device, queue, &drawing, &options)));
            times[2].push(milliseconds(|| {
                let mut encoder = device.create_command_encoder(&Default::default());
                renderer.encode(device, queue, &mut encoder, size, &camera);
                queue.submit([encoder.finish()]);
                // A device that is lost shows as an absurd time.
                let _ = device.poll(egui_wgpu::wgpu::PollType::wait_indefinitely());
            }));
        }
        let [positions, upload, draw] = times.map(median);
        println!("{what}: positions and normals {positions:.2} ms, upload {upload:.2} ms, draw {draw:.1} ms");
    }
    let mut offscreen = Offscreen::new(Driver::Any, 4)?;
    let whole = median(
        (0..11)
            .map(|_| {
                milliseconds(|| drop(offscreen.draw(&drawing, &Options::default(), &camera, size, None)))
            })
            .collect(),
    );
    println!("picture in memory, read back: {whole:.1} ms");
    let ray = camera.ray([f64::from(size[0]) * 0.5, f64::from(size[1]) * 0.4], size);
    let refit = median(
        (0..21)
            .map(|_| {
                drawing.set_positions(&run.sim.state.x);
                milliseconds(|| {
                    black_box(drawing.pick(&ray));
                })
            })
            .collect(),
    );
    let again = median(
        (0..101)
            .map(|_| {
                milliseconds(|| {
                    black_box(drawing.pick(&ray));
                })
            })
            .collect(),
    );
    let brute = median(
        (0..21)
            .map(|_| {
                milliseconds(|| {
                    black_box(pick_brute_force(&ray, &drawing.topology.triangles, drawing.positions()));
                })
            })
            .collect(),
    );
    println!("pick: {refit:.3} ms with a refit, {again:.4} ms again, {brute:.3} ms by brute force");
    Ok(())
}

fn milliseconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
