//! Programs with one fault, or none, on an allocator that never gives anything back: what the rules say of them.

use crate::toy::Toy;
use explain::{Confidence, HugePages, Kind, Remedy, findings, page};

fn found(toy: &Toy) -> Vec<Kind> {
    findings(&toy.facts()).iter().map(|finding| finding.kind).collect()
}

/// Much comes and goes, and of each hundred one stays.
fn leak() -> Toy {
    let mut toy = Toy::new();
    for _ in 0..2000 {
        toy.churn(0, 50);
        toy.malloc(0, 700);
    }
    toy
}

#[test]
fn a_leak_is_never_freed() {
    let facts = leak().facts();
    let found = findings(&facts);
    assert_eq!(found[0].kind, Kind::Leak);
    assert_eq!(found[0].confidence, Confidence::Likely);
    assert_eq!(facts.growth.by_size[0].never_freed, 2000 * 700);
    assert_eq!(facts.end.blocks, 2000);
}

#[test]
fn a_cache_that_grows_frees_some_of_what_is_old() {
    let mut toy = Toy::new();
    let mut cache = std::collections::VecDeque::new();
    for n in 0..4000 {
        toy.churn(0, 20);
        cache.push_back(toy.malloc(0, 900));
        if n % 3 == 0 {
            toy.free(0, cache.pop_front().unwrap());
        }
    }
    assert_eq!(found(&toy), [Kind::GrowingCache]);
}

/// Sessions that end in no order, and each third of them is forgotten. All are of one size, so that old ones are freed as well, but
/// not for long: what is left of them is lost. It was called a cache, as "the program has hold of them".
#[test]
fn a_leak_among_blocks_that_are_freed_late_is_one() {
    let mut toy = Toy::new();
    let mut open = toy.many(0, 2000, 500);
    for n in 0..18_000_usize {
        let at = n.wrapping_mul(0x9E37_79B9) % open.len();
        let ended = core::mem::replace(&mut open[at], toy.malloc(0, 500));
        toy.churn(0, 2);
        if n % 3 > 0 {
            toy.free(0, ended);
        }
    }
    assert_eq!(found(&toy)[0], Kind::Leak);
}

/// A batch in hand when the work ends is freed then, as all before it were; what each batch forgot is not.
#[test]
fn a_leak_of_batches_is_one_though_the_last_batch_is_freed() {
    let mut toy = Toy::new();
    for _ in 0..16 {
        let batch = toy.many(0, 2000, 300);
        toy.many(0, 60, 300);
        toy.wait(20_000_000);
        toy.free_all(0, batch);
    }
    assert_eq!(found(&toy)[0], Kind::Leak);
}

/// Nothing is freed, but the table of the entries is made anew at twice its size.
#[test]
fn a_cache_is_known_by_its_table() {
    assert_eq!(found(&entries(true, false)), [Kind::GrowingCache]);
    assert_eq!(found(&entries(false, false)), [Kind::Leak]);
}

/// A compiler keeps what it makes of each function, frees nothing when it ends, and its last block is the output. It was called a leak.
#[test]
fn what_is_built_and_made_something_of_is_no_leak() {
    let facts = entries(false, true).facts();
    assert!(findings(&facts).is_empty());
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("If it is to run on, this has no end."), "{text}");
    assert!(!text.contains("Nothing grows without end"), "{text}");
}

fn entries(has_table: bool, has_output: bool) -> Toy {
    let mut toy = Toy::new();
    let (mut room, mut table) = (1024, toy.malloc(0, 1024 * 8));
    for n in 0..30_000 {
        toy.churn(0, 8);
        [48, 80, 20, 60].into_iter().for_each(|size| _ = toy.malloc(0, size));
        if has_table && n == room {
            room *= 2;
            let new = toy.malloc(0, room * 8);
            toy.free(0, core::mem::replace(&mut table, new));
        }
    }
    // A buffer for the answer is no table, though it is larger than the one before.
    let one = toy.malloc(0, 20_000);
    toy.free(0, one);
    if has_output {
        toy.malloc(0, 1_000_000);
    }
    toy
}

