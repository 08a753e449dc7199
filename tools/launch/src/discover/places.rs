//! Where allocator libraries may be.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// The variable with libraries, or folders of them.
const VARIABLE: &str = "HEAPWRIGHT_ALLOCATORS";

/// Below the user's own data.
const FOLDER: &str = "heapwright/allocators";

/// Below cargo's target folder, where `cargo xtask peers` puts them.
const PEERS: &str = "peers/allocators";

/// Where the loader looks when nothing else is configured.
const DEFAULT_DIRECTORIES: &str = "/usr/local/lib /usr/local/lib64 /lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu \
     /lib/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu /lib64 /usr/lib64 /lib /usr/lib";

/// The libraries that are named one by one, and the folders in which the user keeps more.
pub(super) fn own() -> (Vec<PathBuf>, Vec<PathBuf>) {
    own_of(&|name| env::var_os(name))
}

fn own_of(variable: &dyn Fn(&str) -> Option<OsString>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    let named = set(VARIABLE).unwrap_or_default();
    let named = env::split_paths(&named).filter(|path| !path.as_os_str().is_empty());
    // The probe and the program's loader may be somewhere else.
    let absolute = named.map(|path| std::path::absolute(&path).unwrap_or(path));
    let (mut folders, libraries): (Vec<PathBuf>, Vec<PathBuf>) =
        absolute.partition(|path| path.is_dir());
    let data = set("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| Some(Path::new(&set("HOME")?).join(".local/share")));
    folders.extend(data.map(|data| data.join(FOLDER)));
    (libraries, folders)
}

/// Where the peers were built, if `executable` is in a target folder of cargo.
pub(super) fn of_the_checkout(executable: &Path) -> Option<PathBuf> {
    // `target/x86_64-unknown-linux-gnu/release/deps/NAME` is as deep as it gets. Cargo marks its folder.
    let mut above = executable.ancestors().skip(1).take(4);
    Some(above.find(|folder| folder.join("CACHEDIR.TAG").is_file())?.join(PEERS))
}

pub(super) fn is_of_peers(library: &Path) -> bool {
    library.parent().is_some_and(|folder| folder.ends_with(PEERS))
}

/// The directories of the loader: `LD_LIBRARY_PATH`, those configured in `/etc/ld.so.conf`, and the default ones.
pub fn library_directories() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = env::var_os("LD_LIBRARY_PATH")
        .map(|path| env::split_paths(&path).filter(|p| p.is_absolute()).collect())
        .unwrap_or_default();
    configured(Path::new("/etc/ld.so.conf"), 0, &mut all);
    all.extend(DEFAULT_DIRECTORIES.split_whitespace().map(PathBuf::from));
    let mut seen = Vec::new();
    all.retain(|directory| match fs::canonicalize(directory) {
        Ok(real) if !seen.contains(&real) => {
            seen.push(real);
            true
        }
        _ => false,
    });
    all
}

/// Reads one file of the loader's configuration: a directory a line, `include PATTERN`, `#` comments.
fn configured(file: &Path, depth: u32, found: &mut Vec<PathBuf>) {
    let Ok(text) = fs::read_to_string(file) else { return };
    for line in text.lines().map(|l| l.split('#').next().unwrap_or(l).trim()) {
        if let Some(pattern) = line.strip_prefix("include ") {
            // Deeper nesting than this is a loop.
            if depth < 4 {
                for included in matching(Path::new(pattern.trim())) {
                    configured(&included, depth + 1, found);
                }
            }
        } else if line.starts_with('/') {
            found.push(line.into());
        }
    }
}

/// The files that a pattern with `*` in its last part means; the only form in use.
fn matching(pattern: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(name)) =
        (pattern.parent(), pattern.file_name().and_then(OsStr::to_str))
    else {
        return Vec::new();
    };
    let Some((start, end)) = name.split_once('*') else { return vec![pattern.to_owned()] };
    let mut files: Vec<PathBuf> = entries(directory)
        .filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
        .collect();
    files.sort();
    files
}

/// What is in a folder; nothing if it cannot be read.
pub(super) fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_configuration_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let conf = dir.path().join("ld.so.conf");
        let more = dir.path().join("more.d");
        fs::create_dir(&more).unwrap();
        fs::write(&conf, format!("/one # comment\ninclude {}/*.conf\n", more.display())).unwrap();
        fs::write(more.join("b.conf"), "/three\n").unwrap();
        fs::write(more.join("a.conf"), format!("/two\ninclude {}\n", conf.display())).unwrap();
        fs::write(more.join("a.txt"), "/never\n").unwrap();
        let mut found = Vec::new();
        configured(&conf, 0, &mut found);
        assert_eq!(&found[..2], [Path::new("/one"), Path::new("/two")]);
        assert!(found.contains(&"/three".into()) && !found.contains(&"/never".into()));
    }

    #[test]
    fn the_users_own_places() {
        let dir = tempfile::tempdir().unwrap();
        let library = dir.path().join("libx.so");
        let list = env::join_paths([dir.path(), Path::new(""), &library]).unwrap();
        let with = |names: &[(&str, &OsStr)]| {
            own_of(&|name| names.iter().find(|(n, _)| *n == name).map(|(_, v)| v.into()))
        };
        let (libraries, folders) = with(&[(VARIABLE, &list), ("HOME", OsStr::new("/home/x"))]);
        assert_eq!(libraries, [library]);
        let home = PathBuf::from("/home/x/.local/share/heapwright/allocators");
        assert_eq!(folders, [dir.path().to_owned(), home]);
        let data = [("XDG_DATA_HOME", OsStr::new("/data")), ("HOME", OsStr::new("/home/x"))];
        assert_eq!(with(&data), (vec![], vec!["/data/heapwright/allocators".into()]));
        assert_eq!(with(&[]), (vec![], vec![]));
    }

    #[test]
    fn peers_are_looked_for_in_cargos_folder_only() {
        let dir = tempfile::tempdir().unwrap();
        let executable = dir.path().join("x86_64-unknown-linux-gnu/release/heapwright");
        assert_eq!(of_the_checkout(&executable), None);
        fs::write(dir.path().join("CACHEDIR.TAG"), "").unwrap();
        assert_eq!(of_the_checkout(&executable), Some(dir.path().join(PEERS)));
        assert_eq!(of_the_checkout(Path::new("/usr/bin/heapwright")), None);
        assert!(is_of_peers(&dir.path().join(PEERS).join("libx.so.1.2.3")));
        assert!(!is_of_peers(Path::new("/usr/lib/libx.so.1")));
    }
}
