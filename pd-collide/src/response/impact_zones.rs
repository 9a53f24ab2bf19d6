//! Rigid impact zones: the last resort of Provot, Collision and Self-Collision Handling in Cloth Model Dedicated to
//! Design Garments (1997), and Bridson et al., Robust Treatment of Collisions, Contact and Friction for Cloth Animation
//! (2002), section 7.
//!
//! Vertices of pairs that would touch during the step form zones; a zone moves as one rigid body, with the momentum and
//! the angular momentum of its vertices: with centre c, r_i = x_i − c and u_i the displacement over the step,
//!
//!   L = Σ m_i r_i × u_i,   I = Σ m_i (|r_i|² − r_i r_iᵀ),   ω = I⁻¹ L,   x_i' = c + ū + exp([ω]) r_i
//!
//! Zones that touch others merge, until none do. That ends, because every pass merges something, and within a zone
//! nothing can meet: along straight paths from x to x' the zone is mapped by (1 − τ) 1 + τ exp([ω]), which is invertible
//! as long as the zone turns by less than half a turn. The price is that layers in a zone stick together for this step.

use crate::ccd::{Ccd, EdgeEdge, PointTriangle};
use nalgebra::Rotation3;
use pd_core::{Mat3, Real, Vec3};

/// A zone turns by no more than this in one step, rad: below half a turn, at which it would collapse to a line half-way.
const MOST_TURN: Real = 1.5;

/// Pairs that may meet, by vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovingPairs {
    /// Vertex and the corners of a triangle.
    pub vertex_triangles: Vec<[u32; 4]>,
    /// Ends of the one edge and of the other.
    pub edge_edges: Vec<[u32; 4]>,
}

/// What a response did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactReport {
    /// Searches for contacts, the last of which found none.
    pub passes: usize,
    /// Zones at the end.
    pub zones: usize,
    /// Vertices in them.
    pub vertices: usize,
}

impl MovingPairs {
    /// Empties both lists and makes room for so many pairs in each.
    pub fn prepare(&mut self, pairs: usize) {
        for list in [&mut self.vertex_triangles, &mut self.edge_edges] {
            list.clear();
            list.reserve(pairs);
        }
    }
}

/// The response, with its scratch: [`respond`](Self::respond) allocates only beyond what was [prepared](Self::prepare) and what
/// earlier calls needed.
#[derive(Clone, Debug, Default)]
pub struct RigidImpactZones {
    wanted: Vec<Vec3>,
    pairs: MovingPairs,
    zones: Zones,
}

impl RigidImpactZones {
    /// Makes room for so many vertices and for so many pairs of each kind.
    pub fn prepare(&mut self, vertices: usize, pairs: usize) {
        self.wanted.clear();
        self.wanted.reserve(vertices);
        self.pairs.prepare(pairs);
        self.zones.clear(0);
        self.zones.parents.reserve(vertices);
        self.zones.by_root.reserve(vertices);
    }

    /// Replaces the ends of a motion by ones at which nothing has touched, given that nothing touches at the start.
    ///
    /// `masses` are in kg; a vertex that must keep to its path gets a large one (10⁶ times the others'). `candidates` is asked
    /// before each pass for the pairs whose boxes, swept from the first positions to the second, meet; what it leaves out is
    /// taken to be apart. `separation` is the distance that counts as touching, m, and should be below all distances at the
    /// start: pairs nearer than that stay as they are, in one zone.
    ///
    /// # Panics
    /// If the three slices differ in length or a pair names no vertex.
    pub fn respond(
        &mut self,
        start: &[Vec3],
        end: &mut [Vec3],
        masses: &[Real],
        separation: Real,
        ccd: &dyn Ccd,
        mut candidates: impl FnMut(&[Vec3], &[Vec3], &mut MovingPairs),
    ) -> ImpactReport {
        assert!(
            start.len() == end.len() && start.len() == masses.len(),
            "one start, end and mass for each vertex"
        );
        let Self { wanted, pairs, zones } = self;
        wanted.clear();
        wanted.extend_from_slice(end);
        zones.clear(start.len());
        let mut report = ImpactReport::default();
        loop {
            report.passes += 1;
            candidates(start, end, pairs);
            let motion = |v: &[u32; 4]| (v.map(|v| start[v as usize]), v.map(|v| end[v as usize]));
            let mut joined = false;
            for pair in &pairs.vertex_triangles {
                let (start, end) = motion(pair);
                joined |= zones.join_if(pair, || {
                    ccd.vertex_triangle(&PointTriangle { start, end, separation }).is_some()
                });
            }
            for pair in &pairs.edge_edges {
                let (start, end) = motion(pair);
                joined |=
                    zones.join_if(pair, || ccd.edge_edge(&EdgeEdge { start, end, separation }).is_some());
            }
            if !joined {
                break;
            }
            for zone in zones.members() {
                move_rigidly(zone, start, wanted, masses, end);
            }
        }
        for zone in zones.members() {
            report.zones += 1;
            report.vertices += zone.len();
        }
        report
    }
}

