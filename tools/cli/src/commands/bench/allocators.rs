//! Which allocators take part, each seen to work before the first run.

use anyhow::{anyhow, bail};
use bench::closest::closest;
use launch::allocator::{Allocator, GLIBC, HEAPWRIGHT};
use launch::discover;
use launch::inspect::{Inspection, loader};
use launch::probe;
use registry::{BLOCKS, FORMS, PEERS, TLSF_C};

use crate::exit::Usage;
use crate::flags::subject::{AllocatorArg, What};
use crate::{allocators, embedded};

const FLOOR: &str = "null";

/// What the second name of the baseline ends with.
const CONTROL: &str = " again";

pub(super) fn region_names() -> Vec<&'static str> {
    BLOCKS.iter().map(|row| row.name).chain(FORMS).chain(PEERS).chain([TLSF_C]).collect()
}

/// TLSF in C, in a folder of peers.
const TLSF_C_LIBRARY: &str = "region/libtlsf-c.so";

/// One that is in the program of workloads, or that it loads.
pub(super) fn one_within(name: &str) -> anyhow::Result<Allocator> {
    let allocator = Allocator::in_process(name);
    if name != TLSF_C {
        return Ok(allocator);
    }
    let found = discover::peer(&allocators::this_executable()?, TLSF_C_LIBRARY);
    let path = found.ok_or_else(|| anyhow!("{TLSF_C} is not there; cargo xtask peers makes it"))?;
    let loaded = format!("{TLSF_C}:{}", path.display());
    Ok(Allocator { in_process: Some(loaded), ..allocator })
}

pub(super) fn those_there(names: Vec<&'static str>, warnings: &mut Vec<String>) -> Vec<Allocator> {
    let found = names.into_iter().filter_map(|name| {
        one_within(name).map_err(|why| warnings.push(format!("left out: {why}"))).ok()
    });
    found.collect()
}

/// The block allocator that stands beside the kernel's.
const BESIDE: &str = "tlsf";

/// What a name can mean beside a library.
pub(crate) enum Among {
    Libraries,
    /// A region allocator of the program of workloads.
    Regions,
    /// The same; without names those of one report.
    Text,
    /// One of these of the kernel's, which are in that program too, or a region allocator.
    Kernels(Vec<&'static str>),
    /// One of these of the kernel's.
    Alone(Vec<&'static str>),
}

impl Among {
    fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Libraries => Vec::new(),
            Self::Regions | Self::Text => region_names(),
            Self::Kernels(kernels) => kernels.iter().copied().chain(region_names()).collect(),
            Self::Alone(kernels) => kernels.clone(),
        }
    }

    /// Who takes part unless it is said.
    fn all(&self, warnings: &mut Vec<String>) -> anyhow::Result<Vec<Allocator>> {
        let kernels = match self {
            Self::Libraries => return allocators::all(warnings),
            Self::Regions => {
                let all = those_there(region_names(), warnings);
                return Ok(core::iter::once(Allocator::glibc()).chain(all).collect());
            }
            Self::Text => return super::arceos::subjects(region_names(), warnings),
            Self::Alone(kernels) => {
                return Ok(kernels.iter().copied().map(Allocator::in_process).collect());
            }
            Self::Kernels(kernels) => kernels.iter().copied(),
        };
        let within = kernels.chain([BESIDE]).map(Allocator::in_process);
        Ok([Allocator::glibc(), allocators::heapwright()?].into_iter().chain(within).collect())
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Kernels(_) | Self::Alone(_) => "allocator for these workloads is called",
            _ => "region allocator",
        }
    }
}

