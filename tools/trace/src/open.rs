//! What a path means: a packed trace, a recording that is packed first, or a folder of both.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::pack::{locked, pack, pack_locked};

/// A packed trace, and what else was there.
pub(crate) struct Found {
    pub(crate) packed: PathBuf,
    pub(crate) others: Vec<PathBuf>,
}

/// A raw recording takes about so many times the room of the packed one.
const RAW_TO_PACKED: u64 = 4;

pub(crate) fn find(path: &Path) -> Result<Found, TraceError> {
    if !path.is_dir() {
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
    let packed = path.with_extension("trace");
    // Who packs a recording removes it then.
    if !path.exists() && packed.exists() {
        return Ok(packed);
    }
    let mut begin = [0; 8];
    let file = File::open(path).map_err(TraceError::io(path))?;
    // A shorter file is neither, which the reader of packed traces says.
    _ = file.take(8).read(&mut begin).map_err(TraceError::io(path))?;
    if begin != trace_format::MAGIC {
        return Ok(path.to_owned());
    }
    if packed == path {
        return Ok(pack(path, path.with_extension("packed.trace"), &mut |_| {})?.path);
    }
    let is_packed = || {
        let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let newer = |packed| modified(path).is_none_or(|raw| packed >= raw);
        modified(&packed).is_some_and(newer)
    };
    if is_packed() {
        return Ok(packed);
    }
    let raw = match locked(path) {
        Ok(raw) => raw,
        Err(_) if is_packed() => return Ok(packed),
        Err(error) => return Err(error),
    };
    if !is_packed() {
        pack_locked(&raw, path, &packed, &mut |_| {})?;
    }
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::thread;

    use super::packed;
    use crate::pack::{locked, pack_locked};
    use crate::testing::Raw;

    #[test]
    fn a_recording_that_is_being_packed_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let raw = Raw::create(folder.path().join("a.chunks")).finish();
        let packing = locked(&raw).unwrap();
        let opens = {
            let raw = raw.clone();
            thread::spawn(move || packed(&raw).unwrap())
        };
        let done = pack_locked(&packing, &raw, &raw.with_extension("trace"), &mut |_| {}).unwrap();
        fs::remove_file(&raw).unwrap();
        let written = File::open(&done.path).unwrap().metadata().unwrap().modified().unwrap();
        drop(packing);
        assert_eq!(opens.join().unwrap(), done.path);
        assert_eq!(packed(&raw).unwrap(), done.path);
        let now = fs::metadata(&done.path).unwrap().modified().unwrap();
        assert_eq!(now, written, "it was packed once");
    }
}
