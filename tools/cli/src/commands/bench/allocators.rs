//! Which allocators take part, each seen to work before the first run.

use anyhow::bail;
use bench::allocator::{Allocator, GLIBC};
use bench::closest::closest;
use bench::inspect::{Inspection, loader};
use bench::probe;

use crate::exit::Usage;
use crate::flags::allocator::AllocatorArg;
use crate::{allocators, embedded};

/// The region allocators of the program of workloads.
const REGION: [&str; 13] = [
    "tlsf",
    "half-fit",
    "first-fit",
    "next-fit",
    "best-fit",
    "worst-fit",
    "buddy",
    "slab",
    "rlsf",
    "talc",
    "buddy_system_allocator",
    "linked_list_allocator",
    "dlmalloc",
];

/// The allocators to compare. With `region`, names mean allocators of the program of workloads where it has them.
pub(super) fn chosen(
    asked: &[AllocatorArg],
    region: bool,
    program: Option<&Inspection>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Vec<Allocator>> {
    let all = AllocatorArg::Name("all".to_owned());
    let everything = asked.is_empty() || asked.contains(&all);
    let mut chosen: Vec<Allocator> = match (everything, region) {
        (false, _) => Vec::new(),
        (true, false) => allocators::all(warnings)?,
        (true, true) => {
            let all = REGION.map(Allocator::in_process);
            core::iter::once(Allocator::glibc()).chain(all).collect()
        }
    };
    for arg in asked.iter().filter(|a| **a != all) {
        let allocator = one(arg, region)?;
        match chosen.iter().find(|c| c.name == allocator.name) {
            Some(same) if *same == allocator || everything => {}
            Some(_) => bail!(Usage(format!("two allocators are called {}", allocator.name))),
            None => chosen.push(allocator),
        }
    }
    let mut working = Vec::new();
    for allocator in chosen {
        match works(allocator, program) {
            Ok(allocator) => working.push(allocator),
            Err(error) if everything && working.iter().any(|w: &Allocator| w.name == GLIBC) => {
                warnings.push(format!("left out: {error:#}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(working)
}

fn one(arg: &AllocatorArg, region: bool) -> anyhow::Result<Allocator> {
    let AllocatorArg::Name(name) = arg else { return allocators::find(arg) };
    if region && REGION.contains(&name.as_str()) {
        return Ok(Allocator::in_process(name.as_str()));
    }
    if region && name != GLIBC && embedded::find(name).is_none() {
        let near = closest(name, REGION).join(", ");
        bail!(Usage(format!(
            "no region allocator {name}; {}there are {}",
            if near.is_empty() { String::new() } else { format!("did you mean {near}? ") },
            REGION.join(", ")
        )));
    }
    allocators::find(arg)
}

/// Sees that `allocator` becomes malloc in a small program, and that the user's program's loader takes it.
fn works(allocator: Allocator, program: Option<&Inspection>) -> anyhow::Result<Allocator> {
    if allocator.in_process.is_some() {
        return Ok(allocator);
    }
    let answer = match probe::ask(&allocators::this_executable()?, &allocator) {
        Ok(answer) => answer,
        // It will fail in the table, and that is a result.
        Err(probe::Error::Broken(..)) => return Ok(allocator),
        Err(error) => bail!("allocator {}: {error}", allocator.name),
    };
    let Some(library) = allocator.library() else {
        let file = answer.malloc.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !file.starts_with("libc.") && !file.starts_with("libc-") {
            bail!(
                "{} would not be measured: LD_PRELOAD is set, and malloc comes from {}",
                allocator.name,
                answer.malloc.display()
            );
        }
        return Ok(allocator);
    };
    if let Some(program) = program.filter(|p| p.is_usable())
        && let (Some(loader), Some(target)) = (&program.loader, program.program())
        && loader::is_glibc(loader)
        && let loader::Answer::Refuses(said) = loader::ask(loader, target, library)
    {
        bail!("{} does not load into {}: {said}", allocator.name, target.display());
    }
    let version = answer.version.or(allocator.version.clone());
    Ok(allocator.with_version(version))
}
