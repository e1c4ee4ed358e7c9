//! A slice of what `cargo test --bench fuzz` runs.

use crate::{
    fuzz::{self, TARGETS},
    generated::breadth,
};

#[test]
fn mutated_inputs_are_read_without_panics() {
    let mut failures = Vec::new();
    for target in &TARGETS {
        let count = (target.slice * breadth()) as u64;
        let report = fuzz::run((target.make)(), 1, |executions| executions >= count);
        failures.extend(
            report
                .failure
                .map(|failure| format!("{}: {failure}", target.name)),
        );
        assert!(report.executions > 0, "{} read nothing", target.name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn cargo_fuzz_has_every_target() {
    let manifest = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fuzz/cargo-fuzz/Cargo.toml"
    );
    let manifest = std::fs::read_to_string(manifest).expect("it is readable");
    let binaries: Vec<&str> = manifest
        .split("[[bin]]\nname = \"")
        .skip(1)
        .filter_map(|binary| binary.split('"').next())
        .collect();
    let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(binaries, targets);
}
