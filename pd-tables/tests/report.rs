//! The report as a whole: structure, published figures, determinism, the HTML page.
#![allow(clippy::unwrap_used, reason = "tests fail loudly")]

use pd_sim::ModelPaths;
use pd_tables::published::{CONSENSUS, ENGINES, Fps, LOCAL_STEP, PARTICLES, SCENES, SOLVERS};
use pd_tables::{Cell, Effort, Id, Lab, Outcome, Report, Table};

/// Seconds, not minutes.
const TINY: Effort = Effort {
    name: "tiny",
    seconds: 0.01,
    frames: 5,
    curve_seconds: 0.02,
    curve_error: 1e-1,
    constraints: 20_000,
    settle_frames: 3,
    peer_seconds: 1,
};

fn make(ids: &[Id], only: &[&str]) -> Report {
    let models = ModelPaths::default();
    let mut lab = Lab::new(&models, TINY, 2, &|_| {}).unwrap();
    lab.only = only.iter().map(ToString::to_string).collect();
    pd_tables::report(&lab, ids, None).unwrap()
}

fn numbers(table: &Table, row: usize, columns: &[&str]) -> Vec<f64> {
    columns.iter().map(|name| table.cell(row, name).unwrap().value().unwrap_or(f64::NAN)).collect()
}

/// The figures of the theses, written a second time: a slip in either place shows.
#[test]
fn published_figures_are_those_of_the_theses() {
    let counts: Vec<[u64; 3]> = SCENES.iter().map(|s| s.counts).collect();
    assert_eq!(
        counts,
        [
            [882, 1600, 2845],
            [882, 1600, 2845],
            [19881, 39200, 59082],
            [1700, 3200, 6400],
            [680, 1280, 2340],
            [208, 540, 556],
            [189, 400, 418],
            [530, 1539, 1539],
            [10191, 29214, 30425],
            [2531, 8121, 8125],
            [41262, 167882, 167882],
            [15666, 49393, 51362],
        ]
    );
    let prepare: Vec<f64> = SCENES.iter().map(|s| s.prepare_ms).collect();
    assert_eq!(prepare, [39.0, 40.0, 595.0, 63.0, 32.0, 11.0, 12.0, 37.0, 935.0, 215.0, 56091.0, 6704.0]);
    let fps = |k: usize| SCENES.iter().map(|s| s.fps[k].cell().to_string()).collect::<Vec<_>>().join(" ");
    assert_eq!(fps(0), "200 200 52 91 >200 >200 >200 >200 62 83 8.1 45");
    assert_eq!(fps(1), ">200 >200 59 100 >200 >200 >200 >200 66 90 10.2 47");
    let particles: Vec<[u64; 4]> =
        PARTICLES.iter().map(|row| [row.counts[0], row.counts[1], row.counts[2], row.fps as u64]).collect();
    assert_eq!(
        particles,
        [
            [1412, 6144, 3076, 402],
            [1412, 6144, 3076, 399],
            [1412, 6144, 3076, 385],
            [760, 15360, 7690, 395],
            [16000, 0, 0, 117],
            [1170, 80000, 40004, 381],
            [25800, 1_156_000, 578_200, 66],
        ]
    );
    assert_eq!(LOCAL_STEP, [(8_000, 20.0), (16_000, 51.0), (40_000, 120.0), (78_000, 297.0)]);
    let solvers: Vec<String> = SOLVERS
        .iter()
        .map(|row| row.fps.iter().map(|fps| fps.cell().to_string()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        solvers,
        [
            "90 2 100 90 71",
            "75 out of memory 112 89 77",
            ">200 12 200 200 111",
            ">200 diverges 38 27 14",
            "83 diverges diverges diverges diverges",
        ]
    );
    assert_eq!((SOLVERS[1].iterations, SOLVERS[3].gamma), ((5, 200), Some(0.7)));
    assert_eq!(ENGINES.map(|row| row.2), [54.0, 48.0, 41.0, 21.0, 44.0, 17.0]);
    assert_eq!(CONSENSUS, [(10, 1.4, 2.7), (100, 22.0, 75.0), (200, 80.0, 353.0)]);
    assert_eq!(Fps::MoreThan(200.0).cell(), Cell::MoreThan(200.0));
}

#[test]
fn scenes_have_the_published_counts_and_missing_models_are_marked() {
    let report = make(&[Id::T71], &[]);
    let table = report.table("7.1").unwrap();
    assert_eq!(table.rows.len(), 12 + 3, "twelve scenes, and a twin for each of three models");
    for row in 0..table.rows.len() {
        let name = table.rows[row][0].to_string();
        let (published, here) = (
            numbers(table, row, &["vertices, published", "elements, published", "constraints, published"]),
            numbers(table, row, &["vertices, here", "elements, here", "constraints, here"]),
        );
        if name.ends_with("(twin)") {
            assert!(published.iter().zip(&here).all(|(p, h)| (h / p - 1.0).abs() < 0.05), "{name}: {here:?}");
        } else if ["Bunny", "Dragon", "Armadillo"].contains(&name.as_str()) {
            let cell = table.cell(row, "vertices, here").unwrap();
            assert_eq!(cell, &Cell::Outcome(Outcome::ModelNotPresent));
        } else {
            assert_eq!(published, here, "{name}");
        }
    }
}

#[test]
fn a_small_report_is_the_same_twice_but_for_its_timings() {
    let ids = [Id::T71, Id::T72, Id::T73, Id::T74, Id::T75, Id::T76];
    let (first, second) = (make(&ids, &["tubes"]), make(&ids, &["tubes"]));
    let fixed = |report: &Report| report.tables.iter().map(Table::without_timings).collect::<Vec<_>>();
    assert_eq!(fixed(&first), fixed(&second));
    let names: Vec<&str> = first.tables.iter().map(|t| t.id.as_str()).collect();
    assert_eq!(names, ["7.1", "7.2", "7.3", "7.4", "7.5", "7.4-equal", "7.6"]);
    let rates = first.table("7.2").unwrap();
    assert!(
        numbers(rates, 0, &["cholesky, 1 thread", "median", "prepare ms, panels"]).iter().all(|v| *v > 0.0)
    );
    assert_eq!(rates.cell(0, "device"), Some(&Cell::Outcome(Outcome::NoDevice)));
    assert!(
        matches!(rates.cell(0, "median / published min"), Some(Cell::AtMost(_))),
        "tubes: more than 200 FPS"
    );
    let local = first.table("7.3").unwrap();
    assert_eq!(local.rows.len(), 2, "8 and 16 thousand");
    let solvers = first.table("7.4").unwrap();
    let labels: Vec<String> = solvers.rows.iter().map(|row| row[1].to_string()).collect();
    assert_eq!(labels, ["Cholesky", "naive Jacobi", "A-Jacobi 1", "panels"]);
    assert!(matches!(solvers.cell(1, "FPS here, 2 threads"), Some(Cell::About(_))), "{solvers:?}");
    // Ten exact iterations leave the same error whether the factor is in double or in single precision.
    let error = |row: usize| solvers.cell(row, "error left").unwrap().value().unwrap();
    assert!((error(0) / error(3) - 1.0).abs() < 1e-3 && error(0) > 1e-4, "{} {}", error(0), error(3));
    let equal = first.table("7.4-equal").unwrap();
    let contenders = pd_sim::Registry::standard();
    let expected = contenders.solvers.names().filter(|n| !n.starts_with("dense")).count();
    assert!(equal.rows.len() > expected, "all solvers with pd, and the other steppers");
    check_page(&first);
}

/// Balanced elements, nothing from elsewhere, every table and picture inside.
fn check_page(report: &Report) {
    let page = report.html();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let fetched = ["<script", "<link", "<img", "<iframe", "@import", "url(", " src=", "https:", "http:"];
    for what in fetched {
        // The name of the SVG vocabulary is an identifier, not an address that is fetched.
        let text = page.replace("xmlns='http://www.w3.org/2000/svg'", "");
        assert!(!text.contains(what), "{what}");
    }
    let links: Vec<&str> = page.match_indices("href=\"").map(|(at, m)| &page[at + m.len()..][..1]).collect();
    assert!(!links.is_empty() && links.iter().all(|first| *first == "#"), "{links:?}");
    assert_eq!(page.matches("<svg").count(), report.figures.len());
    assert_eq!(page.matches("<h2").count(), report.tables.len());
    let mut open: Vec<String> = vec![];
    let body = &page["<!DOCTYPE html>".len()..];
    for tag in body.split('<').skip(1).map(|rest| rest.split_once('>').unwrap().0) {
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "closes what is open");
        } else if !tag.ends_with('/') && name != "meta" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn files_are_written_and_agree() {
    let report = make(&[Id::T71, Id::T73], &["bar"]);
    let directory = tempfile::tempdir().unwrap();
    let files = report.write(&directory.path().join("new")).unwrap();
    let names: Vec<String> = files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into()).collect();
    assert_eq!(
        names,
        ["report.md", "report.html", "table-7.1.csv", "table-7.3.csv", "figure-7.3-local-step.svg"]
    );
    let csv = std::fs::read_to_string(&files[2]).unwrap();
    assert_eq!(csv.lines().nth(1), Some("hanging bar,pd run bar,208,208,540,540,556,556,1,"));
    let json = report.json();
    assert_eq!(json["tables"][0]["rows"][0]["constraints, here"], 556);
    assert_eq!(json["settings"]["effort"], "tiny");
}

