//! Notations that lead from a commit to those before it: `A~3`, `A^@`, `A^!` and `A^-2`.

use bstr::{BStr, ByteSlice};

use super::revisions::{Resolver, peel_to_commit};
use crate::objects::ObjectId;

impl Resolver<'_> {
    /// `A^@`, `A^!` and `A^-n`, which stand for several commits.
    pub(super) fn several_parents(&mut self, name: &BStr, negative: bool) -> bool {
        use gix::revision::plumbing::Spec;
        let suffix = name.ends_with(b"^@")
            || name.ends_with(b"^!")
            || name
                .rfind(b"^-")
                .is_some_and(|at| name[at + 2..].iter().all(u8::is_ascii_digit));
        if !suffix {
            return false;
        }
        let Ok(spec) = self.gix.rev_parse(name).map(|spec| spec.detach()) else {
            return false;
        };
        // git names them all after what stands before.
        let name = name[..name.rfind_byte(b'^').unwrap_or(name.len())].as_bstr();
        match spec {
            Spec::IncludeOnlyParents(id) => {
                for parent in self.parents(&id) {
                    self.push(name.to_owned(), parent, negative);
                }
            }
            Spec::ExcludeParents(id) => {
                for parent in self.parents(&id) {
                    self.push(name.to_owned(), parent, !negative);
                }
                self.push(name.to_owned(), id, negative);
            }
            Spec::Range { from, to } => {
                self.push(name.to_owned(), from, !negative);
                self.push(name.to_owned(), to, negative);
            }
            _ => return false,
        }
        true
    }

    /// `A~3`: the commit, if there is one; `None` for other notations.
    pub(super) fn ancestor(&mut self, name: &BStr) -> Option<Option<ObjectId>> {
        let (name, generations) = generations(name)?;
        Some(self.first_parent(name, generations))
    }

    /// The commit so many first parents before `name`.
    fn first_parent(&mut self, name: &BStr, generations: u32) -> Option<ObjectId> {
        let start = self.single(name)?;
        let mut commit = peel_to_commit(&mut self.reader, start).ok()??;
        for _ in 0..generations {
            commit = *self.parents(&commit).first()?;
        }
        Some(commit)
    }

    /// The parents of a commit, by grafts if there are some; none where it cannot be read.
    fn parents(&mut self, id: &ObjectId) -> Vec<ObjectId> {
        match self.reader.commit_head(id) {
            Ok(head) => match self.repository.grafts().get(id) {
                Some(grafted) => grafted.clone(),
                None => head.parents.into_vec(),
            },
            Err(_) => Vec::new(),
        }
    }
}

/// Splits `A~2~` into `A` and 3. `None` where that is not all there is to it: in a path or a search,
/// or behind an abbreviated id, by which only a commit may be meant.
fn generations(name: &BStr) -> Option<(&BStr, u32)> {
    if name.contains(&b':') {
        return None;
    }
    let (mut base, mut generations) = (name, 0u32);
    while let Some(at) = base.rfind_byte(b'~') {
        let number = &base[at + 1..];
        if number.len() > 9 || !number.iter().all(u8::is_ascii_digit) {
            break;
        }
        let number = match number.as_bytes() {
            b"" => 1,
            digits => digits.to_str().ok()?.parse().ok()?,
        };
        generations = generations.checked_add(number)?;
        base = base[..at].as_bstr();
    }
    let abbreviated = base.iter().all(u8::is_ascii_hexdigit);
    (base.len() < name.len() && !abbreviated).then_some((base, generations))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_add_up() {
        let of = |name: &'static str| {
            generations(name.into()).map(|(base, count)| (base.to_string(), count))
        };
        assert_eq!(of("HEAD~"), Some(("HEAD".into(), 1)));
        assert_eq!(of("HEAD~0"), Some(("HEAD".into(), 0)));
        assert_eq!(of("v1~2~~3"), Some(("v1".into(), 6)));
        assert_eq!(of("v1^2~3"), Some(("v1^2".into(), 3)));
        assert_eq!(of("v1~x~3"), Some(("v1~x".into(), 3)));
        let others = [
            "HEAD",
            "HEAD~2^",
            "HEAD:a~1",
            ":/a~1",
            "abcd~1",
            "~1",
            "a~1234567890",
            "v~999999999~999999999~999999999~999999999~999999999",
        ];
        for name in others {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
