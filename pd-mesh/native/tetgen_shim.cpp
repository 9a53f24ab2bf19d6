// A plain C face of TetGen's C++ interface, for the feature `tetgen`. TetGen reports failures by throwing an int.

#ifndef TETLIBRARY
#define TETLIBRARY
#endif
#include <tetgen.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

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

// 0 on success, the int that TetGen threw, or -1 for any other failure.
int pd_tetgen(const char *switches, const double *points, int point_count, const int *triangles, int triangle_count,
              PdTetGenResult *result) {
    result->points = nullptr;
    result->tets = nullptr;
    result->point_count = 0;
    result->tet_count = 0;
    try {
        tetgenio in, out;
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
        if (out.numberofcorners != 4 && out.numberoftetrahedra > 0) return -1;
        size_t point_bytes = sizeof(double) * 3 * static_cast<size_t>(out.numberofpoints);
        size_t tet_bytes = sizeof(int) * 4 * static_cast<size_t>(out.numberoftetrahedra);
        result->points = static_cast<double *>(std::malloc(point_bytes + 1));
        result->tets = static_cast<int *>(std::malloc(tet_bytes + 1));
        if (!result->points || !result->tets) {
            pd_tetgen_free(result);
            return 1;
        }
        if (point_bytes) std::memcpy(result->points, out.pointlist, point_bytes);
        if (tet_bytes) std::memcpy(result->tets, out.tetrahedronlist, tet_bytes);
        result->point_count = out.numberofpoints;
        result->tet_count = out.numberoftetrahedra;
        return 0;
    } catch (int code) {
        return code == 0 ? -1 : code;
    } catch (...) {
        return -1;
    }
}
}
