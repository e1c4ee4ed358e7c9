//! Versions of git, and what changed in the bytes that `git blame` writes.

/// A release of git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GitVersion {
    pub major: u32,
    pub minor: u32,
}

/// A change that a release of git made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitChange {
    /// Advice names the command `git config set`.
    AdviceWithSet,
    /// `--minimal` always finds the smallest difference: frequent lines are no longer set aside.
    MinimalIsMinimal,
    /// The porcelain formats say which lines are ignored or unblamable, if `blame.markIgnoredLines`
    /// or `blame.markUnblamableLines` is set.
    MarksInPorcelain,
    /// `blame.ignoreRevsFile` may name a file that need not exist, with `:(optional)`.
    OptionalFiles,
    /// `--diff-algorithm` and `diff.algorithm` have an effect on a blame; before, only `--minimal`
    /// had.
    DiffAlgorithm,
    /// The algorithm `histogram` compares groups of changes again after it has slid them.
    RefinedHistogram,
    /// A line has the color of repeated lines also where another entry of the same commit precedes
    /// it.
    RepeatedAcrossEntries,
    /// `today` begins at midnight in approximate dates, and `noon` and `tea` leave a day that is
    /// given as it is.
    ApproximateDays,
    /// Abbreviated ids are widened by the largest number of marks on a line; before, always by one.
    ColumnsForMarks,
}

/// The release that has each change first.
const CHANGES: [(GitChange, GitVersion); 9] = [
    (GitChange::AdviceWithSet, release(2, 48)),
    (GitChange::MinimalIsMinimal, release(2, 50)),
    (GitChange::MarksInPorcelain, release(2, 50)),
    (GitChange::OptionalFiles, release(2, 52)),
    (GitChange::DiffAlgorithm, release(2, 53)),
    (GitChange::RefinedHistogram, release(2, 54)),
    (GitChange::RepeatedAcrossEntries, release(2, 54)),
    (GitChange::ApproximateDays, release(2, 55)),
    (GitChange::ColumnsForMarks, release(2, 56)),
];

const fn release(major: u32, minor: u32) -> GitVersion {
    GitVersion { major, minor }
}

/// The newest.
impl Default for GitVersion {
    fn default() -> GitVersion {
        GitVersion::NEWEST
    }
}

impl GitVersion {
    /// A git that has no change.
    pub const OLDEST: GitVersion = release(0, 0);
    /// A git that has every change.
    pub const NEWEST: GitVersion = release(u32::MAX, 0);

    /// Reads a version such as `2.47.3`, `2.47.1.windows.2` or `2.56.0-rc1`; what follows the
    /// second number does not count, but a build between releases (`2.55.0.618.g1a3e64c6c4`) counts
    /// as the next release.
    pub fn parse(text: &str) -> Option<GitVersion> {
        let word = text.split_whitespace().next()?;
        let mut parts = word.split(['.', '-']);
        let major = parts.next()?.parse().ok()?;
        let minor: u32 = parts.next()?.parse().ok()?;
        let is_commit = |part: &str| {
            let id = part.strip_prefix('g').unwrap_or_default();
            id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_between = parts.any(is_commit);
        Some(release(major, minor.saturating_add(is_between.into())))
    }

    /// Reads what `git --version` prints.
    pub fn of_output(text: &str) -> Option<GitVersion> {
        GitVersion::parse(text.strip_prefix("git version ")?)
    }

    /// True if this release has the change.
    pub fn has(self, change: GitChange) -> bool {
        let since = CHANGES.iter().find(|(listed, _)| *listed == change);
        since.is_none_or(|(_, since)| self >= *since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let parse = |text| GitVersion::parse(text).map(|it| (it.major, it.minor));
        for (text, expected) in [
            ("2.47.3", Some((2, 47))),
            ("2.47", Some((2, 47))),
            ("2.39.5 (Apple Git-154)", Some((2, 39))),
            ("2.47.1.windows.2", Some((2, 47))),
            ("2.56.0-rc1", Some((2, 56))),
            ("2.56.0.rc1.12.gabcdef0", Some((2, 57))),
            ("2.55.0.618.g1a3e64c6c4", Some((2, 56))),
            ("3.0", Some((3, 0))),
            ("2", None),
            ("", None),
            ("x.y", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        let printed = GitVersion::of_output("git version 2.47.3\n");
        assert_eq!(printed, Some(release(2, 47)));
        assert_eq!(GitVersion::of_output("tblame 0.1.0\n"), None);
    }

    #[test]
    fn releases_have_the_changes_since() {
        for (change, since) in CHANGES {
            assert!(since.has(change) && GitVersion::NEWEST.has(change));
            assert!(
                !release(since.major, since.minor - 1).has(change),
                "{change:?}"
            );
        }
    }
}
