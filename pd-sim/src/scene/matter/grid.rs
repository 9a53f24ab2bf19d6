//! Water, sand and elastic matter of a scene.

use super::GridMatter;
use crate::SceneError;
use crate::scene::desc::{FluidDesc, GridSolverDesc, LawDesc, SceneDesc, TransferDesc, WallDesc};
use pd_core::{Aabb, Vec3};
use pd_mpm::scenes::fill_box;
use pd_mpm::{Boundary, FixedCorotated, MohrCoulomb, MpmBuilder, MpmError, MpmModel, Transfer, Water};
use std::sync::Arc;

/// Material points along each edge of a cell at the start.
const PER_CELL: usize = 2;

pub(super) fn build(name: &str, desc: &SceneDesc) -> Result<GridMatter, SceneError> {
    let wrong = |field: String, what: String| SceneError::Value { file: name.to_owned(), field, what };
    let Some(grid) = &desc.grid else {
        return Err(wrong("grid".into(), "[[fluid]] needs a [grid] with dx and cells".into()));
    };
    if !(grid.dx > 0.0 && grid.dx.is_finite()) {
        return Err(wrong("grid.dx".into(), format!("is {}; it must be positive and finite, in m", grid.dx)));
    }
    let boundary = Boundary::Separate { friction: grid.friction.unwrap_or(0.0) };
    let mut builder = MpmModel::builder(grid.dx).domain(grid.min.into(), grid.cells).colliders(boundary);
    if let Some(transfer) = grid.transfer {
        builder = builder.transfer(match transfer {
            TransferDesc::Pic => Transfer::Pic,
            TransferDesc::Flip => Transfer::Flip { blend: 0.99 },
            TransferDesc::Apic => Transfer::Apic,
            TransferDesc::Mls => Transfer::Mls,
        });
    }
    if let Some(walls) = grid.walls {
        builder = builder.walls(walls.map(wall));
    }
    let (mut x, mut v, mut masses) = (vec![], vec![], vec![]);
    for fluid in &desc.fluids {
        let field = || format!("fluid {:?}", fluid.name);
        let region = Aabb { min: fluid.min.into(), max: fluid.max.into() };
        let size = region.max - region.min;
        if !size.iter().all(|side| *side > 0.0 && side.is_finite()) {
            return Err(wrong(field(), "max must be above min along every axis".into()));
        }
        let far: [f64; 3] = std::array::from_fn(|a| grid.min[a] + f64::from(grid.cells[a]) * grid.dx);
        // A box that ends at a wall may be beyond it by rounding.
        let slack = 1e-9 * grid.dx;
        if let Some(a) = (0..3).find(|&a| fluid.min[a] < grid.min[a] - slack || fluid.max[a] > far[a] + slack)
        {
            let axis = ["x", "y", "z"][a];
            let (from, to, min, max) = (fluid.min[a], fluid.max[a], grid.min[a], far[a]);
            let what =
                format!("reaches from {from} to {to} m along {axis}, and the grid from {min} to {max} m");
            return Err(wrong(field(), what));
        }
        if let LawDesc::Sand { friction_angle, .. } = fluid.law
            && !(0.0..90.0).contains(&friction_angle)
        {
            let what = format!("is {friction_angle} degrees; it must be at least 0 and below 90 degrees");
            return Err(wrong(format!("{}.law.friction-angle", field()), what));
        }
        if grid.solver == Some(GridSolverDesc::Pressure) && !fluid.is_water() {
            let what = format!("\"pressure\" is for water alone, which {:?} is not", fluid.name);
            return Err(wrong("grid.solver".into(), what));
        }
        let first = x.len();
        x.extend(fill_box(&region, grid.dx, PER_CELL));
        v.resize(x.len(), Vec3::from(fluid.velocity));
        let volume = size.x * size.y * size.z / (x.len() - first) as f64;
        let density = match fluid.law {
            LawDesc::Water { density, .. }
            | LawDesc::Sand { density, .. }
            | LawDesc::Elastic { density, .. } => density,
        };
        masses.resize(x.len(), density * volume);
        builder = add(builder, fluid, first..x.len()).map_err(|error| wrong(field(), error.to_string()))?;
    }
    let model = builder.build().map_err(|error| wrong("grid".into(), error.to_string()))?;
    let radius = 0.5 * grid.dx / PER_CELL as f64;
    Ok(GridMatter { model: Arc::new(model), x, v, masses, radius })
}

fn wall(desc: WallDesc) -> Boundary {
    match desc {
        WallDesc::Stick => Boundary::Stick,
        WallDesc::Slip => Boundary::Slip,
        WallDesc::Separate => Boundary::Separate { friction: 0.0 },
        WallDesc::Open => Boundary::Open,
    }
}

fn add(
    builder: MpmBuilder,
    fluid: &FluidDesc,
    points: std::ops::Range<usize>,
) -> Result<MpmBuilder, MpmError> {
    Ok(match fluid.law {
        LawDesc::Water { density, sound_speed, viscosity } => {
            let mut water = Water::new(density, sound_speed)?;
            if let Some(viscosity) = viscosity {
                water = water.with_viscosity(viscosity)?;
            }
            builder.material(points, water)
        }
        LawDesc::Sand { density, young, friction_angle } => {
            builder.material(points, MohrCoulomb::new(density, young, 0.3, friction_angle.to_radians())?)
        }
        LawDesc::Elastic { density, young, poisson } => {
            builder.material(points, FixedCorotated::new(density, young, poisson)?)
        }
    })
}
