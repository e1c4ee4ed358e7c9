//! Blames all files of a directory.

use std::{cell::Cell, ops::ControlFlow, path::Path, sync::Arc};

use bstr::{BString, ByteSlice};

use super::{
    blame::{BlameRun, CancellableSink, build_entries, with_session},
    builder::{BlameBuilder, Copies},
    cancellation::Cancellation,
    commit::CommitInfo,
    error::{Error, ErrorKind, Result},
    kept_blames::BlameKeeper,
    repository::{Repository, path_bytes},
    stream_summary::StreamSummary,
    tree_items::{BlamedFile, TreeItem, TreeNode},
};
use crate::{
    dates::calendar::Clock,
    diff::Algorithm,
    engine::{
        self, Origin, PlanProgress, PlanSink, PlannedBlame, PlannedFile, TreePlan,
        WorkTreeContents, blame_in_order, default_threads,
    },
    repository::{
        commits::commit_texts::CommitTexts,
        content::{generated_files::GeneratedFiles, work_tree_files::WorkTreeFiles},
        revisions::peel::unreadable_parent,
        tree::{
            node::Node,
            tree_nodes::{LastCommits, NodeScope, TreeNodes},
        },
    },
};

/// A blame of all files of a directory in one walk through the history. Made by
/// [`Repository::tree`].
///
/// It finds the entries of the directory, each with the number of its lines, their ages and the
/// people who wrote them, and on demand the lines of each file: those of [`Repository::blame`] of
/// that file, with the same options. Finish it with [`run`](TreeBuilder::run) or
/// [`stream`](TreeBuilder::stream).
#[derive(Debug, Clone)]
#[must_use = "a blame does nothing until it is run"]
pub struct TreeBuilder {
    blame: BlameBuilder,
    is_recursive: bool,
    has_files: bool,
    counts_generated: bool,
}

/// The finished blames of all files of a directory.
#[derive(Debug)]
pub struct TreeBlame {
    nodes: Vec<TreeNode>,
    files: Vec<BlamedFile>,
    warnings: Vec<String>,
}

impl Repository {
    /// A blame of all files in this revision: a name, an id, an expression or a range as for
    /// [`BlameBuilder::at`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/library/example.rs"));
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let directory = example_repository();
    /// # let repository = tblame::Repository::open(directory.path())?;
    /// let tree = repository.tree("HEAD").under("src").with_files(true).run()?;
    /// let node = &tree.nodes()[0];
    /// assert_eq!(node.path().to_str(), Some("src/main.rs"));
    /// assert_eq!((node.lines(), node.people()[0].lines()), (4, 4));
    /// assert_eq!(node.last_commit().unwrap().summary(), "Print two");
    /// let entries = tree.files()[0].entries().unwrap();
    /// assert_eq!(entries[1].lines(), 2..3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn tree(&self, revision: impl AsRef<str>) -> TreeBuilder {
        let mut tree = self.uncommitted_tree();
        tree.blame = tree.blame.at(revision);
        tree
    }

    /// As [`tree`](Repository::tree), of the work tree: the files that git tracks and that are
    /// there, with their uncommitted lines. In a bare repository, the files of `HEAD`.
    pub fn uncommitted_tree(&self) -> TreeBuilder {
        let mut blame = self.blame(".");
        blame.options.directory = true;
        TreeBuilder {
            blame,
            is_recursive: false,
            has_files: false,
            counts_generated: false,
        }
    }
}

/// Options that are those of a blame.
macro_rules! blame_options {
    ($($name:ident($value:ident: $type:ty),)+) => {
        $(
            #[doc = concat!("As [`BlameBuilder::", stringify!($name), "`].")]
            pub fn $name(mut self, $value: $type) -> Self {
                self.blame = self.blame.$name($value);
                self
            }
        )+
    };
}

impl TreeBuilder {
    blame_options! {
        exclude(revision: impl AsRef<str>),
        ignore_whitespace(yes: bool),
        algorithm(algorithm: Algorithm),
        indent_heuristic(yes: bool),
        moves(yes: bool),
        moves_with_score(score: u32),
        copies(copies: Copies),
        ignore_revision(revision: impl AsRef<str>),
        ignore_revisions_file(file: impl AsRef<Path>),
        auto_ignore_revisions(yes: bool),
        use_configured_ignore_revisions(yes: bool),
        first_parent(yes: bool),
        exclude_first_parent_only(yes: bool),
        follow(yes: bool),
        since(seconds: i64),
        grafts_file(file: impl AsRef<Path>),
        show_root(yes: bool),
        text_conversion(yes: bool),
        encoding(name: impl AsRef<str>),
    }

    /// Only the files below this directory: absolute, or relative to the root of the work tree. A
    /// repeated call replaces it.
    pub fn under(mut self, directory: impl AsRef<Path>) -> Self {
        self.blame.path = match path_bytes(directory.as_ref()) {
            path if path.is_empty() => ".".into(),
            path => path,
        };
        self
    }

    /// A node for each file of the directory and of all below it, instead of for each entry of the
    /// directory.
    pub fn recursive(mut self, yes: bool) -> Self {
        self.is_recursive = yes;
        self
    }

