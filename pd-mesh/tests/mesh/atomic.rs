//! Replacing files in one step, and the format from the extension.

use pd_mesh::io::{self, FileErrorKind};
use pd_mesh::{Mesh, generate};
use std::io::{Error, ErrorKind};
use std::path::Path;

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_replaced_whole() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.txt");
    for text in ["first, longer", "second"] {
        io::write_atomically(&path, |out| out.write_all(text.as_bytes())).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(dir.path()), ["out.txt"]);
    }
}

#[test]
fn a_failure_leaves_the_old_file_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out.txt");
    let fail = |path: &Path| {
        io::write_atomically(path, |out| {
            out.write_all(&[7; 100_000])?;
            Err(Error::new(ErrorKind::StorageFull, "full"))
        })
    };
    assert_eq!(fail(&path).unwrap_err().kind(), ErrorKind::StorageFull);
    assert!(names(dir.path()).is_empty());

    io::write_atomically(&path, |out| out.write_all(b"old")).unwrap();
    assert_eq!(fail(&path).unwrap_err().kind(), ErrorKind::StorageFull);
    assert_eq!(
        (names(dir.path()), std::fs::read(&path).unwrap()),
        (vec!["out.txt".to_owned()], b"old".to_vec())
    );

    let panicked = std::panic::catch_unwind(|| io::write_atomically(&path, |_| panic!("writer gives up")));
    assert!(panicked.is_err());
    assert_eq!(
        (names(dir.path()), std::fs::read(&path).unwrap()),
        (vec!["out.txt".to_owned()], b"old".to_vec())
    );

    // The rename itself fails: the target is a directory.
    let occupied = dir.path().join("dir");
    std::fs::create_dir(&occupied).unwrap();
    assert!(io::write_atomically(&occupied, |out| out.write_all(b"x")).is_err());
    assert_eq!(names(dir.path()), ["dir", "out.txt"]);
    assert_eq!(io::write_atomically("/", |_| Ok(())).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(
        io::write_atomically(dir.path().join("no/x"), |_| Ok(())).unwrap_err().kind(),
        ErrorKind::NotFound
    );
}

/// Others may read what they may read of any new file.
#[cfg(unix)]
#[test]
fn a_new_file_has_the_permissions_of_the_mask() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (plain, atomic) = (dir.path().join("plain"), dir.path().join("atomic"));
    std::fs::write(&plain, "x").unwrap();
    io::write_atomically(&atomic, |out| out.write_all(b"x")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&atomic), mode(&plain));
}

#[test]
fn paths_choose_the_format() {
    let dir = tempfile::tempdir().unwrap();
    let bar = generate::bar(1, 2, 1, 1.0).unwrap();
    let cloth = generate::grid(2, 2, 1.0, 1.0).unwrap();
    let at = |name: &str| dir.path().join(name);

    io::write_path(at("bar.mesh"), &bar).unwrap();
    assert_eq!(io::read_path(at("bar.mesh")).unwrap(), Mesh::Tet(bar.clone()));
    io::write_path(at("bar.OBJ"), &Mesh::Tet(bar.clone())).unwrap();
    assert_eq!(io::read_path(at("bar.OBJ")).unwrap(), Mesh::Tri(bar.surface_mesh()));
    io::write_path(at("cloth.mesh"), &cloth).unwrap();
    assert_eq!(io::read_path(at("cloth.mesh")).unwrap().into_tri(), Some(cloth.clone()));
    io::write_path(at("cloth.ply"), &cloth).unwrap();
    io::write_path(at("cloth.vtk"), &cloth).unwrap();

    assert_eq!(io::read_path(at("cloth.ply")).unwrap(), Mesh::Tri(cloth.clone()));
    assert_eq!(io::read_path(at("cloth.vtk")).unwrap(), Mesh::Tri(cloth.clone()));

    let error = io::read_path(at("cloth.usd")).unwrap_err();
    assert!(matches!(&error.kind, FileErrorKind::UnknownExtension { extension, .. } if extension == "usd"));
    assert!(error.to_string().contains("cloth.usd: extension \"usd\" is not known, obj, ply, stl, "));
    assert!(matches!(
        io::write_path(at("x"), &cloth).unwrap_err().kind,
        FileErrorKind::UnknownExtension { .. }
    ));
    let error = io::read_path(at("absent.obj")).unwrap_err();
    assert!(matches!(error.kind, FileErrorKind::Io { kind: ErrorKind::NotFound, .. }));
    assert!(error.to_string().contains("absent.obj: "));
}
