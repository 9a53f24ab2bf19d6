//! How it looks: names for screen readers, themes, nothing outside of the window. With `PD_UI_PICTURES` set to a directory
//! the pictures are written there to be looked at.

use crate::common::Window;
use egui_kittest::kittest::Queryable as _;
use pd_viewer::app::Selected;
use pd_viewer::app::settings::{LeftPage, RightPage};

fn picture(window: &mut Window, name: &str) -> image::RgbaImage {
    let picture = window.harness.render().expect("an adapter");
    if let Some(directory) = std::env::var_os("PD_UI_PICTURES") {
        picture.save(std::path::Path::new(&directory).join(format!("{name}.png"))).unwrap();
    }
    picture
}

fn brightness(picture: &image::RgbaImage, x: u32, y: u32) -> u32 {
    picture.get_pixel(x, y).0[..3].iter().map(|c| u32::from(*c)).sum()
}

#[test]
fn every_page_fits_the_window_and_both_themes_draw() {
    let mut window = Window::sized("cloth-pair", [1280.0, 720.0]);
    window.app_mut().settings.panels = true;
    window.run_frames(40);
    window.app_mut().selected = Selected::Object(0);
    let pages =
        [RightPage::Physics, RightPage::Solver, RightPage::Display, RightPage::Measure, RightPage::Record];
    for page in pages {
        window.app_mut().settings.right = page;
        window.app_mut().settings.left =
            if page == RightPage::Physics { LeftPage::Scenes } else { LeftPage::Objects };
        (0..3).for_each(|_| window.step());
        let picture = picture(&mut window, &format!("{page:?}").to_lowercase());
        assert_eq!(picture.dimensions(), (1280, 720));
        let view = window.app().viewport.rect().unwrap();
        assert!(view.width() > 560.0 && view.height() > 500.0, "{page:?} leaves {view:?} for the view");
    }
    let dark = brightness(&picture(&mut window, "dark"), 6, 300);
    window.press("Light");
    (0..3).for_each(|_| window.step());
    let light = brightness(&picture(&mut window, "light"), 6, 300);
    assert!(light > dark + 300, "panels are {light} in the light theme and {dark} in the dark one");
}

