//! The files of a commit-graph: a single one, or a chain of layers.

use std::path::{Path, PathBuf};

use gix_hash::{Kind, ObjectId};

use crate::{
    objects::{
        error::Reason,
        graph::{
            layer::{BloomChunks, BloomSettings, GraphLayer},
            path_filter::COMMITS_PER_BLOCK,
        },
    },
    system::{self, FileStamp},
};

/// The graph in a single file, in an objects directory.
const SINGLE_FILE: &str = "info/commit-graph";
/// The names of the layers of a chain.
const CHAIN_FILE: &str = "info/commit-graphs/commit-graph-chain";
/// How often a graph is opened again because it was replaced meanwhile.
const MAX_ATTEMPTS: usize = 5;
/// Sanity limit for the layers of a chain.
const MAX_CHAIN_LEN: usize = 256;

/// The layers of the graph in `dir`, whose files may be in any of the directories `all`.
pub(crate) fn open_layers(
    dir: &Path,
    all: &[PathBuf],
    hash: Kind,
    warnings: &mut Vec<String>,
) -> Vec<GraphLayer> {
    let stamps = || [SINGLE_FILE, CHAIN_FILE].map(|name| FileStamp::read(&dir.join(name)));
    let mut attempts = 0;
    loop {
        attempts += 1;
        let before = stamps();
        let mut problems = Vec::new();
        let layers = open_layers_once(dir, all, hash, &mut problems);
        // Layers are removed when others replace them in the chain.
        if problems.is_empty() || attempts == MAX_ATTEMPTS || before == stamps() {
            warnings.extend(problems);
            return layers;
        }
    }
}

fn open_layers_once(
    dir: &Path,
    all: &[PathBuf],
    hash: Kind,
    warnings: &mut Vec<String>,
) -> Vec<GraphLayer> {
    let mut warn = |path: &Path, reason: Reason| {
        warnings.push(format!(
            "warning: ignoring the commit-graph {}: {reason}",
            path.display()
        ));
    };
    let single = dir.join(SINGLE_FILE);
    if single.exists() {
        match GraphLayer::open_of_git(&single, hash, (None, &[]), (0, 0)) {
            Ok(layer) => return vec![layer],
            Err(reason) => warn(&single, reason),
        }
    }
    let mut layers = Vec::new();
    let list = dir.join(CHAIN_FILE);
    let chain = system::read_file(&list).ok();
    let Some(chain) = chain.and_then(|chain| String::from_utf8(chain).ok()) else {
        return layers;
    };
    let (mut first, mut first_block) = (0, 0);
    let mut names = Vec::new();
    for line in chain.lines().take(MAX_CHAIN_LEN) {
        let Ok(id) = ObjectId::from_hex(line.as_bytes()) else {
            warn(&list, "it contains a line that is not an id");
            break;
        };
        let name = format!("info/commit-graphs/graph-{line}.graph");
        let candidates = std::iter::once(dir).chain(all.iter().map(PathBuf::as_path));
        let path = candidates
            .map(|dir| dir.join(&name))
            .find(|path| path.exists());
        let path = path.unwrap_or_else(|| dir.join(&name));
        match GraphLayer::open_of_git(&path, hash, (Some(&id), &names), (first, first_block)) {
            Ok(layer) => {
                first += layer.count;
                first_block += layer.count.div_ceil(COMMITS_PER_BLOCK);
                layers.push(layer);
                names.push(id);
            }
            // The layers below are valid by themselves.
            Err(reason) => {
                warn(&path, reason);
                break;
            }
        }
    }
    layers
}

/// Takes the settings of the newest layer with filters, and ignores layers with other settings.
pub(crate) fn reconcile_settings(
    layers: &mut [GraphLayer],
    version: i32,
    warnings: &mut Vec<String>,
) -> Option<BloomSettings> {
    let wanted = u32::try_from(version).ok();
    for layer in layers.iter_mut() {
        let fits = |filters: &BloomChunks| wanted.is_none_or(|it| it == filters.settings.version);
        layer.filters = layer.filters.filter(fits);
    }
    let settings = layers
        .iter()
        .rev()
        .find_map(|layer| layer.filters)?
        .settings;
    for layer in layers {
        if layer
            .filters
            .is_some_and(|filters| filters.settings != settings)
        {
            layer.filters = None;
            warnings.push(
                "warning: some commit-graph layers have changed-path filters with other settings; \
                 not using these"
                    .to_owned(),
            );
        }
    }
    Some(settings)
}
