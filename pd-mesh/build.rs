//! Compiles the C face of TetGen for the feature `tetgen`; otherwise does nothing.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=native/tetgen_shim.cpp");
    #[cfg(feature = "tetgen")]
    {
        // Debian: libtet1.5-dev has tetgen.h and libtet.
        cc::Build::new().cpp(true).warnings(false).file("native/tetgen_shim.cpp").compile("pd_tetgen_shim");
        println!("cargo::rustc-link-lib=tet");
    }
}
