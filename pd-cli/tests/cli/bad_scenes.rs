//! Scene files that are malformed, cut off, contradictory or out of range.

use crate::sandbox::{Report, Sandbox, run_with_all_outputs};

const SURFACE: &str = r#"title = "cloth"
frames = 2
[step]
dt = 0.01
[[object]]
name = "cloth"
shape = { kind = "grid", rows = 2, columns = 2 }
mass = { total = 0.1 }
edge = { weight = 10.0 }
pin = [{ select = { vertices = [0] }, weight = 100.0 }]
[[collider]]
kind = "sphere"
centre = [0.0, -1.0, 0.0]
radius = 0.3
[[force]]
kind = "push"
object = "cloth"
select = { vertices = [4] }
force = [0.0, 0.1, 0.0]
from = 0.0
to = 1.0
"#;

const SOLID: &str = r#"title = "bar"
frames = 2
[[object]]
name = "bar"
shape = { kind = "bar", width = 1, height = 1, depth = 2 }
tet = { weight = 100.0, min = 0.9, max = 1.1 }
"#;

/// What is wrong, the text replaced, its replacement, and words the message must have.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const SYNTAX: &[Case] = &[
    ("unknown key of the scene", "frames = 2", "frames = 2\nspeed = 3", &["scene.toml:3:1", "speed"]),
    ("unknown key of the step", "dt = 0.01", "dt = 0.01\ntimestep = 1", &["scene.toml:5:1", "timestep"]),
    ("unknown key of an object", "edge = {", "edges = {", &["scene.toml:", "edges"]),
    ("unknown key of a shape", "columns = 2", "columns = 2, height = 2", &["scene.toml:7", "height"]),
    ("unknown key of a pin", "weight = 100.0 }]", "weight = 1.0, mass = 2 }]", &["scene.toml:10", "mass"]),
    ("unknown key of a collider", "radius = 0.3", "radius = 0.3\ncolour = 1", &["scene.toml:", "colour"]),
    ("unknown key of a force", "to = 1.0", "to = 1.0\nuntil = 2", &["scene.toml:", "until"]),
    ("unknown kind of shape", "\"grid\"", "\"mesh\"", &["scene.toml:7", "mesh"]),
    ("unknown kind of collider", "\"sphere\"", "\"plane\"", &["scene.toml:", "plane"]),
    ("unknown kind of force", "\"push\"", "\"pull\"", &["scene.toml:", "pull"]),
    ("missing key", "name = \"cloth\"\n", "", &["scene.toml:5", "name"]),
    ("missing title", "title = \"cloth\"\n", "", &["scene.toml:1", "title"]),
    ("key given twice", "frames = 2", "frames = 2\nframes = 3", &["scene.toml:3:1", "duplicate"]),
    ("text for a number", "frames = 2", "frames = \"two\"", &["scene.toml:2:10", "two"]),
    ("negative count", "frames = 2", "frames = -2", &["scene.toml:2:10", "-2"]),
    ("two coordinates", "force = [0.0, 0.1, 0.0]", "force = [0.0, 0.1]", &["scene.toml:", "3"]),
    ("cut inside a string", "\"cloth\"\nframes", "\"clo\nframes", &["scene.toml:1"]),
    (
        "cut inside a table",
        "kind = \"grid\", rows = 2, columns = 2 }",
        "kind = \"grid\", ro",
        &["scene.toml:8"],
    ),
];

