//! What happened, and command lines, in words.

use crate::session::How;

impl How {
    pub fn words(&self) -> String {
        match *self {
            Self::Ended(exit) => exit.to_string(),
            Self::NotStarted(errno) => {
                format!("could not be executed: {}", std::io::Error::from_raw_os_error(errno))
            }
            Self::TimedOut => "took longer than the time limit (--timeout sets it)".to_owned(),
            Self::NotEnded => {
                "had not ended after twice --time; a server does not end by itself: --for 20s \
                 --drive CMD starts, drives and stops it; a long program needs a longer --time"
                    .to_owned()
            }
            Self::OtherMalloc => {
                "did not run on this malloc (--force measures it all the same)".to_owned()
            }
            Self::NotDriven => {
                "is not driven: the command of --drive did not end with 0 in the time of --for"
                    .to_owned()
            }
            Self::EndedEarly => "ended by itself before the time of --for was over".to_owned(),
        }
    }
}

/// A command line that a shell reads back as the same words. shlex would also quote `a=b` and `a,b`, of which our own
/// command lines are full.
pub fn shell<S: AsRef<str>>(words: &[S]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| quote(w.as_ref())).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_would_split_is_quoted() {
        assert_eq!(shell(&["python3", "-c", "print('a b')"]), r"python3 -c 'print('\''a b'\'')'");
        assert_eq!(shell(&["./a", ""]), "./a ''");
        assert_eq!(shell(&["env", "A=1 2", "it's"]), r"env 'A=1 2' 'it'\''s'");
        assert_eq!(shell(&["-a", "heapwright,glibc", "A=1"]), "-a heapwright,glibc A=1");
    }
}
