//! Generated histories that are hard for a plan of many files: many small files in nested directories, which commits
//! rename, copy, replace by other kinds of entries, and bring together again in all kinds of merges.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
};

use bstr::ByteSlice;
use gix_hash::{Kind, ObjectId};

use crate::harness::{
    fast_import::{File, Tree, insert_file},
    odd_objects::{Entry, OddObjects},
    random_text::{self, TextLines},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

const REGULAR: u32 = 0o100644;
const LINK: u32 = 0o120000;
const SUBMODULE: u32 = 0o160000;

/// Some are also the names of directories, or sort around them.
const PATHS: [&str; 30] = [
    "a",
    "b.t",
    "c",
    "d",
    "d-",
    "d.x",
    "d/a",
    "d/b.t",
    "d/c",
    "d/e",
    "d/e/a",
    "d/e/b.t",
    "d/e/f/a",
    "d/e/f/g/h",
    "d0/a",
    "d0/b.t",
    "m/n/o/p",
    "m/n/q",
    "m/r",
    "o",
    "o/a",
    "o/b.t",
    "o/d/a",
    "o/d/b.t",
    "o/d/e/a",
    "x/1",
    "x/2",
    "x/3",
    "x/4.t",
    "z",
];

/// Directories that are renamed as a whole, and what to.
const DIRECTORIES: [&str; 9] = [
    "d/", "d/e/", "o/", "o/d/", "m/", "m/n/", "x/", "d0/", "y/d/",
];

/// A commit as it was generated.
pub struct Model {
    pub parents: Vec<usize>,
    pub tree: Tree,
    pub time: i64,
}

/// A history, stored as loose objects.
pub struct TreeHistory {
    pub repository: TestRepo,
    /// The commits; parents come before their children.
    pub commits: Vec<Model>,
    pub ids: Vec<ObjectId>,
    /// Their root trees.
    pub trees: Vec<ObjectId>,
    pub blobs: Vec<ObjectId>,
}

impl TreeHistory {
    /// The history of a seed. With `odd_trees`, many trees are such as git never writes.
    pub fn generate(seed: u64, format: ObjectFormat, odd_trees: bool) -> TreeHistory {
        let repository = TestRepo::new(format);
        let kind = match format {
            ObjectFormat::Sha1 => Kind::Sha1,
            ObjectFormat::Sha256 => Kind::Sha256,
        };
        let commits = Generator::new(seed).run();
        let mut writer = Writer {
            objects: OddObjects::with_hash(&repository, kind),
            kind,
            known: HashMap::new(),
            odd_trees: odd_trees.then_some(seed),
        };
        let (mut ids, mut trees) = (Vec::new(), Vec::new());
        for (number, commit) in commits.iter().enumerate() {
            let files: Vec<_> = commit
                .tree
                .iter()
                .map(|(path, file)| (&path[..], file))
                .collect();
            let tree = writer.tree(&files);
            let parents: Vec<ObjectId> = commit.parents.iter().map(|&it| ids[it]).collect();
            ids.push(writer.commit(number, tree, &parents, commit.time));
            trees.push(tree);
        }
        let known = writer.known.into_iter();
        let mut blobs: Vec<ObjectId> = known
            .filter_map(|((kind, _), id)| (kind == "blob").then_some(id))
            .collect();
        blobs.sort_unstable();
        let last = ids.last().expect("there are commits").to_string();
        repository.write(b".git/refs/heads/main", format!("{last}\n").as_bytes());
        TreeHistory {
            repository,
            commits,
            ids,
            trees,
            blobs,
        }
    }

    /// The files of a commit below a directory.
    pub fn files_below<'a>(
        &'a self,
        at: usize,
        directory: &'a [u8],
    ) -> impl Iterator<Item = &'a [u8]> {
        let paths = self.commits[at].tree.keys().map(Vec::as_slice);
        paths.filter(move |path| {
            let below = path.strip_prefix(directory);
            directory.is_empty() || below.is_some_and(|below| below.starts_with(b"/"))
        })
    }

    /// The last commit that changed the file at `path`: among those on the way to the first parent that has the same
    /// entry, the one that differs from all of its parents.
    pub fn last_commit(&self, mut at: usize, path: &[u8], first_parent: bool) -> ObjectId {
        let entry = &self.commits[at].tree[path];
        loop {
            let parents = &self.commits[at].parents;
            let followed = if first_parent {
                parents.len().min(1)
            } else {
                parents.len()
            };
            let mut followed = parents[..followed].iter();
            match followed.find(|&&parent| self.commits[parent].tree.get(path) == Some(entry)) {
                Some(&parent) => at = parent,
                None => return self.ids[at],
            }
        }
    }
}

