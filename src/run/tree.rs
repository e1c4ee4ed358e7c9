//! `--tree`: the entries of a directory with their lines.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    sync::Arc,
};

use bstr::{BStr, BString, ByteSlice};

use crate::{
    cache::TreeBlames,
    dates::calendar::Clock,
    engine::{
        self, Engine, PlanChanges, PlanProgress, PlanSink, PlannedBlame, PlannedFile, Request,
        Start, TreePlan, WorkTreeContents,
    },
    error::{Error, Result, quoted},
    output::{
        OutputBuffer, OutputError,
        commit_provider::CommitProvider,
        json::records::{JsonFields, JsonHeader, JsonKind},
        list_row::ListStyle,
        people::{json_people, people_rows},
        plain::PlainOptions,
        repository_commits::RepositoryCommits,
        tree::{
            json_tree::JsonTree,
            node_order::{NodeOrder, SortedEntry},
            tree_rows::TreeRows,
        },
    },
    repository::{
        Repository,
        content::{generated_files::GeneratedFiles, work_tree_files::WorkTreeFiles},
        request::{
            options::BlameOptions,
            prepare::{PreparedRequest, prepare},
        },
        revisions::peel::{damaged, unreadable_parent},
        tree::{
            node::{Node, NodeKind},
            tree_nodes::{LastCommits, NodeScope, TreeNodes},
        },
    },
    run::{cache::RunTrees, errors, standard_output::StandardOutput, warnings::warn},
    sorting,
    system::run_log,
};

/// In the work tree, the blames of HEAD's files are kept if no more than these are not known, each
/// of which will be blamed alone.
const MAX_UNBLAMED: usize = 16;

/// For `--tree` and `--people`: a directory, or nothing for the current one.
pub(super) fn prepared(
    repository: &Repository,
    options: &BlameOptions,
    clock: &Clock,
    notes: &mut Vec<BString>,
) -> Result<PreparedRequest> {
    let mut of_directory = options.of_directory();
    let operands = &mut of_directory.operands;
    let is_named = operands.last().is_some_and(|last| last != "--");
    if !is_named {
        operands.push(".".into());
        return prepare(repository, &of_directory, clock, notes);
    }
    let noted = notes.len();
    // As in git, `..` is no range.
    let is_path = operands.last().is_some_and(|last| last == "..");
    let prepared = prepare(repository, &of_directory, clock, notes);
    if is_path {
        return prepared;
    }
    prepared.or_else(|err| {
        // The only word may be a revision.
        let failed = notes.split_off(noted);
        of_directory.operands.push(".".into());
        prepare(repository, &of_directory, clock, notes).map_err(|_| {
            notes.truncate(noted);
            notes.extend(failed);
            match err.message().strip_prefix(b"no such directory ") {
                Some(name) if options.operands.len() == 1 => {
                    let message =
                        quoted("no such directory, and no such revision: ", name.into(), "");
                    Error::no_such_path(message)
                }
                _ => err,
            }
        })
    })
}

/// The entries of a directory that are written to standard output.
pub(super) struct TreeRun<'a> {
    pub(super) engine: &'a mut Engine,
    pub(super) repository: &'a Repository,
    /// The work tree, which is shown instead of its HEAD, in which the request starts.
    pub(super) work_tree: Option<Arc<WorkTreeFiles>>,
    pub(super) trees: &'a mut RunTrees,
    /// The request for a blame in the commit; its path is the directory's.
    pub(super) request: Request,
    /// Write the people of all files instead of entries.
    pub(super) people: bool,
    /// As JSON with these fields, instead of rows.
    pub(super) json: Option<JsonFields>,
    /// How dates are shown in rows, if that was chosen.
    pub(super) dates: Option<PlainOptions>,
    /// How rows are shown.
    pub(super) style: ListStyle,
    /// All files, instead of the entries of the directory.
    pub(super) recursive: bool,
    /// What the entries are sorted by.
    pub(super) order: NodeOrder,
    /// Count the lines of generated files with the others.
    pub(super) counts_generated: bool,
    pub(super) threads: usize,
    /// Report on standard error what was planned.
    pub(super) stats: bool,
}

/// Records what commits change, if that is wanted.
struct ChangeRecorder<'a>(Option<&'a mut PlanChanges>);

