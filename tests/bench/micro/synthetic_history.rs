//! The history that is measured when none is given.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use super::harness::linear_history::{self, ChangingFile, ImportStream};

/// The file whose history it is.
pub const PATH: &str = "one/two/three/file";

const COMMITS: usize = 2_400;
const LINES: u32 = 4_000;
/// Files besides the one in each directory.
const NEIGHBOURS: usize = 100;

/// Makes a repository at `dir`, with one pack and a commit-graph that has changed paths.
pub fn make(git: &Path, dir: &Path) {
    linear_history::import(git, dir, 50, write);
    linear_history::repack(git, dir);
    let mut graph = Command::new(git);
    graph.arg("-C").arg(dir).stderr(Stdio::null());
    graph.args(["commit-graph", "write", "--reachable", "--changed-paths"]);
    assert!(graph.status().expect("git runs").success());
}

/// Every eighth commit changes four places of the file, the others one of its neighbours.
fn write(stream: &mut ImportStream) -> io::Result<()> {
    let directories = ["", "one/", "one/two/", "one/two/three/"];
    let neighbour = |nth: usize| {
        let directory = directories[nth % directories.len()];
        format!("{directory}neighbour {}", nth / directories.len())
    };
    let mut text = ChangingFile::new(LINES);
    stream.commit()?;
    for nth in 0..NEIGHBOURS * directories.len() {
        stream.file(&neighbour(nth), &format!("neighbour {nth}\n"))?;
    }
    stream.file(PATH, &text.lines.concat())?;
    for commit in 0..COMMITS {
        stream.commit()?;
        if commit % 8 == 0 {
            (0..4).for_each(|_| text.change());
            stream.file(PATH, &text.lines.concat())?;
        } else {
            let nth = commit * 7 % (NEIGHBOURS * directories.len());
            stream.file(&neighbour(nth), &format!("changed by {commit}\n"))?;
        }
    }
    Ok(())
}