#[test]
fn widgets_have_names() {
    let mut window = Window::sized("cloth-pair", [1280.0, 900.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().settings.left = LeftPage::Objects;
    window.app_mut().selected = Selected::Object(0);
    let expected: [(RightPage, &[&str]); 5] = [
        (RightPage::Physics, &["Damping", "Wind dial", "Strength", "Gravity"]),
        (
            RightPage::Solver,
            &[
                "Time step",
                "Substeps",
                "Iterations",
                "Stepper",
                "Global solver",
                "Chebyshev S",
                "Gamma",
                "Rho",
                "Threads",
                "Device",
            ],
        ),
        (RightPage::Display, &["Shadows", "Wireframe", "Softness", "Pins"]),
        (RightPage::Measure, &["Plot of convergence", "Plot of energy", "Measure every"]),
        (
            RightPage::Record,
            &[
                "Directory",
                "Frames",
                "Screenshot",
                "PNG sequence",
                "GIF",
                "APNG",
                "glTF animation",
                "OBJ sequence",
            ],
        ),
    ];
    for (page, names) in expected {
        window.app_mut().settings.right = page;
        (0..2).for_each(|_| window.step());
        for name in names {
            let found = window.harness.query_all_by_label(name).count();
            assert!(found > 0, "{page:?} has {name}");
        }
    }
    for name in [
        "Run",
        "Step",
        "Restart",
        "Undo",
        "Redo",
        "Scene view",
        "Show soft",
        "Edge springs",
        "Name",
        "Colour",
    ] {
        assert!(window.harness.query_all_by_label_contains(name).count() > 0, "{name}");
    }
    window.key(egui::Key::F1);
    for shortcut in pd_viewer::app::keys::SHORTCUTS {
        assert!(
            window.harness.query_all_by_label(shortcut.words).count() > 0,
            "the help names {}",
            shortcut.keys
        );
    }
}

#[test]
fn the_view_shows_the_scene_and_hidden_bodies_vanish() {
    let mut window = Window::open("cloth-pair");
    let at = window.place(220);
    let corner = window.app().viewport.rect().unwrap().left_top() + egui::vec2(10.0, 40.0);
    let pixel = |picture: &image::RgbaImage, p: egui::Pos2| picture.get_pixel(p.x as u32, p.y as u32).0;
    let shown = picture(&mut window, "view");
    assert_ne!(pixel(&shown, at), pixel(&shown, corner), "the cloth is not the background");
    window.app_mut().document.desc.objects[0].display.hidden = true;
    (0..3).for_each(|_| window.step());
    let hidden = picture(&mut window, "hidden");
    assert_ne!(pixel(&hidden, at), pixel(&shown, at), "the cloth is gone");
    window.app_mut().document.desc.objects[0].display.hidden = false;
    window.app_mut().document.desc.objects[0].display.colour = Some([0.0, 1.0, 0.0]);
    (0..3).for_each(|_| window.step());
    let [r, g, b, _] = pixel(&picture(&mut window, "green"), at);
    assert!(g > r.saturating_add(30) && g > b.saturating_add(30), "green now: {r} {g} {b}");
}

#[test]
fn every_widget_of_a_page_has_a_name_of_its_own() {
    use egui::accesskit::Role;
    use egui_kittest::kittest::NodeT as _;
    let mut window = Window::sized("cloth-pair", [1280.0, 2400.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().selected = Selected::Object(0);
    window.app_mut().document.desc.solver.gamma = Some(0.7);
    window.app_mut().toggle_pin(30);
    window.settle();
    let pages =
        [RightPage::Physics, RightPage::Solver, RightPage::Display, RightPage::Measure, RightPage::Record];
    for left in [LeftPage::Scenes, LeftPage::Objects] {
        for right in pages {
            (window.app_mut().settings.left, window.app_mut().settings.right) = (left, right);
            (0..20).for_each(|_| window.step());
            let mut names = std::collections::BTreeSet::new();
            let works = [
                Role::Button,
                Role::CheckBox,
                Role::RadioButton,
                Role::SpinButton,
                Role::Slider,
                Role::TextInput,
                Role::ComboBox,
            ];
            for role in works {
                for node in window.harness.query_all_by_role(role) {
                    let name = node.accesskit_node().label().unwrap_or_default();
                    assert!(
                        !name.is_empty(),
                        "{left:?} {right:?}: a {role:?} without a name at {:?}",
                        node.rect()
                    );
                    assert!(
                        names.insert((format!("{role:?}"), name.clone())),
                        "{left:?} {right:?}: two {role:?} {name}"
                    );
                }
            }
            assert!(names.len() > 25, "{left:?} {right:?}: {names:?}");
        }
    }
}

#[test]
fn the_smallest_window_and_what_lies_over_it_can_be_used() {
    let mut window = Window::sized("cloth-pair", [760.0, 480.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().tool = pd_viewer::app::Tool::Brush;
    (0..3).for_each(|_| window.step());
    picture(&mut window, "small");
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(760.0, 480.0));
    let view = window.app().viewport.rect().unwrap();
    assert!(view.width() > 180.0 && view.height() > 300.0, "{view:?}");
    for name in ["Run", "Undo", "Save", "Lasso", "Brush", "Frame", "Hide panels", "Light", "Help", "Record"] {
        let rect = window.harness.get_by_label(name).rect();
        assert!(screen.contains_rect(rect), "{name} is at {rect:?}");
    }
    window.key(egui::Key::F1);
    (0..3).for_each(|_| window.step());
    picture(&mut window, "help");
    for words in ["run or pause", "weight brush", "select the body or obstacle"] {
        let rect = window.harness.get_by_label(words).rect();
        assert!(rect.right() < 760.0, "{words} is at {rect:?}");
    }
    window.key(egui::Key::Escape);
    window
        .app_mut()
        .open("/no/such/directory/of/many/letters/and/a/long/name/that/has/to/be/broken/scene.toml");
    (0..3).for_each(|_| window.step());
    picture(&mut window, "problem");
    let rect = window.harness.get_by_label("Dismiss").rect();
    assert!(screen.contains_rect(rect), "{rect:?}");
}
