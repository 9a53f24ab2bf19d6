//! Keys of `[[particles]]`.

use super::{Key, key};
use crate::scene::settings::Kind::Particles;
use crate::scene::settings::when::*;

pub(super) const PARTICLES: &[Key] = &[
    key("particles[]", Particles, "", "grains, or a body, rope, cloth or inflatable of particles"),
    key("particles[].name", Particles, "", "name"),
    key("particles[].kind", Particles, "", "what they are"),
    key("particles[].count", Particles, "", "particles along x, y and z").when(BLOCK),
    key("particles[].shape", Particles, "", "mesh: a kind and its keys").when(MESHED),
    key("particles[].sample", Particles, "", "how the mesh is prepared and sampled").when(OF_A_MESH),
    key("particles[].sample.place", Particles, "", "where particles lie").when(SAMPLED),
    key("particles[].sample.spacing", Particles, "m", "distance of neighbours").when(SAMPLED),
    key("particles[].sample.inset", Particles, "", "least depth below the surface, in spacings")
        .when(SAMPLED),
    key("particles[].sample.cover", Particles, "", "farthest vertex from a particle, in spacings")
        .when(SAMPLED),
    key("particles[].radius", Particles, "m", "radius"),
    key("particles[].mass", Particles, "kg", "mass of each"),
    key("particles[].friction", Particles, "", "Coulomb friction at rest"),
    key("particles[].sliding", Particles, "", "Coulomb friction while sliding"),
    key("particles[].rolling", Particles, "", "rolling resistance").when(ROLLS),
    key("particles[].outermost", Particles, "", "number of particles to keep, outermost first").when(BODIES),
    key("particles[].shell", Particles, "", "only the outer layer of a block").when(BLOCK_BODIES),
    key("particles[].position", Particles, "m", "centre"),
    key("particles[].rotate", Particles, "", "rotation: axis, degrees"),
    key("particles[].more", Particles, "m", "centres of further bodies").when(BODIES),
    key("particles[].copies", Particles, "", "equal bodies: count, spacing, tumbled").when(BODIES),
    key("particles[].velocity", Particles, "m/s", "velocity at the start").when(FREE),
    key("particles[].angular-velocity", Particles, "rad/s", "angular velocity at the start").when(FREE),
    key("particles[].beta", Particles, "", "deformability, 0 to 1").when(SHAPE_MATCHED),
    key("particles[].spacing", Particles, "m", "distance of neighbours").when(SPACED),
    key("particles[].stretch", Particles, "N/m", "stiffness of every distance").when(LINKED),
    key("particles[].bending", Particles, "N·m², N·m", "bending rigidity").when(LINKED),
    key("particles[].pressure", Particles, "", "target volume over volume at rest").when(INFLATABLE),
    key("particles[].hold", Particles, "", "fixed particles, by number"),
    key("particles[].self-contact", Particles, "", "whether its points touch each other").when(LINKED),
    key("particles[].skin", Particles, "", "cells of the mesh a block is drawn as").when(BLOCK_BODIES),
    key("particles[].display", Particles, "", "how they are drawn").words(),
];
