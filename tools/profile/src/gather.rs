//! From the steps of a trace to the sums of each call stack.
//!
//! ```text
//! pass 1   born +, freed −                  when most was live; the curve
//! pass 2   allocated, freed soon            at that step: what is live, by stack; so at the moments that were asked for; at the end
//! ```
//!
//! What is live is remembered, and nothing of what was freed: memory is bounded by live blocks and by stacks.

use trace::{
    About, Estimate, Frame, Frames, Live, Lived, Module, Names, NumberMap, Op, Step, Trace,
    TraceError, likely,
};

use crate::cost::{Cost, Costs};

/// Moments that are kept.
const MOMENTS: usize = 1000;
/// Points of the curve are at least this share of the recorded time from each other.
const POINTS: u64 = 1000;

#[derive(Debug, Clone)]
pub struct Stack {
    /// Its innermost frame; 0: there is no stack.
    pub frame: Frame,
    pub costs: Costs,
}

/// How much there was at a time, in nanoseconds since the recording began.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    pub time: u64,
    pub live: f64,
    /// Bytes that were resident, where that is known.
    pub resident: Option<u64>,
}

/// What there was at a time that was asked for.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Nanoseconds since the recording began.
    pub time: u64,
    /// What was live, by stack.
    pub stacks: Vec<(Frame, Estimate)>,
    /// What was allocated by then, of each of the profile's stacks; of those that came later nothing.
    pub allocated: Vec<Estimate>,
}

#[derive(Debug)]
pub struct Profile {
    pub command: String,
    pub malloc: String,
    pub pid: u32,
    /// When the recording began, in nanoseconds since 1970.
    pub start: u64,
    /// How long it is, in nanoseconds.
    pub duration: u64,
    /// Bytes from one point of the sample to the next, in the mean; 0: every block has its stack.
    pub interval: u64,
    /// Blocks that have a stack.
    pub samples: u64,
    /// When most was live.
    pub peak_time: u64,
    pub stacks: Vec<Stack>,
    pub all: Costs,
    /// Whether the malloc says what is free beside blocks.
    pub knows_beside: bool,
    pub curve: Vec<Point>,
    pub moments: Vec<Moment>,
    pub frames: Frames,
    pub names: Names,
    pub modules: Vec<Module>,
    /// The file of the malloc, which no site is in.
    pub malloc_path: String,
    /// What of the recording is not there, in sentences.
    pub missing: Vec<String>,
}

/// What a trace tells of call stacks; with what was live at each multiple of `every` nanoseconds.
/// Errors: the trace cannot be read.
pub fn gather(trace: &Trace, every: Option<u64>) -> Result<Profile, TraceError> {
    gather_beside(trace, every, None)
}

/// The same of a process that runs, whose malloc says how many free bytes lie beside the block at an address.
/// Errors: the trace cannot be read.
pub fn gather_beside(
    trace: &Trace,
    every: Option<u64>,
    beside: Option<&dyn Fn(u64) -> u64>,
) -> Result<Profile, TraceError> {
    let about = trace.about();
    let frames = trace.frames()?;
    let names = trace.names(&frames)?;
    let sample = Sample { interval: about.interval(), is_all: about.is_sampled_only() };
    let (peak, curve) = over_time(trace, sample);
    let mut sums = Sums { sample, ..Sums::default() };
    let mut live = Live::<Lived, 6>::default();
    let mut moments = Vec::new();
    let mut next = every.unwrap_or(u64::MAX).max(1);
    for (number, step) in trace.steps().flatten().enumerate() {
        while step.time >= next && moments.len() < MOMENTS {
            moments.push(sums.moment(next, &live));
            next = next.saturating_add(every.unwrap_or(u64::MAX).max(1));
        }
        sums.step(&step, &mut live);
        if Some(number) == peak.map(|(number, _)| number) {
            sums.each(&live, Cost::Peak);
        }
    }
    sums.each(&live, Cost::Live);
    if let Some(beside) = beside {
        sums.beside(&live, beside);
    }
    let mut all = Costs::default();
    sums.list.iter().for_each(|stack| all.join(&stack.costs));
    let mut missing = missing(trace);
    if moments.len() == MOMENTS {
        missing.push(format!("of the moments that were asked for the first {MOMENTS} are told."));
    }
    let named = [&about.command, &about.exe].into_iter().find(|name| !name.is_empty());
    let malloc = if about.malloc.name.is_empty() { &about.malloc.path } else { &about.malloc.name };
    Ok(Profile {
        command: named.map_or("a program", String::as_str).to_owned(),
        malloc: malloc.clone(),
        pid: about.pid,
        start: about.start,
        duration: about.duration,
        interval: sample.interval,
        samples: sums.samples,
        peak_time: peak.map_or(0, |(_, time)| time),
        stacks: sums.list,
        all,
        knows_beside: beside.is_some(),
        curve,
        moments,
        frames,
        names,
        modules: modules(about),
        malloc_path: about.malloc.path.clone(),
        missing,
    })
}

