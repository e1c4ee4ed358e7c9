//! `@{upstream}` and `@{push}`: the references that a branch follows.

use bstr::{BStr, BString, ByteSlice, ByteVec};

use crate::{
    error::{Error, Result, quoted},
    repository::{
        open::{configuration::value::boolean, remotes::RemoteSettings},
        revisions::{
            refspec::{Refspec, RefspecUse, mapped},
            resolver::RevisionResolver,
        },
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
        let current = matches!(branch.as_bytes(), b"" | b"@" | b"HEAD");
        let (branch, exists) = if current {
            let full = self.references.current_branch();
            let full = full.ok_or_else(|| Error::fatal("HEAD does not point to a branch"))?;
            let exists = self.references.object(full.as_bstr()).is_some();
            (full[b"refs/heads/".len()..].into(), exists)
        } else {
            let full = [b"refs/heads/", branch.as_bytes()].concat();
            let found = self.references.resolve(full.as_bstr());
            (branch.to_owned(), found.is_some_and(|it| it.id().is_some()))
        };
        let config = BranchConfig {
            hex_len: self.repository.hash().len_in_hex(),
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

/// The configuration of a branch.
struct BranchConfig<'a> {
    /// The number of digits of object ids.
    hex_len: usize,
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
            let problem = if self.exists {
                "no upstream configured for branch "
            } else {
                "no such branch: "
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
        let full = self.full_name();
        if self
            .remotes
            .values("remote", Some(remote), "push")
            .next()
            .is_some()
        {
            let Some(destination) = self.mapped(remote, RefspecUse::Push, full.as_bstr()) else {
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
            Some(unknown) if unknown != b"simple" => Err(Error::fatal(quoted(
                "malformed value for push.default: ",
                unknown.as_bstr(),
                "",
            ))),
            _ => {
                let upstream = self.upstream()?;
                if self.tracking_of_push(remote, full.as_bstr())? == upstream {
                    Ok(upstream)
                } else {
                    Err(Error::fatal(
                        "cannot resolve 'simple' push to a single destination",
                    ))
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
        self.mapped(remote, RefspecUse::Fetch, name)
    }

    /// The name that the refspecs of `remote` map `name` to. Invalid ones are passed over.
    fn mapped(&self, remote: &BStr, of: RefspecUse, name: &BStr) -> Option<BString> {
        let key = match of {
            RefspecUse::Fetch => "fetch",
            RefspecUse::Push => "push",
        };
        let values = self.remotes.values("remote", Some(remote), key);
        let specs = values
            .flatten()
            .filter_map(|text| Refspec::parse(text, of, self.hex_len));
        mapped(&specs.collect::<Vec<_>>(), name)
    }
}
