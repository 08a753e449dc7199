//! `record --pid`: has a recorder that waits in a running program record for a while.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Instant;

use anyhow::{Context as _, bail};
use recording::{Armed, runs};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::Record;
use crate::exit;

const LOOK: Duration = Duration::from_millis(20);
/// How long threads get to see that it was called off.
const GRACE: Duration = Duration::from_millis(200);

impl Record {
    pub(super) fn attach(&self, process: u32) -> anyhow::Result<ExitCode> {
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
        let is_new = !self.output.as_ref().is_some_and(|folder| folder.exists());
        let folder = self.folder()?;
        let owner = fs::metadata(format!("/proc/{process}")).ok();
        if let (true, Some(owner)) = (is_new, &owner) {
            // If it may not be given away, the process may still be able to write there.
            let _ = chown(&folder, Some(owner.uid()), Some(owner.gid()));
        }
        let request = self.request(&folder, None, super::porter(&folder));
        armed.begin(&request).context("the recorder cannot be asked")?;
        if self.time.is_none() {
            exit::say(&format!("recording process {process} until Ctrl-C"));
        }
        let began = Instant::now();
        let is_over = || self.time.is_some_and(|time| began.elapsed() >= time);
        while armed.is_on() && runs(process) && !is_over() && !interrupted.load(Ordering::Relaxed) {
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
            if has_begun {
                bail!("process {process} has not called malloc in that time");
            }
            bail!(
                "process {process} runs as user {} and cannot write to {}; -o names another folder",
                owner.map_or(0, |owner| owner.uid()),
                folder.display()
            );
        }
        super::tell(&folder, true)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}