/// What is asked for again is there already, so that ever less comes.
#[test]
fn a_store_that_fills_ever_more_slowly_is_no_leak() {
    let fill = |of: u64| {
        let mut toy = Toy::new();
        let mut is_there = vec![false; 20_000];
        let mut random = 1_u64;
        for n in 0..60_000 {
            toy.churn(0, 4);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            let at = usize::try_from(if of == 0 { n } else { (random >> 33) % of }).unwrap();
            if !core::mem::replace(&mut is_there[at % 20_000], true) || of == 0 && n % 3 == 0 {
                [40, 120].into_iter().for_each(|size| _ = toy.malloc(0, size));
            }
        }
        found(&toy)
    };
    assert_eq!(fill(20_000), [Kind::GrowingCache]);
    // It begins with much, and then goes on evenly.
    assert_eq!(fill(0), [Kind::Leak]);
}

/// Each picture has a size of its own, so no two of those that stay are of one bin.
#[test]
fn few_large_blocks_can_leak() {
    let mut toy = Toy::new();
    for n in 0..60 {
        let picture = toy.malloc(0, 1_000_000 + n * 99_991 % 3_000_000);
        toy.churn(0, 100);
        if n % 3 > 0 {
            toy.free(0, picture);
        }
    }
    assert_eq!(found(&toy)[0], Kind::Leak);
}

/// It loads for two thirds of the time, and then replaces, and adds a row now and then: more than at half-time, but what goes on is
/// no part of what came before.
#[test]
fn what_has_come_to_a_rest_grows_no_more() {
    let mut toy = Toy::new();
    let mut rows: Vec<u64> = Vec::new();
    let random = |n: u64| {
        n.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            >> 33
    };
    for n in 0..20_000 {
        toy.churn(0, 1);
        rows.push(toy.malloc(0, 60 + random(n) % 240));
    }
    for n in 20_000..32_000 {
        let at = usize::try_from(random(n * 3) % rows.len() as u64).unwrap();
        let row = toy.malloc(0, 60 + random(n) % 240);
        toy.free(0, core::mem::replace(&mut rows[at], row));
        if n % 400 == 0 {
            toy.malloc(0, 200);
        }
        toy.churn(0, 1);
    }
    assert!(!found(&toy).contains(&Kind::GrowingCache), "{:?}", found(&toy));
}

/// A leak that stands still while the program is stopped goes on.
#[test]
fn time_without_a_call_is_no_rest() {
    let mut toy = Toy::new();
    for n in 0..2000 {
        toy.churn(0, 50);
        toy.malloc(0, 700);
        if n == 1900 {
            toy.wait(150_000_000);
        }
    }
    assert_eq!(found(&toy)[0], Kind::Leak);
}

#[test]
fn what_is_built_and_freed_at_the_end_is_no_fault() {
    let mut toy = Toy::new();
    let blocks = toy.many(0, 20_000, 200);
    toy.free_all(0, blocks);
    assert_eq!(found(&toy), []);
}

#[test]
fn few_blocks_that_live_on_hold_many_pages() {
    let mut toy = Toy::new();
    let blocks = toy.many(0, 40_000, 200);
    let (stay, go): (Vec<u64>, Vec<u64>) = blocks.into_iter().partition(|block| block % 20 == 0);
    toy.free_all(0, go);
    toy.churn(0, 20_000);
    toy.look();
    let facts = toy.facts();
    assert_eq!(found(&toy), [Kind::Fragmentation]);
    let pin = facts.worst.sparse.pins[0];
    assert_eq!((pin.from, pin.to, pin.blocks), (200, 200, stay.len() as u64));
    let account = facts.worst.account;
    assert_eq!(account.sum(), facts.worst.resident);
    assert!(account.pinned > 5 << 20, "{account:?}");
}

#[test]
fn what_was_needed_once_is_kept() {
    let mut toy = Toy::new();
    let blocks = toy.many(0, 40_000, 200);
    toy.free_all(0, blocks);
    toy.churn(0, 30_000);
    toy.look();
    assert_eq!(found(&toy), [Kind::Retention]);
}

