//! A file that is written beside another one, and takes its place when it is whole: what fails leaves the older one as it was.
//!
//! ```text
//! path ─► where its links lead ─► FOLDER/now.chunks             stays until the end
//!                                 FOLDER/.heapwright-TID-TIME   written ─► renamed, or removed
//! ```

use core::ffi::CStr;

use crate::system::{self, Error};
use crate::text::Text;
use crate::{file, head};

/// Bytes of a path, with its zero.
const LONGEST: usize = 4096;

/// Has a file written that comes to the place of what is there. Errors: what is there `is_refused`, is no file, or `write` says so.
pub(crate) fn replace(
    path: &CStr,
    is_refused: impl Fn(i32) -> bool,
    write: impl FnOnce(i32) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut real = [0; LONGEST];
    let mut target = path;
    let mut before = None;
    if let Ok(there) = system::open(path, libc::O_PATH) {
        let is_ours = is_refused(there);
        let about = system::about(there);
        target = led_to(there, &mut real).unwrap_or(path);
        system::close(there);
        let about = about.ok_or(libc::EIO)?;
        match about.st_mode & libc::S_IFMT {
            _ if is_ours => return Err(libc::EBUSY),
            libc::S_IFREG => before = Some(about),
            _ => return Err(libc::EINVAL),
        }
    }
    let mut room = [0; LONGEST];
    let beside = beside(target, &mut room)?;
    let out = file::make(beside)?;
    if let Some(before) = before {
        system::give_to(out, &before);
    }
    let written = write(out);
    system::close(out);
    let done = written.and_then(|()| system::rename(beside, target));
    if done.is_err() {
        system::remove(beside);
    }
    done
}

/// The path of an open file, which is no link. `None`: the system does not say.
fn led_to(file: i32, real: &mut [u8; LONGEST]) -> Option<&CStr> {
    let mut name = [0; 32];
    Text::new(&mut name[..31]).add(b"/proc/self/fd/").number(u64::from(file.cast_unsigned()));
    let name = CStr::from_bytes_until_nul(&name).ok()?;
    let len = head::link(name, &mut real[..LONGEST - 1]).len();
    let real = CStr::from_bytes_until_nul(real).ok()?;
    (len == real.count_bytes() && real.to_bytes().starts_with(b"/")).then_some(real)
}

/// A name that no file has, in the same folder.
fn beside<'a>(path: &CStr, room: &'a mut [u8; LONGEST]) -> Result<&'a CStr, Error> {
    let path = path.to_bytes();
    let folder = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let mut text = Text::new(&mut room[..LONGEST - 1]);
    text.add(&path[..folder]).add(b".heapwright-").number(u64::from(system::thread()));
    text.add(b"-").number(system::nanoseconds(libc::CLOCK_MONOTONIC));
    CStr::from_bytes_until_nul(room).map_err(|_| libc::ENAMETOOLONG)
}
