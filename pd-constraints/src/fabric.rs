//! Fabrics with measured constants.
//!
//! Textile laboratories measure with the Kawabata system (KES-F): bending rigidity B in gf·cm²/cm (9.80665e-5 N·m), shear
//! stiffness G in gf/(cm·degree) (56.19 N/m per radian), extension at 500 gf/cm (490.3 N/m), weight in mg/cm² (0.01 kg/m²).
//! Stretch stiffness is the one that stores the measured tensile energy: k = LT · 490.3 N/m / EMT, with LT the linearity and
//! EMT the extension.
//!
//! Bending between warp and weft follows Peirce 1930, "The handle of cloth as a measurable quantity":
//! √B(φ) = √B_warp cos²φ + √B_weft sin²φ, φ the angle between the warp and the direction that is bent.
//!
//! Fabrics also resist small bending by friction between yarns (hysteresis), which an elastic law cannot model: real cloth appears
//! slightly stiffer than its constants.

use crate::WovenStiffness;
use pd_core::{Real, Vec3};

/// A fabric: mass, stretch, shear, bending, and the source of the numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Name in scenes.
    pub name: &'static str,
    /// What was measured, by whom; what is assumed.
    pub source: &'static str,
    /// Mass per area, kg/m².
    pub density: Real,
    /// Stretch along warp and weft, and shear, N/m.
    pub stretch: WovenStiffness,
    /// Bending rigidity along warp and weft, J.
    pub bending: [Real; 2],
    /// Published band of the drape coefficient, per cent, where there is one.
    pub drape: Option<[Real; 2]>,
}

/// Mean of 214 men's winter suitings in Kawabata's KN-101 table: log B = −0.8673, log G = −0.0143, LT = 0.608, log WT = 0.9621.
const SUITING: WovenStiffness = WovenStiffness { warp: 4950.0, weft: 4950.0, shear: 54.4 };

impl Fabric {
    /// Light plain-woven cotton.
    pub const COTTON: Self = Self {
        name: "cotton",
        source: "weight and bending: shirting weight, 119 g/m², of the fabrics of Feng, Huang, Xu, Wang 2022, \"Learning-based \
                 bending stiffness parameter estimation by a drape tester\" (data set; fibres are not named there); stretch \
                 and shear assumed as for wool suiting",
        density: 0.1187,
        stretch: SUITING,
        bending: [11.3077e-6, 8.0637e-6],
        drape: None,
    };

    /// Silk of about 15 momme.
    pub const SILK: Self = Self {
        name: "silk",
        source: "weight and bending: silk weight, 66 g/m² (15 momme), of the fabrics of Feng, Huang, Xu, Wang 2022 (fibres are \
                 not named there); stretch and shear assumed as for wool suiting",
        density: 0.0658,
        stretch: SUITING,
        bending: [3.2170e-6, 3.2986e-6],
        drape: None,
    };

    /// Stretch denim for jeans.
    pub const DENIM: Self = Self {
        name: "denim",
        source: "\"11oz black denim\" (99 % cotton, 1 % spandex) of Wang, O'Brien, Ramamoorthi 2011, \"Data-driven elastic \
                 models for cloth\": all values at small strain",
        density: 0.324,
        stretch: WovenStiffness { warp: 1013.88629, weft: 205.352005, shear: 53.387184 },
        bending: [96.951576e-6, 64.196457e-6],
        drape: None,
    };

    /// Wool for men's winter suits.
    pub const WOOL: Self = Self {
        name: "wool",
        source: "Kawabata 1980, \"The standardization and analysis of hand evaluation\": means of 214 men's winter suitings \
                 (KN-101): weight 26.3 mg/cm², B = 0.136 gf·cm²/cm, G = 0.968 gf/(cm·degree)",
        density: 0.2635,
        stretch: SUITING,
        bending: [13.3e-6, 13.3e-6],
        drape: None,
    };

    /// Sheep leather for garments, 0.8 mm.
    pub const LEATHER: Self = Self {
        name: "leather",
        source: "Memon, Chaklie, Yesuf, Zhu 2021, \"Study on effect of leather rigidity and thickness on drapability of sheep \
                 garment leather\": drape coefficients from 47 to 70 % at 0.64 to 0.96 mm; rigidity, weight, stretch and shear are \
                 assumed, of the order that such coefficients ask for",
        density: 0.5,
        stretch: WovenStiffness { warp: 4000.0, weft: 4000.0, shear: 1500.0 },
        bending: [45e-6, 45e-6],
        drape: Some([47.35, 69.9]),
    };

    /// All fabrics.
    pub const ALL: [Self; 5] = [Self::COTTON, Self::SILK, Self::DENIM, Self::WOOL, Self::LEATHER];

    /// Peirce's bending length, m: how far a strip reaches before its own weight bends it much, (B/(ρ g))^⅓ with the geometric
    /// mean of both directions.
    ///
    /// ```
    /// use pd_constraints::Fabric;
    /// // Silk hangs from the edge of a table, denim stands off.
    /// assert!(2.0 * Fabric::SILK.bending_length() < 0.04 && Fabric::DENIM.bending_length() > 0.025);
    /// ```
    pub fn bending_length(&self) -> Real {
        let [warp, weft] = self.bending;
        ((warp * weft).sqrt() / (self.density * 9.8)).cbrt()
    }

    /// Rigidity B along the direction that hinges bend, J, one for each: across their edge, in the plane at rest. `warp` is the direction
    /// of the warp.
    pub fn rigidities(&self, positions: &[Vec3], hinges: &[[u32; 4]], warp: Vec3) -> Vec<Real> {
        let [along, across] = self.bending.map(Real::sqrt);
        let rigidity = |hinge: &[u32; 4]| {
            let [x0, x1, x2, x3] = hinge.map(|v| positions[v as usize]);
            // Bent is the direction across the edge; its angle with the warp has the sine that the edge has as cosine.
            let edge = (x1 - x0).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            let normal = (x1 - x0).cross(&(x2 - x0)) - (x1 - x0).cross(&(x3 - x0));
            let unit = normal.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            let in_plane = (warp - unit * warp.dot(&unit)).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
            let sine = edge.dot(&in_plane).powi(2).min(1.0);
            (along * (1.0 - sine) + across * sine).powi(2)
        };
        hinges.iter().map(rigidity).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hinge_along_the_weft_bends_the_warp() {
        let x = [Vec3::zeros(), Vec3::z(), Vec3::x(), -Vec3::x(), Vec3::x() + Vec3::z()];
        let fabric = Fabric { bending: [4e-6, 1e-6], ..Fabric::DENIM };
        let found = fabric.rigidities(&x, &[[0, 1, 2, 3], [0, 2, 1, 3], [0, 4, 2, 1]], Vec3::x());
        // At 45° both roots are taken by halves: ((2 + 1)/2)² µJ.
        for (found, expected) in found.iter().zip([4e-6, 1e-6, 2.25e-6]) {
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn names_are_unique_and_lengths_are_those_of_cloth() {
        for (k, fabric) in Fabric::ALL.iter().enumerate() {
            assert!(Fabric::ALL[..k].iter().all(|other| other.name != fabric.name));
            // Peirce: from 1 cm for limp to 5 cm for stiff cloth.
            assert!(
                (0.01..0.05).contains(&fabric.bending_length()),
                "{} {}",
                fabric.name,
                fabric.bending_length()
            );
        }
    }
}
