//! Which registers may be read before they are written. A compiler never makes such code, and then registers need
//! not be cleared between blocks; where it does happen they are, so that a run does not depend on what ran before.
//!
//! Forward data flow over the instructions: a register is surely written at an instruction if it is on every way
//! there. Ways meet by intersection.

use crate::instr::{BarRed, Base, Function, NONE, Op, Reg, Vote, Width};

/// Register file of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum File {
    R32,
    R64,
    Pred,
}

fn file(wide: bool) -> File {
    if wide { File::R64 } else { File::R32 }
}

/// Calls `see(file, register, written)` for every register of an operation.
fn operands(op: &Op, see: &mut dyn FnMut(File, Reg, bool)) {
    use File::{Pred, R32, R64};
    let mut all = |f: File, d: Reg, sources: &[Reg]| {
        sources.iter().for_each(|&r| see(f, r, false));
        see(f, d, true);
    };
    match *op {
        Op::Int { op, width, d, a, b, c } => {
            let f = file(width == Width::W64);
            let n = op.sources();
            if op.shifts() {
                all(f, d, &[a]);
                see(R32, b, false);
            } else {
                all(f, d, &[a, b, c][..n]);
            }
        }
        Op::Carry { wide, d, a, b, c, op, .. } => {
            all(file(wide), d, &[a, b, c][..if op.adds() { 2 } else { 3 }])
        }
        Op::Count { wide, d, a, .. } => {
            see(file(wide), a, false);
            see(R32, d, true);
        }
        Op::MulWide { from16, d, a, b, c, .. } => {
            see(R32, a, false);
            see(R32, b, false);
            see(file(!from16), c, false);
            see(file(!from16), d, true);
        }
        Op::Bfe { wide, d, a, pos, len, .. } => {
            see(R32, pos, false);
            see(R32, len, false);
            see(file(wide), a, false);
            see(file(wide), d, true);
        }
        Op::Bfi { wide, d, a, b, pos, len } => {
            see(R32, pos, false);
            see(R32, len, false);
            see(file(wide), a, false);
            see(file(wide), b, false);
            see(file(wide), d, true);
        }
        Op::Shf { d, a, b, c, .. } | Op::Prmt { d, a, b, c, .. } | Op::Lop3 { d, a, b, c, .. } => {
            all(R32, d, &[a, b, c])
        }
        Op::F32 { f, d, a, b, c } => all(R32, d, &[a, b, c][..f.op.sources()]),
        Op::F64 { f, d, a, b, c } => all(R64, d, &[a, b, c][..f.op.sources()]),
        Op::Testp { wide, p, a, .. } => {
            see(file(wide), a, false);
            see(Pred, p, true);
        }
        Op::Setp { ty, p, q, a, b, with, .. } => {
            see(file(ty.bytes() == 8), a, false);
            see(file(ty.bytes() == 8), b, false);
            see(Pred, with.map_or(NONE, |w| w.1), false);
            see(Pred, p, true);
            see(Pred, q, true);
        }
        Op::Selp { wide, d, a, b, p } => {
            see(Pred, p, false);
            see(file(wide), a, false);
            see(file(wide), b, false);
            see(file(wide), d, true);
        }
        Op::Slct { wide, d, a, b, c, .. } => {
            see(R32, c, false);
            see(file(wide), a, false);
            see(file(wide), b, false);
            see(file(wide), d, true);
        }
        Op::Cvt { ref cvt, d, a } => {
            see(file(cvt.source_wide), a, false);
            see(file(cvt.register_bits == 64), d, true);
        }
        Op::Mov32 { d, a } => all(R32, d, &[a]),
        Op::Mov64 { d, a } | Op::Offset64 { d, a, .. } => all(R64, d, &[a]),
        Op::PredMov { d, a, .. } => all(Pred, d, &[a]),
        Op::PredConst { d, .. } => see(Pred, d, true),
        Op::PredLogic { d, a, b, .. } => all(Pred, d, &[a, b]),
        Op::Pack { parts, d, wide, .. } => {
            parts.iter().for_each(|&r| see(R32, r, false));
            see(file(wide), d, true);
        }
        Op::Unpack { parts, a, wide, .. } => {
            see(file(wide), a, false);
            parts.iter().for_each(|&r| see(R32, r, true));
        }
        Op::FrameAddress { wide, d, .. } => see(file(wide), d, true),
        Op::IsSpace { p, a, .. } => {
            see(R64, a, false);
            see(Pred, p, true);
        }
        Op::Ld(ref x) | Op::St(ref x) => {
            base(x.address.base, see);
            let load = matches!(op, Op::Ld(_));
            x.regs.iter().for_each(|&r| see(file(x.register_bits == 64), r, load));
        }
        Op::Atom(ref x) => {
            base(x.address.base, see);
            let f = file(x.ty.bytes() == 8);
            see(f, x.b, false);
            see(f, x.c, false);
            see(f, x.d, true);
        }
        Op::Shfl { d, p, a, b, c, members, .. } => {
            [a, b, c, members].iter().for_each(|&r| see(R32, r, false));
            see(R32, d, true);
            see(Pred, p, true);
        }
        Op::Vote { vote, d, p, members, .. } => {
            see(R32, members, false);
            see(Pred, p, false);
            see(if vote == Vote::Ballot { R32 } else { Pred }, d, true);
        }
        Op::ActiveMask { d } => see(R32, d, true),
        Op::WarpSync { members } => see(R32, members, false),
        Op::Bar { id, threads, red, d, p, .. } => {
            see(R32, id, false);
            see(R32, threads, false);
            see(Pred, p, false);
            see(if red == BarRed::Popc { R32 } else { Pred }, d, true);
        }
        Op::Brx { index, .. } => see(R32, index, false),
        Op::Nop | Op::Bra { .. } | Op::Call { .. } | Op::Refuse { .. } | Op::Ret | Op::Exit | Op::Trap => {}
    }
}

