//! Where everything lives: module variables in device memory, shared variables in the block's memory, parameters
//! and private variables in the frame of a function.

use crate::error::PtxError;
use crate::parse::syntax::{Unit, VarSpace, Variable};
use std::collections::BTreeMap;

/// Place of one named variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Symbol {
    pub(crate) space: VarSpace,
    /// Device address, or offset in the block's shared memory.
    pub(crate) address: u64,
    pub(crate) bytes: usize,
}

/// Places within one function.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionLayout {
    /// Offset and size of the parameters: in the argument buffer of a kernel, in the frame of a function.
    pub(crate) params: Vec<(usize, usize)>,
    /// Offset and size of the results in the frame.
    pub(crate) results: Vec<(usize, usize)>,
    pub(crate) param_bytes: usize,
    pub(crate) frame_bytes: usize,
    pub(crate) shared_bytes: usize,
    /// Shared variables, private variables and call parameters by name.
    pub(crate) variables: BTreeMap<String, Symbol>,
}

/// A module with a place for everything.
pub(crate) struct Layout<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) symbols: BTreeMap<String, Symbol>,
    pub(crate) function_index: BTreeMap<&'a str, usize>,
    pub(crate) functions: Vec<FunctionLayout>,
}

fn round_up(at: usize, align: usize) -> usize {
    at.div_ceil(align.max(1)) * align.max(1)
}

/// Takes room for `v` behind `end`.
fn place(end: &mut usize, v: &Variable) -> usize {
    let at = round_up(*end, v.align);
    *end = at + v.bytes;
    at
}

impl<'a> Layout<'a> {
    /// Lays the module out; `address_of` gives the device address of a global or constant variable.
    pub(crate) fn new(
        unit: &'a Unit,
        mut address_of: impl FnMut(&Variable) -> Result<u64, PtxError>,
    ) -> Result<Self, PtxError> {
        let mut symbols = BTreeMap::new();
        let mut module_shared = 0;
        for v in &unit.variables {
            let address = match v.space {
                VarSpace::Shared if v.bytes == 0 => 0, // dynamic shared memory, placed below
                VarSpace::Shared => place(&mut module_shared, v) as u64,
                _ if v.external => {
                    return Err(PtxError::new(
                        v.line,
                        format!("`{}` is external: there is no linker here", v.name),
                    ));
                }
                _ => address_of(v)?,
            };
            symbols.insert(v.name.clone(), Symbol { space: v.space, address, bytes: v.bytes });
        }
        let function_index = unit.functions.iter().enumerate().map(|(k, f)| (f.name.as_str(), k)).collect();
        let mut functions: Vec<FunctionLayout> = Vec::with_capacity(unit.functions.len());
        // Shared variables of device functions are the same for every kernel: they follow the module's.
        for f in unit.functions.iter().filter(|f| !f.entry) {
            for v in f.variables.iter().filter(|v| v.space == VarSpace::Shared && v.bytes > 0) {
                place(&mut module_shared, v);
            }
        }
        let mut function_shared = symbols
            .values()
            .filter(|s| s.space == VarSpace::Shared)
            .map(|s| s.address as usize + s.bytes)
            .max()
            .unwrap_or(0);
        let dynamic_names: Vec<&str> = unit
            .variables
            .iter()
            .filter(|v| v.space == VarSpace::Shared && v.bytes == 0)
            .map(|v| v.name.as_str())
            .collect();
        for f in &unit.functions {
            let mut l = FunctionLayout { shared_bytes: module_shared, ..Default::default() };
            let mut params = 0;
            for v in &f.params {
                let at = place(&mut params, v);
                l.params.push((at, v.bytes));
            }
            l.param_bytes = params;
            if !f.entry {
                l.frame_bytes = params;
                for v in &f.results {
                    let at = place(&mut l.frame_bytes, v);
                    l.results.push((at, v.bytes));
                }
            }
            for v in &f.variables {
                let address = match v.space {
                    VarSpace::Shared if f.entry => place(&mut l.shared_bytes, v),
                    VarSpace::Shared => place(&mut function_shared, v),
                    _ => place(&mut l.frame_bytes, v),
                };
                let symbol = Symbol { space: v.space, address: address as u64, bytes: v.bytes };
                l.variables.insert(v.name.clone(), symbol);
            }
            l.frame_bytes = round_up(l.frame_bytes, 16);
            functions.push(l);
        }
        let dynamic = round_up(functions.iter().map(|l| l.shared_bytes).max().unwrap_or(0), 16);
        for name in dynamic_names {
            if let Some(s) = symbols.get_mut(name) {
                s.address = dynamic as u64;
            }
        }
        Ok(Self { unit, symbols, function_index, functions })
    }

    /// Where dynamic shared memory starts in every block of this module.
    pub(crate) fn dynamic_shared(&self) -> usize {
        round_up(self.functions.iter().map(|l| l.shared_bytes).max().unwrap_or(0), 16)
    }
}
