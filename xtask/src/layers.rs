//! `cargo xtask layers`: a crate depends only on the layers below it.
//!
//! ```text
//! tools                        std lives here
//! abi                          C and the drop-in library
//! heapwright                   the facade
//! malloc
//! compose
//! thread
//! block   object   handle      one level, side by side
//! page
//! source                       the only layer that names an operating system
//! policy                       decisions without state
//! base
//! registry                     which allocators there are
//! ```
//!
//! [`graph`] judges the manifests, [`sources`] the few lines by which a source could still reach upward. The rest the
//! compiler and clippy refuse: without `extern crate std` there is no `std::`, without the dependency no `libc::`, and
//! `crates/clippy.toml` has the macros and functions that no allocator may call.
//! testkit, tests, model, fuzz and xtask stand outside the layers and may use all of them.

pub(crate) mod graph;
mod sources;

use cargo_metadata::{Metadata, MetadataCommand};
use std::path::Path;

pub(crate) fn run() -> Result<bool, String> {
    let found = offences()?;
    found.iter().for_each(|offence| eprintln!("{offence}"));
    match found.len() {
        0 => println!("layers: every crate keeps to its place"),
        n => eprintln!("layers: {n} to mend; ARCHITECTURE.md has the order and its reasons"),
    }
    Ok(found.is_empty())
}

fn offences() -> Result<Vec<String>, String> {
    let top = crate::peers::root();
    let packages = packages()?;
    let mut found = graph::judge(&packages);
    for package in packages.iter().filter(|package| package.place.is_library_layer()) {
        found.extend(sources::judge(&top, &package.folder)?);
    }
    Ok(found)
}

pub(crate) fn packages() -> Result<Vec<graph::Package>, String> {
    Ok(graph::packages(&metadata(&crate::peers::root())?))
}

/// The workspace's manifests as cargo sees them; dependencies are not resolved, so nothing is fetched.
fn metadata(top: &Path) -> Result<Metadata, String> {
    MetadataCommand::new().no_deps().current_dir(top).exec().map_err(|e| e.to_string())
}
