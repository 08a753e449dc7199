//! Whether what goes back really does: some emulators take `MADV_DONTNEED` for advice, say that they followed it,
//! and leave the old contents there. Pages that are taken for zero would then hand them out.
//!
//! A page of its own is asked first, once: two system calls and a page fault more.
use core::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const HONEST: u8 = 1;
const IDLE: u8 = 2;

/// What is known of the kernel. Threads that find out at once find the same.
pub(super) struct Probe(AtomicU8);

impl Probe {
    pub(super) const fn new() -> Self {
        Self(AtomicU8::new(UNKNOWN))
    }

    /// Whether pages that went back read as zero, as far as is known.
    #[inline]
    pub(super) fn is_honest(&self, try_out: impl FnOnce() -> Option<bool>) -> bool {
        match self.0.load(Ordering::Relaxed) {
            UNKNOWN => self.find_out(try_out),
            known => known == HONEST,
        }
    }

    /// What cannot be found out now (`None`) is asked again the next time.
    #[cold]
    fn find_out(&self, try_out: impl FnOnce() -> Option<bool>) -> bool {
        let found = try_out();
        if let Some(honest) = found {
            self.0.store(if honest { HONEST } else { IDLE }, Ordering::Relaxed);
        }
        found.unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_nothing_is_asked_once() {
        let probe = Probe::new();
        assert!(probe.is_honest(|| None), "nothing is known yet");
        assert!(!probe.is_honest(|| Some(false)));
        assert!(!probe.is_honest(|| unreachable!("it is known")));
    }

    #[test]
    fn who_does_it_is_asked_once() {
        let probe = Probe::new();
        assert!(probe.is_honest(|| Some(true)));
        assert!(probe.is_honest(|| unreachable!("it is known")));
    }
}
