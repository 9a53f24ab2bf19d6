//! What the page Display adds to the picture.

use crate::common::Window;
use egui::Modifiers;
use pd_viewer::app::settings::RightPage;
use pd_viewer::draw::{Field, Plane};

fn page(scene: &str) -> Window {
    let mut window = Window::sized(scene, [1280.0, 1200.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().settings.right = RightPage::Display;
    (0..2).for_each(|_| window.step());
    window.key(egui::Key::F);
    window
}

/// Share of the pixels of the view that differ.
fn difference(window: &mut Window, press: &str) -> f64 {
    let view = window.app().viewport.rect().unwrap();
    let before = window.harness.render().unwrap();
    window.press(press);
    // A frame with what was requested comes from the other thread.
    std::thread::sleep(std::time::Duration::from_millis(200));
    (0..3).for_each(|_| window.step());
    let after = window.harness.render().unwrap();
    let (mut all, mut other) = (0, 0);
    for y in view.top() as u32..view.bottom() as u32 {
        for x in view.left() as u32..view.right() as u32 {
            all += 1;
            other += u32::from(before.get_pixel(x, y) != after.get_pixel(x, y));
        }
    }
    f64::from(other) / f64::from(all)
}

#[test]
fn contacts_are_shown_where_the_cloth_lies_on_the_ball() {
    let mut window = page("cloth");
    window.run_frames(60);
    assert!(window.app().frame.contacts.is_empty(), "nobody asked");
    let share = difference(&mut window, "Contacts");
    let app = window.app();
    assert!(!app.frame.contacts.is_empty() && share > 1e-3, "{} {share}", app.frame.contacts.len());
    for contact in &app.frame.contacts {
        let up = contact.normal.dot(
            &(contact.point - pd_core::Vec3::from(app.document.desc.colliders[contact.collider].centre())),
        );
        assert!(up > 0.0, "normals point out of the obstacle");
    }
    window.press("Contacts");
    window.wait("none", |app| app.frame.contacts.is_empty());
}

#[test]
fn the_neighbours_of_the_vertex_clicked_are_shown() {
    let mut window = page("cloth");
    let share = difference(&mut window, "Neighbours of a vertex");
    assert_eq!((window.app().options.adjacency, share), (None, 0.0), "no vertex yet");
    let at = window.place(840);
    window.click(at, Modifiers::NONE);
    (0..2).for_each(|_| window.step());
    let vertex = window.app().options.adjacency.expect("the vertex clicked");
    assert!(window.place(vertex).distance(at) < 20.0);
    let beside = window.app().viewport.rect().unwrap().left_top() + egui::vec2(3.0, 3.0);
    window.pointer(beside);
    assert_eq!(window.app().options.adjacency, Some(vertex), "it stays when the pointer leaves");
    assert!(difference(&mut window, "Neighbours of a vertex") > 1e-5, "they are gone again");
}

#[test]
fn solids_are_cut_across_any_axis_and_taken_apart() {
    let mut window = page("ball");
    let open = difference(&mut window, "Cut plane");
    let middle = window.app().drawing.body_bounds().centre();
    assert_eq!(window.app().options.cut, Some(Plane::across(0, middle.x)));
    let turned = difference(&mut window, "Across z");
    assert_eq!(window.app().options.cut, Some(Plane::across(2, middle.z)));
    let apart = difference(&mut window, "Exploded tetrahedra");
    let inner = difference(&mut window, "All edges, interior too");
    let dots = difference(&mut window, "Vertices");
    assert!(
        [open, turned, apart, inner, dots].iter().all(|share| *share > 1e-3),
        "{open} {turned} {apart} {inner} {dots}"
    );
}

#[test]
fn every_colour_map_has_its_legend() {
    let mut window = page("cloth-pair");
    window.run_frames(20);
    for field in Field::ALL {
        assert!(difference(&mut window, field.name()) > 0.01, "{}", field.name());
        window.run_frames(2);
        let range = window.app().options.colour.expect("a range for the legend");
        assert!(range.high > range.low && window.app().field == Some(field), "{} {range:?}", field.name());
        assert_eq!(window.app().frame.values.len(), window.app().frame.x.len());
    }
    window.press("Materials");
    window.wait("no map", |app| app.options.colour.is_none());
}

#[test]
fn a_screenshot_has_the_legend() {
    let directory = tempfile::tempdir().unwrap();
    let mut window = page("cloth");
    window.app_mut().settings.record_directory = directory.path().display().to_string();
    window.run_frames(5);
    let mut corner = || {
        window.app_mut().start_recording(pd_viewer::app::recording::Kind::Screenshot);
        window.wait("the file", |app| !app.recording.is_busy());
        assert!(window.app().problem.is_none(), "{:?}", window.app().problem);
        let path = window.app().recording.last.clone().unwrap();
        let picture = image::open(path).unwrap().to_rgba8();
        window.press(if window.app().field.is_none() { "speed" } else { "Materials" });
        window.run_frames(1);
        let height = picture.height();
        image::imageops::crop_imm(&picture, 0, height - 120, 60, 120).to_image()
    };
    let (plain, legend) = (corner(), corner());
    let other = plain.pixels().zip(legend.pixels()).filter(|(a, b)| a != b).count();
    assert!(other > 1000, "{other} pixels of the corner differ");
}