const VALUES: &[Case] = &[
    ("zero dt", "dt = 0.01", "dt = 0.0", &["scene.toml", "step.dt: is 0"]),
    ("negative dt", "dt = 0.01", "dt = -0.1", &["scene.toml", "step.dt: is -0.1"]),
    ("dt NaN", "dt = 0.01", "dt = nan", &["scene.toml", "step.dt: is NaN"]),
    ("dt infinite", "dt = 0.01", "dt = inf", &["scene.toml", "step.dt: is inf"]),
    ("dt whose square is zero", "dt = 0.01", "dt = 1e-200", &["scene.toml", "step.dt: is"]),
    (
        "unknown solver",
        "dt = 0.01",
        "dt = 0.01\n[solver]\nglobal = \"panel\"",
        &["scene.toml: solver.global: ", "did you mean \"panels\""],
    ),
    (
        "unknown stepper",
        "dt = 0.01",
        "dt = 0.01\n[solver]\nstepper = \"magic\"",
        &["scene.toml: solver.stepper: ", "magic", "pd-lbfgs"],
    ),
    ("no iterations", "dt = 0.01", "iterations = 0", &["scene.toml", "step", "iterations"]),
    ("countless iterations", "dt = 0.01", "iterations = 9223372036854775807", &["step", "iterations"]),
    ("no substeps", "dt = 0.01", "substeps = 0", &["scene.toml", "step.substeps"]),
    ("gravity NaN", "dt = 0.01", "gravity = [0.0, nan, 0.0]", &["scene.toml", "step.gravity: is NaN"]),
    ("negative damping", "dt = 0.01", "damping = -1.0", &["scene.toml", "step.damping: is -1"]),
    ("tolerance of one", "dt = 0.01", "tolerance = 1.0", &["scene.toml", "step.tolerance: is 1"]),
    ("zero weight", "weight = 10.0", "weight = 0.0", &["scene.toml", "\"cloth\".edge", "weight 0"]),
    ("negative weight", "weight = 10.0", "weight = -1.0", &["scene.toml", "\"cloth\".edge", "weight -1"]),
    ("weight NaN", "weight = 10.0", "weight = nan", &["scene.toml", "\"cloth\".edge", "weight NaN"]),
    ("weight infinite", "weight = 10.0", "weight = inf", &["scene.toml", "\"cloth\".edge", "weight inf"]),
    ("zero weight of a pin", "weight = 100.0", "weight = 0.0", &["\"cloth\".pin[0]", "weight 0"]),
    ("weight of a pin NaN", "weight = 100.0", "weight = nan", &["\"cloth\".pin[0]", "weight NaN"]),
    ("zero mass", "total = 0.1", "total = 0.0", &["scene.toml", "\"cloth\".mass.total", "is 0"]),
    ("negative mass", "total = 0.1", "per-vertex = -1.0", &["\"cloth\".mass.per-vertex", "is -1"]),
    ("density NaN", "total = 0.1", "density = nan", &["\"cloth\".mass.density", "is NaN"]),
    ("two masses", "total = 0.1", "total = 0.1, density = 1.0", &["\"cloth\".mass", "one of"]),
    ("pin of no vertex", "vertices = [0]", "vertices = []", &["\"cloth\".pin[0].select", "no vertex"]),
    ("pin out of range", "vertices = [0]", "vertices = [9]", &["pin[0].select", "vertex 9", "9"]),
    ("range out of range", "vertices = [0]", "ranges = [[0, 10, 1]]", &["pin[0].select", "[0, 10, 1]"]),
    ("range of step zero", "vertices = [0]", "ranges = [[0, 3, 0]]", &["pin[0].select", "[0, 3, 0]"]),
    ("range that falls", "vertices = [0]", "ranges = [[3, 1, 1]]", &["pin[0].select", "[3, 1, 1]"]),
    (
        "box NaN",
        "vertices = [0]",
        "within = [[nan, 0.0, 0.0], [1.0, 1.0, 1.0]]",
        &["pin[0].select.within", "NaN"],
    ),
    (
        "box with nothing in it",
        "vertices = [0]",
        "within = [[5.0, 5.0, 5.0], [6.0, 6.0, 6.0]]",
        &["pin[0].select", "no vertex"],
    ),
    ("list of pins not there", "vertices = [0]", "file = \"pins.txt\"", &["scene.toml", "pins.txt"]),
    (
        "released before the start",
        "weight = 100.0",
        "weight = 1.0, release = -1.0",
        &["pin[0].release", "-1"],
    ),
    (
        "path that goes back in time",
        "weight = 100.0",
        "weight = 1.0, path = [[1.0, 0, 0, 0], [0.5, 0, 0, 0]]",
        &["pin[0].path", "0.5"],
    ),
    ("empty name", "name = \"cloth\"", "name = \"\"", &["scene.toml", "name", "empty"]),
    ("scale zero", "edge = {", "scale = 0.0\nedge = {", &["\"cloth\".scale", "is 0"]),
    (
        "scale that overflows",
        "edge = {",
        "scale = 1e308\ntranslate = [1.7e308, 0.0, 0.0]\nedge = {",
        &["cloth"],
    ),
    ("no axis", "edge = {", "rotate = { axis = [0, 0, 0], degrees = 9 }\nedge = {", &["\"cloth\".rotate"]),
    ("moved to infinity", "edge = {", "translate = [inf, 0.0, 0.0]\nedge = {", &["\"cloth\".translate"]),
    ("no rows", "rows = 2", "rows = 0", &["\"cloth\".shape", "rows"]),
    ("negative width", "rows = 2", "rows = 2, width = -1.0", &["\"cloth\".shape", "-1"]),
    ("width NaN", "rows = 2", "rows = 2, width = nan", &["\"cloth\".shape", "NaN"]),
    ("too many vertices", "rows = 2", "rows = 4000000000", &["\"cloth\".shape"]),
    ("tetrahedra on a surface", "edge = {", "tet = {", &["\"cloth\".tet", "surface"]),
    (
        "unknown Laplacian",
        "edge = { weight = 10.0 }",
        "bending = { weight = 1, laplacian = \"x\" }",
        &["scene.toml:9", "x"],
    ),
    ("bending NaN", "edge = {", "bending = { weight = nan }\nedge = {", &["\"cloth\".bending", "NaN"]),
    (
        "range without 1",
        "edge = {",
        "triangle = { weight = 1.0, min = 1.1, max = 1.2 }\nedge = {",
        &["\"cloth\".triangle", "1.1"],
    ),
    (
        "material without thickness",
        "mass = { total = 0.1 }",
        "material = { young = 1e5, poisson = 0.3, density = 1.0 }",
        &["material.thickness"],
    ),
    (
        "material and mass",
        "edge = {",
        "material = { young = 1e5, poisson = 0.3, density = 1.0 }\nedge = {",
        &["\"cloth\".mass"],
    ),
    ("negative radius", "radius = 0.3", "radius = -0.3", &["collider[0]", "radius is -0.3"]),
    ("centre NaN", "centre = [0.0, -1.0", "centre = [nan, -1.0", &["collider[0]", "NaN"]),
    ("negative margin", "radius = 0.3", "radius = 0.3\nmargin = -1.0", &["collider[0]", "margin is -1"]),
    ("push on nobody", "object = \"cloth\"", "object = \"flag\"", &["force[0]", "flag", "cloth"]),
    ("push out of range", "vertices = [4]", "vertices = [90]", &["force[0].select", "90"]),
    ("push of infinite force", "force = [0.0, 0.1", "force = [inf, 0.1", &["force[0]", "inf"]),
    ("push that ends before it starts", "to = 1.0", "to = -1.0", &["force[0]", "-1"]),
    (
        "key of another kind of matter",
        "[step]",
        "[rigid]\nsubsteps = 4\n[step]",
        &["scene.toml:4: rigid.substeps: is taken by rigid bodies; the scene has none"],
    ),
    (
        "key without effect",
        "[step]",
        "contact = { mode = \"project\", start = \"ignore\" }\n[step]",
        &["scene.toml:3: contact.start: is taken by deformable bodies, with contact \"guard\""],
    ),
    (
        "contact that the stepper does not have",
        "[step]",
        "contact = \"guard\"\n[solver]\nstepper = \"xpbd\"\n[step]",
        &["solver.stepper", "does not support contact \"guard\""],
    ),
    ("unknown solver", "[step]", "[solver]\nglobal = \"magic\"\n[step]", &["magic", "cholesky"]),
    ("unknown stepper", "[step]", "[solver]\nstepper = \"magic\"\n[step]", &["magic", "pd"]),
    (
        "mesh not there",
        "kind = \"grid\", rows = 2, columns = 2",
        "kind = \"file\", file = \"flag.obj\"",
        &["scene.toml", "flag.obj", "--models"],
    ),
];

