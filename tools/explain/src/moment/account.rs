//! Of what resident memory consists: each byte once, what is known best first.
//!
//! ```text
//! resident = files + own files + shared + base + own maps + asked + rounding + pinned + scattered + kept + elsewhere
//!            └ outside of the heap ────────────────────────────┘ └ live ─────┘ └ free ────────────────┘ └ what is left
//! ```

use crate::facts::{Account, Moment};
use crate::outline::Look;

/// What of the anonymous memory is not the heap's.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outside {
    /// Before the program's own blocks.
    pub(crate) base: u64,
    /// The program's own mappings, resident or not.
    pub(crate) own_maps: u64,
    /// Pages of files before the program had mapped any.
    pub(crate) code: u64,
    /// What is resident on more pages than all blocks ever lay on.
    pub(crate) beyond: u64,
}

/// From this size on a block may be a mapping of its own, of which the program has touched nothing.
const LARGE: u64 = 128 << 10;

pub(super) fn of(moment: &Moment, look: &Look, rounding: u64, outside: &Outside) -> Account {
    let mut account = Account { files: look.files, shared: look.shared, ..Account::default() };
    if moment.resident == 0 {
        // Nothing is known but what was asked for.
        (account.asked, account.rounding, account.pinned) =
            (moment.live, rounding, moment.free_in_pages);
        return account;
    }
    let mut left = moment.anon;
    let mut take = |most: u64| {
        let taken = most.min(left);
        left -= taken;
        taken
    };
    account.base = take(outside.base);
    // What is resident beyond all pages of blocks is the program's own, as far as it has mapped anything.
    account.own_maps = take(outside.own_maps.min(outside.beyond));
    let small: u64 = moment.by_size.iter().filter(|row| row.to < LARGE).map(|row| row.bytes).sum();
    account.asked = take(small);
    account.rounding = take(rounding);
    account.pinned = take(moment.free_in_pages);
    account.asked += take(moment.live - small);
    account.untouched = moment.live - account.asked;
    // Which whole pages went back is not known: what is left is shared among those that were in use.
    let whole = moment.free_in_units + moment.free_pages;
    let free = take(whole);
    account.scattered = share(free, moment.free_in_units, whole);
    account.kept = free - account.scattered;
    // Pages of files that came later are of the files that it has mapped, as far as it has mapped anything more.
    let more = outside.own_maps - outside.own_maps.min(outside.beyond);
    account.own_files = more.min(look.files.saturating_sub(outside.code));
    account.files = look.files - account.own_files;
    account.own_maps += take(more - account.own_files);
    account.elsewhere = left;
    account
}

fn share(of: u64, part: u64, whole: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    u64::try_from(u128::from(of) * u128::from(part) / u128::from(whole)).unwrap_or(of)
}
