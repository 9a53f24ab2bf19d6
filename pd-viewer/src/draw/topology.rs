//! The constant part of a drawing: which vertices make triangles, edges and tetrahedra, and which belong to which body.

use pd_mesh::{Mesh, TriMesh, topology};
use pd_sim::scene::Scene;
use std::ops::Range;
use std::sync::OnceLock;

/// No tetrahedron on the other side of a face.
pub(crate) const OUTSIDE: u32 = u32::MAX;

/// Corners of the four faces of a tetrahedron of positive volume, seen from outside; face k is opposite to corner k.
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// One body: ranges of the lists of a [`Topology`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name in the scene.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its surface triangles.
    pub triangles: Range<usize>,
    /// Its tetrahedra; empty for cloth and shells.
    pub tets: Range<usize>,
    /// Edges of its surface triangles.
    pub surface_edges: Range<usize>,
    /// All its edges.
    pub edges: Range<usize>,
}

/// All bodies of a scene in one numbering of vertices.
#[derive(Debug)]
pub struct Topology {
    /// Number of vertices.
    pub vertices: usize,
    /// The bodies, ascending.
    pub parts: Vec<Part>,
    /// Surface triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of the surface triangles.
    pub surface_edges: Vec<[u32; 2]>,
    /// All edges, those inside solids too.
    pub edges: Vec<[u32; 2]>,
    /// Tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Triangles around each vertex.
    pub vertex_faces: topology::VertexFaces,
    neighbour_offsets: Vec<u32>,
    neighbours: Vec<u32>,
    tet_neighbours: OnceLock<Vec<[u32; 4]>>,
}

impl Topology {
    /// Whether both have the same vertices and elements in the same order.
    pub fn is_like(&self, other: &Self) -> bool {
        self.parts == other.parts && self.triangles == other.triangles && self.tets == other.tets
    }

    /// The bodies of a scene.
    pub fn of_scene(scene: &Scene) -> Self {
        let mut parts = Vec::with_capacity(scene.objects.len());
        let (mut triangles, mut tets) = (vec![], vec![]);
        for object in &scene.objects {
            let (first_triangle, first_tet) = (triangles.len(), tets.len());
            triangles.extend(object.surface.iter().map(|t| t.map(|v| v + object.first)));
            if let Mesh::Tet(mesh) = &object.mesh {
                tets.extend(mesh.tets.iter().map(|t| t.map(|v| v + object.first)));
            }
            parts.push(Part {
                name: object.name.clone(),
                vertices: object.range(),
                triangles: first_triangle..triangles.len(),
                tets: first_tet..tets.len(),
                surface_edges: 0..0,
                edges: 0..0,
            });
        }
        // What shows rigid bodies and particles comes after the points of the state.
        let mut first = scene.vertices();
        for shown in scene.matter.display(&scene.desc) {
            let first_triangle = triangles.len();
            triangles.extend(shown.triangles.iter().map(|t| t.map(|v| v + first as u32)));
            parts.push(Part {
                name: shown.name,
                vertices: first..first + shown.vertices,
                triangles: first_triangle..triangles.len(),
                tets: tets.len()..tets.len(),
                surface_edges: 0..0,
                edges: 0..0,
            });
            first += shown.vertices;
        }
        Self::new(parts, triangles, tets, scene.edges())
    }

    /// Bodies given as lists; `parts` and the lists must ascend by body, and every index must be below the end of the last
    /// part's vertices. The ranges of edges are found here.
    pub fn new(
        mut parts: Vec<Part>,
        triangles: Vec<[u32; 3]>,
        tets: Vec<[u32; 4]>,
        edges: Vec<[u32; 2]>,
    ) -> Self {
        let vertices = parts.last().map_or(0, |part| part.vertices.end);
        let surface_edges = topology::triangle_edges(&triangles);
        for part in &mut parts {
            let range = |list: &[[u32; 2]]| {
                let below = |end: usize| list.partition_point(|edge| (edge[0] as usize) < end);
                below(part.vertices.start)..below(part.vertices.end)
            };
            (part.surface_edges, part.edges) = (range(&surface_edges), range(&edges));
        }
        // The table asks for a mesh; only the number of its positions counts.
        let mesh = TriMesh { positions: vec![pd_core::Vec3::zeros(); vertices], triangles };
        let vertex_faces = mesh.vertex_faces();
        let (neighbour_offsets, neighbours) = neighbours(vertices, &edges);
        Self {
            vertices,
            parts,
            triangles: mesh.triangles,
            surface_edges,
            edges,
            tets,
            vertex_faces,
            neighbour_offsets,
            neighbours,
            tet_neighbours: OnceLock::new(),
        }
    }

