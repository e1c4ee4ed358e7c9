//! Damaged outputs of programs: nothing panics, and every line goes out again, in order.

use std::{collections::BTreeSet, fs};

use bstr::{BStr, ByteSlice};
use tblame::internals::repository::places::finder::{LinePlace, PlaceFiles, PlaceFinder};

use super::{finder::folder, run};
use crate::{
    fuzz::mutator::Mutator,
    harness::{
        compare::seed_count,
        repository::{ObjectFormat, TestRepo},
        rng::Rng,
    },
};

const WORDS: &[&[u8]] = &[
    b"src/a.c:3:",
    b"\"src/a.c\":3:",
    b"\"\\303\\251.c\":1:",
    b"HEAD:src/a.c:2:x",
    b"HEAD~1:src/a.c-2-x",
    b"  File \"src/a.c\", line 2",
    b"at com.example.Foo.bar(Foo.java:1)",
    b"--> src/a.c:1:2",
    b"src/a.c(1,2): error",
    b"{\"type\":\"match\",\"data\":{\"path\":{\"text\":\"src/a.c\"},\"line_number\":1}}",
    b"\0",
    b"\r\n",
    b"\n\n",
    b"\x1b[31m",
    b"\x1b]8;;",
    b"4294967296",
    b" line ",
    b"(((",
];

fn pool() -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder()).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    // In the same order everywhere.
    let paths: BTreeSet<_> = paths.collect();
    let texts = paths
        .iter()
        .filter(|path| path.extension().is_some_and(|it| it == "txt"));
    texts
        .map(|path| fs::read(path).expect("an output"))
        .collect()
}

/// Every name is that of a file if it has an even number of bytes.
struct EvenNames;

impl PlaceFiles for EvenNames {
    type File = Vec<u8>;

    fn find(&mut self, name: &BStr) -> Option<Vec<u8>> {
        (name.len().is_multiple_of(2) && !name.is_empty()).then(|| name.to_vec())
    }

    fn find_class(&mut self, package: &BStr, name: &BStr) -> Option<Vec<u8>> {
        package.len().is_multiple_of(2).then(|| name.to_vec())
    }
}

#[test]
fn damaged_lines_are_read_without_panics() {
    let (pool, mut rng) = (pool(), Rng::new(1));
    let mutator = Mutator {
        words: WORDS,
        most_bytes: 1 << 14,
    };
    let (mut lines, mut found) = (0, 0);
    for _ in 0..seed_count(400) {
        let text = mutator.mutated(&pool, &mut rng);
        let mut finder = PlaceFinder::default();
        for line in text.lines_with_terminator() {
            lines += 1;
            if let LinePlace::Place { file, line, .. } = finder.find(line, &mut EvenNames) {
                assert!(line > 0 && !file.is_empty());
                found += 1;
            }
        }
    }
    assert!(lines > 1000 && found > 100, "{lines} {found}");
}

#[test]
fn damaged_lines_go_out_again() {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    for name in [
        "src/a.c",
        "src/main.rs",
        "web/a.ts",
        "Main.java",
        "é.c",
        "x/com/example/Foo.java",
    ] {
        repository.write(name.as_bytes(), b"1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }
    repository.git(&["add", "-A"]);
    repository.git(&["commit", "-q", "-m", "Files"]);
    repository.git(&["commit", "-q", "--allow-empty", "-m", "Nothing"]);
    let (pool, mut rng) = (pool(), Rng::new(2));
    let mutator = Mutator {
        words: WORDS,
        most_bytes: 1 << 14,
    };
    let width = "0123456 2026-01-01 A U Thor           ".len();
    let mut blamed = 0;
    for _ in 0..seed_count(30) {
        let text = mutator.mutated(&pool, &mut rng);
        let output = run(&repository, &[], &text);
        assert_eq!(output.status, Some(0), "{}", output.stderr.as_bstr());
        let mut rest = output.stdout.as_slice();
        for line in text.lines_with_terminator() {
            rest = match rest.strip_prefix(line) {
                Some(rest) => rest,
                None => {
                    blamed += 1;
                    let columns = rest.get(..width).expect("the columns of a place");
                    assert!(!columns.contains(&b'\n'), "{}", columns.as_bstr());
                    let after = rest[width..].strip_prefix(line);
                    after.unwrap_or_else(|| panic!("{} is lost", line.as_bstr()))
                }
            };
        }
        assert!(rest.is_empty(), "{}", rest.as_bstr());
    }
    assert!(blamed > 50, "{blamed}");
}
