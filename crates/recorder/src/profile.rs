//! Profiles of a Rust program whose global allocator is a [`Profiled`](crate::Profiled): begun, copied while they go on, and ended, by itself.
//!
//! ```text
//! start ─► FOLDER/NAME-PID.chunks, written as the program runs ─► stop
//!                  └─► write: a copy of what there is by now          `heapwright export` makes pprof and the like of either
//! ```

use core::error::Error;
use core::ffi::CStr;
use core::fmt;

use crate::errno::Kept;
use crate::front::{self, Front};
use crate::session::Begun;
use crate::text::Text;
use crate::thread::Turn;
use crate::{clock, file, lifetime, session};

/// Bytes from one point of the sample to the next, in the mean, that cost next to nothing and tell enough of most programs.
pub const INTERVAL: usize = 512 << 10;

/// Bytes of the longest path of a folder, or of a copy.
const LONGEST: usize = 1900;

/// Why there is no profile, or no copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileError {
    /// Something of this process is recorded already.
    IsOn,
    /// Nothing is.
    IsOff,
    /// The path is not absolute, has a zero in it, or is too long.
    Path,
    /// On this processor no call stacks are recorded: there are profiles on x86-64.
    NoStacks,
    /// The file cannot be made, or its memory.
    NoFile,
    /// The copy cannot be written, for this reason of the system's.
    System(i32),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IsOn => f.write_str("something is recorded already"),
            Self::IsOff => f.write_str("no profile has begun"),
            Self::Path => write!(f, "the path is not absolute, or longer than {LONGEST} bytes"),
            Self::NoStacks => f.write_str("on this processor no call stacks are recorded"),
            Self::NoFile => f.write_str("the profile's file cannot be made in that folder"),
            Self::System(error) => {
                write!(f, "the copy cannot be written (error {error} of the system)")
            }
        }
    }
}

impl Error for ProfileError {}

/// What of a profile is decided here.
static FRONT: Front = Front { function, ..Front::NONE };

/// A function that the C library may not have.
fn function(name: &CStr) -> Option<*mut ()> {
    let address = match name {
        name if name == c"_dl_find_object" => source::address_of!("_dl_find_object"),
        name if name == c"gnu_get_libc_version" => source::address_of!("gnu_get_libc_version"),
        _ => 0,
    };
    (address != 0).then(|| core::ptr::with_exposed_provenance_mut(address))
}

/// Begins a profile with one sample for each `interval` bytes ([`INTERVAL`], if nothing speaks for another), in a new file in `folder`: the absolute
/// path of a folder that is there. A child of `fork` has no part in it; it may begin its own.
///
/// # Errors
/// There is a profile already, or the file cannot be made.
pub fn start(folder: impl AsRef<[u8]>, interval: usize) -> Result<(), ProfileError> {
    let _errno = Kept::now();
    if cfg!(not(target_arch = "x86_64")) {
        return Err(ProfileError::NoStacks);
    }
    front::set(&FRONT);
    ask(folder.as_ref(), interval, NAME, |asked| {
        if !session::prepare() {
            return Begun::No;
        }
        session::begin_as(asked, || session::start(false))
    })?;
    lifetime::end_is_told();
    Ok(())
}

/// What the malloc is called, whichever it is.
const NAME: &[u8] = b"the program's own";

/// Has a profile begun by `begins`, which is told what is asked for.
///
/// # Errors
/// The folder's path is none, there is a profile already, or it did not begin.
pub fn ask(
    folder: &[u8],
    interval: usize,
    malloc: &[u8],
    begins: impl FnOnce(&[u8]) -> Begun,
) -> Result<(), ProfileError> {
    let mut asked = [0; LONGEST + 100];
    let mut text = Text::new(&mut asked);
    text.add(b"stacks=sampled;events=sampled;interval=").number(interval.max(1) as u64);
    if !malloc.is_empty() {
        text.add(b";name=").add(malloc);
    }
    text.add(b";dir=").add(checked(folder)?);
    match begins(text.bytes()) {
        Begun::Yes => Ok(()),
        Begun::Already => Err(ProfileError::IsOn),
        Begun::No => Err(ProfileError::NoFile),
    }
}

/// Whether a profile is on. One ends by itself where its file cannot grow any more.
#[must_use]
pub fn is_on() -> bool {
    session::is_on()
}

/// Writes a copy of the profile as it is now, which goes on: a new file, or in place of the one that is there, which stays until the
/// copy is whole. Its name should end in `.chunks`.
///
/// # Errors
/// There is no profile, or the file is the profile's own, or cannot be written.
pub fn write(path: impl AsRef<[u8]>) -> Result<(), ProfileError> {
    let _errno = Kept::now();
    let mut room = [0; LONGEST + 1];
    let path = checked(path.as_ref())?;
    room[..path.len()].copy_from_slice(path);
    let path = CStr::from_bytes_until_nul(&room).map_err(|_| ProfileError::Path)?;
    if !session::is_on() {
        return Err(ProfileError::IsOff);
    }
    // Not in a signal handler that interrupted a call of ours, which has locks.
    let _turn = Turn::to_ask().ok_or(ProfileError::System(libc::EBUSY))?;
    file::copy(path).map_err(ProfileError::System)
}

/// Ends the profile, and with it its file. Nothing, where there is none.
pub fn stop() {
    let _errno = Kept::now();
    if !session::is_on() {
        return;
    }
    let Some(mut turn) = Turn::to_write() else { return };
    let (thread, time) = (turn.thread, clock::now());
    if let Some(writer) = turn.writer(time) {
        session::stop(thread, writer, time, b"the program ended it");
    }
}

fn checked(path: &[u8]) -> Result<&[u8], ProfileError> {
    let is_right = path.first() == Some(&b'/') && !path.contains(&0) && path.len() <= LONGEST;
    is_right.then_some(path).ok_or(ProfileError::Path)
}
