//! Who makes a file where this process may not: the command that records, as long as it runs.
//!
//! ```text
//! this process ──► socket @heapwright-record-0123456789abcdef ──► the command makes the file in its folder
//!              key and name of the file ─►              ◄─ an error's number, and the open file
//! ```
//!
//! A program that `su`, `setpriv` or a service manager starts is another user, and may not write where the command may.

use core::ffi::CStr;
use core::mem::MaybeUninit;
use core::ptr;

use crate::session;
use crate::system::{self, Error};
use crate::text::Text;

/// What the socket is called, behind the zero of names that are no files'; then the key's first half.
const SOCKET: &[u8] = b"\0heapwright-record-";
/// How long an answer is waited for.
static PATIENCE: libc::timeval = libc::timeval { tv_sec: 2, tv_usec: 0 };
/// The message that brings one descriptor.
const ROOM: usize = 64;

/// Has a new file of this path's last name made. Errors: nobody makes it, or why not.
pub(crate) fn make(path: &CStr) -> Result<i32, Error> {
    let key = session::options().porter();
    if key.is_empty() {
        return Err(libc::EACCES);
    }
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: makes a descriptor.
    let socket = unsafe { libc::syscall(libc::SYS_socket, libc::AF_UNIX, kind, 0) };
    let socket = system::result(socket)? as i32;
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let answer = connect(socket, key).and_then(|()| ask(socket, key, name));
    system::close(socket);
    answer
}

fn connect(socket: i32, key: &[u8]) -> Result<(), Error> {
    // SAFETY: zeros are an address.
    let mut address: libc::sockaddr_un = unsafe { MaybeUninit::zeroed().assume_init() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    let name = SOCKET.iter().chain(&key[..key.len() / 2]);
    let mut len = size_of_val(&address.sun_family);
    for (place, &byte) in address.sun_path.iter_mut().zip(name) {
        *place = byte as core::ffi::c_char;
        len += 1;
    }
    let time = (libc::SO_RCVTIMEO, &raw const PATIENCE, size_of_val(&PATIENCE));
    // SAFETY: reads the time.
    unsafe {
        libc::syscall(libc::SYS_setsockopt, socket, libc::SOL_SOCKET, time.0, time.1, time.2)
    };
    // SAFETY: reads the address.
    system::result(unsafe { libc::syscall(libc::SYS_connect, socket, &raw const address, len) })
        .map(drop)
}

fn ask(socket: i32, key: &[u8], name: &[u8]) -> Result<i32, Error> {
    let mut message = [0; 256];
    let mut text = Text::new(&mut message);
    text.add(key).add(name);
    let (start, len, flags) = (text.bytes().as_ptr(), text.len(), libc::MSG_NOSIGNAL);
    // SAFETY: reads the message.
    let sent =
        unsafe { libc::syscall(libc::SYS_sendto, socket, start, len, flags, ptr::null::<u8>(), 0) };
    system::result(sent)?;
    let mut error = 0u8;
    let mut part = libc::iovec { iov_base: (&raw mut error).cast(), iov_len: 1 };
    let mut room = [0u64; ROOM / 8];
    // SAFETY: zeros are a message without parts.
    let mut answer: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    answer.msg_iov = &raw mut part;
    answer.msg_iovlen = 1;
    answer.msg_control = room.as_mut_ptr().cast();
    answer.msg_controllen = ROOM as _;
    let (place, flags) = (&raw mut answer, libc::MSG_CMSG_CLOEXEC);
    // SAFETY: writes the byte, and what comes with it into the room.
    let got = system::result(unsafe { libc::syscall(libc::SYS_recvmsg, socket, place, flags) })?;
    if got == 0 || error != 0 {
        return Err(if error == 0 { libc::EACCES } else { error.into() });
    }
    descriptor(&answer).ok_or(libc::EACCES)
}

/// The descriptor that came with an answer.
fn descriptor(answer: &libc::msghdr) -> Option<i32> {
    // SAFETY: the kernel has filled it in.
    let first = unsafe { libc::CMSG_FIRSTHDR(answer) };
    // SAFETY: null, or inside the room.
    let head = unsafe { first.as_ref() }?;
    if head.cmsg_type != libc::SCM_RIGHTS {
        return None;
    }
    // SAFETY: such a message has a descriptor.
    let at = unsafe { libc::CMSG_DATA(first) };
    // SAFETY: as above.
    Some(unsafe { at.cast::<i32>().read_unaligned() })
}
