//! Ropes, cloth and inflatables of particles, against closed forms and conservation laws.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use pd_core::{Real, State, StepContext, StepParams, Stepper, Vec3};
use pd_particles::{
    Elasticity, Friction, Material, ParticleError, ParticleModel, SubstepSettings, Unified, UnifiedSettings,
    UnifiedSubstep,
};
use std::sync::Arc;

const LIGHT: Material = Material { radius: 0.02, mass: 0.01, friction: Friction::NONE };

fn run(
    particles: &Arc<ParticleModel>,
    gravity: Vec3,
    damping: Real,
    frames: usize,
    published: bool,
) -> State {
    let params = StepParams { gravity, damping, ..StepParams::default() };
    let model = particles.core_model().unwrap();
    let context = StepContext::of(&model, &params);
    let mut stepper: Box<dyn Stepper> = if published {
        Box::new(Unified::new(particles.clone(), UnifiedSettings { iterations: 60, ..Default::default() }))
    } else {
        Box::new(UnifiedSubstep::new(particles.clone(), SubstepSettings::default()))
    };
    stepper.prepare(context).unwrap();
    let mut state = particles.state();
    for _ in 0..frames {
        stepper.step(context, &mut state).unwrap();
    }
    state
}

fn line(n: usize, spacing: Real) -> Vec<Vec3> {
    (0..n).map(|k| Vec3::x() * (k as Real * spacing)).collect()
}

/// A sheet of n × n points in the plane y = 0, two triangles a cell.
fn sheet(n: usize, spacing: Real) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = (0..n * n).map(|k| Vec3::new((k % n) as Real, 0.0, (k / n) as Real) * spacing).collect();
    let cell = |k: usize| {
        let a = (k / (n - 1) * n + k % (n - 1)) as u32;
        let [b, c, d] = [a + 1, a + n as u32, a + n as u32 + 1];
        if k.is_multiple_of(2) { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] }
    };
    (at, (0..(n - 1) * (n - 1)).flat_map(cell).collect())
}

/// A cube's surface blown up to a ball of radius r: six sheets would double their edges, so an octahedron is refined.
fn ball(levels: usize, r: Real) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut at: Vec<Vec3> = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
        .map(|c| Vec3::from(c.map(Real::from)))
        .to_vec();
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut middle = |a: u32, b: u32, at: &mut Vec<Vec3>| {
            *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                at.push((at[a as usize] + at[b as usize]).normalize());
                at.len() as u32 - 1
            })
        };
        let refine = |&[a, b, c]: &[u32; 3],
                      at: &mut Vec<Vec3>,
                      middle: &mut dyn FnMut(u32, u32, &mut Vec<Vec3>) -> u32| {
            let [ab, bc, ca] = [middle(a, b, at), middle(b, c, at), middle(c, a, at)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.iter().flat_map(|t| refine(t, &mut at, &mut middle)).collect();
    }
    (at.iter().map(|p| p * r).collect(), triangles)
}

#[test]
fn a_hanging_weight_stretches_a_spring_by_its_weight_over_the_stiffness() {
    for published in [false, true] {
        let stiffness = 40.0;
        let particles = ParticleModel::builder()
            .rope("spring", &line(2, 0.3), Elasticity { stretch: stiffness, bending: 0.0 }, LIGHT)
            .hold(&[0])
            .build()
            .unwrap();
        let state = run(&Arc::new(particles), Vec3::new(9.8, 0.0, 0.0), 3.0, 400, published);
        let expected = LIGHT.mass * 9.8 / stiffness;
        let stretch = state.x[1].x - 0.3;
        assert!((stretch - expected).abs() < 1e-3 * expected, "{published}: {stretch} {expected}");
    }
}

#[test]
fn an_inextensible_rope_of_forty_hangs_at_its_length() {
    for (published, most) in [(false, 0.01), (true, 0.10)] {
        let particles = ParticleModel::builder()
            .rope("rope", &line(41, 0.05), Elasticity::default(), LIGHT)
            .hold(&[0])
            .build()
            .unwrap();
        let state = run(&Arc::new(particles), Vec3::new(0.0, -9.8, 0.0), 1.0, 300, published);
        let length: Real = state.x.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
        assert!((length - 2.0).abs() < most * 2.0, "{published}: {length}");
        assert_eq!(state.x[0], Vec3::zeros(), "the end that is held stays");
    }
}

