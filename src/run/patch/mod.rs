//! `--patch`: says who wrote the lines that a patch removes.

mod attribution;
mod base;
mod input;
mod made;
mod name_paths;
mod range;

use std::{borrow::Cow, sync::Arc};

use bstr::{BString, ByteSlice};

use crate::{
    cli::{Invocation, Output},
    dates::{calendar::Clock, date_format::DateMode},
    engine::{self, Discard, Engine, Request},
    error::{Error, Result},
    output::{
        OutputBuffer,
        json::records::{JsonFields, JsonHeader, JsonKind},
        patch::{
            attributed::{AttributedHunk, PatchBase},
            json_patch::JsonPatch,
            patch_format::PatchFormat,
            patch_rows::PatchRows,
            summary::PatchSummary,
        },
    },
    patch::{
        file::{PatchedFile, PrefixUse},
        hunk::PatchHunk,
        parser::Patch,
    },
    repository::{
        Repository, commits::commit_texts::PseudoCommit, places::escapes::without_escapes,
    },
    run::{
        diagnosis::terminal_size,
        errors::{blame_error, output_error},
        format_options::FormatOptions,
        output_pager, output_run,
        patch::{
            attribution::{OldSide, names_submodule},
            base::BaseFinder,
        },
        standard_output::{self, StandardOutput, stdout},
        warnings::warn,
    },
    text::line_offsets::LineOffsets,
};

/// Most hunks that the summary names.
const MAX_NAMED: usize = 20;

/// Writes a patch with the commits of the lines on its old side to standard output.
///
/// # Errors
///
/// What ends a blame; and after the output, hunks that do not apply.
pub(super) fn run(
    repository: &Arc<Repository>,
    invocation: &Invocation,
    format_options: &FormatOptions,
    clock: &Clock,
) -> Result<()> {
    let Output::Patch { json, base, color } = &invocation.output else {
        return Ok(());
    };
    let options = &invocation.options;
    let mut notes = Vec::new();
    let range = range::read(repository, options, base.as_ref(), &mut notes)?;
    let found = BaseFinder::new(repository, options, range.base, clock, &mut notes);
    warn(&mut notes);
    let mut finder = found?;
    let text = match range.new {
        Some(new) => {
            let model = (options, finder.model());
            made::patch(repository, model, new, &range.paths, &mut notes)?
        }
        None => input::read()?,
    };
    if range.new.is_some() && text.is_empty() {
        let words = match range.paths[..] {
            [] => "warning: the range changes nothing",
            _ => "warning: the range changes nothing at these paths",
        };
        notes.push(words.into());
    }
    warn(&mut notes);
    let patch = parse(text)?;
    let threads = invocation.threads.unwrap_or_else(engine::default_threads);
    let pseudo = PseudoCommit::of_files(clock);
    let request = finder.model().clone();
    let mut commits = output_run::commits(repository, invocation, &request, pseudo, threads);
    let mut gutter = format_options.plain.clone();
    if invocation.format.date.is_none() && repository.config().date.is_none() {
        let short = DateMode::parse("short".into(), false);
        gutter.date = short.map_err(|err| Error::fatal(err.to_string()))?;
    }
    let pager = match json {
        Some(_) => None,
        None => output_pager::command(repository.config(), false, |name| std::env::var_os(name)),
    };
    let mut stdout = StandardOutput::new(stdout()?, pager);
    let terminal = (!stdout.is_direct()).then(terminal_size).flatten();
    let terminal = terminal.map(|(columns, _)| usize::from(columns));
    stdout.begin()?;
    let mut run = PatchRun {
        patch: &patch,
        finder: &mut finder,
        engine: Engine::new(Arc::clone(repository.store()), threads),
        summary: PatchSummary::default(),
        notes: Vec::new(),
        is_read_meanwhile: !stdout.is_direct(),
    };
    let out = OutputBuffer::new(&mut stdout);
    let written = match json {
        Some(fields) => {
            let header = header(&request, *fields);
            run.write(JsonPatch::new(&mut commits, header), out)
        }
        None => {
            let is_colored = *color == Some(true);
            let rows = PatchRows::new(&mut commits, &gutter, terminal, is_colored);
            run.write(rows, out)
        }
    };
    let PatchRun { summary, notes, .. } = run;
    // The pager ends first, which has the terminal for itself.
    drop(stdout);
    warn(&mut { notes });
    warn(&mut commits.take_notes());
    written?;
    check(&patch, &summary)
}

