//! An account of a run that knows nothing of the methods that it checks: it sees states, masses, laws of energy, and the bare
//! shapes of things, and says where they cannot be true.
//!
//! [`Audit::observe`] looks at the state after every frame. The cheap account looks at speeds in every frame, at energy and momentum in
//! every [`EVERY`]th, and at obstacles, joints and elements turned inside out in two frames in a row of so many. The thorough one takes
//! everything in every frame, and looks for every kind inside every other.
//!
//! ```
//! use pd_sim::{ModelPaths, Registry, audit::Audit, scene::{Scene, SceneRun}};
//! let mut run = SceneRun::new(Scene::load("pendulum", &ModelPaths::default())?, &Registry::standard())?;
//! let mut audit = Audit::new(&run, true)?;
//! for _ in 0..10 {
//!     let report = run.advance()?;
//!     audit.observe(&run, &report)?;
//! }
//! assert!(audit.report(&run).is_good(), "{}", audit.report(&run).line());
//! # Ok::<(), pd_sim::SceneError>(())
//! ```

mod account;
mod depth;
mod elements;
mod energy;
mod joints;
mod momentum;
mod pairs;
mod report;
mod shapes;
mod sources;
mod speed;
mod subject;

pub use account::{Account, Sums};
pub use report::{AuditReport, Fault, FaultKind};
pub use subject::Kind;

use self::depth::Depths;
use self::energy::Ledger;
use self::momentum::Flight;
use self::sources::Sources;
use self::speed::Speeds;
use crate::SceneError;
use crate::scene::SceneRun;
use crate::scene::desc::ContactMode;
use pd_core::{Real, StepReport};

/// Frames between two looks at the energy in the cheap account.
pub const EVERY: u64 = 8;
/// Part of a frame's motion that may be missing.
const MISSING: Real = 0.5;
/// Part of all elements that may be inside out in a single frame.
const FEW: Real = 0.01;
/// Frames in a row in which an element must be inside out, or motion missing, to be a fault.
const IN_A_ROW: usize = 2;

/// See the module's documentation.
pub struct Audit {
    thorough: bool,
    sources: Sources,
    ledger: Ledger,
    speeds: Speeds,
    depths: Depths,
    flight: Flight,
    /// Time and released pins of the last look at the energy.
    looked: Option<(Real, Real)>,
    releases: Vec<Real>,
    inverted: Streak,
    missing: Streak,
    /// Distance of anchors in parts of what is tolerated, and the worst joint with its distance, m.
    joints: Streak,
    joint: (usize, Real),
    crossings: pairs::Crossings,
    crossed: Option<u64>,
    crossing_pairs: usize,
    frames: usize,
    /// The last frame looked at.
    last: u64,
    elements: elements::Elements,
}

/// Whether a value is above a limit; one that is no number is above all.
fn above(value: Real, limit: Real) -> bool {
    value > limit || value.is_nan()
}

/// The worst of something, and the first frame of a fault of it.
#[derive(Clone, Debug, Default)]
struct Streak {
    row: usize,
    worst: Real,
    fault: Option<u64>,
    name: Option<usize>,
}

impl Streak {
    fn push(&mut self, frame: u64, value: Real, most: Real) {
        self.worst = self.worst.max(value);
        self.row = if value > most { self.row + 1 } else { 0 };
        if self.row >= IN_A_ROW {
            self.fault.get_or_insert(frame);
        }
    }
}

impl Audit {
    /// Begins with the present state of a run; `thorough` for all that can be looked at.
    ///
    /// # Errors
    /// Those of the obstacles of the scene.
    pub fn new(run: &SceneRun, thorough: bool) -> Result<Self, SceneError> {
        let (scene, sim) = (&run.scene, &run.sim);
        let depths = Depths::new(scene, sim)?;
        let mut sources = Sources::of(scene, sim);
        sources.speed = sources.speed.max(depths.easing(scene));
        let speeds = Speeds::new(scene, sim, &sources);
        let ledger = Ledger::new(depths.pressed(scene, sim));
        let mut audit = Self {
            thorough,
            speeds,
            sources,
            ledger,
            depths,
            flight: Flight::default(),
            looked: None,
            releases: scene.releases(),
            inverted: Streak::default(),
            missing: Streak::default(),
            joints: Streak::default(),
            joint: (0, 0.0),
            crossings: pairs::Crossings::new(),
            crossed: None,
            crossing_pairs: 0,
            frames: 0,
            last: run.frame(),
            elements: elements::Elements::of(scene),
        };
        audit.look(run, true, true)?;
        Ok(audit)
    }

