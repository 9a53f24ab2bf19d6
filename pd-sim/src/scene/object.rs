//! One body of a scene: its placed mesh, and the index lists of its constraints.

use super::desc::{ObjectDesc, SelectDesc, TetrahedralizeDesc};
use super::files::{Files, load_shape, read_numbers};
use super::group::{self, Group};
use crate::SceneError;
use pd_constraints::material::{lumped_masses_tets, lumped_masses_triangles};
use pd_core::{Real, Vec3};
use pd_mesh::check::repair;
use pd_mesh::io::{MeshData, read_path_with_columns};
use pd_mesh::tetrahedralize::{self, Options, Size, Skin};
use pd_mesh::{Mesh, transform};
use std::ops::Range;

/// A body at rest.
#[derive(Debug)]
pub struct Object {
    /// Name in the scene.
    pub name: String,
    /// First vertex in the scene's numbers.
    pub first: u32,
    /// The mesh, placed in the scene; its own vertex numbers.
    pub mesh: Mesh,
    /// Unique edges, own numbers.
    pub edges: Vec<[u32; 2]>,
    /// Triangles of the surface, own numbers.
    pub surface: Vec<[u32; 3]>,
    /// The original surface of a body made by `tetrahedralize`, embedded in its tetrahedra.
    pub skin: Option<Skin>,
    /// Mass of every vertex from the mesh file, kg, if the scene uses it.
    column_masses: Option<Vec<Real>>,
    /// Factor on the weight of every element from the mesh file, if the scene uses it.
    pub(super) weight_factors: Option<Vec<Real>>,
    /// Named parts: those the scene names, then those of the mesh file.
    pub groups: Vec<Group>,
    /// Vertices of each pin group, own numbers.
    pub(super) pins: Vec<Vec<u32>>,
    /// Vertices of each group of attachments, own numbers.
    attachments: Vec<Vec<u32>>,
    /// Positions of an obstacle at later times, s and m.
    pub(super) frames: Vec<(Real, Vec<Vec3>)>,
}

