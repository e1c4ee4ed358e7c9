//! The variables of remotes, branches and URLs.

use bstr::{BStr, BString, ByteSlice};

use crate::repository::open::configuration::{sources::Configuration, variable::Variable};

/// The sections whose variables are kept here.
const SECTIONS: [&[u8]; 4] = [b"branch", b"push", b"remote", b"url"];

/// The variables of remotes, branches and URLs, in the order in which git reads them.
#[derive(Debug)]
pub(crate) struct RemoteSettings(Configuration);

impl RemoteSettings {
    pub(super) fn new(configuration: Configuration) -> RemoteSettings {
        RemoteSettings(configuration)
    }

    /// All of the configuration.
    pub(super) fn configuration(&self) -> &Configuration {
        &self.0
    }

    fn variables(&self) -> impl Iterator<Item = &Variable> {
        let all = self.0.variables().map(|located| located.variable);
        all.filter(|variable| SECTIONS.contains(&variable.section().as_bytes()))
    }

    /// The values of `SECTION.SUBSECTION.NAME`, all but the subsection in lower case; `None` for a
    /// variable without an equals sign.
    pub(crate) fn values<'a>(
        &'a self,
        section: &str,
        subsection: Option<&BStr>,
        name: &str,
    ) -> impl Iterator<Item = Option<&'a BStr>> {
        let is_wanted = move |variable: &&'a Variable| {
            variable.section() == section
                && variable.name() == name
                && variable.subsection() == subsection
        };
        let found = self.variables().filter(is_wanted);
        found.map(|variable| variable.value.as_ref().map(|value| value.as_bstr()))
    }

    /// The last value of a variable that has one.
    pub(crate) fn last(
        &self,
        section: &str,
        subsection: Option<&BStr>,
        name: &str,
    ) -> Option<&BStr> {
        self.values(section, subsection, name).flatten().last()
    }

    /// True if there is a remote of this name.
    fn has_remote(&self, name: &BStr) -> bool {
        self.remotes().any(|remote| remote == name)
    }

    /// The name of the only remote.
    pub(crate) fn only_remote(&self) -> Option<&BStr> {
        let first = self.remotes().next()?;
        self.remotes().all(|name| name == first).then_some(first)
    }

    /// The names of the remotes, some of them many times.
    fn remotes(&self) -> impl Iterator<Item = &BStr> {
        let of_remotes = self.variables().filter(|it| it.section() == "remote");
        of_remotes.filter_map(Variable::subsection)
    }

    /// The URL of the remote that `branch` (without `refs/heads/`) follows, or of the only one, or
    /// of `origin`, with `url.*.insteadOf` applied.
    pub(super) fn url(&self, branch: Option<&BStr>) -> Option<BString> {
        let followed = branch.and_then(|branch| self.last("branch", Some(branch), "remote"));
        let followed = followed.filter(|name| self.has_remote(name));
        let remote = followed.or_else(|| self.only_remote());
        let remote = remote.unwrap_or("origin".into());
        // An empty one takes back those before it.
        let mut url = None;
        for value in self.values("remote", Some(remote), "url").flatten() {
            if value.is_empty() {
                url = None
            } else {
                url = url.or(Some(value))
            }
        }
        url.map(|url| self.rewritten(url))
    }

    /// A URL by the longest of the beginnings that another one is to take the place of; the first
    /// of equally long ones.
    fn rewritten(&self, url: &BStr) -> BString {
        let of_urls = self
            .variables()
            .filter(|variable| variable.section() == "url" && variable.name() == "insteadof");
        let mut found: Option<(&[u8], &BStr)> = None;
        for variable in of_urls {
            let (Some(base), Some(beginning)) = (variable.subsection(), &variable.value) else {
                continue;
            };
            let is_longer = found.is_none_or(|(longest, _)| beginning.len() > longest.len());
            if url.starts_with(beginning) && is_longer {
                found = Some((beginning, base));
            }
        }
        match found {
            Some((beginning, base)) => [base.as_bytes(), &url[beginning.len()..]].concat().into(),
            None => url.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> RemoteSettings {
        let lines = variables.iter().map(|(key, value)| {
            let (section, rest) = key.split_once('.').unwrap();
            let header = match rest.rsplit_once('.') {
                Some((subsection, _)) => format!("[{section} \"{subsection}\"]"),
                None => format!("[{section}]"),
            };
            let name = &key[key.rfind('.').unwrap() + 1..];
            format!("{header}\n\t{name} = {value}\n")
        });
        let text: String = lines.collect();
        RemoteSettings::new(Configuration::of_text(text.as_bytes()).unwrap())
    }

    #[test]
    fn the_url_is_that_of_the_followed_remote() {
        let mut all = vec![
            ("remote.one.url", "host:one"),
            ("remote.one.fetch", "+refs/heads/*:refs/remotes/one/*"),
        ];
        let url = |all: &[(&str, &str)], branch: Option<&str>| {
            let url = settings(all).url(branch.map(Into::into));
            url.map(|url| url.to_string())
        };
        assert_eq!(url(&all, None).as_deref(), Some("host:one"));
        all.push(("remote.pushdefault", "x"));
        all.push(("remote.two.three.url", "host:removed"));
        assert_eq!(url(&all, None), None);
        all.push(("remote.two.three.url", ""));
        all.push(("remote.two.three.url", "host:two"));
        all.push(("remote.two.three.url", "host:second"));
        all.push(("branch.a.remote", "two.three"));
        all.push(("branch.b.remote", "missing"));
        assert_eq!(url(&all, Some("a")).as_deref(), Some("host:two"));
        assert_eq!(url(&all, Some("b")), None);
        all.push(("remote.origin.url", "host:origin"));
        assert_eq!(url(&all, Some("b")).as_deref(), Some("host:origin"));
        all.push(("url.ssh://x/.insteadof", "host:"));
        all.push(("url.ssh://y/.insteadof", "host:o"));
        all.push(("url.ssh://z/.insteadof", "host:t"));
        assert_eq!(url(&all, None).as_deref(), Some("ssh://y/rigin"));
        assert_eq!(url(&all, Some("a")).as_deref(), Some("ssh://z/wo"));
    }
}