    /// Vertices joined to `vertex` by an edge, ascending; none for a vertex that does not exist.
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        if v >= self.vertices {
            return &[];
        }
        &self.neighbours[self.neighbour_offsets[v] as usize..self.neighbour_offsets[v + 1] as usize]
    }

    /// The body a vertex belongs to.
    pub fn part_of_vertex(&self, vertex: u32) -> Option<usize> {
        self.parts.iter().position(|part| part.vertices.contains(&(vertex as usize)))
    }

    /// The tetrahedron behind each face of each tetrahedron; made when first requested.
    pub(crate) fn tet_neighbours(&self) -> &[[u32; 4]] {
        self.tet_neighbours.get_or_init(|| tet_neighbours(&self.tets))
    }
}

/// Edges by vertex, as offsets and a flat list.
fn neighbours(vertices: usize, edges: &[[u32; 2]]) -> (Vec<u32>, Vec<u32>) {
    let mut offsets = vec![0u32; vertices + 1];
    for v in edges.iter().flatten() {
        offsets[*v as usize + 1] += 1;
    }
    for v in 1..offsets.len() {
        offsets[v] += offsets[v - 1];
    }
    let mut next = offsets.clone();
    let mut list = vec![0u32; edges.len() * 2];
    for &[a, b] in edges {
        for (from, to) in [(a, b), (b, a)] {
            list[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
    }
    for v in 0..vertices {
        list[offsets[v] as usize..offsets[v + 1] as usize].sort_unstable();
    }
    (offsets, list)
}

fn tet_neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(tets.len() * 4);
    for (k, tet) in tets.iter().enumerate() {
        for (face, corners) in FACES.iter().enumerate() {
            let mut key = corners.map(|c| tet[c]);
            key.sort_unstable();
            faces.push((key, (k * 4 + face) as u32));
        }
    }
    faces.sort_unstable();
    let mut neighbours = vec![[OUTSIDE; 4]; tets.len()];
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (a, b) = (pair[0].1, pair[1].1);
        neighbours[(a / 4) as usize][(a % 4) as usize] = b / 4;
        neighbours[(b / 4) as usize][(b % 4) as usize] = a / 4;
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use pd_sim::ModelPaths;

    #[test]
    fn faces_without_a_neighbour_are_the_surface() {
        let scene = Scene::load("bar", &ModelPaths::default()).unwrap();
        let topology = Topology::of_scene(&scene);
        let mut open: Vec<[u32; 3]> = vec![];
        for (tet, neighbours) in topology.tets.iter().zip(topology.tet_neighbours()) {
            for (face, _) in neighbours.iter().enumerate().filter(|(_, n)| **n == OUTSIDE) {
                open.push(FACES[face].map(|c| tet[c]));
            }
        }
        // The same triangles with the same orientation, whichever corner comes first.
        let turned = |mut list: Vec<[u32; 3]>| {
            for t in &mut list {
                let least = (0..3).min_by_key(|&k| t[k]).unwrap();
                t.rotate_left(least);
            }
            list.sort_unstable();
            list
        };
        assert_eq!(turned(open), turned(topology.triangles.clone()));
    }

    #[test]
    fn neighbours_are_the_other_ends_of_edges() {
        let scene = Scene::load("cloth-pair", &ModelPaths::default()).unwrap();
        let topology = Topology::of_scene(&scene);
        for vertex in [0, 21, 440, 441, 881] {
            let mut expected: Vec<u32> = topology
                .edges
                .iter()
                .filter(|e| e.contains(&vertex))
                .map(|e| if e[0] == vertex { e[1] } else { e[0] })
                .collect();
            expected.sort_unstable();
            assert_eq!(topology.neighbours(vertex), expected);
            assert!(!expected.is_empty());
        }
        let ranges: Vec<_> =
            topology.parts.iter().map(|p| (p.surface_edges.clone(), p.edges.clone())).collect();
        assert_eq!(ranges, [(0..1240, 0..1240), (1240..2480, 1240..2480)]);
        assert_eq!(topology.neighbours(882), [] as [u32; 0]);
        assert_eq!((topology.part_of_vertex(441), topology.part_of_vertex(882)), (Some(1), None));
    }
}
