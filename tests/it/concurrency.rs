//! Other processes that rewrite the repository while it is read. `cargo bench --bench concurrency` does more of it.

use crate::harness::rewriting::Rewritten;

/// Commands that rewrite the repository, for each format of references.
const REWRITES: usize = 60;

#[test]
fn blames_and_a_viewer_go_on_while_a_repository_is_rewritten() {
    for references in ["files", "reftable"] {
        let rounds = Rewritten::new(references).run(REWRITES, 1);
        let failures = &rounds.failures;
        assert!(
            failures.is_empty(),
            "{references}:\n{}",
            failures.join("\n")
        );
        assert!(rounds.rewrites >= REWRITES && rounds.blames >= REWRITES);
        assert!(rounds.keys > 0);
    }
}
