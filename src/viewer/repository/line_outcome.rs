//! Answers [`LineOutcomeQuery`] with a git repository.

use std::{ops::ControlFlow, sync::Arc};

use bstr::BString;

use crate::{
    engine::{Entry, Origin, OriginId, Request, Sink, Start},
    objects::ObjectId,
    repository::revisions::merge_bases::{is_ancestor, oldest_child},
    text::thousands::line_number,
    viewer::{
        model::{
            background::{
                line_outcome::{CommittedLine, LineOutcome, LineOutcomeQuery},
                query::{AnswerTaker, Answers, Stop},
            },
            file_version::CommitMetadata,
            source::Failure,
        },
        repository::walks::GitWalks,
    },
};

impl Answers<LineOutcomeQuery> for GitWalks {
    fn run(
        &mut self,
        query: &LineOutcomeQuery,
        AnswerTaker { stop, .. }: AnswerTaker<'_, LineOutcomeQuery>,
    ) -> Result<LineOutcome, Failure> {
        let request = (self.request)(&query.version)?;
        let Start::Commit(version) = request.start else {
            return Err(Failure::new("the work tree is the newest version"));
        };
        let head = self.repository.head_commit();
        let head = head.ok_or_else(|| Failure::new("there is no HEAD"))?;
        // The range is that from the version to HEAD, whatever the command line's is.
        let mut request = Request {
            negatives: Vec::new(),
            boundaries: Vec::new(),
            since: None,
            ..request
        };
        request.diff.ignore_whitespace = query.whitespace;
        let line = CommittedLine {
            commit: version,
            path: Arc::new(request.path.clone()),
            line: query.line,
        };
        let mut followed = self.follow(&request, &line, head, stop)?;
        while let Some(side) = self.follow_aside(&request, &line, &followed, stop)? {
            followed = side;
        }
        Ok(LineOutcome {
            is_at_head: followed.last.commit == head,
            last: followed.last,
            other_branch: followed.other_branch,
            next: followed.next,
            metadata: followed.metadata.map(Arc::new),
        })
    }
}

/// A commit, and the path of the file in it.
type CommittedFile = (ObjectId, Arc<BString>);

/// A commit, and the path of the file in it, unless that deleted the file.
type NextCommit = (ObjectId, Option<Arc<BString>>);

/// How far a line was followed.
struct FollowedLine {
    /// The last commit with the line.
    last: CommittedLine,
    /// The commit after it.
    next: Option<NextCommit>,
    /// What that commit says.
    metadata: Option<CommitMetadata>,
    /// Who wrote the line, where there is nothing to follow it through.
    other_branch: Option<ObjectId>,
}

impl GitWalks {
    /// True if `commit` is `ancestor` or descends from it.
    fn descends(&self, commit: ObjectId, ancestor: ObjectId) -> Result<bool, Failure> {
        let (mut reader, grafts) = (self.repository.reader(), self.repository.grafts());
        is_ancestor(&mut reader, grafts, ancestor, commit).map_err(Failure::new)
    }

    /// Follows a line to `tip`, as `git blame --reverse` does.
    fn follow(
        &mut self,
        request: &Request,
        line: &CommittedLine,
        tip: ObjectId,
        stop: Stop<'_>,
    ) -> Result<FollowedLine, Failure> {
        let (mut last, mut next) = self.last_version(request, line, tip, stop)?;
        // The tip does not descend from the line's version.
        if next.is_none() && last.commit != tip {
            // Where it was written, or the first commit with it from which the tip descends.
            let since = Request {
                negatives: vec![tip],
                ..request.clone()
            };
            let (written, _) = self.blame_line(since, line, stop)?;
            if !self.descends(tip, written.commit)? {
                return Ok(FollowedLine {
                    last: line.clone(),
                    next: None,
                    metadata: None,
                    other_branch: Some(written.commit),
                });
            }
            (last, next) = self.last_version(request, &written, tip, stop)?;
        }
        let (_, commits) = self.parts();
        let metadata = next.as_ref().and_then(|(id, _)| commits.commit(id).ok());
        Ok(FollowedLine {
            last,
            next,
            metadata,
            other_branch: None,
        })
    }

    /// The last version with a line on the way to `tip`, and the commit after it on that way, as in
    /// [`FollowedLine`].
    fn last_version(
        &mut self,
        request: &Request,
        line: &CommittedLine,
        tip: ObjectId,
        stop: Stop<'_>,
    ) -> Result<(CommittedLine, Option<NextCommit>), Failure> {
        let request = Request {
            reverse: Some(vec![tip]),
            ..request.clone()
        };
        let (last, next) = self.blame_line(request, line, stop)?;
        if let Some((commit, path)) = next {
            return Ok((last, Some((commit, Some(path)))));
        }
        let (mut reader, grafts) = (self.repository.reader(), self.repository.grafts());
        let child = oldest_child(&mut reader, grafts, last.commit, tip);
        let child = child.map_err(Failure::new)?;
        Ok((last, child.map(|child| (child, None))))
    }

    /// If a merge is where a line ended, the end on the way to another of its parents: git follows
    /// a line to the last parent that has it, although the merge only takes what a commit before
    /// another parent did. `None` if the line did not end on the way to one: then the merge itself
    /// changed it, or it is no merge.
    fn follow_aside(
        &mut self,
        request: &Request,
        line: &CommittedLine,
        followed: &FollowedLine,
        stop: Stop<'_>,
    ) -> Result<Option<FollowedLine>, Failure> {
        let parents = followed.metadata.as_ref();
        let parents = parents.map_or(&[][..], |metadata| &metadata.merge_parents);
        for &parent in parents {
            if parent == followed.last.commit {
                continue;
            }
            let side = self.follow(request, line, parent, stop)?;
            if side.next.is_some() {
                return Ok(Some(side));
            }
        }
        Ok(None)
    }

    /// The line that the blame of `line` finds, and the file that was compared with its version.
    fn blame_line(
        &mut self,
        request: Request,
        line: &CommittedLine,
        stop: Stop<'_>,
    ) -> Result<(CommittedLine, Option<CommittedFile>), Failure> {
        let lines = line.line..line.line.saturating_add(1);
        let request = Request {
            start: Start::Commit(line.commit),
            path: BString::clone(&line.path),
            ranges: Some(vec![lines]),
            ..request
        };
        let (engine, _) = self.parts();
        let blame = engine.blame(&request, &mut WhileWanted(stop));
        engine.release_versions();
        let blame = blame.map_err(Failure::new)?;
        let origin = |id: OriginId| blame.origins.get(id.0 as usize);
        let entry = blame.entries.first();
        let found = entry.and_then(|entry| Some((entry, origin(entry.origin)?)));
        let Some((entry, found)) = found else {
            let number = line_number(line.line);
            return Err(Failure::new(format!("there is no line {number}")));
        };
        let other = found.previous.and_then(origin);
        let other = other.map(|other| (other.commit, Arc::clone(&other.path)));
        let found = CommittedLine {
            commit: found.commit,
            path: Arc::clone(&found.path),
            line: entry.source_start,
        };
        Ok((found, other))
    }
}

/// Stops a blame when its answer is no longer wanted.
struct WhileWanted<'a>(Stop<'a>);

impl WhileWanted<'_> {
    fn go_on(&self) -> ControlFlow<()> {
        if (self.0)() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Sink for WhileWanted<'_> {
    fn started(&mut self, _: &Arc<[u8]>, _: u32) -> ControlFlow<()> {
        self.go_on()
    }

    fn entry(&mut self, _: &Entry, _: &[Origin], _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, _: i64) -> ControlFlow<()> {
        self.go_on()
    }
}
