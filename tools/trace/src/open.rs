//! What a path means: a packed trace, a recording that is packed first, or a folder of both.
//!
//! ```text
//! DIR/a-12.chunks ─► DIR/a-12.trace     where that cannot be written:  TMPDIR/heapwright-traces-USER/a-12-….trace
//! ```

use std::env;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use crate::error::TraceError;
use crate::pack::{Progress, locked, pack, pack_locked};
use crate::packer::Packed;

/// A packed trace, and what else was there.
pub(crate) struct Found {
    pub(crate) packed: PathBuf,
    pub(crate) others: Vec<PathBuf>,
}

/// A raw recording takes about so many times the room of the packed one, beyond what one of a few events has.
const RAW_TO_PACKED: u64 = 4;
const RAW_LEAST: u64 = 128 << 10;

pub(crate) fn find(path: &Path) -> Result<Found, TraceError> {
    if !path.is_dir() {
        return Ok(Found { packed: packed(path)?, others: Vec::new() });
    }
    let mut sized: Vec<(u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(path).map_err(TraceError::io(path))? {
        let entry = entry.map_err(TraceError::io(path))?;
        let (path, len) = (entry.path(), entry.metadata().map_or(0, |meta| meta.len()));
        match path.extension().and_then(|extension| extension.to_str()) {
            // The recording stands for both: its program may have gone on since it was packed.
            Some("trace") if path.with_extension("chunks").exists() => {}
            Some("trace") => sized.push((len, path)),
            Some("chunks") => sized.push((len.saturating_sub(RAW_LEAST) / RAW_TO_PACKED, path)),
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
    let is_packed = |packed: &Path| {
        let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
        let newer = |packed| modified(path).is_none_or(|raw| packed >= raw);
        modified(packed).is_some_and(newer)
    };
    if is_packed(&packed) {
        return Ok(packed);
    }
    let raw = match locked(path) {
        Ok(raw) => raw,
        Err(_) if is_packed(&packed) => return Ok(packed),
        Err(error) => return Err(error),
    };
    if is_packed(&packed) {
        return Ok(packed);
    }
    match elsewhere(path) {
        Ok(other) if is_packed(&other) => Ok(other),
        _ => Ok(pack_locked_beside(&raw, path, &mut |_| {})?.path),
    }
}

/// Packs a recording beside it, or in the temporary folder where there is no room, or nothing may be written.
/// Errors: as for [`pack`].
pub fn pack_beside(
    raw: impl AsRef<Path>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Packed, TraceError> {
    let raw = raw.as_ref();
    pack_locked_beside(&locked(raw)?, raw, progress)
}

fn pack_locked_beside(
    file: &File,
    raw: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<Packed, TraceError> {
    let beside = pack_locked(file, raw, &raw.with_extension("trace"), progress);
    beside.or_else(|error| match elsewhere(raw) {
        // Why it could not be done beside says more than why it could not be done elsewhere.
        Ok(other) => pack_locked(file, raw, &other, progress).map_err(|_| error),
        Err(_) => Err(error),
    })
}

/// Where a recording is packed that cannot be packed beside it: a folder of this user alone.
fn elsewhere(raw: &Path) -> io::Result<PathBuf> {
    let user = fs::metadata("/proc/self")?.uid();
    let folder = env::temp_dir().join(format!("heapwright-traces-{user}"));
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let about = fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != user || about.mode() & 0o077 != 0 {
        return Err(io::Error::other("others can write there"));
    }
    let (name, raw) = (raw.file_stem().unwrap_or_default().to_string_lossy(), fs::metadata(raw)?);
    Ok(folder.join(format!("{name}-{:x}-{:x}.trace", raw.dev(), raw.ino())))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::thread;
    use std::time::SystemTime;

    use super::{find, packed};
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

    /// What was packed while the program ran stood for all that came later.
    #[test]
    fn in_a_folder_too_a_recording_that_has_grown_is_packed_again() {
        let folder = tempfile::tempdir().unwrap();
        let raw = Raw::create(folder.path().join("a.chunks")).finish();
        let before = find(folder.path()).unwrap().packed;
        assert_eq!(before, raw.with_extension("trace"));
        let packed = File::options().append(true).open(&before).unwrap();
        packed.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let found = find(folder.path()).unwrap();
        assert_eq!((&found.packed, found.others.len()), (&before, 0));
        let modified = fs::metadata(&before).unwrap().modified().unwrap();
        assert!(modified > SystemTime::UNIX_EPOCH, "it is as it was");
    }
}
