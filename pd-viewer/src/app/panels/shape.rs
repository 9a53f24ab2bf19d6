//! Shape and placement of the selected body.

use crate::app::App;
use crate::app::widgets::{count, grid, number, section, vector};
use egui::Ui;
use pd_sim::scene::desc::{ObjectDesc, RotateDesc, ShapeDesc, TetrahedralizeDesc};

/// Most cells per side.
const CELLS: std::ops::RangeInclusive<usize> = 1..=400;

impl App {
    pub(super) fn shape_section(&mut self, ui: &mut Ui, index: usize) {
        section(ui, "Shape and placement", false, |ui| {
            let object = &mut self.document.desc.objects[index];
            grid(ui, "shape", |ui| shape(ui, &mut object.shape));
            grid(ui, "place", |ui| place(ui, object));
            ui.checkbox(&mut object.normalize, "Scale to 1 m and centre first");
            let surface = !matches!(
                object.shape,
                ShapeDesc::Bar { .. }
                    | ShapeDesc::Ball { .. }
                    | ShapeDesc::Creature { .. }
                    | ShapeDesc::Asset { .. }
            );
            if surface {
                fill(ui, object);
            }
        });
    }
}

fn shape(ui: &mut Ui, shape: &mut ShapeDesc) {
    const SIZE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
    let rings = |ui: &mut Ui, sectors: &mut usize, stacks: &mut usize| {
        count(ui, "Sectors", "vertices per ring", sectors, 3..=400);
        count(ui, "Stacks", "rings of cells", stacks, 1..=400);
    };
    match shape {
        ShapeDesc::Grid { rows, columns, width, depth } => {
            count(ui, "Rows", "cells along x", rows, CELLS);
            count(ui, "Columns", "cells along z", columns, CELLS);
            number(ui, "Width", "along x, m", width, SIZE);
            number(ui, "Depth", "along z, m", depth, SIZE);
        }
        ShapeDesc::Hemisphere { sectors, stacks, radius } | ShapeDesc::Sphere { sectors, stacks, radius } => {
            rings(ui, sectors, stacks);
            number(ui, "Radius", "m", radius, SIZE);
        }
        ShapeDesc::Cylinder { sectors, stacks, radius, height }
        | ShapeDesc::Cone { sectors, stacks, radius, height } => {
            rings(ui, sectors, stacks);
            number(ui, "Radius", "m", radius, SIZE);
            number(ui, "Height", "m", height, SIZE);
        }
        ShapeDesc::Torus { sectors, stacks, major_radius, minor_radius } => {
            count(ui, "Sectors", "cells around the axis", sectors, 3..=400);
            count(ui, "Stacks", "cells around the tube", stacks, 3..=400);
            number(ui, "Ring radius", "m", major_radius, SIZE);
            number(ui, "Tube radius", "m", minor_radius, SIZE);
        }
        ShapeDesc::Bar { width, height, depth, length } => {
            count(ui, "Width", "cubes along x", width, 1..=60);
            count(ui, "Height", "cubes along y", height, 1..=60);
            count(ui, "Depth", "cubes along z", depth, 1..=60);
            number(ui, "Length", "of the longest side, m", length, SIZE);
        }
        ShapeDesc::Ball { cells, radius } => {
            count(ui, "Cells", "along the edge of the lattice", cells, 2..=40);
            number(ui, "Radius", "m", radius, SIZE);
        }
        ShapeDesc::Creature { cells, layers } => {
            for (cells, name) in cells.iter_mut().zip(["Cells x", "Cells y", "Cells z"]) {
                count(ui, name, "lattice cells", cells, 2..=60);
            }
            count(ui, "Layers", "of the wall", layers, 1..=8);
        }
        ShapeDesc::Asset { name } => {
            ui.label("Mesh");
            ui.label(name.as_str());
            ui.end_row();
        }
        ShapeDesc::File { file } => {
            let label = ui.label("File");
            ui.add(egui::TextEdit::singleline(file).desired_width(150.0)).labelled_by(label.id);
            ui.end_row();
        }
    }
}

fn place(ui: &mut Ui, object: &mut ObjectDesc) {
    let mut translate = object.translate.unwrap_or_default();
    if vector(ui, "Position", "translation, m", &mut translate) {
        object.translate = Some(translate);
    }
    let mut rotate = object.rotate.unwrap_or(RotateDesc { axis: [0.0, 1.0, 0.0], degrees: 0.0 });
    let before = rotate;
    vector(ui, "Axis", "axis of the rotation", &mut rotate.axis);
    number(ui, "Angle", "degrees about the axis", &mut rotate.degrees, -360.0..=360.0);
    let length: f64 = rotate.axis.iter().map(|a| a * a).sum();
    if rotate != before && length > 1e-12 {
        object.rotate = Some(rotate);
    }
    let mut scale = object.scale.unwrap_or(1.0);
    if number(ui, "Scale", "uniform", &mut scale, 1e-3..=1e3).changed() {
        object.scale = Some(scale);
    }
}

fn fill(ui: &mut Ui, object: &mut ObjectDesc) {
    let mut solid = object.tetrahedralize.is_some();
    if ui
        .checkbox(&mut solid, "Fill with tetrahedra")
        .on_hover_text("Makes a closed surface a solid")
        .changed()
    {
        object.tetrahedralize = solid.then(TetrahedralizeDesc::default);
        // Constraints of one kind are invalid for the other.
        if solid {
            (object.bending, object.triangle, object.area) = (None, None, None);
            object.tet = Some(pd_sim::scene::desc::StrainDesc { weight: 5000.0, min: 0.95, max: 1.05 });
        } else {
            (object.tet, object.volume) = (None, None);
        }
    }
    if let Some(how) = &mut object.tetrahedralize {
        let mut cells = how.cells.unwrap_or(20);
        grid(ui, "fill", |ui| {
            if count(ui, "Lattice cells", "along the longest side", &mut cells, 2..=80).changed() {
                *how = TetrahedralizeDesc { cells: Some(cells), ..TetrahedralizeDesc::default() };
            }
        });
    }
}
