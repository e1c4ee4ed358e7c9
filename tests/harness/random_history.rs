//! Random histories: the same seed always makes the same commits.

use std::collections::BTreeSet;

use super::{
    fast_import::{Commit, FastImport, File, Ident, Tree, insert_file},
    random_text::{self, TextLines},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

/// How the objects of a history are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Every object in its own file.
    Loose,
    /// Several packs, as they were written.
    Packs,
    /// One pack with long delta chains.
    DeepDeltas,
    /// One pack, and a commit-graph with changed paths of the given hash version.
    Graph(u8),
    /// A chain of commit-graphs of which only the later ones have changed paths.
    GraphChain,
    /// Several packs under one index.
    MultiPackIndex,
    /// Several packs in another repository, which this one borrows from.
    Alternates,
}

/// All ways to store a history.
pub const STORAGES: [Storage; 8] = [
    Storage::Loose,
    Storage::Packs,
    Storage::DeepDeltas,
    Storage::Graph(1),
    Storage::Graph(2),
    Storage::GraphChain,
    Storage::MultiPackIndex,
    Storage::Alternates,
];

/// A random history, written to a repository.
#[derive(Debug)]
pub struct History {
    pub repository: TestRepo,
    /// The commits' ids in the order they were made.
    pub ids: Vec<String>,
    /// Their files.
    pub trees: Vec<Tree>,
}

impl History {
    /// Makes the history of `seed`.
    pub fn generate(seed: u64, format: ObjectFormat, storage: Storage) -> History {
        let repository = TestRepo::new(format);
        History::of(Generator::new(seed).run(), repository, storage)
    }

    /// A short history of a file of many lines, edited in many places at once.
    pub fn of_long_file(seed: u64, lines: usize, storage: Storage) -> History {
        let repository = TestRepo::new(ObjectFormat::Sha1);
        let import = Generator::new(seed).run_long(lines);
        History::of(import, repository, storage)
    }

    /// Writes a history to an empty repository.
    pub fn of(import: FastImport, repository: TestRepo, storage: Storage) -> History {
        let limit = if storage == Storage::Loose {
            1_000_000
        } else {
            1
        };
        repository.configure(&format!("[fastimport]\n\tunpackLimit = {limit}\n"));
        let (ids, trees) = import.write(&repository);
        let history = History {
            repository,
            ids,
            trees,
        };
        history.store(storage);
        history
    }

    fn store(&self, storage: Storage) {
        let repack = |depth: &str| {
            let depth = format!("--depth={depth}");
            self.repository
                .git(&["repack", "-adfq", &depth, "--window=50"]);
        };
        match storage {
            Storage::Loose | Storage::Packs => {}
            Storage::DeepDeltas => repack("250"),
            Storage::Graph(version) => {
                repack("10");
                self.write_graph(version, &["--reachable", "--changed-paths"]);
            }
            Storage::GraphChain => {
                let middle = &self.ids[self.ids.len() / 2];
                let old = ["--stdin-commits", "--split=no-merge", "--no-changed-paths"];
                let mut arguments = vec!["commit-graph", "write"];
                arguments.extend(old);
                self.repository
                    .git_with_input(&arguments, format!("{middle}\n").as_bytes());
                self.write_graph(1, &["--reachable", "--split=no-merge", "--changed-paths"]);
            }
            Storage::MultiPackIndex => {
                self.repository.git(&["multi-pack-index", "write"]);
            }
            Storage::Alternates => {
                let objects = self.repository.root().join(".git/objects");
                let alternate = self.repository.root().join("../alternate");
                std::fs::rename(&objects, alternate).expect("both are in one directory");
                // A relative path is relative to the directory of the objects.
                let alternates = b"../../../alternate\n";
                self.repository
                    .write(b".git/objects/info/alternates", alternates);
            }
        }
    }

    fn write_graph(&self, version: u8, options: &[&str]) {
        let version = format!("commitGraph.changedPathsVersion={version}");
        let mut arguments = vec!["-c", &version, "commit-graph", "write"];
        arguments.extend(options);
        self.repository.git(&arguments);
    }

    /// Files to blame: some of the last commit, and some of any commit.
    pub fn samples(&self, rng: &mut Rng, count: usize) -> Vec<(String, Vec<u8>)> {
        let mut samples = BTreeSet::new();
        for nth in 0..count * 3 {
            let number = match nth % 2 {
                0 => self.ids.len() - 1,
                _ => rng.below(self.ids.len()),
            };
            let paths: Vec<_> = self.trees[number]
                .iter()
                .filter(|(_, file)| file.mode != 0o160000)
                .map(|(path, _)| path)
                .collect();
            if !paths.is_empty() && samples.len() < count {
                let path = *rng.pick(&paths);
                samples.insert((self.ids[number].clone(), path.clone()));
            }
        }
        samples.into_iter().collect()
    }
}

