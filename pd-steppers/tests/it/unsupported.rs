//! What a stepper cannot take it refuses in `prepare`, with words; parameters out of range likewise.

use crate::common::stepper;
use pd_core::*;
use pd_steppers::*;
use std::ops::Range;

/// Elements of more rows than any kernel has room for.
struct Wide(Stencil);
impl EnergyBatch for Wide {
    fn kind(&self) -> &'static str {
        "wide"
    }
    fn stencil(&self) -> &Stencil {
        &self.0
    }
    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        z.fill(Vec3::zeros());
    }
}

#[test]
fn wide_elements_are_refused_by_element_sweeps_and_taken_by_the_others() {
    let mut stencil = Stencil::new(6);
    let rows: Vec<[(u32, Real); 1]> = (0..6).map(|v| [(v, 1.0)]).collect();
    stencil.push(2.0, &rows.iter().map(|row| &row[..]).collect::<Vec<_>>());
    let model = Model::with_masses(vec![1.0; 6]).energy(Wide(stencil)).build().unwrap();
    let params = StepParams::default();
    let context = StepContext::of(&model, &params);
    for name in ["pbd", "xpbd", "xpbd-block", "vbd"] {
        let error = stepper(name).prepare(context).unwrap_err();
        assert!(
            error.to_string().contains("wide") && matches!(error, StepError::Unsupported { .. }),
            "{error}"
        );
    }
    for name in ["newton", "admm", "descent", "symplectic", "fused-jacobi", "admm-consensus"] {
        let mut stepper = stepper(name);
        let mut state = State::at_rest(vec![Vec3::x(); 6]);
        stepper.prepare(context).unwrap();
        stepper.step(context, &mut state).unwrap();
        assert!(state.x.iter().all(|x| x.x < 1.0), "{name}");
    }
}

#[test]
fn bad_parameters_and_missing_preparation_are_named() {
    let scene = crate::common::cloth(3);
    let params = StepParams::default();
    let context = StepContext::of(&scene.model, &params);
    let (mut xpbd, mut pbd) = (Xpbd::default(), Pbd::default());
    (xpbd.damping, pbd.stiffness) = (-1.0, 0.0);
    let mut bad: Vec<Box<dyn Stepper>> =
        vec![Box::new(Pbd::jacobi(3.0)), Box::new(Vbd::accelerated(1.0)), Box::new(xpbd), Box::new(pbd)];
    for stepper in &mut bad {
        assert!(matches!(stepper.prepare(context), Err(StepError::Parameter { .. })), "{}", stepper.name());
    }
    for name in ["newton", "admm", "descent", "symplectic", "pbd", "xpbd", "xpbd-block", "vbd", "newton+bdf2"]
    {
        let before = scene.state.clone();
        let mut state = before.clone();
        let error = stepper(name).step(context, &mut state).unwrap_err();
        assert!(matches!(error, StepError::NotPrepared { .. }), "{name}: {error}");
        assert_eq!(state, before);
    }
}

/// A spring to the origin of energy ω (eʸ − 1 − y), y = |x|², with or without the proximal map that ADMM needs.
struct Exponential {
    stencil: Stencil,
    proximal: bool,
}

impl EnergyBatch for Exponential {
    fn kind(&self) -> &'static str {
        "exponential"
    }
    fn stencil(&self) -> &Stencil {
        &self.stencil
    }
    fn project(&self, _: Range<usize>, z: &mut [Vec3]) {
        z.iter_mut().for_each(|z| *z -= *z * (2.0 * (z.norm_squared().exp() - 1.0)));
    }
    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], _: &[Vec3]) -> Real {
        let of = |y: Real| y.exp() - 1.0 - y;
        elements.map(|e| self.stencil.weight(e) * of(x[e].norm_squared())).sum()
    }
    fn prox(&self, _: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        for z in z.iter_mut() {
            let (v, mut y) = (*z, *z * 0.5);
            for _ in 0..if self.proximal { 60 } else { 1 } {
                // Newton along v: 2 s (e^{s²} − 1) + κ (s − |v|) = 0.
                let (s, length) = (y.norm(), v.norm());
                let e = (s * s).exp();
                let value = 2.0 * s * (e - 1.0) + kappa * (s - length);
                let slope = 2.0 * (e - 1.0) + 4.0 * s * s * e + kappa;
                y = v * ((s - value / slope) / length);
            }
            *z = y;
        }
    }
}

#[test]
fn admm_refuses_a_law_whose_prox_is_not_its_own() {
    for proximal in [true, false] {
        let mut stencil = Stencil::new(1);
        (0..3).for_each(|v| stencil.push(40.0, &[&[(v, 1.0)]]));
        let model =
            Model::with_masses(vec![0.1; 3]).energy(Exponential { stencil, proximal }).build().unwrap();
        let params = StepParams { iterations: 50, ..StepParams::default() };
        let context = StepContext::of(&model, &params);
        let mut state = State::at_rest(vec![Vec3::new(0.4, 0.2, -0.1), Vec3::y() * 0.3, Vec3::z() * 0.5]);
        let before = state.clone();
        let mut admm = stepper("admm");
        admm.prepare(context).unwrap();
        let answer = admm.step(context, &mut state);
        if proximal {
            answer.unwrap();
        } else {
            let error = answer.unwrap_err();
            assert!(
                matches!(error, StepError::Unsupported { .. }) && error.to_string().contains("prox"),
                "{error}"
            );
            assert_eq!(state, before);
        }
    }
}
