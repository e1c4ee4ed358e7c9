//! Web pages of commits, files and issues, derived from the URL of a remote.

use bstr::{BStr, ByteSlice};

use crate::{
    objects::ObjectId, text::percent, viewer::model::texts::message_references::MessageReference,
};

/// A forge, by its URL scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Forge {
    GitHub,
    GitLab,
    /// Gitea, Forgejo.
    Gitea,
    Bitbucket,
    Sourcehut,
    Cgit,
}

/// URL templates that override the detected forge, with the placeholders `{id}`, `{path}` and
/// `{line}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlTemplates {
    /// Page of a commit.
    pub commit: Option<String>,
    /// Page of a file at a line.
    pub file: Option<String>,
}

/// The web pages of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebLinks {
    forge: Option<Forge>,
    /// Host and base URL; empty if the remote's URL has no host.
    host: String,
    base: String,
    templates: UrlTemplates,
}

impl WebLinks {
    /// Detects the forge from the URL of a remote.
    pub fn new(remote: Option<&BStr>, templates: UrlTemplates) -> Self {
        let parts = remote.and_then(parts);
        let (scheme, host, path) = parts.unwrap_or_default();
        let forge = forge(&host, &path);
        let path = match forge {
            Some(Forge::Cgit) => match path.strip_prefix("git/") {
                Some(rest) if host.starts_with("git.savannah.") => format!("cgit/{rest}"),
                _ => path,
            },
            _ => path.strip_suffix(".git").unwrap_or(&path).to_owned(),
        };
        WebLinks {
            forge,
            base: if host.is_empty() {
                String::new()
            } else {
                format!("{scheme}://{host}/{}", encoded(path.as_bytes()))
            },
            host,
            templates,
        }
    }

    /// True if commits have pages.
    pub(crate) fn has_pages(&self) -> bool {
        self.templates.commit.is_some() || self.forge.is_some()
    }

    /// The message shown when there is no URL for a page.
    pub fn missing_reason(&self) -> String {
        if self.host.is_empty() {
            "no remote with web pages: set their URLs under [web] in the configuration".to_owned()
        } else {
            format!(
                "unknown forge {}: set its URLs under [web] in the configuration",
                self.host
            )
        }
    }

    /// URL of a commit's page.
    pub fn commit(&self, id: &ObjectId) -> Option<String> {
        if let Some(template) = &self.templates.commit {
            return Some(template.replace("{id}", &id.to_string()));
        }
        let base = &self.base;
        Some(match self.forge? {
            Forge::GitHub | Forge::Gitea | Forge::Sourcehut => format!("{base}/commit/{id}"),
            Forge::GitLab => format!("{base}/-/commit/{id}"),
            Forge::Bitbucket => format!("{base}/commits/{id}"),
            Forge::Cgit => format!("{base}/commit/?id={id}"),
        })
    }

    /// URL of a file's page in a commit at a line (0-based).
    pub fn file(&self, id: &ObjectId, path: &BStr, line: u32) -> Option<String> {
        let (path, line) = (encoded(path), u64::from(line) + 1);
        if let Some(template) = &self.templates.file {
            let page = template.replace("{id}", &id.to_string());
            let page = page.replace("{line}", &line.to_string());
            return Some(page.replace("{path}", &path));
        }
        let base = &self.base;
        Some(match self.forge? {
            Forge::GitHub => format!("{base}/blob/{id}/{path}#L{line}"),
            Forge::GitLab => format!("{base}/-/blob/{id}/{path}#L{line}"),
            Forge::Gitea => format!("{base}/src/commit/{id}/{path}#L{line}"),
            Forge::Bitbucket => format!("{base}/src/{id}/{path}#lines-{line}"),
            Forge::Sourcehut => format!("{base}/tree/{id}/item/{path}#L{line}"),
            Forge::Cgit => format!("{base}/tree/{path}?id={id}#n{line}"),
        })
    }

