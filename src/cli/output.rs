//! The output, chosen once by the options for it.

use bstr::{BString, ByteSlice};

use crate::{
    cli::places::{PlacesOptions, PlacesOutput},
    error::{Error, Result},
    output::{json::records::JsonFields, tree::node_order::NodeOrder, why::json_why::MIN_BUDGET},
};

/// An output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Output {
    /// Rows for people, those of `git annotate` included.
    #[default]
    Plain,
    /// `--porcelain`, and with `every_line` `--line-porcelain`.
    Porcelain {
        /// All details stand on each line.
        every_line: bool,
    },
    /// `--incremental`.
    Incremental,
    /// `--json`, with these fields.
    Json(JsonFields),
    /// `--people`.
    People {
        /// As JSON instead of rows.
        json: bool,
        /// `--[no-]generated`: generated files of a directory are counted with the others, or not as by default.
        generated: Option<bool>,
        /// `--color`: always or never; `None` by configuration and terminal.
        color: Option<bool>,
    },
    /// `--tree`.
    Tree {
        /// As JSON with these fields, instead of rows.
        json: Option<JsonFields>,
        /// `--recursive`: all files, instead of the entries of the directory.
        recursive: bool,
        /// `--sort`.
        order: NodeOrder,
        /// `--generated`: generated files are counted with the others.
        generated: bool,
        /// `--color`: always or never; `None` by configuration and terminal.
        color: Option<bool>,
    },
    /// `--patch`.
    Patch {
        /// As JSON with these fields, instead of rows.
        json: Option<JsonFields>,
        /// `--base`.
        base: Option<BString>,
        /// `--color`: always or never; `None` by configuration and terminal.
        color: Option<bool>,
    },
    /// `--places`.
    Places(Box<PlacesOutput>),
    /// `--why`.
    Why {
        /// As JSON instead of text.
        json: bool,
        /// `--budget`, in bytes.
        budget: Option<usize>,
        /// `--color`: always or never; `None` by configuration and terminal.
        color: Option<bool>,
    },
    /// Lines or a file are followed instead of blamed.
    History {
        /// The kind of history.
        kind: HistoryKind,
        /// As JSON instead of rows.
        json: bool,
        /// `--color`: always or never; `None` by configuration and terminal.
        color: Option<bool>,
    },
}

/// A history that is written in place of a blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryKind {
    /// `--line-history`.
    Lines,
    /// `--file-history`.
    File {
        /// `--search`.
        search: Option<BString>,
    },
    /// `--deletions`.
    Deletions,
}

impl Output {
    /// What `--color` says of it, if it can have colors of its own.
    pub(super) fn color_mut(&mut self) -> Option<&mut Option<bool>> {
        match self {
            Output::Places(output) => Some(&mut output.color),
            Output::People { color, .. }
            | Output::Tree { color, .. }
            | Output::Patch { color, .. }
            | Output::Why { color, .. }
            | Output::History { color, .. } => Some(color),
            Output::Plain | Output::Porcelain { .. } | Output::Incremental | Output::Json(_) => {
                None
            }
        }
    }

    /// True if it is of one path, and nothing that git writes.
    pub fn is_of_one_path(&self) -> bool {
        match self {
            Output::People { .. }
            | Output::Tree { .. }
            | Output::Why { .. }
            | Output::History { .. } => true,
            Output::Plain
            | Output::Porcelain { .. }
            | Output::Incremental
            | Output::Json(_)
            | Output::Patch { .. }
            | Output::Places(_) => false,
        }
    }

    /// True if it is written while the walk goes on, so that a pager would hide its progress.
    pub fn is_stream(&self) -> bool {
        match self {
            Output::Incremental | Output::Json(_) => true,
            Output::People { json, .. }
            | Output::Why { json, .. }
            | Output::History { json, .. } => *json,
            Output::Tree { json, .. } | Output::Patch { json, .. } => json.is_some(),
            Output::Places(_) => true,
            Output::Plain | Output::Porcelain { .. } => false,
        }
    }
}

/// The options that choose what is written, as given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutputOptions {
    pub(super) incremental: bool,
    /// Also set by `--line-porcelain`.
    pub(super) porcelain: bool,
    pub(super) line_porcelain: bool,
    pub(super) json: bool,
    pub(super) json_fields: Option<BString>,
    pub(super) line_history: bool,
    pub(super) file_history: bool,
    pub(super) search: Option<BString>,
    pub(super) deletions: bool,
    pub(super) people: bool,
    pub(super) tree: bool,
    pub(super) recursive: bool,
    pub(super) generated: Option<bool>,
    pub(super) sort: Option<BString>,
    pub(super) patch: bool,
    pub(super) base: Option<BString>,
    pub(super) places: PlacesOptions,
    pub(super) color: Option<BString>,
    pub(super) why: bool,
    pub(super) budget: Option<BString>,
}

