//! Matrix Market coordinate files, <https://math.nist.gov/MatrixMarket/formats.html>.
//!
//! ```text
//! %%MatrixMarket matrix coordinate real symmetric
//! % a comment
//! 2 2 3
//! 1 1 2.0
//! 2 1 -1.0
//! 2 2 2.0
//! ```
//! Real or integer, general or symmetric. Of a symmetric file only one triangle is stored. Never panics, and never
//! allocates more than the length of the text justifies.

use pd_core::{Csr, LinearError, Real};
use std::fmt::Write as _;
use std::path::Path;

/// Why a file could not be read as a matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixMarketError {
    /// The file could not be read.
    #[error("{file}: {what}")]
    Io {
        /// Its path.
        file: String,
        /// What the system says.
        what: String,
    },
    /// A line is wrong.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// The line, from one.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The entries do not form a valid sparse matrix.
    #[error("{file}: {error}")]
    Matrix {
        /// The file.
        file: String,
        /// Why.
        error: LinearError,
    },
}

/// Reads a file.
pub fn read_matrix_market(path: impl AsRef<Path>) -> Result<Csr, MatrixMarketError> {
    let file = path.as_ref().display().to_string();
    match std::fs::read_to_string(&path) {
        Ok(text) => parse_matrix_market(&text, &file),
        Err(error) => Err(MatrixMarketError::Io { file, what: error.to_string() }),
    }
}

/// Reads text; `file` is the name used in errors.
///
/// ```
/// let text = "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n";
/// let a = pd_linear::parse_matrix_market(text, "two.mtx")?;
/// assert_eq!(a.get(0, 1), -1.0);
/// let error = pd_linear::parse_matrix_market(&text.replace("2 1 -1", "3 1 -1"), "two.mtx").unwrap_err();
/// assert_eq!(error.to_string(), "two.mtx:4: row 3 lies outside 1 to 2");
/// # Ok::<(), pd_linear::MatrixMarketError>(())
/// ```
pub fn parse_matrix_market(text: &str, file: &str) -> Result<Csr, MatrixMarketError> {
    let wrong = |line: usize, what: String| MatrixMarketError::Line { file: file.to_owned(), line, what };
    let mut lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
    let symmetric = parse_header(lines.next().map_or("", |line| line.1)).map_err(|what| wrong(1, what))?;
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));

    let Some((size_line, sizes)) = lines.next() else {
        return Err(wrong(1, "the line with rows, columns and entries is missing".to_owned()));
    };
    let (rows, entries) = parse_sizes(sizes).map_err(|what| wrong(size_line, what))?;
    // (row, column, line, value): the line identifies duplicates in the error.
    let mut found: Vec<(u32, u32, usize, Real)> = vec![];
    let mut last_line = size_line;
    for (line, text) in lines {
        last_line = line;
        if found.len() == entries {
            return Err(wrong(
                line,
                format!("more than the {entries} entries announced on line {size_line}"),
            ));
        }
        let (i, j, value) = parse_entry(text, rows).map_err(|what| wrong(line, what))?;
        // One triangle of a symmetric file is enough; which one does not matter.
        let (i, j) = if symmetric && j > i { (j, i) } else { (i, j) };
        found.push((i, j, line, value));
    }
    if found.len() < entries {
        let what = format!("{} entries, but line {size_line} announces {entries}", found.len());
        return Err(wrong(last_line, what));
    }
    // A positive definite matrix stores its diagonal; this also keeps a forged row count from costing memory.
    if rows > entries {
        return Err(wrong(
            size_line,
            format!("{rows} rows with {entries} entries: the diagonal is incomplete"),
        ));
    }
    found.sort_unstable_by_key(|&(i, j, line, _)| (i, j, line));
    if let Some(pair) = found.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
        let what =
            format!("entry ({}, {}) was given on line {} already", pair[1].0 + 1, pair[1].1 + 1, pair[0].2);
        return Err(wrong(pair[1].2, what));
    }
    let mut triplets: Vec<(u32, u32, Real)> = found.iter().map(|&(i, j, _, value)| (i, j, value)).collect();
    if symmetric {
        triplets.extend(found.iter().filter(|e| e.0 != e.1).map(|&(i, j, _, value)| (j, i, value)));
    }
    Csr::from_triplets(rows, &triplets)
        .map_err(|error| MatrixMarketError::Matrix { file: file.to_owned(), error })
}

/// Whether the file is symmetric.
fn parse_header(header: &str) -> Result<bool, String> {
    let words: Vec<String> = header.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
        return Err("the first line must be: %%MatrixMarket matrix coordinate real symmetric".to_owned());
    };
    if format != "coordinate" {
        return Err(format!("format {format:?} is not supported; it must be coordinate"));
    }
    if field != "real" && field != "integer" {
        return Err(format!("field {field:?} is not supported; it must be real or integer"));
    }
    match symmetry {
        "symmetric" => Ok(true),
        "general" => Ok(false),
        other => Err(format!("symmetry {other:?} is not supported; it must be symmetric or general")),
    }
}

fn parse_sizes(line: &str) -> Result<(usize, usize), String> {
    let numbers: Result<Vec<usize>, _> = line.split_whitespace().map(str::parse).collect();
    let Ok([rows, columns, entries]) = numbers.as_deref() else {
        return Err(format!("expected the numbers of rows, columns and entries, got {line:?}"));
    };
    if rows != columns {
        return Err(format!("{rows} rows and {columns} columns: the matrix must be square"));
    }
    if u32::try_from(*rows).is_err() {
        return Err(format!("{rows} rows exceed the range of 32-bit indices"));
    }
    Ok((*rows, *entries))
}

fn parse_entry(line: &str, rows: usize) -> Result<(u32, u32, Real), String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [row, column, value] = words[..] else {
        return Err(format!("expected row, column and value, got {line:?}"));
    };
    let index = |word: &str, what: &str| match word.parse::<usize>() {
        Ok(index) if (1..=rows).contains(&index) => Ok((index - 1) as u32),
        Ok(index) => Err(format!("{what} {index} lies outside 1 to {rows}")),
        Err(_) => Err(format!("{what} {word:?} is no whole number")),
    };
    let number = match value.parse::<Real>() {
        Ok(number) if number.is_finite() => number,
        _ => return Err(format!("value {value:?} is no finite number")),
    };
    Ok((index(row, "row")?, index(column, "column")?, number))
}

/// Writes the lower triangle of a symmetric matrix, with all digits.
pub fn format_matrix_market(a: &Csr) -> String {
    let lower = |i: usize| a.row(i).filter(move |&(j, _)| j <= i);
    let entries: usize = (0..a.rows()).map(|i| lower(i).count()).sum();
    let mut text =
        format!("%%MatrixMarket matrix coordinate real symmetric\n{n} {n} {entries}\n", n = a.rows());
    for i in 0..a.rows() {
        for (j, value) in lower(i) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {} {value:e}", i + 1, j + 1);
        }
    }
    text
}