impl PlanSink for ChangeRecorder<'_> {
    fn progress(&mut self, _: PlanProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn changes(&mut self) -> Option<&mut PlanChanges> {
        self.0.as_deref_mut()
    }
}

/// The two formats.
enum TreeFormat<'a> {
    Json(JsonTree<'a>),
    Rows(TreeRows),
    /// `--people` of the directory, as JSON with this header or as rows.
    People(Option<JsonHeader<'a>>, &'a ListStyle),
}

/// Writes what is counted.
struct TreeWriter<'a, 'w> {
    out: OutputBuffer<'w>,
    format: TreeFormat<'a>,
    commits: &'a mut RepositoryCommits,
    generated: GeneratedFiles,
    counts_generated: bool,
    /// Uncommitted lines have the author that screens name.
    is_screen: bool,
    /// The number of generated files that the rows do not say.
    left_out: u64,
    order: NodeOrder,
    /// The entries that are written in their order at the end, unless they are by name.
    unsorted: Vec<(SortedEntry, Node)>,
    failed: u64,
    /// The number of files that were blamed alone.
    alone: u64,
    /// The number of lines that came from the cache.
    kept_lines: u64,
}

impl TreeRun<'_> {
    /// Blames all files of the directory, and writes its entries. Returns the note for a list without rows,
    /// or of what it leaves out.
    ///
    /// # Errors
    ///
    /// If the directory cannot be listed or the output cannot be written; at the end, if a file
    /// could not be blamed.
    pub(super) fn write(
        mut self,
        commits: &mut RepositoryCommits,
        stdout: &mut StandardOutput,
    ) -> Result<Option<BString>> {
        let is_committed = self.is_committed()?;
        let (last_commits, are_known) = if is_committed {
            self.last_commits()?
        } else {
            Default::default()
        };
        let mut blames = std::mem::take(&mut self.trees.blames);
        let Some(plan) = self.plan(&mut blames, is_committed)? else {
            return Ok(None);
        };
        if !is_committed && plan.files().is_empty() {
            let path = &self.request.path;
            return Err(Error::fatal(format!("no file below {path} is tracked")));
        }
        let scope = match (self.people, self.recursive) {
            (true, _) => NodeScope::Whole,
            (false, true) => NodeScope::File,
            (false, false) => NodeScope::Entry,
        };
        let nodes = TreeNodes::new(&plan, scope, &last_commits, self.work_tree.is_some());
        let unreadable = plan.unreadable_parents().iter();
        warn(&mut unreadable.map(|err| unreadable_parent(err)).collect());
        let is_empty = plan.files().is_empty() && self.json.is_none();
        if !is_empty {
            stdout.begin()?;
        }
        let header = JsonHeader {
            kind: if self.people {
                JsonKind::People
            } else {
                JsonKind::Tree
            },
            request: &self.request,
            is_uncommitted: self.work_tree.is_some(),
            fields: self.json.unwrap_or_default(),
        };
        let mut writer = TreeWriter {
            out: OutputBuffer::new(stdout),
            format: match self.json {
                json if self.people => TreeFormat::People(json.map(|_| header), &self.style),
                Some(_) => TreeFormat::Json(JsonTree::new(header)),
                None => TreeFormat::Rows(TreeRows::new(self.dates.clone(), self.style.clone())),
            },
            commits,
            generated: GeneratedFiles::new(self.repository, self.work_tree.is_some()),
            counts_generated: self.counts_generated,
            is_screen: self.json.is_none() && self.style.terminal.is_some(),
            left_out: 0,
            order: self.order,
            unsorted: Vec::new(),
            failed: 0,
            alone: 0,
            kept_lines: 0,
        };
        writer.begin();
        let written = self.write_files(&plan, &mut blames, nodes, &mut writer);
        let flushed = writer.out.flush().map_err(|err| Error::write(&err));
        if self.stats || run_log::is_open() {
            let text = stats(&plan, writer.alone, writer.kept_lines);
            run_log::note("plan", format_args!("{text}"));
            if self.stats {
                // Standard error may be closed.
                io::stderr().write_all(text.as_bytes()).ok();
            }
        }
        if let Some(work_tree) = &self.work_tree {
            warn(&mut work_tree.take_notes());
        }
        written.and(flushed)?;
        let (failed, all) = (writer.failed, plan.files().len());
        let last_commits = are_known.then(|| last_commits.0.into_iter().collect());
        self.trees.blames = blames;
        if plan.unblamed().len() <= MAX_UNBLAMED {
            self.trees.found = Some((plan, last_commits));
        }
        match (failed, writer.left_out) {
            (0, 0) => Ok(is_empty.then(|| "note: the directory has no files".into())),
            (0, files) => Ok(Some(left_out_note(files))),
            (failed, _) => Err(Error::fatal(format!(
                "{failed} of {all} files could not be blamed"
            ))),
        }
    }

    /// The last commits of the directory's entries, and whether they are known.
    fn last_commits(&mut self) -> Result<(LastCommits, bool)> {
        let mut last_commits = LastCommits::default();
        if self.recursive || self.people {
            return Ok((last_commits, false));
        }
        if let Some(kept) = self.trees.blames.last_commits() {
            last_commits.0.extend(kept.iter().cloned());
            return Ok((last_commits, true));
        }
        let found = LastCommits::find(self.engine, &self.request, &|| false);
        found.map_err(errors::blame_error)
    }

    /// True if the commit has the directory; the work tree may have it alone.
    fn is_committed(&self) -> Result<bool> {
        match (&self.work_tree, &self.request.start) {
            (Some(_), Start::Commit(head)) => {
                let found = self.repository.directory_tree(head, &self.request.path);
                Ok(found.map_err(damaged)?.is_some())
            }
            _ => Ok(true),
        }
    }

    /// The plan of the directory; `None` if it was stopped.
    fn plan(&mut self, blames: &mut TreeBlames, is_committed: bool) -> Result<Option<TreePlan>> {
        let plan = if is_committed {
            let mut recorder = ChangeRecorder(self.trees.changes.as_mut());
            let plan = blames.plan(self.engine, &self.request, &mut recorder);
            plan.map_err(errors::blame_error)?
        } else {
            Some(TreePlan::without_files(self.request.clone()))
        };
        let Some(mut plan) = plan else {
            return Ok(None);
        };
        if let Some(work_tree) = &self.work_tree {
            let files = work_tree.list(self.request.path.as_bstr(), plan.files())?;
            plan.use_work_tree(files, Arc::clone(work_tree) as Arc<dyn WorkTreeContents>);
        }
        Ok(Some(plan))
    }

    fn write_files(
        &self,
        plan: &TreePlan,
        blames: &mut TreeBlames,
        mut nodes: TreeNodes<'_>,
        writer: &mut TreeWriter<'_, '_>,
    ) -> Result<()> {
        let files = plan.files();
        let blamed = (0..files.len()).filter(|&at| !files[at].is_submodule);
        let order: Vec<usize> = blamed.collect();
        let mut left = order.len();
        let mut result = Ok(());
        let mut take = |at: usize, blame: std::result::Result<PlannedBlame, engine::Error>| {
            left -= 1;
            let node = nodes.turn_to(at, |node| writer.finish_node(node));
            result = node.and_then(|node| writer.file(node, &files[at], blame));
            match result {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        };
        blames.blame_in_order(
            self.repository.store(),
            plan,
            &order,
            self.threads,
            &mut take,
        );
        result?;
        if left > 0 {
            return Err(Error::fatal("some files were not blamed"));
        }
        let above = nodes.above().to_owned();
        nodes.end(|node| writer.finish_node(node))?;
        writer.end(above.as_bstr())
    }
}