const SOLIDS: &[Case] = &[
    ("zero weight of tetrahedra", "weight = 100.0", "weight = 0.0", &["\"bar\".tet", "weight 0"]),
    ("range that starts at zero", "min = 0.9", "min = 0.0", &["\"bar\".tet", "[0, 1.1]"]),
    ("range upside down", "max = 1.1", "max = 0.95", &["\"bar\".tet", "0.95"]),
    ("triangles in a solid", "tet = {", "triangle = {", &["\"bar\".triangle", "solid"]),
    ("bending of a solid", "tet = {", "bending = { weight = 1.0 }\ntet = {", &["\"bar\".bending", "solid"]),
    (
        "material and tetrahedra",
        "tet = {",
        "material = { young = 1.0, poisson = 0.3, density = 1.0 }\ntet = {",
        &["\"bar\".material"],
    ),
    (
        "Poisson's ratio of a half",
        "tet = { weight = 100.0, min = 0.9, max = 1.1 }",
        "material = { young = 1.0, poisson = 0.5, density = 1.0 }",
        &["\"bar\".material", "0.5"],
    ),
    (
        "no stiffness",
        "tet = { weight = 100.0, min = 0.9, max = 1.1 }",
        "material = { young = 0.0, poisson = 0.3, density = 1.0 }",
        &["\"bar\".material", "Young"],
    ),
    (
        "thickness of a solid",
        "tet = { weight = 100.0, min = 0.9, max = 1.1 }",
        "material = { young = 1.0, poisson = 0.3, density = 1.0, thickness = 0.1 }",
        &["material.thickness"],
    ),
    (
        "wind on solids only",
        "frames = 2",
        "frames = 2\n[[force]]\nkind = \"wind\"\nstrength = 1.0\ndirection = [1, 0, 0]",
        &["force[0]", "no surface"],
    ),
    (
        "unknown asset",
        "kind = \"bar\", width = 1, height = 1, depth = 2",
        "kind = \"asset\", name = \"cow\"",
        &["\"bar\".shape.name", "cow"],
    ),
    (
        "two objects of one name",
        "[[object]]",
        "[[object]]\nname = \"bar\"\nshape = { kind = \"ball\", cells = 2 }\n[[object]]",
        &["object", "\"bar\"", "twice"],
    ),
    (
        "torus without a hole",
        "frames = 2",
        "frames = 2\n[[collider]]\nkind = \"torus\"\ncentre = [0, -3, 0]\nmajor-radius = 0.1\nminor-radius = 0.2",
        &["collider[0]", "torus"],
    ),
];

