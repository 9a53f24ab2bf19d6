//! Built-in scenes: each is read, builds where its files are present, and has exactly the published counts; generated
//! twins are of the size of what they stand for; a scene whose model is not present says which file it wants; and a
//! description survives being written and read again.

use pd_sim::scene::{Builtin, Scene, SceneDesc, builtins, desc::ShapeDesc};
use pd_sim::{ModelPaths, SceneError};
use tests::model_paths;

fn needs_file(desc: &SceneDesc) -> Option<&str> {
    let shapes = desc.objects.iter().map(|object| &object.shape);
    let sampled = desc.particles.iter().filter_map(|set| set.shape.as_ref());
    shapes.chain(sampled).find_map(|shape| match shape {
        ShapeDesc::File { file } => Some(file.as_str()),
        _ => None,
    })
}

fn counts(scene: &Scene) -> [usize; 3] {
    [scene.vertices(), scene.elements(), scene.model(0.0).unwrap().constraints()]
}

fn published(desc: &SceneDesc) -> Option<[usize; 3]> {
    desc.published.map(|p| [p.vertices, p.elements, p.constraints])
}

#[test]
fn every_scene_file_is_built_in_once() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let mut names: Vec<_> = builtins().iter().map(|builtin| builtin.name).collect();
    names.sort_unstable();
    assert_eq!(names, files);
    assert_eq!(builtins()[0].name, "cloth", "the newcomer's scene comes first");
}

#[test]
fn counts_are_the_published_ones() {
    let mut compared = 0;
    for builtin in builtins() {
        let desc = builtin.desc().unwrap();
        match Scene::load(builtin.name, &model_paths()) {
            Ok(scene) => {
                if let Some(expected) = published(&desc) {
                    assert_eq!(counts(&scene), expected, "{}", builtin.name);
                    compared += 1;
                }
            }
            Err(SceneError::ModelNotPresent { wanted, .. }) => {
                assert!(needs_file(&desc).is_some(), "{}", builtin.name);
                println!("skipped: {} needs {wanted}, which is in no directory of PD_MODELS", builtin.name);
            }
            Err(error) => panic!("{}: {error}", builtin.name),
        }
    }
    println!("{compared} scenes have exactly the published counts");
    assert!(compared >= 9, "the generated rows of table 7.1 alone are nine");
}

#[test]
fn twins_are_of_the_size_of_their_models() {
    let desc = |name: &str| builtins().iter().find(|b| b.name == name).map(|b: &Builtin| b.desc().unwrap());
    let mut compared = 0;
    for (name, original) in builtins().iter().filter_map(|b| Some((b.name, b.name.strip_suffix("-twin")?))) {
        let Some(expected) = published(&desc(original).unwrap()) else { continue };
        let twin = counts(&Scene::load(name, &ModelPaths::default()).unwrap());
        for (got, expected) in twin.iter().zip(expected) {
            let off = (*got as f64 / expected as f64 - 1.0).abs();
            assert!(off <= 0.05, "{name}: {twin:?} is {:.1} % off a published count", 100.0 * off);
        }
        compared += 1;
    }
    assert!(compared >= 3);
}

#[test]
fn a_missing_model_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let nowhere = ModelPaths::new([empty.path().to_owned()]);
    let mut missing = 0;
    for builtin in builtins() {
        let desc = builtin.desc().unwrap();
        let Some(file) = needs_file(&desc) else { continue };
        missing += 1;
        let error = Scene::load(builtin.name, &nowhere).unwrap_err();
        let SceneError::ModelNotPresent { wanted, searched, .. } = &error else { panic!("{error}") };
        assert_eq!(wanted, file);
        assert!(searched.contains(&empty.path().display().to_string()));
        let message = error.to_string();
        for part in [builtin.name, file, "--models", "PD_MODELS"] {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }
    assert!(missing >= 5, "only {missing} scenes need a model");
}

#[test]
fn descriptions_survive_writing_and_reading() {
    for builtin in builtins() {
        let desc = builtin.desc().unwrap();
        let text = toml::to_string(&desc).unwrap();
        let again = pd_sim::scene::parse_desc(builtin.name, &text).unwrap();
        assert_eq!(again, desc, "{}:\n{text}", builtin.name);
    }
}
