//! Random histories in which entries of few directories come and go, and become other kinds of
//! entries.

use std::collections::BTreeSet;

use super::{
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    random_history::{History, Storage},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// Several are also directories of others.
const PATHS: [&str; 28] = [
    "a",
    "b",
    "c",
    "*glob?",
    "sp ace",
    "a/x",
    "d",
    "d/a",
    "d/b",
    "d/c",
    "d/e",
    "d/e/a",
    "d/e/b",
    "d/e/f/x",
    "d.x",
    "d0",
    "o/a",
    "o/p/q",
    "w/0",
    "w/1",
    "w/2",
    "w/3",
    "w/4",
    "w/5",
    "w/6",
    "w/7",
    "w/8",
    "w/long-name",
];

/// How often what happens, in percent. Drawn once for each history.
struct Probabilities {
    skew: usize,
    same_date: usize,
    merge: usize,
    octopus: usize,
}

/// A history of a seed. Dates never decrease from parents to children if `has_skew` is false.
pub fn generate(seed: u64, has_skew: bool, format: ObjectFormat, storage: Storage) -> History {
    let mut rng = Rng::new(seed);
    let odds = Probabilities {
        skew: if has_skew { *rng.pick(&[10, 60]) } else { 0 },
        same_date: *rng.pick(&[0, 30, 100]),
        merge: *rng.pick(&[10, 30, 50]),
        octopus: *rng.pick(&[0, 30]),
    };
    let mut generator = Generator {
        rng,
        id_len: match format {
            ObjectFormat::Sha1 => 40,
            ObjectFormat::Sha256 => 64,
        },
        odds,
        import: FastImport::default(),
        times: Vec::new(),
    };
    generator.run();
    History::of(generator.import, TestRepo::new(format), storage)
}

struct Generator {
    rng: Rng,
    /// The digits of an id.
    id_len: usize,
    odds: Probabilities,
    import: FastImport,
    times: Vec<u64>,
}

impl Generator {
    fn run(&mut self) {
        let mut heads = vec![self.root()];
        while self.import.len() < 40 {
            let merges = heads.len() > 1 && self.rng.chance(self.odds.merge);
            let made = if merges {
                let parents = self.some_of(&heads);
                let made = self.merge(&parents);
                heads.retain(|head| !parents.contains(head) || self.rng.chance(30));
                made
            } else if self.rng.chance(3) {
                self.root()
            } else {
                let nth = self.rng.below(heads.len());
                let parent = if self.rng.chance(10) {
                    self.rng.below(self.import.len())
                } else {
                    heads[nth]
                };
                let mut tree = self.import.tree(parent).clone();
                for _ in 0..self.rng.below(4) {
                    self.change(&mut tree);
                }
                let made = self.commit(vec![parent], tree);
                if parent == heads[nth] && self.rng.chance(75) {
                    heads.remove(nth);
                }
                made
            };
            heads.push(made);
        }
        if heads.len() > 1 {
            self.merge(&heads);
        }
    }

    fn root(&mut self) -> usize {
        let mut tree = Tree::new();
        for _ in 0..self.rng.between(5, 60) {
            self.change(&mut tree);
        }
        self.commit(Vec::new(), tree)
    }

    fn some_of(&mut self, heads: &[usize]) -> Vec<usize> {
        let wanted = if self.rng.chance(self.odds.octopus) {
            self.rng.between(3, 5)
        } else {
            2
        };
        let mut parents = Vec::new();
        while parents.len() < wanted.min(heads.len()) {
            let head = *self.rng.pick(heads);
            if !parents.contains(&head) {
                parents.push(head);
            }
        }
        parents
    }

    /// Each file is that of one of the parents, mostly.
    fn merge(&mut self, parents: &[usize]) -> usize {
        let mut tree = self.import.tree(parents[0]).clone();
        for &parent in &parents[1..] {
            let theirs = self.import.tree(parent).clone();
            let paths: BTreeSet<_> = tree.keys().chain(theirs.keys()).cloned().collect();
            for path in paths {
                if self.rng.chance(60) {
                    continue;
                }
                match theirs.get(&path) {
                    Some(file) => insert_file(&mut tree, &path, file.clone()),
                    None if self.rng.chance(70) => {}
                    None => drop(tree.remove(&path)),
                }
            }
        }
        if self.rng.chance(20) {
            self.change(&mut tree);
        }
        self.commit(parents.to_vec(), tree)
    }

    fn change(&mut self, tree: &mut Tree) {
        let known: Vec<_> = tree.keys().cloned().collect();
        if known.is_empty() || self.rng.chance(40) {
            let path = self.rng.pick(&PATHS).as_bytes();
            let file = self.file();
            return insert_file(tree, path, file);
        }
        let path = self.rng.pick(&known);
        match self.rng.below(10) {
            0 => drop(tree.remove(path)),
            1 | 2 => {
                // What some other commit has there.
                let path = self.rng.pick(&PATHS).as_bytes();
                let other = self.rng.below(self.import.len().max(1));
                let file = if other < self.import.len() {
                    self.import.tree(other).get(path).cloned()
                } else {
                    None
                };
                if let Some(file) = file {
                    insert_file(tree, path, file);
                }
            }
            3 => {
                let file = tree[path].clone();
                let mode = match file.mode {
                    0o100644 => 0o100755,
                    0o100755 => 0o100644,
                    mode => mode,
                };
                tree.insert(path.clone(), File { mode, ..file });
            }
            _ => {
                let file = self.file();
                tree.insert(path.clone(), file);
            }
        }
    }

    /// One of few contents, so that they recur.
    fn file(&mut self) -> File {
        let number = self.rng.below(6);
        let (mode, text) = match self.rng.below(20) {
            0..16 => (0o100644, format!("content {number}\n")),
            16 | 17 => (0o100755, format!("content {number}\n")),
            18 => (0o120000, format!("content {number}\n")),
            _ => (0o160000, format!("{:0len$}", number + 1, len = self.id_len)),
        };
        File {
            mode,
            ..File::text(text)
        }
    }

    fn commit(&mut self, parents: Vec<usize>, tree: Tree) -> usize {
        let newest = parents.iter().map(|&parent| self.times[parent]).max();
        let newest = newest.unwrap_or(1_600_000_000);
        let time = if self.rng.chance(self.odds.skew) {
            newest - 300 + self.rng.below(600) as u64
        } else if self.rng.chance(self.odds.same_date) {
            newest
        } else {
            newest + self.rng.between(1, 100) as u64
        };
        self.times.push(time);
        let ident = Ident {
            name: b"A".to_vec(),
            mail: b"a@example.com".to_vec(),
            time,
            zone: "+0000",
        };
        self.import.commit(Commit {
            parents,
            tree,
            author: ident.clone(),
            committer: ident,
            encoding: None,
            // No two commits are the same object.
            message: self.import.len().to_string().into_bytes(),
        })
    }
}

/// Some directories of a history: a commit and a path, which is empty for the root.
pub fn directories(history: &History, rng: &mut Rng, count: usize) -> Vec<(usize, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for _ in 0..count * 2 {
        let last = history.ids.len() - 1;
        let number = if rng.chance(30) {
            last
        } else {
            rng.below(last)
        };
        let mut paths = BTreeSet::from([Vec::new()]);
        for path in history.trees[number].keys() {
            let slashes = (0..path.len()).filter(|&at| path[at] == b'/');
            paths.extend(slashes.map(|at| path[..at].to_vec()));
        }
        let paths: Vec<_> = paths.into_iter().collect();
        if found.len() < count && !history.trees[number].is_empty() {
            found.insert((number, rng.pick(&paths).clone()));
        }
    }
    found.into_iter().collect()
}
