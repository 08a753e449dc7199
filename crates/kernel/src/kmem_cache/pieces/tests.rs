use super::*;

use crate::kmem_cache::toy::Pages;

#[test]
fn pieces_come_and_go() {
    for size in [1, 64, 512, 1088, 5000, 65_600] {
        let mut pages = Pages::new(512);
        let mut pieces = Pieces::new(size);
        let mut taken = Vec::new();
        for _ in 0..20 {
            let piece = pieces.take(&mut pages).unwrap();
            // SAFETY: a piece has this many bytes.
            unsafe { piece.write_bytes(0xff, size) };
            assert!(piece.addr().get().is_multiple_of(LINE));
            taken.push(piece);
            pieces.check(taken.len()).unwrap();
        }
        while let Some(piece) = (!taken.is_empty()).then(|| taken.swap_remove(taken.len() / 2)) {
            // SAFETY: taken above.
            unsafe { pieces.give(piece, &mut pages) };
            pieces.check(taken.len()).unwrap();
        }
        assert_eq!(pieces.held, 1, "one empty span is kept");
        pieces.trim(&mut pages);
        assert_eq!(pages.taken(), 0);
    }
}

#[test]
fn no_memory_no_piece() {
    let mut pages = Pages::new(8);
    let mut pieces = Pieces::new(100);
    pages.refuse(1);
    assert_eq!(pieces.take(&mut pages), None);
    pieces.check(0).unwrap();
}
