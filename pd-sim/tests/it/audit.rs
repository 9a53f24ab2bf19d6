//! The audit finds what cannot be true, put there by a stepper that is wrong on purpose, and nothing in what is right.

use pd_core::{State, StepContext, StepError, StepReport, Stepper, Vec3, View};
use pd_sim::audit::{Account, Audit, AuditReport, FaultKind, Kind};
use pd_sim::scene::{Scene, SceneRun};
use pd_sim::{ModelPaths, Registry};

/// Does what another stepper does, and then something else.
struct Wrong {
    inner: Box<dyn Stepper>,
    step: usize,
    /// Changes the state after this step, counted from 1.
    act: fn(usize, &mut State),
}

impl Stepper for Wrong {
    fn name(&self) -> &str {
        self.inner.name()
    }
    fn keeps_surfaces_apart(&self) -> bool {
        self.inner.keeps_surfaces_apart()
    }
    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        self.inner.prepare(context)
    }
    fn advance(&mut self, context: StepContext<'_>, state: &mut View<'_>) -> Result<StepReport, StepError> {
        self.inner.advance(context, state)
    }
    fn step(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let report = self.inner.step(context, state)?;
        self.step += 1;
        (self.act)(self.step, state);
        Ok(report)
    }
}

fn audited(text: &str, frames: usize, thorough: bool, act: fn(usize, &mut State)) -> AuditReport {
    let scene =
        Scene::parse("t.toml", &format!("title = \"t\"\n{text}"), None, &ModelPaths::default()).unwrap();
    let inner = Registry::standard().for_scene(&scene).unwrap();
    let mut run = SceneRun::with_stepper(scene, Box::new(Wrong { inner, step: 0, act })).unwrap();
    let mut audit = Audit::new(&run, thorough).unwrap();
    for _ in 0..frames {
        let report = run.advance().unwrap();
        audit.observe(&run, &report).unwrap();
    }
    audit.finish(&run).unwrap();
    audit.report(&run)
}

#[track_caller]
fn finds(report: &AuditReport, kind: FaultKind, words: &[&str]) {
    let fault = report.faults.iter().find(|fault| fault.kind == kind);
    let fault = fault.unwrap_or_else(|| panic!("no fault of {}: {}", kind.name(), report.line()));
    for word in words {
        assert!(fault.text.contains(word), "no {word:?} in {}", report.line());
    }
}

const FLOOR: &str = "[[collider]]\nkind = \"floor\"\nname = \"ground\"\nheight = 0.0\n";
const BOX: &str = "[[body]]\nname = \"crate\"\nshape = { kind = \"box\", half-extents = [0.2, 0.2, 0.2] }\nposition = [0, 0.2, 0]\n";
const HIGH: &str = "[[body]]\nname = \"crate\"\nshape = { kind = \"box\", half-extents = [0.2, 0.2, 0.2] }\nposition = [0, 2, 0]\n";
const SHEET: &str = "[[object]]\nname = \"sheet\"\nshape = { kind = \"grid\", rows = 6, columns = 6, width = 0.6, depth = 0.6 }\n\
                     translate = [0, 0.2, 0]\nmass = { total = 0.1 }\nedge = { weight = 100.0 }\n";
const BALL: &str = "[[object]]\nname = \"ball\"\nshape = { kind = \"ball\", cells = 3, radius = 0.2 }\ntranslate = [0, 0.5, 0]\n\
                    material = { young = 1e4, poisson = 0.3, density = 500 }\n";
const GRAINS: &str = "[[particles]]\nname = \"sand\"\nkind = \"grains\"\ncount = [2, 2, 2]\nradius = 0.05\nmass = 0.1\nposition = [0, 0.4, 0]\n";

fn nothing(_: usize, _: &mut State) {}

#[test]
fn what_is_right_is_good() {
    let water = "[[fluid]]\nname = \"water\"\nlaw = { kind = \"water\", sound-speed = 20.0 }\nmin = [0, 0, 0]\nmax = [0.3, 0.3, 0.3]\n\
                 [grid]\ndx = 0.05\nmin = [-0.1, -0.1, -0.1]\ncells = [16, 12, 12]\n";
    for text in [
        format!("{FLOOR}{BOX}"),
        format!("{FLOOR}{HIGH}"),
        HIGH.to_owned(),
        format!("{FLOOR}{SHEET}"),
        format!("{FLOOR}{BALL}"),
        format!("{FLOOR}{GRAINS}"),
        SHEET.to_owned(),
        water.to_owned(),
    ] {
        let report = audited(&text, 30, true, nothing);
        assert!(report.is_good(), "{}\n{text}", report.line());
    }
}

