//! The file of a process: `NAME-PID.chunks` in the folder that was asked for, of which each thread takes a chunk at a time.
//!
//! The program may close every descriptor, change its root or its user. So the descriptor has a high number, is asked which
//! file it is of before it is used, and if it is of another the file is opened anew by its path.

use core::cell::UnsafeCell;
use core::ffi::CStr;
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, AtomicU64, Ordering};

use trace_format::{CHUNK, ChunkHead, FRAMES, HEAD, SEALED};

use crate::session::{self, Lock};
use crate::text::Text;
use crate::{head, porter, replace, system};

/// Bytes of the file's path, with its zero.
pub const LONGEST: usize = 2304;

struct Path(UnsafeCell<[u8; LONGEST]>);

// SAFETY: written by the thread that begins a recording, before it is on.
unsafe impl Sync for Path {}

static PATH: Path = Path(UnsafeCell::new([0; LONGEST]));
static FILE: AtomicI32 = AtomicI32::new(-1);
/// Which recording it is of; 0: of none.
static SESSION: AtomicU32 = AtomicU32::new(0);
/// Its device and inode.
static IDENTITY: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];
/// The place of the next chunk.
static CHUNKS: AtomicU32 = AtomicU32::new(0);
/// Bytes of the chunks before that which went back to the disk: threads that end early leave most of theirs.
static GIVEN_BACK: AtomicU64 = AtomicU64::new(0);
/// Where the head is mapped: the program may give up the right to open the file.
static HEAD_CHUNK: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// The number of the next file: a server may profile itself again and again.
static NUMBER: AtomicU64 = AtomicU64::new(1);
/// The next thread.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// Chunks of the file, its head one of them, that may be there at once.
fn most() -> u32 {
    u32::try_from(session::options().max / CHUNK as u64).unwrap_or(u32::MAX).max(2)
}

/// Whether a chunk at this place is more than the file may hold, which has two at least.
fn is_full(at: u64) -> bool {
    let held = at - GIVEN_BACK.load(Ordering::Relaxed);
    held + CHUNK as u64 > session::options().max.max(2 * CHUNK as u64)
}

/// Does something with the file of a recording that the file stays open for: a number of a descriptor that is closed is soon the next
/// recording's, or the program's, and a thread may come late. Errors: it is over, or the file cannot be opened any more.
fn with<R>(
    session: u32,
    act: impl FnOnce(i32) -> Result<R, &'static [u8]>,
) -> Result<R, &'static [u8]> {
    let _lock = Lock::File.lock();
    if session == 0 || SESSION.load(Ordering::Relaxed) != session {
        return Err(b"the recording is over");
    }
    act(descriptor().ok_or(CLOSED)?)
}

/// Makes the file of a recording, with its head. `false`: it cannot be made.
pub fn create(session: u32, is_child: bool) -> bool {
    close();
    if is_child {
        NUMBER.store(1, Ordering::Relaxed);
    }
    let Some(file) = new_file() else { return false };
    let file = system::moved_up(file);
    let Some(identity) = system::identity(file) else { return false };
    let is_written = head::write(file, is_child);
    let _lock = Lock::File.lock();
    IDENTITY[0].store(identity[0], Ordering::Relaxed);
    IDENTITY[1].store(identity[1], Ordering::Relaxed);
    FILE.store(file, Ordering::Relaxed);
    THREADS.store(0, Ordering::Relaxed);
    GIVEN_BACK.store(0, Ordering::Relaxed);
    CHUNKS.store(1, Ordering::Relaxed);
    SESSION.store(session, Ordering::Relaxed);
    is_written && map_head(file)
}

/// A new file of a name that there is not: a process may have been several programs.
fn new_file() -> Option<i32> {
    // SAFETY: only the thread that begins a recording writes it.
    let path = unsafe { &mut *PATH.0.get() };
    let first = NUMBER.load(Ordering::Relaxed);
    for number in first..first + 1000 {
        NUMBER.store(number + 1, Ordering::Relaxed);
        let path = path_of(path, session::options().folder(), b".chunks", number)?;
        let made = match make(path) {
            Err(libc::EEXIST) => Err(libc::EEXIST),
            // Another user's process, or one with another root.
            Err(_) => porter::make(path),
            made => made,
        };
        if made != Err(libc::EEXIST) {
            return made.ok();
        }
    }
    None
}

/// Makes a file that is not there.
pub fn make(path: &CStr) -> Result<i32, system::Error> {
    system::open(path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)
}

