//! Elastic laws in bodies at rest under load: stretch against closed forms, cantilevers against beam theory.

use pd_constraints::*;
use pd_core::*;
use pd_linear::Cholesky;
use pd_mesh::generate;
use pd_steppers::Newton;

/// First Piola–Kirchhoff stress by singular values, written out from the textbook, not from the crate.
fn stress(law: &str, (lambda, mu): (Real, Real), s: [Real; 3]) -> [Real; 3] {
    let j: Real = s.iter().product();
    match law {
        "corotated" => s.map(|a| 2.0 * mu * (a - 1.0) + lambda * (s.iter().sum::<Real>() - 3.0)),
        "st-venant-kirchhoff" => {
            let trace: Real = s.iter().map(|a| 0.5 * (a * a - 1.0)).sum();
            s.map(|a| a * (mu * (a * a - 1.0) + lambda * trace))
        }
        "neo-hookean" => s.map(|a| mu * (a - 1.0 / a) + lambda * j.ln() / a),
        _ => {
            let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
            let square: Real = s.iter().map(|a| a * a).sum();
            s.map(|a| m * a * (1.0 - 1.0 / (square + 1.0)) + l * (j - 1.0 - 0.75 * m / l) * j / a)
        }
    }
}

/// Width and nominal stress at which a bar of this law is in simple tension at the given stretch: the width by bisection.
fn tension(law: &str, lame: (Real, Real), stretch: Real) -> (Real, Real) {
    let (mut low, mut high): (Real, Real) = (0.7, 1.3);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if stress(law, lame, [stretch, middle, middle])[1] > 0.0 { high = middle } else { low = middle }
    }
    (low, stress(law, lame, [stretch, low, low])[0])
}

/// Ends of a bar along z pulled by this nominal stress until it rests; returns its stretch and its width over those at rest.
fn pulled<L: IsotropicLaw>(poisson: Real, nominal: Real) -> (Real, Real) {
    let bar = generate::bar(1, 1, 2, 0.2).unwrap();
    let x = &bar.positions;
    let material = Material::new(1e5, poisson, 1000.0).unwrap();
    let law = TetElastic::<L>::new(x, &bar.tets, material).unwrap();
    let masses = lumped_masses_tets(x, &bar.tets, 1000.0).unwrap();
    let model = Model::with_masses(masses).energy(law.clone()).build().unwrap();
    let extent = |x: &[Vec3], axis: usize| {
        let all = || x.iter().map(move |p| p[axis]);
        all().fold(Real::MIN, Real::max) - all().fold(Real::MAX, Real::min)
    };
    // Constant traction: a third of the force on each surface triangle of the ends goes to each of its corners.
    let (low, high) = (-0.5 * extent(x, 2), 0.5 * extent(x, 2));
    let mut loads = vec![0.0; x.len()];
    for tet in &bar.tets {
        for skip in 0..4 {
            let face: Vec<u32> = (0..4).filter(|&k| k != skip).map(|k| tet[k]).collect();
            for (end, sign) in [(low, -1.0), (high, 1.0)] {
                if face.iter().all(|&v| (x[v as usize].z - end).abs() < 1e-9) {
                    let [a, b, c] = [0, 1, 2].map(|k| x[face[k] as usize]);
                    let area = 0.5 * (b - a).cross(&(c - a)).norm();
                    face.iter().for_each(|&v| loads[v as usize] += sign * nominal * area / 3.0);
                }
            }
        }
    }
    let forces: Vec<Box<dyn Force>> = (0..x.len() as u32)
        .filter(|&v| loads[v as usize] != 0.0)
        .map(|v| {
            let force = PointForce::new(&[v], Vec3::z() * loads[v as usize], 0.0, Real::MAX).unwrap();
            Box::new(force) as Box<dyn Force>
        })
        .collect();
    let params = StepParams {
        dt: 0.02,
        iterations: 30,
        tolerance: 1e-12,
        damping: 20.0,
        gravity: Vec3::zeros(),
        ..StepParams::default()
    };
    let context = StepContext::new(&model, &params, &forces, &[]);
    let (mut newton, mut state) = (Newton::new(Cholesky::default()), State::at_rest(x.clone()));
    newton.prepare(context).unwrap();
    for _ in 0..400 {
        newton.step(context, &mut state).unwrap();
    }
    // Nothing holds the bar from turning; the lengths of the columns of F do not see that.
    let gradients = (0..bar.tets.len()).map(|tet| law.deformation_gradient(tet, &state.x));
    let columns: Vec<[Real; 3]> = gradients.map(|f| [0, 1, 2].map(|k| f.column(k).norm())).collect();
    let mean = |axis: usize| columns.iter().map(|c| c[axis]).sum::<Real>() / columns.len() as Real;
    assert!(columns.iter().all(|c| (0..3).all(|k| (c[k] - mean(k)).abs() < 1e-6)), "the strain is uniform");
    (mean(2), mean(0))
}

