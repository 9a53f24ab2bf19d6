//! Random input: no panic, no growth. Recordings of every kind are begun and ended by chance meanwhile.
//!
//! The plain run sends 1,200 events. `PD_SOAK_SECONDS=60` makes it last a minute. At the end of each third the same scene
//! is opened and memory is compared like with like: the bytes in use, which are exact, and what is resident, which also
//! holds what the allocator and the graphics driver keep for later. The first third fills what is kept on purpose (textures,
//! fonts, pipelines, the steps to undo); after it neither may grow. The figures are written to `pd-viewer-soak.txt` in the
//! directory for temporary files.

use crate::common::Window;
use crate::counted::in_use;
use egui::{Event, Key, Modifiers, PointerButton, Pos2};
use pd_viewer::app::recording::Kind;
use pd_viewer::app::{Command, Settings};
use std::time::{Duration, Instant};

/// A small generator, so that a failure can be repeated (xorshift, Marsaglia 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// Resident memory of this process, bytes.
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

fn event(random: &mut Random, size: [f32; 2]) -> Event {
    const KEYS: [Key; 20] = [
        Key::Space,
        Key::Period,
        Key::R,
        Key::F,
        Key::H,
        Key::F1,
        Key::Q,
        Key::W,
        Key::E,
        Key::T,
        Key::B,
        Key::L,
        Key::P,
        Key::K,
        Key::J,
        Key::Escape,
        Key::Delete,
        Key::Tab,
        Key::Enter,
        Key::ArrowDown,
    ];
    let pos = Pos2::new(random.below(size[0] as u64) as f32, random.below(size[1] as u64) as f32);
    let modifiers = match random.below(8) {
        0 => Modifiers::SHIFT,
        1 => Modifiers::COMMAND,
        2 => Modifiers::ALT,
        _ => Modifiers::NONE,
    };
    let buttons =
        [PointerButton::Primary, PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle];
    match random.below(10) {
        0..=3 => Event::PointerMoved(pos),
        4..=6 => {
            let button = buttons[random.below(4) as usize];
            Event::PointerButton { pos, button, pressed: random.below(2) == 0, modifiers }
        }
        7 => Event::MouseWheel {
            unit: if random.below(2) == 0 { egui::MouseWheelUnit::Line } else { egui::MouseWheelUnit::Point },
            delta: egui::vec2(random.below(9) as f32 - 4.0, random.below(9) as f32 - 4.0),
            phase: egui::TouchPhase::Move,
            source: egui::MouseWheelSource::Unknown,
            modifiers,
        },
        8 => Event::Key {
            key: KEYS[random.below(20) as usize],
            physical_key: None,
            pressed: true,
            repeat: false,
            modifiers: if random.below(4) == 0 { Modifiers::COMMAND } else { Modifiers::NONE },
        },
        _ => Event::Text(["a", "1", ".", "e9", "-", "é"][random.below(6) as usize].to_owned()),
    }
}

/// Number of files in a directory and below.
fn walk(directory: &std::path::Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { walk(&path) } else { 1 }).sum()
}

/// Lets go of every button, so that the next click is a click.
fn release_all(window: &mut Window) {
    for button in [PointerButton::Primary, PointerButton::Secondary, PointerButton::Middle] {
        window.button(Pos2::new(400.0, 300.0), button, false, Modifiers::NONE);
    }
}

/// Bytes in use and bytes resident with a scene just opened and everything shown as at the start.
fn checkpoint(window: &mut Window) -> [u64; 2] {
    release_all(window);
    let app = window.app_mut();
    (app.problem, app.help, app.field) = (None, false, None);
    app.stop_recording();
    app.settings = Settings { real_time: false, panels: false, ..Settings::default() };
    app.options = app.settings.options();
    // New pools of one thread: chance may have requested two hundred, and every thread that has once multiplied matrices
    // keeps 4 MiB for the next time, so with more of them it would be chance how many have.
    let settings = &app.settings;
    for command in [
        Command::Threads(1),
        Command::Measure(settings.measure_every),
        Command::Contacts(settings.show_contacts),
        Command::RealTime(settings.real_time),
        Command::Field(None),
    ] {
        app.worker.send(command);
    }
    app.open("cloth");
    window.settle();
    window.run_frames(2);
    window.wait("recordings", |app| !app.recording.is_busy());
    // A preparation that was given up runs to the end of its stage; what pictures left to the device is freed by drawing.
    let mut least = [u64::MAX; 2];
    for _ in 0..60 {
        window.harness.render().expect("an adapter");
        std::thread::sleep(Duration::from_millis(20));
        least = [least[0].min(in_use() as u64), least[1].min(memory())];
    }
    window.app_mut().worker.send(Command::Threads(Settings::default().threads));
    least
}

