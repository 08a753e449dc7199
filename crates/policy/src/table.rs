//! Every figure that the flagship's policy has, with its reason.
//!
//! | kind | figures |
//! |---|---|
//! | time | [`TICK_MS`], [`SOON`], [`LONG`], [`FREES_PER_LOOK`], [`SLOW_PATHS_PER_LOOK`] |
//! | free granules | [`FLOOR`], [`MAX_FLOOR`], [`REGRET`], [`DELAY_SHARE`], [`ROOM_SHARE`], [`ROOM_REST`], [`AT_ONCE`], [`AT_A_LOOK`] |
//! | holes in slabs | [`LEAST_HOLES`], [`HOLES_SHARE`], [`LEAST_HOLES_NOW`], [`SLACK_OF_BUSY`], [`CLOCK_STEP`], [`MOST_NAPS`] |
//! | who goes on | [`CLAIM_COVERS`], [`COVERED_SHARE`] |
//! | a kernel that refuses | [`FIRST_PAUSE`], [`LONGEST_PAUSE`], [`MOST_REFUSALS`] |
//! | the heap's growth | [`AHEAD_SHARE`], [`MOST_AHEAD`], [`SMALL_HEAP`] |
//! | huge pages | [`HUGE_FROM`], [`SMALL_OBJECT`], [`MOST_SEAMS`], [`MOST_SMALL_SEAMS`], [`MOST_ROWS`], [`MOST_MOVED`], [`KEEP_MOVED`] |
//! | blocks that grow | [`MOVE_FROM`], [`COPY_AT_MOST`], [`STEP_SHARE`] |
//! | caches | [`KEEP_EMPTY_SLAB`], [`MOST_FIRST`], [`PUT_AWAY`], [`ALL_DEPOTS`], [`LEAST_DEPOT`], [`MOST_DEPOT`], [`ALL_RUNS`], [`LEAST_RUNS`], [`MOST_RUNS`], [`MOST_IN_THE_WAY`], [`FLUSHES_PER_RETURN`], [`SLABS_FOR_LINES`], [`MOST_STRAYS`], [`MOST_LATE_FREES`], [`CONTENTION`], [`REPORT`] |

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// A tick of the clock in milliseconds: a wait of a second is four of them, a quarter off.
pub const TICK_MS: u64 = 250;
/// Ticks in which memory is needed again *soon*, and that an empty block is kept: a second. Shorter
/// would purge between the frames and requests of a busy program, longer holds what an idle one has.
pub const SOON: u32 = 4;
/// Ticks after which something was *long* ago: four seconds.
pub const LONG: u32 = 4 * SOON;
/// Frees of granules between two looks at the clock, which costs as much as several of them.
pub const FREES_PER_LOOK: u32 = 64;
/// Refills and flushes of a thread between two looks at the clock. Not the first is one: a program
/// that has just begun keeps nothing yet.
pub const SLOW_PATHS_PER_LOOK: u64 = 64;

/// The least free memory that is kept: less, and small programs that swing by some MiB pay page
/// faults each time; a floor of 4 MiB saved 5 % of memory and cost 7 % of time over 37 workloads.
pub const FLOOR: usize = 12 * MIB;
/// The most that the floor rises to: what a program that swings by hundreds of MiB may hold idle.
pub const MAX_FLOOR: usize = 256 * MIB;
/// How much has to be needed again soon for a purge to be regretted: two blocks.
pub const REGRET: usize = 4 * MIB;
/// The share of what is kept at least by which free memory passes its limit before some goes back: of 12 MiB a MiB. Without it one free
/// in 400 of a program that frees in random order made the system call, and p99.9 of its frees was ten times as long.
pub const DELAY_SHARE: usize = 12;
/// Of a memory limit, the sixteenths that live and free memory may take: the program's own
/// memory, its stacks and files need the rest.
pub const ROOM_SHARE: usize = 11;
/// Of what live memory leaves of a limit, an eighth may be free, however little it is: else every
/// free gives its memory back and the next malloc takes it again.
pub const ROOM_REST: usize = 8;
/// What a call may give back beyond twice what it freed: half a block, so that a free of a small
/// object that happens to be the one in a thousand costs tens of microseconds and not milliseconds.
pub const AT_ONCE: usize = MIB;
/// What a look at the clock may give back, or who gives everything back under one lock: four blocks.
pub const AT_A_LOOK: usize = 8 * MIB;

