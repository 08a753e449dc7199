//! What was found in files before: the processes of a recording have most files in common, and to unpack debugging information
//! takes longer than all the rest.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::names::Names;
use crate::trouble::Why;

/// Addresses of one file at most: then what is known of them is forgotten.
const MOST: usize = 64 << 10;

/// Of one file, by addresses of its own count; and why there are no names or lines, once it was looked into.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) names: Names,
    pub(crate) why: Option<Why>,
}

/// By build id.
static FILES: Mutex<BTreeMap<String, Found>> = Mutex::new(BTreeMap::new());

fn files() -> MutexGuard<'static, BTreeMap<String, Found>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes what is known of a file, until it is put back. Of one without a build id nobody knows whether it is the same.
pub(crate) fn take(build_id: &str) -> Found {
    files().remove(build_id).unwrap_or_default()
}

pub(crate) fn put(build_id: &str, found: Found) {
    if !build_id.is_empty() && found.names.len() <= MOST {
        files().insert(build_id.to_owned(), found);
    }
}
