//! Other people's solvers in the same run: faer and nalgebra-sparse always, Eigen and CHOLMOD with the feature `peers`.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::Perm;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::traits::RealField;
use faer::{Conj, Mat, Par, Side};
use pd_core::{Csr, Real};

/// A factored system of another library.
pub trait Peer {
    /// Library, storage, ordering, precision.
    fn name(&self) -> &str;
    /// Solves for the right-hand side it was made with.
    fn solve(&mut self);
    /// The last solution, row-major, three columns.
    fn solution(&self) -> Vec<Real>;
}

/// All peers for `a`, factored; `order` is a dissection's order, which those that take one are given beside their own.
pub fn all(a: &Csr, order: &[u32], b: &[Real]) -> Vec<Box<dyn Peer>> {
    let mut peers: Vec<Box<dyn Peer>> = vec![];
    for (ordering, own) in [("AMD", None), ("METIS", Some(order))] {
        for (storage, threshold) in [
            ("simplicial", SupernodalThreshold::FORCE_SIMPLICIAL),
            ("supernodal", SupernodalThreshold::FORCE_SUPERNODAL),
        ] {
            let name = |precision: &str| format!("faer {storage} {ordering} {precision}");
            peers.extend(Faer::<f64>::make(name("f64"), a, own, threshold, b));
            peers.extend(Faer::<f32>::make(name("f32"), a, own, threshold, b));
        }
    }
    peers.extend(NalgebraSparse::make(a, order, b));
    #[cfg(feature = "peers")]
    peers.extend((0..6).filter_map(|kind| native::Native::make(kind, a, b)));
    peers
}

/// f32 and f64 from and to f64.
trait Short: RealField + Copy + 'static {
    fn narrow(value: f64) -> Self;
    fn wide(self) -> f64;
}
impl Short for f32 {
    fn narrow(value: f64) -> Self {
        value as Self
    }
    fn wide(self) -> f64 {
        self.into()
    }
}
impl Short for f64 {
    fn narrow(value: f64) -> Self {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}

struct Faer<T> {
    name: String,
    symbolic: SymbolicCholesky<usize>,
    l: Vec<T>,
    memory: MemBuffer,
    b: Mat<T>,
    x: Mat<T>,
}

impl<T: Short> Faer<T> {
    fn make(
        name: String,
        a: &Csr,
        order: Option<&[u32]>,
        threshold: SupernodalThreshold,
        b: &[Real],
    ) -> Option<Box<dyn Peer>> {
        let n = a.rows();
        let indices: Vec<usize> = a.pattern().columns().iter().map(|&j| j as usize).collect();
        let values: Vec<T> = a.values().iter().map(|&v| T::narrow(v)).collect();
        let view = SymbolicSparseColMatRef::new_checked(n, n, a.pattern().offsets(), None, &indices);
        let permutation = order.map(|order| {
            let forward: Vec<usize> = order.iter().map(|&v| v as usize).collect();
            let mut inverse = vec![0; n];
            forward.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
            Perm::new_checked(forward.into(), inverse.into(), n)
        });
        let ordering = match &permutation {
            Some(permutation) => SymmetricOrdering::Custom(permutation.as_ref()),
            None => SymmetricOrdering::Amd,
        };
        let params =
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
        let symbolic = factorize_symbolic_cholesky(view, Side::Lower, ordering, params).ok()?;
        let mut l = vec![T::narrow(0.0); symbolic.len_val()];
        let need = symbolic.factorize_numeric_llt_scratch::<T>(Par::Seq, Default::default());
        let mut memory = MemBuffer::new(need.or(symbolic.solve_in_place_scratch::<T>(3, Par::Seq)));
        symbolic
            .factorize_numeric_llt(
                &mut l,
                SparseColMatRef::new(view, &values),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        let b = Mat::from_fn(n, 3, |i, c| T::narrow(b[3 * i + c]));
        let x = b.clone();
        Some(Box::new(Self { name, symbolic, l, memory, b, x }))
    }
}

impl<T: Short> Peer for Faer<T> {
    fn name(&self) -> &str {
        &self.name
    }

    fn solve(&mut self) {
        self.x.copy_from(&self.b);
        let stack = MemStack::new(&mut self.memory);
        LltRef::new(&self.symbolic, &self.l).solve_in_place_with_conj(
            Conj::No,
            self.x.as_mut(),
            Par::Seq,
            stack,
        );
    }

