//! Who allocates what holds the memory: programs whose call stacks are known, with names that another tool found.

use explain::{Facts, Kind, Role, facts, findings, page, parts};
use symbols::Symbol;
use trace::testing::{TestTrace, about, packed};
use trace::{Frame, How, Op, Packer, Step};

/// Functions of the program, each called by `main`: through `malloc`, which is passed over.
const FUNCTIONS: [&str; 3] = ["leak_request", "format_line", "cache::insert"];

struct Program<'a> {
    packer: &'a mut Packer,
    time: u64,
    frames: Vec<Frame>,
    looks: u64,
}

impl<'a> Program<'a> {
    fn new(packer: &'a mut Packer) -> Self {
        let main = packer.frame(0, 0x1000).unwrap();
        let name = |function, line| [Symbol { function, file: "/src/app.cpp", line }];
        packer.name(0x1000, "/bin/app", name("main", 5));
        packer.name(0x9000, "/lib/libc.so.6", [Symbol { function: "malloc", ..Symbol::default() }]);
        let mut frames = Vec::new();
        for (n, function) in FUNCTIONS.into_iter().enumerate() {
            let ip = 0x2000 + n as u64;
            packer.name(ip, "/bin/app", name(function, 10 + u32::try_from(n).unwrap()));
            let caller = packer.frame(main, ip).unwrap();
            frames.push(packer.frame(caller, 0x9000).unwrap());
        }
        let mut program = Self { packer, time: 0, frames, looks: 0 };
        program.step(0, Op::Memory { anon: 1 << 20, file: 1 << 20, shmem: 0 });
        program
    }

    fn step(&mut self, thread: u32, op: Op) {
        self.time += 1000;
        self.packer.push(&Step { time: self.time, thread, op }).unwrap();
    }

    /// A block of a function, at an address of its own; `None` has no stack.
    fn allocate(&mut self, function: Option<usize>, size: u64) -> u64 {
        let (block, _) = self.packer.next();
        let frame = function.map_or(0, |function| self.frames[function]);
        let address = 0x10_0000 + block * 1024;
        self.step(0, Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame });
        block
    }

    fn free(&mut self, thread: u32, block: u64) {
        self.step(thread, Op::Free { block, touched: None });
    }

    /// Blocks of a function that are freed at once.
    fn churn(&mut self, function: Option<usize>, size: u64, times: usize) {
        for _ in 0..times {
            let block = self.allocate(function, size);
            self.free(0, block);
        }
    }

    fn look(&mut self) {
        self.looks += 1;
        let anon = (1 << 20) + self.looks * (64 << 10);
        self.step(0, Op::Memory { anon, file: 1 << 20, shmem: 0 });
    }
}

/// Of a hundred blocks one stays for ever; the others are lines, freed at once.
fn leak() -> TestTrace {
    packed(&about(), |packer| {
        let mut program = Program::new(packer);
        for n in 0..2000 {
            program.allocate(Some(0), 700);
            program.churn(Some(1), 80, 10);
            let entry = program.allocate(Some(2), 200);
            // Another thread frees it.
            program.free(1, entry);
            if n % 50 == 0 {
                program.look();
            }
        }
    })
}

fn named(facts: &Facts, role: Role) -> Vec<(String, f64)> {
    let parts = parts(facts).into_iter().filter(|part| part.role == role);
    parts.map(|part| (facts.sites.list[part.site].function.clone(), part.share)).collect()
}

fn said(facts: &Facts) -> String {
    page(facts, &findings(facts), None, &[], None)
}

