//! `record --pid`: has a recorder that waits in a running program record for a while.

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::ErrorKind;
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
        if armed.is_on() {
            bail!("process {process} is being recorded already");
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register(signal, Arc::clone(&interrupted))?;
        }
        let folder = self.folder()?;
        armed.begin(&self.request(&folder, None)).context("the recorder cannot be asked")?;
        if self.time.is_none() {
            exit::say(&format!("recording process {process} until Ctrl-C"));
        }
        let began = Instant::now();
        let is_over = || self.time.is_some_and(|time| began.elapsed() >= time);
        while armed.is_on() && runs(process) && !is_over() && !interrupted.load(Ordering::Relaxed) {
            sleep(LOOK);
        }
        armed.end()?;
        sleep(GRACE);
        super::tell(&folder, true)?;
        Ok(ExitCode::SUCCESS)
    }
}
