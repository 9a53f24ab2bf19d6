//! Files that a scene names, when the scene moves to another directory.

use pd_sim::scene::SceneDesc;
use pd_sim::scene::desc::ShapeDesc;
use std::path::{Path, absolute};

/// Makes names of files relative to `from` absolute, so that a scene saved in `to` still finds them. Names that are found in
/// neither directory are those of models, which are searched elsewhere, and are unchanged.
pub fn keep_files(desc: &mut SceneDesc, from: &Path, to: &Path) {
    // The directory of a file that is named without one.
    let whole = |path: &Path| absolute(if path.as_os_str().is_empty() { Path::new(".") } else { path });
    let [Ok(from), Ok(to)] = [whole(from), whole(to)] else { return };
    if from == to {
        return;
    }
    let keep = |file: &mut String| {
        let path = from.join(&*file);
        if Path::new(&*file).is_relative() && path.is_file() {
            *file = path.display().to_string();
        }
    };
    for object in &mut desc.objects {
        if let ShapeDesc::File { file } = &mut object.shape {
            keep(file);
        }
        object.pins.iter_mut().filter_map(|pin| pin.select.file.as_mut()).for_each(keep);
        object.groups.iter_mut().filter_map(|group| group.file.as_mut()).for_each(keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::scene::parse_desc;

    #[test]
    fn files_beside_a_scene_are_kept_and_models_are_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("own.obj"), "").unwrap();
        std::fs::write(directory.path().join("list.txt"), "").unwrap();
        let text = |file: &str| {
            format!(
                "title = \"t\"\nsource = \"own\"\n[[object]]\nname = \"a\"\nshape = {{ kind = \"file\", file = {file:?} }}\n\
                 [[object.group]]\nname = \"g\"\nfile = \"list.txt\"\n"
            )
        };
        let mut own = parse_desc("t", &text("own.obj")).unwrap();
        let before = own.clone();
        keep_files(&mut own, directory.path(), directory.path());
        assert_eq!(own, before, "it stays where it is");
        keep_files(&mut own, directory.path(), Path::new("elsewhere"));
        let ShapeDesc::File { file } = &own.objects[0].shape else { panic!("a file") };
        assert_eq!(Path::new(file), absolute(directory.path().join("own.obj")).unwrap());
        assert!(Path::new(own.objects[0].groups[0].file.as_ref().unwrap()).is_absolute());
        let mut model = parse_desc("t", &text("bunny.obj")).unwrap();
        keep_files(&mut model, directory.path(), Path::new("elsewhere"));
        assert!(matches!(&model.objects[0].shape, ShapeDesc::File { file } if file == "bunny.obj"));
    }
}