fn header(request: &Request, fields: JsonFields) -> JsonHeader<'_> {
    JsonHeader {
        kind: JsonKind::Patch,
        request,
        is_uncommitted: false,
        fields,
    }
}

/// Finds the files and hunks of a patch, which may be colored as `git diff --color` does.
fn parse(text: Arc<[u8]>) -> Result<Patch> {
    let parse = |text| Patch::parse(text).map_err(|err| Error::fatal(err.to_string()));
    let patch = parse(Arc::clone(&text))?;
    let has_hunks =
        |it: &Patch| !it.faults.is_empty() || it.files.iter().any(|file| !file.hunks.is_empty());
    if let (false, Cow::Owned(plain)) = (has_hunks(&patch), without_escapes(&text)) {
        let plain = parse(plain.into())?;
        if has_hunks(&plain) || patch.is_empty() {
            return Ok(plain);
        }
    }
    Ok(patch)
}

/// Fails if there was something else than a patch, or hunks of it do not apply.
fn check(patch: &Patch, summary: &PatchSummary) -> Result<()> {
    let is_merge = |line: &[u8]| line.starts_with(b"Merge: ");
    if patch.files.is_empty() && patch.names_commits && patch.text.lines().any(is_merge) {
        let words =
            "warning: git show has no diff of a merge without conflicts; git show -m has one";
        warn(&mut vec![words.into()]);
    }
    if patch.is_empty() && !patch.text.trim_ascii().is_empty() {
        return Err(Error::fatal("there is no patch in the input"));
    }
    match (summary.unapplied, summary.hunks) {
        (0, _) => Ok(()),
        (unapplied, hunks) => {
            let message = format!("{unapplied} of {hunks} hunks of the patch do not apply");
            Err(Error::fatal(message))
        }
    }
}

struct PatchRun<'a, 'f> {
    patch: &'a Patch,
    finder: &'a mut BaseFinder<'f>,
    engine: Engine,
    summary: PatchSummary,
    /// What is wrong with hunks.
    notes: Vec<BString>,
    /// The output goes to a terminal, where each file is seen as soon as it is known.
    is_read_meanwhile: bool,
}

impl PatchRun<'_, '_> {
    /// Writes the patch in a format.
    fn write(&mut self, mut format: impl PatchFormat, mut out: OutputBuffer<'_>) -> Result<()> {
        format.begin(&mut out);
        let written = self.write_files(&mut format, &mut out);
        let ended = written.and_then(|()| {
            self.summary.upstream = self.finder.beyond_upstream()?;
            let ended = format.end(&mut out, &self.summary);
            ended.map_err(output_error)
        });
        let is_again = ended.as_ref().is_err_and(|_| self.is_to_begin_again());
        if !is_again {
            let flushed = out.flush().map_err(|err| Error::write(&err));
            return ended.and(flushed);
        }
        ended
    }

    /// True after a sign of damage if nothing was written yet: the whole run begins again.
    fn is_to_begin_again(&self) -> bool {
        self.finder.has_sign_of_damage() && !standard_output::has_begun()
    }

    fn write_files(
        &mut self,
        format: &mut impl PatchFormat,
        out: &mut OutputBuffer<'_>,
    ) -> Result<()> {
        let patch = self.patch;
        let mut at = 0;
        for fault in &patch.faults {
            let reason = fault.to_string();
            self.unapplied(format, out, fault.line, (&reason, reason.as_str().into()));
        }
        for file in patch.files.iter().filter(|file| !file.hunks.is_empty()) {
            let sides = self.sides(file, format)?;
            let paths: Vec<Option<BString>> = sides.iter().map(OldSide::path).collect();
            for side in &sides {
                if let Some(base) = side.base() {
                    self.summary.add_base(base);
                    format.base(out, base);
                }
            }
            for hunk in &file.hunks {
                format.text(out, &patch.text[at..hunk.header.start]);
                self.write_hunk(format, out, file, hunk, &sides, &paths)?;
                at = hunk.body.end;
                out.spill().map_err(|err| Error::write(&err))?;
            }
            if self.is_read_meanwhile {
                out.flush().map_err(|err| Error::write(&err))?;
            }
        }
        format.text(out, &patch.text[at..]);
        Ok(())
    }

