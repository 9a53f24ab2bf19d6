//! Files from strangers.

use crate::matrices::*;
use pd_linear::*;
use proptest::prelude::*;

#[test]
fn a_matrix_survives_writing_and_reading() {
    for (_, a) in zoo() {
        assert_eq!(parse_matrix_market(&format_matrix_market(&a), "a.mtx").unwrap(), a);
        assert_eq!(from_nalgebra(&to_nalgebra(&a).unwrap()).unwrap(), a);
    }
}

#[test]
fn faults_are_named_with_their_line() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for (text, line, part) in [
        ("", 1, "first line"),
        ("%%MatrixMarket matrix array real general\n2 2\n", 1, "array"),
        ("%%MatrixMarket matrix coordinate pattern general\n", 1, "pattern"),
        ("%%MatrixMarket matrix coordinate complex general\n", 1, "complex"),
        ("%%MatrixMarket matrix coordinate real hermitian\n", 1, "hermitian"),
        (head, 1, "missing"),
        (&format!("{head}% only\n\n3 4 1\n1 1 1\n"), 4, "square"),
        (&format!("{head}2 2\n"), 2, "rows, columns and entries"),
        (&format!("{head}2 2 -1\n"), 2, "rows, columns and entries"),
        (&format!("{head}9999999999 9999999999 1\n1 1 1\n"), 2, "32-bit"),
        (&format!("{head}4000000000 4000000000 1\n1 1 1\n"), 2, "incomplete"),
        (&format!("{head}2 2 18446744073709551615\n1 1 1\n"), 3, "announces"),
        (&format!("{head}2 2 2\n1 1 1\n0 2 1\n"), 4, "row 0"),
        (&format!("{head}2 2 2\n1 1 1\n2 3 1\n"), 4, "column 3"),
        (&format!("{head}2 2 2\n1 1 1\n2 2 nan\n"), 4, "finite"),
        (&format!("{head}2 2 2\n1 1 1\n2 2\n"), 4, "row, column and value"),
        (&format!("{head}2 2 2\n1 1 1\nx 2 1\n"), 4, "whole number"),
        (&format!("{head}2 2 2\n1 1 1\n2 2 1\n2 1 1\n"), 5, "more than"),
        (&format!("{head}2 2 3\n1 1 1\n2 2 1\n1 1 1\n"), 5, "line 3"),
    ] {
        match parse_matrix_market(text, "file.mtx") {
            Err(MatrixMarketError::Line { file, line: found, what }) => {
                assert_eq!((file.as_str(), found), ("file.mtx", line), "{text:?}: {what}");
                assert!(what.contains(part), "{what} should contain {part}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    assert!(matches!(read_matrix_market("no/such/file.mtx"), Err(MatrixMarketError::Io { .. })));
}

#[test]
fn upper_triangles_and_integers_are_read() {
    let text = "%%MatrixMarket MATRIX coordinate integer symmetric\n2 2 3\n1 1 2\n1 2 -1\n2 2 2\n";
    let a = parse_matrix_market(text, "a").unwrap();
    assert_eq!((a.get(0, 1), a.get(1, 0)), (-1.0, -1.0));
    // Both triangles of a symmetric file would count twice.
    let twice = text.replace("2 2 3\n", "2 2 4\n2 1 -1\n");
    assert!(parse_matrix_market(&twice, "a").is_err());
}

#[test]
fn rectangular_nalgebra_matrices_are_refused() {
    let coo = nalgebra_sparse::CooMatrix::<Real>::new(2, 3);
    let result = from_nalgebra(&nalgebra_sparse::CsrMatrix::from(&coo));
    assert!(matches!(result, Err(LinearError::Dimension { expected: 2, got: 3, .. })));
}

proptest! {
    #[test]
    fn garbage_is_refused_without_panic(
        tail in "[0-9 .eE+\\-\n%naif]{0,200}",
        symmetric in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let kind = if symmetric { "symmetric" } else { "general" };
        let text = format!("%%MatrixMarket matrix coordinate real {kind}\n{tail}");
        let _ = parse_matrix_market(&text, "garbage");
        let whole = format_matrix_market(&cloth(3, 2.0));
        let _ = parse_matrix_market(&whole[..cut.index(whole.len())], "cut");
    }
}