/// A sheet that lies on the ground at the start, nearer than its thickness, is eased away from it: nothing else moves it.
#[test]
fn easing_is_no_impossible_motion() {
    let text = format!("[step]\ngravity = [0, 0, 0]\n{FLOOR}{}", SHEET.replace("0.2, 0]", "0, 0]"));
    let report = audited(&text, 12, true, nothing);
    assert!(report.is_good(), "{}", report.line());
}

#[test]
fn energy_from_nothing_is_named_with_its_kind() {
    let jump = |step: usize, state: &mut State| {
        if step == 5 {
            state.bodies.v[0].y = 2.0;
        }
    };
    for thorough in [false, true] {
        let report = audited(&format!("{FLOOR}{BOX}"), 24, thorough, jump);
        finds(&report, FaultKind::Energy, &["rigid bodies"]);
    }
    // A sheet at rest leaves at 2 m/s without gravity.
    let still = "[step]\ngravity = [0, 0, 0]\nsubsteps = 1\n";
    let report = audited(&format!("{still}{SHEET}"), 12, true, |step, state| {
        if step == 6 {
            state.v.iter_mut().for_each(|v| v.y += 2.23);
        }
    });
    finds(&report, FaultKind::Energy, &["deformable bodies", "frame 6"]);
    // A swing whose amplitude grows.
    let pendulum = "[[body]]\nname = \"bob\"\nshape = { kind = \"sphere\", radius = 0.1 }\nposition = [0.5, 0, 0]\n\
                    [[joint]]\nkind = \"hinge\"\nb = \"bob\"\nanchor = [0, 0, 0]\naxis = [0, 0, 1]\n";
    let report = audited(pendulum, 90, true, |_, state| state.bodies.v[0] *= 1.01);
    finds(&report, FaultKind::Energy, &["rigid bodies"]);
    assert!(audited(pendulum, 90, true, nothing).is_good());
}

#[test]
fn speed_that_nothing_can_have_given_is_named() {
    let pads = format!(
        "{GRAINS}[[object]]\nname = \"plate\"\nshape = {{ kind = \"grid\", rows = 4, columns = 4, width = 0.3, depth = 0.3 }}\n\
         mass = {{ total = 0.1 }}\nedge = {{ weight = 100.0 }}\n\
         pin = [{{ select = {{ within = [[-1, -1, -1], [1, 1, 1]] }}, weight = 1e4, path = [[0, 0, 0, 0], [9, 0, 0.9, 0]] }}]\n"
    );
    let report = audited(&pads, 6, false, |step, state| {
        if step == 33 {
            state.v[27] = Vec3::new(0.0, 400.0, 0.0);
        }
    });
    finds(&report, FaultKind::Speed, &["particles"]);
    assert!(report.unjudged.iter().any(|text| text.contains("pins")), "{}", report.line());
}

#[test]
fn momentum_from_nothing_in_free_flight_is_named() {
    for (text, thing) in [(HIGH, "body"), (SHEET, "sheet"), (GRAINS, "grains")] {
        let report = audited(text, 12, false, |step, state| {
            if step == 5 {
                state.bodies.v.iter_mut().chain(&mut state.v).for_each(|v| v.y *= 0.5);
            }
        });
        finds(&report, FaultKind::Momentum, &["free flight"]);
        assert!(audited(text, 12, false, nothing).is_good(), "{thing}");
    }
}

#[test]
fn what_is_deep_in_an_obstacle_is_named_with_how_deep() {
    let sink = |step: usize, state: &mut State| {
        if step > 3 {
            state.bodies.p.iter_mut().for_each(|p| p.y = 0.1);
            state.x.iter_mut().for_each(|p| p.y = p.y.min(-0.03));
        }
    };
    let report = audited(&format!("{FLOOR}{BOX}"), 10, false, sink);
    finds(&report, FaultKind::Depth, &["crate", "ground", "m deep"]);
    for (text, name) in [(SHEET, "sheet"), (GRAINS, "sand")] {
        let report = audited(&format!("{FLOOR}{text}"), 10, false, sink);
        finds(&report, FaultKind::Depth, &[name, "ground"]);
    }
    // One vertex inside of a solid is enough.
    let report = audited(&format!("{FLOOR}{BALL}"), 10, false, |step, state| {
        if step > 3 {
            state.x[40].y = -0.007;
        }
    });
    finds(&report, FaultKind::Depth, &["ball", "ground", "7.00e-3 m"]);
}

