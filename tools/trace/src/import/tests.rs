use std::fs;
use std::io::Write as _;

use super::*;
use crate::trace::Trace;

/// As it is written at last: two strings, an address and its frame, and two kinds of blocks.
const WRITTEN: &str = "\
v 10400 3
X /bin/app --flag
I 1000 5e298f
s 8 /bin/app
s 5 serve
s 7 cache.c
s 6 insert
s 6 main.c
i 7f00 1 2
t 1 0
i 7f10 1 4 3 58 2 5 c
t 2 1
a 20 2
c a
+ 0
a 1000 1
+ 1
c 14
R 400
+ 0
- 0
- 1
# strings: 1
";

const RAW: &str = "\
v 10400 3
x 8 /bin/app
X /bin/app --flag
I 1000 5e298f
m 1 -
m 1 x 5000 0 1000 2000 800
m 12 /lib/with space.so 7000 0 100
t 5010 0
t 7020 1
+ 20 2 a0000
c 5
+ 30 2 a0040
- a0000
- deadbeef
+ 40 1 a0040
";

fn imported(bytes: &[u8]) -> Result<Trace, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("heaptrack.app.1"), folder.path().join("app.trace"));
    fs::write(&from, bytes).unwrap();
    import(&from, &to)?;
    Trace::open(&to)
}

fn steps(trace: &Trace) -> Vec<Step> {
    trace.steps().map(Result::unwrap).collect()
}

#[test]
fn what_is_written_at_last_becomes_a_trace() {
    let trace = imported(WRITTEN.as_bytes()).unwrap();
    let about = trace.about();
    assert_eq!((about.exe.as_str(), about.command.as_str()), ("/bin/app", "/bin/app --flag"));
    assert_eq!((about.blocks, about.duration, about.addresses), (3, 20_000_000, false));
    assert!(!about.missing.any(), "{:?}", about.missing);
    assert_eq!(trace.peak().0, 0x20 + 0x1000 + 0x20);
    let steps = steps(&trace);
    assert_eq!(steps[0].time, 10_000_000);
    let Op::Allocate { size: 0x20, frame, .. } = steps[0].op else { panic!("{:?}", steps[0]) };
    let frames = trace.frames().unwrap();
    assert_eq!(frames.stack(frame).collect::<Vec<_>>(), [0x7f10, 0x7f00]);
    let names = trace.names(&frames).unwrap();
    let said = |ip| names.at(ip).map(|one| format!("{} {}:{}", one.function, one.file, one.line));
    assert_eq!(said(0x7f10).collect::<Vec<_>>(), ["insert cache.c:88", "serve main.c:12"]);
    assert_eq!(said(0x7f00).collect::<Vec<_>>(), ["serve :0"]);
    assert_eq!(names.module(0x7f10).unwrap().0, "/bin/app");
    assert!(matches!(steps[2].op, Op::Memory { anon: 0x40_0000, .. }), "{:?}", steps[2]);
    assert!(matches!(steps[4].op, Op::Free { block: 2, .. }), "the youngest of its kind");
}

#[test]
fn a_raw_recording_has_addresses_and_modules() {
    let trace = imported(RAW.as_bytes()).unwrap();
    assert!(trace.about().addresses);
    let modules: Vec<(u64, u64, &str)> =
        trace.about().modules.iter().map(|m| (m.start, m.end, m.path.as_str())).collect();
    let expected = [
        (0x5000, 0x6000, "/bin/app"),
        (0x7000, 0x7800, "/bin/app"),
        (0x7000, 0x7100, "/lib/with space.so"),
    ];
    assert_eq!(modules, expected);
    let ops: Vec<Op> = steps(&trace).into_iter().map(|step| step.op).collect();
    assert_eq!(ops.len(), 5, "the free of an unknown address is passed over: {ops:?}");
    assert!(matches!(ops[0], Op::Allocate { address: 0xa0000, .. }));
    assert!(matches!(ops[3], Op::Free { block: 1, .. }), "its address is returned again");
    assert_eq!(trace.about().missing.unseen_frees, 1);
}

#[test]
fn compressed_files_are_read_and_cut_ones_as_far_as_they_go() {
    let packed = zstd::encode_all(WRITTEN.as_bytes(), 3).unwrap();
    assert_eq!(imported(&packed).unwrap().about().blocks, 3);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(WRITTEN.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    assert_eq!(imported(&gzip).unwrap().about().blocks, 3);
    let cut = imported(&gzip[..gzip.len() - 12]).unwrap();
    assert_eq!(cut.about().missing.cut, 1);
}

#[test]
fn lines_that_cannot_be_are_said_with_their_place_and_passed_over() {
    let text = WRITTEN.replace("R 400", "+ 77\n- 0 0 0 0 xyz\nt 99 0\n+\n- 5");
    let trace = imported(text.as_bytes()).unwrap();
    let missing = &trace.about().missing;
    assert_eq!(missing.damaged, 5, "{missing:?}");
    assert_eq!(missing.damages[0].offset, text.find("+ 77").unwrap() as u64);
    assert_eq!(trace.about().blocks, 3);
}

#[test]
fn other_files_and_newer_ones_are_refused() {
    let foreign = |bytes: &[u8]| matches!(imported(bytes), Err(TraceError::Foreign { .. }));
    assert!(foreign(b"") && foreign(b"ELF\0\0") && foreign(b"v x y\n"));
    // It may be one, so it is not said to be something else.
    let damaged = imported(b"\x28\xB5\x2F\xFDxx");
    assert!(matches!(damaged, Err(TraceError::Damaged { offset: 0, .. })), "{damaged:?}");
    let newer = imported(b"v 20000 4\n");
    assert!(matches!(newer, Err(TraceError::Newer { found: 4, known: 3, .. })), "{newer:?}");
    assert!(imported(b"v 10400 3\n").is_ok());
}

#[test]
fn no_bytes_panic() {
    let mut random = 7u64;
    for _ in 0..300 {
        let mut bytes = [WRITTEN, RAW].concat().into_bytes();
        for _ in 0..20 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = 10 + (random >> 33) as usize % (bytes.len() - 10);
            bytes[at] = random.to_le_bytes()[3];
        }
        let _ = imported(&bytes);
    }
}
