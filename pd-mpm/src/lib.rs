//! Material point method: water, sand and elastic matter on a sparse grid.
