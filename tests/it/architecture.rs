//! The module structure: imports point to lower layers only, and no files import each other in a
//! circle. `docs/architecture.md` describes it, and names only files that exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The top-level modules, lowest layer first. A module imports from the layers below its own.
const LAYERS: &[&[&str]] = &[
    &["sanitize", "sorting", "text"],
    &["system"],
    &["diff", "error", "objects", "patch", "ranges", "reftable"],
    &["dates", "engine"],
    &["repository"],
    &["cache"],
    &["library", "output"],
    &["viewer"],
    &["cli"],
    &["run"],
];

/// Which only declare or re-export modules.
const ROOTS: &[&str] = &["lib", "bin", "internals"];

/// A module path without `crate`: `["objects", "pack", "delta"]`.
type ModulePath = Vec<String>;

/// A module's imports from this crate: paths of items, `crate` left out.
struct Module {
    file: PathBuf,
    imports: BTreeSet<ModulePath>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn modules() -> BTreeMap<ModulePath, Module> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path)
            } else {
                files.push(path)
            }
        }
    }
    let modules = files.into_iter().filter_map(|file| {
        let relative = file
            .strip_prefix(root().join("src"))
            .expect("a file in src");
        let relative = relative.with_extension("");
        let mut path: ModulePath = relative
            .iter()
            .map(|part| part.to_str().expect("a name in UTF-8").to_owned())
            .collect();
        if path.last().is_some_and(|name| name == "mod") {
            path.pop();
        }
        let is_root = ROOTS.contains(&path[0].as_str());
        let source = fs::read_to_string(&file).expect("a readable file");
        let imports = imports(&source, &path);
        (!is_root).then_some((path, Module { file, imports }))
    });
    modules.collect()
}

/// All paths into this crate that the code names, outside of comments and of its tests.
fn imports(source: &str, module: &ModulePath) -> BTreeSet<ModulePath> {
    let code: String = source
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default()
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    let mut paths = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let mut rest = &code[start + "crate::".len()..];
        expand(&mut rest, &mut Vec::new(), &mut paths);
    }
    // `super` from a file is its folder's module.
    for (start, _) in code.match_indices("super::") {
        let mut prefix = module.clone();
        prefix.pop();
        let mut rest = &code[start + "super::".len()..];
        expand(&mut rest, &mut prefix, &mut paths);
    }
    paths
}

/// Reads a path or a tree of paths as in `use`, and adds each to `paths`.
fn expand(rest: &mut &str, prefix: &mut ModulePath, paths: &mut BTreeSet<ModulePath>) {
    let depth = prefix.len();
    loop {
        *rest = rest.trim_start();
        if let Some(group) = rest.strip_prefix('{') {
            *rest = group;
            loop {
                expand(rest, prefix, paths);
                *rest = rest.trim_start();
                match rest.strip_prefix(',') {
                    Some(more) => *rest = more.trim_start(),
                    None => break,
                }
                if rest.starts_with('}') {
                    break;
                }
            }
            *rest = rest.strip_prefix('}').unwrap_or(rest);
            break;
        }
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name != "self" && !name.is_empty() {
            prefix.push(name.to_owned());
        }
        *rest = after;
        match rest.strip_prefix("::") {
            Some(more) => *rest = more,
            None => {
                if let Some(alias) = rest.strip_prefix(" as ") {
                    *rest = alias.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                }
                paths.insert(prefix.clone());
                break;
            }
        }
    }
    prefix.truncate(depth);
}

/// The module that a path leads to or into.
fn target<'a>(
    modules: &'a BTreeMap<ModulePath, Module>,
    path: &[String],
) -> Option<&'a ModulePath> {
    (1..=path.len())
        .rev()
        .find_map(|len| modules.get_key_value(&path[..len]).map(|(path, _)| path))
}

#[test]
fn imports_point_to_lower_layers() {
    let layer = |name: &String| {
        let found = LAYERS
            .iter()
            .position(|layer| layer.contains(&name.as_str()));
        found.unwrap_or_else(|| panic!("{name} is in no layer"))
    };
    let modules = modules();
    let mut compared = 0;
    for (path, module) in &modules {
        for import in &module.imports {
            if import.is_empty() || import[0] == path[0] {
                continue;
            }
            compared += 1;
            assert!(
                layer(&import[0]) < layer(&path[0]),
                "{} imports {}",
                module.file.display(),
                import.join("::")
            );
        }
    }
    assert!(compared > 300, "{compared}");
}

