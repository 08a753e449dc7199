//! Measures real programs through a real helper process; above all, that a fat parent does not show in their memory.
//!
//! This test has its own `main` because the helper is this very file, executed once more. So are the process that puts the
//! machine in order and the one that is asked for its malloc, which are tested here for that reason.

#[path = "honest_rss/kept_files.rs"]
mod kept_files;
#[path = "honest_rss/prepare.rs"]
mod prepare;
#[path = "honest_rss/probe.rs"]
mod probe;
#[path = "honest_rss/starved.rs"]
mod starved;

use core::hint::black_box;
use core::sync::atomic::AtomicBool;
use core::time::Duration;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::exit;
use std::time::Instant;

use heapwright_bench::measured::{Error, Figures, Job, Launcher, Outcome, Ran};
use heapwright_bench::{cpus, helper};
use launch::Exit;
use libtest_mimic::{Arguments, Trial};

const MIB: u64 = 1 << 20;

/// What takes longer hangs, on a busy machine too. Programs that are to be ended by somebody else sleep for much longer.
const HANGS: Duration = Duration::from_secs(120);

fn main() {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    match args.first().and_then(|arg| arg.to_str()) {
        Some(helper::SUBCOMMAND) => exit(helper::main(&args[1..])),
        Some(heapwright_bench::prepare::SUBCOMMAND) => {
            exit(heapwright_bench::prepare::main(&args[1..]))
        }
        Some(TOUCH) => return touch(args[1].to_str().unwrap().parse().unwrap()),
        Some(launch::probe::SUBCOMMAND) => return print!("{}", launch::probe::answer()),
        Some(starved::COMPUTE) => return starved::compute(),
        Some(prepare::HOLD) => return prepare::hold(Path::new(&args[1])),
        _ => {}
    }
    let mut arguments = Arguments::from_args();
    // One after the other: the first one is about what a parent has touched.
    arguments.test_threads = Some(1);
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    libtest_mimic::run(&arguments, TESTS.map(trial).into()).exit();
}

macro_rules! named {
    ($($test:path,)*) => { [$((stringify!($test), $test as fn())),*] };
}

/// In this order.
const TESTS: [(&str, fn()); 20] = named![
    a_fat_parent_does_not_show,
    what_the_program_touches_does_show,
    times_are_those_of_the_program,
    ends_and_messages_come_through,
    the_environment_is_extended_and_replaced,
    a_program_that_hangs_is_killed_with_its_children,
    an_interrupt_ends_the_run,
    the_memory_of_all_processes_is_seen,
    looking_does_not_change_the_time,
    a_program_gets_the_processors_it_is_given,
    what_is_printed_is_kept,
    a_flood_ends_and_is_cut,
    a_flood_without_end_is_killed_in_time,
    who_left_the_group_is_ended_too,
    prepare::dropping_the_guard_restores,
    kept_files::what_making_files_took_is_nobodys_memory,
    starved::a_competitor_on_the_processor_is_seen,
    probe::what_is_no_malloc_is_told_apart,
    prepare::the_second_is_told_who_was_first,
    prepare::being_killed_restores_too,
];

