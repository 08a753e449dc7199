//! Programs whose least pools are known, or nearly.

use core::fmt::Write as _;

use trace::testing::script;

use super::*;

fn needs(text: &str, names: &[&'static str]) -> Pools {
    let trace = script(text);
    pools(&trace, demand(&trace), names, &mut || ControlFlow::Continue(())).unwrap()
}

fn pool(text: &str, name: &'static str) -> Pool {
    needs(text, &[name]).needs[0].pool.unwrap()
}

/// A hundred blocks of 1,000 bytes; then every other one is freed, and one of 2,000 comes for each two that went.
fn holes() -> String {
    let mut text = String::new();
    for at in 0..100 {
        writeln!(text, "malloc a{at} 1000").unwrap();
    }
    for at in (0..100).step_by(2) {
        writeln!(text, "free a{at}").unwrap();
    }
    for at in 0..25 {
        writeln!(text, "malloc b{at} 2000").unwrap();
    }
    text
}

#[test]
fn what_is_asked_for_is_counted_at_its_peak() {
    let trace =
        script("malloc a 100\naligned b 300 64\nrealloc a c 1000\nfree b\nfree c\nmalloc d 40");
    let (demand, cut) = demand(&trace);
    let sizes = (40, 1000);
    assert_eq!(demand, Demand { calls: 6, bytes: 1300, blocks: 2, sizes });
    assert!(cut.is_none());
}

#[test]
fn blocks_that_stay_need_little_more_than_their_bytes() {
    let text: String =
        (0..100).fold(String::new(), |text, at| text + &format!("malloc a{at} 1000\n"));
    for name in ["tlsf", "first-fit", "next-fit", "best-fit", "worst-fit"] {
        let Pool { least, take, used, scattered } = pool(&text, name);
        assert!((100_000..106_000).contains(&least), "{name}: {least}");
        assert!(take > least + least / 8 && take.is_multiple_of(STEP), "{name}: {take}");
        assert!((100_000..=least).contains(&used), "{name}: {used}");
        assert!(scattered < least / 8, "{name}: {scattered}");
    }
    // A power of two for each.
    assert!(pool(&text, "buddy").least >= 100 * 1024);
    assert!(pool(&text, "half-fit").least >= 100 * 1024);
}

#[test]
fn holes_that_are_too_short_make_the_pool_half_as_long_again() {
    let text = holes();
    let Pool { least, scattered, .. } = pool(&text, "tlsf");
    assert!((145_000..160_000).contains(&least), "{least}");
    assert!(scattered > 40_000, "{scattered}");
    let trace = script(&text);
    assert_eq!(demand(&trace).0.bytes, 100_000);
}

#[test]
fn every_allocator_serves_at_the_end_and_in_the_least_pool() {
    let names: Vec<&'static str> = names().collect();
    let text = holes() + "calloc z 0\nusable z 24\nrefused 1G\nfree z\n";
    let found = needs(&text, &names);
    assert_eq!(found.needs.iter().map(|need| need.name).collect::<Vec<_>>(), names);
    for Need { name, pool } in found.needs {
        let Pool { least, take, used, .. } = pool.unwrap_or_else(|| panic!("{name} has none"));
        assert!(
            least >= 100_000 && take > least && used >= 100_000,
            "{name}: {least} {take} {used}"
        );
    }
}

#[test]
fn who_else_is_tried_changes_nothing() {
    let text = holes();
    let names: Vec<&'static str> = names().collect();
    let all = needs(&text, &names).needs;
    for need in &all {
        assert_eq!(needs(&text, &[need.name]).needs[0], *need);
    }
}

#[test]
fn the_search_can_be_ended_and_a_program_without_calls_has_a_pool() {
    let trace = script("malloc a 100");
    assert!(pools(&trace, demand(&trace), &["tlsf"], &mut || ControlFlow::Break(())).is_none());
    let empty = script("mark begin");
    let (asked, cut) = demand(&empty);
    assert_eq!((asked.calls, asked.bytes), (0, 0));
    assert!(cut.is_none());
}
