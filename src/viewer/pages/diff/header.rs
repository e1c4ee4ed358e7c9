//! The header of the diff view: commit message, change of the file, and list of files.

use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use crate::{
    objects::file_type,
    sanitize,
    text::thousands::thousands,
    viewer::{
        app::{
            commit::{
                detail_line::{DetailKind, DetailLine, Link},
                details,
            },
            diff_view::DiffView,
            state::App,
        },
        model::{
            relative_dates,
            source::{CommitMetadata, FileChange, Signature},
        },
        pages::diff::{SEPARATOR, requests::FIRST_SCREEN_MARGIN},
        protocol::DiffTarget,
    },
};

/// Most files that are listed around the current one.
const MAX_LISTED_FILES: usize = 9;

/// Fewest files that are listed around the current one, below a folded message.
const MIN_LISTED_FILES: usize = 3;

/// Lines of the list without its files: their number.
const FILE_LIST_LINES: usize = 1;

/// Most lines above the change on a screen that is not high, as far as what is in one line each allows.
const MAX_LINES: usize = 8;

/// Columns of the position at the end of the title.
const POSITION_WIDTH: usize = 5;

impl App {
    /// The lines above the diff.
    pub(crate) fn diff_header(&self) -> Vec<DetailLine> {
        let Some(diff) = self.diff() else {
            return Vec::new();
        };
        let width = usize::from(self.size.0).saturating_sub(2);
        let fact = |text: String| DetailLine::fact(&text, width);
        let mut lines = Vec::new();
        let metadata: Option<&Arc<CommitMetadata>> = match &diff.metadata {
            None => {
                lines.push(fact("reading the commit…".to_owned()));
                None
            }
            Some(Err(failure)) => {
                lines.push(fact(format!("cannot read the commit: {failure}")));
                None
            }
            Some(Ok(metadata)) => Some(metadata),
        };
        let Some(metadata) = metadata else {
            let files = self.file_lines(diff, MAX_LISTED_FILES, width);
            let is_listed = !files.is_empty();
            let of_file = diff.file_facts(true, (is_listed, is_listed));
            lines.extend(of_file.into_iter().map(fact));
            lines.extend(files);
            return lines;
        };
        let id = diff.commit.as_ref();
        let message = self.message_lines(id, metadata, diff.unfolded, width);
        let files = self.file_lines(diff, MAX_LISTED_FILES, width);
        let mut facts: Vec<DetailLine> = Vec::new();
        // The title has the id, the author, the date and the file, where there is room.
        let titled = self.titled_facts(diff);
        let is_titled = titled.len() == 2;
        if diff.unfolded {
            facts.extend(details::author_lines(id, metadata, self.now, width));
        } else if id.is_some() && !is_titled {
            let has_day = !titled.is_empty();
            let row = person_row("author", &metadata.author, has_day, self.now, width);
            facts.push(row);
        }
        let merge = diff.merge_fact();
        facts.extend(merge.map(|words| fact(self.keymap.fill(&words))));
        if !diff.shows_all() {
            // The list has renames too.
            let is_listed = !files.is_empty();
            let is_named = is_listed || (is_titled && !diff.unfolded);
            let of_file = diff.file_facts(diff.unfolded, (is_listed, is_named));
            facts.extend(of_file.into_iter().map(fact));
        }
        if diff.unfolded {
            facts.extend(details::committer_lines(metadata, self.now, width));
        } else if let Some(committer) = details::other_committer(metadata) {
            let day = relative_dates::day(committer.time, committer.offset);
            let has_day = titled.contains(&day);
            let row = person_row("committer", committer, has_day, self.now, width);
            facts.push(row);
        }
        if diff.unfolded {
            lines.extend(message);
            for part in [facts, files].into_iter().filter(|part| !part.is_empty()) {
                lines.push(fact(String::new()));
                lines.extend(part);
            }
            return lines;
        }
        // Everything is shown where all fits on one screen.
        let all = diff.comparison().map(|it| it.rows.len().max(1));
        let all = all.map(|rows| rows + message.len() + facts.len() + files.len());
        if all.is_some_and(|all| all <= usize::from(self.diff_rows())) {
            return [message, facts, files].concat();
        }
        // The change begins about a quarter down the first screen.
        let room = usize::from(self.diff_rows()) / 4;
        let kept = MIN_LISTED_FILES + FILE_LIST_LINES;
        let rest = room.saturating_sub(facts.len() + files.len().min(kept));
        // A row that says how many are hidden takes the place of one of them.
        if message.len() <= rest.max(3) {
            lines.extend(message);
        } else {
            // The subject, and the line of facts below it, are always shown.
            let is_first = |line: &&DetailLine| line.kind != DetailKind::Body;
            let first = message.iter().take_while(is_first).count();
            let shown = rest.saturating_sub(1).max(first);
            let hidden = message.len().saturating_sub(shown);
            lines.extend(message.into_iter().take(shown));
            let hidden = thousands(hidden);
            let text = format!("… {hidden} more lines: {{details}} shows them");
            lines.push(fact(self.keymap.fill(&text)));
        }
        lines.extend(facts);
        let left = |room: usize| room.saturating_sub(lines.len() + FILE_LIST_LINES);
        let most = left(room).clamp(MIN_LISTED_FILES, MAX_LISTED_FILES);
        let most = most.min(left(room.max(MAX_LINES)).max(1));
        let most = most.min(self.room_for_files(diff, lines.len()));
        if !files.is_empty() && most > 0 {
            lines.extend(self.file_lines(diff, most, width));
        }
        lines
    }