impl Object {
    pub(super) fn build(desc: &ObjectDesc, first: usize, files: &Files<'_>) -> Result<Self, SceneError> {
        let data = load_shape(&desc.shape, &format!("object {:?}", desc.name), files)?;
        let column_masses = masses_from_column(desc, &data, files)?;
        let weight_factors = factors_from_column(desc, &data, files)?;
        let mut mesh = data.mesh.clone();
        if let (Some(tolerance), Mesh::Tri(surface)) = (desc.weld, &mut mesh) {
            if !(tolerance >= 0.0 && tolerance.is_finite()) {
                return Err(wrong(
                    desc,
                    files,
                    "weld",
                    format!("is {tolerance}; it must be a distance in m"),
                ));
            }
            if column_masses.is_some() || weight_factors.is_some() {
                return Err(wrong(
                    desc,
                    files,
                    "weld",
                    "changes vertices, to which columns of the file belong",
                ));
            }
            let welded = repair::weld(surface, tolerance);
            welded.map_err(|error| wrong(desc, files, "weld", error.to_string()))?;
        }
        let mut skin = None;
        if let Some(how) = &desc.tetrahedralize {
            (mesh, skin) = solid_of(mesh, how, desc, files)?;
        }
        let frames = frames(desc, &mesh, files)?;
        let positions = mesh.positions_mut();
        place(desc, positions);
        if let Some(vertex) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(SceneError::Value {
                file: files.scene.to_owned(),
                field: format!("object {:?}", desc.name),
                what: format!("vertex {vertex} is not finite after scaling and moving"),
            });
        }
        let (edges, surface) = match &mesh {
            Mesh::Tri(mesh) => (mesh.edges(), mesh.triangles.clone()),
            Mesh::Tet(mesh) => (mesh.edges(), mesh.surface_triangles()),
        };
        let count = mesh.positions().len();
        if first.saturating_add(count) > u32::MAX as usize {
            return Err(SceneError::Mesh(format!("{}: too many vertices for 32-bit numbers", files.scene)));
        }
        let mut object = Self {
            name: desc.name.clone(),
            first: first as u32,
            mesh,
            edges,
            surface,
            skin,
            column_masses,
            weight_factors,
            groups: vec![],
            pins: vec![],
            attachments: vec![],
            frames,
        };
        object.groups = group::groups(desc, &object, &data, files)?;
        for (k, pin) in desc.pins.iter().enumerate() {
            let field = format!("object {:?}.pin[{k}].select", desc.name);
            let vertices = object.select(&pin.select, &field, files)?;
            if !pin.at.is_empty() && pin.at.len() != vertices.len() {
                let what = format!("has {} points for {} vertices", pin.at.len(), vertices.len());
                return Err(wrong(desc, files, &format!("pin[{k}].at"), what));
            }
            object.pins.push(vertices);
        }
        for (k, attach) in desc.attachments.iter().enumerate() {
            let field = format!("object {:?}.attach[{k}].select", desc.name);
            let vertices = object.select(&attach.select, &field, files)?;
            let taken = |v: &&u32| object.attachments.iter().any(|before| before.binary_search(v).is_ok());
            if let Some(vertex) = vertices.iter().find(taken) {
                let what = format!("vertex {vertex} is attached to a body already");
                return Err(wrong(desc, files, &format!("attach[{k}].select"), what));
            }
            let pinned = |v: &&u32| object.pins.iter().any(|pin| pin.binary_search(v).is_ok());
            if let Some(vertex) = vertices.iter().find(pinned) {
                let what = format!("vertex {vertex} is pinned as well; a pin holds it against the body");
                return Err(wrong(desc, files, &format!("attach[{k}].select"), what));
            }
            object.attachments.push(vertices);
        }
        Ok(object)
    }

    /// The vertices in the scene's numbers.
    pub fn range(&self) -> Range<usize> {
        let first = self.first as usize;
        first..first + self.mesh.positions().len()
    }

    /// Whether it is a solid.
    pub fn is_solid(&self) -> bool {
        matches!(self.mesh, Mesh::Tet(_))
    }

    /// Vertices of each `[[object.pin]]`, own numbers, ascending.
    pub fn pins(&self) -> &[Vec<u32>] {
        &self.pins
    }

    /// Vertices of each `[[object.attach]]`, own numbers, ascending.
    pub fn attachments(&self) -> &[Vec<u32>] {
        &self.attachments
    }

    /// Mass of every vertex, kg.
    pub(super) fn masses(&self, desc: &ObjectDesc, scene: &str) -> Result<Vec<Real>, SceneError> {
        let mut masses = self.plain_masses(desc, scene)?;
        for group in self.groups.iter().filter(|group| group.mass != 1.0) {
            group.vertices.iter().for_each(|&v| masses[v as usize] *= group.mass);
        }
        Ok(masses)
    }

    /// Masses before the factors of groups.
    fn plain_masses(&self, desc: &ObjectDesc, scene: &str) -> Result<Vec<Real>, SceneError> {
        let n = self.mesh.positions().len();
        if let Some(masses) = &self.column_masses {
            return Ok(masses.clone());
        }
        if let Some(total) = desc.mass.total {
            return Ok(vec![total / n as Real; n]);
        }
        let thickness = desc.material.and_then(|m| m.thickness).unwrap_or(1.0);
        let of_material = desc.material.map(|m| m.density * thickness);
        let of_fabric = desc.fabric.map(|fabric| fabric.constants().density);
        let density = desc.mass.density.or(of_material).or(of_fabric);
        let Some(density) = density else {
            return Ok(vec![desc.mass.per_vertex.unwrap_or(0.001); n]); // the thesis program's mass
        };
        let masses = match &self.mesh {
            Mesh::Tri(mesh) => lumped_masses_triangles(&mesh.positions, &mesh.triangles, density),
            Mesh::Tet(mesh) => lumped_masses_tets(&mesh.positions, &mesh.tets, density),
        };
        masses.map_err(|error| SceneError::Value {
            file: scene.to_owned(),
            field: format!("object {:?}.mass", desc.name),
            what: error.to_string(),
        })
    }

    /// The selected vertices, ascending, without repetition.
    pub(super) fn select(
        &self,
        select: &SelectDesc,
        field: &str,
        files: &Files<'_>,
    ) -> Result<Vec<u32>, SceneError> {
        let wrong =
            |what: String| SceneError::Value { file: files.scene.to_owned(), field: field.to_owned(), what };
        let positions = self.mesh.positions();
        let mut list = select.vertices.clone();
        for &[first, end, step] in &select.ranges {
            if step == 0 || end as usize > positions.len() || first >= end {
                return Err(wrong(format!(
                    "range [{first}, {end}, {step}] must ascend with a step of at least 1 and end at most at {}",
                    positions.len()
                )));
            }
            list.extend((first..end).step_by(step as usize));
        }
        if let Some([min, max]) = select.within {
            let inside = |p: &Vec3| (0..3).all(|a| min[a] <= p[a] && p[a] <= max[a]);
            list.extend((0..positions.len() as u32).filter(|&v| inside(&positions[v as usize])));
        }
        if let Some(file) = &select.file {
            list.extend(read_numbers(&files.find(file)?)?);
        }
        if let Some(name) = &select.group {
            let group = self.group(name).ok_or_else(|| {
                let names: Vec<&str> = self.groups.iter().map(|group| group.name.as_str()).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                wrong(format!("there is no group {name:?}; there are: {names}"))
            })?;
            list.extend(&group.vertices);
        }
        if let Some(&vertex) = list.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(wrong(format!("vertex {vertex} does not exist; there are {}", positions.len())));
        }
        if list.is_empty() {
            return Err(wrong("selects no vertex".into()));
        }
        list.sort_unstable();
        list.dedup();
        Ok(list)
    }
}