struct Writer<'a> {
    objects: OddObjects<'a>,
    kind: Kind,
    known: HashMap<(&'static str, Vec<u8>), ObjectId>,
    odd_trees: Option<u64>,
}

impl Writer<'_> {
    fn object(&mut self, kind: &'static str, bytes: &[u8]) -> ObjectId {
        let objects = &self.objects;
        let new = || objects.write(kind, bytes);
        *self.known.entry((kind, bytes.to_vec())).or_insert_with(new)
    }

    /// Writes files, sorted by their paths, and their directories.
    fn tree(&mut self, mut files: &[(&[u8], &File)]) -> ObjectId {
        let mut entries = Vec::new();
        while let Some((path, file)) = files.first() {
            match path.find_byte(b'/') {
                None => {
                    let is_elsewhere = file.mode == SUBMODULE && file.bytes.len() % 3 > 0;
                    let id = if is_elsewhere {
                        self.fill(0x11 + file.bytes.len() as u8 % 3)
                    } else {
                        self.object("blob", &file.bytes)
                    };
                    entries.push(Entry::new(format!("{:o}", file.mode).as_bytes(), path, id));
                    files = &files[1..];
                }
                Some(end) => {
                    let directory = &path[..=end];
                    let count = files
                        .iter()
                        .take_while(|it| it.0.starts_with(directory))
                        .count();
                    let below = files[..count]
                        .iter()
                        .map(|(path, file)| (&path[end + 1..], *file));
                    let tree = self.tree(&below.collect::<Vec<_>>());
                    entries.push(Entry::new(b"40000", &directory[..end], tree));
                    files = &files[count..];
                }
            }
        }
        entries.sort_by_key(Entry::sort_key);
        if let Some(seed) = self.odd_trees {
            // Trees with equal entries are odd in the same way.
            let mut hasher = DefaultHasher::new();
            let names: Vec<_> = entries.iter().map(|it| (&it.mode, &it.name)).collect();
            (seed, names).hash(&mut hasher);
            let mut rng = Rng::new(hasher.finish());
            if rng.chance(12) && !entries.is_empty() {
                self.change(&mut entries, &mut rng);
            }
        }
        let bytes = entries.iter().flat_map(Entry::bytes).collect::<Vec<u8>>();
        self.object("tree", &bytes)
    }

    fn fill(&self, byte: u8) -> ObjectId {
        let bytes = vec![byte; self.kind.len_in_bytes()];
        ObjectId::try_from(bytes.as_slice()).expect("it has the length")
    }

    /// Makes a tree odd in one way.
    fn change(&mut self, entries: &mut Vec<Entry>, rng: &mut Rng) {
        const MODES: [&str; 9] = [
            "100664", "20644", "0", "40755", "160000", "140000", "0100644", "120777", "100755",
        ];
        let (at, other) = (rng.below(entries.len()), rng.below(entries.len()));
        let blob = self.object("blob", b"one\ntwo\nthree\n");
        let file = Entry::new(b"100644", b"a", blob);
        let empty = self.object("tree", b"");
        let directory = self.object("tree", &file.bytes());
        match rng.below(8) {
            0 => entries.swap(at, other),
            1 => {
                let id = entries[other].id;
                let twin = Entry {
                    id,
                    ..entries[at].clone()
                };
                entries.insert(at + rng.below(2), twin);
            }
            2 => entries[at].mode = rng.pick(&MODES).as_bytes().to_vec(),
            3 => {
                let name = *rng.pick(&["d/a", "a/b", "o/d/a", "e/a"]);
                entries.insert(at, Entry::new(b"100644", name.as_bytes(), blob));
            }
            4 => {
                let (mode, id) = *rng.pick(&[("100644", blob), ("40000", directory)]);
                let twin = Entry::new(mode.as_bytes(), &entries[at].name.clone(), id);
                entries.insert(at + rng.below(2), twin);
            }
            5 => entries[at].id = *rng.pick(&[blob, empty, directory]),
            6 => entries[at].id = self.fill(0x55),
            _ => entries.reverse(),
        }
    }

    fn commit(&self, number: usize, tree: ObjectId, parents: &[ObjectId], time: i64) -> ObjectId {
        let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
        let person = format!("A <a@example.com> {time} +0000");
        let text = format!(
            "tree {tree}\n{parents}author {person}\ncommitter {person}\n\ncommit {number}\n"
        );
        self.objects.write("commit", text.as_bytes())
    }
}

/// The time of the first commit.
pub const START: i64 = 1_500_000_000;

