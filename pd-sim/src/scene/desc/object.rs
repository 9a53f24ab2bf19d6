//! `[[object]]`: one deformable body.

use super::{
    AttachDesc, BendingDesc, DisplayDesc, FabricDesc, GroupDesc, MassDesc, MaterialDesc, ObstacleDesc,
    PinDesc, RotateDesc, ShapeDesc, SpringDesc, StrainDesc, TetrahedralizeDesc, WovenDesc,
};
use serde::{Deserialize, Serialize};

/// One deformable body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ObjectDesc {
    /// Name, unique in the scene.
    pub name: String,
    /// The mesh.
    pub shape: ShapeDesc,
    /// Fill a closed surface with tetrahedra, before anything else. The body is then a solid; solids are unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tetrahedralize: Option<TetrahedralizeDesc>,
    /// Merge vertices of a surface closer than this, m, and drop degenerate triangles, before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weld: Option<f64>,
    /// Mass of every vertex from a column of the mesh file (PLY, VTK, VTU, TetGen), kg, instead of `mass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_column: Option<String>,
    /// Factors on the weights of `triangle`, `area`, `tet` and `volume` from a column of the mesh file: one per element, or
    /// one per vertex, of which each element takes the mean of its corners.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_column: Option<String>,
    /// Centre at the origin and scale the longest extent to 1 m before anything else, as the thesis' import does.
    #[serde(default)]
    pub normalize: bool,
    /// Uniform scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Rotation about the origin, after scaling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<RotateDesc>,
    /// Translation, after rotation, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translate: Option<[f64; 3]>,
    /// Mass. Default: the thesis' 0.001 kg per vertex.
    #[serde(default)]
    pub mass: MassDesc,
    /// Springs on the edges of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<SpringDesc>,
    /// Springs between the two vertices opposite to each interior edge of a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending_spring: Option<SpringDesc>,
    /// Bending at interior vertices of a surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending: Option<BendingDesc>,
    /// Strain of triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangle: Option<StrainDesc>,
    /// Area of triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub area: Option<StrainDesc>,
    /// Strain of tetrahedra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tet: Option<StrainDesc>,
    /// Volume of tetrahedra.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<StrainDesc>,
    /// Weights and masses from physical constants, instead of `mass`, `tet`, `volume`, `triangle`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<MaterialDesc>,
    /// Woven stretch and shear of triangles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub woven: Option<WovenDesc>,
    /// A fabric with measured constants, instead of `mass`, `woven` and `bending`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric: Option<FabricDesc>,
    /// Distance at which the surface touches others, m, for `contact = "guard"`; that of the scene when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb friction coefficient; that of the scene when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Whether self-contact is enabled. Default true.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub self_contact: bool,
    /// Makes it a kinematic obstacle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<ObstacleDesc>,
    /// Named parts, for pins, pushes and factors on weights and masses.
    #[serde(default, rename = "group", skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupDesc>,
    /// Vertices attached to rigid bodies.
    #[serde(default, rename = "attach", skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachDesc>,
    /// Pins.
    #[serde(default, rename = "pin", skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<PinDesc>,
    /// How it is drawn.
    #[serde(default, skip_serializing_if = "DisplayDesc::is_default")]
    pub display: DisplayDesc,
}

impl ObjectDesc {
    /// A body of this shape with nothing else set: no constraints, the default mass.
    ///
    /// ```
    /// use pd_sim::scene::desc::{ObjectDesc, ShapeDesc};
    /// let body = ObjectDesc::new("ball", ShapeDesc::Ball { cells: 4, radius: 0.5 });
    /// assert!(body.pins.is_empty() && body.tet.is_none());
    /// ```
    pub fn new(name: impl Into<String>, shape: ShapeDesc) -> Self {
        Self {
            name: name.into(),
            shape,
            tetrahedralize: None,
            weld: None,
            mass_column: None,
            weight_column: None,
            thickness: None,
            friction: None,
            restitution: None,
            self_contact: true,
            obstacle: None,
            normalize: false,
            scale: None,
            rotate: None,
            translate: None,
            mass: MassDesc::default(),
            edge: None,
            bending_spring: None,
            bending: None,
            triangle: None,
            area: None,
            tet: None,
            volume: None,
            material: None,
            woven: None,
            fabric: None,
            groups: vec![],
            attachments: vec![],
            pins: vec![],
            display: DisplayDesc::default(),
        }
    }
}

fn yes() -> bool {
    true
}

fn is_yes(value: &bool) -> bool {
    *value
}