/// The least that has to come back before slabs are searched for holes long after the last search.
pub const LEAST_HOLES: usize = MIB;
/// The share of what is claimed that has to come back before that: an eighth, so that a search, which
/// is proportional to what is claimed, costs each free the same.
pub const HOLES_SHARE: usize = 8;
/// The least before a search that may come at any time. At 1 MiB small programs gave back pages that
/// they needed again, and lost their huge pages by it: 0.88 to 0.95 of the time in five workloads.
pub const LEAST_HOLES_NOW: usize = 8 * MIB;
/// Times what is claimed that is slack before a program that goes on is searched within a second of the last search. It will
/// call again; if it stops there all the same, it holds no more than this.
pub const SLACK_OF_BUSY: usize = 4;
/// Times that a search of one shelf waits a millisecond for a thread that sleeps for it: of 2 GiB in one class, which take
/// 2,000 steps, it would be seconds inside of one `free`. Without a wait others sleep while the whole is searched, 170 ms.
pub const MOST_NAPS: u32 = 8;
/// A program that claims a byte for each four that it frees goes on, and need not give back at once: it will call
/// again. Who frees all, to end or to sleep, claims next to nothing.
pub const CLAIM_COVERS: usize = 4;
/// The share of what is live that may be freed after the last claim before that counts no more: an eighth.
pub const COVERED_SHARE: usize = 8;
/// The clock is read each time that this many bytes have come back.
pub const CLOCK_STEP: usize = MIB;

/// Attempts to give memory back that are turned away after the first refusal by the kernel.
pub const FIRST_PAUSE: u32 = 64;
/// The most attempts turned away in a row.
pub const LONGEST_PAUSE: u32 = 65_536;
/// Refusals that an attempt nobody ordered bears: what is locked lies in a few places.
pub const MOST_REFUSALS: u32 = 8;

/// A heap grows by an eighth of itself at a time: system calls are then logarithmic in its size.
pub const AHEAD_SHARE: u32 = 8;
/// The most blocks of 2 MiB that one call commits ahead: 64 MiB, because a kernel that promises no more
/// than it has (`vm.overcommit_memory` 2) counts them.
pub const MOST_AHEAD: u32 = 32;
/// A sixteenth of the region is for slabs: four to eight times the machine's memory can be used up by large blocks that nobody
/// touches. The next of those are mappings of their own; small ones cannot be.
pub const SLABS_SHARE: u32 = 16;
/// A heap of one thread that grows beyond this is measured against a memory limit: reading it costs
/// 50 µs, which programs that stay small do without.
pub const SMALL_HEAP: usize = 8 * MIB;

/// From this size of the heap on huge pages are asked for, if the user says nothing. From 4 MiB on, what is never
/// used of the next one is a third of a program of 6 MiB: `git` takes 1.48 of glibc's memory and 1.21 so, `espresso` 2.02
/// and 1.38, for 1 to 2 % of time in small workloads. From 32 MiB on: 0.96 of the memory, 1.06 of the time over 37 workloads.
pub const HUGE_FROM: usize = 8 * MIB;
/// The largest objects whose slabs may lie in huge pages: at least every other page of such a slab is touched with its objects. Of
/// larger ones a program may touch a page each. With 4 KiB `batches` and `tlsf-sweep` took 1.03 of the time, 1.10 and 1.01 of the memory.
pub const SMALL_OBJECT: usize = 8 * KIB;
/// Neighbouring blocks with different kinds of pages at most: each is a mapping more in the kernel's list, which is limited
/// (`vm.max_map_count`, 65,530 by default).
pub const MOST_SEAMS: u32 = 2048;
/// The same for small pages, without which a block with huge ones cannot give back a part, or serve what may hardly be touched.
pub const MOST_SMALL_SEAMS: u32 = 8 * MOST_SEAMS;
/// Rows of blocks at most that are given up between others, where what is committed counts: each leaves two mappings more.
pub const MOST_ROWS: u32 = 4096;
/// Moves of pages into blocks at most: each leaves up to two mappings more.
pub const MOST_MOVED: u32 = 512;
/// Above this a block with moved pages is made one mapping again as soon as it is empty.
pub const KEEP_MOVED: u32 = 64;
const _: () = assert!(KEEP_MOVED < MOST_MOVED);

