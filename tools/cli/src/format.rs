//! How figures and words are written for people: as everywhere, but for what only a shell needs.

pub(crate) use bench::words::shell;
pub(crate) use show::number::{bytes, count};
pub(crate) use show::text::visible;
