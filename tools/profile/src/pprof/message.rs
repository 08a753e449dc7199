//! Protocol buffers, as far as a profile needs them: numbers, packed numbers, bytes.

#[derive(Debug, Default)]
pub(super) struct Out(pub(super) Vec<u8>);

impl Out {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.0.push((number & 0x7f) as u8);
    }

    /// A number; 0 is not written.
    pub(super) fn number(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.varint(field << 3);
            self.varint(number);
        }
    }

    pub(super) fn fixed(&mut self, field: u64, number: u64) {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn packed(&mut self, field: u64, numbers: impl Iterator<Item = u64>) {
        let mut packed = Self::default();
        numbers.for_each(|number| packed.varint(number));
        self.bytes(field, &packed.0);
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// Of four or eight bytes; a profile has none.
    Fixed,
}

impl<'a> Value<'a> {
    pub(super) fn number(self) -> u64 {
        if let Self::Number(number) = self { number } else { 0 }
    }

    pub(super) fn bytes(self) -> &'a [u8] {
        if let Self::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// Packed numbers, or a single one.
    pub(super) fn numbers(self) -> Option<Vec<u64>> {
        let mut rest = match self {
            Self::Number(number) => return Some(vec![number]),
            other => other.bytes(),
        };
        let mut numbers = Vec::new();
        while !rest.is_empty() {
            numbers.push(varint(&mut rest)?);
        }
        Some(numbers)
    }
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for at in 0..10 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(7 * at)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// The fields of a message; `None` in the place of what is none.
pub(super) fn fields(mut rest: &[u8]) -> impl Iterator<Item = Option<(u64, Value<'_>)>> {
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let field = field(&mut rest);
        if field.is_none() {
            rest = &[];
        }
        Some(field)
    })
}

fn field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let key = varint(rest)?;
    let mut take = |len: u64| {
        let (taken, after) = rest.split_at_checked(usize::try_from(len).ok()?)?;
        *rest = after;
        Some(taken)
    };
    let value = match key & 7 {
        0 => Value::Number(varint(rest)?),
        1 => take(8).map(|_| Value::Fixed)?,
        2 => {
            let len = varint(rest)?;
            let (taken, after) = rest.split_at_checked(usize::try_from(len).ok()?)?;
            *rest = after;
            Value::Bytes(taken)
        }
        5 => take(4).map(|_| Value::Fixed)?,
        _ => return None,
    };
    Some((key >> 3, value))
}
