//! Writing porcelain.

use std::{
    collections::{HashMap, HashSet},
    hint::black_box,
    io,
    sync::Arc,
};

use bstr::BString;
use tblame::internals::{
    engine::{Blame, Entry, Origin, OriginId, Profile, Stats},
    objects::ObjectId,
    output::{CommitProvider, IgnoreMarks, OutputBuffer, ProviderError, porcelain},
    repository::commits::commit_text::{CommitText, Ident},
};

use super::runner::Runner;

const LINES: u32 = 50_000;
const COMMITS: u32 = 2_000;
/// Lines of a group.
const GROUP: u32 = 4;

pub fn measure(runner: &mut Runner) {
    if !runner.wants("output") {
        return;
    }
    let (blame, mut texts) = made_up();
    for (name, every_line) in [("porcelain", false), ("line-porcelain", true)] {
        let options = porcelain::PorcelainOptions {
            every_line,
            marks: IgnoreMarks::default(),
            quote_path: true,
        };
        runner.measure(&format!("output/{name}"), "line", LINES as usize, || {
            let mut nowhere = io::sink();
            let mut buffer = OutputBuffer::new(&mut nowhere);
            porcelain::write(&mut buffer, black_box(&blame), &mut texts, options)
                .and_then(|()| Ok(buffer.flush()?))
                .expect("the sink takes everything");
        });
    }
}

struct Texts(HashMap<ObjectId, Arc<CommitText>>);

impl CommitProvider for Texts {
    fn text(&mut self, id: &ObjectId) -> Result<Arc<CommitText>, ProviderError> {
        let text = self.0.get(id);
        text.cloned().ok_or_else(|| format!("no {id}").into())
    }

    fn unique_len(&mut self, _: &ObjectId, at_least: usize) -> Result<usize, ProviderError> {
        Ok(at_least)
    }

    fn packed_object_count(&mut self) -> Result<u64, ProviderError> {
        Ok(0)
    }
}

fn made_up() -> (Blame, Texts) {
    let line = |line| {
        format!(
            "{:1$}let value_{line} = call(argument);\n",
            "",
            line % 7 * 4
        )
    };
    let contents: String = (0..LINES as usize).map(line).collect();
    let path = Arc::new(BString::from("src/made-up.rs"));
    let origin = |number| Origin {
        commit: id(number),
        path: Arc::clone(&path),
        previous: (number > 0).then(|| OriginId(number - 1)),
    };
    let entry = |group: u32| {
        let lines = group * GROUP..(group + 1) * GROUP;
        Entry {
            source_start: lines.start,
            lines,
            origin: OriginId(group.wrapping_mul(2_654_435_761) % COMMITS),
            ignored: false,
            unblamable: false,
        }
    };
    let blame = Blame {
        contents: contents.into_bytes().into(),
        entries: (0..LINES / GROUP).map(entry).collect(),
        origins: (0..COMMITS).map(origin).collect(),
        boundaries: HashSet::new(),
        stats: Stats::default(),
        profile: Profile::default(),
        unreadable_parents: Vec::new(),
        stopped: false,
        to_cache: None,
        lasting_paths: None,
    };
    let texts = (0..COMMITS).map(|number| (id(number), Arc::new(text(number))));
    (blame, Texts(texts.collect()))
}

fn id(number: u32) -> ObjectId {
    let mut bytes = [7; 20];
    bytes[..4].copy_from_slice(&number.wrapping_mul(2_654_435_761).to_be_bytes());
    ObjectId::Sha1(bytes)
}

fn text(number: u32) -> CommitText {
    let person = Ident {
        name: format!("Person {}", number % 50).into(),
        mail: "<person@example.com>".into(),
        time: 1_000_000_000 + u64::from(number) * 60,
        zone: "+0100".into(),
    };
    let summary = format!("Change number {number}");
    CommitText {
        author: person.clone(),
        committer: person,
        message: format!("{summary}\n").into(),
        summary: summary.into(),
        change_id: None,
    }
}
