use super::pace::Pace;
use super::*;
use crate::definition::Group;
use crate::testing::{self, options};

const OWN: WorkloadIndex = WorkloadIndex(0);
const GLIBC: SubjectIndex = SubjectIndex(0);

fn session(rounds: u32, wall: impl Fn(u32, SubjectIndex) -> u64) -> Session {
    testing::session(&["x"], rounds, wall)
}

fn pace(budget: Option<Duration>) -> Pace {
    Pace::new(budget, vec![Duration::from_secs(1)])
}

#[test]
fn glibc_is_the_baseline_and_runs_twice_and_null_is_last() {
    let subjects = line_up(vec![Allocator::preloaded("a", "/a.so"), Allocator::glibc()], true);
    let roles: Vec<_> = subjects.iter().map(|s| (s.name.as_str(), s.role)).collect();
    assert_eq!(
        roles,
        [
            ("a", Role::Contender),
            ("glibc", Role::Baseline),
            ("glibc again", Role::Control),
            ("null", Role::Floor)
        ]
    );
    let without = line_up(vec![Allocator::preloaded("a", "/a.so")], false);
    assert_eq!(without[0].role, Role::Baseline);
    assert_eq!(without[1].name, "a again");
}

#[test]
fn a_column_leaves_out_the_warm_up_and_keeps_the_gaps() {
    let mut session = session(3, |round, _| u64::from(round) * 1_000_000_000);
    session.runs.retain(|r| !(r.round == 2 && r.allocator == SubjectIndex(1)));
    assert_eq!(session.column(OWN, GLIBC, wall_seconds), [Some(1.0), Some(2.0), Some(3.0)]);
    assert_eq!(session.column(OWN, SubjectIndex(1), wall_seconds), [Some(1.0), None, Some(3.0)]);
}

#[test]
fn starved_runs_count_only_when_few_others_are_left() {
    let mut session = session(4, |_, _| 1_000_000_000);
    session.runs.iter_mut().find(|r| r.round == 2 && r.allocator == GLIBC).unwrap().starved = true;
    assert_eq!(session.column(OWN, GLIBC, wall_seconds)[1], None);
    for run in session.runs.iter_mut().filter(|r| r.allocator == GLIBC) {
        run.starved = run.round != 1;
    }
    assert!(session.counts_starved(OWN));
    assert_eq!(session.column(OWN, GLIBC, wall_seconds)[1], Some(1.0));
    let run = &mut session.runs[0];
    (run.figures.user_us, run.figures.system_us) = (300_000, 200_000);
    assert_eq!(session.seconds(OWN)(&session.runs[0]), Some(0.5), "wall time is not used");
}

#[test]
fn the_rounds_asked_for_are_exact() {
    let options = Options { rounds: Some(5), ..options() };
    let stop = |rounds| pace(None).should_stop(&session(rounds, |_, _| 100), &options, OWN);
    assert_eq!((stop(4), stop(5)), (None, Some(Stop::Rounds)));
}

#[test]
fn narrow_intervals_end_it_after_ten_rounds_and_wide_ones_do_not() {
    let stop = |session: &Session| pace(None).should_stop(session, &options(), OWN);
    assert_eq!(stop(&session(9, |_, _| 100_000)), None);
    assert_eq!(stop(&session(10, |_, _| 100_000)), Some(Stop::Precise));
    let wide =
        |round, subject: SubjectIndex| 100_000 + 20_000 * u64::from(round) * subject.0 as u64;
    assert_eq!(stop(&session(10, wide)), None);
    assert_eq!(stop(&session(MOST_ROUNDS, wide)), Some(Stop::Rounds));
}

#[test]
fn a_budget_ends_it_within_a_tenth() {
    let options = options();
    let stop = |group, rounds, budget| {
        let mut session = session(rounds, |_, _| 100);
        session.workloads[0].group = group;
        let pace = pace(Some(Duration::from_millis(budget)));
        pace.should_stop(&session, &options, OWN)
    };
    // A round takes a second.
    for (rounds, budget, goes_on) in
        [(0, 950, true), (2, 950, true), (3, 950, false), (0, 850, false), (3, 5000, true)]
    {
        let is_going = stop(Group::Ours, rounds, budget).is_none();
        assert_eq!(is_going, goes_on, "{rounds} rounds of {budget} ms");
    }
    assert_eq!(stop(Group::Own, 0, 1), None, "nobody knew how long it takes");
    assert_eq!(stop(Group::Own, 1, 1), Some(Stop::Budget));
}

#[test]
fn when_all_have_failed_there_is_nothing_to_run() {
    let mut session = session(0, |_, _| 1);
    let failure = Failure { how: How::TimedOut, round: 0, stderr: String::new() };
    session.failures[0].fill(Some(failure));
    assert_eq!(pace(None).should_stop(&session, &options(), OWN), Some(Stop::Failed));
}

/// The same program twice; the first had nine times the second's time, and there is a minute left.
fn two(rounds: u32, budget: Option<Duration>) -> (Session, Pace) {
    let Session { workloads, subjects, runs, .. } = session(rounds, |_, _| 100_000);
    let mut both = Session::new([&workloads[..], &workloads[..]].concat(), subjects);
    (both.runs, both.rounds) = (runs, vec![rounds; 2]);
    let mut pace = Pace::new(budget, vec![Duration::ZERO; 2]);
    for (w, seconds) in both.workload_indices().zip([90, 10]) {
        pace.took(w, Pass::Time, Duration::from_secs(seconds));
        pace.took(w, Pass::Memory, Duration::from_secs(1));
    }
    (both, pace)
}

/// Which of the two run a round next, by number.
fn chosen((session, pace): &(Session, Pace), options: &Options) -> Vec<usize> {
    let going: Vec<WorkloadIndex> = session.workload_indices().collect();
    pace.next(session, options, &going).iter().map(|w| w.0).collect()
}

#[test]
fn with_a_budget_who_had_less_time_runs_alone_once_both_have_ten_rounds() {
    let minute = Some(Duration::from_secs(60));
    assert_eq!(chosen(&two(10, minute), &options()), [1]);
    assert_eq!(chosen(&two(9, minute), &options()), [0, 1]);
    let mut measured = two(10, minute);
    measured.0.rounds[0] = 9;
    assert_eq!(chosen(&measured, &options()), [0, 1]);
    assert_eq!(measured.1.next(&measured.0, &options(), &[WorkloadIndex(0)]), [WorkloadIndex(0)]);
}

#[test]
fn all_run_alike_without_a_budget_with_fixed_rounds_and_when_it_is_spent() {
    let fixed = Options { rounds: Some(20), ..options() };
    assert_eq!(chosen(&two(10, Some(Duration::from_secs(60))), &fixed), [0, 1]);
    for budget in [None, Some(Duration::ZERO)] {
        assert_eq!(chosen(&two(10, budget), &options()), [0, 1], "{budget:?}");
    }
}
