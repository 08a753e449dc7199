//! Another process of this program, watched: what it says, how it ends, and that it ends.
use core::time::Duration;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// It found something wrong and said what.
    Failed(String),
    Signal(i32),
    Code(i32),
    /// It said nothing for too long and was killed.
    Hung,
}

impl core::fmt::Display for End {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            End::Failed(message) => f.write_str(message),
            End::Signal(signal) => write!(f, "ended by signal {signal}"),
            End::Code(code) => write!(f, "ended with code {code}"),
            End::Hung => f.write_str("hangs"),
        }
    }
}

/// Runs this program with `words`; `line` hears every line it prints. `Ok` when it ended well.
/// Errors: how it ended otherwise; `Err(Err)` when it could not be started.
pub(crate) fn run(
    words: &[OsString],
    timeout: Duration,
    quiet: bool,
    mut line: impl FnMut(&str),
) -> Result<(), Result<End, std::io::Error>> {
    let program = std::env::current_exe().map_err(Err)?;
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped());
    if quiet {
        command.stderr(Stdio::null());
    }
    let mut child = command.spawn().map_err(Err)?;
    let (lines, reader) = listen(&mut child);
    let mut failed = None;
    let mut heard = Instant::now();
    let hung = loop {
        match lines.recv_timeout(timeout.saturating_sub(heard.elapsed())) {
            Ok(text) => {
                heard = Instant::now();
                match text.strip_prefix("failed ") {
                    Some(message) => failed = Some(message.to_string()),
                    None => line(&text),
                }
            }
            Err(RecvTimeoutError::Disconnected) => break false,
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                break true;
            }
        }
    };
    let status = child.wait().map_err(Err)?;
    let _ = reader.join();
    let end = end(status, failed);
    match (hung, end) {
        (true, _) => Err(Ok(End::Hung)),
        (false, Some(end)) => Err(Ok(end)),
        (false, None) => Ok(()),
    }
}

fn listen(child: &mut Child) -> (Receiver<String>, std::thread::JoinHandle<()>) {
    let out = child.stdout.take();
    let (send, lines) = channel();
    let reader = std::thread::spawn(move || {
        let Some(out) = out else { return };
        for text in BufReader::new(out).lines().map_while(Result::ok) {
            if send.send(text).is_err() {
                return;
            }
        }
    });
    (lines, reader)
}

fn end(status: ExitStatus, failed: Option<String>) -> Option<End> {
    match (failed, status.signal(), status.code()) {
        (Some(message), _, _) => Some(End::Failed(message)),
        (None, Some(signal), _) => Some(End::Signal(signal)),
        (None, None, Some(0)) => None,
        (None, None, code) => Some(End::Code(code.unwrap_or(-1))),
    }
}