#[test]
fn wrong_scenes_are_refused() {
    let mut report = Report::default();
    for (base, cases) in [(SURFACE, SYNTAX), (SURFACE, VALUES), (SOLID, SOLIDS)] {
        let sandbox = Sandbox::new();
        sandbox.write("scene.toml", base);
        sandbox.good(&["run", "scene.toml"]); // what is varied below is sound
        for (what, from, to, words) in cases {
            assert!(base.contains(from), "{what}: {from:?} is not in the scene");
            sandbox.write("scene.toml", base.replacen(from, to, 1));
            // A file that is not there is a matter of --models.
            match what.ends_with("not there") {
                true => report.refuses(what, &sandbox, &run_with_all_outputs("scene.toml"), words),
                false => report.faults(what, &sandbox, "scene.toml", words),
            }
        }
    }
    report.finish(170);
}

#[test]
fn files_that_are_no_scenes_are_refused() {
    let mut report = Report::default();
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("directory.toml")).unwrap();
    for (file, content) in
        [("empty.toml", &b""[..]), ("binary.toml", b"\x00\xff\xfe\x9f"), ("text.toml", b"Dear sir")]
    {
        sandbox.write(file, content);
        match file {
            "binary.toml" => report.refuses(file, &sandbox, &run_with_all_outputs(file), &[file]),
            _ => report.faults(file, &sandbox, file, &[file]),
        }
    }
    sandbox.write("bare.toml", "title = \"nothing\"\n");
    report.faults("no object", &sandbox, "bare.toml", &["bare.toml", "object"]);
    report.refuses("directory", &sandbox, &run_with_all_outputs("directory.toml"), &["directory.toml"]);
    report.refuses("missing", &sandbox, &run_with_all_outputs("none.toml"), &["none.toml"]);
    report.refuses("unknown name", &sandbox, &run_with_all_outputs("clothes"), &["clothes", "cloth-pair"]);
    let words = ["bunny", "bunny_thesis_2531v_8121t.mesh", "PD_MODELS"];
    report.refuses("model not present", &sandbox, &run_with_all_outputs("bunny"), &words);
    report.finish(11);
}

#[test]
fn wrong_lists_of_pins_are_refused() {
    let mut report = Report::default();
    let sandbox = Sandbox::new();
    sandbox.write("scene.toml", SURFACE.replacen("vertices = [0]", "file = \"pins.txt\"", 1));
    sandbox.write("pins.txt", "# corners\n0 2\n");
    sandbox.good(&["run", "scene.toml"]);
    for (content, words) in [
        ("0\n1 two\n", ["pins.txt:2", "two"]),
        ("-1\n", ["pins.txt:1", "-1"]),
        ("0\n9\n", ["pin[0].select", "vertex 9"]),
        ("# none\n", ["pin[0].select", "no vertex"]),
    ] {
        sandbox.write("pins.txt", content);
        report.faults(content, &sandbox, "scene.toml", &words);
    }
    report.finish(8);
}
