//! Names for addresses, one file after another.

use core::time::Duration;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::before;
use crate::debug_files;
use crate::demangle::demangle;
use crate::elf::{self, Elf};
use crate::lookup::{self, Has};
use crate::module::{Lies, Module, Modules};
use crate::names::{Names, Symbol};
use crate::perf_map;
use crate::trouble::{Trouble, Why};

/// Where distributions put debugging information.
const FOLDER: &str = "/usr/lib/debug";

/// Finds names for the addresses of a process.
#[derive(Debug)]
pub struct Resolver {
    modules: Modules,
    /// When the process ran, if that is known: a file that was changed since is another one.
    recorded: Option<SystemTime>,
    folders: Vec<PathBuf>,
    /// Of code that was made at run time.
    map: Option<PathBuf>,
}

/// The addresses in one file: each with its module.
type ByFile<'a> = BTreeMap<(&'a str, &'a str), Vec<(u64, &'a Module)>>;

impl Resolver {
    /// For a process that had these files mapped. `recorded`: when, in nanoseconds since 1970, or 0.
    pub fn new(modules: &[Module], recorded: u64) -> Self {
        let recorded =
            (recorded > 0).then(|| SystemTime::UNIX_EPOCH + Duration::from_nanos(recorded));
        Self { modules: Modules::new(modules), recorded, folders: vec![FOLDER.into()], map: None }
    }

    /// Looks for debugging information below these folders, and not in `/usr/lib/debug`.
    pub fn debug_folders(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.folders = folders.into_iter().collect();
        self
    }

    /// Looks in the map that the process's runtime wrote of code that it made, if it did.
    pub fn process(mut self, process: u32) -> Self {
        self.map = Some(format!("/tmp/perf-{process}.map").into());
        self
    }

    /// What is known of these return addresses.
    pub fn names(&self, ips: impl IntoIterator<Item = u64>) -> Names {
        let mut names = Names::default();
        self.add(ips, &mut names);
        names
    }

    /// Adds what is known of these return addresses to what another tool has said.
    pub fn add(&self, ips: impl IntoIterator<Item = u64>, names: &mut Names) {
        // 0 stands for callers that are not known.
        let is_new = |ip: &u64| *ip != 0 && names.place(*ip).is_none();
        let mut ips: Vec<u64> = ips.into_iter().filter(is_new).collect();
        ips.sort_unstable();
        ips.dedup();
        let mut files = ByFile::new();
        let (mut outside, mut several) = (Vec::new(), BTreeMap::<&str, usize>::new());
        for ip in ips {
            // The call is before the address to which it returns.
            match self.modules.find(ip.wrapping_sub(1)) {
                Lies::In(number) => {
                    let module = self.modules.get(number);
                    files.entry((&module.path, &module.build_id)).or_default().push((ip, module));
                }
                Lies::InSeveral(number) => {
                    *several.entry(&self.modules.get(number).path).or_default() += 1;
                }
                Lies::Outside => outside.push(ip),
            }
        }
        if let Some(map) = &self.map {
            outside = perf_map::add(map, self.recorded, outside, names);
        }
        for ((path, build_id), addresses) in files {
            if let Err(why) = self.file(path, build_id, &addresses, names) {
                let (path, build_id) = (path.to_owned(), build_id.to_owned());
                names.troubles.push(Trouble { path, build_id, why, addresses: addresses.len() });
            }
            for (ip, module) in addresses {
                names.insert(ip, &module.path, module.place(ip), []);
            }
        }
        let mut none = |path: &str, why, addresses| {
            let (path, build_id) = (path.to_owned(), String::new());
            names.troubles.push(Trouble { path, build_id, why, addresses });
        };
        several.into_iter().for_each(|(path, addresses)| none(path, Why::Several, addresses));
        if !outside.is_empty() {
            none("", Why::NoFile, outside.len());
        }
        names.troubles.sort_by_key(|trouble| core::cmp::Reverse(trouble.addresses));
    }

    /// Names for the addresses of one file; why there are none, or no lines.
    fn file(
        &self,
        path: &str,
        build_id: &str,
        addresses: &[(u64, &Module)],
        names: &mut Names,
    ) -> Result<(), Why> {
        if !path.starts_with('/') {
            // `[vdso]`, `[heap]`, or nothing.
            return Err(Why::NoFile);
        }
        let open = Elf::open(Path::new(path));
        let elf = open.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Why::Gone,
            _ => Why::Unreadable(error.to_string()),
        })?;
        let file = elf.file().ok_or_else(|| Why::Unreadable("it is no ELF file".to_owned()))?;
        self.check(path, build_id, &file)?;
        let (mut known, mut within) = (Vec::new(), Vec::new());
        for &(ip, module) in addresses {
            let place = module.place(ip.wrapping_sub(1));
            let address =
                if module.base.is_some() { Some(place) } else { elf::address_of(&file, place) };
            if let Some(address) = address {
                known.push((ip, module));
                within.push(address);
            }
        }
        // Elsewhere than in the usual folder something else may be found.
        let build_id = if self.folders == [Path::new(FOLDER)] { build_id } else { "" };
        let mut found = before::take(build_id);
        let missing: Vec<u64> =
            within.iter().copied().filter(|at| found.names.place(*at).is_none()).collect();
        if !missing.is_empty() || within.is_empty() {
            found.why = self.look(Path::new(path), &file, &missing, &mut found.names);
        }
        for ((ip, module), address) in known.into_iter().zip(within) {
            names.insert(ip, &module.path, module.place(ip), found.names.at(address));
        }
        let why = found.why.clone();
        before::put(build_id, found);
        why.map_or(Ok(()), Err)
    }

    /// Adds names of these addresses, by the file's own count; why there are none, or no lines.
    fn look(
        &self,
        path: &Path,
        file: &object::File<'_>,
        addresses: &[u64],
        names: &mut Names,
    ) -> Option<Why> {
        let debug = if elf::has_debug_info(file) {
            None
        } else {
            debug_files::of(path, file, &self.folders)
        };
        let with_lines = debug.as_ref().and_then(Elf::file);
        let supplement =
            debug_files::supplement(path, with_lines.as_ref().unwrap_or(file), &self.folders);
        let each = |at: usize, found: &[Symbol<'_>]| {
            let demangled: Vec<String> = found.iter().map(|one| demangle(one.function)).collect();
            let symbols = found.iter().zip(&demangled);
            let symbols = symbols.map(|(one, function)| Symbol { function, ..*one });
            names.insert(addresses[at], "", 0, symbols);
        };
        match lookup::all(file, debug.as_ref(), supplement.as_ref(), addresses, each) {
            Has { lines: true, .. } => None,
            Has { symbols: true, .. } if has_all_symbols(file) => Some(Why::NoLines),
            _ => Some(Why::Stripped),
        }
    }

    /// Whether it is the file that was recorded.
    fn check(&self, path: &str, recorded: &str, file: &object::File<'_>) -> Result<(), Why> {
        if !recorded.is_empty() {
            let is_same = elf::build_id(file).is_some_and(|id| id == recorded);
            return if is_same { Ok(()) } else { Err(Why::Changed) };
        }
        let changed = Path::new(path).metadata().and_then(|meta| meta.modified()).ok();
        match (changed, self.recorded) {
            (Some(changed), Some(recorded)) if changed > recorded => Err(Why::Changed),
            _ => Ok(()),
        }
    }
}

/// Whether it has the table that stripping removes; the other one has only what is for others.
fn has_all_symbols(file: &object::File<'_>) -> bool {
    use object::Object as _;
    file.symbol_table().is_some()
}
