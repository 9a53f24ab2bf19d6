// Eigen and CHOLMOD behind four functions of C, for comparisons: factor once, solve three right-hand sides often.
#include <Eigen/SparseCholesky>
#include <cholmod.h>
#include <cstring>
#include <memory>

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, 3>;

struct Peer {
    virtual ~Peer() = default;
    virtual bool solve(const double *b, double *x) = 0;
    int rows = 0;
};

template <class Solver> struct EigenPeer : Peer {
    Solver solver;
    explicit EigenPeer(const Matrix &a) : solver(a) { rows = int(a.rows()); }
    bool solve(const double *b, double *x) override {
        Eigen::Map<const Dense> in(b, rows, 3);
        Eigen::Map<Dense>(x, rows, 3) = solver.solve(in);
        return solver.info() == Eigen::Success;
    }
};

struct CholmodPeer : Peer {
    cholmod_common common;
    cholmod_factor *factor = nullptr;
    cholmod_dense *x_kept = nullptr, *y = nullptr, *e = nullptr;
    bool sound = false;
    CholmodPeer(int n, const int *offsets, const int *columns, const double *values, bool supernodal, bool metis) {
        rows = n;
        cholmod_start(&common);
        common.supernodal = supernodal ? CHOLMOD_SUPERNODAL : CHOLMOD_SIMPLICIAL;
        common.final_ll = 1;
        common.nmethods = 1;
        common.method[0].ordering = metis ? CHOLMOD_METIS : CHOLMOD_AMD;
        common.postorder = 1;
        // The matrix is symmetric: rows are columns. CHOLMOD reads the lower triangle.
        cholmod_sparse a;
        std::memset(&a, 0, sizeof a);
        a.nrow = a.ncol = size_t(n);
        a.nzmax = size_t(offsets[n]);
        a.p = const_cast<int *>(offsets);
        a.i = const_cast<int *>(columns);
        a.x = const_cast<double *>(values);
        a.stype = -1;
        a.itype = CHOLMOD_INT;
        a.xtype = CHOLMOD_REAL;
        a.dtype = CHOLMOD_DOUBLE;
        a.sorted = a.packed = 1;
        factor = cholmod_analyze(&a, &common);
        sound = factor && cholmod_factorize(&a, factor, &common) && common.status == CHOLMOD_OK;
    }
    ~CholmodPeer() override {
        cholmod_free_factor(&factor, &common);
        cholmod_free_dense(&x_kept, &common);
        cholmod_free_dense(&y, &common);
        cholmod_free_dense(&e, &common);
        cholmod_finish(&common);
    }
    bool solve(const double *b, double *x) override {
        cholmod_dense in;
        std::memset(&in, 0, sizeof in);
        in.nrow = in.d = size_t(rows);
        in.ncol = 3;
        in.nzmax = size_t(rows) * 3;
        in.x = const_cast<double *>(b);
        in.xtype = CHOLMOD_REAL;
        in.dtype = CHOLMOD_DOUBLE;
        if (!sound || !cholmod_solve2(CHOLMOD_A, factor, &in, nullptr, &x_kept, nullptr, &y, &e, &common)) {
            return false;
        }
        std::memcpy(x, x_kept->x, sizeof(double) * size_t(rows) * 3);
        return true;
    }
};

} // namespace

extern "C" {

// kind: 0 and 1 Eigen LLT and LDLT with AMD; 2 to 5 CHOLMOD simplicial AMD, METIS, supernodal AMD, METIS.
Peer *peer_new(int kind, int n, const int *offsets, const int *columns, const double *values) {
    try {
        if (kind < 2) {
            Matrix a = Eigen::Map<const Matrix>(n, n, offsets[n], offsets, columns, values);
            if (kind == 0) {
                return new EigenPeer<Eigen::SimplicialLLT<Matrix>>(a);
            }
            return new EigenPeer<Eigen::SimplicialLDLT<Matrix>>(a);
        }
        auto peer = std::make_unique<CholmodPeer>(n, offsets, columns, values, kind >= 4, kind % 2 == 1);
        return peer->sound ? peer.release() : nullptr;
    } catch (...) {
        return nullptr;
    }
}

// b and x are n x 3, column after column. 1 on success.
int peer_solve(Peer *peer, const double *b, double *x) { return peer->solve(b, x) ? 1 : 0; }

void peer_free(Peer *peer) { delete peer; }
}
