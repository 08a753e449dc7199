//! Which look at what is resident belongs to a moment.

use crate::pictures::Frame;

/// A look is of another moment where live memory was another by more than this part of it.
const FAR_PART: u64 = 4;

/// Gives each moment the look at what is resident that is nearest to it: of the one before and the one behind, that at which
/// about as much was live.
#[derive(Debug, Default)]
pub(crate) struct Near {
    /// What was live and resident at the last look.
    last: Option<(u64, u64)>,
    /// Moments that have been given theirs.
    given: usize,
    is_peak_given: bool,
}

impl Near {
    /// A look at which so much was live.
    pub(crate) fn look(
        &mut self,
        frames: &mut [Frame],
        peak: Option<&mut Frame>,
        live: u64,
        resident: Option<u64>,
    ) {
        let now = resident.map(|resident| (live, resident));
        self.give(frames, peak, now);
        self.last = now;
    }

    /// There is no further look.
    pub(crate) fn end(&mut self, frames: &mut [Frame], peak: Option<&mut Frame>) {
        if self.last.is_some() {
            self.give(frames, peak, None);
        }
    }

    fn give(&mut self, frames: &mut [Frame], peak: Option<&mut Frame>, next: Option<(u64, u64)>) {
        let peak = peak.filter(|_| !self.is_peak_given);
        self.is_peak_given |= peak.is_some();
        for frame in frames[self.given..].iter_mut().chain(peak) {
            let far = |look: &(u64, u64)| look.0.abs_diff(frame.live);
            let nearest = self.last.into_iter().chain(next).min_by_key(far);
            let is_near = |look: &(u64, u64)| far(look) <= frame.live / FAR_PART;
            frame.resident = nearest.filter(is_near).map(|look| look.1);
        }
        self.given = frames.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_the_look_at_which_as_much_was_live() {
        let frame = |live| Frame { live, ..Frame::default() };
        let mut frames = vec![frame(0)];
        let mut near = Near::default();
        near.look(&mut frames, None, 0, Some(10));
        frames.extend([frame(100), frame(990), frame(500)]);
        near.look(&mut frames, None, 1000, Some(1500));
        frames.push(frame(1000));
        near.end(&mut frames, None);
        let resident: Vec<Option<u64>> = frames.iter().map(|frame| frame.resident).collect();
        assert_eq!(resident, [Some(10), None, Some(1500), None, Some(1500)]);
    }
}
