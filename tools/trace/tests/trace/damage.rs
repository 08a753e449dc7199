//! Files with one bit wrong, or without their end: what can be read is read, what cannot is said, and nothing worse happens.

use std::fs;
use std::path::Path;

use trace::testing::{Raw, about, check, packed};
use trace::{How, Op, Step, Trace, TraceError};
use trace_format::{CHUNK, Event, HEAD};

use crate::roundtrip::Draw;

/// Bytes of every kind of event, by two threads with three chunks.
fn recording(path: &Path) -> Vec<u8> {
    let mut raw = Raw::create(path);
    let mut at = 0x7000_0000_0000;
    for n in 0..40 {
        let (thread, time) = ((n % 2) as u32, 10 * n);
        at += 48;
        raw.event(thread, time, Event::Malloc { at, size: n });
        raw.event(thread, time, Event::UsableSize { at, usable: n + 8 });
        match n % 8 {
            0 => raw.event(thread, time, Event::Touched { pages: n }),
            1 => raw.event(thread, time, Event::Frame { frame: n, caller: n / 2, ip: at }),
            2 => raw.event(thread, time, Event::From { frame: n - 1 }),
            3 => raw.event(thread, time, Event::Mark { name: b"here" }),
            4 => raw.event(thread, time, Event::Memory { anon: n << 20, file: 0, shmem: 0 }),
            5 => raw.event(thread, time, Event::Map { at: at + 8, len: 4096 }),
            6 => raw.event(thread, time, Event::ThreadName { name: b"worker" }),
            _ => raw.event(thread, time, Event::Aligned { at: at << 1, size: 64, align: 64 }),
        }
        raw.event(1 - thread, time + 5, Event::ReallocFrom { at });
        raw.event(1 - thread, time + 6, Event::ReallocTo { at: at + 16, size: 2 * n });
        if n % 3 > 0 {
            raw.event(thread, time + 9, Event::Free { at: at + 16 });
        }
    }
    raw.end(1);
    raw.event(1, 1000, Event::Calloc { at: 0x1000, size: 5 });
    fs::read(raw.finish()).unwrap()
}

fn pack(folder: &Path, bytes: &[u8]) -> Result<Trace, TraceError> {
    let (raw, packed) = (folder.join("a.chunks"), folder.join("a.trace"));
    fs::write(&raw, bytes).unwrap();
    trace::pack(raw, &packed, &mut |_| {})?;
    Trace::open(packed)
}

