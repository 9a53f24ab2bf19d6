//! Cloth and soft bodies, by any stepper of elastic vertices.

use super::{Domain, enter, leave};
use pd_core::{Columns, State, StateColumn, StepContext, StepError, StepReport, Stepper};

/// Put before the names of columns, since contact of rigid bodies has columns of the same names.
const PREFIX: &str = "elastic.";

/// The vertices of the context's model, first in the state.
pub struct ElasticDomain {
    stepper: Box<dyn Stepper>,
    local: State,
}

impl ElasticDomain {
    /// With this stepper.
    pub fn new(stepper: Box<dyn Stepper>) -> Self {
        Self { stepper, local: State::default() }
    }
}

impl Domain for ElasticDomain {
    fn name(&self) -> &str {
        self.stepper.name()
    }

    fn prepare(&mut self, context: StepContext<'_>) -> Result<(), StepError> {
        if self.stepper.keeps_surfaces_apart() && self.stepper.keep_apart(&mut []).is_none() {
            let what = "other matter that moves its vertices: it keeps surfaces apart only while it alone moves them; take contact \
                        \"guard\", \"project\" or \"off\"";
            return Err(StepError::Unsupported { stepper: self.stepper.name().into(), what: what.into() });
        }
        self.stepper.prepare(context)
    }

    fn advance(&mut self, context: StepContext<'_>, state: &mut State) -> Result<StepReport, StepError> {
        let points = 0..context.model.vertices();
        enter(state, &points, &mut self.local);
        rename(&mut state.columns, &mut self.local.columns, |name| {
            name.strip_prefix(PREFIX).map(str::to_owned)
        });
        let report = self.stepper.step(context, &mut self.local)?;
        leave(&self.local, &points, state);
        rename(&mut self.local.columns, &mut state.columns, |name| Some(format!("{PREFIX}{name}")));
        Ok(report)
    }

    fn keeps_surfaces_apart(&self) -> bool {
        self.stepper.keeps_surfaces_apart()
    }

    fn keep_apart(&self, state: &mut State) -> usize {
        self.stepper.keep_apart(&mut state.x[..self.local.x.len()]).unwrap_or(0)
    }
}

/// Moves the columns that `rule` has a new name for; what was in `to` under the new name is replaced.
fn rename(from: &mut Columns, to: &mut Columns, rule: impl Fn(&str) -> Option<String>) {
    while let Some((old, new)) =
        from.iter().find_map(|column| Some((column.name.clone(), rule(&column.name)?)))
    {
        if let Some(column) = from.remove(&old) {
            to.insert(StateColumn { name: new.into(), ..column });
        }
    }
}