const PATHS: [&[u8]; 16] = [
    b"a.txt",
    b"b.c",
    b"c",
    b"dir/a.txt",
    b"dir/b.c",
    b"dir/deeper/a.txt",
    b"other/a.txt",
    b"other/c",
    b"sp ace/fi le",
    b"q\"uote",
    b"tab\there",
    b"back\\slash",
    b"\xc3\xbcn\xc3\xaf/\xe6\x9d\x8e",
    b"latin-\xe9",
    b"*glob?",
    b"12 100644 a",
];

const NAMES: [&[u8]; 10] = [
    b"Ann Lee",
    b"B\xc3\xb6 \xc3\x9cnal",
    b"\xe6\x9d\x8e\xe5\xb0\x8f\xe9\xbe\x8d",
    b"A rather long name of somebody",
    b"e\xcc\x81 combining",
    b"Latin J\xf6rg",
    b"",
    b"x",
    b"Tab\tName",
    b"\xf0\x9f\x98\x80 smile",
];

const MESSAGES: [&[u8]; 9] = [
    b"a subject\n",
    b"a subject\n\nand a body\n",
    b"",
    b"\n\n  leading blanks\nmore\n",
    b"no newline",
    b"trailing blanks   \n\nbody",
    b"carriage return\r\nnext\r\n",
    b"J\xf6rg in latin-1\n",
    b"\xc3\xa4\xe2\x82\xac \xe6\x9d\x8e\n",
];

const ZONES: [&str; 7] = [
    "+0000", "+0100", "-0330", "+0545", "-0800", "+1245", "-0000",
];

/// Probabilities in percent, drawn once for each history so that histories differ in kind.
#[derive(Debug)]
struct Probabilities {
    fork: usize,
    merge: usize,
    octopus: usize,
    root: usize,
    same_date: usize,
    skew: usize,
    rename: usize,
    several_changes: usize,
}

impl Probabilities {
    fn draw(rng: &mut Rng) -> Probabilities {
        let mut one_of = |levels: &[usize]| *rng.pick(levels);
        Probabilities {
            fork: one_of(&[0, 15, 30]),
            merge: one_of(&[0, 20, 40]),
            octopus: one_of(&[0, 0, 30]),
            root: one_of(&[0, 0, 6]),
            same_date: one_of(&[0, 20, 100]),
            skew: one_of(&[0, 0, 15, 60]),
            rename: one_of(&[2, 10, 25]),
            several_changes: one_of(&[20, 60]),
        }
    }
}