/// Scales, rotates and translates as described.
fn place(desc: &ObjectDesc, positions: &mut [Vec3]) {
    if desc.normalize {
        transform::normalize_extent(positions);
    }
    if let Some(factor) = desc.scale {
        transform::scale(positions, factor);
    }
    if let Some(rotate) = desc.rotate {
        transform::rotate(positions, rotate.axis.into(), rotate.degrees.to_radians());
    }
    if let Some(offset) = desc.translate {
        transform::translate(positions, offset.into());
    }
}

/// Positions of an obstacle at later times, placed as its first.
fn frames(desc: &ObjectDesc, mesh: &Mesh, files: &Files<'_>) -> Result<Vec<(Real, Vec<Vec3>)>, SceneError> {
    let Some(obstacle) = &desc.obstacle else { return Ok(vec![]) };
    if !obstacle.frames.is_empty() && desc.normalize {
        let what = "frames have sizes of their own; use scale and translate in place of normalize";
        return Err(wrong(desc, files, "normalize", what));
    }
    let (mut read, mut before) = (vec![], 0.0);
    for (k, (time, file)) in obstacle.frames.iter().enumerate() {
        let key = format!("obstacle.frames[{k}]");
        if !(*time > before && time.is_finite()) {
            let what = format!("is at time {time}, not after the one before at {before}");
            return Err(wrong(desc, files, &key, what));
        }
        before = *time;
        let data = read_path_with_columns(files.find(file)?).map_err(|e| SceneError::Mesh(e.to_string()))?;
        let mut positions = data.mesh.positions().to_vec();
        let (has, wants) = (positions.len(), mesh.positions().len());
        if has != wants {
            return Err(wrong(
                desc,
                files,
                &key,
                format!("{file} has {has} vertices, the first mesh has {wants}"),
            ));
        }
        place(desc, &mut positions);
        if let Some(vertex) = positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
            return Err(wrong(desc, files, &key, format!("vertex {vertex} of {file} is not finite")));
        }
        read.push((*time, positions));
    }
    Ok(read)
}

/// An error at a key of a body.
fn wrong(desc: &ObjectDesc, files: &Files<'_>, key: &str, what: impl Into<String>) -> SceneError {
    SceneError::Value {
        file: files.scene.to_owned(),
        field: format!("object {:?}.{key}", desc.name),
        what: what.into(),
    }
}

