//! `--why --json`.

use crate::output::{
    buffer::OutputBuffer,
    json::{
        records::{self, JsonHeader},
        values::{
            push_commit_text, push_flag, push_id, push_key, push_line_numbers, push_list,
            push_number, push_or_null, push_text,
        },
    },
    why::{
        budget::{Extent, FittedItem, WeighedItem, fit},
        facts::{DeletedHere, KeptLines, LineFacts, LineReason},
    },
};

/// The smallest budget, in bytes.
pub(crate) const MIN_BUDGET: usize = 2000;

/// The default budget, in bytes.
pub(crate) const DEFAULT_BUDGET: usize = 16_000;

/// The bytes that one commit takes at least.
pub(crate) const LEAST_PER_COMMIT: usize = 250;

/// Most bytes of a message and lines of each side of a change, whole and short.
const WHOLE: (usize, usize) = (2000, 20);
const SHORT: (usize, usize) = (400, 5);

/// Most of the lines that were asked for.
const MAX_ASKED: usize = 10;

/// Writes the records, together at most `budget` bytes, which is [`MIN_BUDGET`] or more.
///
/// # Errors
///
/// If names and lines need more: how many bytes they do.
pub(crate) fn push_all(
    out: &mut OutputBuffer<'_>,
    facts: &LineFacts,
    header: &JsonHeader<'_>,
    budget: usize,
) -> Result<(), usize> {
    let fixed = written(|out| {
        records::push_header(out, header, None);
        push_asked(out, facts, budget / 4);
    });
    let (reasons, deletions) = (facts.reasons.len(), facts.deletions.len());
    // Each number is as long as it can be.
    let most = Ending {
        budget,
        dropped: (reasons + facts.unread.0, deletions + facts.unread.1),
        shortened: reasons + deletions,
        kept: (reasons, deletions),
    };
    let needed = fixed.len() + written(|out| most.push(out)).len();
    let Some(left) = budget.checked_sub(needed) else {
        return Err(needed);
    };
    let of_blame = facts.blamed_count();
    let reasons = facts.reasons.iter().enumerate().map(|(at, reason)| {
        let bytes = |extent| written(|out| push_reason(out, reason, extent));
        json_item(bytes, at.checked_sub(of_blame).unwrap_or(at), at < of_blame)
    });
    let deletions = facts.deletions.iter().enumerate().map(|(at, deleted)| {
        let bytes = |extent| written(|out| push_deletion(out, deleted, extent));
        json_item(bytes, at, false)
    });
    let items: Vec<JsonItem> = reasons.chain(deletions).collect();
    let weighed: Vec<WeighedItem> = items.iter().map(|item| item.weighed).collect();
    let extents = fit(&weighed, left);
    out.bytes(&fixed);
    for (item, extent) in items.iter().zip(&extents) {
        out.bytes(item.parts(*extent));
    }
    let (of_reasons, of_deletions) = extents.split_at(facts.reasons.len());
    let count = |extents: &[Extent], extent| extents.iter().filter(|it| **it == extent).count();
    let dropped = (
        count(of_reasons, Extent::Dropped),
        count(of_deletions, Extent::Dropped),
    );
    let ending = Ending {
        budget,
        dropped: (dropped.0 + facts.unread.0, dropped.1 + facts.unread.1),
        shortened: count(&extents, Extent::Brief),
        kept: (of_reasons.len() - dropped.0, of_deletions.len() - dropped.1),
    };
    ending.push(out);
    Ok(())
}

/// What the records `dropped` and `end` say, of pairs first for reasons and then for deletions.
struct Ending {
    budget: usize,
    dropped: (usize, usize),
    shortened: usize,
    kept: (usize, usize),
}

impl Ending {
    fn push(&self, out: &mut OutputBuffer<'_>) {
        out.bytes(b"{\"type\":\"dropped\",\"budget\":");
        out.number(self.budget as u64);
        push_number(out, "reasons", self.dropped.0 as u64);
        push_number(out, "deletedLines", self.dropped.1 as u64);
        push_number(out, "shortened", self.shortened as u64);
        out.bytes(b"}\n");
        let counts = [
            ("reasons", self.kept.0 as u64),
            ("deletedLines", self.kept.1 as u64),
        ];
        records::push_end(out, &counts, None);
    }
}

/// An item as records.
type JsonItem = FittedItem<u8>;

/// The item that `bytes` gives for each extent.
fn json_item(bytes: impl Fn(Extent) -> Vec<u8>, place: usize, is_first: bool) -> JsonItem {
    let records = [Extent::Brief, Extent::Short, Extent::Whole].map(bytes);
    JsonItem::new(records, place, is_first)
}

