//! Ranges of addresses, of which parts come and go.

use core::ops::Range;

/// Ranges that do not overlap, in no order.
#[derive(Debug, Default)]
pub(crate) struct Ranges(Vec<Range<u64>>);

impl Ranges {
    pub(crate) fn add(&mut self, range: Range<u64>) {
        self.remove(&range);
        if !range.is_empty() {
            self.0.push(range);
        }
    }

    pub(crate) fn remove(&mut self, gone: &Range<u64>) {
        let parts = |range: &Range<u64>| {
            let before = range.start..range.end.min(gone.start.max(range.start));
            let behind = range.start.max(gone.end.min(range.end))..range.end;
            [before, behind]
        };
        self.0 = self.0.iter().flat_map(parts).filter(|range| !range.is_empty()).collect();
    }

    /// The parts of it that lie in a range.
    pub(crate) fn within(&self, of: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let (start, end) = (of.start, of.end);
        let parts = self.0.iter().map(move |range| range.start.max(start)..range.end.min(end));
        parts.filter(|range| !range.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_and_removed_in_parts() {
        let mut ranges = Ranges::default();
        ranges.add(10..20);
        ranges.add(30..40);
        ranges.remove(&(15..32));
        let all = |ranges: &Ranges| ranges.within(&(0..100)).collect::<Vec<_>>();
        assert_eq!(all(&ranges), [10..15, 32..40]);
        ranges.add(12..34);
        let mut now = all(&ranges);
        now.sort_by_key(|range| range.start);
        assert_eq!(now, [10..12, 12..34, 34..40]);
        ranges.remove(&(0..100));
        assert_eq!(all(&ranges), []);
        ranges.add(50..60);
        ranges.remove(&(70..80));
        assert!(ranges.within(&(55..57)).eq(core::iter::once(55..57)));
    }
}
