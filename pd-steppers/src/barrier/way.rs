//! How far vertices may go along straight ways before something touches.

use pd_collide::ccd::{Ccd, Conservative, EdgeEdge, PointTriangle};
use pd_collide::response::MovingPairs;
use pd_core::{Real, StepContext, Vec3};

/// Part of the way to the first touch that a step may go.
const KEEP: Real = 0.8;
/// Steps along a path past an obstacle.
const MARCH: usize = 64;

/// The part of the way from `from` to `to` on which no pair touches, at most 1.
pub(super) fn free_part(pairs: &MovingPairs, from: &[Vec3], to: &[Vec3]) -> Real {
    let motion = |v: &[u32; 4]| (v.map(|v| from[v as usize]), v.map(|v| to[v as usize]));
    let mut part: Real = 1.0;
    for pair in &pairs.vertex_triangles {
        let (start, end) = motion(pair);
        let hit = Conservative.vertex_triangle(&PointTriangle { start, end, separation: 0.0 });
        part = hit.map_or(part, |time| part.min(KEEP * time));
    }
    for pair in &pairs.edge_edges {
        let (start, end) = motion(pair);
        let hit = Conservative.edge_edge(&EdgeEdge { start, end, separation: 0.0 });
        part = hit.map_or(part, |time| part.min(KEEP * time));
    }
    part
}

/// The same for obstacles: every vertex goes along its way by distances to the nearest surface.
pub(super) fn past_obstacles(context: &StepContext<'_>, time: Real, from: &[Vec3], to: &[Vec3]) -> Real {
    let mut part: Real = 1.0;
    for i in (0..from.len()).filter(|&i| !context.model.is_kinematic(i)) {
        let way = to[i] - from[i];
        let length = way.norm();
        if length == 0.0 {
            continue;
        }
        for collider in context.colliders.iter().filter_map(|collider| collider.for_vertices()) {
            let first = collider.surface_at(&from[i], time).distance;
            let mut gone = 0.0;
            for _ in 0..MARCH {
                let gap = collider.surface_at(&(from[i] + way * gone), time).distance;
                let step = gap - (1.0 - KEEP) * first.min(gap);
                if gap < 0.3 * first {
                    break;
                }
                gone += step.max(0.0) / length;
                if gone >= part {
                    break;
                }
            }
            part = part.min(gone);
        }
    }
    part
}
