//! The claim that set XPBD and projective dynamics apart: stiffness that does not depend on iterations and resolution.

use crate::common::stepper;
use pd_constraints::*;
use pd_core::*;

/// How far a hanging rope of `n` segments and 1 kg/m stretches, over the closed form.
///
/// A rope of stiffness K = 1000 N, length 1 m and mass 1 kg under gravity, held at its top: n springs of K n/1 m, n masses of 1/n kg
/// below; spring k carries the masses below it, so the extension is Σ_k (n − k + 1) (g/n)/(K n) = g (n + 1)/(2 n K) m.
fn stretch(name: &str, n: u32, iterations: usize) -> Real {
    let x: Vec<Vec3> = (0..=n).map(|k| -Vec3::y() * (Real::from(k) / Real::from(n))).collect();
    let edges: Vec<[u32; 2]> = (0..n).map(|k| [k, k + 1]).collect();
    let (stiffness, mass) = (1000.0 * Real::from(n), 1.0 / Real::from(n));
    let model = Model::with_masses(vec![mass; n as usize + 1])
        .energy(Pins::new(&x, &[0], 1e7).unwrap())
        .energy(EdgeSprings::new(&x, &edges, stiffness).unwrap())
        .build()
        .unwrap();
    let params = StepParams { iterations, damping: 20.0, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    let (mut stepper, mut state) = (stepper(name), State::at_rest(x));
    stepper.prepare(context).unwrap();
    for _ in 0..400 {
        stepper.step(context, &mut state).unwrap();
    }
    let extension = state.x[0].y - state.x[n as usize].y - 1.0;
    let exact = 9.8 * Real::from(n + 1) / (2.0 * Real::from(n) * 1000.0);
    extension / exact
}

#[test]
fn iterations_and_segments_change_the_stiffness_of_pbd_alone() {
    for (name, n, few, many) in
        [("pbd", 10, 5, 40), ("xpbd", 10, 300, 600), ("pd", 10, 5, 40), ("newton", 10, 3, 6)]
    {
        let (a, b) = (stretch(name, n, few), stretch(name, n, many));
        println!("{name}: {few} iterations stretch {a:.4}, {many} {b:.4} of the closed form");
        if name == "pbd" {
            assert!(a > 2.0 * b, "{a} {b}");
        } else {
            assert!((a - 1.0).abs() < 2e-2 && (b - 1.0).abs() < 2e-2, "{name}: {a} {b}");
        }
    }
    let (coarse, fine) = (stretch("pbd", 5, 10), stretch("pbd", 20, 10));
    println!("pbd: 5 segments stretch {coarse:.4}, 20 segments {fine:.4} of the closed form");
    assert!(fine > 3.0 * coarse, "{coarse} {fine}");
    let (coarse, fine) = (stretch("pd", 5, 10), stretch("pd", 20, 10));
    assert!((fine - coarse).abs() < 2e-2, "{coarse} {fine}");
}
