//! Wrong flags, places that cannot be written, and checkpoints that do not fit.

use crate::sandbox::{Report, Sandbox};

#[test]
fn wrong_flags_are_refused() {
    let sandbox = Sandbox::new();
    let mut report = Report::default();
    let cases: &[(&[&str], &[&str])] = &[
        (&[], &["Usage"]),
        (&["simulate"], &["simulate"]),
        (&["run"], &["SCENE"]),
        (&["run", "bar", "--frame", "3"], &["--frame"]),
        (&["run", "bar", "--frames", "-1"], &["-1"]),
        (&["run", "bar", "--frames", "many"], &["many", "--frames"]),
        (&["run", "bar", "--frames", "1", "--threads", "0"], &["--threads"]),
        (&["run", "bar", "--frames", "1", "--threads", "100000"], &["--threads", "1024"]),
        (&["run", "bar", "--frames", "1", "--trace", "a", "--positions", "a"], &["a:", "two outputs"]),
        (&["run", "bar", "--frames", "1", "--every", "0", "--out", "frames"], &["--every"]),
        (&["run", "bar", "--frames", "1", "--iterations", "0"], &["iterations"]),
        (&["run", "bar", "--frames", "1", "--iterations", "18446744073709551615"], &["iterations"]),
        (&["run", "bar", "--frames", "1", "--dt", "0"], &["step.dt: is 0"]),
        (&["run", "bar", "--frames", "1", "--dt=-0.1"], &["step.dt: is -0.1"]),
        (&["run", "bar", "--frames", "1", "--dt", "nan"], &["step.dt: is NaN"]),
        (&["run", "bar", "--frames", "1", "--dt", "soon"], &["soon", "--dt"]),
        (&["run", "bar", "--frames", "1", "--format", "stl", "--out", "frames"], &["stl", "vtk"]),
        (&["run", "bar", "--frames", "1", "--set", "step.dt=0"], &["step.dt: is 0"]),
        (&["run", "bar", "--frames", "1", "--set", "object.bar.scale=-1"], &["\"bar\".scale", "is -1"]),
        (
            &["run", "bar", "--frames", "1", "--rigid", "xpbd"],
            &["--rigid (rigid.solver): is taken by rigid bodies"],
        ),
        (
            &["run", "sand", "--iterations", "50"],
            &["--iterations", "taken by deformable bodies; the scene has none"],
        ),
        (&["run", "pyramid", "--stepper", "magic", "--global", "magic"], &["is taken by deformable bodies"]),
        (
            &["run", "bar", "--set", "step.iterations=5", "--iterations", "5"],
            &["step.iterations: is given twice"],
        ),
        (
            &["run", "bar", "--stepper", "newton", "--contact", "guard"],
            &["solver.stepper", "does not support contact"],
        ),
        (&["keys", "rigidd"], &["no key begins with"]),
        (&["run", "bar", "--frames", "1", "--global", "magic"], &["magic", "cholesky"]),
        (&["run", "bar", "--frames", "1", "--stepper", "magic"], &["magic", "pd"]),
        (&["run", "clothes", "--json"], &["clothes", "cloth"]),
        (&["picture", "bar"], &["--out"]),
        (&["picture", "bar", "--frame", "1", "--size", "0x0", "--out", "a.png"], &["0x0"]),
        (&["picture", "bar", "--frame", "1", "--size", "large", "--out", "a.png"], &["large"]),
        (&["picture", "bar", "--frame", "1", "--size", "99999x99999", "--out", "a.png"], &["99999"]),
        (&["picture", "bar", "--frame", "1", "--view", "up", "--out", "a.png"], &["up"]),
        (&["picture", "clothes", "--out", "a.png"], &["clothes"]),
        (&["picture", "bar", "--frame", "1", "--out", "a.jpg"], &["a.jpg", ".png"]),
        (&["picture", "bar", "--frame", "1", "--out", "a"], &[".png"]),
        (&["scenes", "--xml"], &["--xml"]),
        (&["tables", "7.9", "--out", "report"], &["7.9", "7.1, 7.2, 7.3, 7.4, 7.5, 7.6, 4.1", "all"]),
        (&["tables", "7.1", "--only", "clothes", "--out", "report"], &["clothes", "cloth-pair"]),
        (&["tables", "7.1", "--threads", "0"], &["--threads"]),
        (&["tables", "7.1", "--update-docs", "nowhere", "--out", "report"], &["nowhere", "README.md"]),
        (&["compare", "bar", "--with", "pd/magic", "--out", "c"], &["magic", "cholesky"]),
        (&["compare", "bar", "--with", "magic/panels", "--out", "c"], &["magic", "pd-lbfgs"]),
        (&["compare", "bar", "--with", "pd/panels/x", "--out", "c"], &["pd/panels/x", "stepper/global"]),
        (&["compare", "clothes"], &["clothes", "cloth"]),
        (&["compare", "bar", "--seconds", "0"], &["--seconds"]),
    ];
    for (arguments, words) in cases {
        report.refuses(&arguments.join(" "), &sandbox, arguments, words);
    }
    report.finish(35);
}

