//! Picking, pulling, pinning, the camera.

use crate::common::Window;
use egui::{Event, Key, Modifiers, MouseWheelUnit, PointerButton};
use pd_viewer::app::{Selected, Tool};

/// A cloth that has come to rest under strong damping, seen from the front.
fn settled() -> Window {
    let mut window = Window::open("cloth");
    window.app_mut().document.desc.step.damping = 6.0;
    window.step();
    window.run_frames(400);
    window
}

#[test]
fn a_click_selects_the_body_under_the_pointer_and_a_miss_selects_nothing() {
    let mut window = Window::open("cloth-pair");
    for (vertex, body) in [(220u32, 0), (441 + 220, 1)] {
        let at = window.place(vertex);
        window.click(at, Modifiers::NONE);
        assert_eq!(window.app().selected, Selected::Object(body));
        let picked = window.app().viewport.picked.unwrap();
        let gap = (window.vertex(picked) - window.vertex(vertex)).norm();
        assert!(gap < 0.08, "picked {picked}, {gap} m from {vertex}");
    }
    let corner = window.app().viewport.rect().unwrap().left_top() + egui::vec2(4.0, 4.0);
    window.click(corner, Modifiers::NONE);
    assert_eq!(window.app().selected, Selected::Nothing);
}

#[test]
fn a_pulled_vertex_follows_the_pointer_and_returns() {
    let mut window = settled();
    let vertex = 220;
    let start = window.place(vertex);
    let rest = window.vertex(vertex);
    window.key(Key::Space);
    window.wait("running", |app| app.is_running());
    let to = start + egui::vec2(-70.0, -50.0);
    window.drag(PointerButton::Primary, start, to);
    let (held, target) = window.app().viewport.pulling().expect("the drag pulls");
    assert!((window.vertex(held) - rest).norm() < 0.15, "it is the vertex under the pointer");
    let frame = window.app().frame.frame;
    window.wait("the pull", |app| app.frame.frame > frame + 60);
    let (now, begin) = (window.vertex(held), rest);
    let (left, way) = ((now - target).norm(), (target - begin).norm());
    assert!(way > 0.1 && left < 0.5 * way, "{left} m of {way} m are left");
    assert_eq!(window.app().drawing.lines.len(), 1, "the spring is drawn");
    window.release(PointerButton::Primary, to);
    assert!(window.app().viewport.pulling().is_none());
    let frame = window.app().frame.frame;
    window.wait("the return", |app| app.frame.frame > frame + 500);
    let back = (window.vertex(held) - rest).norm();
    assert!(
        back < 0.3 * way && window.app().frame.pull.is_none(),
        "{back} m from where it was, pulled by {way} m"
    );
    assert!(window.app().drawing.lines.is_empty());
}

#[test]
fn shift_click_pins_and_unpins() {
    let mut window = settled();
    let constraints = window.app().loaded.as_ref().unwrap().constraints;
    let at = window.place(400);
    for _ in 0..2 {
        window.click(at, Modifiers::SHIFT);
        window.wait("the pin", |app| app.loaded.as_ref().unwrap().constraints == constraints + 1);
        assert!(window.app().note.contains("constraints"), "{}", window.app().note);
        window.click(at, Modifiers::SHIFT);
        window.wait("the release", |app| app.loaded.as_ref().unwrap().constraints == constraints);
    }
    window.click(at, Modifiers::SHIFT);
    window.settle();
    let pins = window.app().document.desc.objects[0].pins.clone();
    let (pinned, point) = (pins.last().unwrap().select.vertices[0], pins.last().unwrap().at[0]);
    let held = window.vertex(pinned);
    assert!((held - pd_core::Vec3::from(point)).norm() < 0.02, "pinned where it was");
    // Without its other pins the cloth hangs from the new one alone.
    let mine = pins.last().unwrap().clone();
    window.app_mut().document.desc.objects[0].pins = vec![mine];
    window.app_mut().document.desc.colliders.clear();
    window.settle();
    window.run_frames(60);
    assert!((window.vertex(pinned) - held).norm() < 0.1, "the pin holds");
    let lowest = (0..1681).map(|v| window.vertex(v).y).fold(f64::INFINITY, f64::min);
    assert!(lowest < held.y - 0.3, "the rest has fallen to {lowest}, below {}", held.y);
    window.app_mut().toggle_pin(pinned);
    window.settle();
    let before = window.vertex(pinned).y;
    window.run_frames(30);
    assert!(window.vertex(pinned).y < before - 0.05, "free again");
}

#[test]
fn the_camera_orbits_pans_dollies_and_frames() {
    let mut window = Window::open("cloth");
    let before = window.app().camera;
    let corner = window.app().viewport.rect().unwrap().left_top() + egui::vec2(8.0, 8.0);
    window.drag(PointerButton::Primary, corner, corner + egui::vec2(80.0, 30.0));
    window.release(PointerButton::Primary, corner + egui::vec2(80.0, 30.0));
    let orbited = window.app().camera;
    assert!((orbited.azimuth - before.azimuth).abs() > 5.0 && orbited.elevation > before.elevation + 2.0);
    assert_eq!((orbited.target, orbited.distance), (before.target, before.distance));
    window.drag(PointerButton::Middle, corner, corner + egui::vec2(60.0, 0.0));
    window.release(PointerButton::Middle, corner + egui::vec2(60.0, 0.0));
    let panned = window.app().camera;
    assert!((panned.target - orbited.target).norm() > 0.02 && panned.azimuth == orbited.azimuth);
    let wheel = |y: f32, unit: MouseWheelUnit| Event::MouseWheel {
        unit,
        delta: egui::vec2(0.0, y),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Unknown,
        modifiers: Modifiers::NONE,
    };
    window.harness.event(wheel(2.0, MouseWheelUnit::Line));
    window.step();
    assert!(window.app().camera.distance < panned.distance * 0.95, "the wheel comes nearer");
    window.app_mut().settings.scroll_turns = true;
    let elevation = window.app().camera.elevation;
    window.harness.event(wheel(30.0, MouseWheelUnit::Point));
    window.step();
    assert!((window.app().camera.elevation - elevation).abs() > 3.0, "two fingers orbit if set so");
    window.key(Key::F);
    let framed = window.app().camera;
    for vertex in [0, 40, 1640, 1680] {
        let rect = window.app().viewport.rect().unwrap();
        assert!(rect.contains(window.place(vertex)), "F shows all: vertex {vertex}");
    }
    assert!((framed.target - panned.target).norm() > 0.01);
}

