//! The blame: which commit each line of a file comes from.
//!
//! The engine knows object ids, bytes and std. It pushes what it decides into a [`Sink`] and can be
//! stopped between any two commits or diffs. An [`Engine`] keeps its caches from one blame to the
//! next, so that stepping back through history costs little.
//!
//! The way of a blame: [`walk`] takes commits from the queue in [`history`], asks the scoreboard in
//! [`board`] for their origins, looks the file up in the parents (renames, moves and copies are in
//! [`similarity`]) and splits the origin's entries between the parents and the commit itself; lines
//! that no parent has are the commit's own: it is guilty of them.

pub(crate) mod api;
pub(crate) mod board;
pub mod driver;
pub(crate) mod history;
pub(crate) mod prefetch;
pub(crate) mod similarity;
pub(crate) mod versions;
pub(crate) mod walk;

pub use api::{
    blame::{Blame, Entry, Origin, OriginId, Sink, Stats},
    error::{ConversionError, Error},
    profile::{CpuClock, Graph, Phase, Profile, Times, Work},
    request::{IndexPaths, Listing, Movement, Order, Request, Start, TextConversion, Uncommitted},
};
pub use driver::Engine;
pub use similarity::chunks::Chunks;
pub use walk::visible_first::Focus;
