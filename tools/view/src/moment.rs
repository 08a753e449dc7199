//! `--at peak|end|12.3s|40%`: the moment of a recording that is shown.

use core::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Moment {
    /// When most was live.
    #[default]
    Peak,
    /// Behind the last step.
    End,
    /// Nanoseconds since the recording began.
    Time(u64),
    /// A share of the recorded time.
    Share(f64),
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "'{text}' is no moment: peak, end, a time such as 12.3s or 500ms, or a share such as 40%"
            )
        };
        match text {
            "peak" => return Ok(Self::Peak),
            "end" => return Ok(Self::End),
            _ => {}
        }
        let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number = &text[..text.len() - unit.len()];
        let number: f64 = number.parse().map_err(|_| wrong())?;
        let by = match unit.trim() {
            "%" if number <= 100.0 => return Ok(Self::Share(number / 100.0)),
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" => 60e9,
            "h" => 3600e9,
            _ => return Err(wrong()),
        };
        Ok(Self::Time((number * by) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read() {
        assert_eq!("peak".parse(), Ok(Moment::Peak));
        assert_eq!("12.3s".parse(), Ok(Moment::Time(12_300_000_000)));
        assert_eq!("500 ms".parse(), Ok(Moment::Time(500_000_000)));
        assert_eq!("40%".parse(), Ok(Moment::Share(0.4)));
        for wrong in ["", "s", "12", "-3s", "1e3s", "101%", "1.2.3s", "soon"] {
            let error = wrong.parse::<Moment>().unwrap_err();
            assert!(error.contains("is no moment"), "{wrong}: {error}");
        }
    }
}
