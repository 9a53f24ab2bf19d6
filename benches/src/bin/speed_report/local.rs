//! The local step: projections per element against a library's decomposition, whole local steps against the memory.

use super::Error;
use benches::clock::{bandwidth, cpu_seconds, least};
use benches::{plain, shaken};
use pd_constraints::{
    Area, Bending, BendingWeights, EdgeSprings, RingsRef, StrainRange, TetStrain, TriStrain, Volume,
};
use pd_core::exec::ELEMENT_CHUNK;
use pd_core::{CpuLocal, EnergyBatch, LocalInput, LocalStep, Model, Real, Vec3};
use pd_mesh::generate;
use pd_mesh::topology::Rings;
use std::fmt::Write;

pub(super) fn report(choice: &super::Choice) -> Result<String, Error> {
    let budget = if choice.quick { 0.2 } else { 1.5 };
    let mut text = String::from(
        "\n### Projections\n\nr = D x − project(D x) per element, one thread, compared with a scalar loop that \
         uses nalgebra's decomposition. Vertices are displaced randomly by a fraction of the cell size. Goal: 20 times for tetrahedra.\n\n| batch | \
         elements | plain, ns | ours, ns | ratio | largest difference |\n|---|---|---|---|---|---|\n",
    );
    let bar = generate::bar(21, 21, 21, 1.0)?;
    for (law, range) in
        [("rigid", StrainRange::RIGID), ("range 0.95 to 1.05", StrainRange::uniform(0.95, 1.05))]
    {
        for part in [0.05, 0.2, 0.5] {
            let x = shaken(&bar.positions, part / 21.0);
            let ours = TetStrain::new(&bar.positions, &bar.tets, 1.0, range)?;
            let model = Model::with_masses(vec![1.0; x.len()]).energy(ours).build()?;
            let Some(twin) = plain::model(&model) else { return Err("a plain twin".into()) };
            let name = format!("tetrahedra, {law}, moved by {part}");
            text += &projection(&name, model.batches()[0].as_ref(), twin?.batches()[0].as_ref(), &x, budget);
        }
    }
    // Larger moves change some volumes by more than the factor of two that the plain twin serves.
    let x = shaken(&bar.positions, 0.05 / 21.0);
    let ours = Volume::new(&bar.positions, &bar.tets, 1.0, 1.0, 1.0)?;
    let twin = plain::PlainVolume::new(ours.stencil().clone());
    text += &projection("volume, moved by 0.05", &ours, &twin, &x, budget);
    text += "\n### Projection of edges against the memory\n\nr = D x − project(D x) of a cloth's springs, one \
         thread, compared with a loop that only reads the same indices, rest lengths and positions in order and \
         writes as many r. Goal: twice its time.\n\n| batch | elements | projection, ns | streaming, ns | ratio |\n|---|---|---|---|---|\n";
    for cells in [140usize, 600] {
        let sheet = generate::grid(cells, cells, 1.0, 1.0)?;
        let x = shaken(&sheet.positions, 0.2 / cells as Real);
        let edges = EdgeSprings::new(&sheet.positions, &sheet.edges(), 1.0)?;
        let count = edges.stencil().elements();
        let (mut r, mut copy) = (vec![Vec3::zeros(); count], vec![Vec3::zeros(); count]);
        let mut project = || edges.residual(0..count, &x, &mut r);
        let mut stream = || {
            let (ends, lengths) = (edges.edges(), edges.rest_lengths());
            for (k, to) in copy.iter_mut().enumerate() {
                *to = x[k * x.len() / count] * lengths[k] + Vec3::repeat(Real::from(ends[k][0] ^ ends[k][1]));
            }
        };
        let times = least(budget, cpu_seconds, &mut [&mut project, &mut stream]);
        let [ours, streamed] = [times[0], times[1]].map(|time| time * 1e9 / count as f64);
        let _ = writeln!(
            text,
            "| edges, sheet {cells}² | {count} | {ours:.1} | {streamed:.1} | {:.1} |",
            ours / streamed
        );
    }
    text += "\n### Whole local step against the memory\n\nThe whole local step (projection, forces, sum by vertex) per element, one \
             thread. Bytes count every array that is read or written once; the roof is the time to transfer them \
         at the bandwidth for a working set of that size.\n\n| batch | elements | ns | bytes | roof, ns | times the roof |\n|---|---|---|---|---|---|\n";
    for cells in [140usize, 600] {
        let sheet = generate::grid(cells, cells, 1.0, 1.0)?;
        let x = shaken(&sheet.positions, 0.2 / cells as Real);
        let edges = EdgeSprings::new(&sheet.positions, &sheet.edges(), 1.0)?;
        let name = format!("sheet {cells}²");
        text += &whole(&format!("edges, {name}"), edges, 8 + 8 + 8, &x, budget)?;
        let triangles = TriStrain::new(&sheet.positions, &sheet.triangles, 1.0, StrainRange::RIGID)?;
        text += &whole(&format!("triangles, {name}"), triangles, 12 + 24 + 8, &x, budget)?;
        let area = Area::new(&sheet.positions, &sheet.triangles, 1.0, 1.0, 1.0)?;
        text += &whole(&format!("area, {name}"), area, 12 + 24 + 8, &x, budget)?;
        let rings = Rings::new(&sheet).interior();
        let view =
            RingsRef { vertices: &rings.vertices, offsets: &rings.offsets, neighbours: &rings.neighbours };
        let bending = Bending::new(&sheet.positions, view, 1.0, BendingWeights::MeanValue)?;
        text += &whole(&format!("bending, {name}"), bending, 7 * 12 + 4 + 16, &x, budget)?;
    }
    for cells in [21usize, 42] {
        let bar = generate::bar(cells, cells, cells, 1.0)?;
        let x = shaken(&bar.positions, 0.2 / cells as Real);
        for (law, range) in [("rigid", StrainRange::RIGID), ("range", StrainRange::uniform(0.95, 1.05))] {
            let tets = TetStrain::new(&bar.positions, &bar.tets, 1.0, range)?;
            text += &whole(&format!("tetrahedra {law}, {cells}³ cells"), tets, 16 + 72 + 8, &x, budget)?;
        }
        let volume = Volume::new(&bar.positions, &bar.tets, 1.0, 1.0, 1.0)?;
        text += &whole(&format!("volume, {cells}³ cells"), volume, 16 + 72 + 8, &x, budget)?;
    }
    Ok(text)
}

