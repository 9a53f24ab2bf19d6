//! Named parts of a body: sources and members.

use super::Object;
use super::desc::{GroupDesc, ObjectDesc, SelectDesc};
use super::files::Files;
use super::object::listed;
use crate::SceneError;
use pd_core::Real;
use pd_mesh::Mesh;
use pd_mesh::io::MeshData;

/// A named part of a body, defined in the scene or in the mesh file.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name, unique in the body.
    pub name: String,
    /// Its vertices, ascending, own numbers of the body.
    pub vertices: Vec<u32>,
    /// Its elements, ascending, if known; otherwise the elements whose corners are all in the group.
    pub elements: Option<Vec<u32>>,
    /// Factor on the weights of constraints inside.
    pub weight: Real,
    /// Factor on the masses of the vertices.
    pub mass: Real,
}

impl Group {
    fn has_vertex(&self, vertex: u32) -> bool {
        self.vertices.binary_search(&vertex).is_ok()
    }

    /// Whether a constraint on these vertices is inside: all of them belong.
    pub(super) fn has_all(&self, vertices: &[u32]) -> bool {
        vertices.iter().all(|&v| self.has_vertex(v))
    }

    fn has_element(&self, element: usize, corners: &[u32]) -> bool {
        match &self.elements {
            Some(list) => list.binary_search(&(element as u32)).is_ok(),
            None => self.has_all(corners),
        }
    }
}

/// The groups of a body: those of the scene, then the other groups of the mesh file.
pub(super) fn groups(
    desc: &ObjectDesc,
    object: &Object,
    data: &MeshData,
    files: &Files<'_>,
) -> Result<Vec<Group>, SceneError> {
    // A tetrahedralised body has new vertices; groups of the surface do not apply.
    let of_mesh: &[_] = if desc.tetrahedralize.is_some() { &[] } else { &data.groups };
    let mut made = vec![];
    for (k, group) in desc.groups.iter().enumerate() {
        let field = format!("object {:?}.group[{k}]", desc.name);
        let wrong =
            |what: String| SceneError::Value { file: files.scene.to_owned(), field: field.clone(), what };
        let (vertices, elements) = if group.is_of_the_mesh() {
            let found = of_mesh.iter().find(|other| other.name == group.name).ok_or_else(|| {
                let names: Vec<&str> = of_mesh.iter().map(|other| other.name.as_str()).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                wrong(format!(
                    "the mesh has no group {:?} (it has: {names}), and none of vertices, ranges, within, file and \
                     column is given",
                    group.name
                ))
            })?;
            of_the_mesh(data, found)
        } else {
            chosen(group, desc, object, data, files, &field)?
        };
        if vertices.is_empty() {
            return Err(wrong("selects no vertex".to_owned()));
        }
        made.push(Group {
            name: group.name.clone(),
            vertices,
            elements,
            weight: group.weight.unwrap_or(1.0),
            mass: group.mass.unwrap_or(1.0),
        });
    }
    for group in of_mesh {
        if !made.iter().any(|other| other.name == group.name) {
            let (vertices, elements) = of_the_mesh(data, group);
            made.push(Group { name: group.name.clone(), vertices, elements, weight: 1.0, mass: 1.0 });
        }
    }
    Ok(made)
}

type Members = (Vec<u32>, Option<Vec<u32>>);

fn of_the_mesh(data: &MeshData, group: &pd_mesh::io::Group) -> Members {
    let elements: Vec<u32> = group.elements.iter().cloned().flatten().collect();
    (data.group_vertices(group), (!elements.is_empty()).then_some(elements))
}

