//! Live and resident memory over time, in as many points as a screen has columns: of each stretch the highest.

/// As many stretches as a page is wide.
const POINTS: usize = 600;

/// A stretch of time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Point {
    /// When the most was live in it.
    pub(crate) time: u64,
    /// How much that was.
    pub(crate) live: u64,
    /// What the process had resident, when that was last asked.
    pub(crate) resident: Option<u64>,
    /// What of it malloc has taken since the start.
    pub(crate) held: Option<u64>,
}

/// The curve while it is gathered.
#[derive(Debug)]
pub(crate) struct Curve {
    duration: u64,
    points: Vec<Point>,
    now: usize,
    resident: Option<u64>,
    held: Option<u64>,
}

impl Curve {
    pub(crate) fn new(duration: u64) -> Self {
        Self { duration, points: vec![Point::default()], now: 0, resident: None, held: None }
    }

    /// So much is live from `time` on.
    pub(crate) fn live(&mut self, time: u64, live: u64) {
        let share = u128::from(time) * POINTS as u128 / u128::from(self.duration.max(1));
        let at = (share as usize).min(POINTS - 1);
        // Times may go back by the little that two processors' clocks differ by.
        if at > self.now {
            let (resident, held) = (self.resident, self.held);
            self.points.push(Point { time, live, resident, held });
            self.now = at;
        }
        if let Some(point) = self.points.last_mut() {
            if live >= point.live {
                (point.time, point.live) = (time, live);
            }
            (point.resident, point.held) = (self.resident, self.held);
        }
    }

    /// The process has so much resident, of which so much is malloc's.
    pub(crate) fn resident(&mut self, time: u64, live: u64, resident: u64, held: Option<u64>) {
        (self.resident, self.held) = (Some(resident), held);
        self.live(time, live);
    }

    /// Malloc holds so much.
    pub(crate) fn held(&mut self, time: u64, live: u64, held: u64) {
        self.held = Some(held);
        self.live(time, live);
    }

    /// All of it, with what is live at the end.
    pub(crate) fn finish(mut self, live: u64) -> Vec<Point> {
        let (resident, held) = (self.resident, self.held);
        self.points.push(Point { time: self.duration, live, resident, held });
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_stays_and_the_points_are_few() {
        let mut curve = Curve::new(1_000_000);
        for time in 0..1_000_000u64 {
            curve.live(time, if time == 777_777 { 1 << 30 } else { time % 100 });
            if time == 500_000 {
                curve.resident(time, 5, 4096, Some(100));
            }
        }
        let points = curve.finish(3);
        assert!(points.len() <= POINTS + 1);
        assert!(points.iter().any(|p| (p.time, p.live) == (777_777, 1 << 30)));
        assert_eq!(points.first().map(|p| p.resident), Some(None));
        assert_eq!(
            points.last().map(|p| (p.time, p.live, p.resident)),
            Some((1_000_000, 3, Some(4096)))
        );
    }
}
