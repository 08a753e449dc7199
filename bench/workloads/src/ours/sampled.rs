//! What is live and what is resident, looked at now and then, without a call of malloc while the work goes on.
//!
//! Cost of a look: the clock, and three system calls to read `/proc/self/statm` (of which the second field is counted in
//! pages; on two processors it is a few pages off). Where there is no such file, the resident size is 0.

use crate::results::Results;

#[derive(Debug, Clone, Copy)]
struct Look {
    ns: u64,
    live: usize,
    resident: usize,
}

pub(super) struct Looks(Vec<Look>);

impl Looks {
    /// Room for `most`; later ones are not kept.
    pub(super) fn new(most: usize) -> Self {
        Self(Vec::with_capacity(most))
    }

    /// `live` bytes are live now; the resident size.
    pub(super) fn look(&mut self, live: usize) -> usize {
        let resident = resident();
        if self.0.len() < self.0.capacity() {
            self.0.push(Look { ns: timing::now(), live, resident });
        }
        resident
    }

    pub(super) fn print(&self, results: &mut Results) {
        for look in &self.0 {
            results.live(look.ns, look.live);
        }
    }

    pub(super) fn peak_live(&self) -> usize {
        self.0.iter().map(|look| look.live).max().unwrap_or(0)
    }

    /// The resident size over the live bytes: all looks together; the largest and the last of those looks at which at least
    /// half as much was live as ever. 0 where nothing was looked at.
    pub(super) fn resident_over_live(&self) -> (f64, f64, f64) {
        let sum = |of: fn(&Look) -> usize| self.0.iter().map(of).sum::<usize>() as f64;
        let all = sum(|look| look.resident) / sum(|look| look.live).max(1.0);
        let half = self.peak_live() / 2;
        let ratio = |look: &Look| look.resident as f64 / look.live.max(1) as f64;
        let ratios = || self.0.iter().filter(|look| look.live >= half).map(ratio);
        (all, ratios().fold(0.0, f64::max), ratios().next_back().unwrap_or(0.0))
    }
}

/// The bytes of this process that are in memory; 0 where the system does not say.
pub(crate) fn resident() -> usize {
    memory().1
}

/// The bytes of this process's addresses, and of what of them is in memory; 0 where the system does not say.
pub(crate) fn memory() -> (usize, usize) {
    let mut text = [0_u8; 128];
    // SAFETY: a null-terminated path.
    let file = unsafe { libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY) };
    if file < 0 {
        return (0, 0);
    }
    // SAFETY: all bytes of the array are writable.
    let got = unsafe { libc::read(file, text.as_mut_ptr().cast(), text.len()) };
    // SAFETY: ours, and not used again.
    unsafe { libc::close(file) };
    let text = text.get(..usize::try_from(got).unwrap_or(0)).unwrap_or_default();
    let pages = |field| pages(text, field).unwrap_or(0) * page_size();
    (pages(0), pages(1))
}

/// One of the numbers.
fn pages(statm: &[u8], field: usize) -> Option<usize> {
    let word = statm.split(|&byte| byte == b' ').nth(field)?;
    core::str::from_utf8(word).ok()?.parse().ok()
}

fn page_size() -> usize {
    // SAFETY: a question to the system.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_size_is_the_second_number() {
        let statm = b"2000 345 12 1 0 99 0\n";
        assert_eq!([pages(statm, 0), pages(statm, 1)], [Some(2000), Some(345)]);
        assert_eq!(pages(b"", 1), None);
    }

    #[test]
    fn ratios_of_looks() {
        let look = |live, resident| Look { ns: 0, live, resident };
        let looks = Looks(vec![look(10, 30), look(20, 20), look(2, 10)]);
        assert_eq!(looks.resident_over_live(), (60.0 / 32.0, 3.0, 1.0));
        assert_eq!(looks.peak_live(), 20);
        assert_eq!(Looks::new(0).resident_over_live(), (0.0, 0.0, 0.0));
    }
}
