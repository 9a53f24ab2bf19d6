//! The page Objects by its widgets and the handles in the view: names, obstacles, constants, groups, turning, scaling.

use crate::common::Window;
use egui::accesskit::Role;
use egui::{Key, PointerButton};
use egui_kittest::kittest::Queryable as _;
use pd_core::Vec3;
use pd_viewer::app::settings::LeftPage;
use pd_viewer::app::{App, Selected};

fn page(scene: &str) -> Window {
    let mut window = Window::sized(scene, [1280.0, 1400.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().settings.left = LeftPage::Objects;
    window.app_mut().selected = Selected::Object(0);
    (0..2).for_each(|_| window.step());
    window.key(Key::F);
    window
}

fn type_into(window: &mut Window, label: &str, text: &str) {
    window.harness.get_by_role_and_label(Role::TextInput, label).focus();
    window.step();
    window.keys(egui::Modifiers::COMMAND, Key::A);
    window.harness.get_by_role_and_label(Role::TextInput, label).type_text(text);
    window.step();
    window.key(Key::Enter);
    window.step();
}

/// Opens a section, which takes some passes.
fn unfold(window: &mut Window, section: &str) {
    window.press(section);
    (0..20).for_each(|_| window.step());
}

#[test]
fn a_body_is_renamed_by_typing_and_a_name_that_is_taken_is_refused() {
    let mut window = page("cloth-pair");
    type_into(&mut window, "Name", "sail");
    assert_eq!(window.app().document.desc.objects[0].name, "sail", "{}", window.app().note);
    window.settle();
    let other = window.app().document.desc.objects[1].name.clone();
    type_into(&mut window, "Name", &other);
    assert_eq!(window.app().document.desc.objects[0].name, "sail");
    assert!(window.app().note.contains("taken"), "{}", window.app().note);
    window.run_frames(2);
}

#[test]
fn obstacles_are_added_copied_and_removed_while_the_scene_runs() {
    let mut window = page("cloth");
    window.key(Key::Space);
    window.wait("running", |app| app.is_running());
    let count = window.app().document.desc.colliders.len();
    for kind in ["sphere", "block", "torus"] {
        window.press("Add obstacle");
        window.press(kind);
        assert_eq!(window.app().document.desc.colliders.last().unwrap().kind(), kind);
    }
    window.press("Duplicate");
    assert_eq!(window.app().document.desc.colliders.len(), count + 4);
    window.press("Remove");
    assert_eq!(window.app().document.desc.colliders.len(), count + 3);
    let frame = window.app().frame.frame;
    window.wait("frames", |app| app.frame.frame > frame + 3);
    assert!(window.app().is_running() && window.app().problem.is_none(), "{:?}", window.app().problem);
    assert_eq!(
        window.app().drawing.obstacles.len() + usize::from(window.app().drawing.floor.is_some()),
        count + 3
    );
}

#[test]
fn constraints_are_given_by_weights_or_by_constants() {
    let mut window = page("bar");
    window.press("Young, Poisson");
    window.settle();
    let object = |app: &App| app.document.desc.objects[0].clone();
    assert!(object(window.app()).material.is_some() && object(window.app()).tet.is_none());
    assert!(window.has("Young") && window.has("Poisson") && window.has("Density"));
    window.run_frames(2);
    window.press("Weights");
    window.settle();
    assert!(object(window.app()).material.is_none() && object(window.app()).tet.is_some());
    window.press("Volume");
    window.settle();
    let constraints = window.app().loaded.as_ref().unwrap().constraints;
    window.press("Edge springs");
    window.settle();
    assert!(window.app().loaded.as_ref().unwrap().constraints > constraints, "one more on every edge");
    window.run_frames(2);
}

#[test]
fn groups_are_saved_chosen_pinned_and_kept_in_files() {
    let directory = tempfile::tempdir().unwrap();
    let list = directory.path().join("corner.txt").display().to_string();
    let mut window = page("cloth");
    unfold(&mut window, "Vertex groups");
    window.app_mut().vertices = [3, 5, 8].into();
    window.step();
    type_into(&mut window, "Group name", "corner");
    window.press("Save group");
    assert_eq!(window.app().document.desc.objects[0].groups[0].vertices, [3, 5, 8]);
    type_into(&mut window, "List file", &list);
    window.press("Write");
    assert_eq!(std::fs::read_to_string(&list).unwrap(), "3\n5\n8\n", "{:?}", window.app().problem);
    window.press("Invert");
    assert_eq!(window.app().vertices.len(), 1681 - 3);
    window.press("Read");
    assert_eq!(window.app().vertices, [3, 5, 8].into());
    window.settle();
    window.app_mut().vertices.clear();
    window.step();
    window.press("Select corner");
    assert_eq!(window.app().vertices, [3, 5, 8].into());
    let constraints = window.app().loaded.as_ref().unwrap().constraints;
    window.press("Pin 3 selected");
    window.settle();
    assert_eq!(window.app().loaded.as_ref().unwrap().constraints, constraints + 3);
    std::fs::write(&list, "3\n9999\n").unwrap();
    window.press("Read");
    let problem = window.app().problem.clone().unwrap();
    assert!(problem.details.contains("9999") && problem.details.contains("1680"), "{problem:?}");
}

/// Where a point of space is in the window.
fn place(window: &Window, p: Vec3) -> egui::Pos2 {
    let app = window.app();
    let [x, y, _] = app.camera.project(p, app.viewport.size()).unwrap();
    app.viewport.rect().unwrap().min + egui::vec2(x as f32, y as f32)
}

fn drag(window: &mut Window, from: egui::Pos2, to: egui::Pos2) {
    window.drag(PointerButton::Primary, from, to);
    window.release(PointerButton::Primary, to);
    window.settle();
}

#[test]
fn a_body_is_moved_turned_and_scaled_by_its_handles() {
    let mut window = page("ball");
    let bounds = |window: &Window| window.app().drawing.body_bounds();
    let before = bounds(&window);
    let centre = before.centre();
    let middle = place(&window, centre);
    window.key(Key::W);
    let up = (place(&window, centre + Vec3::y() * 0.1) - middle).normalized();
    drag(&mut window, middle + up * 50.0, middle + up * 90.0);
    let moved = bounds(&window);
    assert!(moved.centre().y > centre.y + 0.03, "{centre:?} {:?}", moved.centre());
    assert!((moved.centre().x - centre.x).abs() < 1e-6, "along y alone");
    window.key(Key::T);
    let middle = place(&window, moved.centre());
    let handle = middle + egui::vec2(58.8, -58.8);
    drag(&mut window, handle, middle + egui::vec2(88.2, -88.2));
    let scaled = bounds(&window);
    let ratio = scaled.radius() / moved.radius();
    assert!((ratio - 1.5).abs() < 0.05, "{ratio}");
    window.key(Key::E);
    // The ring about y, away from where it meets the others.
    let app = window.app();
    let depth = (app.camera.eye() - scaled.centre()).dot(&app.camera.axes().2);
    let radius = 84.0 * app.camera.metres_per_pixel(app.viewport.size()) * depth / app.camera.distance;
    let at = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        place(&window, scaled.centre() + Vec3::new(sin, 0.0, cos) * radius)
    };
    let (from, to) = (at(30.0), at(60.0));
    let straight = window.app().document.desc.objects[0].rotate;
    drag(&mut window, from, to);
    let turned = window.app().document.desc.objects[0].rotate;
    let degrees = turned.map_or(0.0, |rotate| rotate.degrees * rotate.axis[1]);
    assert!((degrees - 30.0).abs() < 3.0, "{turned:?}");
    window.keys(egui::Modifiers::COMMAND, Key::Z);
    assert_eq!(window.app().document.desc.objects[0].rotate, straight, "one drag is one step to undo");
    window.settle();
    window.run_frames(2);
}

#[test]
fn the_mass_of_a_body_is_set_on_the_page_physics() {
    let mut window = page("cloth-pair");
    let name = window.app().document.desc.objects[0].name.clone();
    let mass =
        |app: &App| app.loaded.as_ref().unwrap().objects.iter().map(|body| body.mass).collect::<Vec<_>>();
    let before = mass(window.app());
    assert!(window.has_text("kg in all"));
    let field = window.harness.get_by_role_and_label(Role::SpinButton, &name);
    field.focus();
    window.step();
    window.harness.event(egui::Event::Text("2.5".into()));
    window.step();
    window.key(Key::Enter);
    window.settle();
    let after = mass(window.app());
    assert!((after[0] - 2.5).abs() < 1e-9 && after[1] == before[1], "{before:?} {after:?}");
    window.run_frames(2);
}