#[test]
fn a_cantilever_rope_sags_as_a_beam() {
    // Tip deflection of a clamped beam under its own weight: q L⁴/(8 B); two held particles clamp it.
    let (n, spacing, rigidity) = (21, 0.05, 0.02);
    let particles = ParticleModel::builder()
        .rope("beam", &line(n, spacing), Elasticity { stretch: Real::INFINITY, bending: rigidity }, LIGHT)
        .hold(&[0, 1])
        .build()
        .unwrap();
    let g = 0.02;
    let state = run(&Arc::new(particles), Vec3::new(0.0, -g, 0.0), 4.0, 600, false);
    // The hinge at the second held particle bends for half a spacing to each side: the clamp is in the middle.
    let length = (n as Real - 1.5) * spacing;
    let load = LIGHT.mass * g / spacing;
    let expected = load * length.powi(4) / (8.0 * rigidity);
    let tip = -state.x[n - 1].y;
    assert!((tip - expected).abs() < 0.06 * expected, "{tip} {expected}");
}

#[test]
fn free_cloth_and_balloons_keep_momentum() {
    let (at, triangles) = sheet(9, 0.05);
    let (round, faces) = ball(2, 0.3);
    let round: Vec<Vec3> = round.iter().map(|p| p + Vec3::new(0.2, 0.6, 0.2)).collect();
    let elasticity = Elasticity { stretch: 200.0, bending: 1e-3 };
    let particles = ParticleModel::builder()
        .cloth("sheet", &at, &triangles, elasticity, LIGHT)
        .self_contact()
        .moving(Vec3::new(0.0, 2.0, 0.3), Vec3::new(1.0, -3.0, 2.0))
        .inflatable("balloon", &round, &faces, elasticity, 1.3, LIGHT)
        .moving(Vec3::new(0.1, -1.0, 0.0), Vec3::new(0.0, 3.0, -1.0))
        .build()
        .unwrap();
    let momenta = |particles: &ParticleModel, state: &State| {
        let each = particles.masses().iter().zip(state.x.iter().zip(&state.v));
        each.fold([Vec3::zeros(); 2], |[p, l], (m, (x, v))| [p + v * *m, l + x.cross(v) * *m])
    };
    let particles = Arc::new(particles);
    let before = momenta(&particles, &particles.state());
    let state = run(&particles, Vec3::zeros(), 0.0, 60, false);
    let after = momenta(&particles, &state);
    assert!((state.v[40] - particles.state().v[40]).norm() > 0.3, "they met");
    for (before, after) in before.iter().zip(&after) {
        assert!((before - after).norm() < 1e-12 * before.norm(), "{before:?} {after:?}");
    }
}

#[test]
fn a_balloon_keeps_its_volume_under_its_weight() {
    let (round, faces) = ball(3, 0.5);
    let at: Vec<Vec3> = round.iter().map(|p| p + Vec3::y()).collect();
    let particles = ParticleModel::builder()
        .inflatable("balloon", &at, &faces, Elasticity { stretch: 500.0, bending: 0.0 }, 1.5, LIGHT)
        .build()
        .unwrap();
    let scene = pd_particles::scenes::Scene::on_floor("balloon", 1.0, particles).unwrap();
    let mut stepper = UnifiedSubstep::new(scene.particles.clone(), SubstepSettings::default());
    stepper.prepare(scene.context()).unwrap();
    let mut state = scene.state();
    for _ in 0..180 {
        stepper.step(scene.context(), &mut state).unwrap();
    }
    let bag = &scene.particles.links().bags[0];
    let volume = bag.enclosed(|v| state.x[v as usize]);
    assert!((volume / bag.volume - 1.0).abs() < 1e-3, "{}", volume / bag.volume);
    assert!(state.x.iter().all(|x| x.y > 0.0));
    assert!(bag.volume / bag.enclosed(|v| at[v as usize]) > 1.499);
}

#[test]
fn faults_of_links_are_named() {
    let (at, triangles) = sheet(3, 0.1);
    let what = |builder: pd_particles::ParticleModelBuilder| match builder.build() {
        Err(ParticleError::Parameter { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let soft = |stretch, bending| Elasticity { stretch, bending };
    let new = ParticleModel::builder;
    assert_eq!(what(new().rope("r", &at, soft(0.0, 0.0), LIGHT)), "stretch");
    assert_eq!(what(new().rope("r", &at, soft(Real::NAN, 0.0), LIGHT)), "stretch");
    assert_eq!(what(new().cloth("c", &at, &triangles, soft(1.0, -1.0), LIGHT)), "bending");
    assert_eq!(what(new().cloth("c", &at[..5], &triangles, soft(1.0, 0.0), LIGHT)), "vertex of a triangle");
    assert_eq!(what(new().inflatable("b", &at, &triangles, soft(1.0, 0.0), 1.0, LIGHT)), "volume");
    assert_eq!(what(new().rope("r", &at, soft(1.0, 0.0), LIGHT).hold(&[9])), "held particle");
}
