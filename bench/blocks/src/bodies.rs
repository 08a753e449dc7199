//! `bodies`: the seven test bodies of the component OS, in seconds, beside the system's malloc.
use std::sync::OnceLock;
use std::time::Instant;

use base::{AddMemory, BlockAllocator, Malloc};
use testkit::block::bodies::{BODIES, Body, MEMORY, Part};
use testkit::block::kinds::{self, Visit};
use testkit::block::shared::Serve;
use testkit::block::{Kind, Shared, switch};
use testkit::c::C;

use crate::Plan;
use crate::samples::Samples;
use crate::table::{figure, markdown};

const SYSTEM: &str = "system";
/// Names in the order of the tables, as they come.
static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();

struct Round<'a> {
    round: usize,
    part: Part,
    names: Vec<&'static str>,
    samples: &'a mut Samples,
}

impl Round<'_> {
    fn time(&mut self, name: &'static str, body: Body, malloc: &dyn Malloc) {
        let start = Instant::now();
        match body.run(malloc, self.part) {
            Ok(()) => {
                let seconds = start.elapsed().as_secs_f64();
                self.samples.put(self.round, "bodies", name, body.name, seconds);
            }
            Err(said) => eprintln!("blocks: {name}, {}: {said}", body.name),
        }
    }
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        self.names.push(kind.name);
        let mut shared = Box::new(Shared::new(kind, MEMORY).expect("the memory is taken"));
        let borrowed: *mut Shared<A> = &raw mut *shared;
        for body in BODIES {
            eprintln!("blocks: bodies, round {}: {} on {}", self.round + 1, body.name, kind.name);
            // SAFETY: it lives until after the last `with` that names it; see below.
            let serve: &'static Shared<A> = unsafe { &*borrowed };
            switch::with(Some(serve), || self.time(kind.name, body, serve));
            if let Err(said) = serve.is_whole() {
                eprintln!("blocks: {}, after {}: {said}", kind.name, body.name);
            }
        }
        // The switch forgets it before its memory goes.
        switch::with(None, || {});
        drop(shared);
    }
}

pub(crate) fn measure(plan: &Plan, samples: &mut Samples) {
    let part = Part(if plan.quick { 50 } else { 1 });
    // Seconds each: a few rounds tell.
    for round in 0..plan.rounds.min(3) {
        let mut visit = Round { round, part, names: vec![SYSTEM], samples };
        let system = C::new();
        for body in BODIES {
            switch::with(None, || visit.time(SYSTEM, body, &system));
        }
        kinds::each(&mut visit);
        NAMES.get_or_init(|| visit.names);
    }
}

pub(crate) fn show(samples: &Samples) -> String {
    let names = NAMES.get().map_or(&[][..], Vec::as_slice);
    let mut header = vec![""];
    header.extend(names);
    let mut table = markdown(&header);
    for body in BODIES {
        let mut row = vec![body.name.to_owned()];
        for name in names {
            let seconds = figure(samples.median("bodies", name, body.name), 3);
            let ratio = figure(samples.ratio("bodies", name, &[SYSTEM], body.name), 2);
            row.push(if *name == SYSTEM { seconds } else { format!("{seconds} ({ratio})") });
        }
        table.add_row(row);
    }
    format!(
        "### The seven test bodies\n\nSeconds, and in brackets the ratio to the system's malloc. Every \
         allocator has one mutex around it and 512 MiB; the system's has none and needs none.\n\n{table}\n"
    )
}