    /// URL of an issue or a merge request.
    pub fn reference(&self, reference: MessageReference) -> Option<String> {
        let base = &self.base;
        Some(match (self.forge?, reference) {
            (_, MessageReference::Url | MessageReference::Id) => return None,
            (Forge::GitLab, MessageReference::Issue(number)) => format!("{base}/-/issues/{number}"),
            (Forge::GitLab, MessageReference::MergeRequest(number)) => {
                format!("{base}/-/merge_requests/{number}")
            }
            (Forge::GitHub, MessageReference::MergeRequest(number)) => {
                format!("{base}/pull/{number}")
            }
            (Forge::Gitea, MessageReference::MergeRequest(number)) => {
                format!("{base}/pulls/{number}")
            }
            (Forge::Bitbucket, MessageReference::MergeRequest(number)) => {
                format!("{base}/pull-requests/{number}")
            }
            (Forge::GitHub | Forge::Gitea | Forge::Bitbucket, MessageReference::Issue(number)) => {
                format!("{base}/issues/{number}")
            }
            (Forge::Sourcehut | Forge::Cgit, _) => return None,
        })
    }
}

/// Scheme of the web pages, host and path of a remote's URL; `None` if it is local or malformed.
fn parts(url: &BStr) -> Option<(&'static str, String, String)> {
    let url = url.to_str().ok()?;
    if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return None;
    }
    let (scheme, host, path) = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/')?;
            (scheme, host, path)
        }
        // scp-like syntax: a colon before the first slash.
        None => {
            let (host, path) = url.split_once(':')?;
            if host.contains('/') {
                return None;
            }
            ("ssh", host, path.trim_start_matches('/'))
        }
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match scheme {
        "http" | "https" => host,
        "ssh" | "git" | "git+ssh" | "ssh+git" => host.split(':').next()?,
        _ => return None,
    };
    let known = |c: char| c.is_ascii_alphanumeric() || ".-_:".contains(c);
    let path = path.trim_matches('/');
    if host.is_empty() || path.is_empty() || !host.chars().all(known) {
        return None;
    }
    let scheme = if scheme == "http" { "http" } else { "https" };
    // GitHub and Bitbucket serve ssh on port 443 under another host name.
    let host = match host.to_ascii_lowercase() {
        host if host == "ssh.github.com" => "github.com".to_owned(),
        host if host == "altssh.bitbucket.org" => "bitbucket.org".to_owned(),
        host => host,
    };
    Some((scheme, host, path.to_owned()))
}

fn forge(host: &str, path: &str) -> Option<Forge> {
    let named = |name: &str| host.split(['.', ':']).any(|part| part == name);
    let is = |known: &[&str]| known.contains(&host);
    if is(&["codeberg.org"]) || named("gitea") || named("forgejo") {
        Some(Forge::Gitea)
    } else if named("github") {
        Some(Forge::GitHub)
    } else if named("gitlab") || is(&["salsa.debian.org", "invent.kde.org"]) {
        Some(Forge::GitLab)
    } else if is(&["bitbucket.org"]) {
        Some(Forge::Bitbucket)
    } else if is(&["git.sr.ht"]) {
        Some(Forge::Sourcehut)
    } else if named("cgit")
        || is(&["git.kernel.org", "git.zx2c4.com"])
        || host.starts_with("git.savannah.")
        || path.split('/').any(|part| part == "cgit")
    {
        Some(Forge::Cgit)
    } else {
        None
    }
}

