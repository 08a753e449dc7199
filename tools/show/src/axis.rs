//! An axis: from values to pixels, and where its ticks are.

use crate::number::Unit;
use crate::svg::width_of;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Evenly, from 0 where the values allow it.
    #[default]
    Even,
    Decades,
    Doublings,
}

impl Kind {
    pub fn takes(self, v: f64) -> bool {
        v.is_finite() && (self == Self::Even || v > 0.0)
    }
}

/// An axis over a range, on the pixels `from` to `to`.
#[derive(Debug, Clone, Copy)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub kind: Kind,
    pub unit: Unit,
    /// The pixel of the least value.
    pub from: f64,
    pub to: f64,
}

impl Axis {
    /// Holds all finite `values` (above 0 unless it is even); `None` when there are none.
    pub fn around(
        values: impl Iterator<Item = f64>,
        kind: Kind,
        unit: Unit,
        (from, to): (f64, f64),
    ) -> Option<Self> {
        let (mut low, mut high) = values
            .filter(|v| kind.takes(*v))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (v.min(low), v.max(high)));
        if low > high {
            return None;
        }
        if kind == Kind::Even {
            // Near 0 or far: a curve that begins at 0 is compared by its height.
            if low > 0.0 {
                low = 0.0;
            }
            if high <= low {
                high = low + 1.0;
            }
        } else if high <= low * 1.001 {
            (low, high) = (low / 1.5, high * 1.5);
        }
        Some(Self { low, high, kind, unit, from, to })
    }

    /// The same with `share` of its length more at both ends (only above, where it begins at 0).
    pub fn padded(mut self, share: f64) -> Self {
        if self.kind == Kind::Even {
            let more = (self.high - self.low) * share;
            self.high += more;
            if self.low < 0.0 {
                self.low -= more;
            }
        } else {
            let more = (self.high / self.low).powf(share);
            self.high *= more;
            self.low /= more;
        }
        self
    }

    fn place(&self, v: f64) -> f64 {
        if self.kind == Kind::Even {
            (v - self.low) / (self.high - self.low)
        } else {
            (v / self.low).ln() / (self.high / self.low).ln()
        }
    }

    /// The pixel of `v`; what is beyond an end is drawn at that end.
    pub fn at(&self, v: f64) -> f64 {
        let place = self.place(v);
        let place = if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 };
        self.from + place * (self.to - self.from)
    }

    /// At most about `most` round values within the range.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        match self.kind {
            Kind::Even => self.even_ticks(most),
            Kind::Decades => self.decade_ticks(most),
            Kind::Doublings => self.powers(2.0, most),
        }
    }

    /// Those of `ticks` whose labels of `size` do not touch each other along a horizontal axis; 1 goes before others.
    pub fn labelled(&self, ticks: &[f64], size: f64) -> Vec<f64> {
        const GAP: f64 = 6.0;
        let reach = |v: f64| {
            let half = width_of(&self.unit.tick(v), size) / 2.0;
            (self.at(v) - half, self.at(v) + half)
        };
        let one = ticks.iter().filter(|v| **v == 1.0);
        let mut kept: Vec<f64> = Vec::with_capacity(ticks.len());
        for &v in one.chain(ticks.iter().filter(|v| **v != 1.0)) {
            let (from, to) = reach(v);
            let touches = |other: &f64| {
                let (low, high) = reach(*other);
                from < high + GAP && low < to + GAP
            };
            if !kept.iter().any(touches) {
                kept.push(v);
            }
        }
        kept
    }

    fn even_ticks(&self, most: usize) -> Vec<f64> {
        let scale = match self.unit {
            Unit::Bytes => 1024_f64.powf((self.high.max(1.0).ln() / 1024_f64.ln()).floor()),
            _ => 1.0,
        };
        let rough = (self.high - self.low) / scale / most as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|m| m * power)
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(power)
            * scale;
        let first = (self.low / step).ceil();
        (0..=most * 2)
            .map(|i| (first + i as f64) * step)
            .take_while(|v| *v <= self.high + step * 1e-6)
            .collect()
    }

    fn decade_ticks(&self, most: usize) -> Vec<f64> {
        if self.high < self.low * 1.25 {
            // So narrow that hardly a round step of powers of ten lies within.
            return self.even_ticks(most);
        }
        for steps in [
            &[1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
                [..],
            &[1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 3.0],
        ] {
            let ticks = self.multiples(steps);
            if ticks.len() <= most {
                return ticks;
            }
        }
        self.powers(10.0, most)
    }

    fn multiples(&self, steps: &[f64]) -> Vec<f64> {
        let mut power = 10_f64.powf(self.low.log10().floor());
        let mut ticks = Vec::new();
        while power <= self.high && ticks.len() < 1000 {
            ticks.extend(
                steps
                    .iter()
                    .map(|m| m * power)
                    .filter(|v| (self.low * 0.9999..=self.high * 1.0001).contains(v)),
            );
            power *= 10.0;
        }
        ticks
    }

    /// Powers of `base`, every n-th of them where there are too many.
    fn powers(&self, base: f64, most: usize) -> Vec<f64> {
        let first = (self.low.ln() / base.ln() - 1e-9).ceil();
        let last = (self.high.ln() / base.ln() + 1e-9).floor();
        let step = ((last - first + 1.0) / most as f64).ceil().max(1.0);
        (0..=most)
            .map(|i| first + i as f64 * step)
            .take_while(|exponent| *exponent <= last)
            .map(|exponent| base.powf(exponent))
            .collect()
    }

    /// For the page's script: pixels, range, spread, unit.
    pub fn attribute(&self) -> String {
        let kind = match self.kind {
            Kind::Even => "even",
            Kind::Decades => "decades",
            Kind::Doublings => "doublings",
        };
        format!(
            "{},{},{:e},{:e},{kind},{}",
            self.from,
            self.to,
            self.low,
            self.high,
            self.unit.word()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(low: f64, high: f64, kind: Kind, unit: Unit) -> Axis {
        Axis::around([low, high].into_iter(), kind, unit, (0.0, 100.0)).unwrap()
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(
            axis(0.0, 10.0, Kind::Even, Unit::Number).ticks(5),
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
        let mib = 1_048_576.0;
        let bytes = axis(0.0, 90.0 * mib, Kind::Even, Unit::Bytes).ticks(5);
        assert_eq!(bytes[1], 20.0 * mib);
        assert_eq!(
            axis(16.0, 128.0, Kind::Doublings, Unit::Bytes).ticks(6),
            [16.0, 32.0, 64.0, 128.0]
        );
        assert!(axis(1.0, 1e9, Kind::Decades, Unit::Nanoseconds).ticks(6).len() <= 6);
        assert!(axis(0.4, 2.3, Kind::Decades, Unit::Ratio).ticks(6).len() >= 3);
        assert!(axis(0.92, 1.01, Kind::Decades, Unit::Ratio).ticks(7).len() >= 3);
    }

    #[test]
    fn nothing_finite_is_no_axis() {
        let around = |values: &[f64], kind| {
            Axis::around(values.iter().copied(), kind, Unit::Number, (0.0, 1.0)).is_some()
        };
        assert!(!around(&[], Kind::Even));
        assert!(!around(&[f64::NAN, f64::INFINITY], Kind::Even));
        assert!(!around(&[0.0, -1.0], Kind::Decades));
        assert!(around(&[5.0], Kind::Decades) && around(&[0.0], Kind::Even));
        let one = axis(5.0, 5.0, Kind::Decades, Unit::Number);
        assert!(one.at(f64::NAN).is_finite() && !one.ticks(5).is_empty());
    }
}