    /// Looks at the state after a frame, with what its steps have reported.
    ///
    /// # Errors
    /// Those of the collision surface of the scene.
    pub fn observe(&mut self, run: &SceneRun, report: &StepReport) -> Result<(), SceneError> {
        self.frames += 1;
        if let Some(missing) = report.missing {
            // More than all is an estimate of something that does not converge, or does not move.
            self.missing.push(run.frame(), missing.min(1.0), MISSING);
        }
        let phase = run.frame() % EVERY;
        self.last = run.frame();
        self.look(run, self.thorough || phase == 0, self.thorough || phase < 2)
    }

    /// Looks at the last state, if the cheap account has not: before [`report`](Self::report) at the end of a run.
    ///
    /// # Errors
    /// Those of [`observe`](Self::observe).
    pub fn finish(&mut self, run: &SceneRun) -> Result<(), SceneError> {
        let seen = self.thorough || self.last.is_multiple_of(EVERY);
        if seen || self.last != run.frame() { Ok(()) } else { self.look(run, true, true) }
    }

    fn look(&mut self, run: &SceneRun, energy: bool, things: bool) -> Result<(), SceneError> {
        let (scene, sim, frame) = (&run.scene, &run.sim, run.frame());
        self.speeds.push(frame, scene, sim, scene.desc.step.dt);
        if energy {
            self.weigh(run);
        }
        if !things {
            return Ok(());
        }
        let (count, object) = self.elements.inverted(scene, &sim.state.x);
        self.inverted.push(frame, count as Real, 0.0);
        if count as Real > FEW * scene.elements() as Real {
            self.inverted.fault.get_or_insert(frame);
        }
        self.inverted.name = self.inverted.name.or(object);
        if let Some((joint, apart, tolerated)) =
            scene.matter.rigid().and_then(|rigid| joints::worst(rigid, sim))
        {
            if above(apart / tolerated, self.joints.worst) {
                self.joint = (joint, apart);
            }
            self.joints.push(frame, apart / tolerated, 1.0);
        }
        self.depths.against_obstacles(frame, scene, sim);
        if self.thorough {
            self.depths.against_each_other(frame, scene, sim);
            for (names, count) in pairs::crossings(scene, sim)? {
                self.crossing_pairs += count;
                self.crossed.get_or_insert(frame);
                *self.crossings.entry(names).or_default() += count;
            }
        }
        Ok(())
    }

    /// Energy and momentum.
    fn weigh(&mut self, run: &SceneRun) {
        let (scene, sim, frame) = (&run.scene, &run.sim, run.frame());
        let time = sim.state.time;
        let account = Account::of(scene, sim);
        let sums = account.total();
        for (_, sums) in account.kinds.iter().filter(|(_, sums)| sums.mass > 0.0) {
            self.speeds.store(sums.elastic / sums.mass);
        }
        let judge = self.looked.is_some_and(|(before, mass)| {
            let released = self.releases.iter().any(|&at| at > before - 1e-9 && at <= time + 1e-9);
            let same = (mass - sums.mass).abs() <= 1e-12 * mass;
            same && !released && !sums.untold && self.sources.working(before, time).is_none()
        });
        let span = self.looked.map_or(0.0, |(before, _)| time - before).max(scene.desc.step.dt);
        self.ledger.push(frame, account, judge);
        self.looked = Some((time, sums.mass));
        let fastest = self.speeds.fastest;
        self.flight.push(frame, run, &sums, &self.depths, &self.sources, (span, fastest));
    }

    /// Crossing pairs of triangles in all frames so far, if they are looked for.
    pub fn crossings(&self) -> Option<usize> {
        self.thorough.then_some(self.crossing_pairs)
    }

    /// Number of faults found so far: what [`report`](Self::report) names one by one.
    pub fn faults(&self, run: &SceneRun) -> usize {
        self.report(run).faults.len()
    }

