//! Table 4.2 of the coupling thesis: continuous collision detection, with queries whose answers are known by construction.
//!
//! A point and a triangle move along straight lines. Hits: the point is in the triangle's inside at some time. Misses: both move by
//! the same displacement, and relative to the triangle the point stays above its plane, from a metre down to 10⁻⁸ of its size.

use crate::lab::{Lab, TableError};
use crate::published::CCD;
use crate::{Cell, Column, Table};
use pd_collide::ccd::{ALGORITHMS, PointTriangle};
use pd_core::{Real, Vec3};
use std::time::Instant;

/// Queries of each kind.
const QUERIES: usize = 20_000;

/// Times that all queries are asked; the fastest counts.
const ROUNDS: usize = 3;

pub(super) fn make(lab: &Lab<'_>) -> Result<Table, TableError> {
    let columns = vec![
        Column::fixed("method"),
        Column::fixed("t, published"),
        Column::fixed("false positives, published"),
        Column::fixed("false negatives, published"),
        Column::timing("µs a query here"),
        Column::fixed("false positives here"),
        Column::fixed("false negatives here"),
        Column::fixed("note"),
    ];
    let about = format!(
        "A moving point and a moving triangle, {QUERIES} that meet and {QUERIES} that do not, down to gaps of 1e-8 of the \
         triangle. A false positive is a miss called a hit: safe, and slow. A false negative is a hit that is overlooked. One \
         thread."
    );
    let mut table =
        Table::new("4.2", "Table 4.2 (coupling thesis): continuous collision detection", about, columns);
    for (name, time, positives, negatives) in CCD {
        table.push(vec![
            Cell::text(name),
            Cell::Number(time),
            Cell::Count(positives),
            Cell::Count(negatives),
            Cell::Empty,
            Cell::Empty,
            Cell::Empty,
            Cell::text("no unit, machine or data set given"),
        ]);
    }
    let (hits, misses) = queries();
    for algorithm in ALGORITHMS {
        lab.report_progress(&format!("continuous collision detection: {}", algorithm.name()));
        let (mut answers, mut least) = (vec![], f64::INFINITY);
        let mut wrong = [0; 2];
        for _ in 0..ROUNDS {
            let started = Instant::now();
            algorithm.vertex_triangles(&misses, &mut answers);
            wrong[0] = answers.iter().filter(|answer| answer.is_some()).count() as u64;
            algorithm.vertex_triangles(&hits, &mut answers);
            wrong[1] = answers.iter().filter(|answer| answer.is_none()).count() as u64;
            least = least.min(started.elapsed().as_secs_f64());
        }
        table.push(vec![
            Cell::text(algorithm.name()),
            Cell::Empty,
            Cell::Empty,
            Cell::Empty,
            Cell::Number(1e6 * least / (2 * QUERIES) as f64),
            Cell::Count(wrong[0]),
            Cell::Count(wrong[1]),
            Cell::text(""),
        ]);
    }
    table.notes.push(
        "The first three published rows are those of a known benchmark on another machine (vertex–face queries of simulations, \
         µs); the thesis sets its own time beside them. False positives of different data sets do not compare."
            .into(),
    );
    Ok(table)
}

/// Numbers from 0 to 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as Real / (1u64 << 53) as Real
    }

    fn vector(&mut self, size: Real) -> Vec3 {
        Vec3::new(self.next() - 0.5, self.next() - 0.5, self.next() - 0.5) * (2.0 * size)
    }

    /// Weights of a point well inside of a triangle.
    fn weights(&mut self) -> [Real; 3] {
        let (a, b) = (0.05 + 0.4 * self.next(), 0.05 + 0.4 * self.next());
        [a, b, 1.0 - a - b]
    }
}

fn queries() -> (Vec<PointTriangle>, Vec<PointTriangle>) {
    let mut numbers = Numbers(20);
    let (mut hits, mut misses) = (vec![], vec![]);
    while hits.len() < QUERIES {
        let (start, end) = ([0; 3].map(|_| numbers.vector(1.0)), [0; 3].map(|_| numbers.vector(1.0)));
        let (time, weights) = (numbers.next(), numbers.weights());
        let at: Vec3 = (0..3).map(|k| (start[k] * (1.0 - time) + end[k] * time) * weights[k]).sum();
        // Through that place at that time, with any velocity.
        let velocity = numbers.vector(1.0);
        let [a, b, c] = start;
        let [d, e, f] = end;
        hits.push(PointTriangle {
            start: [at - velocity * time, a, b, c],
            end: [at + velocity * (1.0 - time), d, e, f],
            separation: 0.0,
        });
    }
    while misses.len() < QUERIES {
        let corners = [0; 3].map(|_| numbers.vector(1.0));
        let moved = numbers.vector(1.0);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let Some(normal) = normal.try_normalize(1e-2) else { continue };
        let place = |numbers: &mut Numbers| {
            let weights = numbers.weights();
            let height = (10.0 as Real).powf(-8.0 * numbers.next());
            (0..3).map(|k| corners[k] * weights[k]).sum::<Vec3>() + normal * height
        };
        let (from, to) = (place(&mut numbers), place(&mut numbers) + moved);
        let [a, b, c] = corners;
        misses.push(PointTriangle {
            start: [from, a, b, c],
            end: [to, a + moved, b + moved, c + moved],
            separation: 0.0,
        });
    }
    (hits, misses)
}
