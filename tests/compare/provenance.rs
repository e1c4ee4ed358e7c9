//! Random commits: the first tag that contains each must be git's, and so must the commit that brought it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bstr::ByteSlice;
use tblame::internals::{
    objects::ObjectId,
    repository::{self, provenance::finder::ProvenanceFinder},
};

use crate::{
    Arguments,
    harness::{
        provenance::{brought_by, first_parents, first_tag},
        rng::Rng,
    },
    repository::Repository,
};

/// What was compared.
#[derive(Debug, Default)]
struct Compared {
    commits: usize,
    released: usize,
    merged: usize,
    different: usize,
    release_time: Duration,
    merge_time: Duration,
    git_release_time: Duration,
    git_merge_time: Duration,
}

/// Compares random commits of all references, and returns whether there were some and all have the same answers.
pub fn compare(arguments: &Arguments, repository: &Repository) -> bool {
    let git = |words: &[&str]| repository.ask(words);
    let ids = repository.ask_lines(&["rev-list", "--all"]);
    let line = first_parents(&git, &arguments.revision);
    let (Some(tip), false) = (line.first(), ids.is_empty()) else {
        return false;
    };
    let parse = |hex: &str| ObjectId::from_hex(hex.as_bytes()).expect("git prints ids");
    let root = &repository.directory;
    let opened = Arc::new(repository::Repository::open_own(root).expect("a repository"));
    let new_finder = || ProvenanceFinder::new(Arc::clone(&opened), Some(parse(tip)), 2);
    let mut finder = new_finder();
    let mut compared = Compared::default();
    let mut rng = Rng::new(arguments.seed);
    for _ in 0..arguments.count {
        // What the first questions leave out must not be missed by later ones.
        if rng.chance(20) {
            finder = new_finder();
        }
        let commit = rng.pick(&ids);
        let id = parse(commit);
        let begun = Instant::now();
        let release = finder.release(&id, &|| false).expect("readable");
        compared.release_time += begun.elapsed();
        let begun = Instant::now();
        let merge = finder.arrival(&id, &|| false).expect("readable").merge;
        compared.merge_time += begun.elapsed();
        let begun = Instant::now();
        let tag = first_tag(&git, commit);
        compared.git_release_time += begun.elapsed();
        let begun = Instant::now();
        let brought = brought_by(&git, commit, &line);
        compared.git_merge_time += begun.elapsed();
        let brought = brought.filter(|brought| brought != commit);
        compared.commits += 1;
        compared.released += usize::from(tag.is_some());
        compared.merged += usize::from(brought.is_some());
        let is_same = release.as_ref().map(|name| name.as_bytes()) == tag.as_deref()
            && merge == brought.as_deref().map(parse);
        if !is_same {
            compared.different += 1;
            println!(
                "{commit}: {tag:?} and {brought:?} by git, {release:?} and {merge:?} by tblame"
            );
        }
    }
    println!("{}: {compared:?}", root.display());
    compared.different == 0 && compared.commits > 0
}