/// Gives the vertices of a zone the rigid motion with their momenta.
fn move_rigidly(zone: &[Member], start: &[Vec3], wanted: &[Vec3], masses: &[Real], end: &mut [Vec3]) {
    let zone = zone.iter().map(|&(_, i)| i);
    let mass: Real = zone.clone().map(|i| masses[i]).sum();
    let mean = |x: &[Vec3]| zone.clone().map(|i| x[i] * masses[i]).sum::<Vec3>() / mass;
    let (centre, moved) = (mean(start), mean(wanted));
    let (mut momentum, mut inertia) = (Vec3::zeros(), Mat3::zeros());
    for i in zone.clone() {
        let (r, u) = (start[i] - centre, (wanted[i] - moved) - (start[i] - centre));
        momentum += r.cross(&u) * masses[i];
        inertia += (Mat3::from_diagonal_element(r.norm_squared()) - r * r.transpose()) * masses[i];
    }
    // Vertices on a line have no inertia about it, and no angular momentum either.
    inertia += Mat3::from_diagonal_element(1e-12 * inertia.trace());
    let turn = inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * momentum);
    let angle = turn.norm();
    let turn = if angle > MOST_TURN { turn * (MOST_TURN / angle) } else { turn };
    let rotation = Rotation3::from_scaled_axis(turn);
    for i in zone {
        end[i] = moved + rotation * (start[i] - centre);
    }
}

/// The vertex that stands for a set, and a vertex of the set.
type Member = (usize, usize);

/// Disjoint sets of vertices; the lowest vertex stands for its set, so that the order of joining does not matter.
#[derive(Clone, Debug, Default)]
struct Zones {
    /// A lower vertex of the same set, or the vertex itself if it is the lowest.
    parents: Vec<usize>,
    by_root: Vec<Member>,
}

impl Zones {
    /// A set for each of so many vertices.
    fn clear(&mut self, vertices: usize) {
        self.parents.clear();
        self.parents.extend(0..vertices);
        self.by_root.clear();
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parents[i] != i {
            self.parents[i] = self.parents[self.parents[i]];
            i = self.parents[i];
        }
        i
    }

    fn holds(&mut self, pair: &[u32; 4]) -> bool {
        let first = self.root(pair[0] as usize);
        pair[1..].iter().all(|v| self.root(*v as usize) == first)
    }

    /// Makes one set of those of four vertices, if they are not in one already and `touch`; whether that was so.
    fn join_if(&mut self, pair: &[u32; 4], touch: impl FnOnce() -> bool) -> bool {
        let joins = !self.holds(pair) && touch();
        if joins {
            for v in &pair[1..] {
                let (a, b) = (self.root(pair[0] as usize), self.root(*v as usize));
                self.parents[a.max(b)] = a.min(b);
            }
        }
        joins
    }

    /// Sets of more than one vertex, by their lowest.
    fn members(&mut self) -> impl Iterator<Item = &[Member]> {
        self.by_root.clear();
        for i in 0..self.parents.len() {
            let root = self.root(i);
            self.by_root.push((root, i));
        }
        self.by_root.sort_unstable();
        self.by_root.chunk_by(|a, b| a.0 == b.0).filter(|set| set.len() > 1)
    }
}
