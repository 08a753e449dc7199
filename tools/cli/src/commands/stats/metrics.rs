//! `--metrics`: OpenMetrics text in a file that is replaced whole, or at a socket.
//!
//! ```text
//! connection ─► "GET …"    HTTP's head, the text         Prometheus behind a proxy, curl --unix-socket
//!           └─► nothing    the text                      socat - UNIX:PATH
//! ```

use core::convert::Infallible;
use core::str::FromStr;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Instant;

use anyhow::{Context as _, bail};
use bench::whole;
use live::{Detail, Figures, Trouble, Watched, metrics};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::{exit, out};

/// Between two looks at whether we are to end.
const LOOK: Duration = Duration::from_millis(200);
/// Within this time a client has said what it wants.
const PATIENCE: Duration = Duration::from_millis(200);
const LONGEST_REQUEST: usize = 8 << 10;
/// Processes that began meanwhile are looked for no more often.
const FIND: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Where {
    Output,
    File(PathBuf),
    Socket(PathBuf),
}

impl FromStr for Where {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match (text, text.strip_prefix("unix:")) {
            ("-", _) => Self::Output,
            (_, Some(path)) => Self::Socket(path.into()),
            _ => Self::File(text.into()),
        })
    }
}

/// The processes that were asked for, or all that are on our malloc.
struct Watch {
    watched: Vec<Watched>,
    all: bool,
    found: Instant,
}

impl Watch {
    fn of(pids: &[i32]) -> Result<Self, Trouble> {
        let watched = pids.iter().map(|&pid| Watched::find(pid)).collect::<Result<_, _>>()?;
        let mut watch = Self { watched, all: pids.is_empty(), found: Instant::now() };
        watch.find();
        Ok(watch)
    }

    /// Processes that began meanwhile.
    fn find(&mut self) {
        if !self.all {
            return;
        }
        self.found = Instant::now();
        for process in live::of_ours() {
            if !self.watched.iter().any(|watched| watched.pid == process.pid) {
                // It may be gone again.
                self.watched.extend(Watched::find(process.pid).ok());
            }
        }
    }

    /// One look at each; those that have ended are there no more.
    fn text(&mut self) -> String {
        if self.found.elapsed() >= FIND {
            self.find();
        }
        let mut seen: Vec<Figures> = Vec::new();
        self.watched.retain_mut(|watched| match watched.look(Detail::Blocks) {
            Ok(figures) => {
                seen.push(figures);
                true
            }
            Err(Trouble::Ended(_)) => false,
            // One that becomes another program can be read again a moment later.
            Err(_) => true,
        });
        metrics::text(&seen)
    }

    fn is_over(&self) -> bool {
        self.watched.is_empty() && !self.all
    }

    /// Whether one has gone since the last look: to see that costs little.
    fn has_gone(&self) -> bool {
        self.watched.iter().any(|one| !Path::new(&format!("/proc/{}", one.pid)).exists())
    }
}

pub(super) fn run(
    place: &Where,
    pids: &[i32],
    every: Option<Duration>,
) -> anyhow::Result<ExitCode> {
    let mut watch = Watch::of(pids)?;
    let ends = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&ends))?;
    }
    let over = || ends.load(Ordering::Relaxed);
    match place {
        Where::Socket(path) => serve(&mut watch, path, &over)?,
        Where::Output => written(&mut watch, every, &over, out::print)?,
        Where::File(path) => written(&mut watch, every, &over, |text| {
            whole::write(path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))
        })?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Once, or until all processes have ended. A full disk is said once, and tried again.
