//! Ranges of thousands of commits.

use std::rc::Rc;

use crate::harness::{
    compare::assert_same,
    fast_import::{Commit, FastImport, File, Ident, Tree},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

const COMMITS: usize = 4000;

/// Branches that are merged now and then. Many commits have the same date; the dates of some are far
/// too old or too new.
fn history(seed: u64) -> FastImport {
    let mut rng = Rng::new(seed);
    let mut import = FastImport::default();
    let mut tips = vec![0; 5];
    for number in 0..COMMITS {
        let line = rng.below(tips.len());
        let mut parents = Vec::from_iter((number > 0).then_some(tips[line]));
        if number > 0 && rng.chance(15) {
            parents.push(*rng.pick(&tips));
        }
        parents.dedup();
        let mut tree = match parents.first() {
            Some(&parent) => import.tree(parent).clone(),
            None => Tree::new(),
        };
        let bytes = tree.get(b"f".as_slice()).map(|file| Rc::clone(&file.bytes));
        let text = String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.len() > 60 {
            lines.remove(rng.below(60));
        }
        if rng.chance(30) || lines.is_empty() {
            lines.insert(rng.below(lines.len() + 1), format!("line of {number}"));
        }
        tree.insert(b"f".to_vec(), File::text(lines.join("\n") + "\n"));
        tree.insert(b"g".to_vec(), File::text(format!("{number}\n")));
        let skew = match rng.below(200) {
            0 => 900,
            1 => 5000,
            _ => 1000,
        };
        let ident = Ident {
            name: b"A".to_vec(),
            mail: b"a@example.com".to_vec(),
            time: 1_000_000 + number as u64 / 3 + skew,
            zone: "+0000",
        };
        tips[line] = import.commit(Commit {
            parents,
            tree,
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: format!("{number}").into_bytes(),
        });
        if number < 5 {
            tips = vec![tips[line]; tips.len()];
        }
        if number == COMMITS / 2 && seed.is_multiple_of(2) {
            import.next_pack();
        }
    }
    import
}

/// A repository of such a history, and the ids of its commits.
fn long_history(seed: u64, packed: bool) -> (TestRepo, Vec<String>) {
    let repository = TestRepo::new(ObjectFormat::Sha1);
    repository.git(&["config", "fastimport.unpackLimit", "1"]);
    let (ids, _) = history(seed).write(&repository);
    if packed {
        repository.git(&["repack", "-adq"]);
    }
    (repository, ids)
}

fn check(seed: u64, packed: bool) {
    let (repository, ids) = long_history(seed, packed);
    let mut rng = Rng::new(seed);
    for nth in 0..6 {
        let from = &ids[rng.below(COMMITS / 2)];
        let to = &ids[COMMITS - 1 - rng.below(20)];
        let (range, since) = (format!("{from}..{to}"), format!("^{from}"));
        let arguments: &[&str] = match nth % 3 {
            0 => &["--incremental", &range, "--", "f"],
            1 => &["--porcelain", "--reverse", &range, "--", "f"],
            _ => &["--incremental", &since, to, "--", "f"],
        };
        assert_same(&repository, arguments);
    }
}

#[test]
fn ranges_of_one_pack() {
    check(1, true);
    check(2, true);
}

#[test]
fn ranges_of_several_packs() {
    check(3, false);
    check(4, false);
}