/// Half is freed early, the rest late, and then the program waits: that lasts, though it calls malloc hardly ever.
#[test]
fn what_is_free_for_half_of_all_time_lasts() {
    let mut toy = Toy::new();
    let mut blocks = toy.many(0, 40_000, 200);
    let late = blocks.split_off(20_000);
    toy.free_all(0, blocks);
    toy.churn(0, 30_000);
    toy.free_all(0, late);
    toy.look();
    for _ in 0..20 {
        toy.wait(50_000_000);
        toy.churn(0, 1);
    }
    toy.look();
    let facts = toy.facts();
    assert_eq!(findings(&facts)[0].kind, Kind::Retention);
    assert!(facts.worst.account.free() * 10 > facts.peak.account.asked * 9, "{:?}", facts.worst);
}

/// `MALLOC_ARENA_MAX` was named where it does nothing: the caches of threads are in no arena.
#[test]
fn what_was_set_is_named_and_the_remedy_is_of_that() {
    let mut toy = Toy::new();
    for thread in 0..8 {
        let blocks = toy.many(thread, 5_000, 200);
        toy.free_all(thread, blocks);
    }
    toy.churn(0, 60_000);
    toy.look();
    assert_eq!(found(&toy), [Kind::ThreadCaches], "each thread keeps its own");
    let mut said = |settings: &[&str]| {
        toy.settings = settings.iter().map(|&set| set.to_owned()).collect();
        let facts = toy.facts();
        let findings = findings(&facts);
        let text = page(&facts, &findings, None, &[], None);
        (findings[0].remedy, text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (remedy, text) = said(&[]);
    assert_eq!(remedy, Remedy::FewerArenas);
    assert!(!text.contains("It ran with") && !text.contains("was set"), "{text}");
    let large = "GLIBC_TUNABLES=glibc.malloc.perturb=0:glibc.malloc.tcache_count=4000";
    let (remedy, text) = said(&[large]);
    assert_eq!(remedy, Remedy::SmallerCaches);
    assert!(text.contains(&format!("It ran with {large}, which bears on this")), "{text}");
    assert!(text.contains(&format!("for its malloc there was set {large}.")), "{text}");
    let (remedy, _) = said(&["GLIBC_TUNABLES=glibc.malloc.tcache_count=9"]);
    assert_eq!(remedy, Remedy::FewerArenas, "they have no room for as much");
    let (_, text) = said(&["MALLOC_TRIM_THRESHOLD_=9"]);
    assert!(!text.contains("It ran with"), "{text}");
}

#[test]
fn what_is_reused_at_once_is_not_kept() {
    let mut toy = Toy::new();
    for _ in 0..30 {
        let blocks = toy.many(0, 10_000, 200);
        toy.free_all(0, blocks);
        toy.wait(50_000_000);
    }
    assert_eq!(found(&toy), []);
}

#[test]
fn own_mappings_and_shared_memory_are_not_mallocs() {
    let mut toy = Toy::new();
    for n in 0..20 {
        toy.map(0x7000_0000_0000 + (n << 20), 1 << 20);
        toy.beside.0 += 1 << 20;
        toy.churn(0, 1000);
    }
    toy.look();
    assert_eq!(found(&toy), [Kind::OwnMappings]);
    let facts = toy.facts();
    assert_eq!(facts.peak.account.own_maps, 20 << 20);
    let text = page(&facts, &findings(&facts), None, &[], None);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("20.0 MiB of it itself, in 20 mappings of 1.00 MiB each."), "{text}");
    toy.beside = (0, 30 << 20);
    toy.look();
    assert_eq!(found(&toy), [Kind::OwnMappings]);
}

/// Mapped files were called the program's code, and that nothing stands out.
#[test]
fn mapped_files_are_the_programs_own() {
    let mut toy = Toy::new();
    toy.map(0x7000_0000_0000, 40 << 20);
    toy.files = 38 << 20;
    toy.churn(0, 1000);
    toy.look();
    assert_eq!(found(&toy), [Kind::OwnMappings]);
    let facts = toy.facts();
    let account = facts.peak.account;
    assert_eq!((account.files, account.own_files), (1 << 20, 38 << 20));
    assert_eq!(account.sum(), facts.peak.resident);
    let text = page(&facts, &findings(&facts), None, &[], None).replace('\n', " ");
    assert!(text.contains("38.0 MiB the program had mapped itself, most of it files."), "{text}");
}

/// Whether huge pages are the reason is known where the recorder has looked into them, and not guessed from how memory rises.
#[test]
fn huge_pages_are_the_reason_if_they_were_never_written() {
    let mut toy = Toy::new();
    for n in 0..16 {
        toy.churn(0, 10);
        toy.map(0x7000_0000_0000 + (n << 21), 2 << 20);
        toy.beside.0 += 2 << 20;
        toy.look();
    }
    let of = |empty| {
        let mut facts = toy.facts();
        facts.program.huge_pages = Some(HugePages { time: 5, bytes: 32 << 20, empty });
        (findings(&facts)[0].clone(), page(&facts, &findings(&facts), None, &[], None))
    };
    let (first, text) = of(30 << 20);
    assert_eq!(
        (first.kind, first.confidence, first.bytes),
        (Kind::HugePages, Confidence::Sure, 30 << 20)
    );
    assert!(text.replace('\n', " ").contains("94 % of that was never written"), "{text}");
    let (first, text) = of(1 << 20);
    assert_eq!(first.kind, Kind::OwnMappings);
    assert!(!text.contains("huge pages' doing"), "{text}");
}

#[test]
fn huge_pages_come_in_steps_of_two_mebibytes() {
    // A stack or a table may rise beside them.
    for beside in [0, 48 << 10] {
        let mut toy = Toy::new();
        for _ in 0..16 {
            toy.churn(0, 10);
            toy.beside.0 += (2 << 20) + beside;
            toy.look();
        }
        assert_eq!(found(&toy)[0], Kind::HugePages);
    }
}

#[test]
fn tiny_blocks_are_mostly_rounding() {
    let mut toy = Toy::new();
    toy.many(0, 300_000, 4);
    let facts = toy.facts();
    assert!(found(&toy).contains(&Kind::Rounding));
    // A look is every 500 steps.
    assert!(facts.peak.account.rounding >= 12 * 299_000, "{:?}", facts.peak.account);
}

#[test]
fn the_page_fits_into_eighty_columns_and_says_the_figures() {
    let facts = leak().facts();
    let next = vec![("heapwright replay x.trace".to_owned(), "tells more".to_owned())];
    let text = page(&facts, &findings(&facts), None, &next, Some(200));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("1. Leak, likely: 684 KiB more in the second half"), "{text}");
    assert!(text.contains("next  heapwright replay x.trace  tells more"), "{text}");
}

