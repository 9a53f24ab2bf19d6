//! Signatures of kernels, read from PTX text.
//!
//! A launch passes untyped pointers to arguments: a wrong number or size of them is undefined behaviour on a device.
//! The PTX declares the parameters of each kernel, so the host compares them before the first launch.

use crate::CudaError;

/// One parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A device pointer.
    Pointer,
    /// A 32-bit integer.
    Int,
    /// A number of the precision of the module.
    Real,
}

/// The parameters of every entry of a PTX text, in order of appearance; `real` is the suffix of its numbers ("f32").
///
/// ```
/// use pd_cuda::{Parameter, parse_signatures};
/// let ptx = ".visible .entry scale(\n .param .u64 scale_param_0,\n .param .f32 scale_param_1\n)\n{ ret; }";
/// let found = parse_signatures(ptx, "f32")?;
/// assert_eq!(found, [("scale".to_owned(), vec![Parameter::Pointer, Parameter::Real])]);
/// # Ok::<(), pd_cuda::CudaError>(())
/// ```
pub fn parse_signatures(ptx: &str, real: &str) -> Result<Vec<(String, Vec<Parameter>)>, CudaError> {
    let mut found = vec![];
    for entry in ptx.split(".entry ").skip(1) {
        let Some((name, rest)) = entry.split_once('(') else { continue };
        let Some((list, _)) = rest.split_once(')') else { continue };
        let name = name.trim().to_owned();
        let mut parameters = vec![];
        for parameter in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let kind = parameter.split_whitespace().nth(1).unwrap_or_default().trim_start_matches('.');
            parameters.push(match kind {
                "u64" | "s64" | "b64" => Parameter::Pointer,
                "u32" | "s32" | "b32" => Parameter::Int,
                kind if kind == real => Parameter::Real,
                other => {
                    let (kernel, found) = (name, format!("a parameter of type {other}"));
                    let expected = format!("pointers, 32-bit integers and {real}");
                    return Err(CudaError::Signature { kernel, expected, found });
                }
            });
        }
        found.push((name, parameters));
    }
    Ok(found)
}

/// Compares one kernel with what the host passes.
pub(crate) fn check(
    signatures: &[(String, Vec<Parameter>)],
    kernel: &str,
    expected: &[Parameter],
) -> Result<(), CudaError> {
    let found = signatures.iter().find(|(name, _)| name == kernel).map(|(_, parameters)| parameters);
    if found.is_some_and(|found| found == expected) {
        return Ok(());
    }
    Err(CudaError::Signature {
        kernel: kernel.to_owned(),
        expected: spell(expected),
        found: found.map_or_else(|| "no such kernel".to_owned(), |found| spell(found)),
    })
}

fn spell(parameters: &[Parameter]) -> String {
    let letters = parameters.iter().map(|parameter| match parameter {
        Parameter::Pointer => "pointer",
        Parameter::Int => "int",
        Parameter::Real => "real",
    });
    format!("({})", letters.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_the_host_never_passes_are_refused() {
        let double = ".entry k(\n .param .f64 k_param_0\n)";
        assert!(matches!(parse_signatures(double, "f32"), Err(CudaError::Signature { .. })));
        let structure = ".entry k(\n .param .align 4 .b8 k_param_0[12]\n)";
        assert!(parse_signatures(structure, "f32").is_err());
    }

    #[test]
    fn missing_and_wrong_parameters_are_named() {
        let ptx = ".entry k(\n .param .u64 a,\n .param .u32 b\n)\n{}\n.entry none()\n{}";
        let found = parse_signatures(ptx, "f32").unwrap();
        check(&found, "k", &[Parameter::Pointer, Parameter::Int]).unwrap();
        check(&found, "none", &[]).unwrap();
        for wrong in [&[Parameter::Pointer][..], &[Parameter::Int, Parameter::Pointer]] {
            let error = check(&found, "k", wrong).unwrap_err().to_string();
            assert!(error.contains("(pointer, int)"), "{error}");
        }
        assert!(check(&found, "other", &[]).unwrap_err().to_string().contains("no such kernel"));
    }
}
