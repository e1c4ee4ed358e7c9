//! Damaged patches go out again, line by line and in order.

use bstr::ByteSlice;

use super::run;
use crate::{
    fuzz::mutator::Mutator,
    harness::{
        compare::seed_count,
        random_history::{History, STORAGES},
        repository::ObjectFormat,
        rng::Rng,
    },
};

const WORDS: &[&[u8]] = &[
    b"\n@@ -1,3 +1,3 @@\n",
    b"\n@@ -1 +1 @@\n",
    b"\n@@@ -1 -1 +1 @@@\n",
    b"\n--- a/x\n+++ b/x\n",
    b"\n--- \"a/\\n\"\n+++ /dev/null\n",
    b"\ndiff --git a/x b/x\n",
    b"\nindex 0000000..1234567 100644\n",
    b"rename from ../../etc/passwd\n",
    b"\\ No newline\n",
    b"\r\n",
    b"\0",
    b"\xff",
];

#[test]
fn damaged_patches_go_out_again() {
    let (mut applied, mut refused) = (0, 0);
    for seed in 0..seed_count(4) {
        let storage = STORAGES[seed as usize % STORAGES.len()];
        let history = History::generate(11_000 + seed, ObjectFormat::Sha1, storage);
        let repository = &history.repository;
        let pool: Vec<Vec<u8>> = [
            &["log", "-p", "-3"][..],
            &["log", "-p", "--cc", "-3"],
            &["format-patch", "--stdout", "-2"],
            &["log", "-p", "--format=", "-M", "-4"],
        ]
        .iter()
        .map(|arguments| repository.git(arguments))
        .collect();
        let mut rng = Rng::new(seed);
        let mutator = Mutator {
            words: WORDS,
            most_bytes: 1 << 15,
        };
        for _ in 0..8 {
            let text = mutator.mutated(&pool, &mut rng);
            let output = run(repository, &[], &text);
            let stderr = output.stderr.as_bstr();
            assert!(matches!(output.status, Some(0 | 128)), "{stderr}");
            assert!(!stderr.contains_str("panicked"), "{stderr}");
            applied += usize::from(output.status == Some(0));
            refused += usize::from(output.status != Some(0));
            let mut rows = output.stdout.lines_with_terminator();
            for line in text.lines_with_terminator() {
                let row = rows.next().expect("a row for each line");
                // The summary begins in a new line.
                let row = row.strip_suffix(b"\n").unwrap_or(row);
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                assert!(
                    row.ends_with(line),
                    "{:?} {:?}",
                    row.as_bstr(),
                    line.as_bstr()
                );
            }
        }
    }
    assert!(applied > 0 && refused > 10, "{applied} {refused}");
}