/// Members selected by the keys of a group.
fn chosen(
    group: &GroupDesc,
    desc: &ObjectDesc,
    object: &Object,
    data: &MeshData,
    files: &Files<'_>,
    field: &str,
) -> Result<Members, SceneError> {
    let select = group.select();
    let mut vertices =
        if select == SelectDesc::default() { vec![] } else { object.select(&select, field, files)? };
    let Some(column) = &group.column else { return Ok((vertices, None)) };
    let wrong = |what: &str| SceneError::Value {
        file: files.scene.to_owned(),
        field: format!("{field}.column"),
        what: what.to_owned(),
    };
    if desc.tetrahedralize.is_some() {
        return Err(wrong("tetrahedralize makes new vertices, to which columns of the file do not belong"));
    }
    let (min, max) = (group.min.unwrap_or(Real::MIN_POSITIVE), group.max.unwrap_or(Real::INFINITY));
    let belongs = |value: &Real| min <= *value && *value <= max;
    if let Some(values) = data.vertex_column(column) {
        vertices.extend((0u32..).zip(values).filter(|(_, value)| belongs(value)).map(|(v, _)| v));
        vertices.sort_unstable();
        vertices.dedup();
        return Ok((vertices, None));
    }
    let values = data.element_column(column).ok_or_else(|| {
        wrong(&format!(
            "the mesh has no column {column:?}; it has per vertex: {}; per element: {}",
            listed(&data.vertex_columns),
            listed(&data.element_columns)
        ))
    })?;
    let elements: Vec<u32> =
        (0u32..).zip(values).filter(|(_, value)| belongs(value)).map(|(element, _)| element).collect();
    let only_elements = vertices.is_empty();
    for &element in &elements {
        match &data.mesh {
            Mesh::Tri(mesh) => vertices.extend(mesh.triangles[element as usize]),
            Mesh::Tet(mesh) => vertices.extend(mesh.tets[element as usize]),
        }
    }
    vertices.sort_unstable();
    vertices.dedup();
    Ok((vertices, only_elements.then_some(elements)))
}

