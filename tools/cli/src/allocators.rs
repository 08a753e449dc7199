//! From names on the command line to libraries that can be preloaded.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use bench::closest::closest;
use launch::allocator::{Allocator, GLIBC};
use launch::environment::{KEYS, PRELOAD, SETTINGS, Setting};
use launch::inspect::elf;
use launch::unpack::{Embedded, unpack};
use launch::{discover, environment};

use crate::embedded;
use crate::exit::Usage;
use crate::flags::settings;
use crate::flags::subject::{AllocatorArg, Set, What, stem};

pub(crate) fn this_executable() -> anyhow::Result<PathBuf> {
    env::current_exe().context("cannot find this executable itself (is /proc mounted?)")
}

pub(crate) fn heapwright() -> anyhow::Result<Allocator> {
    unpacked(&embedded::ALL[0])
}

/// The other libraries that this executable carries, unpacked: the classic designs.
pub(crate) fn classics() -> anyhow::Result<Vec<Allocator>> {
    embedded::mallocs().skip(1).map(unpacked).collect()
}

fn unpacked(library: &Embedded) -> anyhow::Result<Allocator> {
    let path = unpack(library)?;
    Ok(Allocator::preloaded(library.name, path)
        .with_version(Some(env!("CARGO_PKG_VERSION").to_owned())))
}

/// Everything a program would be run on: the flagship, the C library's, and what is installed and works. The classic
/// designs are to be asked for by name: some are slow.
///
/// What is installed and does not work is said in `warnings`.
pub(crate) fn all(warnings: &mut Vec<String>) -> anyhow::Result<Vec<Allocator>> {
    let mut all = vec![heapwright()?, Allocator::glibc()];
    for found in discover::installed(&this_executable()?) {
        match found.problem {
            None => all.push(found.allocator),
            Some(problem) => {
                warnings.push(format!("left out: allocator {}: {problem}", found.allocator.name));
            }
        }
    }
    Ok(all)
}

pub(crate) fn find(arg: &AllocatorArg) -> anyhow::Result<Allocator> {
    let found = match &arg.what {
        What::File(path) => Allocator { base: stem(path), ..library(&arg.name, path)? },
        What::Known(name) => known(name).map_err(|why| match as_setting(arg) {
            Some(hint) => anyhow!(Usage(hint)),
            None => why,
        })?,
    };
    settle(found, arg)
}

fn known(name: &str) -> anyhow::Result<Allocator> {
    match embedded::find(name) {
        Some(library) => unpacked(library),
        None if name == GLIBC => Ok(Allocator::glibc()),
        None => installed(name),
    }
}

/// Gives `found` the name that `arg` has, and what it sets.
pub(crate) fn settle(mut found: Allocator, arg: &AllocatorArg) -> anyhow::Result<Allocator> {
    let refuse = |why: String| bail!(Usage(format!("-a {}: {why}", arg.word)));
    for set in &arg.set {
        let (Set::Variable(name, _) | Set::Setting(name, _)) = set;
        let known = settings::keys(&found);
        match set {
            _ if found.in_process.is_some() && known.is_none() => {
                return refuse(format!(
                    "{} is in the workloads' program: it has no settings",
                    found.base
                ));
            }
            Set::Variable(name, _) if found.in_process.is_some() => {
                return refuse(format!(
                    "{} is in the workloads' program, which reads no {name}",
                    found.base
                ));
            }
            Set::Variable(name, _) if name == PRELOAD => {
                return refuse(format!("{name} is what puts a program on an allocator"));
            }
            Set::Variable(name, value) if name == SETTINGS => {
                let words = value.replace(',', ":");
                return refuse(format!("write {}:{words} for what {name} says", found.base));
            }
            Set::Variable(name, value) => {
                found.environment.retain(|(earlier, _)| earlier != name);
                found.environment.push((name.clone(), value.clone()));
            }
            Set::Setting(key, value) => match known {
                // Its values are checked by that program.
                Some(keys) if found.in_process.is_some() && keys.contains(&key.as_str()) => {
                    let (key, value) = (key.clone(), value.clone());
                    found.settings.push(Setting { key, value });
                }
                Some(keys) if keys.contains(&key.as_str()) => {
                    let setting = format!("{key}={value}").parse::<Setting>();
                    found.settings.push(
                        setting.map_err(|why| anyhow!(Usage(format!("-a {}: {why}", arg.word))))?,
                    );
                }
                Some(_) => return refuse(settings::unknown(&found, key)),
                None => {
                    return refuse(format!(
                        "{} has no settings of heapwright's, as {name} would be; variables of the environment are \
                         written in upper case",
                        found.base
                    ));
                }
            },
        }
    }
    found.name.clone_from(&arg.name);
    Ok(found)
}
fn installed(name: &str) -> anyhow::Result<Allocator> {
    let found = discover::installed(&this_executable()?);
    let mut known: Vec<String> = embedded::mallocs().map(|e| e.name.to_owned()).collect();
    known.insert(1, GLIBC.to_owned());
    for f in found {
        if f.allocator.name == name {
            return match f.problem {
                None => Ok(f.allocator),
                Some(problem) => bail!("allocator {name}: {problem}"),
            };
        }
        known.push(f.allocator.name);
    }
    let near = closest(name, known.iter().map(String::as_str));
    let hint = if name.contains(".so") || Path::new(name).exists() {
        format!("for a file of this folder: -a ./{name}; ")
    } else if near.is_empty() {
        String::new()
    } else {
        format!("did you mean {}? ", near.join(" or "))
    };
    bail!(Usage(format!(
        "no allocator {name} on this machine; {hint}there are {}. A library anywhere else: -a {name}=/path/to/lib.so",
        known.join(", ")
    )))
}

fn library(name: &str, path: &Path) -> anyhow::Result<Allocator> {
    // The loader of the child resolves it, wherever that is started.
    let absolute = path
        .canonicalize()
        .with_context(|| format!("allocator {name}: cannot open {}", path.display()))?;
    if !environment::can_be_preloaded(&absolute) {
        bail!(environment::Error::UnspeakablePath(absolute));
    }
    if !elf::defines_malloc(&absolute) {
        bail!(
            "allocator {name}: {} is not a library for this machine that exports malloc",
            absolute.display()
        );
    }
    Ok(Allocator::preloaded(name, absolute))
}

/// What is wrong where a list of settings has commas: `heapwright:keep=0,safe=1` names an allocator 1 that is called safe.
fn as_setting(arg: &AllocatorArg) -> Option<String> {
    let is_key = KEYS.split(", ").any(|key| key == arg.name) && arg.plain().is_none();
    is_key.then(|| {
        format!("-a {0}: a comma begins another allocator; a further setting has a colon: heapwright:keep=0:{0}", arg.word)
    })
}
