//! Variables that git looks up when it needs them: an invalid value is reported then, and only the last
//! one counts.

use bstr::ByteSlice;

use crate::{
    error::{Error, Result, quoted},
    repository::open::configuration::{sources::Configuration, variable::Located},
};

/// When git looks a variable up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// After the options are parsed.
    Settings,
    /// When a reference is read.
    Reference,
    /// When a name in a revision is found to be a reference.
    NamedReference,
    /// When the index is read, for the file in the work tree.
    Index,
    /// When the file of the work tree is read.
    Filters,
    /// When names are shown.
    Mailmap,
}

/// What a value must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingType {
    Boolean,
    /// A boolean or a number.
    BooleanOrInt,
    /// A boolean or a path.
    BooleanOrPath,
    Int,
    UnsignedLong,
    Text,
    Path,
    Negotiation,
}

/// The variables in the order in which git looks them up.
const VARIABLES: &[(&str, SettingType, Stage)] = &[
    ("feature.manyfiles", SettingType::Boolean, Stage::Settings),
    (
        "feature.experimental",
        SettingType::Boolean,
        Stage::Settings,
    ),
    ("core.commitgraph", SettingType::Boolean, Stage::Settings),
    (
        "commitgraph.generationversion",
        SettingType::Int,
        Stage::Settings,
    ),
    (
        "commitgraph.readchangedpaths",
        SettingType::Boolean,
        Stage::Settings,
    ),
    (
        "commitgraph.changedpathsversion",
        SettingType::Int,
        Stage::Settings,
    ),
    ("gc.writecommitgraph", SettingType::Boolean, Stage::Settings),
    (
        "fetch.writecommitgraph",
        SettingType::Boolean,
        Stage::Settings,
    ),
    ("pack.usesparse", SettingType::Boolean, Stage::Settings),
    ("pack.usepathwalk", SettingType::Boolean, Stage::Settings),
    ("core.multipackindex", SettingType::Boolean, Stage::Settings),
    ("index.sparse", SettingType::Boolean, Stage::Settings),
    ("index.skiphash", SettingType::Boolean, Stage::Settings),
    (
        "pack.readreverseindex",
        SettingType::Boolean,
        Stage::Settings,
    ),
    (
        "pack.usebitmapboundarytraversal",
        SettingType::Boolean,
        Stage::Settings,
    ),
    ("core.usereplacerefs", SettingType::Boolean, Stage::Settings),
    ("index.version", SettingType::Int, Stage::Settings),
    ("core.maxtreedepth", SettingType::Int, Stage::Settings),
    ("core.untrackedcache", SettingType::Text, Stage::Settings),
    (
        "fetch.negotiationalgorithm",
        SettingType::Negotiation,
        Stage::Settings,
    ),
    (
        "core.deltabasecachelimit",
        SettingType::UnsignedLong,
        Stage::Settings,
    ),
    (
        "core.packedgitwindowsize",
        SettingType::UnsignedLong,
        Stage::Settings,
    ),
    (
        "core.packedgitlimit",
        SettingType::UnsignedLong,
        Stage::Settings,
    ),
    ("core.hookspath", SettingType::Path, Stage::Reference),
    (
        "core.warnambiguousrefs",
        SettingType::Boolean,
        Stage::NamedReference,
    ),
    ("index.threads", SettingType::BooleanOrInt, Stage::Index),
    ("core.fsmonitor", SettingType::BooleanOrPath, Stage::Index),
    ("mailmap.file", SettingType::Path, Stage::Mailmap),
    ("mailmap.blob", SettingType::Text, Stage::Mailmap),
];

/// The invalid values, in git's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LateSettings {
    invalid: Vec<(Stage, Error)>,
}

impl LateSettings {
    /// Checks all variables.
    pub(super) fn read(configuration: &Configuration) -> LateSettings {
        let mut invalid = Vec::new();
        let mut last = vec![None; VARIABLES.len()];
        for variable in configuration.variables() {
            let key = variable.key();
            if let Some(at) = VARIABLES.iter().position(|(name, ..)| key == name) {
                last[at] = Some(variable);
            }
            let checked = each(variable);
            invalid.extend(checked.and_then(|(stage, checked)| Some((stage, checked.err()?))));
        }
        for (variable, (_, kind, stage)) in last.into_iter().zip(VARIABLES) {
            let checked = variable.map_or(Ok(()), |variable| check(*kind, variable));
            invalid.extend(checked.err().map(|err| (*stage, err)));
        }
        LateSettings { invalid }
    }

    /// Reports the first invalid value of the variables that git looks up at `stage`.
    ///
    /// # Errors
    ///
    /// If there is one.
    pub fn check(&self, stage: Stage) -> Result<()> {
        let mut invalid = self.invalid.iter();
        match invalid.find(|(at, _)| *at == stage) {
            Some((_, err)) => Err(err.clone()),
            None => Ok(()),
        }
    }
}

fn check(kind: SettingType, variable: Located<'_>) -> Result<()> {
    match kind {
        SettingType::Boolean => variable.boolean().map(drop),
        SettingType::BooleanOrInt => match variable.boolean() {
            Ok(_) => Ok(()),
            Err(_) => variable.int().map(drop),
        },
        SettingType::BooleanOrPath => match variable.boolean() {
            Ok(_) => Ok(()),
            Err(_) => variable.path().map(drop),
        },
        SettingType::Int => variable.int().map(drop),
        SettingType::UnsignedLong => variable.unsigned_long().map(drop),
        SettingType::Text => variable.text().map(drop),
        SettingType::Path => variable.path().map(drop),
        SettingType::Negotiation => match variable.bytes() {
            Some(b"default" | b"consecutive" | b"noop" | b"skipping") => Ok(()),
            _ => {
                let text = variable.text()?;
                let start = "unknown fetch negotiation algorithm ";
                Err(Error::fatal(quoted(start, text.as_bstr(), "")))
            }
        },
    }
}

/// Checks a variable of which every value counts.
fn each(variable: Located<'_>) -> Option<(Stage, Result<()>)> {
    variable.variable.subsection()?;
    let section = variable.variable.section();
    match (section.as_bytes(), variable.variable.name().as_bytes()) {
        (b"filter", b"clean" | b"smudge" | b"process") => {
            Some((Stage::Filters, variable.text().map(drop)))
        }
        (b"filter", b"required") => Some((Stage::Filters, variable.boolean().map(drop))),
        _ => None,
    }
}