    /// Also gives each file with its entries. Without them, nothing is kept of a file that has been
    /// counted.
    pub fn with_files(mut self, yes: bool) -> Self {
        self.has_files = yes;
        self
    }

    /// Counts the lines of generated files with the others, instead of apart.
    pub fn count_generated(mut self, yes: bool) -> Self {
        self.counts_generated = yes;
        self
    }

    /// The number of threads that compare versions of files. The default is the number of
    /// processors. The result is the same.
    pub fn threads(mut self, count: usize) -> Self {
        self.blame = self.blame.threads(count);
        self
    }

    /// Lets another thread cancel the blame. It takes effect before the next commit is read, or,
    /// when the files are blamed, once the next of them is finished.
    pub fn cancel_with(mut self, cancellation: &Cancellation) -> Self {
        self.blame = self.blame.cancel_with(cancellation);
        self
    }

    /// Blames, and returns all entries in the order of their paths.
    ///
    /// # Errors
    ///
    /// If the request is invalid, there is no such directory, it cannot be listed, a commit's text
    /// cannot be read, or the blame is cancelled. A file that cannot be blamed is no error: its
    /// entry [counts it](TreeNode::failed_files), and a warning says why.
    pub fn run(self) -> Result<TreeBlame> {
        self.blame.check()?;
        with_session(&self.blame, &|| true, |run| {
            let (mut nodes, mut files) = (Vec::new(), Vec::new());
            self.pass_items(run, &mut |item| {
                match item {
                    TreeItem::Node(node) => nodes.push(node),
                    TreeItem::File(file) => files.push(file),
                }
                ControlFlow::Continue(())
            })?;
            Ok(TreeBlame {
                nodes,
                files,
                warnings: run.warnings(),
            })
        })
    }

    /// Blames, and passes each entry to `on_item` as soon as all of its files are counted, in the
    /// order of their paths, and [on demand](TreeBuilder::with_files) each file before its entry.
    /// The blame ends early when `on_item` returns [`ControlFlow::Break`].
    ///
    /// # Errors
    ///
    /// As those of [`run`](TreeBuilder::run). What was passed before is valid.
    pub fn stream(
        self,
        mut on_item: impl FnMut(TreeItem) -> ControlFlow<()>,
    ) -> Result<StreamSummary> {
        self.blame.check()?;
        let has_items = Cell::new(false);
        with_session(&self.blame, &|| !has_items.get(), |run| {
            let complete = self.pass_items(run, &mut |item| {
                has_items.set(true);
                on_item(item)
            })?;
            Ok(StreamSummary::new(complete, run.warnings()))
        })
    }

    /// Blames the files, and passes on what is found. True unless `on_item` stopped that.
    fn pass_items(
        &self,
        run: &mut BlameRun<'_>,
        on_item: &mut dyn FnMut(TreeItem) -> ControlFlow<()>,
    ) -> Result<bool> {
        let mut sink = CancellableSink(self.blame.cancellation.as_ref());
        let repository = Arc::clone(&run.opened.repository);
        let work_tree = work_tree(run)?;
        let (last_commits, plan) = self.plan(run, work_tree.as_ref(), &mut sink)?;
        let unreadable = plan.unreadable_parents().iter();
        run.notes
            .extend(unreadable.map(|error| unreadable_parent(error)));
        let scope = if self.is_recursive {
            NodeScope::File
        } else {
            NodeScope::Entry
        };
        let is_of_work_tree = work_tree.is_some();
        let mut nodes = TreeNodes::new(&plan, scope, &last_commits, is_of_work_tree);
        let mut items = Items {
            builder: self,
            texts: &mut run.session.texts,
            generated: GeneratedFiles::new(&repository, is_of_work_tree),
            notes: Vec::new(),
            on_item,
        };
        let files = plan.files();
        let order: Vec<usize> = (0..files.len())
            .filter(|&at| !files[at].is_submodule)
            .collect();
        let threads = self.blame.threads.unwrap_or_else(default_threads);
        let mut left = order.len();
        let mut passed = Ok(());
        let kept = BlameKeeper::of(run.opened, self.blame.repository.cache(), plan.request());
        blame_in_order(
            repository.store(),
            &plan,
            &order,
            threads,
            &|| kept.as_ref().map(BlameKeeper::of_many_files),
            &mut |at, blame| {
                left -= 1;
                passed = sink.check().map_err(Some).and_then(|()| {
                    let node = nodes.turn_to(at, |node| items.node(node))?;
                    items.file(node, &files[at], blame)
                });
                match passed {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            },
        );
        let passed = passed.and_then(|()| match left {
            0 => nodes.end(|node| items.node(node)),
            _ => Err(Some(Error::new(
                ErrorKind::Object,
                "some files were not blamed",
            ))),
        });
        run.notes.append(&mut items.notes);
        if let Some(work_tree) = &work_tree {
            run.notes.append(&mut work_tree.take_notes());
        }
        match passed {
            Ok(()) => sink.check().map(|()| true),
            Err(None) => Ok(false),
            Err(Some(error)) => Err(error),
        }
    }

    /// The last commits of the directory's entries, and the plan.
    fn plan(
        &self,
        run: &mut BlameRun<'_>,
        work_tree: Option<&Arc<WorkTreeFiles>>,
        sink: &mut CancellableSink<'_>,
    ) -> Result<(LastCommits, TreePlan)> {
        let request = run.prepared.of_directory();
        let engine = &mut run.session.engine;
        // The work tree may have the directory alone.
        let is_committed = match (work_tree, request.start.heads().first()) {
            (Some(_), Some(head)) => {
                let tree = run.opened.repository.directory_tree(head, &request.path);
                tree.map_err(engine::Error::from)?.is_some()
            }
            _ => true,
        };
        let mut last_commits = LastCommits::default();
        if is_committed && !self.is_recursive {
            let is_cancelled = || sink.is_cancelled();
            (last_commits, _) = LastCommits::find(engine, &request, &is_cancelled)?;
        }
        sink.check()?;
        let plan = if is_committed {
            engine.plan_tree(&request, sink)?
        } else {
            Some(TreePlan::without_files(request))
        };
        sink.check()?;
        // Only the sink stops a plan.
        let mut plan = plan.ok_or_else(Error::cancelled)?;
        if let Some(work_tree) = work_tree {
            let listed = work_tree.list(plan.request().path.as_bstr(), plan.files());
            let contents = Arc::clone(work_tree) as Arc<dyn WorkTreeContents>;
            plan.use_work_tree(listed.map_err(Error::of_request)?, contents);
        }
        Ok((last_commits, plan))
    }
}

/// The work tree, if the directory is its.
fn work_tree(run: &BlameRun<'_>) -> Result<Option<Arc<WorkTreeFiles>>> {
    let request = &run.prepared.request;
    let Some(&head) = request
        .start
        .heads()
        .first()
        .filter(|_| run.prepared.is_of_work_tree())
    else {
        return Ok(None);
    };
    let converts = request.text_conversion.is_some();
    let now = Clock::system().system_now();
    let files = WorkTreeFiles::new(&run.opened.repository, head, converts, now);
    Ok(Some(Arc::new(files.map_err(Error::of_request)?)))
}

/// Passes on what is found.
struct Items<'a> {
    builder: &'a TreeBuilder,
    texts: &'a mut CommitTexts,
    generated: GeneratedFiles,
    notes: Vec<BString>,
    on_item: &'a mut dyn FnMut(TreeItem) -> ControlFlow<()>,
}

