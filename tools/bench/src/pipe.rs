//! Reading from pipes without waiting for one of them: whoever writes to the other must not be held up.
//!
//! What is kept of a stream is bounded, however much comes.

use core::time::Duration;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read};

/// No more than this is read from one pipe before the clock and the other pipes have their turn.
const AT_ONCE: usize = 2 << 20;

/// Which part of what comes through a pipe is kept.
#[derive(Clone, Copy)]
pub(crate) enum Keep {
    First(usize),
    Last(usize),
}

/// The read end of a pipe.
pub(crate) struct Stream {
    fd: OwnedFd,
    keep: Keep,
    held: VecDeque<u8>,
    closed: bool,
}

impl Stream {
    pub(crate) fn new(fd: OwnedFd, keep: Keep) -> io::Result<Self> {
        fcntl_setfl(&fd, fcntl_getfl(&fd)? | OFlags::NONBLOCK)?;
        Ok(Self { fd, keep, held: VecDeque::new(), closed: false })
    }

    /// Whether nobody can write any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether the last byte that came ends a line.
    pub(crate) fn ends_with_a_line(&self) -> bool {
        self.held.back() == Some(&b'\n')
    }

    /// Reads what is there, but not for ever from one who keeps writing.
    pub(crate) fn read_what_is_there(&mut self) {
        let mut buffer = [0_u8; 1 << 16];
        let mut taken = 0;
        while !self.closed && taken < AT_ONCE {
            match read(&self.fd, &mut buffer) {
                Ok(0) => self.closed = true,
                Ok(n) => {
                    self.hold(&buffer[..n]);
                    taken += n;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.closed = true,
            }
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        match self.keep {
            Keep::First(most) => {
                let room = most.saturating_sub(self.held.len());
                self.held.extend(bytes.iter().take(room));
            }
            Keep::Last(most) => {
                self.held.extend(bytes);
                let excess = self.held.len().saturating_sub(most);
                self.held.drain(..excess);
            }
        }
    }

    /// What was kept.
    pub(crate) fn text(&mut self) -> String {
        String::from_utf8_lossy(self.held.make_contiguous()).into_owned()
    }
}

/// Waits until one of `streams` has something to read or is closed, or for `most`. Those that are closed are not waited
/// for.
pub(crate) fn wait(streams: &[&Stream], most: Duration) -> io::Result<()> {
    let mut fds: Vec<PollFd<'_>> = streams
        .iter()
        .filter(|stream| !stream.closed)
        .map(|stream| PollFd::from_borrowed_fd(stream.fd.as_fd(), PollFlags::IN))
        .collect();
    let most = Timespec::try_from(most).map_err(io::Error::other)?;
    match poll(&mut fds, Some(&most)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