impl Object {
    /// The group of that name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|group| group.name == name)
    }

    /// The elements inside a group, ascending; none if there is no such group.
    pub(super) fn group_elements(&self, name: &str) -> Vec<usize> {
        fn inside<const N: usize>(group: &Group, elements: &[[u32; N]]) -> Vec<usize> {
            let numbered = elements.iter().enumerate();
            numbered.filter(|(e, corners)| group.has_element(*e, &corners[..])).map(|(e, _)| e).collect()
        }
        match (self.group(name), &self.mesh) {
            (None, _) => vec![],
            (Some(group), Mesh::Tri(mesh)) => inside(group, &mesh.triangles),
            (Some(group), Mesh::Tet(mesh)) => inside(group, &mesh.tets),
        }
    }

    fn weighted(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|group| group.weight != 1.0)
    }

    /// The factor of all groups on constraints given by their vertices, one for each; `None` if all are 1.
    pub(super) fn group_factors<const N: usize>(&self, constraints: &[[u32; N]]) -> Option<Vec<Real>> {
        self.weighted().next()?;
        let factor = |vertices: &[u32; N]| {
            self.weighted().filter(|group| group.has_all(vertices)).map(|group| group.weight).product()
        };
        Some(constraints.iter().map(factor).collect())
    }

    /// The factor of all groups on every element; `None` if all are 1.
    pub(super) fn element_factors(&self) -> Option<Vec<Real>> {
        fn factors<const N: usize>(object: &Object, elements: &[[u32; N]]) -> Vec<Real> {
            let factor = |(element, corners): (usize, &[u32; N])| {
                let inside = object.weighted().filter(|group| group.has_element(element, corners));
                inside.map(|group| group.weight).product()
            };
            elements.iter().enumerate().map(factor).collect()
        }
        self.weighted().next()?;
        Some(match &self.mesh {
            Mesh::Tri(mesh) => factors(self, &mesh.triangles),
            Mesh::Tet(mesh) => factors(self, &mesh.tets),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ModelPaths;
    use crate::scene::Scene;

    /// Two quads side by side, the second painted in every way that files know.
    const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 1\n\
        g left\nf 1 4 5 2\ng right\nf 2 5 6 3\n";
    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
        property uchar red\nelement face 2\nproperty list uchar int vertex_indices\nproperty uchar chosen\nend_header\n\
        0 0 0 0\n1 0 0 255\n2 0 0 255\n0 0 1 0\n1 0 1 255\n2 0 1 255\n4 0 3 4 1 0\n4 1 4 5 2 1\n";

    fn load(name: &str, mesh: &str, body: &str) -> Result<Scene, crate::SceneError> {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join(name), mesh).unwrap();
        std::fs::write(directory.path().join("list.txt"), "1 2\n4 5\n").unwrap();
        let text = format!(
            "title = \"test\"\n[[object]]\nname = \"body\"\nshape = {{ kind = \"file\", file = \"{name}\" }}\n\
             mass = {{ per-vertex = 2.0 }}\nedge = {{ weight = 10.0 }}\ntriangle = {{ weight = 10.0 }}\n{body}\n"
        );
        Scene::parse("test.toml", &text, Some(directory.path()), &ModelPaths::default())
    }

    /// All ways to say "the right half, five times as stiff, three times as heavy, pinned".
    #[test]
    fn every_way_of_painting_gives_the_same_group() {
        let ways = [
            ("a.ply", PLY, "name = \"right\"\nvertices = [1, 2, 4, 5]"),
            ("a.ply", PLY, "name = \"right\"\nfile = \"list.txt\""),
            ("a.ply", PLY, "name = \"right\"\nwithin = [[1, -1, -1], [3, 1, 2]]"),
            ("a.ply", PLY, "name = \"right\"\ncolumn = \"red\"\nmin = 200"),
            ("a.ply", PLY, "name = \"right\"\ncolumn = \"red\""),
            ("a.ply", PLY, "name = \"right\"\ncolumn = \"chosen\"\nmin = 1\nmax = 1"),
            ("a.obj", OBJ, "name = \"right\""),
        ];
        for (name, mesh, keys) in ways {
            let group = format!("[[object.group]]\n{keys}\nweight = 5.0\nmass = 3.0");
            let pin = "[[object.pin]]\nselect = { group = \"right\" }\nweight = 100.0";
            let scene = load(name, mesh, &format!("{group}\n{pin}")).unwrap();
            let body = &scene.objects[0];
            assert_eq!(body.group("right").unwrap().vertices, [1, 2, 4, 5], "{keys}");
            assert_eq!(body.pins, [[1, 2, 4, 5]], "{keys}");
            assert_eq!(body.element_factors().unwrap(), [1.0, 1.0, 5.0, 5.0], "{keys}");
            // Edges [0 1], [0 3], [0 4], [1 2], [1 4], [1 5], [2 5], [3 4], [4 5]: five lie in the right half.
            let factors = body.group_factors(&body.edges).unwrap();
            assert_eq!(factors.iter().filter(|&&factor| factor == 5.0).count(), 5, "{keys}");
            let heavy = scene.model(0.0).unwrap().masses().to_vec();
            assert_eq!(heavy, [2.0, 6.0, 6.0, 2.0, 6.0, 6.0], "{keys}");
        }
    }

    #[test]
    fn faults_are_named() {
        let faults = [
            ("[[object.group]]\nname = \"up\"", "no group \"up\" (it has: left, right)"),
            ("[[object.group]]\nname = \"up\"\ncolumn = \"blue\"", "no column \"blue\""),
            ("[[object.group]]\nname = \"left\"\nweight = 0", "group[0].weight"),
            ("[[object.group]]\nname = \"a\"\nvertices = [9]", "vertex 9 does not exist"),
            ("[[object.pin]]\nselect = { group = \"up\" }\nweight = 1", "there are: left, right"),
            (
                "[[object.group]]\nname = \"left\"\n[[object.group]]\nname = \"left\"",
                "the name \"left\" is used twice",
            ),
        ];
        for (body, expected) in faults {
            let error = load("a.obj", OBJ, body).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
