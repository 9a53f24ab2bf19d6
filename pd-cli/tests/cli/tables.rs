//! `pd tables` and `pd compare` as people and scripts use them.

use crate::sandbox::Sandbox;
use serde_json::Value;

#[test]
fn a_table_is_printed_with_published_and_measured_figures() {
    let sandbox = Sandbox::new();
    let text = sandbox.good(&["tables", "7.1", "--quick", "--only", "bar,bunny"]);
    assert!(text.contains("| hanging bar | pd run bar | 208 | 208 | 540 | 540 | 556 | 556 | 1 |"), "{text}");
    assert!(text.contains("model not present") && text.contains("Bunny (twin)"), "{text}");
}

#[test]
fn a_report_is_written_as_files() {
    let sandbox = Sandbox::new();
    let listed = sandbox.good(&["tables", "7.2", "7.1", "--quick", "--only", "bridge", "--out", "report"]);
    for file in ["report.md", "report.html", "table-7.1.csv", "table-7.2.csv", "figure-7.2-rates.svg"] {
        assert!(listed.contains(file), "{listed}");
        assert!(!sandbox.read(&format!("report/{file}")).is_empty());
    }
    let csv = sandbox.read("report/table-7.2.csv");
    assert!(
        csv.starts_with("scene,\"prepare ms, published\"")
            && csv.contains("bridge,12,")
            && csv.contains("no device")
    );
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let sandbox = Sandbox::new();
    let output = sandbox.pd(&["tables", "7.1", "--only", "bar", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["tables"][0]["rows"][0]["constraints, here"], 556);
    assert!(value["machine"]["threads"].as_u64().unwrap() >= 1 && value["date"].is_string());
}

#[test]
fn documents_are_renewed_from_the_report() {
    let sandbox = Sandbox::new();
    sandbox.write("README.md", "# x\n<!-- measured: 7.1 -->\nold\n<!-- /measured -->\nend\n");
    sandbox.write("docs/a.md", "none here\n");
    sandbox.good(&["tables", "7.1", "--quick", "--only", "bar", "--update-docs", "."]);
    let text = sandbox.read("README.md");
    assert!(text.contains("| hanging bar |") && text.contains("Measured by `pd tables`: 20"), "{text}");
    assert!(text.ends_with("<!-- /measured -->\nend\n") && !text.contains("old"));
    assert_eq!(sandbox.read("docs/a.md"), "none here\n");
}

#[test]
fn peers_that_cannot_be_installed_are_named() {
    let sandbox = Sandbox::new();
    // No program of any kind can be found, so nothing can be installed.
    let mut command = sandbox.command(&["tables", "7.6", "--quick", "--only", "cloth-140", "--peers"]);
    let output = command.env("PATH", sandbox.path("empty")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    for peer in ["Bullet", "PositionBasedDynamics", "Rapier"] {
        assert!(text.contains(&format!("| cloth 140×140 | {peer} |  |  | missing: no")), "{peer}: {text}");
    }
    assert!(text.contains("pd (this program)"), "our own figures are there all the same");
}

#[test]
fn a_comparison_is_a_curve_and_two_pictures() {
    let sandbox = Sandbox::new();
    let arguments =
        ["compare", "bar", "--with", "pd/panels,fused-jacobi", "--frame", "5", "--seconds", "0.2"];
    let csv = sandbox.good(&arguments);
    assert!(csv.starts_with("contender,prepare_ms,iterations,ms,error,outcome\npd/panels,"), "{csv}");
    assert!(csv.contains("\nfused-jacobi,"));
    let errors: Vec<f64> = csv
        .lines()
        .filter(|line| line.starts_with("pd/panels"))
        .map(|line| line.split(',').nth(4).unwrap().parse().unwrap())
        .collect();
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "more iterations come nearer: {errors:?}");
    let listed = sandbox.good(&[&arguments[..], &["--out", "c"]].concat());
    assert_eq!(listed.lines().count(), 5, "{listed}");
    assert!(sandbox.read("c/error-over-time.svg").contains("pd/panels"));
    assert!(std::fs::read(sandbox.path("c/error-over-iterations.png")).unwrap().starts_with(b"\x89PNG"));
}
