//! What `pd run` says of a run: lines for people, an object for programs.

use crate::failure::Failure;
use crate::machine;
use crate::print_line::print_line;
use pd_core::{ContactReport, Measures, Stages};
use pd_sim::SceneError;
use pd_sim::audit::{Account, AuditReport, Sums};
use pd_sim::scene::{Matter, SceneRun};
use std::time::Duration;

/// Statistics of a run.
pub(super) struct RunStats {
    pub(super) device: String,
    pub(super) prepare: Duration,
    pub(super) frame_ms: Vec<f64>,
    pub(super) stages: Stages,
    /// Measures of the last step that reported any.
    pub(super) measures: Option<Measures>,
    /// Missing part of the motion of each frame whose stepper estimates it.
    pub(super) missing: Vec<f64>,
    /// Sums over all steps, for steppers with intersection-free contact.
    pub(super) contact: Option<ContactReport>,
    pub(super) failure: Option<SceneError>,
}

/// Median, smallest and 95th percentile; zeros when nothing ran.
fn statistics(samples: &[f64]) -> [f64; 3] {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |q: f64| sorted.get(((sorted.len() as f64 - 1.0) * q).round() as usize).copied().unwrap_or(0.0);
    [at(0.5), at(0.0), at(0.95)]
}

/// Median and largest missing part of the motion of a frame.
fn missing(stats: &RunStats) -> Option<[f64; 2]> {
    let most = stats.missing.iter().copied().reduce(f64::max)?;
    Some([statistics(&stats.missing)[0], most])
}

/// "0.83 %", to two digits.
fn percent(part: f64) -> String {
    let value = part * 100.0;
    let decimals = if value >= 10.0 {
        0
    } else if value >= 1.0 {
        1
    } else {
        2
    };
    if value > 100.0 {
        "more than 100 %".to_owned()
    } else if value > 0.0 && value < 0.005 {
        "less than 0.01 %".to_owned()
    } else {
        format!("{value:.decimals$} %")
    }
}

fn outcome(stats: &RunStats) -> &'static str {
    use pd_core::{LinearError, StepError};
    match &stats.failure {
        None => "ran",
        Some(SceneError::Step(StepError::Linear(LinearError::TooLarge { .. }))) => "too large",
        Some(_) => "diverged",
    }
}

/// The audit as an object: whether it is good, its faults, and what they rest on.
fn audited(audit: &AuditReport) -> serde_json::Value {
    let fault = |fault: &pd_sim::audit::Fault| {
        serde_json::json!({
            "kind": fault.kind.name(), "frame": fault.frame, "amount": fault.amount, "text": fault.text,
        })
    };
    let mut object = serde_json::json!({
        "good": audit.is_good(),
        "thorough": audit.thorough,
        "frames": audit.frames,
        "energy_judged": audit.judged,
        "faults": audit.faults.iter().map(fault).collect::<Vec<_>>(),
        "unjudged": audit.unjudged,
        "fastest": audit.fastest,
        "inverted": audit.inverted,
    });
    if let Some((depth, names)) = &audit.deepest {
        object["deepest"] = serde_json::json!({ "depth": depth, "pair": names });
    }
    if let Some(missing) = audit.missing {
        object["missing"] = missing.into();
    }
    object
}

/// Inverted elements of the state; `None` without deformable bodies.
fn inverted(run: &SceneRun) -> Option<usize> {
    let vertices = run.sim.model.elastic().len();
    (vertices > 0 && run.sim.model.constraints() > 0)
        .then(|| run.sim.model.strain(&run.sim.state.x[..vertices]).inverted)
}

/// Energies, J; elastic only of what can store any.
fn energies(sums: &Sums) -> serde_json::Value {
    let mut energy = serde_json::json!({ "kinetic": sums.kinetic, "potential": sums.potential });
    if sums.stores {
        energy["elastic"] = sums.elastic.into();
    }
    energy
}

