//! How a commit arrived: the merge or the request that merged it, and the first release that
//! contains it.

pub mod finder;
pub mod releases;
pub mod request_number;
