//! Attribution: the same lines to the same commits as git, in every format.

mod ignored_revisions;
mod long_ranges;
mod moves_and_copies;
mod prefetch;
mod random_histories;
mod random_options;
mod renames;
mod textconv;
mod walk;
mod work_tree;
