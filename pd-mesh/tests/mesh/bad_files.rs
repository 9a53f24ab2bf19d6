//! Files with defects: the exact kind of error, at the right line, and no panic on any bytes.

use pd_mesh::io::{FileError, FileErrorKind as Kind, read_medit, read_obj, write_medit, write_obj};
use pd_mesh::{Mesh, MeshError, generate};
use proptest::prelude::*;

fn not_a_number(found: &str, expected: &'static str) -> Kind {
    Kind::NotANumber { found: found.to_owned(), expected }
}

fn assert_error(error: FileError, file: &str, line: usize, kind: &Kind) {
    assert_eq!((&error.kind, error.line, error.file.as_str()), (kind, line, file));
    assert_eq!(error.to_string(), format!("{file}:{line}: {kind}"));
}

#[test]
fn obj_defects_are_named() {
    let coordinate = "a coordinate of a vertex";
    let index = "a vertex index of a face";
    let missing = |expected| Kind::MissingValue { expected };
    let outside = |index, vertices| Kind::IndexOutOfRange { index, vertices };
    let three = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let cases: Vec<(String, usize, Kind)> = vec![
        ("v 0 0\n".into(), 1, missing(coordinate)),
        ("# c\n\nv\n".into(), 3, missing(coordinate)),
        ("v 0 0 zero\n".into(), 1, not_a_number("zero", coordinate)),
        ("v 0 0 1,5\n".into(), 1, not_a_number("1,5", coordinate)),
        ("v 0 nan 0\n".into(), 1, Kind::NotFinite { found: "nan".into() }),
        ("v 0 0 0\rv 0 -inf 0\r".into(), 2, Kind::NotFinite { found: "-inf".into() }),
        ("v 1e999 0 0\n".into(), 1, Kind::NotFinite { found: "1e999".into() }),
        ("v 0 0 0 red\n".into(), 1, not_a_number("red", "a weight or colour after the coordinates")),
        (format!("{three}f 1 2\n"), 4, Kind::TooFewCorners { corners: 2 }),
        (format!("{three}f\n"), 4, Kind::TooFewCorners { corners: 0 }),
        (format!("{three}f 1 2 0\n"), 4, Kind::ZeroIndex),
        (format!("{three}f 1 2 4\n"), 4, outside(4, 3)),
        (format!("{three}\n\nf 1 2 3\nf 1 2 9\n"), 7, outside(9, 3)),
        (format!("{three}f 1 2 -4\n"), 4, outside(-4, 3)),
        (format!("{three}f 1 2 -9223372036854775808\n"), 4, outside(i64::MIN, 3)),
        (format!("{three}f 1 2 9223372036854775807\n"), 4, outside(i64::MAX, 3)),
        (format!("{three}f 1 2 99999999999999999999\n"), 4, not_a_number("99999999999999999999", index)),
        (format!("{three}f 1 2 3.0\n"), 4, not_a_number("3.0", index)),
        (format!("{three}f 1 2 /3\n"), 4, not_a_number("", index)),
        (format!("{three}f 1/1 2/2 3/x\n"), 4, not_a_number("x", "a texture or normal index of a face")),
        (format!("{three}f 1 2 3/1/1/1\n"), 4, not_a_number("3/1/1/1", index)),
        (format!("{three}f 1 \\\n 2 q\n"), 4, not_a_number("q", index)),
        (three.to_owned(), 3, Kind::Mesh(MeshError::NoElements { element: "triangle", vertices: 3 })),
        ("# nothing\n# here\n".into(), 2, Kind::Mesh(MeshError::NoVertices)),
        (String::new(), 1, Kind::Mesh(MeshError::NoVertices)),
    ];
    for (text, line, kind) in cases {
        let error = read_obj(text.as_bytes(), "bad.obj").expect_err(&text);
        assert_error(error, "bad.obj", line, &kind);
    }
    let error = read_obj(&b"v 0 \xff\xfe 0"[..], "bad.obj").unwrap_err();
    assert_error(error, "bad.obj", 1, &not_a_number("\u{fffd}\u{fffd}", coordinate));
}

