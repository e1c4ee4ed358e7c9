//! A hand-written blame for the tests of the formats.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use bstr::BString;

use crate::{
    engine::{Blame, Entry, Origin, OriginId, Profile, Stats},
    objects::ObjectId,
    output::commit_provider::{CommitProvider, ProviderError},
    repository::commits::commit_text::{CommitText, Ident},
};

pub(super) const FIRST: &str = "9aa4d58a7b32153dbc9b0ef5d6be52b559a6a269";
pub(super) const SECOND: &str = "0cff639f115237ee72ee8062217c6713922553b6";

pub(super) fn id(hex: &str) -> ObjectId {
    ObjectId::from_hex(hex.as_bytes()).unwrap()
}

pub(super) fn ident(name: &str, mail: &str, time: u64, zone: &str) -> Ident {
    Ident {
        name: name.into(),
        mail: mail.into(),
        time,
        zone: zone.into(),
    }
}

pub(super) fn text(author: Ident, summary: &str) -> Arc<CommitText> {
    Arc::new(CommitText {
        committer: ident(
            "Com Mitter",
            "<c@example.com>",
            author.time,
            &author.zone.to_string(),
        ),
        author,
        summary: summary.into(),
        message: format!("{summary}\n").into(),
    })
}

#[derive(Debug, Default)]
pub(super) struct FixtureCommits {
    pub(super) texts: HashMap<ObjectId, Arc<CommitText>>,
    pub(super) packed: u64,
    /// Minimal unique lengths of ids that need more digits than requested.
    pub(super) unique: HashMap<ObjectId, usize>,
}

impl CommitProvider for FixtureCommits {
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        let text = self.texts.get(id);
        text.cloned()
            .ok_or_else(|| format!("bad object {id}").into())
    }

    fn unique_len(&mut self, id: &ObjectId, at_least: usize) -> Result<usize, ProviderError> {
        let unique = self.unique.get(id).copied().unwrap_or(0);
        Ok(unique.max(at_least).min(id.as_slice().len() * 2))
    }

    fn packed_object_count(&mut self) -> Result<u64, ProviderError> {
        Ok(self.packed)
    }
}

pub(super) fn origin(commit: &str, path: &str, previous: Option<u32>) -> Origin {
    Origin {
        commit: id(commit),
        path: Arc::new(BString::from(path)),
        previous: previous.map(OriginId),
    }
}

pub(super) fn entry(lines: std::ops::Range<u32>, source_start: u32, origin: u32) -> Entry {
    Entry {
        lines,
        source_start,
        origin: OriginId(origin),
        ignored: false,
        unblamable: false,
    }
}

/// `a.txt` with two commits: the second one rewrote line 2 and appended line 4.
pub(super) fn blame() -> (Blame, FixtureCommits) {
    let blame = Blame {
        contents: Arc::from(&b"one\ntwo and more\nthree\nfour\n"[..]),
        entries: vec![
            entry(0..1, 0, 1),
            entry(1..2, 1, 0),
            entry(2..3, 2, 1),
            entry(3..4, 3, 0),
        ],
        origins: vec![
            origin(SECOND, "a.txt", Some(1)),
            origin(FIRST, "a.txt", None),
        ],
        boundaries: HashSet::from([id(FIRST)]),
        stats: Stats {
            blobs_read: 2,
            patches: 1,
            commits: 2,
            visited: 2,
            cached_lines: 0,
        },
        profile: Profile::default(),
        unreadable_parents: Vec::new(),
        stopped: false,
        to_cache: None,
    };
    let ann = ident("Ann Lee", "<ann@example.com>", 1_577_869_200, "+0100");
    let bo = ident("Bö Ünal", "<bo@example.com>", 1_612_337_706, "-0330");
    let texts = HashMap::from([
        (id(FIRST), text(ann, "first")),
        (id(SECOND), text(bo, "second")),
    ]);
    (
        blame,
        FixtureCommits {
            texts,
            ..FixtureCommits::default()
        },
    )
}