struct Generator {
    rng: Rng,
    odds: Probabilities,
    import: FastImport,
    /// Commits without a child: candidates for parents.
    heads: Vec<usize>,
    times: Vec<u64>,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut rng = Rng::new(seed);
        let odds = Probabilities::draw(&mut rng);
        Generator {
            rng,
            odds,
            import: FastImport::default(),
            heads: Vec::new(),
            times: Vec::new(),
        }
    }

    fn run(mut self) -> FastImport {
        self.root();
        for _ in 0..self.rng.between(6, 45) {
            if self.rng.chance(4) {
                self.import.next_pack();
            }
            if self.rng.chance(self.odds.root) {
                self.root();
            } else if self.heads.len() > 1 && self.rng.chance(self.odds.merge) {
                self.merge();
            } else {
                self.change();
            }
        }
        if self.heads.len() > 1 && self.rng.chance(70) {
            self.merge();
        }
        self.import
    }

    fn run_long(mut self, lines: usize) -> FastImport {
        let path = b"long".to_vec();
        let mut text = random_text::fresh(&mut self.rng, lines);
        while text.len() < lines {
            text.append(random_text::fresh(&mut self.rng, lines));
        }
        let mut parents = Vec::new();
        for _ in 0..5 {
            let tree = Tree::from([(path.clone(), File::text(text.join()))]);
            parents = vec![self.commit(parents, tree)];
            for _ in 0..self.rng.between(1, lines / 20) {
                random_text::edit(&mut self.rng, &mut text);
            }
        }
        self.import
    }

    /// A commit without parents, perhaps with files that others have too.
    fn root(&mut self) {
        let mut tree = match self.heads.last() {
            Some(&head) if self.rng.chance(60) => self.import.tree(head).clone(),
            _ => Tree::new(),
        };
        for _ in 0..self.rng.between(1, 4) {
            self.add(&mut tree);
        }
        let number = self.commit(Vec::new(), tree);
        self.heads.push(number);
    }

    fn change(&mut self) {
        let nth = self.rng.below(self.heads.len());
        let parent = if self.rng.chance(10) {
            self.rng.below(self.import.len())
        } else {
            self.heads[nth]
        };
        let mut tree = self.import.tree(parent).clone();
        let changes = if self.rng.chance(self.odds.several_changes) {
            self.rng.between(2, 5)
        } else {
            1
        };
        for _ in 0..changes {
            self.change_tree(&mut tree);
        }
        let number = self.commit(vec![parent], tree);
        if parent == self.heads[nth] && !self.rng.chance(self.odds.fork) {
            self.heads[nth] = number;
        } else {
            self.heads.push(number);
        }
    }

    fn merge(&mut self) {
        let wanted = if self.rng.chance(self.odds.octopus) {
            self.rng.between(3, 9)
        } else {
            2
        };
        let mut parents = Vec::new();
        for _ in 0..wanted.min(self.heads.len()) {
            let head = *self.rng.pick(&self.heads);
            if !parents.contains(&head) {
                parents.push(head);
            }
        }
        if parents.len() < 2 {
            return self.change();
        }
        let number = self.merge_of(&parents);
        if parents.len() == 2 && self.rng.chance(25) {
            // Criss-cross: each side takes the other.
            let twin = self.merge_of(&[parents[1], parents[0]]);
            self.heads.push(twin);
        }
        let keep = self.rng.below(parents.len() + 1);
        self.heads.retain(|head| !parents[keep..].contains(head));
        self.heads.push(number);
    }

    fn merge_of(&mut self, parents: &[usize]) -> usize {
        let mut tree = self.import.tree(parents[0]).clone();
        for &parent in &parents[1..] {
            for (path, theirs) in self.import.tree(parent).clone() {
                let ours = tree.get(&path).cloned();
                let file = match ours {
                    None if self.rng.chance(70) => theirs,
                    None => continue,
                    Some(ours) if ours == theirs || self.rng.chance(25) => ours,
                    Some(ours) if ours.mode != theirs.mode || self.rng.chance(25) => theirs,
                    Some(ours) => {
                        let (a, b) = (
                            TextLines::split(&ours.bytes),
                            TextLines::split(&theirs.bytes),
                        );
                        let bytes = random_text::merge(&mut self.rng, &a, &b).join();
                        let mode = ours.mode;
                        File {
                            mode,
                            ..File::text(bytes)
                        }
                    }
                };
                insert_file(&mut tree, &path, file);
            }
        }
        if self.rng.chance(25) {
            self.change_tree(&mut tree);
        }
        self.commit(parents.to_vec(), tree)
    }

    fn change_tree(&mut self, tree: &mut Tree) {
        let Some(path) = self.path_of(tree) else {
            return self.add(tree);
        };
        let file = tree[&path].clone();
        if self.rng.chance(self.odds.rename) {
            tree.remove(&path);
            let to = self.rng.pick(&PATHS).to_vec();
            let file = if self.rng.chance(50) {
                self.edited(tree, &file)
            } else {
                file
            };
            return insert_file(tree, &to, file);
        }
        match self.rng.below(100) {
            0..62 => {
                let edited = self.edited(tree, &file);
                tree.insert(path, edited);
            }
            62..70 => self.add(tree),
            70..75 => {
                let to = self.rng.pick(&PATHS).to_vec();
                insert_file(tree, &to, file);
            }
            75..79 => {
                tree.remove(&path);
            }
            79..82 => self.move_directory(tree),
            82..84 => self.shuffle(tree),
            84..88 => {
                let mode = file.mode ^ 0o111;
                if file.mode & 0o170000 == 0o100000 {
                    tree.insert(path, File { mode, ..file });
                }
            }
            88..90 => {
                let file = match file.mode {
                    0o120000 => File::text(file.bytes),
                    _ => File {
                        mode: 0o120000,
                        ..file
                    },
                };
                tree.insert(path, file);
            }
            90..93 => {
                tree.insert(path, File::text(b""));
            }
            93..98 => {
                // The contents of the file in some other commit.
                let number = self.rng.below(self.import.len());
                let old = self.import.tree(number).get(&path).cloned();
                tree.insert(path, old.unwrap_or(file));
            }
            _ => {}
        }
    }

    fn add(&mut self, tree: &mut Tree) {
        let path = self.rng.pick(&PATHS).to_vec();
        let long = self.rng.chance(15);
        let lines = random_text::fresh(&mut self.rng, if long { 200 } else { 30 });
        insert_file(tree, &path, File::text(lines.join()));
    }

    fn move_directory(&mut self, tree: &mut Tree) {
        let (from, to) = if self.rng.chance(50) {
            ("dir/", "other/")
        } else {
            ("other/", "dir/sub/")
        };
        for (path, file) in tree.clone() {
            if let Some(rest) = path.strip_prefix(from.as_bytes()) {
                tree.remove(&path);
                insert_file(tree, &[to.as_bytes(), rest].concat(), file);
            }
        }
    }

    /// Gives several files other names at once, most of them edited, so that a new file has
    /// more than one possible source.
    fn shuffle(&mut self, tree: &mut Tree) {
        let mut moved = Vec::new();
        for (path, file) in tree.clone() {
            if self.rng.chance(60) {
                tree.remove(&path);
                moved.push(file);
            }
        }
        for file in moved {
            let copies = *self.rng.pick(&[1, 1, 1, 2]);
            for _ in 0..copies {
                let file = if self.rng.chance(70) {
                    self.edited(&mut Tree::new(), &file)
                } else {
                    file.clone()
                };
                let to = self.rng.pick(&PATHS).to_vec();
                insert_file(tree, &to, file);
            }
        }
    }

    /// The file after some edits, one of which may bring lines of another file.
    fn edited(&mut self, tree: &mut Tree, file: &File) -> File {
        let mut lines = TextLines::split(&file.bytes);
        for _ in 0..self.rng.between(1, 4) {
            random_text::edit(&mut self.rng, &mut lines);
        }
        if self.rng.chance(15)
            && let Some(path) = self.path_of(tree)
        {
            let mut other = TextLines::split(&tree[&path].bytes);
            let keep = self.rng.chance(50);
            random_text::transfer(&mut self.rng, &mut other, &mut lines, keep);
            let mode = tree[&path].mode;
            tree.insert(
                path,
                File {
                    mode,
                    ..File::text(other.join())
                },
            );
        }
        let mode = file.mode;
        File {
            mode,
            ..File::text(lines.join())
        }
    }

    fn path_of(&mut self, tree: &Tree) -> Option<Vec<u8>> {
        let nth = self.rng.below(tree.len());
        tree.keys().nth(nth).cloned()
    }

    fn commit(&mut self, parents: Vec<usize>, mut tree: Tree) -> usize {
        for file in tree.values_mut().filter(|file| file.mode == 0o120000) {
            // A valid target of a symbolic link: short, not empty, without NUL.
            let bytes = file.bytes.iter().copied().filter(|&b| b != 0);
            let target: Vec<u8> = bytes.take(500).collect();
            let target = if target.is_empty() {
                &b"x"[..]
            } else {
                &target
            };
            file.bytes = target.into();
        }
        let newest = parents.iter().map(|&parent| self.times[parent]).max();
        let mut time = newest.unwrap_or(1_500_000_000);
        if !self.rng.chance(self.odds.same_date) {
            time += self.rng.between(1, 200_000) as u64;
        }
        if self.rng.chance(self.odds.skew) {
            time = 1_500_000_000 + self.rng.below(1_000_000) as u64;
        }
        if self.rng.chance(1) {
            time = self.rng.below(100) as u64;
        }
        self.times.push(time);
        let committer = self.ident(time);
        let author = if self.rng.chance(40) {
            committer.clone()
        } else {
            let earlier = self.rng.below(1_000_000) as u64;
            self.ident(time.saturating_sub(earlier))
        };
        let encoding = match self.rng.below(10) {
            0 => Some("ISO-8859-1"),
            1 => Some("x-unknown"),
            _ => None,
        };
        let message = self.rng.pick(&MESSAGES).to_vec();
        self.import.commit(Commit {
            parents,
            tree,
            author,
            committer,
            encoding,
            message,
        })
    }

    fn ident(&mut self, time: u64) -> Ident {
        Ident {
            name: self.rng.pick(&NAMES).to_vec(),
            mail: format!("m{}@example.com", self.rng.below(4)).into_bytes(),
            time,
            zone: ZONES[self.rng.below(ZONES.len())],
        }
    }
}