/// The files with code, the program's own first: by that tools call the profile.
fn modules(about: &About) -> Vec<Module> {
    let program = about.note("image").unwrap_or(&about.exe);
    let mut modules = about.modules.clone();
    modules.sort_by_key(|module| module.path != program);
    modules
}

/// Which blocks of a trace are in the sample of those with stacks.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    interval: u64,
    /// All blocks of the trace are.
    is_all: bool,
}

impl Sample {
    /// How many bytes this block stands for where what is live is told over time. Of a whole recording all blocks are known.
    fn stands_for(self, size: u64) -> f64 {
        if self.is_all { size as f64 / likely(size, self.interval) } else { size as f64 }
    }

    fn has(self, frame: Frame) -> bool {
        self.is_all || frame != 0
    }
}

/// The step behind which most was live with its time, and what was live over time.
fn over_time(trace: &Trace, sample: Sample) -> (Option<(usize, u64)>, Vec<Point>) {
    let mut sizes = Live::<[u64; 1], 1>::default();
    let (mut now, mut most, mut peak) = (0.0_f64, 0.0, None);
    let (mut curve, mut resident) = (Vec::new(), None);
    let apart = (trace.about().duration / POINTS).max(1);
    // The highest of the points that are too close to each other is kept.
    let mut high = Point { time: 0, live: 0.0, resident: None };
    for (number, step) in trace.steps().flatten().enumerate() {
        if let Some([size]) = step.op.gone().and_then(|block| sizes.remove(block)) {
            now -= sample.stands_for(size);
        }
        if let Some(new) = step.op.made() {
            sizes.insert(new.block, [new.size]);
            now += sample.stands_for(new.size);
        }
        if now > most {
            (most, peak) = (now, Some((number, step.time)));
        }
        if let Op::Memory { anon, file, shmem } = step.op {
            resident = Some(anon.saturating_add(file).saturating_add(shmem));
        }
        if step.time.saturating_sub(high.time) >= apart {
            curve.push(high);
            high = Point { time: step.time, live: now, resident };
        }
        if now > high.live {
            high.live = now;
        }
        high.resident = resident;
    }
    curve.push(high);
    curve.push(Point { time: trace.about().duration, live: now.max(0.0), resident });
    (peak, curve)
}

#[derive(Debug, Default)]
struct Sums {
    sample: Sample,
    places: NumberMap<Frame, usize>,
    list: Vec<Stack>,
    samples: u64,
}

impl Sums {
    fn of(&mut self, frame: Frame) -> &mut Costs {
        let place = *self.places.entry(frame).or_insert(self.list.len());
        if place == self.list.len() {
            self.list.push(Stack { frame, costs: Costs::default() });
        }
        &mut self.list[place].costs
    }

    fn step(&mut self, step: &Step, live: &mut Live<Lived, 6>) {
        let interval = self.sample.interval;
        if let Some(gone) = step.op.gone().and_then(|block| live.remove(block))
            && self.sample.has(gone.frame)
        {
            let (p, age) = (likely(gone.size, interval), step.time.saturating_sub(gone.born));
            self.of(gone.frame).free(gone.size, p, age);
        }
        if let Some(new) = step.op.made() {
            live.insert(new.block, Lived::new(&new, step));
            if self.sample.has(new.frame) {
                self.samples += 1;
                let p = likely(new.size, interval);
                self.of(new.frame).of_mut(Cost::Allocated).add(new.size, p);
            }
        }
    }