#[test]
fn recordings() {
    let folder = tempfile::tempdir().unwrap();
    let good = recording(&folder.path().join("a.chunks"));
    let whole = check(&pack(folder.path(), &good).unwrap());
    assert!(whole.steps > 100);
    let chunks = good.len() / CHUNK;
    let mut draw = Draw(1);
    for n in 0..400 {
        let mut bytes = good.clone();
        // Heads, and the events behind them.
        let at = draw.place(chunks) * CHUNK + draw.place(HEAD + 700);
        if n % 4 == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << draw.place(8);
        }
        match pack(folder.path(), &bytes) {
            Ok(trace) => assert!(check(&trace).steps <= 4 * whole.steps),
            Err(TraceError::Foreign { .. } | TraceError::Newer { .. }) => assert!(at < 12),
            Err(TraceError::Damaged { offset, .. }) => assert_eq!(offset, bytes.len() as u64),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn what_is_cut_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let good = recording(&folder.path().join("a.chunks"));
    let trace = pack(folder.path(), &good[..2 * CHUNK + HEAD + 10]).unwrap();
    let damages = &trace.about().missing.damages;
    assert!(damages.iter().any(|damage| damage.offset == (2 * CHUNK + HEAD + 10) as u64));
    let mut bytes = good.clone();
    bytes[CHUNK] ^= 1;
    let trace = pack(folder.path(), &bytes).unwrap();
    let damage = &trace.about().missing.damages[0];
    assert_eq!((damage.offset, damage.what.as_str()), (CHUNK as u64, "no chunk begins here"));
    assert!(check(&trace).steps > 10);
}

fn packed_file() -> (trace::testing::TestTrace, Vec<u8>) {
    let trace = packed(&about(), |packer| {
        for n in 0..300_000u64 {
            let time = 100 * n;
            let op = match n {
                0 => Op::ThreadStart,
                n if n % 2 == 1 => Op::Allocate {
                    block: n / 2,
                    how: How::Malloc,
                    size: n % 1000,
                    align: 0,
                    address: 0x7000_0000_0000 + n % 512 * 64,
                    frame: 0,
                },
                n if n % 1000 == 0 => Op::Mark("thousand".into()),
                n => Op::Free { block: n / 2 - 1, touched: None },
            };
            packer.push(&Step { time, thread: 0, op }).unwrap();
        }
    });
    let bytes = fs::read(trace.path()).unwrap();
    (trace, bytes)
}

#[test]
fn packed_traces() {
    let (trace, good) = packed_file();
    let whole = check(&trace);
    assert_eq!((whole.steps, whole.errors, trace.segments().len()), (300_000, 0, 2));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.trace");
    let mut draw = Draw(2);
    // Each reads all of a trace that is open; sixty come to every kind of end.
    let trials = if std::env::var_os("HEAPWRIGHT_WHOLE").is_some() { 200 } else { 60 };
    for n in 0..trials {
        let mut bytes = good.clone();
        // Half of them near the end, where the index is.
        let from = if n % 2 == 0 { 0 } else { good.len().saturating_sub(700) };
        let at = from + draw.place(good.len() - from);
        if n % 5 == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 1 << draw.place(8);
        }
        fs::write(&path, &bytes).unwrap();
        match Trace::open(&path) {
            Ok(trace) => {
                let seen = check(&trace);
                let said = seen.errors + trace.about().missing.damaged;
                assert!(seen.steps == whole.steps || said > 0, "byte {at}: {seen:?}");
            }
            Err(TraceError::Foreign { .. } | TraceError::Newer { .. }) => assert!(at < 16),
            Err(TraceError::Damaged { .. }) => assert!(at < 700, "byte {at}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn without_its_end_a_packed_trace_has_its_begin() {
    let (trace, good) = packed_file();
    let second = check(&trace);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.trace");
    fs::write(&path, &good[..good.len() - 40]).unwrap();
    let cut = Trace::open(&path).unwrap();
    assert_eq!(check(&cut).steps, second.steps);
    assert_eq!((cut.about().exe.as_str(), cut.about().events), ("/usr/bin/test", 300_000));
    let missing = &cut.about().missing;
    assert!(missing.damaged == 1 && missing.damages[0].offset > 0, "{missing:?}");
}

#[test]
fn newer_and_foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.trace");
    let chunks = trace_format::VERSION;
    for (magic, name, known) in [(*b"HWpacked", "c.trace", 1), (*b"HWtrace\n", "d.chunks", chunks)]
    {
        let path = folder.path().join(name);
        let mut bytes = vec![0; 1000];
        bytes[..8].copy_from_slice(&magic);
        bytes[8] = 77;
        fs::write(&path, bytes).unwrap();
        let error = Trace::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("version 77") && error.contains(&format!("up to {known}:")),
            "{error}"
        );
    }
    for bytes in [&b""[..], b"HW", b"an ELF file, or whatever", b"HWpacked"] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(Trace::open(&path), Err(TraceError::Foreign { .. })), "{bytes:?}");
    }
    let error = Trace::open(folder.path().join("none")).unwrap_err();
    assert!(matches!(error, TraceError::Io { .. }));
    let raw = Raw::create(folder.path().join("d.chunks")).finish();
    for place in ["/dev/zero", folder.path().to_str().unwrap()] {
        let error = trace::pack(&raw, place, &mut |_| {}).unwrap_err().to_string();
        assert!(error.ends_with("this is no regular file"), "{error}");
    }
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    assert!(matches!(Trace::open(&empty), Err(TraceError::Empty { .. })));
}