fn base(b: Base, see: &mut dyn FnMut(File, Reg, bool)) {
    match b {
        Base::R32(r) => see(File::R32, r, false),
        Base::R64(r) => see(File::R64, r, false),
        Base::Absolute | Base::Frame => {}
    }
}

/// Whether some declared register may be read before it is written.
pub(super) fn reads_before_write(f: &Function) -> bool {
    let n = f.declared32 + f.declared64 + f.npred;
    let words = n.div_ceil(64).max(1);
    let place = |file: File, r: Reg| -> Option<usize> {
        let r = r as usize;
        match file {
            File::R32 => (r < f.declared32).then_some(r),
            File::R64 => (r < f.declared64).then_some(f.declared32 + r),
            File::Pred => (r < f.npred).then_some(f.declared32 + f.declared64 + r),
        }
    };
    // What is surely written before each instruction; `None` until a way there is known.
    let mut before: Vec<Option<Vec<u64>>> = vec![None; f.code.len()];
    let mut work = vec![(0usize, vec![0u64; words])];
    while let Some((at, mut known)) = work.pop() {
        if let Some(old) = &before[at] {
            let mut changed = false;
            for (k, o) in known.iter_mut().zip(old) {
                *k &= o;
                changed |= *k != *o;
            }
            if !changed {
                continue;
            }
        }
        before[at] = Some(known.clone());
        let instr = &f.code[at];
        let (mut missing, mut writes) = (false, Vec::new());
        let mut see = |file: File, r: Reg, written: bool| {
            if let Some(k) = place(file, r) {
                if written {
                    writes.push(k);
                } else {
                    missing |= known[k / 64] >> (k % 64) & 1 == 0;
                }
            }
        };
        if instr.guard != NONE {
            see(File::Pred, instr.guard, false);
        }
        operands(&instr.op, &mut see);
        if missing {
            return true;
        }
        if instr.guard == NONE {
            writes.iter().for_each(|k| known[k / 64] |= 1 << (k % 64));
        }
        let ends =
            matches!(instr.op, Op::Ret | Op::Exit | Op::Bra { .. } | Op::Brx { .. }) && instr.guard == NONE;
        match &instr.op {
            Op::Bra { target } => work.push((*target as usize, known.clone())),
            Op::Brx { targets, .. } => targets.iter().for_each(|&t| work.push((t as usize, known.clone()))),
            _ => {}
        }
        if !ends && at + 1 < f.code.len() {
            work.push((at + 1, known));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::memory::Table;
    use crate::module::Module;

    fn clears(body: &str) -> bool {
        let text = format!(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() {{ {body} }}");
        Module::load(&text, &mut Table::default()).unwrap().functions[0].clear
    }

    #[test]
    fn only_code_with_a_gap_needs_clearing() {
        let declared = ".reg .pred %p; .reg .b32 %a, %b;";
        assert!(!clears(&format!("{declared} mov.u32 %a, 1; add.s32 %b, %a, %a;")));
        assert!(clears(&format!("{declared} add.s32 %b, %a, %a;")));
        let guarded = "setp.eq.u32 %p, 1, 1; @%p mov.u32 %a, 1; add.s32 %b, %a, %a;";
        assert!(clears(&format!("{declared} {guarded}")));
        let both = "setp.eq.u32 %p, 1, 1; @%p bra $x; mov.u32 %a, 1; bra $y; $x: mov.u32 %a, 2; $y: add.s32 %b, %a, %a;";
        assert!(!clears(&format!("{declared} {both}")));
        assert!(clears(&format!("{declared} {}", both.replace("$x: mov.u32 %a, 2;", "$x:"))));
        let around = "mov.u32 %a, 0; $x: setp.lt.u32 %p, %a, 9; @!%p bra $y; add.s32 %a, %a, 1; mov.u32 %b, 3; bra $x; $y: mov.u32 %a, %b;";
        assert!(clears(&format!("{declared} {around}")));
    }

    #[test]
    fn compiled_kernels_have_no_gap() {
        let module =
            Module::load(include_str!("../../tests/data/kernels.ptx"), &mut Table::default()).unwrap();
        let with_gap: Vec<&str> =
            module.functions.iter().filter(|f| f.clear).map(|f| f.name.as_str()).collect();
        assert_eq!(with_gap, [""; 0]);
    }
}
