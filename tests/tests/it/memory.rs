//! Memory is budgeted: what a model holds per vertex and per constraint, and what a run of a scene needs beside it.

use pd_sim::ModelPaths;
use pd_sim::scene::Scene;

/// Largest bytes a model may hold: per vertex, and per constraint of the scene's main kind.
struct Budget {
    scene: &'static str,
    per_vertex: usize,
    per_constraint: usize,
}

#[test]
fn models_stay_within_their_budget() {
    // Per vertex: mass 8, row offset 8 (DᵀW), pattern offset 8, pattern entries 4 each.
    // Spring: stencil 4 + 24 + 8, DᵀW 24. Tetrahedron: stencil 12 + 144 + 8, DᵀW 144.
    // Bending at degree 6: stencil 4 + 84 + 8, DᵀW 84.
    let budgets = [
        Budget { scene: "cloth-140", per_vertex: 52, per_constraint: 60 },
        Budget { scene: "hemispheres", per_vertex: 104, per_constraint: 180 },
        Budget { scene: "dragon-twin", per_vertex: 84, per_constraint: 308 },
    ];
    for Budget { scene: name, per_vertex, per_constraint } in budgets {
        let scene = Scene::load(name, &ModelPaths::default()).unwrap();
        let model = scene.model(0.0).unwrap();
        let budget = per_vertex * model.vertices() + per_constraint * model.constraints() + 1024;
        let used = model.bytes();
        println!("{name}: {used} bytes of {budget}");
        assert!(used <= budget, "{name}: the model holds {used} bytes, the budget is {budget}");
        assert!(
            used > budget / 2,
            "{name}: the budget {budget} is more than twice the {used} bytes held; tighten it"
        );
    }
}