fn run_job(argv: &[&str], change: impl FnOnce(&mut Job<'_>)) -> Outcome {
    let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
    let file = Path::new(&argv[0]);
    let mut job = Job::new(file, &argv);
    change(&mut job);
    launched(&job, false).unwrap()
}

fn launched(job: &Job<'_>, interrupted: bool) -> Result<Outcome, Error> {
    Launcher::new(env::current_exe().unwrap()).run(job, &AtomicBool::new(interrupted))
}

fn ran(argv: &[&str]) -> Box<Ran> {
    match run_job(argv, |_| {}) {
        Outcome::Ran(ran) => ran,
        other => panic!("{argv:?}: {other:?}"),
    }
}

fn figures(argv: &[&str]) -> Figures {
    ran(argv).figures
}

fn a_fat_parent_does_not_show() {
    let mut ballast = vec![0_u8; 300 * (1 << 20)];
    for page in ballast.chunks_mut(4096) {
        page[0] = 1;
    }
    black_box(&mut ballast);
    let figures = figures(&["/bin/true"]);
    println!(
        "/bin/true: peak {} KiB, floor {} KiB",
        figures.peak_rss_bytes / 1024,
        figures.peak_rss_floor_bytes / 1024
    );
    assert!(figures.peak_rss_bytes < 5 * MIB, "{figures:?}");
    assert!(figures.peak_rss_floor_bytes <= figures.peak_rss_bytes, "{figures:?}");
    black_box(&ballast);
}

fn what_the_program_touches_does_show() {
    // The shell keeps 32 MB in a variable; `head` and `tr` only pass them through.
    let figures = figures(&[
        "/bin/sh",
        "-c",
        "x=$(head -c 32000000 /dev/zero | tr '\\0' x); test ${#x} = 32000000",
    ]);
    assert!(figures.peak_rss_bytes > 30 * MIB, "{figures:?}");
    // At least one for each 2 MiB, should the malloc in use get huge pages.
    assert!(figures.minor_faults > 15, "{figures:?}");
}

fn times_are_those_of_the_program() {
    let start = Instant::now();
    let sleeping = figures(&["/bin/sleep", "0.2"]);
    let around = start.elapsed().as_nanos();
    assert!(sleeping.wall_ns >= 200_000_000, "{sleeping:?}");
    assert!(u128::from(sleeping.wall_ns) <= around, "{sleeping:?} {around}");
    let busy = figures(&["/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
    // A processor's time, which others on the machine do not change.
    assert!(busy.user_us > 2 * (sleeping.user_us + sleeping.system_us), "{busy:?} {sleeping:?}");
}

fn ends_and_messages_come_through() {
    let run = ran(&["/bin/sh", "-c", "echo broken >&2; exit 7"]);
    assert_eq!((run.figures.exit, run.said.as_str()), (Exit::Code(7), "broken\n"));
    assert_eq!(figures(&["/bin/sh", "-c", "kill -SEGV $$"]).exit, Exit::Signal(11));
    assert_eq!(run_job(&["/no/such/file"], |_| {}), Outcome::NotStarted(2));
    // Only the end of a long complaint is kept, and a full pipe does not stop the program.
    let script = "head -c 1000000 /dev/zero | tr '\\0' a >&2; echo the end >&2; exit 1";
    let tail = ran(&["/bin/sh", "-c", script]).said;
    assert!(tail.ends_with("the end\n") && tail.len() <= 4096, "{}", tail.len());
}

fn the_environment_is_extended_and_replaced() {
    let environment = [("HOME".into(), "/replaced".into()), ("HEAPWRIGHT".into(), "a=b".into())];
    let script = "test $HOME = /replaced && test $HEAPWRIGHT = a=b && test -n \"$PATH\"";
    let argv: Vec<OsString> = ["sh", "-c", script].map(OsString::from).into();
    let job = Job { environment: &environment, ..Job::new(Path::new("/bin/sh"), &argv) };
    let outcome = launched(&job, false).unwrap();
    assert!(matches!(&outcome, Outcome::Ran(r) if r.figures.exit == Exit::Code(0)), "{outcome:?}");
}

fn a_program_that_hangs_is_killed_with_its_children() {
    let start = Instant::now();
    // A child in the background holds standard error open, too.
    for is_limit in [false, true] {
        let outcome = run_job(&["/bin/sh", "-c", "sleep 1000 & sleep 1000"], |job| {
            let time = Some(Duration::from_millis(300));
            *(if is_limit { &mut job.limit } else { &mut job.timeout }) = time;
        });
        assert!(matches!(outcome, Outcome::TimedOut(_)), "{outcome:?}");
    }
    assert!(start.elapsed() < HANGS);
    let start = Instant::now();
    let outcome = run_job(&["/bin/sh", "-c", "sleep 1000 & exit 0"], |_| {});
    assert!(matches!(outcome, Outcome::Ran(..)), "{outcome:?}");
    assert!(start.elapsed() < HANGS);
}

/// The argument with which this file is a program that has 30 MB for as many milliseconds as the next one says.
const TOUCH: &str = "__touch";

fn touch(milliseconds: u64) {
    let ballast = black_box(vec![1_u8; 30_000_000]);
    std::thread::sleep(Duration::from_millis(milliseconds));
    black_box(ballast);
}

fn the_memory_of_all_processes_is_seen() {
    let me = env::current_exe().unwrap();
    // One of the two has lost its parent.
    let two = |ms: u64| format!("({0} {TOUCH} {ms} &); {0} {TOUCH} {ms}", me.display());
    let measured = |milliseconds: u64| {
        let outcome = run_job(&["/bin/sh", "-c", &two(milliseconds)], |job| {
            job.sample = Some(Duration::from_millis(5));
        });
        let Outcome::Ran(run) = outcome else { panic!("{outcome:?}") };
        assert!(run.samples.is_sorted_by_key(|s| s.ns), "{run:?}");
        let latest = run.samples.last().unwrap();
        assert!(latest.ns <= run.figures.wall_ns, "{latest:?} {:?}", run.figures);
        let seen = run.samples.iter().map(|s| s.rss_bytes).max().unwrap();
        // Of one of them there is no more than its own.
        let of_one = run.figures.peak_anonymous_bytes.unwrap();
        assert!(of_one < 55 * MIB, "{run:?}");
        let both = run.figures.peak_rss_bytes > 55 * MIB && seen > 55 * MIB && of_one > 25 * MIB;
        both && latest.ns > run.figures.wall_ns / 2
    };
    // On a busy machine one may start after the other's end, or nobody looks at that moment: then they stay for longer.
    let enough = (0..10).map(|n| 60 << n).find(|&milliseconds| measured(milliseconds));
    let enough = enough.expect("never both, nor until half of the time");
    // Unasked, only the largest is seen, and nothing else is different.
    let plain = ran(&["/bin/sh", "-c", &two(enough)]);
    assert!(plain.figures.peak_rss_bytes < 55 * MIB && plain.samples.is_empty(), "{plain:?}");
    assert_eq!(plain.figures.peak_anonymous_bytes, None);
}

fn looking_does_not_change_the_time() {
    let start = Instant::now();
    // The next look would be long after the end.
    let outcome = run_job(&["/bin/sleep", "0.2"], |job| job.sample = Some(HANGS * 10));
    let around = start.elapsed();
    let Outcome::Ran(run) = outcome else { panic!("{outcome:?}") };
    assert!(run.figures.wall_ns >= 200_000_000 && around < HANGS, "{run:?} {around:?}");
    assert_eq!(run.samples.len(), 1, "the first one: {run:?}");
    assert!(run.began_ns > 0, "{run:?}");
    // Whatever else this machine does: the figure is there, and in bounds.
    let others = run.figures.others_us.unwrap();
    let processors = u64::try_from(std::thread::available_parallelism().unwrap().get()).unwrap();
    let around = u64::try_from(around.as_micros()).unwrap();
    assert!(others <= processors * (around + 50_000), "{run:?} {around}");
}

fn printed(argv: &[&str], cpus: &[usize]) -> String {
    let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
    let job = Job { cpus, capture: true, ..Job::new(Path::new(&argv[0]), &argv) };
    match launched(&job, false).unwrap() {
        Outcome::Ran(ran) => ran.printed,
        other => panic!("{other:?}"),
    }
}

fn a_program_gets_the_processors_it_is_given() {
    let allowed = ["/bin/sh", "-c", "grep Cpus_allowed_list /proc/self/status"];
    for &cpu in cpus::choose(1).iter().chain(&[0]) {
        assert_eq!(printed(&["/usr/bin/nproc"], &[cpu]), "1\n");
        let list = printed(&allowed, &[cpu]);
        assert_eq!(list.split_whitespace().last(), Some(cpu.to_string().as_str()), "{list}");
    }
    let all = std::thread::available_parallelism().unwrap();
    assert_eq!(printed(&["/usr/bin/nproc"], &[]), format!("{all}\n"));
    // A processor that is not there is no result of the program.
    let argv = ["true".into()];
    let mut job = Job { cpus: &[1023], ..Job::new(Path::new("/bin/true"), &argv) };
    let error = launched(&job, false).unwrap_err();
    assert!(error.to_string().contains("sched_setaffinity to [1023]: Invalid"), "{error}");
    job.cpus = &[0];
    assert!(launched(&job, false).is_ok());
}

fn what_is_printed_is_kept() {
    let text = printed(&["/bin/sh", "-c", "head -c 1000000 /dev/zero | tr '\\0' a; echo end"], &[]);
    assert_eq!(text.len(), 1_000_004);
    assert!(text.ends_with("aend\n") && text.starts_with("aaa"));
    assert_eq!(printed(&["/bin/true"], &[]), "");
}

fn a_flood_ends_and_is_cut() {
    let start = Instant::now();
    let text = printed(&["/bin/sh", "-c", "echo begin; head -c 50000000 /dev/zero"], &[]);
    assert_eq!(text.len(), 4 << 20);
    assert!(text.starts_with("begin\n"));
    assert!(start.elapsed() < HANGS);
}

fn a_flood_without_end_is_killed_in_time() {
    let start = Instant::now();
    let outcome = run_job(&["/bin/sh", "-c", "yes & yes >&2"], |job| {
        job.timeout = Some(Duration::from_millis(300));
        job.capture = true;
    });
    assert!(matches!(outcome, Outcome::TimedOut(_)), "{outcome:?}");
    assert!(start.elapsed() < HANGS);
    // Its end is the end of the run, whoever goes on.
    let outcome = run_job(&["/bin/sh", "-c", "yes & exit 0"], |job| job.capture = true);
    assert!(matches!(outcome, Outcome::Ran(..)), "{outcome:?}");
    assert!(start.elapsed() < HANGS);
}

fn who_left_the_group_is_ended_too() {
    let number = printed(&["/bin/sh", "-c", "setsid sleep 1000 & echo $!; sleep 0.1"], &[]);
    let gone = |number: &str| !Path::new("/proc").join(number.trim()).exists();
    assert!(gone(&number), "{number}");
    // The same when the run is cut short: its number is found by what it does, as nothing is given back.
    let mark = format!("1000{}", std::process::id());
    let outcome =
        run_job(&["/bin/sh", "-c", &format!("setsid sleep {mark} & sleep 1000")], |job| {
            job.timeout = Some(Duration::from_millis(300));
        });
    assert!(matches!(outcome, Outcome::TimedOut(_)), "{outcome:?}");
    let left = || {
        std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.split(|&b| b == 0).any(|word| word == mark.as_bytes())
        })
    };
    let deadline = Instant::now() + HANGS;
    while left() {
        assert!(Instant::now() < deadline, "still there");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn an_interrupt_ends_the_run() {
    let argv: Vec<OsString> = ["sleep".into(), "1000".into()].into();
    let job = Job::new(Path::new("/bin/sleep"), &argv);
    assert_eq!(launched(&job, true).unwrap(), Outcome::Interrupted);
}
