//! Energy and momentum of everything in a run, from its state alone.

use pd_core::Vec3;
use pd_sim::scene::{Matter, SceneRun};

/// Sums over one kind of matter.
pub(crate) struct Totals {
    /// J.
    pub(crate) kinetic: f64,
    /// J; of deformable bodies.
    pub(crate) elastic: Option<f64>,
    /// J, of gravity.
    pub(crate) potential: f64,
    /// kg m/s.
    pub(crate) momentum: Vec3,
    /// About the origin, kg m²/s.
    pub(crate) angular: Vec3,
}

/// Totals of deformable bodies, rigid bodies or particles; nothing for matter on a grid and for several kinds together, which
/// have no model that could tell.
pub(crate) fn totals(run: &SceneRun) -> Option<Totals> {
    let (state, gravity) = (&run.sim.state, &run.sim.params.gravity);
    let ([kinetic, potential], elastic, [momentum, angular]) = match &run.scene.matter {
        Matter::Elastic if run.sim.model.vertices() > 0 => {
            let [kinetic, elastic, potential] = run.sim.energies();
            ([kinetic, potential], Some(elastic), run.sim.momenta())
        }
        Matter::Rigid(rigid) => {
            let bodies = &state.bodies;
            (rigid.model.energy(bodies, gravity), None, rigid.model.momentum(bodies))
        }
        Matter::Particles(model) => (model.energy(state, gravity), None, model.momentum(state)),
        _ => return None,
    };
    Some(Totals { kinetic, elastic, potential, momentum, angular })
}
