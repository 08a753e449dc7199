//! Measures real programs through a real helper process; above all, that a fat parent does not show in their memory.
//!
//! This test has its own `main` because the helper is this very file, executed once more.

use core::hint::black_box;
use core::sync::atomic::AtomicBool;
use core::time::Duration;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::exit;
use std::time::Instant;

use heapwright_bench::helper;
use heapwright_bench::launch::{Exit, Figures, Job, Launcher, Outcome, Ran};

const MIB: u64 = 1 << 20;

fn main() {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    if args.first().is_some_and(|a| a == helper::SUBCOMMAND) {
        exit(helper::main(&args[1..]));
    }
    let wanted = |name: &str| match args.iter().find(|a| !a.as_encoded_bytes().starts_with(b"-")) {
        Some(filter) => name.contains(&*filter.to_string_lossy()),
        None => true,
    };
    let chosen: Vec<_> = TESTS.iter().filter(|(name, _)| wanted(name)).collect();
    if args.iter().any(|a| a == "--list") {
        chosen.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    println!("\nrunning {} tests", chosen.len());
    for (name, test) in &chosen {
        test();
        println!("test {name} ... ok");
    }
    let left_out = TESTS.len() - chosen.len();
    println!(
        "\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; {left_out} filtered out",
        chosen.len()
    );
}

/// In this order, and one after the other: the first one is about what a parent has touched.
const TESTS: [(&str, fn()); 7] = [
    ("a_fat_parent_does_not_show", a_fat_parent_does_not_show),
    ("what_the_program_touches_does_show", what_the_program_touches_does_show),
    ("times_are_those_of_the_program", times_are_those_of_the_program),
    ("ends_and_messages_come_through", ends_and_messages_come_through),
    ("the_environment_is_extended_and_replaced", the_environment_is_extended_and_replaced),
    (
        "a_program_that_hangs_is_killed_with_its_children",
        a_program_that_hangs_is_killed_with_its_children,
    ),
    ("an_interrupt_ends_the_run", an_interrupt_ends_the_run),
];

fn run_job(argv: &[&str], change: impl FnOnce(&mut Job<'_>)) -> Outcome {
    let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
    let file = Path::new(&argv[0]);
    let mut job = Job {
        file,
        argv: &argv,
        environment: &[],
        show_output: false,
        timeout: None,
        cpus: &[],
        sample: None,
        capture: false,
    };
    change(&mut job);
    let launcher = Launcher::new(env::current_exe().unwrap());
    launcher.run(&job, &AtomicBool::new(false)).unwrap()
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
    let sleeping = figures(&["/bin/sleep", "0.2"]);
    assert!((200_000_000..2_000_000_000).contains(&sleeping.wall_ns), "{sleeping:?}");
    assert!(sleeping.user_us + sleeping.system_us < 100_000, "{sleeping:?}");
    let busy = figures(&["/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]);
    assert!(busy.user_us > 20_000, "{busy:?}");
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
    let job = Job {
        file: Path::new("/bin/sh"),
        argv: &argv,
        environment: &environment,
        show_output: false,
        timeout: None,
        cpus: &[],
        sample: None,
        capture: false,
    };
    let launcher = Launcher::new(env::current_exe().unwrap());
    let outcome = launcher.run(&job, &AtomicBool::new(false)).unwrap();
    assert!(matches!(&outcome, Outcome::Ran(r) if r.figures.exit == Exit::Code(0)), "{outcome:?}");
}

fn a_program_that_hangs_is_killed_with_its_children() {
    let start = Instant::now();
    // A child in the background holds standard error open, too.
    let outcome = run_job(&["/bin/sh", "-c", "sleep 60 & sleep 60"], |job| {
        job.timeout = Some(Duration::from_millis(300));
    });
    assert!(matches!(outcome, Outcome::TimedOut(_)), "{outcome:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
    let start = Instant::now();
    let outcome = run_job(&["/bin/sh", "-c", "sleep 60 & exit 0"], |_| {});
    assert!(matches!(outcome, Outcome::Ran(..)), "{outcome:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
}

fn an_interrupt_ends_the_run() {
    let argv: Vec<OsString> = ["sleep".into(), "60".into()].into();
    let job = Job {
        file: Path::new("/bin/sleep"),
        argv: &argv,
        environment: &[],
        show_output: false,
        timeout: None,
        cpus: &[],
        sample: None,
        capture: false,
    };
    let launcher = Launcher::new(env::current_exe().unwrap());
    let outcome = launcher.run(&job, &AtomicBool::new(true)).unwrap();
    assert_eq!(outcome, Outcome::Interrupted);
}
