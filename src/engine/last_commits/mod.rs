//! The last commit that changed each entry of a directory, as `git last-modified` finds it.
//!
//! - An entry of a commit goes to the first parent, in their order, that has the same one: mode and
//!   id. If none has it, the commit changed it.
//! - So each entry has one way back, on which it stays the same. The entries that have come to a
//!   commit are passed on together, and one directory's tree is read for each visited commit,
//!   whatever their number. The order of visits does not change a result.
//! - A commit that is beyond a limit of the request has its entries without being compared.

pub(crate) mod directory_tree;
pub(crate) mod directory_walk;
