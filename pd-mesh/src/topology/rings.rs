//! Ordered one-rings: the neighbours of every vertex, counter-clockwise seen from the side the face normals point to.
//!
//! A triangle (v, a, b) says "after a comes b around v". For a vertex inside a manifold surface these links form one
//! closed cycle; on the border they form one open chain. Anything else (two fans that meet in a point, an edge with
//! three triangles, neighbours of opposite orientation) is non-manifold: such a vertex has no ring order, is treated as
//! boundary and is reported.

use crate::TriMesh;

/// One-rings of all vertices, flat: ring of v = `neighbours[offsets[v]..offsets[v+1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rings {
    /// Where each ring begins; one more entry than vertices.
    pub offsets: Vec<u32>,
    /// Neighbours, vertex after vertex.
    pub neighbours: Vec<u32>,
    /// Vertices whose triangles form neither one cycle nor one chain, ascending.
    pub non_manifold: Vec<u32>,
    boundary: Vec<bool>,
}

/// One-rings of some vertices: ring k, around `vertices[k]`, is `neighbours[offsets[k]..offsets[k+1]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteriorRings {
    /// The vertices in the middle, ascending.
    pub vertices: Vec<u32>,
    /// Where each ring begins; one more entry than vertices.
    pub offsets: Vec<u32>,
    /// Neighbours, ring after ring.
    pub neighbours: Vec<u32>,
}

/// The shape that the links around a vertex make.
enum Fan {
    Closed,
    Open,
    Broken,
}

impl Rings {
    /// Builds the rings; cost O(F log F). Triangles with a repeated corner are ignored.
    ///
    /// ```
    /// use pd_mesh::{generate, topology::Rings};
    /// let rings = Rings::new(&generate::grid(2, 2, 1.0, 1.0)?);
    /// // The middle vertex of a 3 × 3 grid; +y is up, so counter-clockwise runs from +z towards +x.
    /// assert_eq!(rings.ring(4), [0, 1, 5, 8, 7, 3]);
    /// assert!(!rings.is_boundary(4) && rings.is_boundary(0));
    /// # Ok::<(), pd_mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        // Every corner gives one link (vertex, from, to); sorting brings the links of a vertex together.
        let proper = mesh.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a);
        let mut links: Vec<[u32; 3]> =
            proper.flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
        links.sort_unstable();

        let vertices = mesh.positions.len();
        let mut rings = Self {
            offsets: Vec::with_capacity(vertices + 1),
            neighbours: Vec::with_capacity(links.len()),
            non_manifold: Vec::new(),
            boundary: vec![true; vertices],
        };
        rings.offsets.push(0);
        let mut rest = links.as_slice();
        for v in 0..vertices {
            let (own, others) = rest.split_at(rest.partition_point(|link| link[0] as usize <= v));
            rest = others;
            match append_ring(own, &mut rings.neighbours) {
                Fan::Closed => rings.boundary[v] = false,
                Fan::Open => {}
                Fan::Broken => rings.non_manifold.push(v as u32),
            }
            rings.offsets.push(rings.neighbours.len() as u32);
        }
        rings
    }

    /// Neighbours of `v`, counter-clockwise. A closed ring begins with its smallest index, an open one at the border
    /// with its clockwise end. At a non-manifold vertex: the neighbours ascending, without order around the vertex.
    #[must_use]
    pub fn ring(&self, v: usize) -> &[u32] {
        &self.neighbours[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }

    /// Whether `v` lies on a border edge, has no triangle, or is non-manifold.
    #[must_use]
    pub fn is_boundary(&self, v: usize) -> bool {
        self.boundary[v]
    }

    /// The rings of the vertices that no border touches: those that can carry bending.
    ///
    /// ```
    /// use pd_mesh::{generate, topology::Rings};
    /// let inner = Rings::new(&generate::grid(3, 3, 1.0, 1.0)?).interior();
    /// assert_eq!(inner.vertices, [5, 6, 9, 10]);
    /// assert_eq!(inner.offsets, [0, 6, 12, 18, 24]);
    /// # Ok::<(), pd_mesh::MeshError>(())
    /// ```
    #[must_use]
    pub fn interior(&self) -> InteriorRings {
        let mut inner = InteriorRings { vertices: vec![], offsets: vec![0], neighbours: vec![] };
        for v in (0..self.len()).filter(|&v| !self.is_boundary(v)) {
            inner.vertices.push(v as u32);
            inner.neighbours.extend_from_slice(self.ring(v));
            inner.offsets.push(inner.neighbours.len() as u32);
        }
        inner
    }

    /// Number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boundary.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boundary.is_empty()
    }
}

/// Follows the links [v, from, to] of one vertex, sorted by `from`, and appends the neighbours in order.
fn append_ring(links: &[[u32; 3]], out: &mut Vec<u32>) -> Fan {
    if links.is_empty() {
        return Fan::Open;
    }
    let mut targets: Vec<u32> = links.iter().map(|link| link[2]).collect();
    targets.sort_unstable();
    let branches = links.windows(2).any(|pair| pair[0][1] == pair[1][1])
        || targets.windows(2).any(|pair| pair[0] == pair[1]);

    // A chain starts where nothing leads; a cycle may start anywhere, so at its smallest index.
    let mut starts = links.iter().map(|link| link[1]).filter(|from| targets.binary_search(from).is_err());
    let chain_start = starts.next();
    if branches || starts.next().is_some() {
        append_sorted(links, out);
        return Fan::Broken;
    }
    let first = chain_start.unwrap_or(links[0][1]);
    let begin = out.len();
    let mut at = first;
    let mut followed = 0;
    out.push(at);
    while let Ok(link) = links.binary_search_by_key(&at, |link| link[1]) {
        at = links[link][2];
        followed += 1;
        if at == first {
            break;
        }
        out.push(at);
    }
    if followed < links.len() {
        // More than one cycle, or a chain beside a cycle.
        out.truncate(begin);
        append_sorted(links, out);
        return Fan::Broken;
    }
    if chain_start.is_some() { Fan::Open } else { Fan::Closed }
}

/// Appends all neighbours ascending, each once.
fn append_sorted(links: &[[u32; 3]], out: &mut Vec<u32>) {
    let mut all: Vec<u32> = links.iter().flat_map(|link| [link[1], link[2]]).collect();
    all.sort_unstable();
    all.dedup();
    out.extend(all);
}
