//! One pass over the steps of a recording, in which all pictures are gathered.
//!
//! ```text
//! step ─┬─► live blocks (address, size, born, thread) ─► cells ─► a frame at each of 200 moments, at the peak, at the end
//!       ├─► curve: live, resident
//!       ├─► lifetimes: size × how long
//!       └─► pairs: who allocated × who freed
//! ```

use std::rc::Rc;

use trace::{Above, Live, Lived, New, Op, Step, Trace};

use crate::cells::{Cells, Place};
use crate::class;
use crate::curve::Curve;
use crate::groups::Groups;
use crate::held::Near;
use crate::lifetimes::Lifetimes;
use crate::marks::Marks;
use crate::missing;
use crate::moment::Moment;
use crate::pairs::Pairs;
use crate::pictures::{Frame, Pictures};
use crate::sites::{self, Sites};

/// Moments of equal distance, beside those that are asked for.
const MOMENTS: u64 = 200;

/// What is known of a recording before its steps are read.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Which program, on which malloc.
    pub title: String,
    /// What a heap is called that stands beside others.
    pub name: String,
    /// Whether what is resident is a replay's, and not in the steps.
    pub is_replayed: bool,
    /// What is missing in it, in sentences.
    pub missing: Vec<String>,
    /// Whether nothing is known of where blocks were: there is no picture of the heap then.
    pub no_addresses: bool,
    /// Nanoseconds from its begin to its last step.
    pub duration: u64,
    /// The names of the threads, by their numbers.
    pub threads: Vec<String>,
    /// Behind which step the most is live, counted from 0. `None`: the highest of the other moments stands for the peak.
    pub peak: Option<u64>,
    /// A moment that is to be among those that are kept.
    pub at: Moment,
    pub(crate) sites: Rc<Sites>,
}

impl Plan {
    /// What a trace knows of itself.
    pub fn of(trace: &Trace, at: Moment) -> Self {
        let about = trace.about();
        let mut title = if about.command.is_empty() { &about.exe } else { &about.command }.clone();
        if about.pid != 0 {
            title += &format!(", process {}", about.pid);
        }
        if !about.malloc.name.is_empty() {
            title += &format!(", on {}", about.malloc.name);
        }
        Self {
            title,
            name: "recorded".to_owned(),
            is_replayed: false,
            missing: missing::sentences(&about.missing),
            no_addresses: !about.addresses,
            duration: about.duration,
            threads: about.threads.iter().map(|thread| thread.name.clone()).collect(),
            peak: (about.blocks > 0).then(|| trace.peak().1),
            at,
            sites: Rc::default(),
        }
    }

    /// Of its replay on an allocator of this name, which knows where every block was; beside the pictures of the recording.
    pub fn replayed(trace: &Trace, at: Moment, name: &str, recorded: &Pictures) -> Self {
        let (name, sites) = (name.to_owned(), Rc::clone(&recorded.sites));
        Self { name, sites, is_replayed: true, no_addresses: false, ..Self::of(trace, at) }
    }
}

/// The pictures of a trace. `told` is called with the share of its steps that was read, some hundred times.
pub fn gather(trace: &Trace, at: Moment, told: &mut dyn FnMut(f64)) -> Pictures {
    let sites = Rc::new(Sites::of(trace, told));
    let mut gather = Gather::new(Plan { sites, ..Plan::of(trace, at) });
    let all = trace.about().events.max(1);
    let each = (all / 100).max(1);
    for (number, step) in (0u64..).zip(trace.steps()) {
        match step {
            Ok(step) => gather.push(&step),
            Err(error) => gather.lost(&error.to_string()),
        }
        if number % each == 0 {
            told(number as f64 / all as f64);
        }
    }
    gather.finish()
}

/// The pictures while steps come.
#[derive(Debug)]
pub struct Gather {
    plan: Plan,
    groups: Groups,
    sites: sites::Now,
    live: Live<Lived, 6>,
    allocations: u64,
    steps: u64,
    time: u64,
    cells: Cells,
    curve: Curve,
    lifetimes: Lifetimes,
    pairs: Pairs,
    marks: Marks,
    /// What malloc has resident by the recording, and by a replay.
    above: Above,
    replayed: Option<u64>,
    near: Near,
    /// Times that are still to come, the next one last.
    moments: Vec<u64>,
    frames: Vec<Frame>,
    peak: Option<Frame>,
}

impl Gather {
    pub fn new(plan: Plan) -> Self {
        let mut moments: Vec<u64> = (0..MOMENTS)
            .map(|n| (u128::from(plan.duration) * u128::from(n) / u128::from(MOMENTS)) as u64)
            .collect();
        match plan.at {
            Moment::Time(time) if time <= plan.duration => moments.push(time),
            Moment::Share(share) => moments.push((share * plan.duration as f64) as u64),
            _ => {}
        }
        moments.sort_unstable_by(|a, b| b.cmp(a));
        moments.dedup();
        Self {
            groups: Groups::new(&plan.threads),
            sites: sites::Now::new(Rc::clone(&plan.sites)),
            live: Live::default(),
            allocations: 0,
            steps: 0,
            time: 0,
            cells: Cells::new(),
            curve: Curve::new(plan.duration),
            lifetimes: Lifetimes::new(),
            pairs: Pairs::default(),
            marks: Marks::new(plan.duration),
            above: Above::default(),
            replayed: None,
            near: Near::default(),
            moments,
            frames: Vec::new(),
            peak: None,
            plan,
        }
    }

