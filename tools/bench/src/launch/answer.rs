//! Reads the helper's line.

use super::{Error, Exit, Figures, Outcome, Program, Ran, Sample};
use crate::helper::AS_ASKED;

/// What `line` means: `ran` and the figures, `exec` and why the kernel refused, or a complaint of the helper.
pub(super) fn parse(line: &str, said: String, printed: String) -> Result<Outcome, Error> {
    let complaint = if line.is_empty() { "no answer" } else { line.trim() };
    understood(line, said, printed).ok_or_else(|| {
        // Its samples would fill the screen.
        Error::Helper(complaint.chars().take(200).collect())
    })
}

fn understood(line: &str, said: String, printed: String) -> Option<Outcome> {
    // A line without its end is one that the helper did not finish.
    let mut words = line.strip_suffix('\n')?.split(' ');
    match words.next()? {
        "exec" => {
            let errno = words.next()?.parse().ok()?;
            words.next().is_none().then_some(Outcome::NotStarted(errno))
        }
        "ran" => Some(Outcome::Ran(Box::new(ran(words.collect(), said, printed)?))),
        _ => None,
    }
}

fn ran(words: Vec<&str>, said: String, printed: String) -> Option<Ran> {
    let (numbers, rest) = words.split_at_checked(11)?;
    let numbers: Vec<u64> = parsed(numbers)?;
    let &[wall_ns, user_us, system_us, peak, floor, minor, major, gave, taken, status, began_ns] =
        numbers.as_slice()
    else {
        return None;
    };
    let (others_us, rest) = number(rest, "others")?;
    let (waited_us, rest) = number(rest, "waited")?;
    let (count, rest) = number(rest, "programs")?;
    let (programs, rest) = rest.split_at_checked(3 * usize::try_from(count.unwrap_or(0)).ok()?)?;
    let programs = programs.as_chunks::<3>().0.iter().map(program).collect::<Option<_>>()?;
    let (seen, samples) = match rest {
        [] => (0, Vec::new()),
        ["samples", numbers @ ..] => {
            let numbers: Vec<u64> = parsed(numbers)?;
            let (seen, pairs) = numbers.split_first()?;
            let (pairs, []) = pairs.as_chunks::<2>() else { return None };
            (*seen, pairs.iter().map(|&[ns, rss_bytes]| Sample { ns, rss_bytes }).collect())
        }
        _ => return None,
    };
    let figures = Figures {
        wall_ns,
        user_us,
        system_us,
        peak_rss_bytes: seen.max(peak * 1024),
        peak_rss_floor_bytes: floor * 1024,
        minor_faults: minor,
        major_faults: major,
        voluntary_switches: gave,
        involuntary_switches: taken,
        exit: exit(i32::try_from(status).ok()?),
        others_us,
        waited_us,
    };
    Some(Ran { figures, began_ns, said, printed, samples, programs })
}

/// The number behind `name`, if that comes next, and the words after it.
fn number<'a, 'b>(words: &'a [&'b str], name: &str) -> Option<(Option<u64>, &'a [&'b str])> {
    match words {
        [word, number, rest @ ..] if *word == name => Some((Some(number.parse().ok()?), rest)),
        [word] if *word == name => None,
        _ => Some((None, words)),
    }
}

fn program(&[name, malloc, us]: &[&str; 3]) -> Option<Program> {
    let malloc = (malloc != AS_ASKED).then(|| malloc.replace('_', " "));
    Some(Program { name: name.to_owned(), malloc, cpu_us: us.parse().ok()? })
}

fn parsed(words: &[&str]) -> Option<Vec<u64>> {
    words.iter().map(|w| w.parse().ok()).collect()
}

fn exit(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) {
        Exit::Signal(libc::WTERMSIG(status))
    } else {
        Exit::Code(libc::WEXITSTATUS(status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Outcome, Error> {
        parse(line, "oh".to_owned(), "text".to_owned())
    }

    fn ran(line: &str) -> Ran {
        match read(line) {
            Ok(Outcome::Ran(ran)) => *ran,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_line_of_figures() {
        let ran = ran("ran 1000 2 3 1500 900 40 1 5 6 0 77\n");
        let figures = ran.figures;
        assert_eq!((figures.wall_ns, figures.user_us, figures.system_us), (1000, 2, 3));
        assert_eq!(figures.peak_rss_bytes, 1500 * 1024);
        assert_eq!(figures.peak_rss_floor_bytes, 900 * 1024);
        assert_eq!((figures.minor_faults, figures.exit), (40, Exit::Code(0)));
        assert_eq!((figures.others_us, ran.began_ns, ran.samples.len()), (None, 77, 0));
        assert_eq!((ran.said.as_str(), ran.printed.as_str()), ("oh", "text"));
    }

    #[test]
    fn others_and_samples() {
        let with = ran("ran 1 1 1 1 1 1 1 1 1 0 9 others 20000 samples 8192 5 4096 10 2048\n");
        assert_eq!(with.figures.others_us, Some(20_000));
        assert_eq!(with.figures.peak_rss_bytes, 8192, "the peak of all together");
        let of = |s: &Sample| (s.ns, s.rss_bytes);
        assert_eq!(with.samples.iter().map(of).collect::<Vec<_>>(), [(5, 4096), (10, 2048)]);
        let seen =
            ran("ran 1 1 1 1 1 1 1 1 1 0 9 waited 7 programs 2 sh = 5 a libx.so 6 samples 3\n");
        assert_eq!((seen.figures.others_us, seen.figures.waited_us), (None, Some(7)));
        let of = |p: &Program| (p.name.clone(), p.malloc.clone(), p.cpu_us);
        let [sh, a] = seen.programs.iter().map(of).collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(sh, ("sh".to_owned(), None, 5));
        assert_eq!(a, ("a".to_owned(), Some("libx.so".to_owned()), 6));
        let small = ran("ran 1 1 1 30 1 1 1 1 1 0 9 samples 0\n");
        assert_eq!((small.figures.peak_rss_bytes, small.samples), (30 * 1024, vec![]));
    }

    #[test]
    fn ends_of_every_kind() {
        let exit_of =
            |status: i32| ran(&format!("ran 1 1 1 1 1 1 1 1 1 {status} 1\n")).figures.exit;
        assert_eq!(exit_of(3 << 8), Exit::Code(3));
        assert_eq!(exit_of(11), Exit::Signal(11));
        assert_eq!(exit_of(6 | 0x80), Exit::Signal(6), "with a core dump");
        assert_eq!(read("exec 8\n").unwrap(), Outcome::NotStarted(8));
    }

    #[test]
    fn a_helper_that_broke_is_an_error() {
        for line in [
            "",
            "ran 1 2\n",
            "failed fork: no\n",
            "exec\n",
            "exec 8 9\n",
            "ran a b c\n",
            "ran 1 1 1 1 1 1 1 1 1 0\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7",
            "ran 1 1 1 1 1 1 1 1 1 0 7 8\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 others\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 waited x\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 programs 1 sh =\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 samples\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 samples 9 5\n",
            "ran 1 1 1 1 1 1 1 1 1 0 7 samples 9 5 x\n",
        ] {
            assert!(read(line).is_err(), "{line:?}");
        }
        let long = format!("ran {}\n", "1 ".repeat(100_000));
        assert!(read(&long).unwrap_err().to_string().len() < 300);
    }
}
