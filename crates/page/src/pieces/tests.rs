use source::Failing;
use source::os::Os;

use super::*;

const PAGE: usize = 4096;

fn fill(piece: usize, len: usize) {
    // SAFETY: a piece in use.
    unsafe { core::ptr::with_exposed_provenance_mut::<u8>(piece).write_bytes(7, len) };
}

fn is_zero(piece: usize, len: usize) -> bool {
    // SAFETY: a piece, free or in use, stays readable (pieces-V3).
    let bytes = unsafe {
        core::slice::from_raw_parts(core::ptr::with_exposed_provenance::<u8>(piece), len)
    };
    bytes.iter().all(|&byte| byte == 0)
}

fn put(pieces: &Pieces, all: &[usize]) {
    // SAFETY: they came from there, each once.
    all.iter().for_each(|&piece| unsafe { pieces.put(piece) });
}

fn allocate(pieces: &Pieces, source: &impl System) -> Option<usize> {
    pieces.take().or_else(|| {
        let at = pieces.map(source)?;
        // SAFETY: mapped for it now.
        unsafe { pieces.add(at) };
        pieces.take()
    })
}

fn taken(pieces: &Pieces, source: &impl System, count: usize) -> Vec<usize> {
    let all: Vec<_> = (0..count).map(|_| allocate(pieces, source).expect("memory")).collect();
    all.iter().for_each(|&piece| fill(piece, pieces.size));
    all
}

#[test]
fn pieces_are_disjoint_and_serve_again() {
    for (size, len) in
        [(1024, 64 << 10), (2048, 64 << 10), (80 << 10, 512 << 10), (4096, 256 << 10)]
    {
        let pieces = Pieces::new(size, len);
        let mut all = taken(&pieces, &Os, 300);
        assert_eq!(pieces.costing_bytes(), 300 * size);
        put(&pieces, &all);
        let mut again = taken(&pieces, &Os, 300);
        for some in [&mut all, &mut again] {
            some.sort_unstable();
            assert!(some.windows(2).all(|two| two[0] + size <= two[1]));
        }
        assert_eq!(all, again, "what came back serves first");
        assert_eq!(pieces.costing_bytes(), 300 * size);
    }
}

#[test]
fn a_trim_gives_pages_of_free_pieces_back_and_no_others() {
    let pieces = Pieces::new(1024, 64 << 10);
    let all = taken(&pieces, &Os, 1000);
    // One in 32 stays in use: its page does.
    let (kept, free): (Vec<_>, Vec<_>) = all.iter().partition(|&&piece| piece / 1024 % 32 == 5);
    put(&pieces, &free);
    let mut gone = 0;
    while let Some(some) = pieces.trim(&Os) {
        gone += some;
    }
    assert!(gone > 780 << 10, "{gone}");
    assert!(pieces.costing_bytes() < 250 << 10, "{}", pieces.costing_bytes());
    let is_kept = |page: usize| kept.iter().any(|piece| piece / PAGE == page);
    for &piece in &free {
        let is_first = piece & (CHUNK - 1) < guard(&Os) + PAGE;
        assert_eq!(is_zero(piece, 1024), !is_first && !is_kept(piece / PAGE), "{piece:#x}");
    }
    assert!(kept.iter().all(|&piece| !is_zero(piece, 1024)));
    assert!(pieces.trim(&Os).is_none(), "nothing came back since");
}

const CHUNK: usize = 64 << 10;

#[test]
fn what_nobody_takes_for_a_second_goes_back_at_a_look() {
    let pieces = Pieces::new(1024, 64 << 10);
    let all = taken(&pieces, &Os, 126);
    assert!(!pieces.wants_look(100), "nothing came back");
    put(&pieces, &all);
    let looks = [100, 103, 104, 108, 109].map(|now| {
        if pieces.wants_look(now) {
            pieces.look(&Os, now);
        }
        pieces.costing_bytes() == 126 << 10
    });
    assert_eq!(looks, [true, true, false, false, false], "at first it is only seen");
    assert!(!pieces.wants_look(200), "nothing is left to be done");
    let again = allocate(&pieces, &Os).expect("memory");
    put(&pieces, &[again]);
    pieces.look(&Os, 200);
    let again = taken(&pieces, &Os, 126);
    pieces.look(&Os, 204);
    assert!(again.iter().all(|&piece| !is_zero(piece, 1024)), "what is in use stays");
}

#[test]
fn a_kernel_that_refuses_is_asked_once_and_changes_nothing() {
    let source = Failing::new(Os);
    let pieces = Pieces::new(80 << 10, 512 << 10);
    let all = taken(&pieces, &source, 20);
    put(&pieces, &all);
    source.fail_from(1);
    assert_eq!(pieces.trim(&source), Some(0));
    assert!(pieces.trim(&source).is_none());
    assert_eq!(pieces.costing_bytes(), 20 * (80 << 10));
    assert_eq!(taken(&pieces, &source, 20).len(), 20, "they serve again");
    assert!(allocate(&pieces, &source).is_none(), "no new chunk");
}