/// What a list of people does not count.
fn left_out_note(files: u64) -> BString {
    let (files, them) = match files {
        1 => ("1 generated or binary file".to_owned(), "it"),
        _ => (format!("{files} generated or binary files"), "them"),
    };
    format!("note: {files} not counted; --generated counts {them}").into()
}

/// A report of what was planned.
fn stats(plan: &TreePlan, alone: u64, kept_lines: u64) -> String {
    let mut text = format!(
        "files: {}\nversions to compare: {}\nfiles blamed alone: {alone}\n\
         kept versions met: {}\nlines from the cache: {kept_lines}\n",
        plan.files().len(),
        plan.record_count(),
        plan.met_count()
    );
    if let Some(reason) = plan.unplanned() {
        text.push_str(&format!("reason: {reason}\n"));
    }
    text
}

impl TreeWriter<'_, '_> {
    fn begin(&mut self) {
        if let TreeFormat::Json(json) = &self.format {
            json.begin(&mut self.out);
        }
    }

    /// Writes an entry, or keeps it for the end.
    fn finish_node(&mut self, node: Node) -> Result<()> {
        if self.order == NodeOrder::Name {
            return self.write_node(node);
        }
        let text = match (self.order, &node.last_commit) {
            (NodeOrder::Change, Some(id)) => Some(self.commits.text(id)),
            _ => None,
        };
        let text = text.transpose().map_err(OutputError::Commit);
        let text = text.map_err(errors::output_error)?;
        let known = SortedEntry {
            is_committed: node.last_commit.is_some() || node.is_uncommitted != Some(true),
            changed: text.map(|text| text.author.seconds()),
            lines: (node.kind != NodeKind::Submodule).then_some(node.counts.lines()),
            median: node.counts.median_time(),
        };
        self.unsorted.push((known, node));
        Ok(())
    }

