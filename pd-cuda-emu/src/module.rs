//! A loaded module: decoded functions, and variables that have their place in device memory.

use crate::decode::{self, layout::Layout};
use crate::error::PtxError;
use crate::instr::Function;
use crate::memory::Table;
use crate::parse::syntax::{Init, Unit, VarSpace, Variable};
use crate::parse::{self};
use std::collections::BTreeMap;

/// A module on a [`Device`](crate::Device).
#[derive(Debug)]
pub struct Module {
    pub(crate) functions: Vec<Function>,
    pub(crate) kernels: BTreeMap<String, usize>,
    /// Where dynamic shared memory starts.
    pub(crate) dynamic_shared: usize,
    globals: BTreeMap<String, (u64, u64)>,
}

/// What a kernel asks of its launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// Bytes of each parameter.
    pub param_bytes: Vec<usize>,
    /// Static shared memory in bytes.
    pub shared_bytes: usize,
    /// Private memory of a thread in bytes.
    pub local_bytes: usize,
    /// Largest number of threads in a block.
    pub max_threads: u32,
    /// 32-bit registers declared; a device's compiler will use fewer.
    pub registers: u32,
}

/// Bytes of an initialised variable.
fn initial_bytes(v: &Variable, addresses: &BTreeMap<String, u64>) -> Result<Vec<u8>, PtxError> {
    let size = v.ty.bytes();
    let mut out = Vec::with_capacity(v.bytes);
    for init in &v.init {
        let bits = match init {
            Init::Value(literal) => decode::literal_bits(*literal, v.ty),
            Init::Address(name, offset) => {
                let unknown = || PtxError::new(v.line, format!("unknown symbol `{name}`"));
                if size != 8 {
                    return Err(PtxError::new(v.line, format!("address of `{name}` in {size} bytes")));
                }
                addresses.get(name).ok_or_else(unknown)?.wrapping_add_signed(*offset)
            }
        };
        out.extend_from_slice(&bits.to_le_bytes()[..size]);
    }
    out.resize(v.bytes, 0);
    Ok(out)
}

impl Module {
    /// Reads PTX and places its variables in `memory`.
    pub(crate) fn load(text: &str, memory: &mut Table) -> Result<Self, PtxError> {
        let unit = parse::parse(text)?;
        let mut addresses = BTreeMap::new();
        let mut globals = BTreeMap::new();
        for v in unit.variables.iter().filter(|v| v.space != VarSpace::Shared && !v.external) {
            let address = memory.allocate(v.bytes as u64, v.space == VarSpace::Const).ok_or_else(|| {
                PtxError::new(v.line, format!("no memory for `{}` of {} bytes", v.name, v.bytes))
            })?;
            addresses.insert(v.name.clone(), address);
            globals.insert(v.name.clone(), (address, v.bytes as u64));
        }
        let loaded = Self::place(&unit, &addresses, memory);
        if loaded.is_err() {
            for &(address, _) in globals.values() {
                memory.free(address);
            }
        }
        loaded.map(|(functions, kernels, dynamic_shared)| Self {
            functions,
            kernels,
            dynamic_shared,
            globals,
        })
    }

    #[allow(
        clippy::type_complexity,
        reason = "the three parts of a module, taken apart at once by the only caller"
    )]
    fn place(
        unit: &Unit,
        addresses: &BTreeMap<String, u64>,
        memory: &Table,
    ) -> Result<(Vec<Function>, BTreeMap<String, usize>, usize), PtxError> {
        for v in &unit.variables {
            if let Some(&address) = addresses.get(&v.name) {
                let bytes = initial_bytes(v, addresses)?;
                memory.write(address, &bytes).map_err(|e| PtxError::new(v.line, e.to_string()))?;
            }
        }
        let layout = Layout::new(unit, |v| Ok(addresses.get(&v.name).copied().unwrap_or(0)))?;
        let mut functions = Vec::with_capacity(unit.functions.len());
        for index in 0..unit.functions.len() {
            functions.push(decode::function(&layout, index)?);
        }
        let entries = unit.functions.iter().enumerate().filter(|(_, f)| f.entry && f.defined);
        let kernels = entries.map(|(k, f)| (f.name.clone(), k)).collect();
        Ok((functions, kernels, layout.dynamic_shared()))
    }

    /// Gives the variables' memory back.
    pub(crate) fn unload(&self, memory: &mut Table) {
        for &(address, _) in self.globals.values() {
            memory.free(address);
        }
    }

    /// Names of the kernels, sorted.
    pub fn kernel_names(&self) -> Vec<String> {
        self.kernels.keys().cloned().collect()
    }

    /// What a kernel asks of its launch.
    pub fn kernel(&self, name: &str) -> Option<KernelInfo> {
        let f = &self.functions[*self.kernels.get(name)?];
        let bound = |t: Option<[u32; 3]>| t.map(|t| t.iter().product::<u32>());
        Some(KernelInfo {
            param_bytes: f.params.iter().map(|p| p.1).collect(),
            shared_bytes: f.shared_bytes,
            local_bytes: f.frame_bytes,
            max_threads: bound(f.required_threads).or(bound(f.max_threads)).unwrap_or(1024).min(1024),
            registers: (f.declared32 + 2 * f.declared64).min(255) as u32,
        })
    }

    /// Address and length of a `.global` or `.const` variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        self.globals.get(name).copied()
    }
}
