use super::testing::{allocate, free};
use super::*;

fn plan(duration: u64) -> Plan {
    Plan { duration, threads: vec!["main".into(), "other".into()], ..Plan::default() }
}

#[test]
fn the_peak_is_the_step_that_the_index_names() {
    let mut gather = Gather::new(Plan { peak: Some(1), ..plan(1_000_000) });
    gather.push(&allocate(10, 0, 0x1000, 100));
    gather.push(&allocate(11, 1, 0x2000, 5000));
    gather.push(&free(12, 1, 1));
    let pictures = gather.finish();
    let peak = &pictures.frames[pictures.peak];
    assert_eq!((peak.time, peak.live, peak.blocks), (11, 5100, 2));
    assert_eq!(peak.held, 3 << 12);
    assert_eq!(pictures.asked, pictures.peak);
    let end = pictures.frames.last().unwrap();
    assert_eq!((end.time, end.live, end.blocks), (1_000_000, 100, 1));
    assert!(pictures.frames.is_sorted_by_key(|frame| frame.time));
    assert_eq!(pictures.pairs.sums[0].iter().map(|s| s.blocks).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn a_moment_shows_what_was_there_then() {
    let mut gather = Gather::new(Plan { at: Moment::Time(500), ..plan(1000) });
    for n in 0..10 {
        gather.push(&allocate(n * 100, n, n << 12, 1024));
    }
    let pictures = gather.finish();
    let asked = &pictures.frames[pictures.asked];
    assert_eq!((asked.time, asked.blocks), (500, 6), "a step at that very time has been done");
    assert_eq!(pictures.place(Moment::Share(0.25)), pictures.place(Moment::Time(250)));
    assert_eq!(pictures.place(Moment::Time(u64::MAX)), pictures.moments() - 1);
}

#[test]
fn damaged_steps_are_taken_as_they_are() {
    let mut gather = Gather::new(plan(100));
    gather.push(&free(5, 0, 77));
    gather.push(&allocate(6, 3, 0x1000, 64));
    gather.push(&allocate(4, 3, 0x5000, 64));
    let op = Op::Reallocate { old: 9, block: 10, size: u64::MAX, address: u64::MAX, frame: 0 };
    gather.push(&Step { time: 8, thread: 99, op });
    let pictures = gather.finish();
    assert_eq!(pictures.frames.last().map(|frame| frame.blocks), Some(2));
}

#[test]
fn nothing_recorded_is_a_picture_of_nothing() {
    let pictures = Gather::new(Plan::default()).finish();
    assert_eq!((pictures.moments(), pictures.peak_live()), (2, 0));
}
