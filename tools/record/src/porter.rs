//! Makes files for processes that may not: a program that is started as another user is recorded, too.
//!
//! ```text
//! recorder ──► @heapwright-record-0123456789abcdef ──► DIR/NAME-PID.chunks made
//!          key, name of the file        an error's number, and the open file ◄──┘     abi/interpose has the other end
//! ```

use core::fmt::Write as _;
use core::mem::MaybeUninit;
use core::time::Duration;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType, accept_with, bind, listen, recv, sendmsg, socket_with,
};

/// Bytes of a key, of which half name the socket and all are what a recorder has to know.
const KEY: usize = 16;
/// How long a recorder may take for its question.
const PATIENCE: Duration = Duration::from_secs(1);

/// Has files made in a folder, for those who know the key.
#[derive(Debug)]
pub struct Porter {
    socket: OwnedFd,
    key: String,
    folder: PathBuf,
}

impl Porter {
    /// Files will be made in this folder.
    /// Errors: there is no socket to be had.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let mut bytes = [0; KEY];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let key = bytes.iter().fold(String::new(), |mut key, byte| {
            // A string takes all that is written to it.
            let _ = write!(key, "{byte:02x}");
            key
        });
        let name = format!("heapwright-record-{}", &key[..KEY]);
        let socket =
            socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        bind(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes())?)?;
        listen(&socket, 64)?;
        Ok(Self { socket, key, folder: folder.to_owned() })
    }

    /// What a recorder has to know.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Answers from now on, until this process ends.
    pub fn serve(self) {
        thread::spawn(move || {
            loop {
                match accept_with(&self.socket, SocketFlags::CLOEXEC) {
                    // Who does not ask rightly gets no answer.
                    Ok(recorder) => drop(self.answer(&recorder)),
                    Err(Errno::INTR | Errno::CONNABORTED) => {}
                    Err(_) => break,
                }
            }
        });
    }

    fn answer(&self, recorder: &OwnedFd) -> io::Result<()> {
        set_socket_timeout(recorder, Timeout::Recv, Some(PATIENCE))?;
        let mut message = [0; 512];
        let (_, len) = recv(recorder, &mut message, RecvFlags::empty())?;
        let question = message.get(..len).and_then(|message| str::from_utf8(message).ok());
        let Some(name) = question.and_then(|question| question.strip_prefix(&self.key)) else {
            return Ok(());
        };
        let made = self.make(name);
        let error = made.as_ref().err().map_or(0, |error| error.raw_os_error().unwrap_or(1));
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut rights = SendAncillaryBuffer::new(&mut room);
        let file = made.ok();
        let files = file.as_ref().map(|file| [file.as_fd()]);
        if let Some(files) = &files {
            rights.push(SendAncillaryMessage::ScmRights(files));
        }
        let byte = [u8::try_from(error).unwrap_or(1)];
        sendmsg(recorder, &[IoSlice::new(&byte)], &mut rights, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    fn make(&self, name: &str) -> io::Result<File> {
        let is_ours = name.ends_with(".chunks") && !name.starts_with('.') && !name.contains('/');
        if !is_ours {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o644);
        options.open(self.folder.join(name))
    }
}

#[cfg(test)]
mod tests {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, connect, recvmsg, send};
    use std::io::IoSliceMut;

    use super::*;

    /// What a recorder that asks so is answered: the error, and whether a file came.
    fn ask(name: &str, question: &str) -> Option<(u8, bool)> {
        let socket =
            socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None);
        let socket = socket.unwrap();
        connect(&socket, &SocketAddrUnix::new_abstract_name(name.as_bytes()).unwrap()).unwrap();
        send(&socket, question.as_bytes(), SendFlags::empty()).unwrap();
        let (mut byte, mut room) =
            ([0], [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))]);
        let mut rights = RecvAncillaryBuffer::new(&mut room);
        let mut parts = [IoSliceMut::new(&mut byte)];
        let got = recvmsg(&socket, &mut parts, &mut rights, RecvFlags::empty()).unwrap();
        let came = rights.drain().any(|message| match message {
            RecvAncillaryMessage::ScmRights(mut files) => files.next().is_some(),
            _ => false,
        });
        (got.bytes == 1).then_some((byte[0], came))
    }

    #[test]
    fn files_are_made_for_those_who_know_the_key_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let porter = Porter::new(folder.path()).unwrap();
        let (key, name) =
            (porter.key().to_owned(), format!("heapwright-record-{}", &porter.key()[..KEY]));
        porter.serve();
        let make = |file: &str| ask(&name, &format!("{key}{file}"));
        assert_eq!(make("sh-1.chunks"), Some((0, true)));
        // It is there.
        assert_eq!(make("sh-1.chunks"), Some((17, false)));
        for wrong in ["../x.chunks", "sh-1.trace", ".chunks", ""] {
            assert!(make(wrong).is_some_and(|(error, came)| error != 0 && !came), "{wrong}");
        }
        assert_eq!(ask(&name, "wrong key sh-2.chunks"), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
