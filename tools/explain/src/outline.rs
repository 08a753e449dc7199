//! The first pass: what was live and resident over time, when the peak was, and when the program had done its work.
//!
//! ```text
//! live    ▁▂▃▅▆▇█▆▅▅▅▅▅▅▆▅▅▅▅▅▅▅▂▁
//!               │               └ work done: from here on it frees, before it ends
//!               └ peak          time in 256 to 512 buckets; when they are full, each two become one
//! ```

use trace::{Live, Op, Step};

use crate::facts::Point;

const BUCKETS: usize = 512;
/// Of a trailing stretch of time, the share without a call that is no part of an orderly end: the program waits then.
const IDLE: u64 = 20;
/// Fewer than one in so many calls allocates while a program cleans up.
const CLEANING: u64 = 10;

/// What was there in fewer than one of so many buckets did not last: of those with calls, and of all.
const LASTING: usize = 8;
const HALF: usize = 2;

/// What the process had resident, and what was live then.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// The number of the step, from 0 on.
    pub(crate) step: u64,
    pub(crate) time: u64,
    pub(crate) anon: u64,
    pub(crate) files: u64,
    pub(crate) shared: u64,
    pub(crate) live: u64,
}

impl Look {
    pub(crate) fn resident(&self) -> u64 {
        self.anon.saturating_add(self.files).saturating_add(self.shared)
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    point: Point,
    first_call: Option<u64>,
    last_allocation: Option<Done>,
    last_call: Option<u64>,
    /// The look with the least anonymous memory.
    look: Option<Look>,
}

/// The end of the work: everything before this step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) step: u64,
    pub(crate) time: u64,
    /// Blocks allocated until then.
    pub(crate) blocks: u64,
}

/// What the second pass must know before it begins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    pub(crate) points: Vec<Point>,
    /// Most was resident.
    pub(crate) peak: Option<Look>,
    /// Most was free and kept for an eighth of the work, or half of all time.
    pub(crate) worst: Option<Look>,
    /// Resident memory was looked at when most of the work was still to come, and not again: nothing is known of it.
    pub(crate) is_unseen: bool,
    /// Most was live: the step after which.
    pub(crate) peak_live: (u64, u64),
    pub(crate) done: Done,
    pub(crate) steps: u64,
    pub(crate) last_time: u64,
    pub(crate) blocks: u64,
    pub(crate) allocated: u64,
    pub(crate) dropped: u64,
    pub(crate) refused: u64,
}

/// Takes all steps in order.
#[derive(Debug)]
pub(crate) struct Pass {
    outline: Outline,
    /// The sizes of the live blocks.
    live: Live<[u64; 1], 1>,
    buckets: Vec<Bucket>,
    width: u64,
    anon: Option<u64>,
    /// The step of the last look.
    looked: u64,
    own_maps: u64,
}

impl Pass {
    pub(crate) fn new() -> Self {
        let (outline, live) = (Outline::default(), Live::default());
        Self { outline, live, buckets: Vec::new(), width: 1024, anon: None, looked: 0, own_maps: 0 }
    }

    pub(crate) fn step(&mut self, step: &Step) {
        let number = self.outline.steps;
        self.outline.steps += 1;
        // Times of a damaged trace may go back.
        let time = crate::time(step.time).max(self.outline.last_time);
        self.outline.last_time = time;
        self.make_room(time);
        if let Some(block) = step.op.gone() {
            self.live.remove(block);
        }
        if let Some(new) = step.op.made() {
            self.live.insert(new.block, [crate::bytes(new.size)]);
            self.allocated(number, time, new.size);
        }
        match step.op {
            Op::Free { .. } => {
                if let Some(bucket) = self.buckets.last_mut() {
                    bucket.point.frees += 1;
                    bucket.first_call.get_or_insert(number);
                    bucket.last_call = Some(number);
                }
            }
            Op::Memory { anon, file: files, shmem: shared } => {
                let live = self.live.bytes();
                let [anon, files, shared] = [anon, files, shared].map(crate::bytes);
                self.look(Look { step: number, time, anon, files, shared, live });
            }
            Op::Map { len, .. } => self.own_maps = self.own_maps.saturating_add(len),
            Op::Unmap { len, .. } => self.own_maps = self.own_maps.saturating_sub(len),
            Op::Refused { .. } => self.outline.refused += 1,
            Op::Dropped { events } => {
                self.outline.dropped = self.outline.dropped.saturating_add(events);
            }
            _ => {}
        }
        let (live, anon, own_maps) = (&self.live, self.anon, self.own_maps);
        if let Some(Bucket { point, .. }) = self.buckets.last_mut() {
            (point.live, point.blocks) = (live.bytes(), live.blocks());
            point.most_live = point.most_live.max(live.bytes());
            (point.anon, point.own_maps) = (anon, own_maps);
        }
        if live.bytes() > self.outline.peak_live.0 {
            self.outline.peak_live = (live.bytes(), number);
        }
    }

