//! Recordings read back with the right number of frames, sizes and times.

use pd_core::Vec3;
use pd_viewer::record::{Format, Image, MeshFormat, MeshRecorder, RecordError, Recorder};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A square that moves to the right over a gradient.
fn frame(k: u32) -> Image {
    let (width, height) = (48, 32);
    let pixel = |x: u32, y: u32| {
        if (4 * k..4 * k + 8).contains(&x) && (8..16).contains(&y) {
            [250, 20, 20]
        } else {
            [(x * 5) as u8, (y * 7) as u8, 90]
        }
    };
    let pixels = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect();
    Image { width, height, pixels }
}

fn record(path: &Path, format: Format, fps: u32, frames: u32) {
    let mut recorder = Recorder::new(path, format, fps).unwrap();
    for k in 0..frames {
        recorder.add(&frame(k)).unwrap();
    }
    assert_eq!(recorder.finish().unwrap(), frames as usize);
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(directory)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_gif_has_its_frames_sizes_and_times() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.gif");
    record(&path, Format::Gif, 30, 7);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(&path).unwrap()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (48, 32));
    let (mut count, mut time) = (0, 0);
    while let Some(read) = decoder.read_next_frame().unwrap() {
        assert_eq!((read.width, read.height), (48, 32));
        time += read.delay;
        let expected = frame(count);
        // 256 colours are not all there were, but near, and the square is red and in its place.
        let pairs = read.buffer.chunks_exact(4).zip(expected.pixels.chunks_exact(3));
        let error: u32 = pairs.flat_map(|(a, b)| (0..3).map(|c| u32::from(a[c].abs_diff(b[c])))).sum();
        assert!(error < 16 * 3 * 48 * 32, "frame {count}: {error}");
        let square = &read.buffer[((12 * 48 + 4 * count + 4) * 4) as usize..][..3];
        assert!(square[0] > 200 && square[1] < 80, "frame {count}: {square:?}");
        count += 1;
    }
    assert_eq!((count, time), (7, 23), "7 frames at 30 a second last 23 hundredths");
    assert_eq!(names(directory.path()), ["run.gif"], "nothing is left beside it");
}

#[test]
fn an_apng_has_its_frames_exactly() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.apng");
    record(&path, Format::Apng, 24, 5);
    let mut reader = png::Decoder::new(BufReader::new(File::open(&path).unwrap())).read_info().unwrap();
    let control = reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (5, 0));
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    for k in 0..5 {
        reader.next_frame(&mut pixels).unwrap();
        let control = reader.info().frame_control().unwrap();
        assert_eq!((control.width, control.height, control.delay_num, control.delay_den), (48, 32, 1, 24));
        assert_eq!(pixels, frame(k).pixels, "frame {k}");
    }
    assert!(reader.next_frame(&mut pixels).is_err(), "there are no more");
}

#[test]
fn pictures_and_sequences_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let single = directory.path().join("one.png");
    record(&single, Format::Png, 60, 3);
    assert_eq!(Image::read_png(&single).unwrap(), frame(2), "the last one stays");
    let sequence = directory.path().join("frames");
    record(&sequence, Format::PngSequence, 60, 3);
    assert_eq!(names(&sequence), ["frame_00000.png", "frame_00001.png", "frame_00002.png"]);
    assert_eq!(Image::read_png(&sequence.join("frame_00001.png")).unwrap(), frame(1));
    let small = directory.path().join("small.png");
    frame(0).write_small_png(&small, usize::MAX).unwrap();
    assert_eq!(Image::read_png(&small).unwrap(), frame(0));
    // With 256 colours it is near, not equal.
    frame(0).write_small_png(&small, 0).unwrap();
    let (mean, _) = Image::read_png(&small).unwrap().difference(&frame(0)).unwrap();
    assert!(mean > 0.0 && mean < 16.0, "{mean}");
}

#[test]
fn faults_are_named_and_leave_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.gif");
    let rate = Recorder::new(&path, Format::Gif, 60).err().unwrap();
    assert_eq!(rate.to_string(), "60 frames a second is not possible here; it must be from 1 to 50");
    let mut recorder = Recorder::new(&path, Format::Apng, 10).unwrap();
    recorder.add(&frame(0)).unwrap();
    let other = Image { width: 2, height: 2, pixels: vec![0; 12] };
    let size = recorder.add(&other).unwrap_err();
    assert_eq!(size.to_string(), "frame 1 is 2x2 pixels, the first was 48x32");
    drop(recorder);
    let empty = Recorder::new(&path, Format::Gif, 10).unwrap().finish().unwrap_err();
    assert!(matches!(empty, RecordError::Empty { .. }));
    assert_eq!(names(directory.path()), [] as [String; 0]);
    let nowhere = Recorder::new(&directory.path().join("no/such/run.gif"), Format::Gif, 10).err().unwrap();
    assert!(nowhere.to_string().contains("no/such/run.gif"), "{nowhere}");
}

#[test]
fn meshes_read_back_through_the_mesh_crate() {
    let directory = tempfile::tempdir().unwrap();
    let cloth = pd_mesh::generate::grid(3, 3, 1.0, 1.0).unwrap();
    let lifted: Vec<Vec3> = cloth.positions.iter().map(|p| p + Vec3::y()).collect();
    for format in [MeshFormat::Glb, MeshFormat::ObjSequence] {
        let path = directory.path().join(if format == MeshFormat::Glb { "run.glb" } else { "run" });
        let mut recorder = MeshRecorder::new(&path, format, cloth.triangles.clone(), 60).unwrap();
        recorder.add(&cloth.positions).unwrap();
        recorder.add(&lifted).unwrap();
        assert_eq!(recorder.finish().unwrap(), 2);
        if format == MeshFormat::Glb {
            let bytes = std::fs::read(&path).unwrap();
            let first = pd_mesh::io::read_gltf(&bytes[..], "run.glb", |_| None).unwrap();
            assert_eq!(first.triangles, cloth.triangles);
        } else {
            let second = pd_mesh::io::read_path(path.join("frame_00001.obj")).unwrap();
            assert_eq!(second.positions(), lifted);
            assert_eq!(names(&path), ["frame_00000.obj", "frame_00001.obj"]);
        }
    }
}