#[test]
fn random_input_neither_panics_nor_leaks() {
    let size = [820.0, 520.0];
    let mut window = Window::sized("cloth", size);
    // Whatever is typed and clicked by chance, files end up here.
    let directory = tempfile::tempdir().unwrap();
    let home = std::env::current_dir().unwrap();
    std::env::set_current_dir(directory.path()).unwrap();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let long: Option<u64> = std::env::var("PD_SOAK_SECONDS").ok().and_then(|s| s.parse().ok());
    let (start, limit) = (Instant::now(), Duration::from_secs(long.unwrap_or(0)));
    let (mut events, mut recordings) = (0u32, 0u32);
    let (mut third, mut least, mut most) = (0, [u64::MAX; 3], [0u64; 3]);
    let mut ends = vec![];
    while events < 1200 || start.elapsed() < limit {
        for _ in 0..4 {
            let event = event(&mut random, size);
            window.harness.event(event);
            events += 1;
        }
        window.step();
        if events.is_multiple_of(80) {
            // Drawn now and then, as what is sent to the device is freed only by drawing.
            window.harness.render().expect("an adapter");
        }
        // Dialogs are no part of this, and what chance would seldom reach is done here.
        let app = window.app_mut();
        if events.is_multiple_of(60) {
            (app.settings.record_size, app.settings.record_frames) = ([96, 72], 1 + random.below(12));
            let before = app.recording.active().is_some();
            app.start_recording(Kind::ALL[random.below(6) as usize]);
            recordings += u32::from(!before && app.recording.active().is_some());
        }
        if events.is_multiple_of(200) {
            app.problem = None;
            app.open(["cloth", "cloth-pair", "bar", "bridge"][random.below(4) as usize]);
        }
        if long.is_some() {
            let now = memory();
            least[third] = least[third].min(now);
            most[third] = most[third].max(now);
            if third < 2 && start.elapsed() > limit * (third as u32 + 1) / 3 {
                ends.push(checkpoint(&mut window));
                third += 1;
            }
        }
    }
    window.app_mut().stop_recording();
    window.wait("recordings", |app| !app.recording.is_busy());
    assert!(window.app().recording.last.is_some() && recordings > 3, "{recordings} recordings");
    let files = walk(directory.path());
    std::env::set_current_dir(home).unwrap();
    let app = window.app();
    assert!(app.frame.x.iter().all(|x| x.iter().all(|c| c.is_finite())));
    if long.is_some() {
        ends.push(checkpoint(&mut window));
        let megabytes = |bytes: u64| (bytes as f64 / 1e5).round() / 10.0;
        let report = format!(
            "{events} events, {recordings} recordings, {files} files; MB in use and resident with the same scene after each third {:?}; least {:?} and most {:?} \
             MB resident within each third",
            ends.iter().map(|end| end.map(megabytes)).collect::<Vec<_>>(),
            least.map(megabytes),
            most.map(megabytes)
        );
        std::fs::write(std::env::temp_dir().join("pd-viewer-soak.txt"), &report).unwrap();
        let [_, [used, resident], [used_last, resident_last]] = ends[..] else {
            panic!("three thirds: {report}")
        };
        assert!(used_last < used + used / 20, "what is in use grows: {report}");
        assert!(resident_last < resident + resident / 10, "what is resident grows: {report}");
        assert!(least[2] < least[1] + least[1] / 10, "memory grows: {report}");
    }
    // The window still works.
    release_all(&mut window);
    window.app_mut().problem = None;
    window.app_mut().help = false;
    window.app_mut().open("cloth");
    window.settle();
    window.run_frames(2);
}