    fn write_node(&mut self, node: Node) -> Result<()> {
        let written = match &mut self.format {
            TreeFormat::People(Some(header), _) => {
                let generated = (node.generated_files, node.generated_lines);
                json_people::push_people(&mut self.out, header, &node.counts, Some(generated));
                Ok(())
            }
            TreeFormat::People(None, style) => {
                self.left_out += node.generated_files;
                people_rows::push_people(&mut self.out, &node.counts, style);
                Ok(())
            }
            TreeFormat::Json(json) => json.node(&mut self.out, &node, self.commits),
            TreeFormat::Rows(rows) => rows.node(node, self.commits),
        };
        written.map_err(errors::output_error)?;
        self.out.spill().map_err(|err| Error::write(&err))
    }

    /// Counts a file of the entry `node`.
    fn file(
        &mut self,
        node: &mut Node,
        file: &PlannedFile,
        blame: std::result::Result<PlannedBlame, engine::Error>,
    ) -> Result<()> {
        let blame = match blame {
            Ok(blame) => blame,
            Err(err) if err.is_sign_of_damage() => return Err(errors::blame_error(err)),
            Err(err) => {
                node.failed += 1;
                self.failed += 1;
                let message = [b"error: ", file.path.as_slice(), b": "].concat();
                let message = [message, err.to_string().into_bytes()].concat();
                warn(&mut vec![message.into()]);
                return Ok(());
            }
        };
        let counts_agents = match &self.format {
            TreeFormat::Json(json) => json.fields().agent,
            TreeFormat::Rows(_) | TreeFormat::People(..) => false,
        };
        self.alone += u64::from(blame.is_alone);
        self.kept_lines += u64::from(blame.kept_lines);
        let is_generated = self.generated.has(file.path.as_bstr(), blame.is_binary)?;
        let mut counted = Ok(());
        if is_generated && !self.counts_generated {
            node.add_generated(&blame);
        } else {
            counted = node.add(&blame, |id| {
                let authors = self.commits.authors(id);
                authors.map(|it| if self.is_screen { it.on_screen(id) } else { it })
            });
            if counts_agents && counted.is_ok() {
                let agents = |id: &_, path: &_, lines| self.commits.agents(id, path, lines);
                counted = node.add_agents(&blame, agents);
            }
        }
        let mut written = counted.map_err(OutputError::Commit);
        if let (Ok(()), TreeFormat::Json(json)) = (&written, &mut self.format) {
            written = json.file(&mut self.out, file, &blame, is_generated, self.commits);
        }
        written.map_err(errors::output_error)
    }

    /// Writes what comes at the end. `above` is the directory's path, with a slash at its end.
    fn end(&mut self, above: &BStr) -> Result<()> {
        let mut sorted = std::mem::take(&mut self.unsorted);
        sorting::sort_by(&mut sorted, |one, other| {
            self.order.compare(&one.0, &other.0)
        });
        for (_, node) in sorted {
            self.write_node(node)?;
        }
        match &self.format {
            TreeFormat::Json(json) => json.end(&mut self.out),
            TreeFormat::Rows(rows) => rows.end(&mut self.out, above),
            TreeFormat::People(..) => {}
        }
        Ok(())
    }
}
