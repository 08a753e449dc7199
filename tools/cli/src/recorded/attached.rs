//! `--pid`: has a recorder that waits in a running program record for a while.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Instant;

use anyhow::{Context as _, bail};
use recording::{Armed, Request, runs, written_by};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::To;
use crate::exit;

const LOOK: Duration = Duration::from_millis(20);
/// How long threads get to see that it was called off.
const GRACE: Duration = Duration::from_millis(200);

/// Has the recorder in a process record, asked for what `request` says of the folder, for a time or until Ctrl-C. The folder, which has
/// something in it.
pub(crate) fn attach(
    process: u32,
    time: Option<Duration>,
    to: To<'_>,
    request: impl FnOnce(&Path) -> Request,
) -> anyhow::Result<PathBuf> {
    let armed = match Armed::find(process) {
        Ok(Some(armed)) => armed,
        Ok(None) => bail!(
            "no recorder waits in process {process}: it has to be started by 'heapwright run --armed'"
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("there is no process {process}")
        }
        Err(error) => {
            return Err(error).with_context(|| format!("cannot reach process {process}"));
        }
    };
    // Who has it recorded may have been killed, and called nothing off.
    if armed.is_taken(10 * LOOK) {
        bail!("process {process} is being recorded already");
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register(signal, Arc::clone(&interrupted))?;
    }
    let is_new = !to.output.is_some_and(|folder| folder.exists());
    let folder = to.folder()?;
    let owner = fs::metadata(format!("/proc/{process}")).ok();
    if let (true, Some(owner)) = (is_new, &owner) {
        // If it may not be given away, the process may still be able to write there.
        let _ = chown(&folder, Some(owner.uid()), Some(owner.gid()));
    }
    let mut request = request(&folder);
    request.porter = super::porter(&folder);
    let before: Vec<PathBuf> = files(&folder).collect();
    armed.begin(&request).context("the recorder cannot be asked")?;
    if time.is_none() {
        exit::say(&format!("recording process {process} until Ctrl-C"));
    }
    let (mut since, mut is_there) = (Instant::now(), false);
    while armed.is_on() && runs(process) && !interrupted.load(Ordering::Relaxed) {
        // The time begins with the recording: on a busy machine its file may be made much later.
        let new: Vec<PathBuf> = files(&folder).filter(|file| !before.contains(file)).collect();
        if !is_there && !new.is_empty() {
            is_there = new.iter().any(|file| trace::began(file).is_some());
            since = Instant::now();
        } else if time.is_some_and(|time| since.elapsed() >= time) {
            break;
        }
        sleep(LOOK);
        armed.beat()?;
    }
    let has_begun = armed.is_on() || !is_empty(&folder);
    armed.end()?;
    sleep(GRACE);
    if is_empty(&folder) {
        if is_new {
            // It is empty.
            let _ = fs::remove_dir(&folder);
        }
        if written_by(process.cast_signed()).is_some() {
            bail!(
                "process {process} has not called malloc often enough to notice that its last recording is over: try it again"
            );
        }
        if has_begun {
            bail!("process {process} has not called malloc in that time");
        }
        bail!(
            "process {process} runs as user {} and cannot write to {}; -o names another folder",
            owner.map_or(0, |owner| owner.uid()),
            folder.display()
        );
    }
    Ok(folder)
}

fn files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn is_empty(folder: &Path) -> bool {
    files(folder).next().is_none()
}
