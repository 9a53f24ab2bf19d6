//! Unified particle dynamics: grains, particle bodies, shape matching.