#[test]
fn a_trace_without_looks_or_without_steps_is_explained() {
    let mut toy = leak();
    toy.steps.retain(|step| !matches!(step.op, trace::Op::Memory { .. }));
    let facts = toy.facts();
    assert_eq!(findings(&facts)[0].kind, Kind::Leak);
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("what was resident was not recorded"), "{text}");
    let nothing = Toy::default().facts();
    assert_eq!(findings(&nothing), []);
    assert!(page(&nothing, &[], None, &[], Some(80)).contains("so nothing can be said"));
}

/// A program of a few milliseconds was looked at once, before it had begun: that was called its peak.
#[test]
fn one_look_before_the_work_is_no_peak() {
    let mut toy = leak();
    let mut looks = 0;
    toy.steps.retain(|step| {
        looks += u32::from(matches!(step.op, trace::Op::Memory { .. }));
        !matches!(step.op, trace::Op::Memory { .. }) || looks == 1
    });
    let facts = toy.facts();
    assert_eq!((facts.peak.resident, facts.peak.live), (0, facts.peak_live));
    let text = page(&facts, &findings(&facts), None, &[], None).replace('\n', " ");
    assert!(text.contains("what was resident was not recorded"), "{text}");
}

/// Of 20,000 blocks every fourth goes: much is free, but its pieces are three quarters full, and one of them is not what holds it all.
#[test]
fn what_is_free_among_much_that_is_live_is_no_fragmentation() {
    let mut toy = Toy::new();
    let blocks = toy.many(0, 40_000, 200);
    for (n, block) in blocks.into_iter().enumerate() {
        if n % 5 < 2 {
            toy.free(0, block);
        }
    }
    toy.churn(0, 30_000);
    toy.look();
    let facts = toy.facts();
    assert!(facts.worst.account.pinned > 2 << 20, "{:?}", facts.worst.account);
    assert_eq!(findings(&facts), []);
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("of that among live blocks that lie close together"), "{text}");
    assert!(!text.contains("less than an eighth"), "{text}");
}

