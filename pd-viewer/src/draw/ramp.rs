//! Colour ramps from values to colours, and the legend that explains them.

/// Colours from low to high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ramp {
    /// Dark blue over green to yellow; lightness rises evenly, so it prints in grey and suits most eyes.
    #[default]
    Sequential,
    /// Black over red to pale yellow.
    Heat,
    /// Blue over white to red, for values with a middle.
    Diverging,
}

/// Knots of the ramps, sRGB 0 to 1, evenly spaced.
const SEQUENTIAL: [[f32; 3]; 6] = [
    [0.16, 0.07, 0.36],
    [0.20, 0.25, 0.56],
    [0.13, 0.45, 0.58],
    [0.18, 0.63, 0.49],
    [0.52, 0.79, 0.31],
    [0.97, 0.91, 0.24],
];
const HEAT: [[f32; 3]; 5] =
    [[0.08, 0.04, 0.10], [0.42, 0.06, 0.20], [0.79, 0.20, 0.13], [0.96, 0.56, 0.14], [0.99, 0.95, 0.72]];
const DIVERGING: [[f32; 3]; 5] =
    [[0.13, 0.27, 0.60], [0.48, 0.65, 0.85], [0.94, 0.94, 0.93], [0.91, 0.57, 0.45], [0.65, 0.10, 0.14]];

impl Ramp {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sequential, Self::Heat, Self::Diverging];

    /// Name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Heat => "heat",
            Self::Diverging => "diverging",
        }
    }

    /// The colour at `t` from 0 to 1, sRGB; outside it stays at the ends.
    ///
    /// ```
    /// use pd_viewer::draw::Ramp;
    /// let lightness = |[r, g, b]: [f32; 3]| 0.2126 * r + 0.7152 * g + 0.0722 * b;
    /// let steps: Vec<f32> = (0..=20).map(|k| lightness(Ramp::Sequential.srgb(k as f32 / 20.0))).collect();
    /// assert!(steps.windows(2).all(|pair| pair[1] > pair[0]));
    /// ```
    pub fn srgb(self, t: f32) -> [f32; 3] {
        let knots: &[[f32; 3]] = match self {
            Self::Sequential => &SEQUENTIAL,
            Self::Heat => &HEAT,
            Self::Diverging => &DIVERGING,
        };
        let at = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 } * (knots.len() - 1) as f32;
        let k = (at as usize).min(knots.len() - 2);
        let (a, b, f) = (knots[k], knots[k + 1], at - k as f32);
        std::array::from_fn(|c| a[c] + (b[c] - a[c]) * f)
    }
}

/// What a colour bar says.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What is shown, with its unit: `speed, m/s`.
    pub title: String,
    /// Value of the first colour.
    pub low: f32,
    /// Value of the last colour.
    pub high: f32,
    /// The colours.
    pub ramp: Ramp,
}

impl Legend {
    /// Round values to write beside the bar, each with its place from 0 (low) to 1 (high).
    ///
    /// ```
    /// use pd_viewer::draw::{Legend, Ramp};
    /// let legend = Legend { title: "speed, m/s".into(), low: 0.0, high: 4.3, ramp: Ramp::Sequential };
    /// let words: Vec<String> = legend.ticks().into_iter().map(|(_, word)| word).collect();
    /// assert_eq!(words, ["0", "1", "2", "3", "4"]);
    /// ```
    pub fn ticks(&self) -> Vec<(f32, String)> {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let span = high - low;
        if !(span > 0.0 && span.is_finite()) {
            return vec![(0.0, format!("{low:.3}"))];
        }
        let power = 10f64.powf((span / 5.0).log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| span / s <= 6.0).unwrap_or(span);
        let digits = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
        let scientific = step < 1e-4 || high.abs().max(low.abs()) >= 1e5;
        let word = |value: f64| {
            if scientific && value != 0.0 { format!("{value:.1e}") } else { format!("{value:.digits$}") }
        };
        let first = (low / step).ceil() as i64;
        let last = (high / step + 1e-9).floor() as i64;
        (first..=last)
            .map(|k| k as f64 * step)
            .map(|value| (((value - low) / span) as f32, word(if value == 0.0 { 0.0 } else { value })))
            .collect()
    }
}
