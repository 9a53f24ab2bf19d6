//! The scenes that ship with the program, embedded from `scenes/`.

use super::{SceneDesc, parse_desc};
use crate::SceneError;

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Name on the command line.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

impl Builtin {
    /// Whether the scene has the contact of the thesis: deformable bodies that pass through each other.
    pub fn is_of_thesis(&self) -> bool {
        self.is_deformable() && self.text.contains("contact = \"project\"")
    }

    /// Whether the scene is one of deformable bodies, not of rigid bodies, particles or matter on a grid.
    pub fn is_deformable(&self) -> bool {
        self.text.contains("[[object]]")
    }

    /// The description.
    pub fn desc(&self) -> Result<SceneDesc, SceneError> {
        parse_desc(self.name, self.text)
    }
}

/// All built-in scenes: the introductory one first, then in the order of the thesis, then contact, rigid bodies, particles and fluids.
pub fn builtins() -> &'static [Builtin] {
    const fn scene(name: &'static str, text: &'static str) -> Builtin {
        Builtin { name, text }
    }
    const SCENES: &[Builtin] = &[
        scene("cloth", include_str!("../../scenes/cloth.toml")),
        scene("cloth-pair", include_str!("../../scenes/cloth-pair.toml")),
        scene("cloth-pair-wind", include_str!("../../scenes/cloth-pair-wind.toml")),
        scene("cloth-100", include_str!("../../scenes/cloth-100.toml")),
        scene("cloth-140", include_str!("../../scenes/cloth-140.toml")),
        scene("cloths-8", include_str!("../../scenes/cloths-8.toml")),
        scene("hemispheres", include_str!("../../scenes/hemispheres.toml")),
        scene("tubes", include_str!("../../scenes/tubes.toml")),
        scene("bar", include_str!("../../scenes/bar.toml")),
        scene("bridge", include_str!("../../scenes/bridge.toml")),
        scene("flag", include_str!("../../scenes/flag.toml")),
        scene("mixed", include_str!("../../scenes/mixed.toml")),
        scene("ball", include_str!("../../scenes/ball.toml")),
        scene("sandbox", include_str!("../../scenes/sandbox.toml")),
        scene("bunny", include_str!("../../scenes/bunny.toml")),
        scene("bunny-twin", include_str!("../../scenes/bunny-twin.toml")),
        scene("dragon", include_str!("../../scenes/dragon.toml")),
        scene("dragon-twin", include_str!("../../scenes/dragon-twin.toml")),
        scene("armadillo", include_str!("../../scenes/armadillo.toml")),
        scene("armadillo-twin", include_str!("../../scenes/armadillo-twin.toml")),
        scene("armadillo-free", include_str!("../../scenes/armadillo-free.toml")),
        scene("armadillo-free-twin", include_str!("../../scenes/armadillo-free-twin.toml")),
        scene("armadillo-pair", include_str!("../../scenes/armadillo-pair.toml")),
        scene("armadillo-pair-twin", include_str!("../../scenes/armadillo-pair-twin.toml")),
        scene("fold", include_str!("../../scenes/fold.toml")),
        scene("fold-140", include_str!("../../scenes/fold-140.toml")),
        scene("layers", include_str!("../../scenes/layers.toml")),
        scene("wedge", include_str!("../../scenes/wedge.toml")),
        scene("drape", include_str!("../../scenes/drape.toml")),
        scene("twist", include_str!("../../scenes/twist.toml")),
        scene("pile", include_str!("../../scenes/pile.toml")),
        scene("squeeze", include_str!("../../scenes/squeeze.toml")),
        scene("funnel", include_str!("../../scenes/funnel.toml")),
        scene("cards", include_str!("../../scenes/cards.toml")),
        scene("incline", include_str!("../../scenes/incline.toml")),
        scene("dress", include_str!("../../scenes/dress.toml")),
        scene("tubes-contact", include_str!("../../scenes/tubes-contact.toml")),
        scene("hemispheres-contact", include_str!("../../scenes/hemispheres-contact.toml")),
        scene("armadillo-pair-contact", include_str!("../../scenes/armadillo-pair-contact.toml")),
        scene("armadillo-pair-contact-twin", include_str!("../../scenes/armadillo-pair-contact-twin.toml")),
        scene("pendulum", include_str!("../../scenes/pendulum.toml")),
        scene("boxes", include_str!("../../scenes/boxes.toml")),
        scene("pyramid", include_str!("../../scenes/pyramid.toml")),
        scene("chain", include_str!("../../scenes/chain.toml")),
        scene("incline-box", include_str!("../../scenes/incline-box.toml")),
        scene("wall", include_str!("../../scenes/wall.toml")),
        scene("wrecking-ball", include_str!("../../scenes/wrecking-ball.toml")),
        scene("ragdoll", include_str!("../../scenes/ragdoll.toml")),
        scene("joints", include_str!("../../scenes/joints.toml")),
        scene("particles-rigid", include_str!("../../scenes/particles-rigid.toml")),
        scene("particles-linear", include_str!("../../scenes/particles-linear.toml")),
        scene("particles-quadratic", include_str!("../../scenes/particles-quadratic.toml")),
        scene("particles-stack", include_str!("../../scenes/particles-stack.toml")),
        scene("particles-bunny", include_str!("../../scenes/particles-bunny.toml")),
        scene("particles-bunny-twin", include_str!("../../scenes/particles-bunny-twin.toml")),
        scene("particles-pile", include_str!("../../scenes/particles-pile.toml")),
        scene("particles-pile-twin", include_str!("../../scenes/particles-pile-twin.toml")),
        scene("particles-cloth", include_str!("../../scenes/particles-cloth.toml")),
        scene("particles-balloons", include_str!("../../scenes/particles-balloons.toml")),
        scene("sand", include_str!("../../scenes/sand.toml")),
        scene("sand-frictionless", include_str!("../../scenes/sand-frictionless.toml")),
        scene("sand-rolling", include_str!("../../scenes/sand-rolling.toml")),
        scene("dam-break", include_str!("../../scenes/dam-break.toml")),
        scene("sand-column", include_str!("../../scenes/sand-column.toml")),
        scene("cloth-and-boxes", include_str!("../../scenes/cloth-and-boxes.toml")),
        scene("flag-pole", include_str!("../../scenes/flag-pole.toml")),
        scene("sand-on-cloth", include_str!("../../scenes/sand-on-cloth.toml")),
        scene("water-on-cloth", include_str!("../../scenes/water-on-cloth.toml")),
        scene("water-bag", include_str!("../../scenes/water-bag.toml")),
        scene("sand-in-water", include_str!("../../scenes/sand-in-water.toml")),
        scene("floating-boxes", include_str!("../../scenes/floating-boxes.toml")),
        scene("world", include_str!("../../scenes/world.toml")),
    ];
    SCENES
}
