//! Parses the output of a peer program into a table row.

use super::PeerRow;
use super::child::End;
use crate::Outcome;
use crate::quality::Quality;

/// What a program printed and how it ended, as a row.
pub(super) fn answer(blank: PeerRow, text: &str, end: End, seconds: u64) -> PeerRow {
    let (mut row, mut begun) = (blank, "finished".to_owned());
    for line in text.lines().filter_map(read) {
        row.engine = line.engine;
        match line.says {
            Says::Begun(what) => begun = what,
            Says::Result { result, frames, note } => return PeerRow { result, frames, note, ..row },
        }
    }
    match end {
        End::Well => {}
        End::Failed(why) => row.result = Err(Outcome::Missing(why)),
        End::Late => row.result = Err(Outcome::Late { what: begun, seconds }),
    }
    row
}

/// A line of a peer.
#[derive(Debug, PartialEq)]
struct Line {
    engine: String,
    says: Says,
}

#[derive(Debug, PartialEq)]
enum Says {
    /// What it is at.
    Begun(String),
    /// A measurement, of how many frames it is, and what to know.
    Result { result: Result<(f64, Quality), Outcome>, frames: usize, note: String },
}

/// One line of an answer; lines that are not JSON objects are other output of the engine.
fn read(line: &str) -> Option<Line> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    let words = |key: &str| value.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let number = |key: &str| value.get(key).and_then(serde_json::Value::as_f64);
    let engine = words("engine")?;
    if let Some(what) = words("begun") {
        return Some(Line { engine, says: Says::Begun(what) });
    }
    let result = match (number("ms")?, number("p99")) {
        (ms, Some(p99)) if p99.is_finite() => {
            let inverted = number("inverted").map(|n| n as usize);
            Ok((ms, Quality { p99_edge_strain: p99, volume_ratio: number("volume"), inverted }))
        }
        _ => Err(Outcome::Diverges),
    };
    let (frames, note) = (number("frames")? as usize, words("note").unwrap_or_default());
    Some(Line { engine, says: Says::Result { result, frames, note } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blank() -> PeerRow {
        let result = Err(Outcome::Missing("none".into()));
        let (engine, settings, note) = ("E".into(), "s".into(), String::new());
        PeerRow { task: crate::peers::Task::Pair, engine, settings, result, frames: 0, part: None, note }
    }

    #[test]
    fn answers_are_read_and_chatter_is_not() {
        let row = |text: &str| answer(blank(), text, End::Well, 7);
        let good = "chatter\n{\"engine\":\"E 1\",\"frames\":4,\"ms\":2.0,\"p99\":0.5,\"volume\":0.9,\"inverted\":3,\"note\":\"n\"}\n";
        let quality = Quality { p99_edge_strain: 0.5, volume_ratio: Some(0.9), inverted: Some(3) };
        let good = row(good);
        assert_eq!((good.engine.as_str(), good.frames, good.note.as_str()), ("E 1", 4, "n"));
        assert_eq!(good.result, Ok((2.0, quality)));
        let wild = row(r#"{"engine":"E","frames":4,"ms":2.0,"p99":null}"#);
        assert_eq!(wild.result, Err(Outcome::Diverges));
        assert_eq!(row("").result, Err(Outcome::Missing("none".into())));
        assert_eq!(read("pybullet build time: now"), None);
    }

    #[test]
    fn what_was_begun_and_not_done_is_a_row() {
        let row = |end| {
            let text = "{\"engine\":\"E 2\",\"begun\":\"loaded\"}\n";
            answer(blank(), text, end, 7)
        };
        let late = Outcome::Late { what: "loaded".into(), seconds: 7 };
        assert_eq!(late.to_string(), "not loaded within 7 s");
        assert_eq!((row(End::Late).engine.as_str(), row(End::Late).result), ("E 2", Err(late)));
        assert_eq!(row(End::Failed("killed".into())).result, Err(Outcome::Missing("killed".into())));
    }
}