/// What blames and what reads objects says in its results what it did, and knows nothing of logs.
#[test]
fn the_engine_writes_no_log() {
    let modules = modules();
    let is_log =
        |import: &ModulePath| import.starts_with(&["system".to_owned(), "run_log".to_owned()]);
    let (mut below, mut above) = (0, 0);
    for (path, module) in &modules {
        if ["diff", "objects", "ranges", "dates", "engine", "repository"]
            .contains(&path[0].as_str())
        {
            assert!(
                !module.imports.iter().any(is_log),
                "{}",
                module.file.display()
            );
            below += 1;
        } else if module.imports.iter().any(is_log) {
            above += 1;
        }
    }
    assert!(below > 100 && above > 5, "{below} {above}");
}

#[test]
fn files_do_not_import_each_other_in_a_circle() {
    let modules = modules();
    let mut edges: BTreeMap<&ModulePath, BTreeSet<&ModulePath>> = BTreeMap::new();
    for (path, module) in &modules {
        let targets = module.imports.iter();
        let targets = targets.filter_map(|import| target(&modules, import));
        edges.insert(path, targets.filter(|to| *to != path).collect());
    }
    assert!(edges.values().map(BTreeSet::len).sum::<usize>() > 800);
    // A file that imports no other remaining file, or that none imports, is in no circle.
    loop {
        let imported: BTreeSet<&ModulePath> = edges.values().flatten().copied().collect();
        let done: Vec<&ModulePath> = edges
            .iter()
            .filter(|(path, to)| {
                !imported.contains(**path) || !to.iter().any(|to| edges.contains_key(*to))
            })
            .map(|(path, _)| *path)
            .collect();
        if done.is_empty() {
            break;
        }
        edges.retain(|path, _| !done.contains(path));
    }
    let rest: Vec<String> = edges
        .iter()
        .map(|(path, to)| {
            let to = to.iter().filter(|to| edges.contains_key(**to));
            let to: Vec<String> = to.map(|to| to.join("::")).collect();
            format!("{} -> {}", path.join("::"), to.join(", "))
        })
        .collect();
    assert!(rest.is_empty(), "{}", rest.join("\n"));
}

/// Names that several modules give to their own type, as the standard library does.
const PER_MODULE: &[&str] = &[
    "Error",
    "Result",
    "Kind",
    "Reason",
    "Repository",
    "LogEntry",
];

#[test]
fn a_type_name_means_one_thing() {
    let mut defined: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, module) in &modules() {
        // It defines what the module for Unix does.
        if path[0] == "system" && path.last().is_some_and(|name| name.starts_with("windows")) {
            continue;
        }
        let source = fs::read_to_string(&module.file).expect("a readable file");
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let keyword = words
                .find(|word| !word.is_empty() && !["pub", "crate", "super", "in"].contains(word));
            if !keyword
                .is_some_and(|word| ["struct", "enum", "trait", "type", "union"].contains(&word))
            {
                continue;
            }
            // An associated type is not a name of its own.
            if keyword == Some("type") && line.starts_with(' ') {
                continue;
            }
            let Some(name) = words.find(|word| !word.is_empty()) else {
                continue;
            };
            let file = module.file.display().to_string();
            defined.entry(name.to_owned()).or_default().push(file);
        }
    }
    assert!(defined.len() > 400, "{}", defined.len());
    let repeated: Vec<String> = defined
        .iter()
        .filter(|(name, files)| files.len() > 1 && !PER_MODULE.contains(&name.as_str()))
        .map(|(name, files)| format!("{name}: {}", files.join(", ")))
        .collect();
    assert!(repeated.is_empty(), "{}", repeated.join("\n"));
}

#[test]
fn the_documents_name_files_that_exist() {
    let mut compared = 0;
    for document in ["docs/architecture.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for quoted in text.split('`').skip(1).step_by(2) {
            let known = ["src/", "tests/", "docs/", "assets/"];
            if !known.iter().any(|start| quoted.starts_with(start)) || quoted.contains('*') {
                continue;
            }
            compared += 1;
            assert!(root().join(quoted).exists(), "{document} names {quoted}");
        }
    }
    assert!(compared > 20, "{compared}");
}
