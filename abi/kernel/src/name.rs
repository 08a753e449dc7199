//! The name of a cache or pool: a copy, as the caller's text may go.

use core::ffi::{CStr, c_char};
use core::fmt;

const MOST: usize = 31;

#[derive(Clone, Copy)]
pub(crate) struct Name {
    bytes: [u8; MOST],
    len: u8,
}

impl Name {
    /// A copy. `None`: `text` is null.
    /// The caller promises: `text` is null or ends in a 0.
    pub(crate) unsafe fn copy(text: *const c_char) -> Option<Self> {
        if text.is_null() {
            return None;
        }
        // SAFETY: the caller's promise.
        let text = unsafe { CStr::from_ptr(text) }.to_bytes();
        let mut name = Self { bytes: [0; MOST], len: 0 };
        for (to, from) in name.bytes.iter_mut().zip(text) {
            *to = *from;
            name.len += 1;
        }
        Some(name)
    }
}

impl Name {
    /// Its characters, up to the first that is no text.
    pub(crate) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..self.len as usize).unwrap_or_default();
        match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                core::str::from_utf8(bytes.get(..error.valid_up_to()).unwrap_or_default())
                    .unwrap_or_default()
            }
        }
    }
}

/// What is no printable character is escaped.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes.get(..self.len as usize).unwrap_or_default();
        write!(f, "{}", bytes.escape_ascii())
    }
}
