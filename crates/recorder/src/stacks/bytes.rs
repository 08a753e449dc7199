//! Bytes of a loaded file, read one number after another: what is not there ends the reading, and nothing is read beyond.

/// A place in the bytes from an address on.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    bytes: &'static [u8],
    at: usize,
}

impl Bytes {
    pub(super) fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The address of what comes next.
    pub(super) fn address(&self) -> usize {
        self.bytes.as_ptr().addr() + self.at
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next bytes, which are passed over.
    pub(super) fn take(&mut self, len: usize) -> Option<&'static [u8]> {
        let end = self.at.checked_add(len)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// The same, to be read by themselves.
    pub(super) fn part(&mut self, len: usize) -> Option<Self> {
        self.take(len).map(Self::new)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(super) fn half(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(*self.take(2)?.first_chunk()?))
    }

    pub(super) fn word(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    pub(super) fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    /// A number of seven bits a byte.
    pub(super) fn unsigned(&mut self) -> Option<u64> {
        self.sevens().map(|(number, _, _)| number)
    }

    /// The same with a sign.
    pub(super) fn signed(&mut self) -> Option<i64> {
        let (number, bits, is_negative) = self.sevens()?;
        let sign = if is_negative && bits < u64::BITS { u64::MAX << bits } else { 0 };
        Some((number | sign).cast_signed())
    }

    fn sevens(&mut self) -> Option<(u64, u32, bool)> {
        let (mut number, mut bits) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F).checked_shl(bits).unwrap_or(0);
            bits += 7;
            if byte & 0x80 == 0 {
                return Some((number, bits, byte & 0x40 != 0));
            }
        }
    }

    /// The bytes up to a zero.
    pub(super) fn text(&mut self) -> Option<&'static [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let text = self.take(rest.iter().position(|&byte| byte == 0)?)?;
        self.byte()?;
        Some(text)
    }

    /// An address in one of the ways that compilers use for those of code. `None`: in another way.
    pub(super) fn pointer(&mut self, way: u8) -> Option<usize> {
        const RELATIVE: u8 = 0x10;
        let here = self.address();
        let number = self.number(way)?;
        match way & 0xF0 {
            0 => Some(number as usize),
            RELATIVE => Some(here.wrapping_add(number as usize)),
            _ => None,
        }
    }

    /// The number of such an address.
    pub(super) fn number(&mut self, way: u8) -> Option<u64> {
        Some(match way & 0xF {
            0 | 4 | 12 => self.long()?,
            1 => self.unsigned()?,
            2 => self.half()?.into(),
            3 => self.word()?.into(),
            9 => self.signed()?.cast_unsigned(),
            10 => i64::from(self.half()?.cast_signed()).cast_unsigned(),
            11 => i64::from(self.word()?.cast_signed()).cast_unsigned(),
            _ => return None,
        })
    }
}
