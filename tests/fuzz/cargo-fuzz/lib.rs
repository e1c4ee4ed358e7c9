//! Targets of `tests/fuzz`, by their names.

#[path = "../mod.rs"]
#[allow(dead_code, reason = "libFuzzer mutates and counts")]
mod fuzz;
#[path = "../../harness/mod.rs"]
mod harness;

use std::cell::RefCell;

use fuzz::{TARGETS, Watched};

thread_local! {
    /// The target of this process, made when the first input is read.
    static TARGET: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// Reads an input by the target called `name`. Whether it is of a size that is read.
///
/// # Panics
///
/// Panics if what should hold does not, as libFuzzer wants it.
pub fn execute(name: &str, input: &[u8]) -> bool {
    TARGET.with_borrow_mut(|target| {
        let target = target.get_or_insert_with(|| {
            let named = TARGETS.iter().find(|target| target.name == name);
            Watched::new((named.expect("binaries have names of targets").make)())
        });
        if input.len() > target.most_bytes() {
            return false;
        }
        if let Err(reason) = target.run(input) {
            panic!("{reason}");
        }
        true
    })
}