#[test]
fn box_lasso_and_brush_choose_vertices() {
    let mut window = Window::open("cloth");
    window.key(Key::B);
    assert_eq!(window.app().tool, Tool::Box);
    let rect = window.app().viewport.rect().unwrap();
    window.drag(
        PointerButton::Primary,
        rect.left_top() + egui::vec2(2.0, 2.0),
        rect.right_bottom() - egui::vec2(2.0, 2.0),
    );
    window.release(PointerButton::Primary, rect.right_bottom() - egui::vec2(2.0, 2.0));
    assert_eq!(window.app().vertices.len(), 1681, "all in the box");
    window.key(Key::L);
    let centre = window.place(840);
    window.pointer(centre + egui::vec2(30.0, 0.0));
    window.button(centre + egui::vec2(30.0, 0.0), PointerButton::Primary, true, Modifiers::NONE);
    for k in 0..=16 {
        let angle = k as f32 / 16.0 * std::f32::consts::TAU;
        window.pointer(centre + egui::vec2(angle.cos(), angle.sin()) * 30.0);
    }
    window.release(PointerButton::Primary, centre + egui::vec2(30.0, 0.0));
    let chosen = window.app().vertices.clone();
    assert!(chosen.contains(&840) && (5..600).contains(&chosen.len()), "{}", chosen.len());
    for v in chosen {
        assert!(window.place(v).distance(centre) < 32.0, "vertex {v} lies in the outline");
    }
    window.key(Key::P);
    let constraints = window.app().loaded.as_ref().unwrap().constraints;
    window.drag(PointerButton::Primary, centre, centre + egui::vec2(20.0, 0.0));
    window.release(PointerButton::Primary, centre + egui::vec2(20.0, 0.0));
    window.settle();
    let groups = &window.app().document.desc.objects[0].groups;
    assert_eq!((groups.len(), groups[0].weight), (1, Some(4.0)));
    assert!(groups[0].vertices.contains(&840));
    assert_eq!(window.app().loaded.as_ref().unwrap().constraints, constraints);
}

#[test]
fn an_obstacle_moves_while_the_simulation_runs() {
    let mut window = Window::open("cloth");
    let obstacles = window.app().document.desc.colliders.len();
    window.app_mut().document.desc.colliders.push(pd_viewer::app::edit::obstacles().remove(1));
    window.app_mut().selected = Selected::Obstacle(obstacles);
    window.key(Key::Space);
    window.wait("running", |app| app.is_running());
    window.key(Key::F);
    window.key(Key::W);
    let before = window.app().document.desc.colliders[obstacles].centre();
    let app = window.app();
    let centre = pd_core::Vec3::from(before);
    let project = |p| {
        let [x, y, _] = app.camera.project(p, app.viewport.size()).unwrap();
        app.viewport.rect().unwrap().min + egui::vec2(x as f32, y as f32)
    };
    let (middle, up) = (project(centre), project(centre + pd_core::Vec3::y() * 0.1));
    let grip = middle + (up - middle).normalized() * 50.0;
    let frame = window.app().frame.frame;
    window.drag(PointerButton::Primary, grip, grip + (up - middle).normalized() * 60.0);
    window.release(PointerButton::Primary, grip + (up - middle).normalized() * 60.0);
    let after = window.app().document.desc.colliders[obstacles].centre();
    assert!(
        after[1] > before[1] + 0.05 && after[0] == before[0] && after[2] == before[2],
        "{before:?} {after:?}"
    );
    window.wait("frames", |app| app.frame.frame > frame + 5);
    assert!(window.app().problem.is_none() && window.app().is_running());
    let drawn = window.app().drawing.obstacles.iter().find(|o| o.index == obstacles).unwrap().position;
    assert!((drawn.y - after[1]).abs() < 1e-9);
}

#[test]
fn a_view_that_shows_everything_does_so_in_a_window_of_another_shape() {
    let mut window = Window::sized("cloth", [1280.0, 480.0]);
    let all_seen = |window: &Window| {
        let rect = window.app().viewport.rect().unwrap();
        [0, 40, 1640, 1680].into_iter().all(|vertex| rect.contains(window.place(vertex)))
    };
    assert!(all_seen(&window));
    window.app_mut().settings.panels = true;
    window.harness.set_size(egui::vec2(760.0, 700.0));
    (0..3).for_each(|_| window.step());
    assert!(all_seen(&window), "narrower by far");
    let corner = window.app().viewport.rect().unwrap().left_top() + egui::vec2(8.0, 8.0);
    window.drag(PointerButton::Primary, corner, corner + egui::vec2(40.0, 10.0));
    window.release(PointerButton::Primary, corner + egui::vec2(40.0, 10.0));
    let mine = window.app().camera;
    window.key(Key::H);
    assert_eq!(window.app().camera, mine, "a view that was chosen stays");
}