#[test]
fn medit_defects_are_named() {
    let coordinate = "a coordinate of a vertex";
    let count = "the number of entries";
    let head = "MeshVersionFormatted 2\nDimension 3\n";
    let four = format!("{head}Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n");
    let cut = |section, read, declared| Kind::UnexpectedEnd { section, read, declared };
    let missing = |expected| Kind::MissingPart { expected };
    let cases: Vec<(String, usize, Kind)> = vec![
        (String::new(), 1, missing("MeshVersionFormatted")),
        ("v 0 0 0".into(), 1, Kind::WrongFormat { found: "v".into(), expected: "MeshVersionFormatted" }),
        ("MeshVersionFormatted".into(), 1, missing("the format version")),
        ("\nMeshVersionFormatted two".into(), 2, not_a_number("two", "the format version")),
        (
            "MeshVersionFormatted 9".into(),
            1,
            Kind::Unsupported { what: "MeshVersionFormatted", value: 9, supported: "version 1, 2, 3 or 4" },
        ),
        (
            "MeshVersionFormatted 1\nDimension\n2\n".into(),
            3,
            Kind::Unsupported { what: "Dimension", value: 2, supported: "dimension 3" },
        ),
        ("MeshVersionFormatted 1 Dimension".into(), 1, missing("the dimension")),
        (format!("{head}Vertices"), 3, missing(count)),
        (format!("{head}Vertices -1"), 3, not_a_number("-1", count)),
        (format!("{head}Vertices\nmany"), 4, not_a_number("many", count)),
        (
            format!("{head}Vertices 4294967295\n0 0 0 0\n"),
            3,
            Kind::CountTooLarge { section: "Vertices", declared: 4_294_967_295 },
        ),
        (
            format!("{head}Triangles 18446744073709551615\n"),
            3,
            Kind::CountTooLarge { section: "Triangles", declared: u64::MAX },
        ),
        (format!("{head}Vertices 99999999999999999999"), 3, not_a_number("99999999999999999999", count)),
        // A huge count in a tiny file must not reserve gigabytes.
        (format!("{head}Vertices 4000000000\n0 0 0 0\n0 0 0"), 5, cut("Vertices", 1, 4_000_000_000)),
        (format!("{head}Vertices 2\n0 0 0 0\n0 x 0 0\n"), 5, not_a_number("x", coordinate)),
        (format!("{head}Vertices 1\n0 0 1e400 0\n"), 4, Kind::NotFinite { found: "1e400".into() }),
        (format!("{head}Vertices 1\n0 0 0 0.5\n"), 4, not_a_number("0.5", "the reference of a vertex")),
        (
            format!("{head}Vertices 1\n0 0 0 0\n7\n"),
            5,
            Kind::WrongFormat { found: "7".into(), expected: "a keyword" },
        ),
        (format!("{head}Vertices 0\nEnd\n"), 4, Kind::Mesh(MeshError::NoVertices)),
        (format!("{head}End\n"), 3, Kind::Mesh(MeshError::NoVertices)),
        (format!("{four}Tetrahedra 2\n1 2 3 4 0\n1 2 3"), 11, cut("Tetrahedra", 1, 2)),
        (format!("{four}Tetrahedra 1\n1 2 3 4\n"), 10, cut("Tetrahedra", 0, 1)),
        (
            format!("{four}Tetrahedra 1\n1 2 3 4\nEnd\n"),
            11,
            not_a_number("End", "the reference of an element"),
        ),
        (format!("{four}Tetrahedra 1\n0 1 2 3 0\n"), 10, Kind::ZeroIndex),
        (
            format!("{four}Tetrahedra 2\n1 2 3 4 0\n1 2 3 5 0\n"),
            11,
            Kind::IndexOutOfRange { index: 5, vertices: 4 },
        ),
        (
            format!("{four}Triangles 1\n1 2 8 0\nTetrahedra 1\n1 2 3 4 0\nEnd"),
            10,
            Kind::IndexOutOfRange { index: 8, vertices: 4 },
        ),
        (format!("{four}Tetrahedra 1\n1 2 3 -4 0\n"), 10, not_a_number("-4", "a vertex index")),
        (format!("{four}Tetrahedra 1\n1 2 3 -9223372036854775808 0\n"), 10, {
            not_a_number("-9223372036854775808", "a vertex index")
        }),
        (
            format!("{four}Tetrahedra 1\n1 2 3 4294967297 0\n"),
            10,
            not_a_number("4294967297", "a vertex index"),
        ),
        (format!("{four}Vertices 1\n0 0 0 0\n"), 10, Kind::RepeatedSection { section: "Vertices" }),
        (format!("{four}End\n"), 9, Kind::Mesh(MeshError::NoElements { element: "triangle", vertices: 4 })),
        // Cut off at a section's end.
        (format!("{four}Triangles 1\n1 2 3 0\n"), 10, missing("Tetrahedra or End")),
        (format!("{four}Triangles 1\n1 2 3 0\nTetrahedra 0\n"), 11, missing("Tetrahedra or End")),
    ];
    for (text, line, kind) in cases {
        let error = read_medit(text.as_bytes(), "bad.mesh").expect_err(&text);
        assert_error(error, "bad.mesh", line, &kind);
    }
}