/// Of a store that fills and then replaces it was said that nothing stands out, and no more.
#[test]
fn a_store_that_is_full_is_said_to_be() {
    let mut toy = Toy::new();
    let mut rows = std::collections::VecDeque::new();
    for n in 0..40_000 {
        rows.push_back(toy.malloc(0, 300));
        toy.churn(0, 1);
        if n >= 12_000 {
            toy.free(0, rows.pop_front().unwrap());
        }
    }
    let facts = toy.facts();
    assert_eq!(findings(&facts), []);
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("since then about as much goes as comes"), "{text}");
}

/// Of a server that had built up 31 MiB when it was recorded for a minute these were called its code.
#[test]
fn what_was_there_before_the_recording_is_not_called_code() {
    let mut facts = leak().facts();
    facts.program.begins_late = true;
    facts.peak.account.untouched = facts.peak.resident;
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("were there before the recording began"), "{text}");
    assert!(text.contains("there before") && !text.contains("code and libraries"), "{text}");
    assert!(!text.contains("never touched"), "{text}");
}

/// A database that had just deleted nine tenths was told that little is kept, below a line that said 43 of 59 MiB.
#[test]
fn what_is_free_but_not_for_long_is_not_called_little() {
    let mut facts = leak().facts();
    facts.peak.account.pinned = facts.peak.resident;
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    assert!(text.contains("for less than an eighth of the work"), "{text}");
}

#[test]
fn a_damaged_trace_is_no_panic() {
    let mut toy = leak();
    let damaged = toy.steps.len();
    // Time goes back, blocks are freed twice, and addresses and sizes may be anything.
    for at in (0..damaged).step_by(7) {
        let step = &mut toy.steps[at];
        step.time = step.time.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 40);
        match &mut step.op {
            trace::Op::Allocate { address, size, .. } => {
                *address = address.wrapping_mul(0x1234_5678_9abc);
                *size = if at % 3 == 0 { u64::MAX - 3 } else { *size };
            }
            trace::Op::Free { block, .. } => *block /= 2,
            trace::Op::Memory { anon, .. } => *anon = u64::MAX,
            _ => {}
        }
    }
    let facts = toy.facts();
    assert!(!page(&facts, &findings(&facts), None, &[], Some(80)).is_empty());
}

#[test]
fn what_each_request_keeps_is_said_and_stands_in_a_table() {
    let mut toy = Toy::default();
    toy.mark(0, "load");
    toy.malloc(0, 100_000);
    for _ in 0..500 {
        toy.mark(0, "a request whose name goes on and on");
        toy.churn(0, 20);
        toy.malloc(0, 48);
        toy.mark(0, "idle");
    }
    let facts = toy.facts();
    let marks: Vec<_> = facts.marks.iter().map(|mark| (mark.times, mark.keeps)).collect();
    assert_eq!(marks, [(1, 100_000), (500, 48), (500, 0)]);
    let text = page(&facts, &[], None, &[], Some(80));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let one_line = text.replace('\n', " ");
    let said = "leaves 48 B behind: 23.4 KiB after 500.";
    assert!(one_line.contains(said), "{text}");
    assert!(text.contains("a request whose n…"), "{text}");
    let without = leak().facts();
    assert!(!page(&without, &[], None, &[], None).contains("from mark to next"));
}

/// Sessions of 1,000, 1,500, … 5,500 bytes replace each other: nearly every request keeps 500 bytes more, and all of them nothing.
#[test]
fn what_requests_keep_in_all_is_their_sum_and_not_their_median() {
    let mut toy = Toy::default();
    let mut session = toy.malloc(0, 5500);
    for n in 0..500 {
        toy.mark(0, "request");
        let next = toy.malloc(0, 1000 + n % 10 * 500);
        toy.free(0, session);
        session = next;
        toy.malloc(0, 10);
    }
    let facts = toy.facts();
    assert_eq!((facts.marks[0].keeps, facts.marks[0].kept), (510, 5000));
    let text = page(&facts, &[], None, &[], None).replace('\n', " ");
    let said = "leaves 10 B behind in the mean (the median: 510 B): 4.88 KiB after 500.";
    assert!(text.contains(said), "{text}");
}