/// The tests may run as root, whom no permission stops; a file in place of a directory and the other way round stop
/// everybody.
#[test]
fn outputs_that_cannot_be_written_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("file", "precious");
    std::fs::create_dir_all(sandbox.path("frames/frame_00000.obj")).unwrap();
    let mut report = Report::default();
    for flag in ["--positions", "--checkpoint", "--trace"] {
        for place in ["file/a", "none/a", "frames"] {
            let arguments = ["run", "bar", "--frames", "1", "--positions", "good.txt", flag, place];
            // A flag given twice is rejected as well, so the good one is left out where it would be.
            let arguments = if flag == "--positions" {
                [&arguments[..4], &arguments[6..]].concat()
            } else {
                arguments.to_vec()
            };
            report.refuses(&format!("{flag} {place}"), &sandbox, &arguments, &[place]);
        }
    }
    for place in ["file", "file/frames"] {
        let arguments = ["run", "bar", "--frames", "1", "--positions", "good.txt", "--out", place];
        report.refuses(&format!("--out {place}"), &sandbox, &arguments, &[place]);
    }
    let arguments = ["run", "bar", "--frames", "1", "--positions", "good.txt", "--out", "frames"];
    report.refuses("a directory where a frame goes", &sandbox, &arguments, &["frame_00000.obj"]);
    std::fs::create_dir(sandbox.path("folder.png")).unwrap();
    for place in ["file/a.png", "none/a.png", "folder.png"] {
        let arguments = ["picture", "bar", "--frame", "1", "--out", place];
        report.refuses(&format!("picture {place}"), &sandbox, &arguments, &[place]);
    }
    assert_eq!(sandbox.read("file"), "precious");
    report.finish(15);
}

#[test]
fn checkpoints_that_do_not_fit_are_refused() {
    let sandbox = Sandbox::new();
    let mut report = Report::default();
    sandbox.good(&["run", "bar", "--frames", "2", "--checkpoint", "good.pdc"]);
    let good = std::fs::read(sandbox.path("good.pdc")).unwrap();
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    sandbox.write("cut.pdc", &good[..good.len() - 9]);
    sandbox.write("flipped.pdc", &flipped);
    sandbox.write("longer.pdc", [&good[..], b"x"].concat());
    sandbox.write("text.pdc", "frame 2");
    sandbox.write("empty.pdc", "");
    std::fs::create_dir(sandbox.path("directory.pdc")).unwrap();
    let resume = |file: &'static str| {
        ["run", "bar", "--frames", "3", "--positions", "p.txt", "--out", "frames", "--resume", file]
    };
    for (file, word) in [
        ("cut.pdc", "bytes"),
        ("flipped.pdc", "damaged"),
        ("longer.pdc", "bytes"),
        ("text.pdc", "not a checkpoint"),
        ("empty.pdc", "not a checkpoint"),
        ("directory.pdc", "irectory"),
        ("none.pdc", "none.pdc"),
    ] {
        report.refuses(file, &sandbox, &resume(file), &[file, word]);
    }
    let mut other = resume("good.pdc");
    other[1] = "bridge";
    report.refuses("of another scene", &sandbox, &other, &["bridge", "another scene"]);
    other_connectivity(&mut report);
    let changed = [&resume("good.pdc")[..], &["--dt", "0.01"]].concat();
    report.refuses("of another time step", &sandbox, &changed, &["bar", "other parameters"]);
    report.finish(10);
}

/// The same vertices connected in another way are another body.
fn other_connectivity(report: &mut Report) {
    let sandbox = Sandbox::new();
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\n";
    let shape = "shape = { kind = \"file\", file = \"sheet.obj\" }\nedge = { weight = 10.0 }\n";
    sandbox.write("sheet.toml", format!("title = \"sheet\"\n[[object]]\nname = \"sheet\"\n{shape}"));
    sandbox.write("sheet.obj", format!("{vertices}f 1 3 2\nf 2 3 4\n"));
    sandbox.good(&["run", "sheet.toml", "--frames", "1", "--checkpoint", "one.pdc"]);
    let resume = ["run", "sheet.toml", "--frames", "2", "--positions", "p.txt", "--resume", "one.pdc"];
    sandbox.write("sheet.obj", format!("{vertices}f 1 3 4\nf 1 4 2\n"));
    report.refuses("of another connectivity", &sandbox, &resume, &["sheet.toml", "another scene"]);
}