    fn write_hunk(
        &mut self,
        format: &mut impl PatchFormat,
        out: &mut OutputBuffer<'_>,
        file: &PatchedFile,
        hunk: &PatchHunk,
        sides: &[OldSide],
        paths: &[Option<BString>],
    ) -> Result<()> {
        let text = &self.patch.text;
        match attribution::of_hunk(text, file, hunk, sides) {
            Ok((lines, old)) => {
                let hunk = AttributedHunk {
                    paths,
                    header: &text[hunk.header.clone()],
                    lines,
                    old,
                };
                self.summary.hunks += 1;
                self.summary.add_hunk(&hunk);
                format.hunk(out, &hunk).map_err(output_error)
            }
            Err(reason) => {
                let words = format!("line {} of the patch: {reason}", hunk.line);
                let header = text[hunk.header.clone()].as_bstr();
                let end = header.find(b" @@").unwrap_or(header.len());
                let name = file
                    .new
                    .as_ref()
                    .or_else(|| file.old.iter().flatten().next());
                let path = name.map_or(&b""[..], |name| &name.path);
                let is_prefixed = name.is_some_and(|name| name.prefix == PrefixUse::First);
                let below = path.split_once_str("/").filter(|_| is_prefixed);
                let path = below.map_or(path, |(_, path)| path);
                let name = [path, b" ", header[..end].trim_ascii(), b" @@"].concat();
                self.unapplied(format, out, hunk.line, (&words, name.into()));
                format.text(out, &text[hunk.header.start..hunk.body.end]);
                Ok(())
            }
        }
    }

    fn unapplied(
        &mut self,
        format: &mut impl PatchFormat,
        out: &mut OutputBuffer<'_>,
        line: u32,
        (reason, name): (&str, BString),
    ) {
        self.summary.hunks += 1;
        self.summary.unapplied += 1;
        if self.summary.unapplied_hunks.len() < MAX_NAMED {
            self.summary.unapplied_hunks.push(name);
        }
        self.notes.push(format!("warning: {reason}").into());
        format.unapplied(out, line, reason);
    }

    /// Blames the old sides of a file.
    fn sides(&mut self, file: &PatchedFile, format: &mut impl PatchFormat) -> Result<Vec<OldSide>> {
        let count = file.hunks.first().map_or(0, |hunk| hunk.old.len());
        let mut sides = Vec::with_capacity(count);
        for parent in 0..count {
            if file.is_absent(parent) {
                sides.push(OldSide::Empty);
                continue;
            }
            let side = match self.finder.find(file, (parent, count), &mut self.engine)? {
                Err(_)
                    if file
                        .hunks
                        .iter()
                        .all(|hunk| names_submodule(hunk, &self.patch.text)) =>
                {
                    OldSide::Submodule
                }
                Err(reason) => OldSide::Unknown(reason),
                Ok((base, texts)) => self.blame(file, parent, &base, &texts)?,
            };
            if let OldSide::Blamed { blame, .. } = &side {
                self.summary
                    .add_blame(blame, |commit| format.authors(commit))
                    .map_err(output_error)?;
            }
            sides.push(side);
        }
        Ok(sides)
    }

    /// Blames the first of the texts of a base that the hunks apply to, or else the first one.
    fn blame(
        &mut self,
        file: &PatchedFile,
        parent: usize,
        base: &PatchBase,
        texts: &[Request],
    ) -> Result<OldSide> {
        let mut hunks = file.hunks.iter().filter_map(|hunk| hunk.old.get(parent));
        let has_old_lines = hunks.any(|lines| !lines.is_empty());
        let mut first: Option<OldSide> = None;
        for request in texts {
            let blamed = self.engine.blame(request, &mut Discard);
            self.engine.release_versions();
            let side = match blamed {
                Ok(blame) => OldSide::Blamed {
                    base: base.clone(),
                    bounds: LineOffsets::new(&blame.contents).into_bounds(),
                    blame: Box::new(blame),
                },
                // Other files of the patch may have no conversion, or another one.
                Err(engine::Error::Conversion(err)) => OldSide::Unknown(err.to_string()),
                Err(err) => return Err(blame_error(err)),
            };
            let applies = attribution::applies(&self.patch.text, file, parent, &side);
            match &first {
                None if applies && (has_old_lines || texts.len() == 1) => return Ok(side),
                Some(first) if !has_old_lines && !side.has_text_of(first) => {
                    return Ok(OldSide::Unknown(
                        "the file has a text conversion, and no line tells whether the patch is \
                         of the converted text"
                            .to_owned(),
                    ));
                }
                Some(_) if has_old_lines && applies => return Ok(side),
                _ => first = first.or(Some(side)),
            }
        }
        let none = || OldSide::Unknown("the file has no text".to_owned());
        Ok(first.unwrap_or_else(none))
    }
}