/// The same as one line.
fn words(facts: &Facts) -> String {
    said(facts).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_leak_names_the_function_that_leaks() {
    let facts = facts(&leak());
    let found = findings(&facts);
    assert_eq!(found[0].kind, Kind::Leak);
    let part = found[0].site.unwrap();
    let site = &facts.sites.list[part.site];
    assert_eq!((site.function.as_str(), site.line), ("leak_request", 10));
    assert!(part.share > 0.99, "{part:?}");
    assert_eq!((site.uses.left.blocks, site.uses.left.bytes), (2000.0, 1_400_000.0));
    let (text, words) = (said(&facts), words(&facts));
    assert!(words.contains("100 % of what grows is allocated in leak_request (app.cpp:10)."));
    assert!(!words.contains("--stacks"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn each_role_has_its_site_and_the_figures_are_exact() {
    let facts = facts(&leak());
    assert_eq!(named(&facts, Role::Peak)[0].0, "leak_request");
    assert_eq!(named(&facts, Role::Grows), [("leak_request".to_owned(), 1.0)]);
    let temporary = named(&facts, Role::Temporary);
    assert_eq!(temporary[0].0, "format_line");
    assert_eq!(named(&facts, Role::Elsewhere), [("cache::insert".to_owned(), 1.0)]);
    assert_eq!((facts.sites.interval, facts.sites.count), (0, 3));
    assert_eq!(facts.sites.all.allocated.blocks, 2000.0 * 12.0);
    assert_eq!(facts.sites.all.elsewhere.bytes, 2000.0 * 200.0);
}

#[test]
fn what_holds_pages_is_named() {
    let trace = packed(&about(), |packer| {
        let mut program = Program::new(packer);
        let entries: Vec<u64> = (0..20_000)
            .map(|n| program.allocate(Some(if n % 20 == 0 { 2 } else { 1 }), 900))
            .collect();
        let anon = 22 << 20;
        program.step(0, Op::Memory { anon, file: 1 << 20, shmem: 0 });
        entries
            .iter()
            .enumerate()
            .filter(|(n, _)| n % 20 != 0)
            .for_each(|(_, &block)| program.free(0, block));
        program.churn(None, 80, 20_000);
        program.step(0, Op::Memory { anon, file: 1 << 20, shmem: 0 });
    });
    let facts = facts(&trace);
    let found = findings(&facts);
    assert_eq!(found[0].kind, Kind::Fragmentation);
    assert_eq!(named(&facts, Role::Pins), [("cache::insert".to_owned(), 1.0)]);
    let words = words(&facts);
    let held = "100 % of it is held by blocks from cache::insert (app.cpp:12).";
    assert!(words.contains(held), "{words}");
}

/// Three functions allocate by `make`, which `zmalloc`'s list of names does not have, and one by itself: what tells is who called it.
#[test]
fn a_function_that_many_call_is_named_with_its_callers() {
    let trace = packed(&about(), |packer| {
        let mut program = Program::new(packer);
        let name = |function, line| [Symbol { function, file: "/src/make.cpp", line }];
        program.packer.name(0x4000, "/bin/app", name("make", 3));
        for (n, function) in ["session", "request", "answer"].into_iter().enumerate() {
            let ip = 0x5000 + n as u64;
            program.packer.name(ip, "/bin/app", name(function, 20 + u32::try_from(n).unwrap()));
            let caller = program.packer.frame(0, ip).unwrap();
            let make = program.packer.frame(caller, 0x4000).unwrap();
            program.frames.push(program.packer.frame(make, 0x9000).unwrap());
        }
        for _ in 0..3000 {
            program.allocate(Some(3), 300);
            [4, 5, 1].into_iter().for_each(|function| program.churn(Some(function), 400, 1));
        }
    });
    let facts = facts(&trace);
    let part = findings(&facts)[0].site.unwrap();
    assert_eq!(facts.sites.list[part.site].name, "make < session (make.cpp:20)");
    assert_eq!(facts.sites.list[part.site].function, "make");
    let temporary: Vec<(&str, f64)> = parts(&facts)
        .into_iter()
        .filter(|part| part.role == Role::Temporary)
        .map(|part| (facts.sites.list[part.site].name.as_str(), part.share))
        .collect();
    let names: Vec<&str> = temporary.iter().map(|(name, _)| *name).collect();
    // Its own caller is no news: `format_line` is called by one only.
    assert!(names.contains(&"make < request (make.cpp:21)"), "{names:?}");
    assert!(names.contains(&"format_line (app.cpp:11)"), "{names:?}");
    assert!(temporary.iter().map(|(_, share)| share).sum::<f64>() < 1.01);
    // Each byte stands once among the sites without their callers.
    let whole: f64 = facts
        .sites
        .list
        .iter()
        .filter(|site| site.within.is_none())
        .map(|site| site.uses.allocated.bytes)
        .sum();
    assert_eq!(whole, facts.sites.all.allocated.bytes);
    assert!(said(&facts).contains("make < session (make.cpp:20)"));
}

#[test]
fn a_sample_gives_estimates_and_says_so() {
    let interval = 8192;
    let mut about = about();
    about.notes = vec!["stacks=sampled".into(), format!("stacks_interval={interval}")];
    let trace = packed(&about, |packer| {
        let mut program = Program::new(packer);
        let mut random = 5_u64;
        let mut sampled = |size: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(77);
            let p = 1.0 - (-(size as f64) / f64::from(interval)).exp();
            ((random >> 11) as f64 / (1_u64 << 53) as f64) < p
        };
        for _ in 0..4000 {
            let stack = sampled(700).then_some(0);
            program.allocate(stack, 700);
            for _ in 0..20 {
                let stack = sampled(80).then_some(1);
                let line = program.allocate(stack, 80);
                program.free(0, line);
            }
        }
    });
    let facts = facts(&trace);
    let leak = facts.sites.list.iter().find(|site| site.function == "leak_request").unwrap();
    let (left, truth) = (leak.uses.left, 4000.0 * 700.0);
    assert!((left.bytes - truth).abs() < 2.0 * left.margin && left.margin > 0.0, "{left:?}");
    assert!((left.bytes / 700.0 - left.blocks).abs() < 1.0, "{left:?}");
    assert_eq!(findings(&facts)[0].site.map(|part| facts.sites.list[part.site].line), Some(10));
    let text = said(&facts);
    assert!(text.contains(" ±") && text.contains("Estimates"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

/// A small block that happens to be sampled stands for thousands, or for none: 35,263 blocks were told of 15,527.
#[test]
fn how_many_small_blocks_there_are_is_not_told_of_one_that_was_sampled() {
    let mut about = about();
    about.notes = vec!["stacks=sampled".into(), "stacks_interval=524288".into()];
    let trace = packed(&about, |packer| {
        let mut program = Program::new(packer);
        for _ in 0..20 {
            program.allocate(Some(0), 1 << 20);
        }
        program.allocate(Some(0), 18);
        program.step(0, Op::Memory { anon: 30 << 20, file: 1 << 20, shmem: 0 });
    });
    let text = said(&facts(&trace));
    let row = text.lines().find(|line| line.contains("at the peak  leak_request")).unwrap();
    assert!(row.contains(" ±") && row.split_whitespace().rev().nth(2) == Some("–"), "{text}");
}

/// What is in hand when the work is done is no growth: the least that is live stays.
#[test]
fn work_in_hand_does_not_grow() {
    let trace = packed(&about(), |packer| {
        let mut program = Program::new(packer);
        // Half of the allocations is in the middle of a round.
        for round in 0..39 {
            let rows: Vec<u64> = (0..500).map(|_| program.allocate(Some(0), 700)).collect();
            program.look();
            if round < 38 {
                rows.into_iter().for_each(|row| program.free(0, row));
            }
        }
    });
    let facts = facts(&trace);
    assert!(facts.sites.all.growth() > 150_000.0);
    assert_eq!(named(&facts, Role::Grows), []);
}

#[test]
fn without_stacks_nothing_is_said_of_sites() {
    let trace = trace::testing::script("malloc a 100\nmalloc b 200\nfree a");
    let facts = facts(&trace);
    assert_eq!((facts.sites.count, parts(&facts).len()), (0, 0));
    assert!(!said(&facts).contains("by site"));
}

#[test]
fn addresses_without_names_are_places_and_what_would_help_is_said() {
    let mut about = about();
    about.modules = vec![trace::Module {
        start: 0x1000,
        end: 0x9000,
        offset: 0x1000,
        base: None,
        path: "/no/such/server".into(),
        build_id: "ab12".into(),
    }];
    let trace = packed(&about, |packer| {
        let main = packer.frame(0, 0).unwrap();
        let frame = packer.frame(main, 0x2345).unwrap();
        for block in 0..1000 {
            let op = Op::Allocate {
                block,
                how: How::Malloc,
                size: 4000,
                align: 0,
                address: block << 12,
                frame,
            };
            packer.push(&Step { time: block * 1000, thread: 0, op }).unwrap();
        }
    });
    let text = said(&facts(&trace));
    assert!(text.contains("server+0x2345"), "{text}");
    assert!(text.contains("/no/such/server is gone"), "{text}");
}
