//! Tests of the laws that scenes name: what is built, that groups count, that every stepper takes them, and how faults are named.

use crate::scene::{Scene, SceneRun};
use crate::{ModelPaths, Registry, SceneError};
use pd_constraints::{Fabric, Material, NeoHookean, TetElastic};
use pd_core::{EnergyBatch, Model, Real, Vec3};

const BAR: &str = "shape = { kind = \"bar\", width = 1, height = 1, depth = 3, length = 0.3 }";
const SHEET: &str = "shape = { kind = \"grid\", rows = 4, columns = 4, width = 0.4, depth = 0.4 }";

fn scene(body: &str) -> Result<Scene, SceneError> {
    let text = format!("title = \"laws\"\n[[object]]\nname = \"body\"\n{body}\n");
    Scene::parse("laws.toml", &text, None, &ModelPaths::default())
}

fn model(body: &str) -> Model {
    scene(body).unwrap().model(0.0).unwrap()
}

fn kinds(model: &Model) -> Vec<&'static str> {
    model.batches().iter().map(|batch| batch.kind()).collect()
}

fn bent(x: &[Vec3]) -> Vec<Vec3> {
    x.iter().map(|p| Vec3::new(1.1 * p.x + 0.1 * p.z * p.z, p.y + 0.2 * p.x * p.z, 0.95 * p.z)).collect()
}

#[test]
fn every_law_of_solids_is_named() {
    for law in ["corotated", "st-venant-kirchhoff", "neo-hookean", "stable-neo-hookean"] {
        let model = model(&format!(
            "{BAR}\nmaterial = {{ young = 1e5, poisson = 0.4, density = 1000, law = \"{law}\" }}"
        ));
        assert_eq!(kinds(&model), [law]);
    }
    let plain = model(&format!("{BAR}\nmaterial = {{ young = 1e5, poisson = 0.4, density = 1000 }}"));
    assert_eq!(kinds(&plain), ["tet-strain", "volume"]);
}

#[test]
fn groups_change_the_material_of_their_elements() {
    let keys = "material = { young = 1e5, poisson = 0.3, density = 1000, law = \"neo-hookean\" }";
    let group = "[[object.group]]\nname = \"half\"\nwithin = [[-1, -1, -1], [1, 1, 0.051]]";
    let scene = scene(&format!("{BAR}\n{keys}\n{group}\nyoung = 4e5\npoisson = 0.45\nweight = 2.0")).unwrap();
    let model = scene.model(0.0).unwrap();
    let object = &scene.objects[0];
    let inside = object.group_elements("half");
    let pd_mesh::Mesh::Tet(mesh) = &object.mesh else { panic!("a bar is solid") };
    assert!(!inside.is_empty() && inside.len() < mesh.tets.len());
    let materials: Vec<Material> = (0..mesh.tets.len())
        .map(|e| match inside.contains(&e) {
            true => Material::new(8e5, 0.45, 1000.0).unwrap(),
            false => Material::new(1e5, 0.3, 1000.0).unwrap(),
        })
        .collect();
    let oracle = TetElastic::<NeoHookean>::new(&mesh.positions, &mesh.tets, &materials[..]).unwrap();
    let x = bent(&mesh.positions);
    let expected = oracle.energy(0..mesh.tets.len(), &x);
    assert!((model.elastic_energy(&x) / expected - 1.0).abs() < 1e-12);
}

#[test]
fn springs_bending_and_cloth_are_built_as_named() {
    for (keys, expected) in [
        ("edge = { weight = 10 }", vec!["edge"]),
        ("edge = { weight = 10, compression = 0.1 }", vec!["mass-spring"]),
        ("edge = { weight = 10, dead-zone = 0.02, every = 2 }", vec!["mass-spring"]),
        ("edge = { weight = 10 }\nbending-spring = { weight = 1 }", vec!["edge", "edge"]),
        ("bending = { weight = 1e-4, model = \"dihedral\" }", vec!["dihedral-bending"]),
        ("bending = { weight = 1e-4, model = \"isometric\" }", vec!["isometric-bending"]),
        ("woven = { warp = 1000, weft = 500, shear = 50 }", vec!["woven"]),
        ("fabric = \"denim\"", vec!["woven", "dihedral-bending"]),
    ] {
        assert_eq!(kinds(&model(&format!("{SHEET}\n{keys}"))), expected, "{keys}");
    }
    let all = model(&format!("{SHEET}\nedge = {{ weight = 10 }}")).constraints();
    let half = model(&format!("{SHEET}\nedge = {{ weight = 10, every = 2 }}")).constraints();
    assert_eq!(half, all.div_ceil(2));
    let mass: Real = model(&format!("{SHEET}\nfabric = \"wool\"")).masses().iter().sum();
    assert!((mass - 0.16 * Fabric::WOOL.density).abs() < 1e-12, "{mass}");
}

