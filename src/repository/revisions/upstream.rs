//! `@{upstream}` and `@{push}`: the references that a branch follows.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    repository::{
        open::{configuration::value::boolean, remotes::RemoteSettings},
        revisions::resolver::RevisionResolver,
    },
};

/// Which of the references that a branch follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Followed {
    /// `@{upstream}`
    Upstream,
    /// `@{push}`
    Push,
}

impl Followed {
    /// The meaning of the word in `@{word}`, in any letter case.
    pub(super) fn from_word(word: &[u8]) -> Option<Followed> {
        match word.to_ascii_lowercase().as_slice() {
            b"u" | b"upstream" => Some(Followed::Upstream),
            b"push" => Some(Followed::Push),
            _ => None,
        }
    }
}

impl RevisionResolver<'_> {
    /// The full name of what `branch` follows; the current branch if the name is empty or `HEAD`.
    pub(super) fn followed(&mut self, branch: &BStr, what: Followed) -> Result<BString> {
        self.repository.remotes().check_booleans()?;
        let current = matches!(branch.as_bytes(), b"" | b"@" | b"HEAD");
        let (branch, exists) = match current {
            true => {
                let full = self.references.current_branch();
                let full = full.ok_or_else(|| Error::fatal("HEAD does not point to a branch"))?;
                let exists = self.references.object(full.as_bstr()).is_some();
                (full[b"refs/heads/".len()..].into(), exists)
            }
            false => {
                let full = [b"refs/heads/", branch.as_bytes()].concat();
                let found = self.references.resolve(full.as_bstr());
                (branch.to_owned(), found.is_some_and(|it| it.id().is_some()))
            }
        };
        let config = BranchConfig {
            remotes: self.repository.remotes(),
            branch,
            exists,
        };
        match what {
            Followed::Upstream => config.upstream(),
            Followed::Push => config.push_destination(),
        }
    }
}

/// What the configuration says of a branch.
struct BranchConfig<'a> {
    remotes: &'a RemoteSettings,
    /// Without `refs/heads/`.
    branch: BString,
    /// There is a reference. The configuration of a branch that was removed counts all the same.
    exists: bool,
}

impl BranchConfig<'_> {
    fn full_name(&self) -> BString {
        [b"refs/heads/", self.branch.as_bytes()].concat().into()
    }

    /// The last value of `SECTION.SUBSECTION.KEY`.
    fn value(&self, section: &str, subsection: &BStr, key: &str) -> Option<BString> {
        let last = self.remotes.last(section, Some(subsection), key);
        last.map(ToOwned::to_owned)
    }

    fn values(&self, section: &str, subsection: &BStr, key: &str) -> Vec<BString> {
        let values = self.remotes.values(section, Some(subsection), key);
        values.flatten().map(ToOwned::to_owned).collect()
    }

    fn upstream(&self) -> Result<BString> {
        let branch = self.branch.as_bstr();
        let remote = self.value("branch", branch, "remote");
        let merge = self.values("branch", branch, "merge").into_iter().next();
        let (Some(remote), Some(merge)) = (remote, merge) else {
            let problem = match self.exists {
                true => "no upstream configured for branch ",
                false => "no such branch: ",
            };
            return Err(Error::fatal(quoted(problem, branch, "")));
        };
        if remote == "." {
            return Ok(merge);
        }
        self.tracking(remote.as_bstr(), merge.as_bstr())
            .ok_or_else(|| {
                let problem = " not stored as a remote-tracking branch";
                Error::fatal(quoted("upstream branch ", merge.as_bstr(), problem))
            })
    }

    fn push_destination(self) -> Result<BString> {
        let branch = self.branch.as_bstr();
        let push_default = self.remotes.last("remote", None, "pushdefault");
        let remote = self
            .value("branch", branch, "pushremote")
            .or_else(|| push_default.map(ToOwned::to_owned))
            .or_else(|| self.value("branch", branch, "remote"))
            .or_else(|| self.only_remote());
        let Some(remote) = remote else {
            let message = quoted("branch ", branch, " has no remote for pushing");
            return Err(Error::fatal(message));
        };
        let remote = remote.as_bstr();
        let specs = self.values("remote", remote, "push");
        let full = self.full_name();
        if !specs.is_empty() {
            let Some(destination) = mapped(&specs, full.as_bstr(), true) else {
                let mut message = quoted("push refspecs for ", remote, " do not include ");
                message.extend_from_slice(&quoted("", branch, ""));
                return Err(Error::fatal(message));
            };
            return self.tracking_of_push(remote, destination.as_bstr());
        }
        if self.is_mirror(remote) {
            return self.tracking_of_push(remote, full.as_bstr());
        }
        match self
            .remotes
            .last("push", None, "default")
            .map(|value| value.as_bytes())
        {
            Some(b"nothing") => Err(Error::fatal(
                "push has no destination (push.default is 'nothing')",
            )),
            Some(b"matching" | b"current") => self.tracking_of_push(remote, full.as_bstr()),
            Some(b"upstream" | b"tracking") => self.upstream(),
            _ => {
                let upstream = self.upstream()?;
                match self.tracking_of_push(remote, full.as_bstr())? == upstream {
                    true => Ok(upstream),
                    false => Err(Error::fatal(
                        "cannot resolve 'simple' push to a single destination",
                    )),
                }
            }
        }
    }

    /// `remote.REMOTE.mirror`: a variable without a value is true.
    fn is_mirror(&self, remote: &BStr) -> bool {
        let last = self.remotes.values("remote", Some(remote), "mirror").last();
        last.is_some_and(|value| value.is_none_or(|value| boolean(value) == Some(true)))
    }

    /// `origin`, or the only remote there is.
    fn only_remote(&self) -> Option<BString> {
        let only = self.remotes.only_remote();
        Some(only.map_or_else(|| "origin".into(), ToOwned::to_owned))
    }

    fn tracking_of_push(&self, remote: &BStr, name: &BStr) -> Result<BString> {
        self.tracking(remote, name).ok_or_else(|| {
            let mut message = quoted("push destination ", name, " on remote ");
            message.push_str(quoted("", remote, " has no local tracking branch"));
            Error::fatal(message)
        })
    }

    /// Where `remote.REMOTE.fetch` stores the remote's reference `name`.
    fn tracking(&self, remote: &BStr, name: &BStr) -> Option<BString> {
        let specs = self.values("remote", remote, "fetch");
        mapped(&specs, name, false)
    }
}

