//! The choice of device: an unavailable device is reported, and the CPU continues.

use crate::common::Window;
use egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use pd_viewer::app::settings::RightPage;

fn choose(window: &mut Window, device: &str) {
    window.harness.get_by_role_and_label(Role::ComboBox, "Device").click();
    (0..3).for_each(|_| window.step());
    window.press(device);
}

#[test]
fn a_device_that_is_not_there_is_refused_and_the_cpu_goes_on() {
    let mut window = Window::sized("cloth", [1280.0, 900.0]);
    window.app_mut().settings.panels = true;
    window.app_mut().settings.right = RightPage::Solver;
    window.key(egui::Key::Space);
    window.wait("running", |app| app.is_running());
    assert!(window.has("Runs on cpu"));
    choose(&mut window, "cuda");
    window.wait("an answer", |app| {
        app.loaded.as_ref().is_some_and(|l| l.refused.is_some() || l.device != "cpu")
    });
    if let Ok(devices) = pd_cuda::devices() {
        assert!(window.has_text(&devices[0].name), "the device is named");
        return;
    }
    let problem = window.app().problem.clone().unwrap();
    assert!(problem.what.contains("runs on the CPU"), "{problem:?}");
    assert!(
        problem.details.contains("no CUDA driver") && problem.details.contains("libcuda.so"),
        "{problem:?}"
    );
    assert!(problem.advice.contains("driver") && problem.advice.contains("cpu"), "{problem:?}");
    window.step();
    assert!(window.has_text("no CUDA driver") && window.has("Runs on cpu"));
    assert_eq!(window.app().settings.device, "cpu", "the choice is what runs");
    let frame = window.app().frame.frame;
    window.wait("frames", |app| app.frame.frame > frame + 3 && app.is_running());
    window.press("Dismiss");
    // The choice that takes a device only where there is one is no problem anywhere.
    let before = window.app().loaded.as_ref().unwrap().id;
    choose(&mut window, "auto");
    window.wait("the scene", |app| app.loaded.as_ref().unwrap().id > before);
    assert!(window.app().problem.is_none() && window.has("Runs on cpu"));
    assert_eq!(window.app().settings.device, "auto");
}

#[test]
fn a_device_remembered_from_another_machine_does_not_stop_the_start() {
    let mut storage = crate::settings::Storage::default();
    let settings = pd_viewer::app::Settings { device: "cuda".into(), ..Default::default() };
    eframe::set_value(&mut storage, "pd-viewer", &settings);
    let mut window = Window::stored("cloth", &storage);
    window.wait("the scene", |app| app.loaded.is_some());
    let loaded = window.app().loaded.clone().unwrap();
    assert_eq!(loaded.refused.is_some(), pd_cuda::devices().is_err(), "{:?}", loaded.refused);
    assert_eq!(loaded.refused, window.app().problem);
}