impl OutputOptions {
    /// The output that they choose. `others` are options that only a blame can have, and whether
    /// they were given.
    ///
    /// # Errors
    ///
    /// Options that cannot be used together, and unknown fields.
    pub(super) fn choose(&self, others: &[(bool, &str)]) -> Result<Output> {
        let list = self.json_fields.as_ref().map(|list| list.as_bstr());
        let fields = list.map_or(Ok(JsonFields::default()), JsonFields::parse);
        let fields = fields.map_err(|name| {
            let known = "text, release, request, trailers, agent, lines and none";
            Error::fatal(format!("--json-fields has no field '{name}', but {known}"))
        })?;
        if self.recursive && !self.tree {
            return Err(Error::fatal("--recursive needs --tree"));
        }
        if self.generated == Some(true) && !self.tree && !self.people {
            return Err(Error::fatal("--generated needs --tree or --people"));
        }
        if self.base.is_some() && !self.patch {
            return Err(Error::fatal("--base needs --patch"));
        }
        let budget = self.budget()?;
        let order = self.order()?;
        let color = self.color()?;
        self.places.check()?;
        match (self.tree, fields.lines, &self.json_fields) {
            (false, true, _) => {
                return Err(Error::fatal("--json-fields has 'lines' only with --tree"));
            }
            (true, _, Some(_)) if fields.text => {
                return Err(Error::fatal("--json-fields has no 'text' with --tree"));
            }
            _ => {}
        }
        if let Some(text) = &self.search {
            if !self.file_history {
                return Err(Error::fatal("--search needs --file-history"));
            }
            if text.is_empty() || text.contains(&b'\n') {
                return Err(Error::fatal("--search needs a text within a line"));
            }
        }
        let kinds = [
            (self.deletions, "--deletions"),
            (self.file_history, "--file-history"),
            (self.line_history, "--line-history"),
            (self.patch, "--patch"),
            (self.why, "--why"),
            (self.people, "--people"),
            (self.places.is_on, "--places"),
            (self.tree, "--tree"),
        ];
        // In git these are two bits, and `--no-porcelain` clears one of them.
        let every_line = self.porcelain && self.line_porcelain;
        let formats = [
            (self.incremental, "--incremental"),
            (every_line, "--line-porcelain"),
            (self.porcelain, "--porcelain"),
        ];
        let mut given = kinds.iter().chain(others).chain(&formats);
        let mut given = given.by_ref().filter(|(is_given, _)| *is_given);
        let json = self.json;
        let Some((_, kind)) = given.next().filter(|kind| kinds.contains(kind)) else {
            if self.color.is_some() {
                let message = "--color needs --places, --patch, --why or a list such as --tree";
                return Err(Error::fatal(message));
            }
            return Ok(match (json, self.incremental, self.porcelain) {
                (true, ..) => Output::Json(fields),
                (_, true, _) => Output::Incremental,
                (.., true) => Output::Porcelain { every_line },
                _ => Output::Plain,
            });
        };
        if let Some((_, other)) = given.next() {
            return Err(Error::fatal(format!("{kind} cannot be used with {other}")));
        }
        let kind = match *kind {
            "--people" => {
                return Ok(Output::People {
                    json,
                    generated: self.generated,
                    color,
                });
            }
            "--why" => {
                return Ok(Output::Why {
                    json,
                    budget,
                    color,
                });
            }
            "--patch" => {
                return Ok(Output::Patch {
                    json: json.then_some(fields),
                    base: self.base.clone(),
                    color,
                });
            }
            "--places" => {
                let places = self.places.output(json.then_some(fields), color)?;
                return Ok(Output::Places(Box::new(places)));
            }
            "--tree" => {
                let fields = JsonFields {
                    text: false,
                    ..fields
                };
                return Ok(Output::Tree {
                    json: json.then_some(fields),
                    recursive: self.recursive,
                    order,
                    generated: self.generated == Some(true),
                    color,
                });
            }
            "--deletions" => HistoryKind::Deletions,
            "--file-history" => HistoryKind::File {
                search: self.search.clone(),
            },
            _ => HistoryKind::Lines,
        };
        Ok(Output::History { kind, json, color })
    }

    /// The bytes of `--budget`.
    fn budget(&self) -> Result<Option<usize>> {
        let Some(text) = &self.budget else {
            return Ok(None);
        };
        if !self.why || !self.json {
            return Err(Error::fatal("--budget needs --why and --json"));
        }
        let bytes = text.to_str().ok().and_then(|text| text.parse().ok());
        let bytes = bytes.filter(|bytes| *bytes >= MIN_BUDGET);
        let message = format!("--budget is a number of bytes, {MIN_BUDGET} or more");
        bytes.map(Some).ok_or_else(|| Error::fatal(message))
    }

    /// True for colors, false for none; `None` by default.
    fn color(&self) -> Result<Option<bool>> {
        let Some(when) = &self.color else {
            return Ok(None);
        };
        match when.as_slice() {
            b"auto" => Ok(None),
            b"always" => Ok(Some(true)),
            b"never" => Ok(Some(false)),
            _ => Err(Error::fatal("--color is always, never or auto")),
        }
    }

    /// The order of the entries of a directory.
    fn order(&self) -> Result<NodeOrder> {
        let Some(name) = &self.sort else {
            return Ok(NodeOrder::default());
        };
        if !self.tree {
            return Err(Error::fatal("--sort needs --tree"));
        }
        NodeOrder::named(name).ok_or_else(|| {
            let known = NodeOrder::NAMED.map(|(name, _)| name).join(", ");
            Error::fatal(format!("--sort has no order '{name}', but {known}"))
        })
    }
}