struct Generator {
    rng: Rng,
    commits: Vec<Model>,
    heads: Vec<usize>,
    /// Texts that files had or have.
    texts: Vec<File>,
    /// In percent.
    merges: usize,
    forks: usize,
    renames: usize,
    skewed: usize,
    equal: usize,
    changes: usize,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        let mut rng = Rng::new(seed);
        Generator {
            merges: *rng.pick(&[5, 25, 40]),
            forks: *rng.pick(&[10, 35]),
            renames: *rng.pick(&[5, 15, 40]),
            skewed: *rng.pick(&[0, 0, 20, 60]),
            equal: *rng.pick(&[0, 20, 100]),
            changes: *rng.pick(&[2, 4, 8]),
            rng,
            commits: Vec::new(),
            heads: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn run(mut self) -> Vec<Model> {
        self.root();
        for _ in 0..self.rng.between(10, 36) {
            if self.rng.chance(3) {
                self.root();
            } else if self.rng.chance(self.merges) {
                self.merge();
            } else {
                self.change();
            }
        }
        for _ in 0..2 {
            if self.heads.len() > 1 {
                self.merge();
            }
        }
        self.commits
    }

    fn root(&mut self) {
        let mut tree = match self.heads.last() {
            Some(&head) if self.rng.chance(60) => self.commits[head].tree.clone(),
            _ => Tree::new(),
        };
        for _ in 0..self.rng.between(8, 36) {
            self.add(&mut tree);
        }
        let number = self.commit(Vec::new(), tree);
        self.heads.push(number);
    }

    fn change(&mut self) {
        let nth = self.rng.below(self.heads.len());
        let parent = if self.rng.chance(10) {
            self.rng.below(self.commits.len())
        } else {
            self.heads[nth]
        };
        let mut tree = self.commits[parent].tree.clone();
        for _ in 0..self.rng.between(0, self.changes) {
            self.change_tree(&mut tree);
        }
        let number = self.commit(vec![parent], tree);
        if parent == self.heads[nth] && !self.rng.chance(self.forks) {
            self.heads[nth] = number;
        } else {
            self.heads.push(number);
        }
    }

    fn merge(&mut self) {
        let mut parents = Vec::new();
        for _ in 0..*self.rng.pick(&[2, 2, 2, 2, 3, 5]) {
            let any = self.rng.below(self.commits.len());
            let head = *self.rng.pick(&self.heads);
            let parent = if self.rng.chance(15) { any } else { head };
            // A commit may be a parent twice, and an ancestor of another parent.
            if !parents.contains(&parent) || self.rng.chance(10) {
                parents.push(parent);
            }
        }
        let number = self.merge_of(&parents);
        if parents.len() == 2 && self.rng.chance(25) {
            parents.reverse();
            let twin = self.merge_of(&parents);
            self.heads.push(twin);
        }
        let kept = self.rng.below(parents.len() + 1);
        self.heads.retain(|head| !parents[kept..].contains(head));
        self.heads.push(number);
    }

    fn merge_of(&mut self, parents: &[usize]) -> usize {
        let mut tree = self.commits[parents[0]].tree.clone();
        for &parent in &parents[1..] {
            for (path, theirs) in self.commits[parent].tree.clone() {
                let file = match tree.get(&path).cloned() {
                    None if self.rng.chance(60) => theirs,
                    None => continue,
                    Some(ours) if ours == theirs || self.rng.chance(25) => ours,
                    Some(ours) if ours.mode != theirs.mode || self.rng.chance(30) => theirs,
                    Some(ours) => {
                        let [a, b] = [&ours, &theirs].map(|file| TextLines::split(&file.bytes));
                        let bytes = random_text::merge(&mut self.rng, &a, &b).join();
                        File {
                            mode: ours.mode,
                            ..File::text(bytes)
                        }
                    }
                };
                insert_file(&mut tree, &path, file);
            }
        }
        for _ in 0..*self.rng.pick(&[0, 0, 1, 3]) {
            self.change_tree(&mut tree);
        }
        self.commit(parents.to_vec(), tree)
    }

    fn change_tree(&mut self, tree: &mut Tree) {
        let nth = self.rng.below(tree.len());
        let Some(path) = tree.keys().nth(nth).cloned() else {
            return self.add(tree);
        };
        let file = tree[&path].clone();
        let is_text = file.mode & 0o170000 == REGULAR & 0o170000;
        if self.rng.chance(self.renames) {
            return self.rename(tree, &path, file);
        }
        match self.rng.below(100) {
            0..42 => drop(tree.insert(path, self.edited(&file))),
            42..52 => self.add(tree),
            52..58 => {
                let to = self.path();
                let file = if self.rng.chance(50) {
                    self.edited(&file)
                } else {
                    file
                };
                insert_file(tree, &to, file);
            }
            58..65 => drop(tree.remove(&path)),
            65..72 if is_text => drop(tree.insert(
                path,
                File {
                    mode: file.mode ^ 0o111,
                    ..file
                },
            )),
            72..76 => {
                let mode = if file.mode == LINK { REGULAR } else { LINK };
                tree.insert(path, File { mode, ..file });
            }
            76..79 => {
                let mode = if file.mode == SUBMODULE {
                    REGULAR
                } else {
                    SUBMODULE
                };
                tree.insert(path, File { mode, ..file });
            }
            79..82 => drop(tree.insert(
                path,
                File {
                    bytes: [].into(),
                    ..file
                },
            )),
            82..84 => {
                let bytes = [b"\0\x01".as_slice(), &file.bytes].concat();
                tree.insert(
                    path,
                    File {
                        bytes: bytes.into(),
                        ..file
                    },
                );
            }
            84..93 => {
                // The file in some other commit.
                let number = self.rng.below(self.commits.len());
                let old = self.commits[number].tree.get(&path).cloned();
                tree.insert(path, old.unwrap_or(file));
            }
            93..97 => {
                let file = if self.texts.is_empty() {
                    file
                } else {
                    self.rng.pick(&self.texts).clone()
                };
                tree.insert(path, file);
            }
            _ => tree.retain(|path, _| !path.starts_with(b"d/")),
        }
    }

    fn rename(&mut self, tree: &mut Tree, path: &[u8], file: File) {
        match self.rng.below(10) {
            // One of several files that resemble each other.
            0..3 => {
                let copy = self.edited(&file);
                let other = self.path();
                insert_file(tree, &other, copy);
                tree.remove(path);
                tree.remove(&other);
                let to = self.path();
                insert_file(tree, &to, file);
            }
            3..6 => {
                tree.remove(path);
                let to = self.path();
                let file = if self.rng.chance(50) {
                    self.edited(&file)
                } else {
                    file
                };
                insert_file(tree, &to, file);
            }
            6..8 => {
                let from = *self.rng.pick(&DIRECTORIES);
                let to = *self.rng.pick(&DIRECTORIES);
                for (path, mut file) in tree.clone() {
                    if let Some(rest) = path.strip_prefix(from.as_bytes()) {
                        tree.remove(&path);
                        if self.rng.chance(20) {
                            file = self.edited(&file);
                        }
                        insert_file(tree, &[to.as_bytes(), rest].concat(), file);
                    }
                }
            }
            _ => {
                let mut moved = Vec::new();
                for (path, file) in tree.clone() {
                    if self.rng.chance(40) {
                        tree.remove(&path);
                        moved.push(file);
                    }
                }
                for file in moved {
                    let file = if self.rng.chance(60) {
                        self.edited(&file)
                    } else {
                        file
                    };
                    let to = self.path();
                    insert_file(tree, &to, file);
                }
            }
        }
    }

    fn path(&mut self) -> Vec<u8> {
        self.rng.pick(&PATHS).as_bytes().to_vec()
    }

    fn add(&mut self, tree: &mut Tree) {
        let path = self.path();
        let file = if !self.texts.is_empty() && self.rng.chance(30) {
            self.rng.pick(&self.texts).clone()
        } else {
            File::text(random_text::fresh(&mut self.rng, 25).join())
        };
        insert_file(tree, &path, file);
    }

    fn edited(&mut self, file: &File) -> File {
        let mut lines = TextLines::split(&file.bytes);
        for _ in 0..self.rng.between(1, 3) {
            random_text::edit(&mut self.rng, &mut lines);
        }
        File {
            mode: file.mode,
            ..File::text(lines.join())
        }
    }

    fn commit(&mut self, parents: Vec<usize>, tree: Tree) -> usize {
        for file in tree.values() {
            if self.texts.len() < 40 && !self.texts.contains(file) {
                self.texts.push(file.clone());
            }
        }
        let newest = parents
            .iter()
            .map(|&parent| self.commits[parent].time)
            .max();
        let mut time = newest.unwrap_or(START);
        if !self.rng.chance(self.equal) {
            time += self.rng.between(1, 1_000) as i64;
        }
        if self.rng.chance(self.skewed) {
            time = START + self.rng.below(20_000) as i64;
        }
        self.commits.push(Model {
            parents,
            tree,
            time,
        });
        self.commits.len() - 1
    }
}
