//! What is missing in a recording, in sentences.

use show::number::count;
use trace::Missing;

/// A sentence for each thing that is not there, or not as it should be.
pub(crate) fn sentences(missing: &Missing) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |n: u64, one: &str, more: &str| match n {
        0 => {}
        1 => said.push(one.to_owned()),
        n => said.push(format!("{} {more}", count(n as f64))),
    };
    say(
        missing.cut,
        "One thread has no end: the program was killed, or had not ended yet.",
        "threads have no end: the program was killed, or had not ended yet.",
    );
    say(missing.dropped, "One event was not recorded.", "events were not recorded.");
    say(
        missing.chunks,
        "One chunk of 64 KiB is not in the file.",
        "chunks of 64 KiB are not in the file.",
    );
    say(
        missing.damaged,
        "One place is damaged, and left out.",
        "places are damaged, and left out.",
    );
    say(
        missing.unknown_frees,
        "One free is of an address that no allocation had returned.",
        "frees are of addresses that no allocation had returned.",
    );
    say(
        missing.double_frees,
        "One free is of a block that had been freed before.",
        "frees are of blocks that had been freed before.",
    );
    say(
        missing.unseen_frees,
        "One block was freed unseen: its address was returned again.",
        "blocks were freed unseen: their addresses were returned again.",
    );
    if let Some(damage) = missing.damages.first() {
        said.push(format!(
            "The first damaged place is at byte {}: {}.",
            damage.offset, damage.what
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_complete_needs_no_words() {
        assert!(sentences(&Missing::default()).is_empty());
        let missing = Missing { cut: 1, dropped: 12_345, ..Missing::default() };
        let said = sentences(&missing);
        assert_eq!(said.len(), 2);
        assert!(said[0].starts_with("One thread"), "{said:?}");
        assert_eq!(said[1], "12,345 events were not recorded.");
    }
}