    fn solution(&self) -> Vec<Real> {
        (0..3 * self.x.nrows()).map(|k| self.x[(k / 3, k % 3)].wide()).collect()
    }
}

/// nalgebra-sparse has no ordering of its own: it is given the dissection's.
struct NalgebraSparse {
    factor: nalgebra_sparse::factorization::CscCholesky<f64>,
    order: Vec<u32>,
    b: nalgebra::DMatrix<f64>,
    x: nalgebra::DMatrix<f64>,
}

impl NalgebraSparse {
    fn make(a: &Csr, order: &[u32], b: &[Real]) -> Option<Box<dyn Peer>> {
        let n = a.rows();
        let mut position = vec![0usize; n];
        order.iter().enumerate().for_each(|(new, &old)| position[old as usize] = new);
        let mut coo = nalgebra_sparse::CooMatrix::new(n, n);
        for i in 0..n {
            a.row(i).for_each(|(j, value)| coo.push(position[i], position[j], value));
        }
        let csc = nalgebra_sparse::CscMatrix::from(&coo);
        let factor = nalgebra_sparse::factorization::CscCholesky::factor(&csc).ok()?;
        let b = nalgebra::DMatrix::from_fn(n, 3, |i, c| b[3 * order[i] as usize + c]);
        Some(Box::new(Self { factor, order: order.to_vec(), x: b.clone(), b }))
    }
}

impl Peer for NalgebraSparse {
    fn name(&self) -> &str {
        "nalgebra-sparse, METIS order, f64"
    }

    fn solve(&mut self) {
        self.x.copy_from(&self.b);
        self.factor.solve_mut(&mut self.x);
    }

    fn solution(&self) -> Vec<Real> {
        let mut x = vec![0.0; 3 * self.order.len()];
        for (new, &old) in self.order.iter().enumerate() {
            (0..3).for_each(|c| x[3 * old as usize + c] = self.x[(new, c)]);
        }
        x
    }
}

#[cfg(feature = "peers")]
mod native {
    use super::{Csr, Peer, Real};
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn peer_new(
            kind: c_int,
            n: c_int,
            offsets: *const c_int,
            columns: *const c_int,
            values: *const f64,
        ) -> *mut c_void;
        fn peer_solve(peer: *mut c_void, b: *const f64, x: *mut f64) -> c_int;
        fn peer_free(peer: *mut c_void);
    }

    /// Eigen or CHOLMOD behind the shim.
    pub(super) struct Native {
        name: &'static str,
        peer: *mut c_void,
        b: Vec<f64>,
        x: Vec<f64>,
    }

    const NAMES: [&str; 6] = [
        "Eigen LLT AMD f64",
        "Eigen LDLT AMD f64",
        "CHOLMOD simplicial AMD f64",
        "CHOLMOD simplicial METIS f64",
        "CHOLMOD supernodal AMD f64",
        "CHOLMOD supernodal METIS f64",
    ];

    impl Native {
        pub(super) fn make(kind: usize, a: &Csr, b: &[Real]) -> Option<Box<dyn Peer>> {
            let n = a.rows();
            let offsets: Vec<c_int> = a.pattern().offsets().iter().map(|&o| o as c_int).collect();
            let columns: Vec<c_int> = a.pattern().columns().iter().map(|&j| j as c_int).collect();
            // SAFETY: a square matrix in compressed columns; the arrays live through the call and are not kept.
            let peer = unsafe {
                peer_new(kind as c_int, n as c_int, offsets.as_ptr(), columns.as_ptr(), a.values().as_ptr())
            };
            let b = (0..3 * n).map(|k| b[3 * (k % n) + k / n]).collect();
            (!peer.is_null())
                .then(|| Box::new(Self { name: NAMES[kind], peer, b, x: vec![0.0; 3 * n] }) as Box<dyn Peer>)
        }
    }

    impl Peer for Native {
        fn name(&self) -> &str {
            self.name
        }

        fn solve(&mut self) {
            // SAFETY: made by `peer_new` for as many rows as the vectors have, three columns.
            let done = unsafe { peer_solve(self.peer, self.b.as_ptr(), self.x.as_mut_ptr()) };
            if done != 1 {
                self.x.fill(f64::NAN);
            }
        }

        fn solution(&self) -> Vec<Real> {
            let n = self.x.len() / 3;
            (0..3 * n).map(|k| self.x[k % 3 * n + k / 3]).collect()
        }
    }

    impl Drop for Native {
        fn drop(&mut self) {
            // SAFETY: made by `peer_new`, freed once.
            unsafe { peer_free(self.peer) }
        }
    }
}