#[test]
fn every_law_stretches_as_its_closed_form() {
    for poisson in [0.0, 0.3, 0.45, 0.49] {
        let lame = Material::new(1e5, poisson, 1000.0).unwrap().lame();
        for law in ["corotated", "st-venant-kirchhoff", "neo-hookean", "stable-neo-hookean"] {
            let (width, nominal) = tension(law, lame, 1.2);
            let (stretch, found) = match law {
                "corotated" => pulled::<Corotated>(poisson, nominal),
                "st-venant-kirchhoff" => pulled::<StVenantKirchhoff>(poisson, nominal),
                "neo-hookean" => pulled::<NeoHookean>(poisson, nominal),
                _ => pulled::<StableNeoHookean>(poisson, nominal),
            };
            assert!((stretch - 1.2).abs() < 1e-6, "{law}, ν = {poisson}: {stretch}");
            assert!((found - width).abs() < 1e-6, "{law}, ν = {poisson}: width {found}, not {width}");
        }
    }
}

/// Deflection of the tip of a cantilever of these cells across, over beam theory with shear.
fn deflection<L: IsotropicLaw>(cells: usize, poisson: Real) -> Real {
    let (young, side, g) = (1e6, 0.25, 4e-3);
    let bar = generate::bar(cells, cells, 4 * cells, 1.0).unwrap();
    let x = &bar.positions;
    let clamped: Vec<u32> = (0..x.len() as u32).step_by(4 * cells + 1).collect();
    let material = Material::new(young, poisson, 1000.0).unwrap();
    let model = Model::with_masses(lumped_masses_tets(x, &bar.tets, 1000.0).unwrap())
        .energy(TetElastic::<L>::new(x, &bar.tets, material).unwrap())
        .energy(Pins::new(x, &clamped, 1e3 * young * side).unwrap())
        .build()
        .unwrap();
    // A long step leaves next to nothing of inertia: a few reach the state at rest.
    let params = StepParams {
        dt: 1.0,
        iterations: 20,
        tolerance: 1e-12,
        gravity: -Vec3::y() * g,
        ..StepParams::default()
    };
    let context = StepContext::of(&model, &params);
    let (mut newton, mut state) = (Newton::new(Cholesky::default()), State::at_rest(x.clone()));
    newton.prepare(context).unwrap();
    for _ in 0..6 {
        newton.step(context, &mut state).unwrap();
    }
    let shear = young / (2.0 * (1.0 + poisson));
    let kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let theory = 1000.0 * g * (12.0 / (8.0 * young * side * side) + 1.0 / (2.0 * kappa * shear));
    let sag: Vec<Real> =
        (0..x.len()).filter(|v| v % (4 * cells + 1) == 4 * cells).map(|v| x[v].y - state.x[v].y).collect();
    sag.iter().sum::<Real>() / sag.len() as Real / theory
}

#[test]
fn cantilevers_of_all_laws_agree_at_small_strain_and_approach_beam_theory() {
    for (poisson, coarse_least, fine_least) in [(0.0, 0.7, 0.9), (0.3, 0.6, 0.85), (0.49, 0.1, 0.2)] {
        let coarse = deflection::<Corotated>(3, poisson);
        let laws = [
            deflection::<StVenantKirchhoff>(3, poisson),
            deflection::<NeoHookean>(3, poisson),
            deflection::<StableNeoHookean>(3, poisson),
        ];
        for law in laws {
            assert!((law / coarse - 1.0).abs() < 2e-3, "ν = {poisson}: {laws:?} {coarse}");
        }
        let fine = deflection::<Corotated>(6, poisson);
        println!("ν = {poisson}: 3 cells across sag {coarse:.3} of beam theory, 6 cells {fine:.3}");
        assert!(coarse > coarse_least && fine > fine_least && fine > coarse && fine < 1.02);
    }
}