    fn each(&mut self, live: &Live<Lived, 6>, cost: Cost) {
        for (frame, sum) in self.by_stack(live) {
            self.of(frame).of_mut(cost).join(&sum);
        }
    }

    fn moment(&self, time: u64, live: &Live<Lived, 6>) -> Moment {
        let allocated = self.list.iter().map(|stack| *stack.costs.of(Cost::Allocated)).collect();
        Moment { time, stacks: self.by_stack(live), allocated }
    }

    fn beside(&mut self, live: &Live<Lived, 6>, beside: &dyn Fn(u64) -> u64) {
        for (_, block) in live.iter() {
            if self.sample.has(block.frame) {
                let p = likely(block.size, self.sample.interval);
                self.of(block.frame).of_mut(Cost::Beside).add(beside(block.address), p);
            }
        }
    }

    fn by_stack(&self, live: &Live<Lived, 6>) -> Vec<(Frame, Estimate)> {
        let mut sums: NumberMap<Frame, Estimate> = NumberMap::default();
        for (_, block) in live.iter().filter(|(_, block)| self.sample.has(block.frame)) {
            let p = likely(block.size, self.sample.interval);
            sums.entry(block.frame).or_default().add(block.size, p);
        }
        let mut list: Vec<_> = sums.into_iter().collect();
        list.sort_unstable_by_key(|(frame, _)| *frame);
        list
    }
}

/// What of a recording a profile is not of.
fn missing(trace: &Trace) -> Vec<String> {
    let about = trace.about();
    let missing = &about.missing;
    let n = |n: u64| show::number::count(n as f64);
    let said = [
        about.note("stopped").map(|why| {
            format!("the recording ends before the program: {why}. What came later is not known.")
        }),
        (about.note("attached") == Some("1")).then(|| {
            "the program was running when the recording began; what it had allocated before is not in here.".to_owned()
        }),
        (missing.dropped > 0).then(|| {
            format!("{} of the sample are missing: there was no room for them, or a signal handler had them.", match missing.dropped {
                1 => "a block".to_owned(),
                many => format!("{} blocks", n(many)),
            })
        }),
        (missing.chunks > 0).then(|| {
            format!("{} pieces of 64 KiB of the recording are missing: a ring keeps the last, and a program that still ran moved what was being read.", n(missing.chunks))
        }),
        (missing.damaged > 0).then(|| format!("{} places of the file cannot be read.", n(missing.damaged))),
        about.note("stacks_full").map(|_| "there were more frames than have room: some stacks lack their inner part.".to_owned()),
    ];
    said.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn each_cost_is_the_sum_of_its_blocks() {
        let profile = profile();
        let bytes = |cost: Cost| profile.all.of(cost).bytes;
        assert_eq!(bytes(Cost::Allocated), 3570.0);
        assert_eq!(bytes(Cost::Peak), 3000.0);
        assert_eq!(bytes(Cost::Live), 2500.0);
        // d lived for 5 ms.
        assert_eq!(bytes(Cost::Temporary), 1000.0);
        // e has no stack, and is in no sample: d's stack has no known callers.
        assert_eq!((profile.samples, profile.stacks.len()), (4, 3));
        assert_eq!(Cost::ALL.map(|cost| profile.all.of(cost).blocks), [2.0, 2.0, 4.0, 1.0]);
        let moments: Vec<f64> = profile
            .moments
            .iter()
            .map(|moment| moment.stacks.iter().map(|(_, sum)| sum.bytes).sum())
            .collect();
        assert_eq!(moments, [2000.0, 2570.0, 2570.0]);
        assert!(profile.curve.iter().any(|point| point.resident == Some(12 << 20)));
    }

    #[test]
    fn what_lies_beside_is_counted_for_live_blocks_alone() {
        let trace = trace::testing::script(
            "frame 1 0 0x5000
             malloc a 1000 from 1
             malloc b 2000 from 1
             malloc c 500
             free a",
        );
        let profile = gather_beside(&trace, None, Some(&|_| 96)).unwrap();
        assert_eq!(profile.all.of(Cost::Beside).bytes, 96.0);
        assert_eq!(gather(&trace, None).unwrap().all.of(Cost::Beside).bytes, 0.0);
    }
}
