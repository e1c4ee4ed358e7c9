//! Revision arguments that need more than one commit or its name: abbreviated ids that are ambiguous, paths, ranges, parents and
//! merge bases, where the repository changes what the parents of a commit are. Exit statuses and outputs are compared, messages
//! are not.

use super::{Cases, breadth, history_limiting::history};
use crate::harness::{
    fast_import::{Commit, FastImport, File, Ident, Tree},
    repository::{ObjectFormat, TestRepo},
    rng::Rng,
};

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

/// A line of commits with nine new blobs each.
fn many_objects(format: ObjectFormat, commits: usize) -> TestRepo {
    let mut import = FastImport::default();
    for number in 0..commits {
        let text = |name: usize| File::text(format!("{name} of {number}\n"));
        let names = (0..8).map(|name| (format!("b{name}").into_bytes(), text(name)));
        let mut tree: Tree = names.collect();
        let lines: String = (0..6)
            .map(|line| format!("{}\n", (number + line) / 40))
            .collect();
        tree.insert(b"f".to_vec(), File::text(lines));
        let ident = Ident {
            name: b"A".to_vec(),
            mail: b"a@example.com".to_vec(),
            time: 1_600_000_000 + number as u64,
            zone: "+0000",
        };
        import.commit(Commit {
            parents: number.checked_sub(1).into_iter().collect(),
            tree,
            author: ident.clone(),
            committer: ident,
            encoding: None,
            message: format!("commit {number}").into_bytes(),
        });
    }
    let repository = TestRepo::new(format);
    import.write(&repository);
    repository.git(&["reset", "-q", "--hard", "main"]);
    for number in 0..6 {
        let (name, target) = (format!("v{number}"), format!("main~{}", number * 7));
        repository.git(&["tag", "-a", "-m", &name, &name, &target]);
    }
    repository
}

/// The forms of an argument that names an object.
const FORMS: [&str; 12] = [
    "X",
    "X",
    "X^{commit}",
    "X^{tree}",
    "X^",
    "X..main",
    "main~9...X",
    "^X main",
    "X^!",
    "X:f",
    "v1-3-gX",
    "--ignore-rev X main",
];

#[test]
fn abbreviated_ids() {
    let mut cases = Cases::new("abbreviated ids");
    let (mut ambiguous, mut found) = (0, 0);
    let mut rng = Rng::new(1);
    let sha1 = many_objects(ObjectFormat::Sha1, 500);
    let sha256 = many_objects(ObjectFormat::Sha256, 300);
    sha256.git(&["multi-pack-index", "write"]);
    // Its objects are those of the first, and some loose ones.
    let borrower = TestRepo::new(ObjectFormat::Sha1);
    let alternates = format!("{}\n", sha1.root().join(".git/objects").display());
    borrower.write(b".git/objects/info/alternates", alternates.as_bytes());
    let main = sha1.git_text(&["rev-parse", "main"]);
    borrower.git(&["reset", "-q", "--hard", &main]);
    for number in 0..60 {
        borrower.git(&["commit", "-q", "--allow-empty", "-m", &number.to_string()]);
    }
    borrower.git(&["tag", "-a", "-m", "v1", "v1"]);
    for repository in [&sha1, &sha256, &borrower] {
        let listed = repository.git_text(&[
            "cat-file",
            "--batch-all-objects",
            "--batch-check=%(objectname) %(objecttype)",
        ]);
        let objects: Vec<(&str, &str)> = listed
            .lines()
            .map(|line| line.split_once(' ').expect("an id"))
            .collect();
        // Neighbours that share the first four digits, one of them no blob.
        let pairs = objects
            .windows(2)
            .filter(|pair| pair[0].0[..4] == pair[1].0[..4]);
        let pairs = pairs.filter(|pair| pair.iter().any(|(_, kind)| *kind != "blob"));
        let doubtful: Vec<&str> = pairs.flatten().map(|(id, _)| *id).collect();
        let commits = objects.iter().filter(|(_, kind)| *kind == "commit");
        let commits: Vec<&str> = commits.map(|(id, _)| *id).collect();
        for _ in 0..70 * breadth() {
            let is_doubtful = rng.chance(70);
            let id = *rng.pick(if is_doubtful { &doubtful } else { &commits });
            let digits = if is_doubtful {
                *rng.pick(&[4, 4, 4, 5, 6])
            } else {
                *rng.pick(&[3, 4, 5, 7, 12, id.len() - 1, id.len()])
            };
            ambiguous += usize::from(is_doubtful && digits == 4);
            let mut abbreviated = id[..digits].to_owned();
            if rng.chance(10) {
                abbreviated.make_ascii_uppercase();
            }
            let form = rng.pick::<&str>(&FORMS).replace('X', &abbreviated);
            let arguments = words(&format!("--porcelain {form} -- f"));
            let root = repository.root();
            let answers = cases.compare_output(repository, root, &[], "", &arguments);
            found += usize::from(answers);
        }
    }
    assert!(
        ambiguous > 60 && found > 40,
        "{ambiguous} ambiguous, {found} found"
    );
    cases.finish(200);
}

