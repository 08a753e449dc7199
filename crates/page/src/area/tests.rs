use source::os::Os;
use source::{Failing, PageSource};

use super::*;

fn reserved(source: &impl PageSource, steps: usize) -> Area {
    let area = Area::new();
    let at = source.reserve(steps * STEP, STEP).expect("address space");
    area.place(at, at + steps * STEP, true);
    area
}

fn touch(area: &Area, at: usize) {
    let byte = core::ptr::with_exposed_provenance_mut::<u8>(area.at() + at);
    // SAFETY: the test asks for usable bytes only.
    unsafe { byte.write(1) };
}

#[test]
fn it_grows_in_steps_to_its_end_and_not_beyond() {
    let area = reserved(&Os, 4);
    assert_eq!(area.usable(), 0);
    assert!(area.grow(&Os, 1));
    assert_eq!(area.usable(), STEP);
    assert!(area.grow(&Os, 3 * STEP + 1));
    assert_eq!(area.usable(), 4 * STEP);
    touch(&area, 4 * STEP - 1);
    assert!(!area.grow(&Os, 4 * STEP + 1));
}

#[test]
fn what_was_given_up_is_claimed_again() {
    let area = reserved(&Os, 8);
    assert!(area.grow(&Os, STEP));
    area.give_up(&Os, STEP);
    // One step is still held; the rest is anybody's.
    assert!(area.grow(&Os, 6 * STEP));
    assert_eq!(area.usable(), 6 * STEP);
    touch(&area, 6 * STEP - 1);
}

#[test]
fn addresses_that_somebody_took_meanwhile_are_left_alone() {
    let area = reserved(&Os, 8);
    assert!(area.grow(&Os, STEP));
    area.give_up(&Os, 0);
    assert_eq!(Os.claim(area.at() + 2 * STEP, STEP), Claim::Ours);
    assert!(area.grow(&Os, 2 * STEP));
    assert!(!area.grow(&Os, 3 * STEP));
    assert_eq!(area.usable(), 2 * STEP);
}

#[test]
fn a_refused_step_changes_nothing() {
    let source = Failing::new(Os);
    let area = reserved(&source, 4);
    for given_up in [false, true] {
        source.fail_from(1);
        assert!(!area.grow(&source, area.usable() + STEP));
        source.fail_from(0);
        let before = area.usable();
        assert!(area.grow(&source, before + STEP));
        assert_eq!(area.usable(), before + STEP);
        if !given_up {
            area.give_up(&source, 0);
        }
    }
}
