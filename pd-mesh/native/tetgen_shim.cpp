// A plain C face of TetGen's C++ interface, for the feature `tetgen`.
//
// TetGen reports failures by throwing an int, and version 1.5 then destroys what it has not made, which may end the process.
// So it runs in a child process of its own that writes the solid into a pipe; whatever happens there, the parent goes on.

#ifndef TETLIBRARY
#define TETLIBRARY
#endif
#include <tetgen.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Head {
    int code;
    int point_count;
    int tet_count;
};

bool write_all(int file, const void *data, size_t length) {
    const char *at = static_cast<const char *>(data);
    while (length > 0) {
        ssize_t done = write(file, at, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        length -= static_cast<size_t>(done);
    }
    return true;
}

bool read_all(int file, void *data, size_t length) {
    char *at = static_cast<char *>(data);
    while (length > 0) {
        ssize_t done = read(file, at, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        at += done;
        length -= static_cast<size_t>(done);
    }
    return true;
}

// The child's work. Nothing is destroyed on the way out: the process ends right after.
int tetrahedralize_into(int file, const char *switches, const double *points, int point_count, const int *triangles,
                        int triangle_count) {
    Head head = {-1, 0, 0};
    try {
        tetgenio &in = *new tetgenio;
        tetgenio &out = *new tetgenio;
        in.firstnumber = 0;
        in.numberofpoints = point_count;
        in.pointlist = new REAL[3 * static_cast<size_t>(point_count)];
        for (size_t i = 0; i < 3 * static_cast<size_t>(point_count); ++i) in.pointlist[i] = points[i];
        in.numberoffacets = triangle_count;
        in.facetlist = new tetgenio::facet[triangle_count];
        for (int f = 0; f < triangle_count; ++f) {
            tetgenio::facet &facet = in.facetlist[f];
            tetgenio::init(&facet);
            facet.numberofpolygons = 1;
            facet.polygonlist = new tetgenio::polygon[1];
            tetgenio::polygon &polygon = facet.polygonlist[0];
            tetgenio::init(&polygon);
            polygon.numberofvertices = 3;
            polygon.vertexlist = new int[3];
            for (int k = 0; k < 3; ++k) polygon.vertexlist[k] = triangles[3 * static_cast<size_t>(f) + k];
        }
        std::string text(switches);
        tetrahedralize(&text[0], &in, &out);
        if (out.numberofcorners == 4 || out.numberoftetrahedra == 0) {
            head = {0, out.numberofpoints, out.numberoftetrahedra};
            bool sent = write_all(file, &head, sizeof head) &&
                        write_all(file, out.pointlist, sizeof(double) * 3 * static_cast<size_t>(head.point_count)) &&
                        write_all(file, out.tetrahedronlist, sizeof(int) * 4 * static_cast<size_t>(head.tet_count));
            return sent ? 0 : 1;
        }
    } catch (int code) {
        head.code = code == 0 ? -1 : code;
    } catch (...) {
    }
    write_all(file, &head, sizeof head);
    return 1;
}

}  // namespace

extern "C" {

struct PdTetGenResult {
    double *points;
    int *tets;
    int point_count;
    int tet_count;
};

void pd_tetgen_free(PdTetGenResult *result) {
    std::free(result->points);
    std::free(result->tets);
    result->points = nullptr;
    result->tets = nullptr;
}

// 0 on success; the int that TetGen threw; -1 for any other failure; -2 if there is no memory or no process; -100 - s if
// signal s ended TetGen.
int pd_tetgen(const char *switches, const double *points, int point_count, const int *triangles, int triangle_count,
              PdTetGenResult *result) {
    *result = {nullptr, nullptr, 0, 0};
    int ends[2];
    if (pipe(ends) != 0) return -2;
    pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return -2;
    }
    if (child == 0) {
        close(ends[0]);
        // A crash is an answer here, not something to report.
        std::signal(SIGSEGV, SIG_DFL);
        std::signal(SIGABRT, SIG_DFL);
        _exit(tetrahedralize_into(ends[1], switches, points, point_count, triangles, triangle_count));
    }
    close(ends[1]);
    Head head = {-1, 0, 0};
    int code = -1;
    if (read_all(ends[0], &head, sizeof head) && head.point_count >= 0 && head.tet_count >= 0) {
        code = head.code;
        if (code == 0) {
            size_t point_bytes = sizeof(double) * 3 * static_cast<size_t>(head.point_count);
            size_t tet_bytes = sizeof(int) * 4 * static_cast<size_t>(head.tet_count);
            result->points = static_cast<double *>(std::malloc(point_bytes + 1));
            result->tets = static_cast<int *>(std::malloc(tet_bytes + 1));
            if (!result->points || !result->tets) {
                code = -2;
            } else if (!read_all(ends[0], result->points, point_bytes) || !read_all(ends[0], result->tets, tet_bytes)) {
                code = -1;
            } else {
                result->point_count = head.point_count;
                result->tet_count = head.tet_count;
            }
            if (code != 0) pd_tetgen_free(result);
        }
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (code != 0 && WIFSIGNALED(status)) return -100 - WTERMSIG(status);
    return code;
}
}
