//! Rows of a label and a value. Every value is bound to its label or has a name, so that screen readers and tests find it.

use egui::{DragValue, Response, Ui};
use std::ops::RangeInclusive;

/// A number as short as it can be read.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        return format!("{value:.3e}").replace(".000e", "e");
    }
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// A field to drag or type a number into.
pub(crate) fn drag(value: &mut f64, range: RangeInclusive<f64>) -> DragValue<'_> {
    let speed = (value.abs() * 0.01).max(1e-5);
    DragValue::new(value)
        .range(range)
        .speed(speed)
        .custom_formatter(|value, _| short(value))
        .custom_parser(|text| text.trim().parse().ok())
}

/// A row of a two-column grid: label and number.
pub(crate) fn number(
    ui: &mut Ui,
    label: &str,
    tip: &str,
    value: &mut f64,
    range: RangeInclusive<f64>,
) -> Response {
    let name = ui.label(label).on_hover_text(tip);
    let response = ui.add(drag(value, range)).labelled_by(name.id).on_hover_text(tip);
    ui.end_row();
    response
}

/// A row: label and whole number.
pub(crate) fn count(
    ui: &mut Ui,
    label: &str,
    tip: &str,
    value: &mut usize,
    range: RangeInclusive<usize>,
) -> Response {
    let name = ui.label(label).on_hover_text(tip);
    let response =
        ui.add(DragValue::new(value).range(range).speed(0.1)).labelled_by(name.id).on_hover_text(tip);
    ui.end_row();
    response
}

/// A row: label and three numbers.
pub(crate) fn vector(ui: &mut Ui, label: &str, tip: &str, value: &mut [f64; 3]) -> bool {
    ui.label(label).on_hover_text(tip);
    let mut changed = false;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        for (k, axis) in ["x", "y", "z"].iter().enumerate() {
            let field = drag(&mut value[k], -1e6..=1e6);
            // Each by its own name, where one label stands for three fields.
            let field = ui.add(field).accessible_name(format!("{label} {axis}"));
            let response = field.on_hover_text(format!("{tip}: {axis}"));
            changed |= response.changed();
        }
    });
    ui.end_row();
    changed
}

/// A row: label, a switch "auto", and a number where it is off.
pub(crate) fn optional(
    ui: &mut Ui,
    label: &str,
    tip: &str,
    value: &mut Option<f64>,
    otherwise: f64,
    range: RangeInclusive<f64>,
) {
    let name = ui.label(label).on_hover_text(tip);
    ui.horizontal(|ui| {
        let mut auto = value.is_none();
        if ui
            .checkbox(&mut auto, "auto")
            .accessible_name(format!("{label} auto"))
            .on_hover_text(format!("{tip} (chosen by the solver)"))
            .changed()
        {
            *value = if auto { None } else { Some(otherwise) };
        }
        if let Some(value) = value {
            ui.add(drag(value, range)).labelled_by(name.id).on_hover_text(tip);
        }
    });
    ui.end_row();
}

/// A choice of names.
pub(crate) fn choice(
    ui: &mut Ui,
    label: &str,
    tip: &str,
    chosen: &mut String,
    names: &[(String, String)],
) -> bool {
    let name = ui.label(label).on_hover_text(tip);
    let before = chosen.clone();
    let combo = egui::ComboBox::from_id_salt(label).selected_text(chosen.as_str()).width(150.0);
    let response = combo.show_ui(ui, |ui| {
        for (value, about) in names {
            ui.selectable_value(chosen, value.clone(), value).on_hover_text(about);
        }
    });
    response.response.labelled_by(name.id).on_hover_text(tip);
    ui.end_row();
    *chosen != before
}

/// A grid of two columns.
pub(crate) fn grid<R>(
    ui: &mut Ui,
    id: impl std::hash::Hash + std::fmt::Debug,
    rows: impl FnOnce(&mut Ui) -> R,
) -> R {
    egui::Grid::new(id).num_columns(2).spacing([8.0, 5.0]).min_col_width(78.0).show(ui, rows).inner
}

/// A part of a panel that folds.
pub(crate) fn section<R>(
    ui: &mut Ui,
    title: &str,
    open: bool,
    content: impl FnOnce(&mut Ui) -> R,
) -> Option<R> {
    let shown =
        egui::CollapsingHeader::new(egui::RichText::new(title).strong()).default_open(open).show(ui, content);
    ui.add_space(2.0);
    shown.body_returned
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short_and_parse_back() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (5e-4, "5e-4"),
            (1e6, "1e6"),
            (-9.8, "-9.8"),
            (0.0166667, "0.0167"),
        ] {
            assert_eq!(short(value), text);
        }
        let third: f64 = short(1.0 / 3.0 * 1e-7).parse().unwrap();
        assert!((third - 3.333e-8).abs() < 1e-15);
    }
}
