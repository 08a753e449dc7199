//! The command line.

use core::ffi::{CStr, c_char, c_int};

/// Which pages of a new block are touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Of every page one byte, and the last byte.
    Pages,
    /// Of a large block as many pages as were resident when it was freed, where that is known.
    Recorded,
    None,
}

/// What makes the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The process's malloc.
    Plain,
    /// The same, every call timed.
    Timed,
    /// The same, every block filled and checked.
    Verified,
    /// Nothing: what is left is what this program itself takes.
    Null,
    /// The process's malloc, and where it puts each block is written down.
    Placed,
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) plan: &'static CStr,
    pub(crate) touch: Touch,
    pub(crate) mode: Mode,
    /// The file for [`Mode::Placed`].
    pub(crate) places: Option<&'static CStr>,
    /// Epochs begin no earlier than they did.
    pub(crate) is_timed: bool,
    /// Nanoseconds that the calls of a period may take.
    pub(crate) limit: Option<u64>,
}

/// The words of the command line behind the program's name.
///
/// # Safety
///
/// `argv` has `argc` strings that live as long as the process.
pub(crate) unsafe fn words(
    argc: c_int,
    argv: *const *const c_char,
) -> impl Iterator<Item = &'static CStr> {
    (1..usize::try_from(argc).unwrap_or(1)).map(move |i| {
        // SAFETY: the caller's promise; `i` is below `argc`.
        let word = unsafe { *argv.wrapping_add(i) };
        // SAFETY: the caller's promise.
        unsafe { CStr::from_ptr(word) }
    })
}

/// The libraries that are preloaded.
pub(crate) fn preloaded() -> &'static [u8] {
    // SAFETY: the name is a string, and nothing changes the environment.
    let value = unsafe { libc::getenv(c"LD_PRELOAD".as_ptr()) };
    if value.is_null() {
        return &[];
    }
    // SAFETY: it is a string that stays.
    unsafe { CStr::from_ptr(value) }.to_bytes()
}

/// What the name of the file for places follows, and the number of nanoseconds.
const PLACES: &[u8] = b"places=";
const LIMIT: &[u8] = b"limit=";

impl Options {
    pub(crate) fn parse(
        mut words: impl Iterator<Item = &'static CStr>,
    ) -> Result<Self, &'static str> {
        let plan = words.next().ok_or("no plan is named")?;
        let (touch, mode) = (Touch::Pages, Mode::Plain);
        let mut options = Self { plan, touch, mode, places: None, is_timed: false, limit: None };
        for word in words {
            match word.to_bytes() {
                b"touch=pages" => options.touch = Touch::Pages,
                b"touch=recorded" => options.touch = Touch::Recorded,
                b"touch=none" => options.touch = Touch::None,
                b"timed=1" => options.is_timed = true,
                b"tail=1" => options.mode = Mode::Timed,
                b"verify=1" => options.mode = Mode::Verified,
                b"allocator=null" => options.mode = Mode::Null,
                b"allocator=malloc" => {}
                bytes if bytes.starts_with(PLACES) => {
                    options.mode = Mode::Placed;
                    options.places =
                        CStr::from_bytes_with_nul(&word.to_bytes_with_nul()[PLACES.len()..]).ok();
                }
                bytes if bytes.starts_with(LIMIT) => {
                    let number = core::str::from_utf8(&bytes[LIMIT.len()..]).ok();
                    let number = number.and_then(|number| number.parse().ok());
                    options.limit = Some(number.ok_or("the limit is no number")?);
                }
                _ => return Err("an option that it does not have"),
            }
        }
        Ok(options)
    }
}
