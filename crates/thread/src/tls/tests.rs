use super::*;

extern "C" fn ended(_: *mut core::ffi::c_void) {}
fn begun() {}
const TLS: ElfTls = ElfTls { begun, ended };

#[test]
fn every_thread_starts_with_empty_slots() {
    let look = || {
        for slot in 0..CLASSES {
            assert_eq!(TLS.load(slot), empty());
        }
        assert_eq!((TLS.load(CACHE), TLS.load(ENDS)), (0, 0));
        TLS.store(3, 77);
        assert_eq!(TLS.load(3), 77);
        TLS.store(3, empty());
        TLS.address()
    };
    let here = look();
    let there = std::thread::spawn(look).join().expect("the thread's own slots");
    assert_ne!(here, there);
}

#[test]
fn the_empty_cell_is_empty_and_full() {
    assert!(empty().is_multiple_of(crate::magazine::CELL));
    // SAFETY: slot 5 is empty.
    assert_eq!(unsafe { crate::magazine::pop(&TLS, 5) }, 0);
    // SAFETY: a full magazine takes nothing.
    assert!(!unsafe { crate::magazine::push(&TLS, 5, 16) });
}