#[test]
fn paths_in_revisions() {
    let mut cases = Cases::new("paths in revisions");
    let repository = TestRepo::new(ObjectFormat::Sha1);
    let commit = |text: &str| {
        for name in ["mm", "d/mm", "d/e/mm"] {
            let line = format!("{text}-{} <author@example.com>\n", name.replace('/', "-"));
            repository.write(name.as_bytes(), line.as_bytes());
        }
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", text]);
    };
    repository.write(b"f", b"1\n2\n");
    repository.write(b"d/g", b"1\n2\n");
    commit("base");
    repository.git(&["branch", "side"]);
    commit("ours");
    repository.git(&["checkout", "-q", "side"]);
    commit("theirs");
    repository.git(&["tag", "-a", "-m", "t", "tag"]);
    repository.git(&["tag", "-a", "-m", "t", "blob", "HEAD:f"]);
    let commit = repository.git_text(&["rev-parse", "main"]);
    let link = format!("160000,{commit},link");
    repository.git(&["update-index", "--add", "--cacheinfo", &link]);
    repository.git(&["commit", "-q", "-m", "link"]);
    repository.git_output(&["merge", "-q", "main"], b"");
    let revisions = [
        "HEAD:",
        "main~1:",
        "tag:",
        "main^{tree}:",
        "blob:",
        "nosuch:",
        ":",
        ":",
        ":0:",
        ":1:",
        ":2:",
        ":3:",
        ":4:",
        "HEAD:mm:",
        ":/theirs:",
    ];
    let paths = [
        "mm",
        "mm",
        "./mm",
        "./mm",
        "../mm",
        "d/mm",
        "./d/mm",
        "d//mm",
        "./d//mm",
        "d",
        "d/",
        "",
        "/mm",
        "mm/",
        "d/../mm",
        "./d/../mm",
        "../../mm",
        "../../../mm",
        "./",
        "link",
        "link/",
        "f",
        ".",
    ];
    let mut rng = Rng::new(2);
    let mut found = 0;
    for _ in 0..220 * breadth() {
        let name = format!("{}{}", rng.pick(&revisions), rng.pick(&paths));
        let directory = repository
            .root()
            .join(rng.pick(&["", "", "d", "d/e", ".git"]));
        let file = format!("{}/f", repository.root().display());
        let (arguments, variable) = match rng.below(8) {
            0 => (format!("-s {name} -- {file}"), "user.name"),
            1 => (format!("-s --reverse {name} -- {file}"), "user.name"),
            2 => (
                format!("-s --ignore-rev {name} HEAD -- {file}"),
                "user.name",
            ),
            3 => (format!("-s {name}..HEAD -- {file}"), "user.name"),
            _ => (format!("--porcelain HEAD -- {file}"), "mailmap.blob"),
        };
        let environment = [
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", variable),
            ("GIT_CONFIG_VALUE_0", &name),
        ];
        let arguments = words(&arguments);
        let answers =
            cases.compare_output(&repository, &directory, &environment, &name, &arguments);
        found += usize::from(answers);
    }
    assert!(found > 60, "{found} found");
    cases.finish(200);
}

