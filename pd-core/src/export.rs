//! Flat views of batches and obstacles, for back ends without virtual calls (devices).

use crate::{Real, Stencil, Vec3};

/// Maximum number of values that all elements of a batch share.
pub const MAX_UNIFORMS: usize = 8;
/// Maximum number of columns of a batch.
pub const MAX_COLUMNS: usize = 4;

/// Numbers per element, element after element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Column<'a> {
    /// Numbers of one element.
    pub width: usize,
    /// `width` numbers for each element.
    pub values: &'a [Real],
}

/// Everything a device needs to evaluate the residual rows of a batch: the name of a law and plain numbers.
///
/// The law of that `kind` is a kernel built into the back end or supplied by a user. The energy must be that of a
/// distance, Σ ω/2 |r|²: a batch that overrides [`energy_at`](crate::EnergyBatch::energy_at) must not export itself.
///
/// ```
/// use pd_core::{BatchData, Stencil};
/// let mut stencil = Stencil::new(1);
/// stencil.push(50.0, &[&[(0, 1.0)]]);
/// let data = BatchData::new("leash", &stencil).with_column(1, &[2.0]).with_uniforms(&[0.5]);
/// assert_eq!((data.columns()[0].values, data.uniforms[0]), (&[2.0][..], 0.5));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BatchData<'a> {
    /// Name of the law.
    pub kind: &'a str,
    /// Rows of D and weights.
    pub stencil: &'a Stencil,
    /// Numbers that all elements share; unused ones are zero.
    pub uniforms: [Real; MAX_UNIFORMS],
    /// Whether the columns may change between steps (targets of pins): a device then copies them at every step.
    pub changes: bool,
    columns: [Column<'a>; MAX_COLUMNS],
    used: usize,
}

impl<'a> BatchData<'a> {
    /// A law with only its linear part.
    pub fn new(kind: &'a str, stencil: &'a Stencil) -> Self {
        let (uniforms, columns) = ([0.0; MAX_UNIFORMS], [Column::default(); MAX_COLUMNS]);
        Self { kind, stencil, uniforms, changes: false, columns, used: 0 }
    }

    /// Adds a column of `width` numbers per element; the fifth and later ones are ignored.
    pub fn with_column(mut self, width: usize, values: &'a [Real]) -> Self {
        if let Some(column) = self.columns.get_mut(self.used) {
            *column = Column { width, values };
            self.used += 1;
        }
        self
    }

    /// Sets the shared numbers; those beyond [`MAX_UNIFORMS`] are ignored.
    pub fn with_uniforms(mut self, values: &[Real]) -> Self {
        self.uniforms.iter_mut().zip(values).for_each(|(uniform, value)| *uniform = *value);
        self
    }

    /// Marks the columns as changing between steps.
    pub fn that_changes(self) -> Self {
        Self { changes: true, ..self }
    }

    /// The columns, in the order they were added.
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns[..self.used]
    }
}

/// The shape of an obstacle as numbers, margin included, m.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeData {
    /// Everything below a height.
    Floor {
        /// The height.
        height: Real,
    },
    /// A ball.
    Sphere {
        /// Its centre.
        centre: Vec3,
        /// Its radius.
        radius: Real,
    },
    /// An axis-aligned block.
    Block {
        /// Smallest corner.
        low: Vec3,
        /// Largest corner.
        high: Vec3,
    },
    /// A ring with vertical axis.
    Torus {
        /// Its centre.
        centre: Vec3,
        /// Radius of the circle in the middle of the tube.
        major: Real,
        /// Radius of the tube.
        minor: Real,
    },
}

/// An obstacle at one time: a shape and its translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderData {
    /// The shape before translation.
    pub shape: ShapeData,
    /// Translation, m.
    pub offset: Vec3,
}

impl From<ShapeData> for ColliderData {
    fn from(shape: ShapeData) -> Self {
        Self { shape, offset: Vec3::zeros() }
    }
}