/// Tetrahedralises a surface and keeps the surface as a skin; a solid is unchanged.
fn solid_of(
    mesh: Mesh,
    how: &TetrahedralizeDesc,
    desc: &ObjectDesc,
    files: &Files<'_>,
) -> Result<(Mesh, Option<Skin>), SceneError> {
    let Mesh::Tri(surface) = mesh else { return Ok((mesh, None)) };
    let sizes = [how.cells.map(Size::Cells), how.edge.map(Size::Edge), how.tets.map(Size::Tets)];
    let mut given = sizes.into_iter().flatten();
    let size = given.next().unwrap_or(Size::Cells(20));
    if given.next().is_some() {
        return Err(wrong(desc, files, "tetrahedralize", "give one of cells, edge and tets"));
    }
    let mut options = Options { size, ..Options::default() };
    if let Some(switches) = &how.switches {
        options.tetgen_switches.clone_from(switches);
    }
    let names: Vec<&str> = match &how.meshers {
        Some(names) => names.iter().map(String::as_str).collect(),
        None => vec!["stuffing"],
    };
    let made = tetrahedralize::tetrahedralize_first(&names, &surface, &options);
    let made = made.and_then(|made| {
        let skin = Skin::new(&surface, &made.mesh)?;
        Ok((Mesh::Tet(made.mesh), Some(skin)))
    });
    made.map_err(|error| wrong(desc, files, "tetrahedralize", error.to_string()))
}