    pub fn push(&mut self, step: &Step) {
        while self.moments.last().is_some_and(|moment| *moment < step.time) {
            let moment = self.moments.pop().unwrap_or_default();
            let frame = self.frame(moment);
            self.frames.push(frame);
        }
        self.time = self.time.max(step.time);
        if let Some(lived) = step.op.gone().and_then(|block| self.live.remove(block)) {
            self.gone(step, &lived);
        }
        if let Some(new) = step.op.made() {
            self.made(step, &new);
        }
        let held = self.above.step(&step.op);
        match &step.op {
            Op::Memory { anon, file, shmem } if !self.plan.is_replayed => {
                let resident = anon.saturating_add(*file).saturating_add(*shmem);
                let live = self.live.bytes();
                self.near.look(&mut self.frames, self.peak.as_mut(), live, held);
                self.curve.resident(step.time, live, resident, held);
            }
            Op::Mark(name) => self.marks.add(step.time, name),
            _ => {}
        }
        if self.plan.peak == Some(self.steps) {
            self.peak = Some(self.frame(step.time));
        }
        self.steps += 1;
    }

    /// A replay has had so many bytes resident above its start since about the time of this step.
    pub fn resident(&mut self, step: &Step, bytes: u64) {
        if self.replayed != Some(bytes) {
            self.replayed = Some(bytes);
            self.curve.held(step.time, self.live.bytes(), bytes);
        }
    }

    /// Some steps cannot be read. Which of the later ones is the peak is not known then.
    pub fn lost(&mut self, why: &str) {
        self.plan.missing.push(format!("Some steps are left out: {why}."));
        self.plan.peak = None;
    }

    fn made(&mut self, step: &Step, new: &New) {
        let lived = Lived::new(new, step);
        // A damaged recording may name a block twice.
        if let Some(before) = self.live.insert(new.block, lived) {
            self.gone(step, &before);
        }
        self.allocations += 1;
        self.sites.made(lived.frame, lived.size);
        if !self.plan.no_addresses {
            self.cells.add(&self.place(&lived), step.time);
        }
        self.curve.live(step.time, self.live.bytes());
    }

    fn gone(&mut self, step: &Step, lived: &Lived) {
        self.sites.gone(lived.frame, lived.size);
        if !self.plan.no_addresses {
            self.cells.remove(&self.place(lived));
        }
        self.curve.live(step.time, self.live.bytes());
        self.lifetimes.add(lived.size, Some(step.time.saturating_sub(lived.born)));
        self.pairs.add(lived.thread, Some(step.thread), lived.size);
    }

    fn place(&self, lived: &Lived) -> Place {
        Place {
            address: lived.address,
            size: lived.size,
            born: lived.born,
            class: class::of_size(lived.size),
            group: self.groups.of(lived.thread),
            site: self.plan.sites.class(lived.frame),
        }
    }

    fn frame(&self, time: u64) -> Frame {
        Frame {
            time,
            live: self.live.bytes(),
            blocks: self.live.blocks(),
            resident: self.replayed,
            held: (self.cells.held() as u64) << self.cells.shift,
            sites: self.sites.most(),
            shift: self.cells.shift,
            cells: self.cells.shades(),
        }
    }

    /// Behind the last step.
    pub fn finish(mut self) -> Pictures {
        let end = self.frame(self.time.max(self.plan.duration));
        while let Some(moment) = self.moments.pop() {
            self.frames.push(Frame { time: moment, ..end.clone() });
        }
        let duration = end.time;
        self.frames.push(end);
        self.near.end(&mut self.frames, self.peak.as_mut());
        for (_, lived) in self.live.iter() {
            self.lifetimes.add(lived.size, None);
            self.pairs.add(lived.thread, None, lived.size);
        }
        let peak = match self.peak {
            Some(peak) => {
                let at = self.frames.partition_point(|frame| frame.time < peak.time);
                self.frames.insert(at, peak);
                at
            }
            None => {
                let frames = self.frames.iter().enumerate();
                frames.rev().max_by_key(|(_, frame)| frame.live).map_or(0, |(at, _)| at)
            }
        };
        let mut pictures = Pictures {
            title: self.plan.title,
            name: self.plan.name,
            beside: Vec::new(),
            own_mapped: self.above.own_mapped(),
            missing: self.plan.missing,
            no_addresses: self.plan.no_addresses,
            duration,
            groups: self.groups,
            sites: self.plan.sites,
            shift: self.cells.shift,
            touched: self.cells.touched(),
            frames: self.frames,
            peak,
            asked: 0,
            curve: self.curve.finish(self.live.bytes()),
            marks: self.marks.finish(),
            lifetimes: self.lifetimes,
            pairs: self.pairs.finish(&self.plan.threads),
            allocations: self.allocations,
        };
        pictures.asked = pictures.place(self.plan.at);
        pictures
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
