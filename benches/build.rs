//! Compiles the comparison with Eigen and CHOLMOD when the feature `peers` asks for it.

#![allow(clippy::print_stdout, reason = "how a build script speaks to cargo")]

fn main() {
    println!("cargo:rerun-if-changed=peers/shim.cpp");
    #[cfg(feature = "peers")]
    peers();
}

/// Finds both libraries where systems put them; `EIGEN_INCLUDE` and `SUITESPARSE_INCLUDE` name other places.
#[cfg(feature = "peers")]
fn peers() {
    let eigen = include("EIGEN_INCLUDE", "Eigen/SparseCholesky", "eigen3", "libeigen3-dev");
    let cholmod = include("SUITESPARSE_INCLUDE", "cholmod.h", "suitesparse", "libsuitesparse-dev");
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .flag_if_supported("-march=native")
        .define("NDEBUG", None)
        .include(eigen)
        .include(cholmod)
        .warnings(false)
        .file("peers/shim.cpp")
        .compile("pd_peers");
    println!("cargo:rustc-link-lib=cholmod");
}

#[cfg(feature = "peers")]
fn include(variable: &str, header: &str, folder: &str, package: &str) -> std::path::PathBuf {
    println!("cargo:rerun-if-env-changed={variable}");
    let usual = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"];
    let mut places: Vec<std::path::PathBuf> =
        std::env::var_os(variable).map(Into::into).into_iter().collect();
    places.extend(usual.iter().map(|place| std::path::Path::new(place).join(folder)));
    places.extend(usual.iter().map(Into::into));
    match places.iter().find(|place| place.join(header).exists()) {
        Some(place) => place.clone(),
        None => panic!(
            "the feature `peers` needs {header}: install {package} (Debian's name; with it libeigen3-dev and \
             libsuitesparse-dev are all that is needed), or name its folder in {variable}"
        ),
    }
}
