//! Elements laid out by colour move to the same bits as elements looked at one by one.

use crate::common::*;
use pd_constraints::*;
use pd_core::*;
use pd_mesh::generate;
use std::ops::Range;

/// A batch that cannot be laid out anew.
struct Fixed<B>(B);

impl<B: EnergyBatch> EnergyBatch for Fixed<B> {
    fn kind(&self) -> &'static str {
        self.0.kind()
    }
    fn stencil(&self) -> &Stencil {
        self.0.stencil()
    }
    fn project(&self, elements: Range<usize>, z: &mut [Vec3]) {
        self.0.project(elements, z);
    }
    fn gather(&self, elements: Range<usize>, x: &[Vec3], dx: &mut [Vec3]) {
        self.0.gather(elements, x, dx);
    }
    fn residual(&self, elements: Range<usize>, x: &[Vec3], r: &mut [Vec3]) {
        self.0.residual(elements, x, r);
    }
    fn energy_at(&self, elements: Range<usize>, x: &[Vec3], r: &[Vec3]) -> Real {
        self.0.energy_at(elements, x, r)
    }
    fn hessian(&self, elements: Range<usize>, x: &[Vec3], psd: Psd, hessian: &mut [Real]) {
        self.0.hessian(elements, x, psd, hessian);
    }
    fn prox(&self, elements: Range<usize>, kappa: Real, z: &mut [Vec3]) {
        self.0.prox(elements, kappa, z);
    }
    fn pinned(&self) -> &[u32] {
        self.0.pinned()
    }
}

/// The same bodies twice: as they are, and of batches that cannot be laid out anew.
fn both<B: EnergyBatch + Clone>(name: &'static str, x: &[Vec3], batches: Vec<B>, pins: &[u32]) -> [Scene; 2] {
    let moved = x.iter().enumerate().map(|(k, x)| x + noise(k, 0.01)).collect();
    let state = State::new(moved, vec![Vec3::zeros(); x.len()]);
    let build = |fixed: bool| {
        let mut builder = Model::builder(x, 0.3);
        for batch in batches.clone() {
            builder = if fixed { builder.energy(Fixed(batch)) } else { builder.energy(batch) };
        }
        let model = builder.energy(Pins::new(x, pins, 1e3).unwrap()).build().unwrap();
        Scene { name, model, state: state.clone() }
    };
    [build(false), build(true)]
}

#[test]
fn the_order_of_elements_does_not_show() {
    let grid = generate::grid(12, 12, 1.0, 1.0).unwrap();
    let (x, tri) = (&grid.positions[..], &grid.triangles[..]);
    let bar = generate::bar(2, 2, 8, 0.25).unwrap();
    let (y, tets) = (&bar.positions[..], &bar.tets[..]);
    let rubber = Material::new(1e4, 0.4, 1000.0).unwrap();
    let law = SpringLaw { compression: 0.3, dead_zone: 0.01 };
    let weave = WovenStiffness { warp: 300.0, weft: 200.0, shear: 20.0 };
    let scenes = [
        both("edges", x, vec![EdgeSprings::new(x, &grid.edges(), 200.0).unwrap()], &[0]),
        both("springs", x, vec![MassSpring::new(x, &grid.edges(), 200.0, law).unwrap()], &[0]),
        both("woven", x, vec![Woven::new(x, tri, Vec3::x(), weave, 1.0).unwrap()], &[0]),
        both(
            "strain",
            x,
            vec![TriStrain::new(x, tri, 300.0, StrainRange::uniform(0.98, 1.02)).unwrap()],
            &[0],
        ),
        both("area", x, vec![Area::new(x, tri, 300.0, 1.0, 1.0).unwrap()], &[0]),
        both("dihedral", x, vec![DihedralBending::new(x, &hinges(tri), 1e-2).unwrap()], &[0]),
        both("isometric", x, vec![IsometricBending::new(x, &hinges(tri), 1e-2).unwrap()], &[0]),
        both("tets", y, vec![TetStrain::new(y, tets, 5e3, StrainRange::RIGID).unwrap()], &[0]),
        both("volume", y, vec![Volume::new(y, tets, 5e3, 1.0, 1.0).unwrap()], &[0]),
        both("stable", y, vec![TetElastic::<StableNeoHookean>::new(y, tets, rubber).unwrap()], &[0]),
    ];
    let params = StepParams { iterations: 3, ..StepParams::default() };
    for [sorted, fixed] in &scenes {
        let batch = |scene: &Scene| scene.model.batches()[0].select(&[0]).is_some();
        assert!(batch(sorted) && !batch(fixed), "{}", sorted.name);
        for name in ["xpbd", "xpbd-block", "pbd", "vbd"] {
            let of = |scene: &Scene| run(name, scene, &params, 2).0.hash();
            assert_eq!(of(sorted), of(fixed), "{name} on {}", sorted.name);
        }
    }
}
