//! The part of the other targets' harness that does not need the program.

#![allow(dead_code, reason = "other targets use the rest")]

#[path = "../harness/git.rs"]
pub mod git;
#[path = "../harness/repository.rs"]
pub mod repository;
#[path = "../harness/rng.rs"]
pub mod rng;
