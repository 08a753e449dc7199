//! `--for` and `--drive`: the program is a server, which does not end by itself.

use core::time::Duration;
use std::ffi::OsString;

use bench::measured::Service;
use clap::Args;

use super::rounds::duration;

#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct ServeFlags {
    /// The program is a server: stop it after this time (SIGTERM, five seconds later SIGKILL). Its memory and processor time
    /// are measured; with --drive that is the longest time
    #[arg(id = "for", long = "for", value_name = "TIME", value_parser = duration)]
    time: Option<Duration>,

    /// A command for the shell that uses the server: started again until it ends with 0, then the server is stopped. Its time is
    /// the wall time. It runs on its own malloc, and is in no figure of memory or processor time
    #[arg(long, value_name = "CMD", requires = "for")]
    drive: Option<OsString>,
}

impl ServeFlags {
    pub(crate) fn service(&self) -> Option<Service> {
        self.time.map(|time| Service { time, driver: self.drive.clone() })
    }
}
