//! Random files of a repository at random revisions, in the four formats or with random options.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt, OsStringExt},
};

use crate::{
    Arguments,
    harness::{
        compare::FORMATS,
        git::version_of,
        option_sets::{BlameTarget, OPTION_KINDS, OptionSet},
        rng::Rng,
    },
    repository::{Repository, Sample},
    run::Run,
};

/// The files of [`Arguments::files`] at [`Arguments::revision`], or random ones at random revisions.
pub fn samples(arguments: &Arguments, repository: &Repository) -> Vec<Sample> {
    if !arguments.files.is_empty() {
        let named = arguments.files.iter().map(|file| Sample {
            revision: arguments.revision.clone(),
            path: file.as_bytes().to_vec(),
            text: repository.text_of(&arguments.revision, file.as_bytes()),
        });
        return named.collect();
    }
    let mut rng = Rng::new(arguments.seed);
    let commits = repository.ask_lines(&["rev-list", &arguments.revision]);
    assert!(!commits.is_empty(), "there are no commits");
    let mut samples = Vec::new();
    let mut tries = 0;
    while samples.len() < arguments.count && tries < arguments.count * 20 {
        tries += 1;
        let revision = if rng.chance(33) {
            &commits[0]
        } else {
            rng.pick(&commits)
        };
        samples.extend(repository.random_file(&mut rng, revision));
    }
    samples
}

/// The runs for these files.
pub fn runs(arguments: &Arguments, repository: &Repository, samples: &[Sample]) -> Vec<Run> {
    match arguments.option_sets {
        None => samples
            .iter()
            .flat_map(|sample| formats(arguments, repository, sample))
            .collect(),
        Some(count) => option_sets(arguments, repository, samples, count),
    }
}

/// The four formats of a file.
fn formats(arguments: &Arguments, repository: &Repository, sample: &Sample) -> Vec<Run> {
    let run = |format: &&[&str]| {
        let mut words: Vec<OsString> = format.iter().map(OsString::from).collect();
        words.extend(arguments.with.iter().map(OsString::from));
        words.extend([sample.revision.clone().into(), "--".into()]);
        words.push(OsString::from_vec(sample.path.clone()));
        run_in(repository, words, Vec::new())
    };
    FORMATS.iter().map(run).collect()
}

/// Random options for each file.
fn option_sets(
    arguments: &Arguments,
    repository: &Repository,
    samples: &[Sample],
    count: usize,
) -> Vec<Run> {
    let mut rng = Rng::new(arguments.seed);
    let all = OPTION_KINDS.map(|(_, kind)| kind);
    let kinds = if arguments.kinds.is_empty() {
        &all[..]
    } else {
        &arguments.kinds
    };
    let git = version_of(arguments.git.as_os_str());
    let mut runs = Vec::new();
    for sample in samples {
        // Commits that touched the file matter most.
        let commits = repository.commits_of(&sample.revision, &sample.path);
        if commits.is_empty() {
            continue;
        }
        let target = BlameTarget {
            revision: Some(&sample.revision),
            commits: &commits,
            text: &sample.text,
            git,
        };
        for _ in 0..count {
            let set = OptionSet::draw(&mut rng, &target, kinds);
            let mut words: Vec<OsString> = set.words.iter().map(OsString::from).collect();
            words.splice(0..0, arguments.with.iter().map(OsString::from));
            words.extend(["--".into(), OsString::from_vec(sample.path.clone())]);
            runs.push(run_in(repository, words, set.environment()));
        }
    }
    runs
}

fn run_in(
    repository: &Repository,
    arguments: Vec<OsString>,
    environment: Vec<(String, String)>,
) -> Run {
    Run {
        directory: repository.directory.clone(),
        environment,
        git_options: Vec::new(),
        in_place_of_git: false,
        arguments,
        input: Vec::new(),
    }
}
