//! Thrift's compact form, in which Parquet says what is where: fields by rising number, each with its kind.

#![expect(
    clippy::cast_possible_truncation,
    reason = "the low seven bits are what is wanted, and lists are short"
)]

use trace_format::varint::zigzag;

/// The kinds of fields that we have.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Seven bits a byte, the lowest first.
pub(super) fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn signed(bytes: &mut Vec<u8>, number: i64) {
    varint(bytes, zigzag(number));
}

/// A struct while its fields are written.
#[derive(Debug, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// The begin of a field: how much further its number is, and its kind.
    fn field(&mut self, number: u8, kind: u8) {
        self.bytes.push((number - self.last) << 4 | kind);
        self.last = number;
    }

    /// A number of 32 bits, or one of an enumeration.
    pub(super) fn number(mut self, field: u8, number: i64) -> Self {
        self.field(field, I32);
        signed(&mut self.bytes, number);
        self
    }

    /// A number of 64 bits.
    pub(super) fn long(mut self, field: u8, number: i64) -> Self {
        self.field(field, I64);
        signed(&mut self.bytes, number);
        self
    }

    pub(super) fn text(mut self, field: u8, text: &str) -> Self {
        self.field(field, BINARY);
        self.put(text);
        self
    }

    fn put(&mut self, text: &str) {
        varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    pub(super) fn part(mut self, field: u8, part: Self) -> Self {
        self.field(field, STRUCT);
        self.bytes.extend(part.finish());
        self
    }

    fn begin_list(&mut self, field: u8, kind: u8, len: usize) {
        self.field(field, LIST);
        if len < 15 {
            self.bytes.push((len as u8) << 4 | kind);
        } else {
            self.bytes.push(0xF0 | kind);
            varint(&mut self.bytes, len as u64);
        }
    }

    pub(super) fn list(mut self, field: u8, parts: Vec<Self>) -> Self {
        self.begin_list(field, STRUCT, parts.len());
        for part in parts {
            self.bytes.extend(part.finish());
        }
        self
    }

    pub(super) fn numbers(mut self, field: u8, numbers: &[i64]) -> Self {
        self.begin_list(field, I32, numbers.len());
        numbers.iter().for_each(|number| signed(&mut self.bytes, *number));
        self
    }

    pub(super) fn texts(mut self, field: u8, texts: &[&str]) -> Self {
        self.begin_list(field, BINARY, texts.len());
        texts.iter().for_each(|text| self.put(text));
        self
    }

    /// Its bytes, with the end.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_say_how_much_further_they_are() {
        let inner = Struct::new().text(1, "ab");
        let bytes = Struct::new().number(1, -1).long(4, 150).part(5, inner).numbers(6, &[3]);
        let expected = [0x15, 1, 0x36, 0xAC, 2, 0x1C, 0x18, 2, b'a', b'b', 0, 0x19, 0x15, 6, 0];
        assert_eq!(bytes.finish(), expected);
        let long = Struct::new().list(1, (0..20).map(|_| Struct::new()).collect()).finish();
        assert_eq!(long[..3], [0x19, 0xFC, 20]);
    }
}