/// Applies refspecs to a source; `push` lets a destination be missing.
fn mapped(specs: &[BString], name: &BStr, push: bool) -> Option<BString> {
    let excluded = |spec: &BString| {
        let pattern = spec.strip_prefix(b"^")?;
        part_of_pattern(pattern, name)
    };
    if specs.iter().any(|spec| excluded(spec).is_some()) {
        return None;
    }
    specs.iter().find_map(|spec| {
        let spec = spec.strip_prefix(b"+").unwrap_or(spec);
        let (source, destination) = match spec.find_byte(b':') {
            Some(at) => (&spec[..at], &spec[at + 1..]),
            None if push => (spec, spec),
            None => return None,
        };
        let matched = part_of_pattern(source, name)?;
        if destination.is_empty() {
            return None;
        }
        Some(match destination.find_byte(b'*') {
            Some(at) => [&destination[..at], matched, &destination[at + 1..]]
                .concat()
                .into(),
            None => destination.into(),
        })
    })
}

/// The part of `name` that the `*` of `pattern` stands for; empty for equal texts.
fn part_of_pattern<'a>(pattern: &[u8], name: &'a BStr) -> Option<&'a [u8]> {
    match pattern.find_byte(b'*') {
        Some(at) => {
            let rest = name.strip_prefix(&pattern[..at])?;
            rest.strip_suffix(&pattern[at + 1..])
        }
        None => (pattern == name.as_bytes()).then_some(b""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refspecs_map_names() {
        let of = |specs: &[&str], name: &str, push| {
            let specs: Vec<BString> = specs.iter().map(|spec| BString::from(*spec)).collect();
            mapped(&specs, name.into(), push)
        };
        let all = "+refs/heads/*:refs/remotes/o/*";
        let found = Some("refs/remotes/o/a/b".into());
        assert_eq!(of(&[all], "refs/heads/a/b", false), found);
        assert_eq!(of(&[all], "refs/tags/a", false), None);
        assert_eq!(of(&[all, "^refs/heads/a*"], "refs/heads/ab", false), None);
        assert_eq!(of(&["a:b"], "a", false), Some("b".into()));
        assert_eq!(of(&["a"], "a", true), Some("a".into()));
        assert_eq!(of(&["a"], "a", false), None);
    }
}
