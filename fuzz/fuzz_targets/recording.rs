//! Any bytes, read as the chunks of a recording: packed, and read again.
//!
//! ```text
//! input   [ flags │ thread │ time │ length │ events ] [ flags │ … ] …      a chunk each
//! ```
//!
//! What comes out is a trace whose blocks are freed once, whatever the events say.
#![no_main]
use std::fs;

use libfuzzer_sys::fuzz_target;
use trace::testing::{Raw, check};
use trace::{Trace, pack};
use trace_format::{CHUNK, HEAD};

/// When [`Raw`]'s recordings begin, in units of time.
const BEGIN: u64 = 1_000_000;

fn chunk(bytes: &mut &[u8], sequences: &mut [u32; 4]) -> Option<Vec<u8>> {
    let (&[flags, thread, time, more, len, most], rest) = bytes.split_first_chunk()?;
    let len = usize::from(u16::from_le_bytes([len, most])).min(rest.len()).min(CHUNK - HEAD);
    let (events, rest) = rest.split_at(len);
    *bytes = rest;
    let thread = thread % 4;
    let time = BEGIN + u64::from(u16::from_le_bytes([time, more]));
    let sequence = &mut sequences[usize::from(thread)];
    let mut chunk = Vec::with_capacity(CHUNK);
    chunk.extend(b"HWck");
    let words = [u32::from(thread), 4711, *sequence, len as u32, u32::from(flags & 3)];
    words.into_iter().for_each(|word| chunk.extend(word.to_le_bytes()));
    // Sealed at its begin or much later.
    let last = time + (u64::from(flags) << 8);
    let longs = [time, time * 10, last, last * 10, 0];
    longs.into_iter().for_each(|long| chunk.extend(long.to_le_bytes()));
    chunk.extend(events);
    // Some bit of the head.
    if flags & 4 != 0 {
        chunk[usize::from(flags >> 3) * 2] ^= thread + 1;
    }
    *sequence += 1 + u32::from(flags & 128 != 0);
    chunk.resize(CHUNK, 0);
    Some(chunk)
}

fuzz_target!(|data: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else { return };
    let (raw, packed) = (folder.path().join("a.chunks"), folder.path().join("a.trace"));
    let mut file = fs::read(Raw::create(&raw).finish()).expect("it was written just now");
    let (mut rest, mut sequences) = (data, [0; 4]);
    while let Some(chunk) = chunk(&mut rest, &mut sequences) {
        file.extend(chunk);
    }
    // Not always whole chunks.
    file.truncate(file.len() - rest.len());
    fs::write(&raw, file).expect("there is room");
    pack(&raw, &packed, &mut |_| {}).expect("its head is right");
    let seen = check(&Trace::open(&packed).expect("it was packed just now"));
    assert_eq!(seen.errors, 0);
});
