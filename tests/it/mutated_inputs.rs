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
        let report = fuzz::run(&mut *(target.make)(), 1, |executions| executions >= count);
        failures.extend(
            report
                .failure
                .map(|failure| format!("{}: {failure}", target.name)),
        );
        assert!(report.executions > 0, "{} read nothing", target.name);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