    /// What the title has room for beside the file: the day of the commit, then its author too.
    pub(super) fn titled_facts(&self, diff: &DiffView) -> Vec<String> {
        let width = usize::from(self.size.0);
        let (Some(metadata), Some(_)) = (diff.commit_metadata(), diff.commit) else {
            return Vec::new();
        };
        let author = &metadata.author;
        let facts = [
            relative_dates::day(author.time, author.offset),
            sanitize::line(&author.name),
        ];
        // The id and the words and blanks around it, the blank after the title, and what is at its end.
        let others = 6 + 8 + 2 + 1 + POSITION_WIDTH;
        let others = others
            + diff
                .place_among_files(width)
                .map_or(0, |words| words.width());
        let mut room = width.saturating_sub(others + diff.title().width());
        let facts = facts.into_iter().take_while(|fact| {
            let columns = SEPARATOR.width() + fact.width();
            let fits = columns <= room;
            room = room.saturating_sub(columns);
            fits
        });
        facts.collect()
    }

    /// How many files can be listed below `above` other lines. The list does not move the row that
    /// was selected first from the first screen, which may be there before the list.
    fn room_for_files(&self, diff: &DiffView, above: usize) -> usize {
        let rows = usize::from(self.diff_rows());
        let margin = FIRST_SCREEN_MARGIN as usize + 1;
        let first_row = diff.first_row.filter(|_| !diff.unfolded);
        let free = first_row.and_then(|row| rows.checked_sub(above + row + margin));
        free.map_or(usize::MAX, |free| free.saturating_sub(FILE_LIST_LINES))
    }

    /// The commit's files, if there are several.
    fn file_lines(&self, diff: &DiffView, most: usize, width: usize) -> Vec<DetailLine> {
        let Some(Ok(changes)) = &diff.files else {
            return Vec::new();
        };
        let (files, current) = (&changes.files, diff.file());
        if files.len() < 2 {
            return Vec::new();
        }
        let omitted = diff.omitted_files();
        let first = current.unwrap_or(0).saturating_sub(most / 2);
        let first = first.min(files.len().saturating_sub(most));
        let shown = files.iter().enumerate().skip(first).take(most);
        let mut count = counted(files.len(), changes.more);
        if omitted > 0 {
            count += &match diff.parts().len() {
                1 => "; 1 is shown below".to_owned(),
                shown => format!("; {shown} are shown below"),
            };
        }
        let (before, after) = (first, files.len().saturating_sub(first + most));
        if before + after + changes.more > 0 {
            let keys = ": {next-of-commit} and {previous-of-commit} go to the others";
            count += &format!(", {most} of them here{}", self.keymap.fill(keys));
        }
        let mut lines = vec![DetailLine::fact(&count, width)];
        for (at, file) in shown {
            let mark = if current == Some(at) { ">" } else { " " };
            let text = format!("{mark} {}", in_words(file));
            let mut line = DetailLine::fact(&text, width);
            if current == Some(at) {
                line.kind = DetailKind::Summary;
            }
            line.links.push((2..line.text.len().max(2), Link::File(at)));
            lines.push(line);
        }
        lines
    }
}

/// A person with the time, and the day unless that `has_day` elsewhere, in one row.
fn person_row(
    label: &str,
    person: &Signature,
    has_day: bool,
    now: i64,
    width: usize,
) -> DetailLine {
    let (name, mail) = (sanitize::line(&person.name), sanitize::line(&person.mail));
    let moment = relative_dates::moment(person.time, person.offset);
    let time = match moment.split_once(' ').filter(|_| has_day) {
        Some((_, time)) => time,
        None => &moment,
    };
    let room = width.saturating_sub(time.len() + 2);
    let person_words = format!("{label:<10} {name} <{mail}>");
    let words = sanitize::clip(person_words.as_bytes(), room);
    let row = format!("{words}  {time}");
    let ago = format!(" ({})", relative_dates::ago(now, person.time));
    let ago = Some(ago).filter(|ago| row.width() + ago.width() <= width);
    DetailLine::fact(&(row + &ago.unwrap_or_default()), width)
}

