//! slack-X1 under random programs: after every few operations the books say what the slabs hold.
use super::*;
use core::sync::atomic::{AtomicBool, Ordering};
use page::slack::Accounts;
use thread::tls::ElfTls;

/// A random number generator, the same every time.
pub(super) struct Random(pub(super) u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        base::bits::index(self.0 >> 33) % end
    }

    fn size(&mut self) -> usize {
        let below = [64, 300, 2000, 20_000, 300_000][self.below(5).min(self.below(6))];
        self.below(below)
    }
}

/// A live block: its size and alignment as the program knows them.
pub(super) type Block = (*mut u8, usize, usize);

/// One random operation of a program that does nothing wrong.
pub(super) fn step<S: System, T: Tls>(
    heap: &Flagship<S, T>,
    random: &mut Random,
    live: &mut Vec<Block>,
) {
    let size = random.size();
    let block = match random.below(8) {
        0 => (heap.calloc(1, size), size, 1),
        1 => {
            let align = 32 << random.below(9);
            (heap.aligned_alloc(align, size), size, align)
        }
        2 | 3 => (heap.malloc(size), size, 1),
        _ if live.is_empty() => return,
        what => {
            let at = random.below(live.len());
            let (ptr, old, align) = live.swap_remove(at);
            match what {
                // Shrinks, in place as a rule, or becomes anything; freed by the new size later.
                4 | 5 if align == 1 => {
                    let size = if what == 4 { old - old * random.below(60) / 100 } else { size };
                    // SAFETY: a live block.
                    (unsafe { heap.realloc(ptr, size) }, size, 1)
                }
                // SAFETY: a live block of that size.
                6 if align == 1 => return unsafe { heap.free_sized(ptr, old) },
                // SAFETY: a live block.
                _ => return unsafe { heap.free(ptr) },
            }
        }
    };
    assert!(!block.0.is_null());
    live.push(block);
}

pub(super) fn free_all<S: System, T: Tls>(heap: &Flagship<S, T>, live: &mut Vec<Block>) {
    // SAFETY: a live block.
    live.drain(..).for_each(|(ptr, ..)| unsafe { heap.free(ptr) });
}

/// The books of a heap at rest, which `check` has proved.
fn books<S: System, T: Tls>(heap: &Flagship<S, T>) -> Accounts {
    heap.check().expect("intact");
    let (books, found) = heap.accounts().expect("nobody else is at it");
    assert_eq!(books, found);
    books
}

#[test]
fn nothing_drifts_in_a_random_program() {
    for (seed, safe) in [(1, false), (2, false), (3, false), (4, true)] {
        let heap = flagship();
        heap.set_safe(safe);
        let (mut random, mut live) = (Random(seed), Vec::new());
        for count in 0..30_000 {
            step(&heap, &mut random, &mut live);
            if live.len() > 3000 {
                free_all(&heap, &mut live);
            }
            if count % 500 == 0 {
                books(&heap);
            }
        }
        free_all(&heap, &mut live);
        heap.purge();
        let left = books(&heap);
        assert_eq!(left, Accounts::default(), "seed {seed}: nothing is taken, no slab is left");
    }
}

#[test]
fn a_block_freed_by_the_size_it_shrank_to_counts_as_what_it_was() {
    let heap = flagship();
    for _ in 0..50 {
        let mut blocks: Vec<(*mut u8, usize)> = Vec::new();
        for number in 0..2000 {
            let ptr = heap.malloc(128);
            // SAFETY: a live block.
            let small = unsafe { heap.realloc(ptr, 72) };
            assert_eq!(small, ptr, "it stays");
            blocks.push((small, 72));
            if number % 3 == 0 {
                blocks.push((heap.malloc(80), 80));
            }
        }
        // SAFETY: a live block of that size.
        blocks.into_iter().for_each(|(ptr, size)| unsafe { heap.free_sized(ptr, size) });
        books(&heap);
    }
    heap.empty_magazines("test");
    assert_eq!(books(&heap).claimed, 0);
}

#[test]
fn what_an_aligned_request_passes_over_is_counted() {
    let heap = flagship();
    let shrunk: Vec<*mut u8> = (0..2000).map(|_| heap.malloc(128 + 16)).collect();
    for ptr in shrunk {
        // SAFETY: a live block.
        let ptr = unsafe { heap.realloc(ptr, 128) };
        // SAFETY: a live block of that size.
        unsafe { heap.free_sized(ptr, 128) };
        books(&heap);
    }
    let aligned: Vec<*mut u8> = (0..2000).map(|_| heap.aligned_alloc(128, 128)).collect();
    books(&heap);
    // SAFETY: a live block.
    aligned.into_iter().for_each(|ptr| unsafe { heap.free(ptr) });
    heap.empty_magazines("test");
    assert_eq!(books(&heap).claimed, 0);
}

#[test]
fn blocks_of_a_heap_of_their_own_are_in_no_books() {
    let whole = flagship();
    let before = books(&whole);
    let heap = whole.heap_new().expect("memory");
    let blocks: Vec<*mut u8> = (0..3000).map(|n| whole.heap_allocate(heap, 16, n)).collect();
    assert_eq!(books(&whole), before);
    for ptr in blocks {
        // SAFETY: a live block.
        unsafe { whole.free(ptr) };
        let _ = whole.accounts().expect("nobody else is at it");
    }
    assert_eq!(books(&whole), before);
    // SAFETY: nothing of it is used any more.
    unsafe { whole.heap_destroy(heap) };
    assert_eq!(books(&whole), before);
}

extern "C" fn ended(_cache: *mut core::ffi::c_void) {
    BUSY.thread_ended();
}

/// The one instance of this program's threads.
static BUSY: Flagship<Os, ElfTls> = Flagship::new(Os, ElfTls { begun: || (), ended });

#[test]
fn a_check_among_busy_threads_raises_no_false_alarm() {
    static DONE: AtomicBool = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|number| {
                // Blocks are freed by another thread than made them, and threads come and go.
                scope.spawn(move || {
                    for round in 0..20 {
                        let one = std::thread::spawn(move || {
                            let mut random = Random(number * 100 + round);
                            let mut live = Vec::new();
                            (0..1000).for_each(|_| step(&BUSY, &mut random, &mut live));
                            live.iter().map(|&(ptr, ..)| ptr.expose_provenance()).collect()
                        });
                        let left: Vec<usize> = one.join().expect("no panic");
                        // SAFETY: a live block.
                        left.into_iter().for_each(|at| unsafe {
                            BUSY.free(core::ptr::with_exposed_provenance_mut(at))
                        });
                    }
                })
            })
            .collect();
        let checker = scope.spawn(|| {
            let mut checks = 0;
            while checks < 50 || !DONE.load(Ordering::Relaxed) {
                BUSY.check().expect("intact");
                checks += 1;
            }
        });
        workers.into_iter().for_each(|worker| worker.join().expect("no panic"));
        DONE.store(true, Ordering::Relaxed);
        checker.join().expect("no panic");
    });
    assert!(BUSY.pages.slack.accounts().is_some(), "slack-X1 was compared");
    BUSY.check().expect("intact");
}
