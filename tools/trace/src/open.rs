//! What a path means: a packed trace, a recording that is packed first, or a folder of both.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::pack::pack;

/// A packed trace, and what else was there.
pub(crate) struct Found {
    pub(crate) packed: PathBuf,
    pub(crate) others: Vec<PathBuf>,
}

/// A raw recording takes about so many times the room of the packed one.
const RAW_TO_PACKED: u64 = 4;

pub(crate) fn find(path: &Path) -> Result<Found, TraceError> {
    let meta = fs::metadata(path).map_err(TraceError::io(path))?;
    if !meta.is_dir() {
        return Ok(Found { packed: packed(path)?, others: Vec::new() });
    }
    let mut sized: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(path).map_err(TraceError::io(path))? {
        let entry = entry.map_err(TraceError::io(path))?;
        let (path, len) = (entry.path(), entry.metadata().map_or(0, |meta| meta.len()));
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("trace") => sized.push((len, path)),
            // Its packed trace, if there is one, stands for both.
            Some("chunks") if !path.with_extension("trace").exists() => {
                sized.push((len / RAW_TO_PACKED, path));
            }
            _ => {}
        }
    }
    sized.sort_unstable_by(|a, b| b.cmp(a));
    let mut paths = sized.into_iter().map(|(_, path)| path);
    let largest = paths.next().ok_or_else(|| TraceError::Empty { path: path.to_owned() })?;
    Ok(Found { packed: packed(&largest)?, others: paths.collect() })
}

/// The packed trace of this file: itself, or what is made of it beside it.
fn packed(path: &Path) -> Result<PathBuf, TraceError> {
    let mut begin = [0; 8];
    let file = File::open(path).map_err(TraceError::io(path))?;
    // A shorter file is neither, which the reader of packed traces says.
    _ = file.take(8).read(&mut begin).map_err(TraceError::io(path))?;
    if begin != trace_format::MAGIC {
        return Ok(path.to_owned());
    }
    let packed = path.with_extension("trace");
    if packed == path {
        return Ok(pack(path, path.with_extension("packed.trace"), &mut |_| {})?.path);
    }
    let newer = |a: &Path, b: &Path| {
        let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
        modified(a).zip(modified(b)).is_some_and(|(a, b)| a >= b)
    };
    if !newer(&packed, path) {
        pack(path, &packed, &mut |_| {})?;
    }
    Ok(packed)
}
