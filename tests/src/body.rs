//! Small random bodies of every kind of constraint.

use crate::Random;
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, Pins, RingsRef, StrainRange, TetStrain, TriStrain, Volume,
};
use pd_core::{Model, ModelBuilder, Real, Vec3};
use pd_mesh::{TriMesh, generate, topology::Rings};

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Springs on edges and mean-value bending.
    Cloth,
    /// Springs on edges and cotangent bending.
    CotanCloth,
    /// Strain of triangles in a range.
    Triangles,
    /// Area of triangles, with weak springs that hold the shape.
    Areas,
    /// Strain of tetrahedra in a range.
    Tets,
    /// Rigid tetrahedra with their volume.
    Volumes,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Cloth, Self::CotanCloth, Self::Triangles, Self::Areas, Self::Tets, Self::Volumes];
}

/// A body at rest and its model.
pub struct Body {
    /// Positions at rest, m.
    pub rest: Vec<Vec3>,
    /// The model, pins included.
    pub model: Model,
    /// Pinned vertices and the weight of each pin, N/m.
    pub pins: Vec<(u32, Real)>,
}

impl Body {
    /// A body of a few dozen vertices with an irregular rest shape, random masses and weights, and `pins` pins.
    pub fn random(kind: Kind, random: &mut Random, pins: usize) -> Self {
        let (rest, elastic) = elastic(kind, random);
        let masses: Vec<Real> = rest.iter().map(|_| random.within(5e-4, 5e-3)).collect();
        let mut builder = elastic.into_iter().fold(Model::with_masses(masses), ModelBuilder::boxed_energy);
        let mut pinned = vec![];
        for _ in 0..pins {
            let (vertex, weight) = (random.below(rest.len()) as u32, random.within(10.0, 1000.0));
            builder = builder.energy(Pins::new(&rest, &[vertex], weight).unwrap());
            pinned.push((vertex, weight));
        }
        Self { model: builder.build().unwrap(), rest, pins: pinned }
    }
}

type Batches = Vec<Box<dyn pd_core::EnergyBatch>>;

fn elastic(kind: Kind, random: &mut Random) -> (Vec<Vec3>, Batches) {
    let weight = random.within(20.0, 500.0);
    match kind {
        Kind::Tets | Kind::Volumes => {
            let mesh =
                generate::bar(1 + random.below(2), 1 + random.below(2), 2 + random.below(2), 1.0).unwrap();
            let rest = random.shaken(&mesh.positions, 0.03);
            let range =
                if kind == Kind::Tets { StrainRange::uniform(0.95, 1.05) } else { StrainRange::RIGID };
            let mut batches: Batches =
                vec![Box::new(TetStrain::new(&rest, &mesh.tets, 10.0 * weight, range).unwrap())];
            if kind == Kind::Volumes {
                batches.push(Box::new(Volume::new(&rest, &mesh.tets, 20.0 * weight, 1.0, 1.0).unwrap()));
            }
            (rest, batches)
        }
        _ => {
            let (rows, columns) = (3 + random.below(3), 3 + random.below(3));
            let mesh = generate::grid(rows, columns, 1.0, 1.0).unwrap();
            let rest = random.shaken(&mesh.positions, 0.04);
            let batches = surface(kind, random, &rest, &mesh, weight);
            (rest, batches)
        }
    }
}

fn surface(kind: Kind, random: &mut Random, rest: &[Vec3], mesh: &TriMesh, weight: Real) -> Batches {
    let triangles = &mesh.triangles;
    let springs = |weight: Real| Box::new(EdgeSprings::new(rest, &mesh.edges(), weight).unwrap());
    match kind {
        Kind::Triangles => {
            let range = StrainRange::uniform(0.95, 1.05);
            vec![Box::new(TriStrain::new(rest, triangles, weight, range).unwrap())]
        }
        Kind::Areas => {
            vec![springs(0.1 * weight), Box::new(Area::new(rest, triangles, weight, 1.0, 1.0).unwrap())]
        }
        _ => {
            let laplacian = match kind {
                Kind::CotanCloth => BendingWeights::CotanVoronoi,
                _ => BendingWeights::MeanValue,
            };
            let bending = random.within(1e-5, 1e-2);
            let rings = bending_rings(mesh);
            vec![springs(weight), Box::new(Bending::new(rest, rings.as_ref(), bending, laplacian).unwrap())]
        }
    }
}

/// The rings of the interior vertices in flat arrays.
pub struct OwnedRings {
    vertices: Vec<u32>,
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
}

impl OwnedRings {
    /// As [`Bending`] takes them.
    pub fn as_ref(&self) -> RingsRef<'_> {
        RingsRef { vertices: &self.vertices, offsets: &self.offsets, neighbours: &self.neighbours }
    }
}

/// The rings of all interior vertices of a mesh.
pub fn bending_rings(mesh: &TriMesh) -> OwnedRings {
    let rings = Rings::new(mesh);
    let mut owned = OwnedRings { vertices: vec![], offsets: vec![0], neighbours: vec![] };
    for vertex in (0..mesh.positions.len()).filter(|&v| !rings.is_boundary(v)) {
        owned.vertices.push(vertex as u32);
        owned.neighbours.extend_from_slice(rings.ring(vertex));
        owned.offsets.push(owned.neighbours.len() as u32);
    }
    owned
}