pub(super) fn summary(
    run: &SceneRun,
    stats: &RunStats,
    audit: &AuditReport,
    threads: usize,
    max_edge_strain: f64,
) -> serde_json::Value {
    let [median, min, p95] = statistics(&stats.frame_ms);
    let mean = |d: Duration| d.as_secs_f64() * 1e3 / stats.frame_ms.len().max(1) as f64;
    let mut summary = serde_json::json!({
        "scene": run.scene.name,
        "stepper": run.sim.stepper().name(),
        "global": run.sim.stepper().global_name(),
        "device": stats.device,
        "threads": threads,
        "frames": run.frame(),
        "vertices": run.scene.vertices(),
        "elements": run.scene.elements(),
        "constraints": run.sim.model.constraints(),
        "colliders": run.sim.colliders.len(),
        "prepare_ms": stats.prepare.as_secs_f64() * 1e3,
        "ms_per_frame": { "median": median, "min": min, "p95": p95 },
        "local_ms": mean(stats.stages.local),
        "global_ms": mean(stats.stages.global),
        "collide_ms": mean(stats.stages.collide),
        "peak_bytes": machine::peak_bytes(),
        "residual": stats.measures.map(|measures| measures.residual),
        "max_edge_strain": max_edge_strain,
        "inverted": inverted(run),
        "outcome": outcome(stats),
        "state_hash": format!("{:016x}", run.sim.state.hash()),
    });
    // Keys that do not apply are absent.
    if let Some([median, most]) = missing(stats) {
        summary["missing"] = serde_json::json!({ "median": median, "max": most });
    }
    if let Some(rigid) = run.scene.matter.rigid().filter(|rigid| !rigid.notices.is_empty()) {
        summary["notices"] = rigid.notices.clone().into();
    }
    summary["contact"] = run.scene.desc.contact_mode().name().into();
    if let Some(contact) = &stats.contact {
        summary["contacts"] = contact.contacts.into();
        if contact.min_gap.is_finite() {
            summary["min_gap"] = contact.min_gap.into();
        }
        summary["clamped"] = contact.clamped.into();
        summary["clamped_share"] = contact.clamped_share.into();
        summary["held"] = contact.held.into();
        summary["rebuilds"] = contact.rebuilds.into();
        summary["contact_ms"] = mean(stats.stages.collide).into();
    }
    if let Some(crossings) = audit.crossings {
        summary["intersections"] = crossings.into();
    }
    summary["audit"] = audited(audit);
    let account = Account::of(&run.scene, &run.sim);
    let totals = account.total();
    summary["energy"] = energies(&totals);
    if account.kinds.len() > 1 {
        let kinds = account.kinds.iter().map(|(kind, sums)| (kind.name().to_owned(), energies(sums)));
        summary["energy"]["kinds"] = kinds.collect::<serde_json::Map<_, _>>().into();
    }
    summary["momentum"] = serde_json::json!(totals.momentum.as_slice());
    summary["angular_momentum"] = serde_json::json!(totals.angular.as_slice());
    match &run.scene.matter {
        Matter::Rigid(_) => summary["bodies"] = run.sim.state.bodies.len().into(),
        Matter::Particles(_) => summary["particles"] = run.scene.vertices().into(),
        Matter::Grid(_) => summary["particles"] = run.scene.vertices().into(),
        Matter::Mixed(mixed) => {
            if mixed.points() > 0 {
                summary["particles"] = mixed.points().into();
            }
            if let Some(rigid) = &mixed.rigid {
                summary["bodies"] = rigid.model.bodies().into();
            }
            summary["coupling"] = run.scene.desc.coupling.scheme.clone().into();
        }
        _ => {}
    }
    summary
}

pub(super) fn describe(
    run: &SceneRun,
    stats: &RunStats,
    audit: &AuditReport,
    threads: usize,
    max_edge_strain: f64,
) -> Result<(), Failure> {
    let [median, min, p95] = statistics(&stats.frame_ms);
    let (sim, scene) = (&run.sim, &run.scene);
    print_line(format_args!("{}: {}", scene.name, scene.desc.title))?;
    let elastic = matches!(scene.matter, Matter::Elastic);
    if elastic {
        print_line(format_args!(
            "  {} vertices, {} elements, {} constraints, {} colliders",
            scene.vertices(),
            scene.elements(),
            sim.model.constraints(),
            sim.colliders.len()
        ))?;
        print_line(format_args!(
            "  {} with {}, {} iterations, {threads} thread(s), on {}",
            sim.stepper().name(),
            sim.stepper().global_name().unwrap_or("no global solver"),
            sim.params.iterations,
            stats.device
        ))?;
    } else {
        let (bodies, points) = (scene.matter.bodies(), scene.matter.points());
        let (colliders, vertices) = (sim.colliders.len(), sim.model.elastic().len());
        if matches!(scene.matter, Matter::Mixed(_)) {
            let elements = scene.elements();
            print_line(format_args!("  {vertices} vertices, {elements} elements of deformable bodies"))?;
        }
        print_line(format_args!("  {bodies} rigid bodies, {points} particles, {colliders} colliders"))?;
        print_line(format_args!("  {}, {threads} thread(s), on {}", sim.stepper().name(), stats.device))?;
    }
    print_line(format_args!("  prepared in {:.1} ms", stats.prepare.as_secs_f64() * 1e3))?;
    print_line(format_args!("  frame {}: {:.3} s simulated", run.frame(), sim.state.time))?;
    print_line(format_args!(
        "  {median:.3} ms per frame (median; minimum {min:.3}, 95th percentile {p95:.3})"
    ))?;
    if let Some([median, most]) = missing(stats) {
        print_line(format_args!(
            "  {} of the motion is missing (frames in the middle; in the worst {})",
            percent(median),
            percent(most)
        ))?;
    }
    match stats.measures {
        Some(measures) if elastic => print_line(format_args!(
            "  largest edge strain {:.2} %, {} inverted elements, force imbalance {:.2e} N",
            max_edge_strain * 100.0,
            measures.strain.inverted,
            measures.residual
        ))?,
        None if elastic => {
            print_line(format_args!("  largest edge strain {:.2} %", max_edge_strain * 100.0))?
        }
        _ => {}
    }
    if let Some(contact) = &stats.contact {
        let gap = if contact.min_gap.is_finite() {
            format!("{:.2e} m", contact.min_gap)
        } else {
            "none".to_owned()
        };
        print_line(format_args!(
            "  {} contacts, minimum gap {gap}, at most {:.2} % of the vertices clamped and {:.2} % of a step's motion held back, contact lists built {} times",
            contact.contacts,
            100.0 * contact.clamped_share,
            100.0 * contact.held,
            contact.rebuilds
        ))?;
    }
    if let Some(count) = audit.crossings {
        print_line(format_args!("  {count} intersections in all frames"))?;
    }
    print_line(format_args!("  state hash {:016x}", sim.state.hash()))?;
    print_line(format_args!("  {}", audit.line()))
}