/// The allocators to compare. Names mean `among` where it has them.
pub(crate) fn chosen(
    asked: &[AllocatorArg],
    among: &Among,
    program: Option<&Inspection>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Vec<Allocator>> {
    let all = AllocatorArg::known("all");
    let everything = asked.is_empty() || asked.contains(&all);
    let mut chosen = if everything { among.all(warnings)? } else { Vec::new() };
    // What is named has to work; what was only found may be left out.
    let mut named = Vec::new();
    for arg in asked.iter().filter(|a| **a != all) {
        let allocator = one(arg, among)?;
        named.push(allocator.name.clone());
        match chosen.iter().find(|c| c.name == allocator.name) {
            Some(same) if *same == allocator => {}
            // By its name it is the one that is there already.
            Some(_) if everything && arg.plain().is_some() => {}
            Some(_) => bail!(Usage(format!("two allocators are called {}", allocator.name))),
            None => chosen.push(allocator),
        }
    }
    let is_by_path =
        |name: &str| asked.iter().any(|a| matches!(a.what, What::File(_)) && a.name == name);
    let mut working = Vec::new();
    for allocator in chosen {
        let may_be_left_out = everything && !named.contains(&allocator.name);
        let is_users = is_by_path(&allocator.name) || embedded::find(&allocator.base).is_none();
        match works(allocator, is_users, program, warnings) {
            Ok(allocator) => working.push(allocator),
            Err(error)
                if may_be_left_out && working.iter().any(|w: &Allocator| w.name == GLIBC) =>
            {
                warnings.push(format!("left out: {error:#}"));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(working)
}

fn one(arg: &AllocatorArg, among: &Among) -> anyhow::Result<Allocator> {
    let is_plain = arg.plain().is_some();
    let is_other = matches!(&arg.what, What::Known(name) if name != HEAPWRIGHT);
    if is_other && arg.name == HEAPWRIGHT {
        bail!(Usage(format!("-a {}: only heapwright can be called heapwright", arg.word)));
    }
    if !is_plain && let Some(why) = taken(&arg.name, among) {
        bail!(Usage(format!("no allocator can be called '{}' here: {why}", arg.name)));
    }
    let name = match &arg.what {
        What::Known(name) => name,
        // Whatever is wrong with it, it was named on the command line.
        What::File(_) => {
            return allocators::find(arg).map_err(|error| anyhow!(Usage(format!("{error:#}"))));
        }
    };
    let within = among.names();
    if within.contains(&name.as_str()) {
        let found = one_within(name).map_err(|why| anyhow!(Usage(why.to_string())))?;
        return allocators::settle(found, arg);
    }
    let is_library = name == GLIBC || embedded::find(name).is_some();
    let is_alone = matches!(among, Among::Alone(_));
    if is_alone || !within.is_empty() && !is_library {
        let near = closest(name, within.iter().copied()).join(", ");
        bail!(Usage(format!(
            "no {} {name}; {}there are {}",
            among.word(),
            if near.is_empty() { String::new() } else { format!("did you mean {near}? ") },
            within.join(", ")
        )));
    }
    match allocators::find(arg) {
        Err(_) if region_names().contains(&name.as_str()) && embedded::find(name).is_none() => {
            bail!(Usage(format!("{name} is a region allocator: add --region")))
        }
        Err(_) if registry::KERNELS.iter().any(|row| row.name == name) => {
            bail!(Usage(format!(
                "{name} is one of the kernel's allocators: heapwright bench kernel-sweep has them"
            )))
        }
        // Found on this machine, and broken: as good as unknown.
        Err(error) if embedded::find(name).is_none() => bail!(Usage(format!("{error:#}"))),
        found => found,
    }
}

/// Why a library cannot have this name in a result: tables and rules would mean another one by it.
fn taken(name: &str, among: &Among) -> Option<String> {
    match name {
        GLIBC => Some("that is the C library's own malloc".to_owned()),
        FLOOR => Some("that is what a workload costs without an allocator".to_owned()),
        _ if name.ends_with(CONTROL) => {
            Some("so the second run of the baseline is called".to_owned())
        }
        _ if among.names().contains(&name) => {
            Some(format!("here {name} is an allocator of the workloads' own program"))
        }
        _ => None,
    }
}

/// Sees that `allocator` works as malloc in a small program, and that the user's program's loader takes it. Of a library that
/// is the user's it is wrong usage if not.
fn works(
    allocator: Allocator,
    is_users: bool,
    program: Option<&Inspection>,
    warnings: &mut Vec<String>,
) -> anyhow::Result<Allocator> {
    if allocator.in_process.is_some() {
        return Ok(allocator);
    }
    let answer = probe::ask(&allocators::this_executable()?, &allocator).map_err(|error| {
        let text = format!("allocator {}: {error}", allocator.name);
        let is_usage = is_users && allocator.library.is_some();
        if is_usage { anyhow!(Usage(text)) } else { anyhow!(text) }
    })?;
    let complaint = answer.complaint.filter(|_| !allocator.environment.is_empty());
    warnings.extend(complaint.map(|line| format!("{} says: {line}", allocator.name)));
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
