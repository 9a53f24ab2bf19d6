//! `pd-viewer` as a user meets it.

use pd_viewer::record::Image;
use std::path::Path;
use std::process::{Command, Output};

fn viewer(words: &[&str]) -> Output {
    // Nothing of the machine's own models or display may matter.
    let mut command = Command::new(env!("CARGO_BIN_EXE_pd-viewer"));
    command.args(words).env_remove("PD_MODELS").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs `render` with the software driver and a small picture.
fn render(scene: &str, out: &Path, more: &[&str]) -> Output {
    let mut words = vec!["render", scene, "--driver", "software", "--out", out.to_str().unwrap()];
    words.extend(more);
    if !more.contains(&"--size") {
        words.extend(["--size", "96x64"]);
    }
    viewer(&words)
}

#[test]
fn a_frame_becomes_a_picture_without_a_display() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bar.png");
    let output = render("bar", &path, &["--frame", "5", "--colour", "strain", "--theme", "dark"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("bar: 1 frame, the last is 5: "), "{}", text(&output.stdout));
    let image = Image::read_png(&path).unwrap();
    assert_eq!((image.width, image.height), (96, 64));
    let first = image.pixel(0, 0);
    assert!(image.pixels.chunks_exact(3).any(|p| p != first), "the picture is not of one colour");
}

#[test]
fn frames_become_a_moving_picture() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bar.gif");
    let output = render("bar", &path, &["--frame", "9", "--every", "3", "--fps", "20"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(&path).unwrap()).unwrap();
    let mut count = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, decoder.width(), decoder.height()), (4, 96, 64), "frames 0, 3, 6 and 9");
    let meshes = directory.path().join("bar.glb");
    assert!(render("bar", &meshes, &["--frame", "4"]).status.success());
    assert!(std::fs::metadata(&meshes).unwrap().len() > 1000);
}

#[test]
fn bad_input_is_exit_code_two_and_words() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    let png = place("x.png");
    let cases: &[(Output, &str)] = &[
        (render("no-such-scene", &png, &[]), "no-such-scene"),
        (render("cloth", &place("x.jpeg"), &[]), "the ending must be .png, .gif, .apng or .glb"),
        (render("cloth", &place("no/x.png"), &[]), "no/x.png"),
        (render("cloth", &png, &["--size", "0x5"]), "expected WIDTHxHEIGHT"),
        (render("cloth", &png, &["--colour", "taste"]), "known are speed, strain, residual, bending"),
        (render("cloth", &png, &["--shading", "shiny"]), "known are clay"),
        (render("cloth", &png, &["--theme", "blue"]), "known are light, dark"),
        (render("cloth", &png, &["--camera", "1"]), "expected two angles"),
        (render("cloth", &png, &["--cut", "w=1"]), "expected an axis and a value"),
        (render("cloth", &png, &["--tets", "2"]), "from 0.1 to 1"),
        (render("cloth", &png, &["--samples", "3"]), "expected 1 or 4"),
        (render("cloth", &png, &["--adjacency", "99999", "--frame", "0"]), "the scene has 1681 vertices"),
        (render("cloth", &place("x.gif"), &["--fps", "80"]), "80 frames a second"),
        (render("cloth", &place("x.gif"), &["--from", "9", "--frame", "3"]), "--from 9 is after --frame 3"),
        (render("cloth", &png, &["--global", "magic"]), "magic"),
        (render("cloth", &png, &["--stepper", "magic"]), "there is no stepper"),
        (render("bunny", &png, &[]), "bunny_thesis_2531v_8121t.mesh"),
        (viewer(&["gallery", "--only", "nothing"]), "there is no picture \"nothing\""),
        (viewer(&["render"]), "SCENE"),
    ];
    for (output, words) in cases {
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {said}");
        assert!(said.contains(words), "{words:?} is not in {said:?}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing was left behind");
}

#[test]
fn without_an_adapter_the_message_names_the_packages() {
    let directory = tempfile::tempdir().unwrap();
    for driver in ["any", "software"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pd-viewer"));
        command
            .args(["render", "cloth", "--frame", "0", "--driver", driver, "--out"])
            .arg(directory.path().join("x.png"));
        // A backend that does not exist here hides every adapter.
        let output = command.env("WGPU_BACKEND", "dx12").output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("apt-get install mesa-vulkan-drivers libvulkan1"), "{said}");
    }
}

#[test]
fn one_picture_of_the_gallery_is_made_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let words = ["gallery", "--only", "7-06-bar", "--size", "120x80", "--driver", "software", "--out", out];
    let output = viewer(&words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let image = Image::read_png(&directory.path().join("7-06-bar.png")).unwrap();
    assert_eq!((image.width, image.height), (120, 80));
}
