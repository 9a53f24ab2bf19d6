//! Horizontal bars in groups, on a logarithmic axis.

use super::drawing::{Anchor, Drawing, Shape};
use super::{COLOURS, decade_label, decades};
use crate::cell::significant;

/// The bars of one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name on the left.
    pub name: String,
    /// One value per series; `None` where there is none, and a word for it.
    pub values: Vec<Result<f64, String>>,
}

/// A bar chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Title on top.
    pub title: String,
    /// Label of the axis.
    pub x: String,
    /// Names of the series.
    pub series: Vec<String>,
    /// The groups, top first.
    pub groups: Vec<Group>,
}

const LEFT: f64 = 150.0;
const RIGHT: f64 = 760.0;
const TOP: f64 = 66.0;
const BAR: f64 = 11.0;
const GAP: f64 = 10.0;

impl Bars {
    /// The picture as shapes.
    pub fn drawing(&self) -> Drawing {
        let group_height = self.series.len() as f64 * BAR + GAP;
        let bottom = TOP + self.groups.len() as f64 * group_height;
        let values =
            self.groups.iter().flat_map(|g| g.values.iter().filter_map(|v| v.as_ref().ok().copied()));
        let (x0, x1) = decades(values);
        let px = |x: f64| LEFT + (x.log10() - f64::from(x0)) / f64::from(x1 - x0) * (RIGHT - LEFT);
        let mut page = Drawing::new(860.0, bottom + 50.0);
        page.shapes.push(Shape::Text((LEFT, 24.0), self.title.clone(), 15.0, Anchor::Start, false));
        let mut at = LEFT;
        for (k, name) in self.series.iter().enumerate() {
            page.shapes.push(Shape::Rect([at, 38.0, 12.0, 12.0], COLOURS[k % COLOURS.len()]));
            page.text((at + 17.0, 48.0), name.clone(), Anchor::Start);
            at += 34.0 + 6.6 * name.chars().count() as f64;
        }
        for decade in x0..=x1 {
            let x = px(10f64.powi(decade));
            page.rule((x, TOP - 4.0), (x, bottom), "#dddddd");
            page.text((x, bottom + 16.0), decade_label(decade), Anchor::Middle);
        }
        page.text(((LEFT + RIGHT) / 2.0, bottom + 38.0), self.x.clone(), Anchor::Middle);
        for (g, group) in self.groups.iter().enumerate() {
            let top = TOP + g as f64 * group_height;
            let middle = top + self.series.len() as f64 * BAR / 2.0 + 4.0;
            page.text((LEFT - 8.0, middle), group.name.clone(), Anchor::End);
            for (k, value) in group.values.iter().enumerate() {
                let y = top + k as f64 * BAR;
                let (end, words) = match value {
                    Ok(v) if *v > 0.0 && v.is_finite() => (px(*v).max(LEFT + 1.0), significant(*v)),
                    Ok(_) => (LEFT, String::new()),
                    Err(why) => (LEFT, why.clone()),
                };
                page.shapes.push(Shape::Rect([LEFT, y, end - LEFT, BAR - 1.5], COLOURS[k % COLOURS.len()]));
                page.shapes.push(Shape::Text((end + 5.0, y + BAR - 2.0), words, 10.0, Anchor::Start, false));
            }
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_end_at_their_values_and_gaps_say_why() {
        let groups =
            vec![Group { name: "a".into(), values: vec![Ok(1.0), Ok(10.0), Err("no device".into())] }];
        let series = vec!["p".into(), "q".into(), "r".into()];
        let svg = Bars { title: "t".into(), x: "FPS".into(), series, groups }.drawing().svg();
        assert!(svg.contains("width='610.0'"), "10 of the decade 1 to 10 fills the axis: {svg}");
        assert!(svg.contains(">no device<"));
    }
}
