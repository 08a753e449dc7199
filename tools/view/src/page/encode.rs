//! Moments as text: each cell two letters, or what it has in common with its neighbours or with the moment before; three where
//! sites are known.
//!
//! ```text
//! AB       fill × size class, age class × group of threads: 64 letters each
//! ABc      and the class of sites
//! =12.     these 12 cells are as they were a moment before
//! -12.     these 12 cells are free
//! ~12.     these 12 cells were not used until now
//! ```

use crate::class::By;
use crate::draw::class_of;
use crate::draw::level;
use crate::pictures::Frame;
use crate::rows::Spot;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// Heights of a gauge: three bits.
const LEVELS: usize = 8;

/// A cell as the page has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    Never,
    Free,
    Held([u8; 3]),
}

/// The cell's letters.
pub(super) fn code(spot: Spot, frame: &Frame) -> Code {
    match spot {
        Spot::Never => Code::Never,
        Spot::Free => Code::Free,
        Spot::Held(shade) => {
            let of = |high: u8, low: u8| LETTERS[usize::from(high & 7) * 8 + usize::from(low & 7)];
            let fill = level(shade.fill, LEVELS) as u8;
            let class = |by| class_of(&shade, frame, by);
            let [first, second] =
                [of(fill, class(By::Size)), of(class(By::Age), class(By::Thread))];
            Code::Held([first, second, of(0, class(By::Site))])
        }
    }
}

/// A moment after another, with so many letters a cell.
pub(super) fn encode(now: &[Code], before: &[Code], letters: usize) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < now.len() {
        let run = |holds: &dyn Fn(usize) -> bool| (at..now.len()).take_while(|i| holds(*i)).count();
        let same = run(&|i| before.get(i) == Some(&now[i]));
        let like = run(&|i| now[i] == now[at]);
        match now[at] {
            _ if same >= 2 || same > 0 && !matches!(now[at], Code::Held(_)) => {
                text += &format!("={same}.");
                at += same;
            }
            Code::Never => {
                text += &format!("~{like}.");
                at += like;
            }
            Code::Free => {
                text += &format!("-{like}.");
                at += like;
            }
            Code::Held(all) => {
                text.extend(all[..letters].iter().copied().map(char::from));
                at += 1;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_is_short() {
        let (held, other) = (Code::Held(*b"AbA"), Code::Held(*b"c+A"));
        let first = [held, held, other, Code::Free, Code::Free, Code::Never];
        assert_eq!(encode(&first, &[], 2), "AbAbc+-2.~1.");
        assert_eq!(encode(&first[1..], &[], 3), "AbAc+A-2.~1.");
        assert_eq!(encode(&first, &first, 2), "=6.");
        let second = [held, held, held, Code::Free, held, Code::Never];
        assert_eq!(encode(&second, &first, 2), "=2.Ab=1.Ab=1.");
    }
}
