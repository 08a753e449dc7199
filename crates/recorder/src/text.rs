//! Words and numbers in a buffer, without formatting.

/// A buffer that is filled from its front; what does not fit is left out.
pub struct Text<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl<'a> Text<'a> {
    /// An empty one.
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, len: 0 }
    }

    /// Adds bytes as they are.
    pub fn add(&mut self, bytes: &[u8]) -> &mut Self {
        let fits = bytes.len().min(self.room());
        self.bytes[self.len..self.len + fits].copy_from_slice(&bytes[..fits]);
        self.len += fits;
        self
    }

    /// Adds bytes, with a space in place of what would break a line.
    pub fn line(&mut self, bytes: &[u8]) -> &mut Self {
        let start = self.len;
        self.add(bytes);
        for byte in &mut self.bytes[start..self.len] {
            if *byte < b' ' {
                *byte = b' ';
            }
        }
        self
    }

    /// Adds a number.
    pub fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return self.add(&digits[at..]);
            }
        }
    }

    /// Adds a line `key=value`.
    pub fn pair(&mut self, key: &[u8], value: &[u8]) {
        self.add(key).add(b"=").line(value).add(b"\n");
    }

    /// Adds a word as a shell would read it: in quotes, if it is empty or has more than letters, digits and the like.
    pub fn quoted(&mut self, word: &[u8]) -> &mut Self {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"%+,-./:=@_".contains(byte);
        if !word.is_empty() && word.iter().all(|byte| is_plain(byte) || *byte > b'~') {
            return self.add(word);
        }
        self.add(b"'");
        for part in word.split_inclusive(|&byte| byte < b' ' || byte == b'\'') {
            let Some((&last, plain)) = part.split_last() else { continue };
            match last {
                b'\'' => self.add(plain).add(b"'\\''"),
                b'\n' => self.add(plain).add(b"'$'\\n''"),
                b'\t' => self.add(plain).add(b"'$'\\t''"),
                _ => self.add(part),
            };
        }
        self.add(b"'")
    }

    /// What was added.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// How much more can be added.
    pub fn room(&self) -> usize {
        self.bytes.len() - self.len
    }

    /// How much was added.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

/// The number that a text begins with.
pub fn number(text: &[u8]) -> u64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: u64, digit| {
        number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    })
}

/// The number that hexadecimal digits are.
pub fn hexadecimal(digits: &[u8]) -> usize {
    digits.iter().fold(0, |number: usize, digit| {
        number << 4 | char::from(*digit).to_digit(16).unwrap_or_default() as usize
    })
}

/// The bytes before the first zero.
pub fn before_zero(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}