fn counted(count: usize, more: usize) -> String {
    match more {
        0 => format!("files      {count}"),
        _ => format!("files      {count}, and {more} that are not listed"),
    }
}

/// A file of the list: how it changed, and its path.
pub fn in_words(file: &FileChange) -> String {
    let path = |side: &Option<(Arc<bstr::BString>, u32)>| {
        let path = side.as_ref().map(|(path, _)| sanitize::line(path));
        path.unwrap_or_default()
    };
    let (old, new) = (path(&file.old), path(&file.new));
    match (&file.old, &file.new, file.similarity) {
        (Some(_), Some(_), Some(similarity)) => {
            let what = if file.copied { "copied " } else { "renamed" };
            format!("{what} {new}  from {old}, {similarity}% similar")
        }
        (Some((_, before)), Some((_, after)), None) if before != after => {
            format!("changed {new}  {}", modes(*before, *after))
        }
        (Some(_), Some(_), None) => format!("changed {new}"),
        (None, _, _) => format!("new     {new}"),
        (_, None, _) => format!("removed {old}"),
    }
}

fn modes(before: u32, after: u32) -> String {
    let kind = |mode: u32| match file_type(mode) {
        0o120_000 => "link",
        0o160_000 => "submodule",
        _ if mode & 0o111 != 0 => "executable",
        _ => "file",
    };
    format!(
        "mode {before:06o}, now {after:06o} ({} → {})",
        kind(before),
        kind(after)
    )
}

impl DiffView {
    /// Changes of the file other than its text: rename, mode and so on. Its path alone is a fact among
    /// the `whole` ones unless it `is_listed` among the commit's files, and a rename unless it `is_named`
    /// there or elsewhere.
    fn file_facts(&self, whole: bool, (is_listed, is_named): (bool, bool)) -> Vec<String> {
        let mut lines = Vec::new();
        let (old, new) = self.paths();
        let diff = self.comparison();
        if let Some(path) = new.or(old) {
            let text = match (self.versions(), old, new) {
                (_, _, None) => ", which the commit removed",
                (_, None, _) if self.boundary => "",
                (_, None, _) if self.commit.is_none() => ", which is new",
                (_, None, _) => ", which the commit added",
                _ => "",
            };
            if !is_listed && (whole || !text.is_empty()) {
                lines.push(format!("file       {}{text}", sanitize::line(path)));
            }
        }
        if let (Some(old), Some(new)) = (old, new)
            && old != new
            && !is_named
        {
            let label = if diff.is_some_and(|diff| diff.copied) {
                "copied"
            } else {
                "renamed"
            };
            let similarity = diff.and_then(|diff| diff.similarity);
            let similarity = similarity.map_or(String::new(), |similarity| {
                format!(", {similarity}% similar")
            });
            lines.push(format!(
                "{label:<10} from {}{similarity}",
                sanitize::line(old)
            ));
        }
        match diff.map(|diff| diff.modes) {
            Some((Some(before), Some(after))) if before != after => {
                let text = modes(before, after);
                lines.push(text.replacen("mode ", "mode       ", 1));
            }
            Some((None, Some(mode)) | (Some(mode), None))
                if mode & 0o7_777 != 0o644 && (old.is_none() || new.is_none()) =>
            {
                lines.push(format!("mode       {mode:06o}"));
            }
            _ => {}
        }
        if diff.is_some_and(|diff| diff.old.is_binary() || diff.new.is_binary()) {
            lines.push("binary     non-text bytes are shown as ^@ or <FF>".to_owned());
        }
        lines.extend(self.notes.iter().cloned());
        lines
    }

    /// Which of the commit's files it is, for the header of a screen of this width.
    pub(super) fn place_among_files(&self, width: usize) -> Option<String> {
        let changes = self.files.as_ref()?.as_ref().ok()?;
        let count = changes.files.len() + changes.more;
        let words = match self.file() {
            Some(at) => format!(" file {} of {} ", at + 1, thousands(count)),
            None => format!(" {} files ", thousands(count)),
        };
        (count > 1 && width > 3 * words.width()).then_some(words)
    }

    /// The title for the header: the file and its source.
    pub fn title(&self) -> String {
        let (old, new) = self.paths();
        let shown = |path: &bstr::BString| sanitize::line(path);
        let diff = self.comparison();
        match (old, new) {
            (Some(old), Some(new)) if old != new => {
                let similarity = diff.and_then(|diff| diff.similarity);
                let similarity =
                    similarity.map_or(String::new(), |similarity| format!(" {similarity}%"));
                format!("{} → {}{similarity}", shown(old), shown(new))
            }
            (_, Some(path)) | (Some(path), None) => shown(path),
            (None, None) => match &self.job.target {
                DiffTarget::Commit { path, .. } => shown(path),
                _ => String::new(),
            },
        }
    }
}
