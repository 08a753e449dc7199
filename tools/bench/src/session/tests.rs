use super::*;

fn figures(wall_ns: u64) -> Figures {
    Figures {
        wall_ns,
        user_us: 1,
        system_us: 1,
        peak_rss_bytes: 1 << 20,
        peak_rss_floor_bytes: 0,
        minor_faults: 10,
        major_faults: 0,
        voluntary_switches: 0,
        involuntary_switches: 0,
        exit: Exit::Code(0),
    }
}

fn options() -> Options {
    Options {
        warmup: 1,
        warm: true,
        rounds: None,
        budget: None,
        seed: 1,
        ignore_failure: false,
        show_output: false,
        timeout: None,
    }
}

fn session(rounds: u32, wall: impl Fn(u32, usize) -> u64) -> Session {
    let subjects = line_up(vec![Allocator::glibc(), Allocator::preloaded("x", "/x.so")]);
    let mut session = Session::new(subjects);
    session.rounds = rounds;
    for round in 0..=rounds {
        for subject in 0..3 {
            let figures = figures(wall(round, subject));
            session.runs.push(Run { round, place: subject, subject, figures });
        }
    }
    session
}

fn clock() -> Clock {
    let now = Instant::now();
    Clock { started: now, measuring: now, rounds_done: 0 }
}

#[test]
fn glibc_is_the_baseline_and_runs_twice() {
    let subjects = line_up(vec![Allocator::preloaded("a", "/a.so"), Allocator::glibc()]);
    let told: Vec<_> = subjects.iter().map(|s| (s.name.as_str(), s.role)).collect();
    assert_eq!(
        told,
        [("a", Role::Contender), ("glibc", Role::Baseline), ("glibc again", Role::Control)]
    );
    let without = line_up(vec![Allocator::preloaded("a", "/a.so")]);
    assert_eq!(without[0].role, Role::Baseline);
    assert_eq!(without[1].name, "a again");
}

#[test]
fn a_column_leaves_out_the_warm_up_and_keeps_the_gaps() {
    let mut session = session(3, |round, _| u64::from(round) * 1_000_000_000);
    session.runs.retain(|r| !(r.round == 2 && r.subject == 1));
    assert_eq!(session.column(0, wall_seconds), [Some(1.0), Some(2.0), Some(3.0)]);
    assert_eq!(session.column(1, wall_seconds), [Some(1.0), None, Some(3.0)]);
}

#[test]
fn the_rounds_asked_for_are_exact() {
    let session = session(5, |_, _| 100);
    let options = Options { rounds: Some(5), ..options() };
    assert_eq!(clock().should_stop(&session, &options, 5), None);
    assert_eq!(clock().should_stop(&session, &options, 6), Some(Stop::Rounds));
}

#[test]
fn narrow_intervals_end_it_after_ten_rounds_and_wide_ones_do_not() {
    let narrow = session(10, |_, _| 100_000);
    assert_eq!(clock().should_stop(&narrow, &options(), 10), None);
    assert_eq!(clock().should_stop(&narrow, &options(), 11), Some(Stop::Precise));
    let wide = session(10, |round, subject| 100_000 + 20_000 * u64::from(round) * subject as u64);
    assert_eq!(clock().should_stop(&wide, &options(), 11), None);
    assert_eq!(clock().should_stop(&wide, &options(), MOST_ROUNDS + 1), Some(Stop::Rounds));
}

#[test]
fn a_budget_ends_it_but_not_before_three_rounds() {
    let session = session(3, |_, _| 100);
    let options = Options { budget: Some(Duration::ZERO), ..options() };
    assert_eq!(clock().should_stop(&session, &options, 3), None);
    assert_eq!(clock().should_stop(&session, &options, 4), Some(Stop::Budget));
}

#[test]
fn when_all_have_failed_there_is_nothing_to_run() {
    let mut session = session(0, |_, _| 1);
    let failure = Failure { how: How::TimedOut, round: 0, stderr: String::new() };
    session.failures.fill(Some(failure));
    assert_eq!(clock().should_stop(&session, &options(), 0), Some(Stop::Failed));
}

#[test]
fn exit_codes_can_be_ignored_but_signals_cannot() {
    let ran = |exit| Outcome::Ran(Figures { exit, ..figures(1) }, String::new());
    assert!(matches!(judge(ran(Exit::Code(1)), false), Judged::Bad(How::Ended(Exit::Code(1)), _)));
    assert!(matches!(judge(ran(Exit::Code(1)), true), Judged::Good(_)));
    assert!(matches!(judge(ran(Exit::Signal(11)), true), Judged::Bad(..)));
}