/// Names of the columns that a file has, for messages.
pub(super) fn listed(columns: &[pd_mesh::io::Column]) -> String {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn masses_from_column(
    desc: &ObjectDesc,
    data: &MeshData,
    files: &Files<'_>,
) -> Result<Option<Vec<Real>>, SceneError> {
    let Some(name) = &desc.mass_column else { return Ok(None) };
    let values = data.vertex_column(name).ok_or_else(|| {
        let has = listed(&data.vertex_columns);
        wrong(
            desc,
            files,
            "mass-column",
            format!("the mesh has no column {name:?} per vertex; it has: {has}"),
        )
    })?;
    match values.iter().position(|mass| !(*mass > 0.0 && mass.is_finite())) {
        Some(vertex) => {
            let what = format!("vertex {vertex} has mass {}; it must be positive and finite", values[vertex]);
            Err(wrong(desc, files, "mass-column", what))
        }
        None => Ok(Some(values.to_vec())),
    }
}

fn factors_from_column(
    desc: &ObjectDesc,
    data: &MeshData,
    files: &Files<'_>,
) -> Result<Option<Vec<Real>>, SceneError> {
    let Some(name) = &desc.weight_column else { return Ok(None) };
    if let Some(values) = data.element_column(name) {
        return Ok(Some(values.to_vec()));
    }
    let values = data.vertex_column(name).ok_or_else(|| {
        let (elements, vertices) = (listed(&data.element_columns), listed(&data.vertex_columns));
        let what = format!(
            "the mesh has no column {name:?}; it has per element: {elements}; per vertex: {vertices}"
        );
        wrong(desc, files, "weight-column", what)
    })?;
    let mean =
        |corners: &[u32]| corners.iter().map(|&v| values[v as usize]).sum::<Real>() / corners.len() as Real;
    Ok(Some(match &data.mesh {
        Mesh::Tri(mesh) => mesh.triangles.iter().map(|corners| mean(corners)).collect(),
        Mesh::Tet(mesh) => mesh.tets.iter().map(|corners| mean(corners)).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use crate::ModelPaths;
    use crate::scene::Scene;
    use pd_mesh::{generate, io};

    /// A scene of one body in a directory of its own.
    fn load(files: &[(&str, &[u8])], body: &str) -> Result<Scene, crate::SceneError> {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            std::fs::write(directory.path().join(name), bytes).unwrap();
        }
        let text = format!("title = \"test\"\n[[object]]\nname = \"body\"\n{body}\n");
        Scene::parse("test.toml", &text, Some(directory.path()), &ModelPaths::default())
    }

    #[test]
    fn a_surface_is_filled_and_runs() {
        let mut obj = Vec::new();
        io::write_obj(&mut obj, &generate::torus(32, 16, 1.0, 0.4).unwrap()).unwrap();
        let scene = load(
            &[("ring.obj", &obj)],
            "shape = { kind = \"file\", file = \"ring.obj\" }\ntetrahedralize = { cells = 12 }\ntet = { weight = 1000.0 }",
        )
        .unwrap();
        assert!(scene.objects[0].is_solid());
        // The skin has the vertices of the file, at their places.
        let (file, skin) =
            (io::read_obj(&obj[..], "ring.obj").unwrap(), scene.objects[0].skin.as_ref().unwrap());
        assert_eq!(skin.triangles, file.triangles);
        let placed = skin.positions(scene.objects[0].mesh.positions());
        let off = placed.iter().zip(&file.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(off < 1e-9, "{off}");
        assert_eq!(scene.model(0.0).unwrap().constraints(), scene.elements());
        let error = load(
            &[("ring.obj", &obj)],
            "shape = { kind = \"file\", file = \"ring.obj\" }\ntetrahedralize = { cells = 12, tets = 9 }",
        );
        assert!(error.unwrap_err().to_string().contains("give one of cells, edge and tets"));
    }

    #[test]
    fn columns_give_masses_and_weights() {
        let bar = generate::bar(1, 1, 2, 1.0).unwrap();
        let masses: Vec<f64> = (0..12).map(|v| 0.1 + v as f64).collect();
        let soft: Vec<f64> = (0..10).map(|t| 1.0 / (1.0 + t as f64)).collect();
        let mut vtu = Vec::new();
        io::write_vtu(&mut vtu, &bar, &[("m", &masses)], &[("soft", &soft)]).unwrap();
        let shape = "shape = { kind = \"file\", file = \"bar.vtu\" }\ntet = { weight = 100.0 }";
        let scene =
            load(&[("bar.vtu", &vtu)], &format!("{shape}\nmass-column = \"m\"\nweight-column = \"soft\""))
                .unwrap();
        assert_eq!(scene.model(0.0).unwrap().masses(), &masses[..]);
        assert_eq!(scene.objects[0].weight_factors.as_deref(), Some(&soft[..]));
        // Per vertex: every element takes the mean of its corners.
        let scene = load(&[("bar.vtu", &vtu)], &format!("{shape}\nweight-column = \"m\"")).unwrap();
        let mean = bar.tets[3].iter().map(|&v| masses[v as usize]).sum::<f64>() / 4.0;
        assert_eq!(scene.objects[0].weight_factors.as_ref().unwrap()[3], mean);
        scene.model(0.0).unwrap();
        let error = load(&[("bar.vtu", &vtu)], &format!("{shape}\nmass-column = \"weight\"")).unwrap_err();
        assert!(error.to_string().contains("no column \"weight\" per vertex; it has: m"), "{error}");
    }

    #[test]
    fn pins_hold_where_they_are_told() {
        let grid = "shape = { kind = \"grid\", rows = 2, columns = 2 }\nedge = { weight = 100.0 }";
        let pin = |at: &str| {
            format!("{grid}\npin = [{{ select = {{ vertices = [8, 0] }}, weight = 9.0, at = {at} }}]")
        };
        let scene = load(&[], &pin("[[0, 1, 0], [2, 3, 4]]")).unwrap();
        assert_eq!(scene.objects[0].pins(), &[vec![0, 8]]);
        // The second pin pulls to its own point: energy ω/2 |x − p|².
        let (rest, model) = (scene.rest(), scene.model(0.0).unwrap());
        let far = (rest[8] - pd_core::Vec3::new(2.0, 3.0, 4.0)).norm_squared();
        assert!((model.batches()[1].energy(1..2, &rest) - 4.5 * far).abs() < 1e-12);
        let error = load(&[], &pin("[[0, 0, 0]]")).unwrap_err().to_string();
        assert!(error.contains("has 1 points for 2 vertices"), "{error}");
        assert!(
            load(&[], &pin("[[0, 0, 0], [0, 0, inf]]")).unwrap_err().to_string().contains("must be finite")
        );
    }

    #[test]
    fn every_built_in_scene_survives_being_written_and_read() {
        for builtin in crate::scene::builtins() {
            let desc = builtin.desc().unwrap();
            let text = toml::to_string_pretty(&desc).unwrap();
            assert_eq!(crate::scene::parse_desc(builtin.name, &text).unwrap(), desc, "{}", builtin.name);
        }
    }
}
