//! pd-mesh without a simulation: make a surface, write it, read it, fill it with tetrahedra, judge them.
//!
//! `cargo run --release -p examples --example mesh_alone`
#![expect(clippy::print_stdout, reason = "a program that reports")]

use pd_mesh::quality::TetQuality;
use pd_mesh::tetrahedralize::{Options, tetrahedralize_first};
use pd_mesh::{check, generate, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ring = generate::torus(32, 16, 1.0, 0.4)?;
    assert!(check::check_tri(&ring).is_clean(), "a closed surface without faults");

    let mut file = Vec::new();
    io::write_obj(&mut file, &ring)?;
    let again = io::read_obj(&file[..], "ring.obj")?;
    assert_eq!(again.triangles, ring.triangles, "what was written is read");

    let made = tetrahedralize_first(&["stuffing"], &ring, &Options::default())?;
    let quality = TetQuality::new(&made.mesh);
    let volume: f64 = made.mesh.volumes().iter().sum();
    println!("{} tetrahedra, {quality:?}", made.mesh.tets.len());
    assert!(made.mesh.volumes().iter().all(|&v| v > 0.0), "none is inside out");
    assert!(made.mesh.min_dihedral_angle().to_degrees() > 5.0, "none is flat");
    let theirs = ring.enclosed_volume().abs();
    assert!((volume / theirs - 1.0).abs() < 0.05, "they fill {volume} m³ of {theirs} m³");
    Ok(())
}

#[test]
fn runs() {
    main().unwrap();
}