/// Nanoseconds per element of the residual: the sum over chunks of the fastest round of each.
fn projection(
    name: &str,
    ours: &dyn EnergyBatch,
    plain: &dyn EnergyBatch,
    x: &[Vec3],
    budget: f64,
) -> String {
    let count = ours.stencil().elements();
    let mut found = [0.0; 2];
    let mut rows = [vec![Vec3::zeros(); 3 * count], vec![Vec3::zeros(); 3 * count]];
    let chunks = count.div_ceil(ELEMENT_CHUNK);
    for k in 0..chunks {
        let elements = k * ELEMENT_CHUNK..count.min((k + 1) * ELEMENT_CHUNK);
        let [a, b] = &mut rows;
        let (a, b) =
            (&mut a[3 * elements.start..3 * elements.end], &mut b[3 * elements.start..3 * elements.end]);
        let mut fast = || ours.residual(elements.clone(), x, a);
        let mut slow = || plain.residual(elements.clone(), x, b);
        let times = least(budget / chunks as f64, benches::clock::wall_seconds, &mut [&mut fast, &mut slow]);
        found[0] += times[0];
        found[1] += times[1];
    }
    let per = 1e9 / count as f64;
    let difference = rows[0].iter().zip(&rows[1]).map(|(a, b)| (a - b).amax()).fold(0.0, Real::max);
    format!(
        "| {name} | {count} | {:.1} | {:.1} | {:.1} | {difference:.0e} |\n",
        found[1] * per,
        found[0] * per,
        found[1] / found[0]
    )
}

/// One row of the second table; `bytes` are those a batch reads per element beside positions and sums.
fn whole(
    name: &str,
    batch: impl EnergyBatch,
    bytes: usize,
    x: &[Vec3],
    budget: f64,
) -> Result<String, Error> {
    let model = Model::with_masses(vec![1.0; x.len()]).energy(batch).build()?;
    let count = model.constraints();
    let mut local = CpuLocal::default();
    local.prepare(&model)?;
    let mut b = vec![Vec3::zeros(); x.len()];
    let input = LocalInput { model: &model, dt: 0.01, s: x, x };
    let mut run = || {
        let _ = local.run(input, &mut b);
    };
    let time = least(budget, cpu_seconds, &mut [&mut run])[0];
    // Positions, targets, masses in; forces out; the plan's lists and sums once written and once read.
    let moved = count * bytes + x.len() * (24 + 24 + 8 + 24) + local.bytes();
    let (per, roof) = (1e9 / count as f64, moved as f64 / bandwidth(moved));
    Ok(format!(
        "| {name} | {count} | {:.1} | {:.0} | {:.1} | {:.1} |\n",
        time * per,
        moved as f64 / count as f64,
        roof * per,
        time / roof
    ))
}