/// The error that ended a blame, or `None` if it was stopped.
type Stopped = Option<Error>;

impl Items<'_> {
    fn pass(&mut self, item: TreeItem) -> Result<(), Stopped> {
        match (self.on_item)(item) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(None),
        }
    }

    /// Passes on an entry that is complete.
    fn node(&mut self, node: Node) -> Result<(), Stopped> {
        let last_commit = node.last_commit;
        let last_commit = last_commit.map(|id| CommitInfo::read(&id, self.texts));
        let node = TreeNode::new(node, last_commit.transpose()?);
        self.pass(TreeItem::Node(node))
    }

    /// Counts a file of the entry `node`.
    fn file(
        &mut self,
        node: &mut Node,
        file: &PlannedFile,
        blame: Result<PlannedBlame, engine::Error>,
    ) -> Result<(), Stopped> {
        let is_binary = blame.as_ref().is_ok_and(|blame| blame.is_binary);
        let generated = self.generated.has(file.path.as_bstr(), is_binary);
        let is_generated = generated.map_err(Error::of_request)?;
        let entries = match blame {
            Ok(blame) => {
                if is_generated && !self.builder.counts_generated {
                    node.add_generated(&blame);
                } else {
                    node.add(&blame, |id| self.texts.authors(id))
                        .map_err(Error::of_commit)?;
                }
                if !self.builder.has_files {
                    return Ok(());
                }
                let boundary =
                    |origin: &Origin| blame.boundaries.binary_search(&origin.commit).is_ok();
                let entries = build_entries(&blame.entries, &blame.origins, self.texts, boundary);
                Ok(entries?)
            }
            Err(error) if error.is_sign_of_damage() => return Err(Some(error.into())),
            Err(error) => {
                node.failed += 1;
                let note = format!("error: {}: {error}", file.path);
                self.notes.push(note.into());
                Err(error.into())
            }
        };
        if !self.builder.has_files {
            return Ok(());
        }
        let path = file.path.clone();
        let file = BlamedFile::new(path, is_generated, entries);
        self.pass(TreeItem::File(file))
    }
}

/// Ends the plan when the blame is cancelled.
impl PlanSink for CancellableSink<'_> {
    fn progress(&mut self, _: PlanProgress) -> ControlFlow<()> {
        self.flow()
    }
}

impl TreeBlame {
    /// The entries of the directory in the order of their paths, or
    /// [all files](TreeBuilder::recursive).
    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// The files and symbolic links in the order of their paths, [on
    /// demand](TreeBuilder::with_files). Submodules are none.
    pub fn files(&self) -> &[BlamedFile] {
        &self.files
    }

    /// Warnings and errors that did not end the blame, in git's words where it has some.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