#[test]
fn every_kind_inside_every_other_is_found() {
    let two = format!("{FLOOR}{BOX}{}", BOX.replace("crate", "other").replace("[0, 0.2, 0]", "[1, 0.2, 0]"));
    let report = audited(&two, 6, true, |step, state| {
        if step > 2 {
            state.bodies.p[1] = state.bodies.p[0] + Vec3::new(0.1, 0.1, 0.0);
        }
    });
    finds(&report, FaultKind::Depth, &["crate", "other", "3.00e-1 m"]);
    let report = audited(&format!("{FLOOR}{BOX}{GRAINS}"), 6, true, |step, state| {
        if step > 20 {
            state.x[0] = state.bodies.p[0];
        }
    });
    finds(&report, FaultKind::Depth, &["crate", "sand"]);
    let through = |step: usize, state: &mut State| {
        if step > 20 {
            state.bodies.p[0] = state.x[24];
        }
    };
    let report = audited(&format!("{SHEET}{}", BOX.replace("0.2, 0]", "-2, 0]")), 4, true, through);
    finds(&report, FaultKind::Crossing, &["crate", "sheet"]);
    finds(&report, FaultKind::Depth, &["crate", "sheet"]);
    let report = audited(&format!("{SHEET}{GRAINS}"), 4, true, |step, state| {
        if step > 20 {
            state.x[49] = 0.5 * (state.x[0] + state.x[8]);
        }
    });
    finds(&report, FaultKind::Depth, &["sand", "sheet"]);
}

/// A static mesh has no distance: what lies on it is audited for all else.
#[test]
fn bodies_on_a_mesh_are_audited() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = "v -2 0 -2\nv -2 0 2\nv 2 0 2\nv 2 0 -2\nf 1 2 3\nf 1 3 4\n";
    std::fs::write(directory.path().join("plate.obj"), mesh).unwrap();
    let text = format!(
        "title = \"t\"\n{BOX}[[body]]\nname = \"plate\"\nshape = {{ kind = \"mesh\", file = \"plate.obj\" }}\nfixed = true\n"
    );
    let scene = Scene::parse("t.toml", &text, Some(directory.path()), &ModelPaths::default()).unwrap();
    let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
    let mut audit = Audit::new(&run, true).unwrap();
    for _ in 0..12 {
        let report = run.advance().unwrap();
        audit.observe(&run, &report).unwrap();
    }
    assert!(audit.report(&run).is_good(), "{}", audit.report(&run).line());
}

#[test]
fn elements_inside_out_in_any_frame_are_counted() {
    let report = audited(BALL, 8, true, |step, state| {
        if step == 3 || step == 4 {
            state.x.iter_mut().for_each(|x| x.x = -x.x);
        }
    });
    finds(&report, FaultKind::Inverted, &["ball"]);
    assert!(report.inverted > 50, "{}", report.inverted);
}

/// Sums of a mixed scene are the sums over its kinds, and none is left out.
#[test]
fn the_account_of_a_mixed_scene_is_the_sum_of_its_kinds() {
    let text = format!(
        "title = \"t\"\n{SHEET}{}{}[[fluid]]\nname = \"water\"\nlaw = {{ kind = \"water\", sound-speed = 20.0 }}\n\
         min = [2, 0, 0]\nmax = [2.3, 0.3, 0.3]\n[grid]\ndx = 0.05\nmin = [1.8, -0.5, -0.1]\ncells = [16, 20, 12]\n",
        HIGH.replace("[0, 2, 0]", "[0, 5, 0]"),
        GRAINS.replace("[0, 0.4, 0]", "[-3, 0.4, 0]"),
    );
    let scene = Scene::parse("t.toml", &text, None, &ModelPaths::default()).unwrap();
    let mut run = SceneRun::new(scene, &Registry::standard()).unwrap();
    run.sim.params.measure = true;
    let report = run.advance().unwrap();
    let account = Account::of(&run.scene, &run.sim);
    let kinds: Vec<Kind> = account.kinds.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, [Kind::Deformable, Kind::Rigid, Kind::Particles, Kind::Fluid]);
    let total = account.total();
    let mass = 0.1 + 0.4f64.powi(3) * 1000.0 + 8.0 * 0.1 + 27.0;
    assert!((total.mass - mass).abs() < 1e-9 * mass, "{} kg of {mass}", total.mass);
    // All of it falls.
    let fallen = total.momentum.y + mass * 9.8 / 60.0;
    assert!(fallen.abs() < 1e-6 * mass, "{} kg m/s", total.momentum.y);
    for (kind, sums) in &account.kinds {
        let speed = -9.8 / 60.0;
        assert!((sums.momentum.y - speed * sums.mass).abs() < 1e-6 * sums.mass, "{}", kind.name());
        assert!(
            (sums.kinetic - 0.5 * sums.mass * speed * speed).abs() < 1e-3 * sums.kinetic,
            "{}",
            kind.name()
        );
    }
    // The report of the step does not give the measures of one kind for those of all.
    let measured = report.measures.unwrap();
    let of = |kind: Kind| account.kinds.iter().find(|(other, _)| *other == kind).unwrap().1;
    let both = of(Kind::Deformable).kinetic + of(Kind::Particles).kinetic;
    assert!((measured.kinetic - both).abs() < 1e-9 * both, "{} J of {both} J", measured.kinetic);
    assert!((measured.elastic - of(Kind::Deformable).elastic).abs() < 1e-9);
}