#[test]
fn the_warp_turns_with_the_shape() {
    let stretched = |x: &[Vec3], axis: usize| {
        let mut x = x.to_vec();
        x.iter_mut().for_each(|p| p[axis] *= 1.1);
        x
    };
    let keys = "woven = { warp = 1000, weft = 10, shear = 10 }";
    let plain = scene(&format!("{SHEET}\n{keys}")).unwrap();
    let turned = scene(&format!("{SHEET}\n{keys}\nrotate = {{ axis = [0, 0, 1], degrees = 90 }}")).unwrap();
    let energy =
        |scene: &Scene, axis| scene.model(0.0).unwrap().elastic_energy(&stretched(&scene.rest(), axis));
    assert!(energy(&plain, 0) > 50.0 * energy(&plain, 2));
    assert!((energy(&turned, 1) / energy(&plain, 0) - 1.0).abs() < 1e-9);
}

#[test]
fn every_stepper_takes_every_law() {
    let solid = |law: &str| {
        format!("{BAR}\nmaterial = {{ young = 1e5, poisson = 0.3, density = 1000, law = \"{law}\" }}")
    };
    let bodies = [
        solid("corotated"),
        solid("st-venant-kirchhoff"),
        solid("neo-hookean"),
        solid("stable-neo-hookean"),
        format!("{SHEET}\nfabric = \"cotton\""),
        format!(
            "{SHEET}\nedge = {{ weight = 100, compression = 0.2, dead-zone = 0.01 }}\nbending = {{ weight = 1e-5, model = \"isometric\" }}"
        ),
    ];
    let registry = Registry::standard();
    for body in bodies {
        let pin = "[[object.pin]]\nselect = { vertices = [0, 1] }\nweight = 1000";
        for stepper in [
            "pd",
            "pd-lbfgs",
            "newton",
            "descent",
            "admm",
            "admm-consensus",
            "fused-jacobi",
            "vbd",
            "xpbd",
            "xpbd-block",
            "pbd",
            "newton+bdf2",
            "xpbd+sub2",
        ] {
            let stepper_of = || registry.stepper(stepper, "cholesky").unwrap();
            let mut run =
                SceneRun::with_stepper(scene(&format!("{body}\n{pin}")).unwrap(), stepper_of()).unwrap();
            run.prepare().unwrap();
            let before = run.sim.state.x.clone();
            for _ in 0..2 {
                run.advance().unwrap_or_else(|error| panic!("{stepper}: {error}\n{body}"));
            }
            let moved = before.iter().zip(&run.sim.state.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
            assert!(moved > 1e-4 && moved < 0.1, "{stepper}: {moved}\n{body}");
        }
    }
}

#[test]
fn faults_are_named() {
    for (body, expected) in [
        (format!("{SHEET}\nfabric = \"denim\"\nmass = {{ total = 1 }}"), "leave out mass"),
        (
            format!("{SHEET}\nfabric = \"denim\"\nwoven = {{ warp = 1, weft = 1, shear = 1 }}"),
            "leave out woven",
        ),
        (format!("{SHEET}\nfabric = \"jute\""), "unknown variant `jute`"),
        (format!("{BAR}\nfabric = \"denim\""), "is for surfaces"),
        (format!("{BAR}\nbending-spring = {{ weight = 1 }}"), "is for surfaces"),
        (
            format!("{SHEET}\nwoven = {{ warp = 1, weft = 1, shear = 1, direction = [0, 0, 0] }}"),
            "woven.direction",
        ),
        (format!("{SHEET}\nwoven = {{ warp = 1, weft = 0, shear = 1 }}"), "weft stiffness"),
        (format!("{SHEET}\nedge = {{ weight = 1, compression = 2 }}"), "compression"),
        (format!("{SHEET}\nedge = {{ weight = 1, every = 0 }}"), "edge.every"),
        (
            format!(
                "{SHEET}\nbending = {{ weight = 1, model = \"dihedral\", laplacian = \"cotan-voronoi\" }}"
            ),
            "bending.laplacian",
        ),
        (
            format!(
                "{SHEET}\nmaterial = {{ young = 1, poisson = 0, density = 1, thickness = 1, law = \"corotated\" }}"
            ),
            "material.law",
        ),
        (format!("{BAR}\n[[object.group]]\nname = \"a\"\nvertices = [0]\nyoung = 1e5"), "group[0].young"),
    ] {
        let error = scene(&body).and_then(|scene| scene.model(0.0)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}\n{body}");
    }
}
