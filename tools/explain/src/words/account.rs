//! Of what the resident memory consists, in sentences.

use show::number::{bytes, count, nanoseconds, percent};

use super::sizes;
use crate::facts::{Account, Facts, Moment, RoundingFrom, Sparse};
use crate::rules::is_sparse;

/// A part is worth a sentence from this share of the whole on.
const WORTH: f64 = 0.02;

pub(super) fn sentences(facts: &Facts) -> Vec<String> {
    let begins_late = facts.program.begins_late;
    let mut said = of(&facts.peak, "at the peak", begins_late);
    if let Some(worst) = facts.much_worse() {
        said.extend(of(worst, "when most was free and kept", begins_late));
    }
    said
}

fn of(moment: &Moment, when: &str, begins_late: bool) -> Vec<String> {
    let account = &moment.account;
    let figure = |n: u64| bytes(n as f64);
    let at = nanoseconds(moment.time as f64);
    if moment.resident == 0 {
        let (live, blocks) = (figure(moment.live), count(moment.blocks as f64));
        return vec![format!(
            "When most was live, at {at}, the program had asked for {live} in {blocks} blocks; what was resident was not \
             recorded."
        )];
    }
    let whole = moment.resident as f64;
    let worth = |n: u64| n as f64 >= whole * WORTH;
    let mut said = vec![format!(
        "Of {} resident {when}, at {at}, the program had asked for {}.",
        figure(moment.resident),
        figure(account.asked),
    )];
    if worth(account.rounding) {
        let by = match moment.rounding_from {
            RoundingFrom::Rule => "malloc's headers and rounding",
            RoundingFrom::Addresses => "malloc's headers and rounding, by how far blocks are apart",
            RoundingFrom::Estimate => "malloc's headers and rounding, as estimated",
        };
        said.push(format!("{} are {by}.", figure(account.rounding)));
    }
    if worth(account.free()) {
        said.push(free(moment));
    }
    if worth(account.mapped()) {
        said.push(format!(
            "{} the program had mapped itself{}.",
            figure(account.mapped()),
            of_files(account)
        ));
    }
    if worth(account.elsewhere) {
        said.push(format!(
            "{} are outside of all blocks: stacks, static data, huge pages, what malloc keeps for itself, mappings that were not \
             recorded.",
            figure(account.elsewhere)
        ));
    }
    let other = account.base + account.files;
    if worth(other) {
        said.push(if begins_late {
            let before = "were there before the recording began, its heap of that time and its code among them";
            format!("{} {before}.", figure(other))
        } else {
            format!("{} are its code, libraries and first data.", figure(other))
        });
    }
    // Blocks may lie where memory was resident before.
    if worth(account.untouched) && !begins_late {
        said.push(format!(
            "Another {} were asked for and never touched.",
            figure(account.untouched)
        ));
    }
    said
}

/// How much of it is files and shared memory, if that is most of it.
pub(super) fn of_files(account: &Account) -> &'static str {
    let most = account.mapped() / 2;
    match () {
        () if account.own_files > most => ", most of it files",
        () if account.shared > most => ", most of it shared memory",
        () => "",
    }
}

/// What is free, and by what it is held.
fn free(moment: &Moment) -> String {
    let account = &moment.account;
    let free = account.free();
    let text = format!("{} were free and kept", bytes(free as f64));
    let held = account.pinned + account.scattered;
    let share = held as f64 / free as f64;
    let Sparse { all, pins, .. } = &moment.sparse;
    if share < 0.1 || all.blocks == 0 {
        return text + ", in whole pages without a block.";
    }
    if !is_sparse(moment) {
        return format!(
            "{text}: {} of that among live blocks that lie close together.",
            percent(share)
        );
    }
    // One size, if it is most of them.
    let pin = pins.first().filter(|first| first.holds * 5 >= all.holds * 3).unwrap_or(all);
    // Below that a lifetime is the clock's own error.
    let others = match pin.others_lived {
        0..1000 => "were freed at once".to_owned(),
        long => format!("lived less than {}", nanoseconds(long as f64)),
    };
    let older = if pin.age > pin.others_lived.saturating_mul(4) {
        let age = nanoseconds(pin.age as f64);
        format!(", half of them older than {age}, among blocks of which half {others}")
    } else {
        String::new()
    };
    format!(
        "{text}: {} of that is held by {} blocks of {}{older}.",
        percent(share),
        count(pin.blocks as f64),
        sizes(pin.from, pin.to),
    )
}
