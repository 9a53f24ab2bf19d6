//! Obstacles by signed distance for projective dynamics.
//!
//! Four shapes after thesis section 5, each a [`pd_core::Collider`]: [`Floor`], [`Sphere`], [`Block`] and [`Torus`]
//! (vertical axis). Beside them [`Capsule`], [`Cylinder`], [`ConvexHull`], [`HeightField`], [`TriangleMesh`] (at rest or
//! deforming over time) and [`SignedDistanceField`], the grid of any closed mesh. [`Moving`] carries an obstacle along a
//! [`Path`], [`Posed`] turns it as well. With the feature `parry` any shape of that library is an obstacle.
//!
//! For those who build contact of their own: [`broad`] finds boxes that overlap, [`mesh`] answers questions to a triangle
//! mesh (nearest point, ray, inside or not).
//!
//! A *margin* ε inflates the shape, and every distance is to the inflated surface, so that a mesh whose vertices rest
//! on the surface does not visibly dip into the shape between them. A point inside is moved to the nearest point of
//! the inflated surface, without friction.
//!
//! What holds for the shapes of the thesis (at up to 10⁸ times their size from the origin, where a number still resolves them):
//! - a point is inside if and only if its distance is negative; a point on or outside the surface is not touched;
//! - after `resolve` the distance is zero or positive, never negative by rounding, so a second `resolve` does
//!   nothing; the point is within a few units in the last place of the exact one;
//! - where the nearest point is not unique, one fixed rule chooses (see each shape);
//! - a point with a coordinate that is not a number is not touched.
//!
//! ```
//! use pd_collide::{Floor, Moving, Path, Sphere};
//! use pd_core::{Collider, Vec3, resolve_collisions};
//!
//! // A ball that rolls in from the left above the floor of the thesis.
//! let path = Path::new(vec![(0.0, Vec3::new(-2.0, 0.0, 0.0)), (1.0, Vec3::zeros())])?;
//! let ball = Moving::new(Sphere::new(Vec3::zeros(), 0.2)?, path);
//! let obstacles: Vec<Box<dyn Collider>> = vec![Box::new(Floor::thesis()), Box::new(ball)];
//!
//! let mut points = vec![Vec3::new(0.0, 0.1, 0.0), Vec3::new(3.0, -2.0, 0.0)];
//! assert_eq!(resolve_collisions(&obstacles, 0.0, &mut points), 1); // the floor lifts the second
//! assert_eq!(resolve_collisions(&obstacles, 1.0, &mut points), 1); // the ball has come to the first
//! assert_eq!(points, [Vec3::new(0.0, 0.25, 0.0), Vec3::new(3.0, -0.99, 0.0)]);
//! assert_eq!(resolve_collisions(&obstacles, 1.0, &mut points), 0); // now at rest
//! # Ok::<(), pd_collide::CollideError>(())
//! ```
//!
//! Beside obstacles: [`broad`] finds boxes that overlap, [`distance`] and [`intersect`] compare primitives, [`ccd`] finds the
//! first touch of moving ones, [`contact`] keeps surfaces apart, and [`barrier`] and [`friction`] are the potentials of IPC.

/// The core crate, whose types appear in this interface: a program needs no dependency of its own on it.
pub use pd_core;

pub mod barrier;
mod batch;
pub mod broad;
pub mod ccd;
pub mod contact;
pub mod distance;
mod error;
pub mod friction;
pub mod intersect;
mod material;
pub mod mesh;
mod moving;
mod path;
pub mod predicates;
pub mod response;
mod rounding;
mod sdf;
mod shape;
mod tessellate;

pub use error::CollideError;
pub use material::WithMaterial;
pub use moving::Moving;
pub use path::Path;
pub use sdf::SignedDistanceField;
#[cfg(feature = "parry")]
pub use shape::ParryShape;
pub use shape::{
    Block, Capsule, ConvexHull, Cylinder, Floor, HeightField, Posed, Sphere, Torus, TriangleMesh,
};
pub use tessellate::{ObstacleMotion, tessellate};

/// The example of the README, run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