#[test]
fn a_failing_source_is_reported() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "gone"))
        }
    }
    let error = read_obj(std::io::BufReader::new(Broken), "net.obj").unwrap_err();
    assert_eq!(error.to_string(), "net.obj: gone");
    assert!(matches!(error.kind, Kind::Io { kind: std::io::ErrorKind::ConnectionReset, .. }));
}

/// A solid file in which every prefix but the harmless ones must be rejected.
#[test]
fn every_truncation_of_a_solid_is_refused_or_harmless() {
    let bar = generate::bar(1, 1, 2, 1.0).unwrap();
    let mut whole = Vec::new();
    write_medit(&mut whole, &bar).unwrap();
    for length in 0..whole.len() {
        match read_medit(&whole[..length], "cut.mesh") {
            Ok(mesh) => assert!(mesh == Mesh::Tet(bar.clone()) && whole.len() - length <= 6, "{length}"),
            Err(error) => assert!(error.line >= 1 && error.file == "cut.mesh"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn readers_survive_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_obj(&bytes[..], "x");
        let _ = read_medit(&bytes[..], "x");
    }

    #[test]
    fn readers_survive_any_words(words in prop::collection::vec(
        prop::sample::select(vec![
            "MeshVersionFormatted 2", "Dimension", "Vertices", "Triangles", "Tetrahedra", "Edges", "End", "v", "f", "0",
            "1", "2", "3", "-1", "1e308", "-9223372036854775808", "nan", "\n", "\r", "#", "\\\n", "\\", "/", "1//2",
            "\t", "4000000000",
        ]),
        0..60,
    )) {
        let text = words.join(" ");
        let _ = read_obj(text.as_bytes(), "x");
        let _ = read_medit(text.as_bytes(), "x");
        let _ = read_medit(format!("MeshVersionFormatted 1 {text}").as_bytes(), "x");
    }

    /// Whatever is accepted after random damage is still a valid mesh.
    #[test]
    fn damaged_files_give_errors_or_valid_meshes(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let bar = generate::bar(1, 1, 2, 1.0).unwrap();
        let (mut obj, mut medit) = (Vec::new(), Vec::new());
        write_obj(&mut obj, &bar).unwrap();
        write_medit(&mut medit, &bar).unwrap();
        for file in [&mut obj, &mut medit] {
            for (place, byte) in &damage {
                let at = place.index(file.len());
                file[at] = *byte;
            }
            if let Some(cut) = cut {
                file.truncate(cut.index(file.len()));
            }
        }
        if let Ok(mesh) = read_obj(&obj[..], "x") {
            prop_assert!(mesh.validate().is_ok());
        }
        match read_medit(&medit[..], "x") {
            Ok(Mesh::Tri(mesh)) => prop_assert!(mesh.validate().is_ok()),
            Ok(Mesh::Tet(mesh)) => prop_assert!(mesh.validate().is_ok()),
            Err(error) => prop_assert!(error.line >= 1),
        }
    }
}
