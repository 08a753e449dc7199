//! A column of numbers of which few are frequent: one byte for each of those, a varint beside for the others.
//!
//! ```text
//! dictionary   24 32 40 64        the frequent ones, in the front of the wide bytes
//! symbols       0  0  3 255  1    one a number; 255: the next of the wide bytes
//! wide         70000
//! ```

use std::collections::HashMap;

use trace_format::varint;

/// The number stands among the wide bytes.
const WIDE: u8 = 255;
/// Numbers below this are looked up without hashing.
const SMALL: usize = 4096;
/// About so many numbers of a column are looked at to find the frequent ones.
const LOOKED_AT: usize = 32 << 10;

/// Appends a number as a varint.
pub(crate) fn put(bytes: &mut Vec<u8>, number: u64) {
    let (digits, len) = varint::bytes(number);
    bytes.extend_from_slice(&digits[..len]);
}

/// Symbols and wide bytes of a column.
pub(crate) fn encode(numbers: &[u64]) -> (Vec<u8>, Vec<u8>) {
    let dictionary = frequent(numbers);
    let mut small = vec![WIDE; SMALL];
    let mut large = HashMap::new();
    let mut wide = Vec::new();
    put(&mut wide, dictionary.len() as u64);
    for (&number, symbol) in dictionary.iter().zip(0u8..) {
        put(&mut wide, number);
        match usize::try_from(number).ok().and_then(|at| small.get_mut(at)) {
            Some(place) => *place = symbol,
            None => _ = large.insert(number, symbol),
        }
    }
    let symbols = numbers.iter().map(|&number| {
        let symbol = match usize::try_from(number).ok().and_then(|at| small.get(at)) {
            Some(&symbol) => symbol,
            None => large.get(&number).copied().unwrap_or(WIDE),
        };
        if symbol == WIDE {
            put(&mut wide, number);
        }
        symbol
    });
    let symbols = symbols.collect();
    (symbols, wide)
}

/// At most 255 numbers that are worth a symbol, in rising order.
fn frequent(numbers: &[u64]) -> Vec<u64> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for &number in numbers.iter().step_by(numbers.len() / LOOKED_AT + 1) {
        *counts.entry(number).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().filter(|&(_, count)| count > 1).collect();
    counts.sort_unstable_by_key(|&(number, count)| (core::cmp::Reverse(count), number));
    counts.truncate(usize::from(WIDE));
    let mut numbers: Vec<u64> = counts.into_iter().map(|(number, _)| number).collect();
    numbers.sort_unstable();
    numbers
}

/// Bytes that are read as varints, one after another.
#[derive(Debug, Default)]
pub(crate) struct Varints {
    pub(crate) bytes: Vec<u8>,
    at: usize,
}

impl Varints {
    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<u64> {
        let (number, len) = varint::read(self.bytes.get(self.at..)?)?;
        self.at += len;
        Some(number)
    }

    /// The next `len` bytes as they are.
    pub(crate) fn take(&mut self, len: u64) -> Option<&[u8]> {
        let end = self.at.checked_add(usize::try_from(len).ok()?)?;
        let bytes = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(bytes)
    }
}

/// Gives back the numbers of a column.
#[derive(Debug)]
pub(crate) struct Numbers {
    pub(crate) symbols: Vec<u8>,
    pub(crate) wide: Varints,
    at: usize,
    dictionary: [u64; 256],
}

impl Default for Numbers {
    fn default() -> Self {
        Self { symbols: Vec::new(), wide: Varints::default(), at: 0, dictionary: [0; 256] }
    }
}

impl Numbers {
    /// Both have been filled: begins. `None`: the dictionary is not whole.
    pub(crate) fn rewind(&mut self) -> Option<()> {
        self.at = 0;
        self.wide.rewind();
        if self.wide.bytes.is_empty() {
            return Some(());
        }
        let len = usize::try_from(self.wide.next()?).ok()?;
        for place in self.dictionary.get_mut(..len)? {
            *place = self.wide.next()?;
        }
        Some(())
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Option<u64> {
        let symbol = *self.symbols.get(self.at)?;
        self.at += 1;
        if symbol == WIDE { self.wide.next() } else { Some(self.dictionary[usize::from(symbol)]) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Numbers, Varints, encode};

    #[test]
    fn frequent_and_rare_numbers_come_back() {
        let numbers: Vec<u64> =
            (0..100_000u64).map(|n| if n % 3 == 0 { n * n } else { 8 << (n % 50) }).collect();
        for numbers in [&numbers[..], &numbers[..1], &[], &[u64::MAX, u64::MAX, 0]] {
            let (symbols, wide) = encode(numbers);
            let wide = Varints { bytes: wide, at: 0 };
            let mut column = Numbers { symbols, wide, ..Numbers::default() };
            column.rewind().unwrap();
            for &number in numbers {
                assert_eq!(column.next(), Some(number));
            }
            assert_eq!(column.next(), None);
        }
    }
}