    fn allocated(&mut self, step: u64, time: u64, size: u64) {
        self.outline.blocks += 1;
        self.outline.allocated = self.outline.allocated.saturating_add(size);
        let blocks = self.outline.blocks;
        if let Some(bucket) = self.buckets.last_mut() {
            bucket.point.allocations += 1;
            bucket.first_call.get_or_insert(step);
            bucket.last_call = Some(step);
            bucket.last_allocation = Some(Done { step: step + 1, time, blocks });
        }
    }

    fn look(&mut self, look: Look) {
        self.looked = look.step;
        self.anon = Some(look.anon);
        if self.outline.peak.is_none_or(|peak| look.resident() > peak.resident()) {
            self.outline.peak = Some(look);
        }
        if let Some(bucket) = self.buckets.last_mut() {
            bucket.look = lesser(bucket.look, Some(look));
        }
    }

    /// Buckets up to the one of `time`.
    fn make_room(&mut self, time: u64) {
        while time / self.width >= BUCKETS as u64 {
            self.width *= 2;
            self.buckets = self.buckets.chunks(2).map(merged).collect();
        }
        let needed = crate::place(time / self.width) + 1;
        while self.buckets.len() < needed {
            let end = (self.buckets.len() as u64 + 1) * self.width;
            let (live, blocks) = (self.live.bytes(), self.live.blocks());
            let (anon, own_maps, most_live) = (self.anon, self.own_maps, live);
            let point =
                Point { time: end, live, most_live, blocks, anon, own_maps, ..Point::default() };
            self.buckets.push(Bucket { point, ..Bucket::default() });
        }
    }

    pub(crate) fn finish(mut self) -> Outline {
        if let Some(last) = self.buckets.last_mut() {
            last.point.time = self.outline.last_time;
        }
        self.outline.done = self.done();
        self.outline.worst = self.worst();
        if self.looked * 2 < self.outline.steps {
            let outline = &mut self.outline;
            (outline.is_unseen, outline.peak, outline.worst) = (true, None, None);
            self.buckets.iter_mut().for_each(|bucket| bucket.point.anon = None);
        }
        self.outline.points = self.buckets.iter().map(|bucket| bucket.point).collect();
        self.outline
    }

    /// What was free and kept for an eighth of the work at least, or for half of all time: the most of that. Resident memory between
    /// two looks is taken to be that of the lower one. Of the work only time in which the program calls malloc counts: for the
    /// rest it may have been stopped, or computing.
    fn worst(&self) -> Option<Look> {
        let mut after: Vec<Option<Look>> = Vec::with_capacity(self.buckets.len());
        let mut next = None;
        for bucket in self.buckets.iter().rev() {
            after.push(next);
            next = bucket.look.or(next);
        }
        let (mut working, mut all) = (Vec::new(), Vec::new());
        let (mut before, mut step) = (None, None);
        for (bucket, after) in self.buckets.iter().zip(after.into_iter().rev()) {
            let last = bucket.last_call.filter(|&step| step < self.outline.done.step);
            step = last.or(step);
            let low = lesser(lesser(before, bucket.look), after);
            if let Some((look, step)) = low.zip(step) {
                let look = Look { step, live: bucket.point.most_live, ..look };
                all.push(look);
                working.extend(last.map(|_| look));
            }
            before = bucket.look.or(before);
        }
        let lasting = [(&working, LASTING), (&all, HALF)].map(|(looks, part)| {
            let stretches = looks.windows(looks.len().div_ceil(part).max(1));
            stretches.filter_map(|looks| looks.iter().min_by_key(waste)).max_by_key(waste)
        });
        lasting.into_iter().flatten().max_by_key(waste).copied()
    }

    /// Where the program had done its work. Before it ends it may free what it has, which says nothing of how it runs; but a
    /// program that frees and then waits is at work.
    fn done(&self) -> Done {
        let all = Done {
            step: self.outline.steps,
            time: self.outline.last_time,
            blocks: self.outline.blocks,
        };
        let (mut done, mut idle) = (all, 0);
        for bucket in self.buckets.iter().rev() {
            let Point { allocations, frees, .. } = bucket.point;
            if allocations + frees == 0 {
                idle += self.width;
                if idle * IDLE > self.outline.last_time {
                    return done;
                }
            } else if allocations * CLEANING > allocations + frees {
                return bucket.last_allocation.unwrap_or(done);
            } else if let Some(step) = bucket.first_call {
                done = Done { step, time: bucket.point.time.saturating_sub(self.width), ..all };
            }
        }
        all
    }
}

/// What was resident and not live.
fn waste(look: &&Look) -> u64 {
    look.anon.saturating_sub(look.live)
}

fn lesser(a: Option<Look>, b: Option<Look>) -> Option<Look> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.anon < a.anon { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Two buckets that follow each other as one.
fn merged(two: &[Bucket]) -> Bucket {
    let [first, second] = two else { return two.first().copied().unwrap_or_default() };
    let mut bucket = *second;
    bucket.point.most_live = bucket.point.most_live.max(first.point.most_live);
    bucket.point.allocations += first.point.allocations;
    bucket.point.frees += first.point.frees;
    bucket.first_call = first.first_call.or(second.first_call);
    bucket.last_allocation = second.last_allocation.or(first.last_allocation);
    bucket.last_call = second.last_call.or(first.last_call);
    bucket.look = lesser(first.look, second.look);
    bucket
}