/// The path of the process's n-th file of a kind in a folder.
pub fn path_of<'a>(
    path: &'a mut [u8; LONGEST],
    folder: &[u8],
    kind: &[u8],
    number: u64,
) -> Option<&'a CStr> {
    path.fill(0);
    let mut text = Text::new(&mut path[..LONGEST - 1]);
    text.add(folder).add(b"/");
    head::program_name(&mut text);
    text.add(b"-").number(u64::from(system::process()));
    if number > 1 {
        text.add(b".").number(number);
    }
    text.add(kind);
    CStr::from_bytes_until_nul(path).ok()
}

/// Lets go of the file: nothing more comes.
pub fn close() {
    let _lock = Lock::File.lock();
    SESSION.store(0, Ordering::Relaxed);
    let file = FILE.swap(-1, Ordering::Relaxed);
    if file >= 0 && is_ours(file) {
        system::close(file);
    }
}

fn is_ours(file: i32) -> bool {
    let identity = IDENTITY.each_ref().map(|word| word.load(Ordering::Relaxed));
    system::identity(file) == Some(identity)
}

/// The file's descriptor, for who has the lock.
fn descriptor() -> Option<i32> {
    let file = FILE.load(Ordering::Relaxed);
    if file >= 0 && is_ours(file) {
        return Some(file);
    }
    // SAFETY: it is not written while a recording is on.
    let path = CStr::from_bytes_until_nul(unsafe { &*PATH.0.get() }).ok()?;
    let file = system::moved_up(system::open(path, libc::O_RDWR).ok()?);
    if !is_ours(file) {
        system::close(file);
        return None;
    }
    FILE.store(file, Ordering::Relaxed);
    Some(file)
}

/// Copies what is written by now to another file, in place of what is there.
pub fn copy(to: &CStr) -> Result<(), system::Error> {
    let session = session::number();
    // A descriptor of its own, so that threads may go on writing meanwhile.
    let file = with(session, |file| system::copied(file).map_err(|_| CLOSED));
    let file = file.map_err(|_| libc::EBADF)?;
    // Its own file stays as it is.
    let copied = replace::replace(to, is_ours, |out| {
        let place = system::memory(CHUNK)?;
        // SAFETY: mapped, zeroed, and only this function's.
        let chunk = unsafe { &mut *place.cast::<[u8; CHUNK]>() };
        // Frames last: what is copied before names no others.
        let copied =
            copy_chunks(file, out, chunk, false).and_then(|()| copy_chunks(file, out, chunk, true));
        // SAFETY: nothing points there any more.
        unsafe { system::unmap(place, CHUNK) };
        // How many chunks there are was another one's.
        let is_another_s = session::number() != session;
        if is_another_s { Err(libc::EBADF) } else { copied }
    });
    system::close(file);
    copied
}

/// Copies chunks as they are now; of frames only, or all.
fn copy_chunks(
    file: i32,
    out: i32,
    chunk: &mut [u8; CHUNK],
    only_frames: bool,
) -> Result<(), system::Error> {
    // Asked anew: a thread that fills its chunk meanwhile copies it behind all others.
    let places = || u64::from(CHUNKS.load(Ordering::Relaxed));
    let mut next = 0;
    while next < places() {
        let place = next;
        next += 1;
        let at = place * CHUNK as u64;
        let head = |chunk: &mut [u8]| {
            let read = system::read_at(file, chunk, at);
            ChunkHead::read(&chunk[..read])
        };
        if only_frames && head(&mut chunk[..HEAD]).is_none_or(|head| head.thread != FRAMES) {
            continue;
        }
        // A thread that fills its chunk begins it anew in its place: what is read meanwhile is neither.
        let mut now = [0; HEAD];
        loop {
            let before = head(chunk).map(|head| (head.thread, head.sequence));
            if before == head(&mut now).map(|head| (head.thread, head.sequence)) {
                break;
            }
        }
        let used = chunk.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if !system::may_be_long(at + used as u64) {
            return Err(libc::EFBIG);
        }
        system::write_at(out, &chunk[..used], at)?;
    }
    system::set_len(out, next * CHUNK as u64)
}

/// The number of a thread that has none yet.
pub fn next_thread() -> u32 {
    THREADS.fetch_add(1, Ordering::Relaxed)
}

/// The place of a new chunk and where it is mapped, or why there is none.
pub fn take_chunk(session: u32) -> Result<(u32, *mut u8), &'static [u8]> {
    with(session, |file| {
        let place = take_place(file)?;
        let at = u64::from(place) * CHUNK as u64;
        system::grow(file, at, CHUNK).map_err(why)?;
        let chunk = system::map(file, at, CHUNK).map_err(|_| &b"the file cannot be mapped"[..])?;
        Ok((place, chunk))
    })
}

/// A copy of a sealed chunk at the begin of a place of its own: where that is, or why there is none.
pub fn keep(session: u32, chunk: &[u8]) -> Result<u64, &'static [u8]> {
    with(session, |file| keep_in(file, chunk))
}

