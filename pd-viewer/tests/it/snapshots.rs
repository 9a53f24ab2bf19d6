//! Six scenes against pictures in `tests/snapshots`, drawn by the software driver. After a change that is meant to be
//! seen: `UPDATE_SNAPSHOTS=1 cargo test -p pd-viewer --test it snapshots`, and look at the pictures before committing.

use crate::common::{SIZE, offscreen, run};
use pd_viewer::draw::{Field, MatCap, Options, Plane, Ramp, Shading, Theme};
use pd_viewer::film::Film;
use pd_viewer::record::Image;
use std::path::Path;

/// Mean difference of a channel and share of clearly different pixels that pass: rounding of another processor or another
/// version of the driver moves silhouettes by a fraction of a pixel. A missing shadow is ten times as much.
const MEAN: f64 = 1.0;
const SHARE: f64 = 0.01;

fn compare(scene: &str, frame: u64, view: (f64, f64), options: Options, field: Option<Field>) {
    let mut film = Film::shoot(run(scene), &[frame], field, |_| {}).unwrap();
    let camera = film.camera(view.0, view.1, 4.0 / 3.0, true);
    let colours = film.colours(Ramp::default());
    let options =
        Options { colour: colours.as_ref().map(|c| c.0), light_azimuth: view.0 as f32 - 50.0, ..options };
    let legend = colours.map(|c| c.1);
    let image = film.draw(&mut offscreen(4), 0, &options, &camera, SIZE, legend.as_ref()).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{scene}.png"));
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        image.write_small_png(&path, usize::MAX).unwrap();
    }
    let expected = Image::read_png(&path).expect("a snapshot");
    let (mean, share) = image.difference(&expected).expect("pictures of one size");
    if mean > MEAN || share > SHARE {
        let got = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{scene}.png"));
        image.write_png(&got).unwrap();
        panic!(
            "{scene} differs: mean {mean:.3}, share {share:.4}; compare {} with {}",
            got.display(),
            path.display()
        );
    }
}

#[test]
fn cloth_with_shadows() {
    // Before it folds: folds grow from rounding, which differs between processors.
    compare("cloth", 14, (35.0, 20.0), Options::default(), None);
}

#[test]
fn bar_by_strain_with_a_legend() {
    compare("bar", 60, (60.0, 15.0), Options::default(), Some(Field::Strain));
}

#[test]
fn tubes_with_a_wireframe() {
    compare("tubes", 40, (15.0, 10.0), Options { wireframe: true, ..Options::default() }, None);
}

#[test]
fn hemispheres_as_a_matcap() {
    let shading = Shading::MatCap(MatCap::Clay);
    compare("hemispheres", 30, (10.0, 15.0), Options { shading, ..Options::default() }, None);
}

#[test]
fn ball_cut_open() {
    compare(
        "ball",
        24,
        (60.0, 20.0),
        Options { cut: Some(Plane::across(0, 0.0)), ..Options::default() },
        None,
    );
}

#[test]
fn bridge_in_the_dark_with_tetrahedra() {
    let options = Options { theme: Theme::Dark, tets: Some(0.8), ..Options::default() };
    compare("bridge", 30, (60.0, 20.0), options, None);
}

#[test]
fn the_tolerance_would_notice_a_missing_shadow() {
    let mut film = Film::shoot(run("cloth"), &[0], None, |_| {}).unwrap();
    let camera = film.camera(35.0, 20.0, 4.0 / 3.0, true);
    let mut draw = |shadows| {
        film.draw(&mut offscreen(4), 0, &Options { shadows, ..Options::default() }, &camera, SIZE, None)
            .unwrap()
    };
    let (mean, share) = draw(true).difference(&draw(false)).unwrap();
    assert!(mean > MEAN && share > SHARE, "{mean} {share}");
}
