//! Constraints and mass of the selected body: weights, or Young's modulus and Poisson's ratio.

use crate::app::App;
use crate::app::widgets::{choice, grid, number, section};
use egui::Ui;
use pd_sim::scene::desc::{
    BendingDesc, LaplacianDesc, MassDesc, MaterialDesc, ObjectDesc, SpringDesc, StrainDesc,
};

const WEIGHT: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

impl App {
    pub(super) fn constraints(&mut self, ui: &mut Ui, index: usize) {
        let solid = self.selected_loaded().map(|loaded| loaded.solid);
        let object = &mut self.document.desc.objects[index];
        section(ui, "Constraints", true, |ui| {
            let mut physical = object.material.is_some();
            ui.horizontal(|ui| {
                ui.label("Given by");
                let weights = ui.selectable_label(!physical, "Weights");
                let constants = ui.selectable_label(physical, "Young, Poisson");
                physical = (physical || constants.clicked()) && !weights.clicked();
            });
            let solid = solid.unwrap_or(object.tet.is_some());
            match (physical, object.material.is_some()) {
                (true, false) => to_constants(object, solid),
                (false, true) => to_weights(object, solid),
                _ => {}
            }
            switch(ui, "Edge springs", &mut object.edge, SpringDesc::new(100.0), |ui, edge| {
                number(ui, "Edge weight", "N/m on every edge", &mut edge.weight, WEIGHT);
            });
            if !solid {
                let bending = BendingDesc::new(5e-4);
                switch(ui, "Bending", &mut object.bending, bending, |ui, bending| {
                    number(ui, "Bending weight", "at every interior vertex", &mut bending.weight, WEIGHT);
                    laplacian(ui, &mut bending.laplacian);
                });
            }
            if let Some(material) = &mut object.material {
                constants(ui, material, solid);
            } else if solid {
                let strain = StrainDesc { weight: 5000.0, min: 0.95, max: 1.05 };
                switch(ui, "Tetrahedron strain", &mut object.tet, strain, |ui, s| strain_rows(ui, "Tet", s));
                let volume = StrainDesc { weight: 1000.0, min: 1.0, max: 1.0 };
                switch(ui, "Volume", &mut object.volume, volume, |ui, s| strain_rows(ui, "Volume", s));
            } else {
                let strain = StrainDesc { weight: 100.0, min: 0.95, max: 1.05 };
                switch(ui, "Triangle strain", &mut object.triangle, strain, |ui, s| {
                    strain_rows(ui, "Triangle", s)
                });
                let area = StrainDesc { weight: 100.0, min: 1.0, max: 1.0 };
                switch(ui, "Area", &mut object.area, area, |ui, s| strain_rows(ui, "Area", s));
            }
        });
        if object.material.is_none() && object.mass_column.is_none() {
            section(ui, "Mass", false, |ui| mass(ui, &mut object.mass));
        }
    }
}

fn to_constants(object: &mut ObjectDesc, solid: bool) {
    (object.tet, object.volume, object.triangle, object.area) = (None, None, None, None);
    object.mass = MassDesc::default();
    object.weight_column = None;
    let thickness = (!solid).then_some(1e-3);
    object.material =
        Some(MaterialDesc { young: 1e5, poisson: 0.3, density: 1000.0, thickness, law: Default::default() });
}

fn to_weights(object: &mut ObjectDesc, solid: bool) {
    object.material = None;
    if solid {
        object.tet = Some(StrainDesc { weight: 5000.0, min: 0.95, max: 1.05 });
    } else {
        object.triangle = Some(StrainDesc { weight: 100.0, min: 0.95, max: 1.05 });
    }
}

/// A constraint that is there or not, with its numbers.
fn switch<T: Copy>(
    ui: &mut Ui,
    name: &str,
    value: &mut Option<T>,
    new: T,
    rows: impl FnOnce(&mut Ui, &mut T),
) {
    let mut on = value.is_some();
    if ui.checkbox(&mut on, name).changed() {
        *value = on.then_some(new);
    }
    if let Some(value) = value {
        ui.indent(name, |ui| grid(ui, name, |ui| rows(ui, value)));
    }
}

fn strain_rows(ui: &mut Ui, name: &str, strain: &mut StrainDesc) {
    number(
        ui,
        &format!("{name} weight"),
        "times the area or volume of each element",
        &mut strain.weight,
        WEIGHT,
    );
    number(
        ui,
        &format!("{name} least"),
        "smallest singular value or ratio",
        &mut strain.min,
        0.0..=strain.max,
    );
    number(
        ui,
        &format!("{name} most"),
        "largest singular value or ratio",
        &mut strain.max,
        strain.min..=10.0,
    );
}

fn laplacian(ui: &mut Ui, laplacian: &mut LaplacianDesc) {
    let names = ["mean-value", "cotan-voronoi"];
    let mut chosen = names[usize::from(*laplacian == LaplacianDesc::CotanVoronoi)].to_owned();
    let about =
        ["the thesis' weights; depend on the resolution", "flexural rigidity; independent of the resolution"];
    let list: Vec<_> =
        names.iter().zip(about).map(|(name, about)| (name.to_string(), about.to_owned())).collect();
    if choice(ui, "Laplacian", "weights of the rings", &mut chosen, &list) {
        *laplacian = if chosen == names[1] { LaplacianDesc::CotanVoronoi } else { LaplacianDesc::MeanValue };
    }
}

fn constants(ui: &mut Ui, material: &mut MaterialDesc, solid: bool) {
    grid(ui, "material", |ui| {
        number(ui, "Young", "Young's modulus, Pa", &mut material.young, 1.0..=1e13);
        number(ui, "Poisson", "Poisson's ratio", &mut material.poisson, 0.0..=0.49);
        number(ui, "Density", "kg/m³", &mut material.density, 1e-3..=1e5);
        if !solid {
            let thickness = material.thickness.get_or_insert(1e-3);
            number(ui, "Thickness", "m", thickness, 1e-6..=1.0);
        }
    });
}

fn mass(ui: &mut Ui, mass: &mut MassDesc) {
    let names = ["per vertex", "total", "density"];
    let now = if mass.total.is_some() {
        1
    } else if mass.density.is_some() {
        2
    } else {
        0
    };
    let mut chosen = names[now].to_owned();
    grid(ui, "mass", |ui| {
        let about =
            ["kg for every vertex", "kg for the body, shared evenly", "kg/m³ of solids, kg/m² of surfaces"];
        let list: Vec<_> =
            names.iter().zip(about).map(|(name, about)| (name.to_string(), about.to_owned())).collect();
        if choice(ui, "Mass by", "how the mass is given", &mut chosen, &list) {
            *mass = match chosen.as_str() {
                "total" => MassDesc { total: Some(0.5), ..MassDesc::default() },
                "density" => MassDesc { density: Some(0.2), ..MassDesc::default() },
                _ => MassDesc { per_vertex: Some(0.001), ..MassDesc::default() },
            };
        }
        let range = 1e-9..=1e9;
        match mass {
            MassDesc { total: Some(total), .. } => number(ui, "Mass", "kg", total, range),
            MassDesc { density: Some(density), .. } => {
                number(ui, "Density", "kg/m³ or kg/m²", density, range)
            }
            MassDesc { per_vertex, .. } => {
                let mut value = per_vertex.unwrap_or(0.001);
                let response = number(ui, "Mass", "kg for every vertex", &mut value, range);
                if response.changed() {
                    *per_vertex = Some(value);
                }
                response
            }
        };
    });
}