fn written(
    watch: &mut Watch,
    every: Option<Duration>,
    over: &dyn Fn() -> bool,
    write: impl Fn(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(every) = every else { return write(&watch.text()) };
    let mut was_said = false;
    while !over() {
        let began = Instant::now();
        let text = watch.text();
        if watch.is_over() {
            break;
        }
        match write(&text) {
            Ok(()) => was_said = false,
            Err(error) if was_said => drop(error),
            Err(error) => {
                exit::warn(&format!("{}; it is tried again", exit::said(&error)));
                was_said = true;
            }
        }
        while !over() && began.elapsed() < every {
            sleep(LOOK.min(every.saturating_sub(began.elapsed())));
        }
    }
    Ok(())
}

/// A socket that goes with us.
struct Socket<'a> {
    listener: UnixListener,
    path: &'a Path,
}

impl Drop for Socket<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.path);
    }
}

impl<'a> Socket<'a> {
    /// In the place of one that nobody listens to any more, and of nothing else.
    fn at(path: &'a Path) -> anyhow::Result<Self> {
        if let Ok(about) = fs::symlink_metadata(path) {
            if !about.file_type().is_socket() {
                bail!("{} is there, and no socket", path.display());
            }
            if UnixStream::connect(path).is_ok() {
                bail!("another process serves {}", path.display());
            }
            let _ = fs::remove_file(path);
        }
        let listener = UnixListener::bind(path)
            .with_context(|| format!("cannot make the socket {}", path.display()))?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path })
    }
}

fn serve(watch: &mut Watch, path: &Path, over: &dyn Fn() -> bool) -> anyhow::Result<()> {
    let socket = Socket::at(path)?;
    let wait = Timespec::try_from(LOOK)?;
    let mut looked = Instant::now();
    while !over() && !watch.is_over() {
        let _ = poll(&mut [PollFd::new(&socket.listener, PollFlags::IN)], Some(&wait));
        match socket.listener.accept() {
            // Who asked and has gone is no trouble of ours.
            Ok((stream, _)) => drop(answer(stream, || watch.text())),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error).context("nobody can be heard any more"),
        }
        if looked.elapsed() > FIND || watch.has_gone() {
            looked = Instant::now();
            // Whether they still run.
            watch.text();
        }
    }
    Ok(())
}

fn answer(mut stream: UnixStream, text: impl FnOnce() -> String) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while request.len() < LONGEST_REQUEST && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => break,
            Ok(got) => request.extend(&part[..got]),
        }
    }
    let (is_get, is_head) = (request.starts_with(b"GET "), request.starts_with(b"HEAD "));
    let text = text();
    if is_get || is_head {
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            metrics::CONTENT_TYPE,
            text.len()
        )?;
    } else if !request.is_empty() {
        return stream.write_all(
            b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        );
    }
    if !is_head {
        stream.write_all(text.as_bytes())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::Shutdown;
    use std::thread;

    use super::*;

    fn asked(request: &[u8]) -> String {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        let answering = thread::spawn(move || answer(theirs, || "a 1\n# EOF\n".to_owned()));
        ours.write_all(request).unwrap();
        ours.shutdown(Shutdown::Write).unwrap();
        let mut said = String::new();
        ours.read_to_string(&mut said).unwrap();
        answering.join().unwrap().unwrap();
        said
    }

    #[test]
    fn who_speaks_http_gets_it_and_who_says_nothing_the_text() {
        assert_eq!(asked(b""), "a 1\n# EOF\n");
        let said = asked(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(said.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text"));
        assert!(said.contains("Content-Length: 10\r\n") && said.ends_with("\r\n\r\na 1\n# EOF\n"));
        let head = asked(b"HEAD / HTTP/1.1\r\n\r\n");
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        assert!(asked(b"POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
    }

    #[test]
    fn a_socket_takes_the_place_of_a_dead_one_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        fs::write(&path, "x").unwrap();
        assert!(Socket::at(&path).err().unwrap().to_string().ends_with("no socket"));
        fs::remove_file(&path).unwrap();
        drop(UnixListener::bind(&path).unwrap());
        let socket = Socket::at(&path).unwrap();
        assert!(Socket::at(&path).err().unwrap().to_string().starts_with("another process serves"));
        drop(socket);
        assert!(!path.exists());
    }
}