/// What a repository says of its commits besides the commits themselves.
const CHANGES: [&str; 7] = [
    "",
    "",
    "info/grafts",
    "shallow",
    "-S",
    "replace",
    "commit-graph",
];

#[test]
fn ranges_and_merge_bases() {
    let mut cases = Cases::new("ranges and merge bases");
    let mut found = 0;
    for seed in 0..21 * breadth() as u64 {
        let mut rng = Rng::new(seed);
        let count = *rng.pick(&[6, 9, 14, 25]);
        let history = history(&mut rng, count);
        let (repository, ids) = (&history.repository, &history.ids);
        let change = CHANGES[seed as usize % CHANGES.len()];
        let text = match change {
            "info/grafts" | "-S" => grafts(&mut rng, ids),
            "shallow" => (0..2)
                .map(|_| format!("{}\n", rng.pick::<String>(ids)))
                .collect(),
            _ => String::new(),
        };
        match change {
            "replace" => replace(&mut rng, repository, ids),
            "commit-graph" => drop(repository.git(&["commit-graph", "write", "--reachable"])),
            "-S" => repository.write(b".git/ancestry", text.as_bytes()),
            "" => {}
            file => repository.write(format!(".git/{file}").as_bytes(), text.as_bytes()),
        }
        for _ in 0..18 {
            let mut arguments = vec!["--porcelain".to_owned()];
            if change == "-S" {
                arguments.extend(words("-S .git/ancestry"));
            }
            let id = |rng: &mut Rng| rng.pick::<String>(ids).clone();
            let (one, other) = (id(&mut rng), id(&mut rng));
            let form = match rng.below(12) {
                0..4 => format!("{one}...{other}"),
                4 => format!("--reverse {one}...{other}"),
                5 => format!("--reverse {one}..{other}"),
                6 => format!("{one}^!"),
                7 => format!("{one}^@"),
                8 => format!("main --not {one} {other}"),
                9 => format!("{one}^-"),
                10 => format!("{other} --not {one}^@"),
                _ => format!("{one}..{other}"),
            };
            arguments.extend(words(&format!("{form} -- f")));
            // The sides of a symmetric difference are two commits, unless one is an ancestor of the other.
            if form.contains("...") && rng.chance(70) {
                let at = arguments.len() - 2;
                arguments.insert(at, format!("^{one}"));
            }
            let case = format!("seed {seed}, {change} {text}");
            let root = repository.root();
            let answers = cases.compare_output(repository, root, &[], &case, &arguments);
            found += usize::from(answers);
        }
    }
    assert!(found > 100, "{found} found");
    cases.finish(300);
}

/// Lines of a graft file in which no commit becomes its own ancestor.
fn grafts(rng: &mut Rng, ids: &[String]) -> String {
    let mut text = String::new();
    for _ in 0..3 {
        let commit = rng.between(1, ids.len() - 1);
        let parents = (0..rng.below(4)).map(|_| format!(" {}", ids[rng.below(commit)]));
        let parents: String = parents.collect();
        text += &format!("{}{parents}\n", ids[commit]);
    }
    text
}

/// Replaces commits by earlier ones, or by a tag.
fn replace(rng: &mut Rng, repository: &TestRepo, ids: &[String]) {
    repository.git(&["tag", "-a", "-m", "t", "tag", &ids[0]]);
    let tag = repository.git_text(&["rev-parse", "tag"]);
    for _ in 0..2 {
        let commit = rng.between(1, ids.len() - 1);
        let other = match rng.below(6) {
            0 | 1 => &tag,
            _ => &ids[rng.below(commit)],
        };
        let name = format!("refs/replace/{}", ids[commit]);
        repository.git(&["update-ref", &name, other]);
    }
}
