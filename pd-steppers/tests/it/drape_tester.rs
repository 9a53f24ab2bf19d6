//! Fabrics on Cusick's drape tester (ISO 9073-9, BS 5058): a disc of 30 cm on a table of 18 cm. The drape coefficient is the part of the
//! overhanging ring that the shadow of the draped disc covers.

use pd_constraints::*;
use pd_core::*;
use pd_linear::Cholesky;
use pd_steppers::Newton;
use std::f64::consts::PI;

/// Stretch of warp and weft is limited to this, N/m. The weight of the overhang, 0.3 N/m at most, strains it by 0.1 %, so the shape
/// is that of the stiffer fabric, and Newton's method needs a tenth of the iterations.
const STRETCH: Real = 300.0;

/// Radius of the disc, m.
const DISC: Real = 0.15;
/// Radius of the table, m.
const TABLE: Real = 0.09;

/// A disc of rings: ring k has 6k vertices.
fn disc(rings: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let first = |k: usize| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
    let mut x = vec![Vec3::zeros()];
    for k in 1..=rings {
        let radius = DISC * k as Real / rings as Real;
        for j in 0..6 * k {
            let angle = 2.0 * PI * j as Real / (6 * k) as Real;
            x.push(Vec3::new(radius * angle.cos(), 0.0, -radius * angle.sin()));
        }
    }
    let mut triangles = vec![];
    for k in 1..=rings {
        let outer = |j: usize| (first(k) + j % (6 * k)) as u32;
        let inner = |j: usize| if k == 1 { 0 } else { (first(k - 1) + j % (6 * (k - 1))) as u32 };
        for side in 0..6 {
            for j in 0..k {
                let (o, i) = (side * k + j, side * (k - 1) + j);
                triangles.push([outer(o), outer(o + 1), inner(i)]);
                if j + 1 < k {
                    triangles.push([outer(o + 1), inner(i + 1), inner(i)]);
                }
            }
        }
    }
    (x, triangles)
}

/// Area of the shadow from above, m²: cells of half a millimetre.
fn shadow(x: &[Vec3], triangles: &[[u32; 3]]) -> Real {
    const CELL: Real = 5e-4;
    const SIDE: usize = 640;
    let mut dark = vec![false; SIDE * SIDE];
    let at = |p: &Vec3| [p.x / CELL + SIDE as Real / 2.0, p.z / CELL + SIDE as Real / 2.0];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| at(&x[v as usize]));
        let cross = |a: [Real; 2], b: [Real; 2], p: [Real; 2]| {
            (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
        };
        let low = [0, 1].map(|k| a[k].min(b[k]).min(c[k]).floor().max(0.0) as usize);
        let high = [0, 1].map(|k| (a[k].max(b[k]).max(c[k]).ceil() as usize).min(SIDE - 1));
        for i in low[0]..=high[0] {
            for j in low[1]..=high[1] {
                let p = [i as Real + 0.5, j as Real + 0.5];
                let sides = [cross(a, b, p), cross(b, c, p), cross(c, a, p)];
                let inside = sides.iter().all(|s| *s >= 0.0) || sides.iter().all(|s| *s <= 0.0);
                dark[i * SIDE + j] |= inside;
            }
        }
    }
    dark.iter().filter(|&&dark| dark).count() as Real * CELL * CELL
}

/// A draped disc.
pub(crate) struct Drape {
    /// Drape coefficient, per cent.
    pub(crate) coefficient: Real,
    /// How far the rim still moved in the last step, m.
    pub(crate) moved: Real,
}

/// Drapes a disc of so many rings, a multiple of 5, for so many steps.
pub(crate) fn drape(
    fabric: &Fabric,
    rings: usize,
    steps: usize,
) -> Result<Drape, Box<dyn std::error::Error>> {
    assert!(rings.is_multiple_of(5), "the edge of the table must be a ring");
    let (x, triangles) = disc(rings);
    let hinges = hinges(&triangles);
    let rigidity = fabric.rigidities(&x, &hinges, Vec3::x());
    let held: Vec<u32> =
        (0..x.len() as u32).filter(|&v| x[v as usize].norm() <= TABLE * (1.0 + 1e-9)).collect();
    let WovenStiffness { warp, weft, shear } = fabric.stretch;
    let stretch = WovenStiffness { warp: warp.min(STRETCH), weft: weft.min(STRETCH), shear };
    let model = Model::with_masses(lumped_masses_triangles(&x, &triangles, fabric.density)?)
        .energy(Woven::new(&x, &triangles, Vec3::x(), stretch, 1.0)?)
        .energy(DihedralBending::new(&x, &hinges, &rigidity)?)
        .fixed(&x, &held)
        .build()?;
    // Implicit Euler and resistance of the air take the energy away.
    let params = StepParams { iterations: 40, tolerance: 1e-4, damping: 1.0, ..StepParams::default() };
    let context = StepContext::of(&model, &params);
    // A disc that is round and flat to the last bit would not know where to fold.
    let wave = |p: &Vec3| {
        let around = p.z.atan2(p.x);
        Vec3::y()
            * (p.norm()
                * 0.02
                * ((5.0 * around).sin() + (6.0 * around + 1.0).sin() + (7.0 * around + 2.0).sin()))
    };
    let lifted = |p: &Vec3| if p.norm() <= TABLE * (1.0 + 1e-9) { *p } else { p + wave(p) };
    let mut stepper = Newton::new(Cholesky::default());
    let mut state = State::at_rest(x.iter().map(lifted).collect());
    stepper.prepare(context)?;
    let mut moved = 0.0;
    for _ in 0..steps {
        let before = state.x.clone();
        stepper.step(context, &mut state)?;
        moved = before.iter().zip(&state.x).map(|(a, b)| (a - b).norm()).fold(0.0, Real::max);
    }
    let table = PI * TABLE * TABLE;
    let coefficient = 100.0 * (shadow(&state.x, &triangles) - table) / (PI * DISC * DISC - table);
    Ok(Drape { coefficient, moved })
}
