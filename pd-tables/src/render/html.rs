//! A report as one HTML page: styles and pictures inside, no script, nothing fetched from elsewhere.

use super::markdown::used_columns;
use crate::plot::escape;
use crate::{Cell, Kind, Report, Table};
use std::fmt::Write;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1c2733;--page:#fff;--head:#f3f6f9;--rule:#e2e6ea;--strong:#93a1ae;--soft:#55616d;--link:#2060a8;--warn:#a04000}
@media(prefers-color-scheme:dark){:root{--ink:#dde4ea;--page:#14191e;--head:#1f272f;--rule:#313b45;--strong:#5d6b78;--soft:#a3afba;--link:#7db4f0;--warn:#f0a060}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:1440px;margin:0 auto;padding:clamp(12px,2vw,24px)}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:19px;line-height:1.3;margin:44px 0 6px;border-top:2px solid var(--link);padding-top:12px}
p{max-width:80ch;margin:6px 0}a{color:var(--link)}nav{margin:14px 0}nav a{margin-right:14px;display:inline-block}
.scroll{overflow-x:auto;margin:12px 0}table{border-collapse:collapse;font-size:13px;line-height:1.35}
th,td{padding:4px 6px;border-top:1px solid var(--rule);text-align:left;vertical-align:top}
th{background:var(--head);vertical-align:bottom;font-weight:600;max-width:92px;border-top:0}
.wide{font-size:12px}.wide th,.wide td{padding:4px}.wide th{max-width:72px}
td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.o{color:var(--warn);max-width:150px;min-width:62px}
td:first-child,td.s{white-space:nowrap}tr.first td{border-top-color:var(--strong)}
th:first-child,tr:not(.k) td:first-child{position:sticky;left:0}tr:not(.k) td:first-child{background:var(--page)}
tr.k td{border-top:0;padding-top:0;color:var(--soft);white-space:normal}
tr.k span{position:sticky;left:6px;display:inline-block;max-width:min(92ch,88vw)}
th.t::after{content:'\u{a0}*';color:var(--warn)}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;font-size:13px;margin:10px 0}
.facts dt,.note{color:var(--soft)}.facts dd{margin:0}.note{font-size:14px}
figure{margin:14px 0;overflow-x:auto;min-width:0}figure svg{width:100%;min-width:600px;max-width:860px;height:auto;border:1px solid var(--rule);background:#fff}
.pair{display:flex;flex-wrap:wrap;gap:14px}.pair figure{flex:1 1 min(480px,100%);margin:4px 0}
";

/// Texts of fewer letters are not broken into lines.
const SHORT: usize = 32;

pub(crate) fn page(report: &Report) -> String {
    let m = &report.machine;
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>pd: measured {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Published and measured</h1>\n<p>Made by <code>pd tables</code> on {}. Each table has the published figure, the \
         figure here and their ratio; ratios above 1 are in favour of this program. Columns with a star depend on the \
         machine and the moment; all others are the same on every run.</p>\n",
        escape(&m.date),
        escape(&m.date)
    );
    let memory = format!("{} GB", m.memory_gb);
    let device = m.device.clone().unwrap_or_else(|| "none".into());
    let machine = format!("{}, {} threads, {}", m.processor, m.threads, m.simd);
    let facts = [
        ("machine", machine),
        ("memory", memory),
        ("system", m.system.clone()),
        ("CUDA device", device),
        ("version", m.version.clone()),
        ("revision", m.revision.clone()),
    ];
    out.push_str("<dl class=\"facts\">\n");
    let settings = report.settings.iter().map(|(name, value)| (name.as_str(), value.clone()));
    for (name, value) in facts.into_iter().chain(settings) {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(&value));
    }
    out.push_str("</dl>\n<nav>");
    for table in &report.tables {
        let _ = write!(out, "<a href=\"#t{}\">{}</a>", table.id, table.id);
    }
    out.push_str("</nav>\n");
    for table in &report.tables {
        section(&mut out, report, table);
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn section(out: &mut String, report: &Report, table: &Table) {
    let _ = write!(
        out,
        "<h2 id=\"t{}\">{}</h2>\n<p>{}</p>\n",
        table.id,
        escape(&table.title),
        code(&escape(&table.about))
    );
    let figures: Vec<_> = report.figures.iter().filter(|f| f.table == table.id).collect();
    let pairs = figures.len() > 1;
    if pairs {
        out.push_str("<div class=\"pair\">\n");
    }
    for figure in figures {
        let _ = write!(out, "<figure id=\"f{}\">\n{}</figure>\n", figure.id, figure.drawing.svg());
    }
    if pairs {
        out.push_str("</div>\n");
    }
    // A note takes a line of its own below its row: as a column it would be cut off where the others fill the page.
    let (notes, used): (Vec<usize>, Vec<usize>) =
        used_columns(table).into_iter().partition(|&c| table.columns[c].name == "note");
    // Many columns stand closer, so that they fit the page of a laptop.
    let class = if used.len() > 12 { " class=\"wide\"" } else { "" };
    let _ = write!(out, "<div class=\"scroll\"><table{class}>\n<thead><tr>");
    for &c in &used {
        let class = if table.columns[c].kind == Kind::Timing { " class=\"t\"" } else { "" };
        let _ = write!(out, "<th{class}>{}</th>", escape(&table.columns[c].name));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    let mut last = None;
    for row in &table.rows {
        // A line above each new scene where a scene has several rows.
        let begins = last.is_some() && last != row.first();
        last = row.first();
        out.push_str(if begins { "<tr class=\"first\">" } else { "<tr>" });
        for &c in &used {
            let class = match &row[c] {
                cell if cell.is_numeric() => " class=\"n\"",
                // "no device" and "diverges" stay on one line.
                Cell::Outcome(outcome) if outcome.to_string().len() < 12 => " class=\"o s\"",
                Cell::Outcome(_) => " class=\"o\"",
                Cell::Text(words) if words.chars().count() < SHORT => " class=\"s\"",
                _ => "",
            };
            let _ = write!(out, "<td{class}>{}</td>", escape(&row[c].to_string()));
        }
        out.push_str("</tr>\n");
        for note in notes.iter().map(|&c| &row[c]).filter(|note| **note != Cell::Empty) {
            let words = escape(&note.to_string());
            let _ = writeln!(
                out,
                "<tr class=\"k\"><td colspan=\"{}\"><span>{words}</span></td></tr>",
                used.len()
            );
        }
    }
    out.push_str("</tbody>\n</table></div>\n");
    for note in &table.notes {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", code(&escape(note)));
    }
}

/// Words between back quotes as code.
fn code(text: &str) -> String {
    let mut parts = text.split('`');
    let mut out = parts.next().unwrap_or("").to_owned();
    while let Some(inside) = parts.next() {
        let _ = write!(out, "<code>{inside}</code>{}", parts.next().unwrap_or(""));
    }
    out
}