#[test]
fn particle_scenes_have_the_published_sizes() {
    let report = make(&[Id::Particles], &["particles-rigid", "particles-bunny-twin"]);
    let table = report.table("particles").unwrap();
    let promises = report.table("particles-promises").unwrap();
    assert_eq!(
        numbers(table, 0, &["particles, here", "faces, here", "vertices, here"]),
        [1412.0, 6144.0, 3076.0]
    );
    assert!(numbers(table, 0, &["ms a frame", "FPS, published"])[0] > 0.0);
    // Momentum is kept by the default solver.
    assert_eq!(promises.rows.len(), 2);
    for row in 0..2 {
        assert!(promises.cell(row, "unified-substep").unwrap().value().unwrap() < 1e-12);
    }
}

#[test]
fn continuous_detection_overlooks_nothing_and_the_mixed_scene_has_its_size() {
    let report = make(&[Id::Coupling], &["ccd", "mixed"]);
    let table = report.table("4.2").unwrap();
    let ours: Vec<usize> = (0..table.rows.len())
        .filter(|&row| table.cell(row, "µs a query here").unwrap().value().is_some())
        .collect();
    assert_eq!(ours.len(), 3);
    assert_eq!(numbers(table, ours[0], &["false negatives here"]), [0.0], "the safest method");
    let mixed = report.table("mixed").unwrap();
    for row in 0..mixed.rows.len() {
        let [fps, error] = numbers(mixed, row, &["FPS here", "error left"])[..] else {
            panic!("two numbers")
        };
        assert!(fps > 0.0 && error > 0.0 && error < 1.0, "{fps} {error}");
    }
    assert!(report.table("4.1").is_none(), "only what was asked for");
}