/// What `push` writes.
fn written(push: impl FnOnce(&mut OutputBuffer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = OutputBuffer::new(&mut bytes);
    push(&mut out);
    out.flush().expect("a vector takes everything");
    drop(out);
    bytes
}

/// The lines that were asked for, as far as they fit into `most` bytes.
fn push_asked(out: &mut OutputBuffer<'_>, facts: &LineFacts, most: usize) {
    out.bytes(b"{\"type\":\"lines\",\"path\":");
    push_text(out, &facts.path);
    push_line_numbers(out, "ranges", &facts.ranges);
    let mut left = most;
    let mut kept = KeptLines::default();
    for (_, line) in &facts.lines {
        let needed = written(|out| push_text(out, line)).len() + 1;
        match left.checked_sub(needed) {
            Some(less) => left = less,
            None => break,
        }
        kept.push(line);
    }
    push_lines(out, "lines", &kept, MAX_ASKED);
    out.bytes(b"}\n");
}

fn push_reason(out: &mut OutputBuffer<'_>, reason: &LineReason, extent: Extent) {
    out.bytes(b"{\"type\":\"reason\",\"commit\":");
    push_id(out, &reason.commit);
    push_commit_text(out, &reason.text);
    push_line_numbers(out, "blamed", &reason.blamed);
    push_flag(out, "boundary", reason.is_boundary);
    push_flag(out, "shortened", extent == Extent::Brief);
    let request = reason.arrival.request;
    push_or_null(out, "request", request, |out, request| {
        push_text(out, request.to_string().as_bytes());
    });
    push_or_null(out, "release", reason.release.as_ref(), |out, tag| {
        push_text(out, tag)
    });
    if extent == Extent::Brief {
        out.bytes(b"}\n");
        return;
    }
    let (most_bytes, most_lines) = match extent {
        Extent::Short => SHORT,
        _ => WHOLE,
    };
    push_or_null(out, "merge", reason.arrival.merge.as_ref(), push_id);
    let (body, more) = reason.body(most_bytes);
    push_key(out, "message");
    push_text(out, &body.join(&b'\n'));
    push_flag(out, "messageCut", more > 0);
    push_list(out, "agents", &reason.agents, |out, (agent, source)| {
        out.bytes(b"{\"name\":");
        push_text(out, agent.as_bytes());
        push_key(out, "source");
        push_text(out, source.as_bytes());
        out.byte(b'}');
    });
    push_list(out, "references", &reason.references, |out, referred| {
        out.bytes(b"{\"relation\":");
        push_text(out, referred.relation.as_bytes());
        push_key(out, "commit");
        push_id(out, &referred.commit);
        push_key(out, "summary");
        push_text(out, &referred.summary);
        out.byte(b'}');
    });
    push_or_null(out, "change", reason.change.as_ref(), |out, change| {
        out.bytes(b"{\"path\":");
        push_text(out, &change.path);
        push_line_numbers(out, "ranges", &change.ranges);
        push_flag(out, "moved", change.is_moved);
        push_or_null(
            out,
            "renamedFrom",
            change.renamed_from.as_ref(),
            |out, path| {
                push_text(out, path);
            },
        );
        push_lines(out, "before", &change.before, most_lines);
        push_number(out, "beforeCount", change.before.count as u64);
        push_lines(out, "after", &change.after, most_lines);
        push_number(out, "afterCount", change.after.count as u64);
        out.byte(b'}');
    });
    out.bytes(b"}\n");
}

fn push_deletion(out: &mut OutputBuffer<'_>, deleted: &DeletedHere, extent: Extent) {
    out.bytes(b"{\"type\":\"deletedLines\",\"commit\":");
    push_id(out, &deleted.commit);
    push_commit_text(out, &deleted.text);
    push_flag(out, "shortened", extent == Extent::Brief);
    push_number(out, "below", deleted.below.into());
    push_number(out, "lineCount", deleted.lines.count as u64);
    match extent {
        Extent::Dropped | Extent::Brief => {}
        Extent::Short => push_lines(out, "lines", &deleted.lines, SHORT.1),
        Extent::Whole => push_lines(out, "lines", &deleted.lines, WHOLE.1),
    }
    out.bytes(b"}\n");
}

fn push_lines(out: &mut OutputBuffer<'_>, key: &str, kept: &KeptLines, most: usize) {
    let lines = kept.lines.iter().take(most);
    push_list(out, key, lines, |out, line| push_text(out, line));
}
