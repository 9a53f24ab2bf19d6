//! Which points of the state are what, and what they meet with.

use crate::attach::checked;
use crate::{Attachment, CoupleError, RigidShape, Sheet};
use pd_core::Real;
use pd_rigid::RigidModel;
use std::ops::Range;
use std::sync::Arc;

/// A range of points that meet other matter as small balls.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMatter {
    /// The points.
    pub points: Range<usize>,
    /// Radius of each, m.
    pub radius: Vec<Real>,
    /// Mass of each, kg.
    pub mass: Vec<Real>,
    /// Friction coefficient of each.
    pub friction: Vec<Real>,
    /// Whether their own domain lets them meet dynamic rigid bodies, so that rows need not.
    pub meets_bodies: bool,
}

impl PointMatter {
    /// Points that are all alike.
    pub fn uniform(points: Range<usize>, radius: Real, mass: Vec<Real>, friction: Real) -> Self {
        let n = points.len();
        Self { points, radius: vec![radius; n], mass, friction: vec![friction; n], meets_bodies: false }
    }
}

/// All that is constant about who can meet whom.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Number of elastic vertices, the first points of the state.
    pub elastic: usize,
    /// Surfaces of elastic bodies.
    pub sheets: Vec<Sheet>,
    /// Grains.
    pub grains: Option<PointMatter>,
    /// Material points.
    pub material: Option<PointMatter>,
    /// Rigid bodies.
    pub rigid: Option<Arc<RigidModel>>,
    /// Material points that are water, and its dynamic viscosity, Pa·s: what buoys and drags grains.
    pub(crate) waters: Vec<(Range<usize>, Real)>,
    pub(crate) shapes: Vec<RigidShape>,
    pub(crate) attachments: Vec<Attachment>,
}

impl Layout {
    /// Checks and completes a layout.
    ///
    /// # Errors
    /// [`CoupleError`] where ranges do not follow one another, triangles name other vertices, or a shape is refused.
    pub fn new(
        elastic: usize,
        sheets: Vec<Sheet>,
        grains: Option<PointMatter>,
        material: Option<PointMatter>,
        rigid: Option<Arc<RigidModel>>,
    ) -> Result<Self, CoupleError> {
        let mut expected = elastic;
        for (what, set) in [("grains", &grains), ("material points", &material)] {
            let Some(set) = set else { continue };
            if set.points.start != expected {
                return Err(CoupleError::Order { what, first: set.points.start, expected });
            }
            expected = set.points.end;
            for (name, column) in [("radius of a point", &set.radius), ("mass of a point", &set.mass)] {
                if let Some(&value) = column.iter().find(|v| !(**v > 0.0 && v.is_finite())) {
                    let expected = "it must be positive and finite";
                    return Err(CoupleError::Parameter { name, value, expected });
                }
            }
        }
        for sheet in &sheets {
            if let Some(&vertex) = sheet.vertices.last().filter(|v| **v as usize >= elastic) {
                let (sheet, vertex) = (sheet.name.clone(), vertex as usize);
                return Err(CoupleError::Vertex { sheet, vertex, vertices: elastic });
            }
        }
        let bodies = rigid.as_ref().map_or(0, |rigid| rigid.bodies());
        let shapes = match &rigid {
            Some(rigid) => (0..bodies).map(|body| RigidShape::of(rigid, body)).collect::<Result<_, _>>()?,
            None => vec![],
        };
        Ok(Self { elastic, sheets, grains, material, rigid, waters: vec![], shapes, attachments: vec![] })
    }

    /// With vertices attached to bodies. A vertex does not touch the body that it is attached to.
    ///
    /// # Errors
    /// [`CoupleError::Attachment`] for a missing vertex or body, a vertex attached twice, and numbers out of range.
    pub fn attached(mut self, attachments: Vec<Attachment>) -> Result<Self, CoupleError> {
        self.attachments = checked(attachments, self.elastic, self.bodies())?;
        Ok(self)
    }

    /// Vertices attached to bodies, by body and vertex.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// Grains float and sink in these material points as in water of this dynamic viscosity (Pa·s; water: 0.001). The points are alike:
    /// a cube of twice their radius each.
    ///
    /// # Errors
    /// [`CoupleError::Parameter`] for a viscosity that is not positive, [`CoupleError::Order`] for points that are no material points.
    pub fn with_water(mut self, points: Range<usize>, viscosity: Real) -> Result<Self, CoupleError> {
        if !(viscosity > 0.0 && viscosity.is_finite()) {
            let expected = "it must be positive and finite";
            return Err(CoupleError::Parameter { name: "viscosity", value: viscosity, expected });
        }
        let all = self.material.as_ref().map_or(0..0, |set| set.points.clone());
        if points.start < all.start || points.end > all.end {
            let (what, first, expected) = ("water", points.start, all.start);
            return Err(CoupleError::Order { what, first, expected });
        }
        if !points.is_empty() {
            self.waters.push((points, viscosity));
        }
        Ok(self)
    }

    /// Number of points of the state.
    pub fn points(&self) -> usize {
        let ends = [&self.grains, &self.material].map(|set| set.as_ref().map_or(0, |set| set.points.end));
        self.elastic.max(ends[0]).max(ends[1])
    }

    /// Number of rigid bodies.
    pub fn bodies(&self) -> usize {
        self.shapes.len()
    }

    /// Shapes of the rigid bodies.
    pub fn shapes(&self) -> &[RigidShape] {
        &self.shapes
    }
}
