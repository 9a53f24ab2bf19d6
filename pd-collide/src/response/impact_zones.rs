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

/// Replaces the ends of a motion by ones at which nothing has touched, given that nothing touches at the start.
///
/// `masses` are in kg; a vertex that must keep to its path gets a large one (10⁶ times the others'). `candidates` is asked
/// before each pass for the pairs whose boxes, swept from the first positions to the second, meet; what it leaves out is
/// taken to be apart. `separation` is the distance that counts as touching, m, and should be below all distances at the
/// start: pairs nearer than that stay as they are, in one zone.
///
/// # Panics
/// If the three slices differ in length or a pair names no vertex.
pub fn rigid_impact_zones(
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
    let wanted = end.to_vec();
    let mut zones = Zones::new(start.len());
    let mut pairs = MovingPairs::default();
    let mut report = ImpactReport::default();
    loop {
        report.passes += 1;
        candidates(start, end, &mut pairs);
        let motion = |v: &[u32; 4]| (v.map(|v| start[v as usize]), v.map(|v| end[v as usize]));
        let mut touching = Vec::new();
        for pair in pairs.vertex_triangles.iter().filter(|pair| !zones.holds(pair)) {
            let (start, end) = motion(pair);
            if ccd.vertex_triangle(&PointTriangle { start, end, separation }).is_some() {
                touching.push(*pair);
            }
        }
        for pair in pairs.edge_edges.iter().filter(|pair| !zones.holds(pair)) {
            let (start, end) = motion(pair);
            if ccd.edge_edge(&EdgeEdge { start, end, separation }).is_some() {
                touching.push(*pair);
            }
        }
        if touching.is_empty() {
            break;
        }
        for pair in &touching {
            zones.join(pair);
        }
        for zone in zones.members() {
            move_rigidly(&zone, start, &wanted, masses, end);
        }
    }
    let members = zones.members();
    report.zones = members.len();
    report.vertices = members.iter().map(Vec::len).sum();
    report
}

/// Gives the vertices of a zone the rigid motion with their momenta.
fn move_rigidly(zone: &[usize], start: &[Vec3], wanted: &[Vec3], masses: &[Real], end: &mut [Vec3]) {
    let mass: Real = zone.iter().map(|i| masses[*i]).sum();
    let mean = |x: &[Vec3]| zone.iter().map(|i| x[*i] * masses[*i]).sum::<Vec3>() / mass;
    let (centre, moved) = (mean(start), mean(wanted));
    let (mut momentum, mut inertia) = (Vec3::zeros(), Mat3::zeros());
    for i in zone {
        let (r, u) = (start[*i] - centre, (wanted[*i] - moved) - (start[*i] - centre));
        momentum += r.cross(&u) * masses[*i];
        inertia += (Mat3::from_diagonal_element(r.norm_squared()) - r * r.transpose()) * masses[*i];
    }
    // Vertices on a line have no inertia about it, and no angular momentum either.
    inertia += Mat3::from_diagonal_element(1e-12 * inertia.trace());
    let turn = inertia.try_inverse().map_or_else(Vec3::zeros, |inverse| inverse * momentum);
    let angle = turn.norm();
    let turn = if angle > MOST_TURN { turn * (MOST_TURN / angle) } else { turn };
    let rotation = Rotation3::from_scaled_axis(turn);
    for i in zone {
        end[*i] = moved + rotation * (start[*i] - centre);
    }
}

/// Disjoint sets of vertices; the lowest vertex stands for its set, so that the order of joining does not matter.
struct Zones(Vec<usize>);

impl Zones {
    fn new(len: usize) -> Self {
        Zones((0..len).collect())
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn holds(&mut self, pair: &[u32; 4]) -> bool {
        let first = self.root(pair[0] as usize);
        pair[1..].iter().all(|v| self.root(*v as usize) == first)
    }

    fn join(&mut self, pair: &[u32; 4]) {
        for v in &pair[1..] {
            let (a, b) = (self.root(pair[0] as usize), self.root(*v as usize));
            self.0[a.max(b)] = a.min(b);
        }
    }

    /// Sets of more than one vertex, by their lowest.
    fn members(&mut self) -> Vec<Vec<usize>> {
        let mut by_root: Vec<(usize, usize)> = (0..self.0.len()).map(|i| (self.root(i), i)).collect();
        by_root.sort_unstable();
        let sets = by_root.chunk_by(|a, b| a.0 == b.0).filter(|set| set.len() > 1);
        sets.map(|set| set.iter().map(|(_, i)| *i).collect()).collect()
    }
}
