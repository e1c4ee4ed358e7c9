//! JSON lines: one object for each person, those with most lines first.
//!
//! | key | value |
//! | --- | --- |
//! | `type` | `person` |
//! | `name`, `mail` | as on most of the lines, after the mailmap; the mail is null if there is none |
//! | `lines` | the lines of commits in which the person took part |
//! | `firstTime`, `lastTime` | the author dates of the oldest and the newest of these commits |
//! | `years` | objects with `year`, in the author's time zone, and its number of `lines`, in order |

use std::collections::BTreeMap;

use crate::{
    output::{
        buffer::OutputBuffer,
        json::{
            records::{self, JsonHeader},
            values::{push_list, push_number, push_or_null, push_signed, push_text},
        },
    },
    repository::commits::{line_counts::LineCounts, people::Person},
};

/// Writes the people who wrote lines. Of a directory, the end has the numbers of generated files and of
/// their lines, which are not counted.
pub(crate) fn push_people(
    out: &mut OutputBuffer<'_>,
    header: &JsonHeader<'_>,
    counted: &LineCounts,
    generated: Option<(u64, u64)>,
) {
    records::push_header(out, header, None);
    let people = counted.people();
    for person in &people {
        push_person(out, person);
    }
    let mut counts = vec![("people", people.len() as u64), ("lines", counted.lines())];
    if let Some((files, lines)) = generated {
        counts.extend([("generatedFiles", files), ("generatedLines", lines)]);
    }
    records::push_end(out, &counts, None);
}

fn push_person(out: &mut OutputBuffer<'_>, person: &Person) {
    out.bytes(b"{\"type\":\"person\",\"name\":");
    push_share(out, person);
    push_years(out, &person.years);
    out.bytes(b"}\n");
}

/// Appends the name, whose key was written, and the keys of what a person took part in.
pub(crate) fn push_share(out: &mut OutputBuffer<'_>, person: &Person) {
    push_text(out, &person.name);
    let mail = Some(&person.mail).filter(|mail| !mail.is_empty());
    push_or_null(out, "mail", mail, |out, mail| push_text(out, mail));
    push_number(out, "lines", u64::from(person.lines));
    push_signed(out, "firstTime", person.dates.0.time);
    push_signed(out, "lastTime", person.dates.1.time);
}

/// Appends the key `years`, with numbers of lines by year.
pub(crate) fn push_years(out: &mut OutputBuffer<'_>, years: &BTreeMap<i32, u32>) {
    push_list(out, "years", years, |out, (year, lines)| {
        out.bytes(format!("{{\"year\":{year},\"lines\":{lines}}}").as_bytes());
    });
}
