//! A trace as the rules want it: who was recorded, what of the recording is missing, and the steps.

use show::number::count;
use show::text::many;
use trace::{About, Stacks, Step, Trace};

use crate::facts::{Facts, HugePages, Program};
use crate::gather::gather;

/// The facts of a trace. A part of it that cannot be read is left out, and said.
pub fn facts(trace: &Trace) -> Facts {
    let mut unread = Vec::new();
    let pass = |each: &mut dyn FnMut(&Step)| -> Result<(), core::convert::Infallible> {
        unread.clear();
        for step in trace.steps() {
            match step {
                Ok(step) => each(&step),
                Err(error) => unread.push(error.to_string()),
            }
        }
        Ok(())
    };
    let stacks = Stacks::of(trace);
    let none = Stacks::default();
    let Ok(mut facts) = gather(program(trace.about()), stacks.as_ref().unwrap_or(&none), pass);
    if let Err(error) = &stacks {
        facts.program.missing.push(format!("its call stacks cannot be read: {error}"));
    }
    if let Some(first) = unread.first() {
        let parts = many(unread.len(), "part");
        facts.program.missing.push(format!("{parts} of the trace cannot be read: {first}"));
    }
    facts
}

fn program(about: &About) -> Program {
    let named = [&about.command, &about.exe].into_iter().find(|name| !name.is_empty());
    let malloc = if about.malloc.name.is_empty() { &about.malloc.path } else { &about.malloc.name };
    Program {
        command: named.map_or("a program", String::as_str).to_owned(),
        malloc: malloc.clone(),
        settings: about.settings().map(|(name, value)| format!("{name}={value}")).collect(),
        python_on_malloc: about
            .environment()
            .any(|variable| variable == ("PYTHONMALLOC", "malloc")),
        pid: about.pid,
        duration: about.duration,
        missing: missing(about),
        huge_pages: huge_pages(about),
        begins_late: about.is_attached() || about.missing.chunks > 0,
        ..Program::default()
    }
}

/// The last of the looks at huge pages that saw about the most: until then the program may have been filling them.
fn huge_pages(about: &About) -> Option<HugePages> {
    let look = |note: &String| {
        let mut numbers = note.strip_prefix("huge_pages=")?.split(' ').map(str::parse::<u64>);
        let [time, bytes, empty] = [(); 3].map(|()| numbers.next()?.ok());
        let (bytes, time) = (crate::bytes(bytes?), time?.saturating_sub(about.start));
        Some(HugePages { time, bytes, empty: empty?.min(bytes) })
    };
    let looks: Vec<HugePages> = about.notes.iter().filter_map(look).collect();
    let most = looks.iter().map(|look| look.bytes).max()?;
    looks.into_iter().rev().find(|look| look.bytes >= most / 8 * 7)
}

/// What of the recording is not there, in sentences.
fn missing(about: &About) -> Vec<String> {
    let missing = &about.missing;
    let n = |n: u64| count(n as f64);
    let stopped = about.notes.iter().find_map(|note| note.strip_prefix("stopped="));
    let said = [
        about.is_attached().then(|| {
            let known = if about.lacks_what_was_before() {
                "; what it had allocated before is not known"
            } else {
                ""
            };
            format!("the program was running when the recording began{known}.")
        }),
        stopped.map(|why| format!("the recording ends before the program: {why}. What came later is not known.")),
        (missing.cut > 0).then(|| {
            format!(
                "the recording ends in the middle of {}: the program was killed, left by _exit, or had not ended.",
                match missing.cut {
                    1 => "a thread".to_owned(),
                    many => format!("{} threads", n(many)),
                }
            )
        }),
        (missing.chunks > 0).then(|| {
            let pieces = many(crate::place(missing.chunks), "piece");
            format!(
                "without {pieces} of 64 KiB: a ring keeps the last events of each thread, and a program that still ran moved what was being read."
            )
        }),
        (missing.damaged > 0).then(|| {
            let first = missing.damages.first().map_or(String::new(), |damage| {
                format!(", the first at byte {}: {}", damage.offset, damage.what)
            });
            format!("{} of the file cannot be read{first}.", many(crate::place(missing.damaged), "place"))
        }),
        (missing.double_frees > 0)
            .then(|| format!("{} freed twice: a mistake of the program.", match missing.double_frees {
                1 => "a block was".to_owned(),
                many => format!("{} blocks were", n(many)),
            })),
        (!about.addresses).then(|| {
            "it has no addresses, as it was imported: nothing can be said of pages and fragmentation.".to_owned()
        }),
    ];
    said.into_iter().flatten().collect()
}
