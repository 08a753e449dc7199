//! Reading from pipes without waiting for one of them: whoever writes to the other must not be held up.
//!
//! What is kept of a stream is bounded, however much comes.

use core::time::Duration;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::{Errno, read};
use rustix::pipe::fcntl_setpipe_size;

/// No more than this is read from one pipe before the clock and the other pipes have their turn.
const AT_ONCE: usize = 2 << 20;

/// Which part of what comes through a pipe is kept.
#[derive(Debug, Clone, Copy)]
pub enum Keep {
    First(usize),
    Last(usize),
}

impl Keep {
    pub const ALL: Self = Self::First(usize::MAX);
}

/// The read end of a pipe, and what was kept of what came through it.
#[derive(Debug)]
pub struct Stream {
    /// `None`: nobody can write any more.
    fd: Option<OwnedFd>,
    keep: Keep,
    held: VecDeque<u8>,
}

impl Stream {
    /// Of this read end; without one nothing will come.
    pub fn new(fd: Option<OwnedFd>, keep: Keep) -> Self {
        // Reading from one that cannot be set would wait.
        let is_set = |fd: &OwnedFd| {
            fcntl_getfl(fd).and_then(|flags| fcntl_setfl(fd, flags | OFlags::NONBLOCK)).is_ok()
        };
        Self { fd: fd.filter(is_set), keep, held: VecDeque::new() }
    }

    pub fn is_closed(&self) -> bool {
        self.fd.is_none()
    }

    /// Makes the pipe hold `bytes` before who writes has to wait, if the system allows it.
    pub fn widen(&self, bytes: usize) {
        let _ = self.fd.as_ref().map(|fd| fcntl_setpipe_size(fd, bytes));
    }

    /// Whether the last byte that came ends a line.
    pub fn ends_with_a_line(&self) -> bool {
        self.held.back() == Some(&b'\n')
    }

    /// Reads what is there, but not for ever from one who keeps writing.
    pub fn read_what_is_there(&mut self) {
        let mut buffer = [0_u8; 1 << 16];
        let mut taken = 0;
        while let Some(fd) = self.fd.as_ref().filter(|_| taken < AT_ONCE) {
            match read(fd, &mut buffer) {
                Ok(n @ 1..) => {
                    self.hold(&buffer[..n]);
                    taken += n;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Ok(0) | Err(_) => self.fd = None,
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

    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.held.make_contiguous()).into_owned()
    }

    /// The lines that came since the last time; one that is not at its end yet comes with the next ones, or at the end of all.
    pub fn take_lines(&mut self) -> Vec<String> {
        let is_over = self.is_closed();
        let end = self.held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = if is_over { self.held.len() } else { end };
        let bytes: Vec<u8> = self.held.drain(..end).collect();
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    }
}

/// Waits until one of `streams` has something to read or is closed, or for `most`. Those that are closed are not waited
/// for.
pub fn wait(streams: &[&Stream], most: Duration) -> io::Result<()> {
    wait_also(None, streams, most)
}

/// The same, or until `other` is readable.
pub(crate) fn wait_also(
    other: Option<BorrowedFd<'_>>,
    streams: &[&Stream],
    most: Duration,
) -> io::Result<()> {
    let open = streams.iter().filter_map(|stream| stream.fd.as_ref());
    let mut fds: Vec<PollFd<'_>> = other
        .into_iter()
        .chain(open.map(|fd| fd.as_fd()))
        .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN))
        .collect();
    // What the system has no number for is for ever.
    let most = Timespec::try_from(most).ok();
    match poll(&mut fds, most.as_ref()) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Write as _, pipe};

    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_lines_come_whole() {
        let streams = [Keep::First(3), Keep::Last(3), Keep::ALL].map(|keep| {
            let (read, mut write) = pipe().unwrap();
            write.write_all(b"one\ntwo").unwrap();
            (Stream::new(Some(read.into()), keep), write)
        });
        let [first, last, all] = streams.map(|(mut stream, write)| {
            stream.read_what_is_there();
            assert!(!stream.is_closed());
            (stream, write)
        });
        assert_eq!([first, last].map(|(mut stream, _)| stream.text()), ["one", "two"]);
        let (mut all, write) = all;
        assert_eq!((all.take_lines(), all.take_lines()), (vec!["one".to_owned()], vec![]));
        drop(write);
        wait(&[&all], Duration::MAX).unwrap();
        all.read_what_is_there();
        assert!(all.is_closed());
        assert_eq!(all.take_lines(), ["two"]);
    }
}