/// Percent-encodes a path.
fn encoded(path: &[u8]) -> String {
    percent::encoded(path, |byte| {
        byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(remote: &str) -> Vec<Option<String>> {
        let web = WebLinks::new(Some(remote.into()), UrlTemplates::default());
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let short = |page: String| page.replace(&id.to_string(), "ID");
        [
            web.commit(&id),
            web.file(&id, "a b/ü#.c".into(), 9),
            web.reference(MessageReference::Issue(12)),
            web.reference(MessageReference::MergeRequest(3)),
        ]
        .map(|page| page.map(short))
        .into()
    }

    fn some(pages: [&str; 4]) -> Vec<Option<String>> {
        let page = |page: &str| Some(page.to_owned()).filter(|page| !page.is_empty());
        pages.map(page).into()
    }

    #[test]
    fn forges_are_detected_from_remotes() {
        let github = some([
            "https://github.com/o/r/commit/ID",
            "https://github.com/o/r/blob/ID/a%20b/%C3%BC%23.c#L10",
            "https://github.com/o/r/issues/12",
            "https://github.com/o/r/pull/3",
        ]);
        for remote in [
            "https://github.com/o/r.git",
            "https://user:secret@github.com/o/r/",
            "git@github.com:o/r.git",
            "github.com:/o/r",
            "ssh://git@github.com:22/o/r.git",
            "ssh://git@ssh.github.com:443/o/r.git",
            "git://github.com/o/r",
        ] {
            assert_eq!(pages(remote), github, "{remote}");
        }
        assert_eq!(
            pages("git@gitlab.example.org:group/sub/r.git"),
            some([
                "https://gitlab.example.org/group/sub/r/-/commit/ID",
                "https://gitlab.example.org/group/sub/r/-/blob/ID/a%20b/%C3%BC%23.c#L10",
                "https://gitlab.example.org/group/sub/r/-/issues/12",
                "https://gitlab.example.org/group/sub/r/-/merge_requests/3",
            ])
        );
        assert_eq!(
            pages("https://codeberg.org/o/r.git"),
            some([
                "https://codeberg.org/o/r/commit/ID",
                "https://codeberg.org/o/r/src/commit/ID/a%20b/%C3%BC%23.c#L10",
                "https://codeberg.org/o/r/issues/12",
                "https://codeberg.org/o/r/pulls/3",
            ])
        );
        assert_eq!(
            pages("git@bitbucket.org:o/r.git")[..2],
            some([
                "https://bitbucket.org/o/r/commits/ID",
                "https://bitbucket.org/o/r/src/ID/a%20b/%C3%BC%23.c#lines-10",
                "",
                ""
            ])[..2]
        );
        assert_eq!(
            pages("git@git.sr.ht:~user/r"),
            some([
                "https://git.sr.ht/~user/r/commit/ID",
                "https://git.sr.ht/~user/r/tree/ID/item/a%20b/%C3%BC%23.c#L10",
                "",
                "",
            ])
        );
        assert_eq!(
            pages("https://git.kernel.org/pub/scm/git/git.git"),
            some([
                "https://git.kernel.org/pub/scm/git/git.git/commit/?id=ID",
                "https://git.kernel.org/pub/scm/git/git.git/tree/a%20b/%C3%BC%23.c?id=ID#n10",
                "",
                "",
            ])
        );
        assert_eq!(
            pages("https://git.savannah.gnu.org/git/emacs.git")[0].as_deref(),
            Some("https://git.savannah.gnu.org/cgit/emacs.git/commit/?id=ID")
        );
    }

    #[test]
    fn unknown_remotes_have_no_pages() {
        for remote in [
            "/srv/git/r.git",
            "../r",
            "file:///srv/r.git",
            "https://example.org/r.git",
            "https://git hub.com/o/r",
            "https://github.com\u{1b}/o/r",
            "-oProxyCommand=x:y",
            "",
        ] {
            assert_eq!(pages(remote), [None, None, None, None], "{remote}");
        }
        let templates = UrlTemplates {
            commit: Some("https://x/?c={id}".to_owned()),
            file: Some("https://x/{path}:{line}@{id}".to_owned()),
        };
        let web = WebLinks::new(None, templates);
        let id = ObjectId::null(gix_hash::Kind::Sha1);
        let page = web.file(&id, "{id}".into(), 1).expect("a page");
        assert_eq!(page, format!("https://x/%7Bid%7D:2@{id}"));
        assert_eq!(web.commit(&id), Some(format!("https://x/?c={id}")));
    }
}