fn keep_in(file: i32, chunk: &[u8]) -> Result<u64, &'static [u8]> {
    let place = take_place(file)?;
    write(file, chunk, u64::from(place) * CHUNK as u64)
}

/// A copy of a sealed chunk behind another one: where that is, or why there is none.
pub fn keep_at(session: u32, chunk: &[u8], at: u64) -> Result<u64, &'static [u8]> {
    with(session, |file| write(file, chunk, at))
}

fn write(file: i32, chunk: &[u8], at: u64) -> Result<u64, &'static [u8]> {
    if !system::may_be_long(at + chunk.len() as u64) {
        return Err(why(libc::EFBIG));
    }
    system::write_at(file, chunk, at).map_err(why).map(|()| at)
}

/// Whether a ring has given back what is here, or will.
pub fn is_old(at: u64) -> bool {
    let place = (at / CHUNK as u64) as u32;
    session::options().ring && place.saturating_add(most()) <= CHUNKS.load(Ordering::Relaxed)
}

/// Nothing is at this place any more.
pub fn give_up(session: u32, place: u32) {
    let _ = with(session, |file| {
        give_to_disk(file, u64::from(place) * CHUNK as u64, CHUNK);
        Ok(())
    });
}

/// If it is refused it costs room and nothing else.
fn give_to_disk(file: i32, at: u64, len: usize) {
    if system::punch(file, at, len).is_ok() {
        GIVEN_BACK.fetch_add(len as u64, Ordering::Relaxed);
    }
}

const CLOSED: &[u8] = b"the file cannot be opened any more";

/// Why the file has no place for a chunk.
fn why(error: system::Error) -> &'static [u8] {
    match error {
        libc::ENOSPC | libc::EDQUOT => b"the disk is full",
        libc::EFBIG => b"the file is as large as the system lets it be",
        _ => b"the file cannot grow",
    }
}

fn take_place(file: i32) -> Result<u32, &'static [u8]> {
    let place = CHUNKS.fetch_add(1, Ordering::Relaxed);
    let at = u64::from(place) * CHUNK as u64;
    if session::options().ring && place >= most() {
        give_back(file, place - most() + 1)?;
    } else if !session::options().ring && is_full(at) {
        return Err(b"the file is as large as it may be");
    }
    Ok(place)
}

/// In a ring: the chunk at this place goes, if its thread has sealed it. If not, it goes when it is sealed.
fn give_back(file: i32, place: u32) -> Result<(), &'static [u8]> {
    let at = u64::from(place) * CHUNK as u64;
    let mut head = [0; HEAD];
    system::read_at(file, &mut head, at);
    let is_sealed = ChunkHead::read(&head)
        .is_some_and(|head| head.flags & SEALED != 0 && head.thread != FRAMES);
    if is_sealed {
        system::punch(file, at, CHUNK).map_err(|_| &b"the file's system keeps no ring"[..])?;
    }
    Ok(())
}

/// The chunk at this place is sealed: what is behind its last event goes back to the disk. In a ring a thread's place may be an
/// old one, though what is there is new: it moves to a new one. A chunk that `stays` is one that a ring keeps.
pub fn sealed(session: u32, place: u32, chunk: &[u8], stays: bool) {
    let at = u64::from(place) * CHUNK as u64;
    let end = chunk.len().next_multiple_of(system::page_size());
    let _ = with(session, |file| {
        if is_old(at) && !stays {
            // If one or the other is refused it stays where it is.
            let _ = keep_in(file, chunk).map(|_| system::punch(file, at, CHUNK));
        } else if end < CHUNK {
            give_to_disk(file, at + end as u64, CHUNK - end);
        }
        Ok(())
    });
}

/// Adds a line to the head, also where the file cannot be opened any more.
pub fn note(key: &[u8], value: &[u8]) {
    // Another thread may begin a recording, which unmaps the head of this one.
    let _lock = Lock::File.lock();
    let mapped = HEAD_CHUNK.load(Ordering::Relaxed);
    // SAFETY: a mapping of ours, or null.
    if let Some(chunk) = unsafe { mapped.cast::<[u8; CHUNK]>().as_mut() } {
        head::add(chunk, key, value);
    }
}

/// Maps the head. `false`: it cannot be.
fn map_head(file: i32) -> bool {
    let Ok(now) = system::map_as_it_is(file, 0, CHUNK) else { return false };
    let before = HEAD_CHUNK.swap(now, Ordering::Relaxed);
    if !before.is_null() {
        // SAFETY: of the recording before, which is over.
        unsafe { system::unmap(before, CHUNK) };
    }
    true
}