/// From this size on the contents of a block that is resized may move by page tables. Below, copying is cheaper.
pub const MOVE_FROM: usize = 512 << 10;
/// Up to this size contents are copied where the new block's memory is resident: to copy a page takes a quarter of what it takes
/// to fault one in, which those behind moved ones are. Larger blocks that are copied leave too much free memory behind.
pub const COPY_AT_MOST: usize = 4 * MIB;
/// A larger block that grows by an eighth of itself or less, and not where it is, goes by steps: many more are to come. As a
/// mapping of its own it leaves nothing behind, where each step left all of it.
pub const STEP_SHARE: usize = 8;

/// A shelf keeps its last slab when it is empty, if it is no larger than this: a program that frees
/// and allocates one object would make and end a slab each time. More, or larger ones, cost memory in
/// each of 76 classes (decision 18).
pub const KEEP_EMPTY_SLAB: usize = 64 * KIB;
/// The most that the first capacity of a thread's magazine follows an ended thread's: two steps of growth are saved, and a
/// thread that needs a class once claims seven objects at worst.
pub const MOST_FIRST: u8 = 14;
/// The largest objects that a thread puts away in halves of magazines; of larger ones a half has four at most.
pub const PUT_AWAY: usize = 8 * KIB;
/// Bytes that all threads together may put away.
pub const ALL_DEPOTS: usize = 8 * MIB;
/// Bytes that each thread may put away, however many threads there are: two of the largest halves.
pub const LEAST_DEPOT: usize = 64 * KIB;
/// Bytes that a thread may put away at most. With 128 KiB `glibc-simple` and `batches` were 9 and 4 % slower, for the same
/// memory; with 1 MiB `tlsf-sweep` and `t-test1` were 6 and 11 % larger, and 14 workloads 1 % faster on the mean.
pub const MOST_DEPOT: usize = 512 * KIB;
/// Bytes in runs of 80 to 256 KiB that all threads together may keep.
pub const ALL_RUNS: usize = 16 * MIB;
/// Bytes in such runs that each thread may keep, however many threads there are: one of the longest.
pub const LEAST_RUNS: usize = 256 * KIB;
/// Bytes in such runs that a thread may keep at most.
pub const MOST_RUNS: usize = MIB;
/// Halves of magazines that one put gives back to make room: the limit in bytes may ask for many small ones where one of large
/// objects comes, and a `free` that gave back dozens took 12 µs.
pub const MOST_IN_THE_WAY: usize = 2;
/// Flushes, of any class, after each of which the oldest half that was put away goes back: what a program frees twice is
/// noticed there. One in 64 costs `glibc-simple` 4 % of its time.
pub const FLUSHES_PER_RETURN: u64 = 64;
/// How many slabs are searched for whole cache lines before a fresh one is made.
pub const SLABS_FOR_LINES: u32 = 4;
/// Objects that a thread frees of a class before it keeps them, if it allocates none: two cache lines
/// of the smallest.
pub const MOST_STRAYS: u8 = 16;
/// Blocks that a thread frees before it gets a cache, if it has allocated none. When a thread has ended, after its last destructor,
/// the C library frees what it had made for it and for others (glibc `queue_stack`, `_dl_deallocate_tls`, some blocks for each stack
/// that goes): a cache made then has no end.
pub const MOST_LATE_FREES: usize = 64;
/// Contended locks of shards before their number doubles: a program of two threads that meet now and then keeps
/// one, and one whose threads meet all the time has all 16 after some hundred refills.
pub const CONTENTION: u32 = 64;
/// A thread reports what it has claimed or given back each time it comes to this.
pub const REPORT: usize = 64 * KIB;