    /// The account until now. Names are those of the scene of `run`.
    pub fn report(&self, run: &SceneRun) -> AuditReport {
        let scene = &run.scene;
        let off = scene.desc.contact_mode() == ContactMode::Off;
        let mut faults = vec![];
        let mut add = |kind, frame, amount, text: String| faults.push(Fault { kind, frame, amount, text });
        if let Some(gain) = self.ledger.gain {
            let (kind, amount, first) = (gain.kind.name(), gain.amount, gain.first);
            let text = format!(
                "energy from nothing, {amount:.3e} J in {kind} by frame {} (first in frame {first}; {:.3e} J were in play)",
                gain.frame, gain.play
            );
            add(FaultKind::Energy, first, amount, text);
        }
        if let Some(excess) = self.speeds.excess {
            let (speed, possible, number) = (excess.speed, excess.possible, excess.number);
            let what = match (excess.kind, scene.matter.rigid()) {
                (Kind::Rigid, Some(rigid)) => format!("body {:?}", rigid.names[number]),
                (kind, _) => format!("point {number} of {}", kind.name()),
            };
            let text = format!(
                "{what} has {speed:.3e} m/s in frame {}, where {possible:.3e} m/s are possible",
                excess.frame
            );
            add(FaultKind::Speed, excess.frame, speed, text);
        }
        if let Some((frame, lost, expected)) = self.flight.fault {
            let text = format!(
                "momentum in free flight is {lost:.3e} kg m/s off by frame {frame}, where gravity gives {expected:.3e}"
            );
            add(FaultKind::Momentum, frame, lost, text);
        }
        for ([a, b], deep) in &self.depths.pairs {
            let Some(frame) = deep.fault else { continue };
            let text = format!(
                "{} is {:.2e} m deep in {} ({:.1} times what is tolerated; frame {})",
                a.name(scene),
                deep.depth,
                b.name(scene),
                deep.depth / deep.tolerance,
                deep.frame
            );
            add(FaultKind::Depth, frame, deep.depth, text);
        }
        if let Some(frame) = self.crossed.filter(|_| !off) {
            for ([a, b], count) in &self.crossings {
                let text =
                    format!("{count} pairs of triangles of {a:?} and {b:?} cross (from frame {frame})");
                add(FaultKind::Crossing, frame, *count as Real, text);
            }
        }
        if let Some(frame) = self.inverted.fault {
            let name = self.inverted.name.map_or("", |k| scene.objects[k].name.as_str());
            let worst = self.inverted.worst;
            let text = format!("{worst} tetrahedra turned inside out ({name:?}, from frame {frame})");
            add(FaultKind::Inverted, frame, worst, text);
        }
        if let Some(frame) = self.joints.fault {
            let (joint, apart) = self.joint;
            let text = format!(
                "joint[{joint}] does not hold: its anchors are {apart:.2e} m apart (from frame {frame})"
            );
            add(FaultKind::Joint, frame, apart, text);
        }
        if let Some(frame) = self.missing.fault {
            let worst = self.missing.worst;
            let text = format!("{:.1} % of a frame's motion is missing (from frame {frame})", worst * 100.0);
            add(FaultKind::Convergence, frame, worst, text);
        }
        let mut unjudged = vec![];
        if self.ledger.judged + 1 < self.ledger.seen {
            let until = run.sim.state.time;
            let why = self.sources.working(0.0, until).map_or("matter that stores what no law tells", |s| s);
            let frames = self.ledger.seen - 1 - self.ledger.judged;
            unjudged.push(format!("energy in {frames} of {} looks ({why})", self.ledger.seen - 1));
        }
        unjudged.extend(self.flight.unjudged.clone());
        if self.speeds_unbounded() {
            unjudged.extend(self.sources.unbounded.as_ref().map(|why| format!("speeds ({why})")));
            faults.retain(|fault| fault.kind != FaultKind::Speed);
        }
        if off && !scene.objects.is_empty() {
            unjudged.push("what deformable bodies touch (contact is off)".to_owned());
        }
        let deepest = self.depths.pairs.iter().max_by(|a, b| a.1.depth.total_cmp(&b.1.depth));
        AuditReport {
            thorough: self.thorough,
            frames: self.frames,
            faults,
            unjudged,
            energy: [self.ledger.start.unwrap_or(0.0), self.ledger.last],
            judged: self.ledger.judged,
            fastest: self.speeds.fastest,
            deepest: deepest.map(|(pair, deep)| (deep.depth, pair.map(|who| who.name(scene)))),
            inverted: self.inverted.worst as usize,
            crossings: self.crossings(),
            missing: (self.missing.worst > 0.0).then_some(self.missing.worst),
        }
    }

    fn speeds_unbounded(&self) -> bool {
        self.sources.unbounded.is_some()
    }
}
