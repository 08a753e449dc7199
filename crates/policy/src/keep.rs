//! Free granules: how many stay, and how much goes back in one call.
//!
//! ```text
//! 0 ──────── target ──────── limit ──────── begin     limit = the larger of the floor and what is used, less the slack
//!              ▲ until here                   ▲ from here on memory goes back
//! ```
//!
//! Amounts are in any unit, the same for all of a call.
use crate::table::{DELAY_SHARE, FLOOR, MAX_FLOOR, ROOM_REST, ROOM_SHARE};

/// What the heap holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Handed out: slabs and large blocks.
    pub live: usize,
    /// In slabs, and neither the program's nor a hole.
    pub slack: usize,
    /// In slabs, and given back.
    pub holes: usize,
    /// What is kept beside the slack of a program that goes on (slack-X3, or the floor is the highest); 0: it does not.
    pub beside_slack: usize,
}

/// How much free memory stays (purge-G1, purge-G3). Slack is free memory too, and counts as that; but a program that goes on needs whole
/// pages sooner than what is left between objects.
#[inline]
pub fn limit(held: Held, floor: usize, room: usize) -> usize {
    let used = held.live.saturating_sub(held.slack + held.holes);
    floor.max(used).saturating_sub(held.slack).max(held.beside_slack).min(room)
}

/// From how much free memory on some of it goes back: somewhat above the limit, so that a program whose slack grows, which lowers
/// the limit with each free, gives back a row of granules now and then, and not one with each; but never beyond the room
/// that a memory limit leaves. `kept` is what is kept at least, and where nothing is to be kept there is no delay.
#[inline]
pub fn begin(limit: usize, kept: usize, room: usize) -> usize {
    limit.saturating_add(kept / DELAY_SHARE).min(room)
}

/// What is left once more than that was there: an eighth less, so that the next free is not
/// beyond it again.
#[inline]
pub const fn target(limit: usize) -> usize {
    limit - limit / 8
}

/// What may be free beside `live` memory where `allowed` is the limit of both (purge-G3); `usize::MAX`:
/// there is none.
#[inline]
pub fn room(live: usize, allowed: usize) -> usize {
    if allowed == usize::MAX {
        return usize::MAX;
    }
    let share = (allowed / 16 * ROOM_SHARE).saturating_sub(live);
    share.max(allowed.saturating_sub(live) / ROOM_REST)
}

/// The floor after a purge that was regretted (purge-G1), in bytes; `least` is what the user asked for.
pub fn raised(floor: usize, least: usize) -> usize {
    floor.saturating_mul(2).min(MAX_FLOOR).max(least)
}

/// Whether regret has raised the floor as far as it goes (purge-G1). The limit then leaves slack out: where there is more slack
/// than the floor no free memory would stay, however often it is needed again.
#[inline]
pub const fn is_highest(floor: usize, least: usize) -> bool {
    floor >= MAX_FLOOR && floor > least
}

/// The floor after four quiet seconds (purge-G1).
pub fn lowered(floor: usize, least: usize) -> usize {
    (floor / 2).max(least)
}

/// What stays however long nobody needs it: nothing, if the user did not ask for more than is kept in any
/// case. In bytes.
pub const fn asked_for(kept: usize) -> usize {
    if kept > FLOOR { kept } else { 0 }
}

/// The most that a call which freed `freed` gives back, of what is due; `extra` is given back at
/// all events. Twice as much, because what is freed raises what is free and lowers the limit: a
/// program that only frees is never behind by more than one call.
#[inline]
pub const fn at_once(freed: usize, extra: usize) -> usize {
    freed.saturating_mul(2).saturating_add(extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_limit_leaves_room_however_much_is_live() {
        let rooms = [0, 400, 800, 1200, 1500, 1600, 2000].map(|live| room(live, 1600));
        assert_eq!(rooms, [1100, 700, 300, 50, 12, 0, 0]);
        assert_eq!(room(1 << 40, usize::MAX), usize::MAX, "no limit");
    }

    #[test]
    fn slack_and_holes_are_not_used_and_slack_is_kept_already() {
        let held = Held { live: 100, slack: 10, holes: 20, beside_slack: 0 };
        assert_eq!(limit(held, 12, usize::MAX), 60, "100 - 30 used, 10 of it as slack");
        assert_eq!(limit(held, 200, usize::MAX), 190);
        assert_eq!(limit(held, 200, 5), 5, "a memory limit");
        let small = Held { live: 10, slack: 40, holes: 0, beside_slack: 0 };
        let busy = Held { beside_slack: 12, ..small };
        assert_eq!((limit(small, 12, 99), limit(busy, 12, 99), limit(busy, 12, 5)), (0, 12, 5));
        assert_eq!(limit(busy, 200, 999), 160, "no more than what is kept at least");
        assert_eq!((target(80), target(7), target(0)), (70, 7, 0));
    }

    #[test]
    fn memory_goes_back_from_a_twelfth_of_what_is_kept_above_the_limit() {
        assert_eq!((begin(60, 12, usize::MAX), begin(0, 24, usize::MAX)), (61, 2));
        assert_eq!((begin(60, 0, usize::MAX), begin(5, 12, 5)), (60, 5), "keep=0, a memory limit");
    }

    #[test]
    fn the_floor_doubles_and_halves_between_its_bounds() {
        let mut floor = FLOOR;
        for times in [2, 4, 8, 16] {
            floor = raised(floor, FLOOR);
            assert_eq!(floor, times * FLOOR);
        }
        assert_eq!(raised(floor, FLOOR), MAX_FLOOR);
        assert_eq!(raised(0, 2 * MAX_FLOOR), 2 * MAX_FLOOR, "what the user asked for");
        assert!(is_highest(MAX_FLOOR, FLOOR) && !is_highest(MAX_FLOOR / 2, FLOOR));
        assert!(!is_highest(2 * MAX_FLOOR, 2 * MAX_FLOOR), "nothing was regretted");
        assert_eq!((asked_for(FLOOR), asked_for(0), asked_for(2 * FLOOR)), (0, 0, 2 * FLOOR));
        assert_eq!((lowered(4 * FLOOR, FLOOR), lowered(FLOOR, FLOOR)), (2 * FLOOR, FLOOR));
    }

    #[test]
    fn who_only_frees_falls_behind_by_no_more_than_a_call() {
        // All of 4,000 is live; freed in pieces, the limit is what is live, the floor 100.
        let (mut live, mut free) = (4000_usize, 0_usize);
        while live > 0 {
            live -= 50;
            free += 50;
            let keep = live.max(100);
            free -= free.saturating_sub(keep).min(at_once(50, 8));
            assert!(free <= keep, "{live}");
        }
    }
}
