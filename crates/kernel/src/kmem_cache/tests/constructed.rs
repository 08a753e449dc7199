//! Constructors: an object is made once, and stays as it is left.
use super::*;
use core::cell::Cell;

std::thread_local! {
    static MADE: Cell<usize> = const { Cell::new(0) };
}

fn make(_: *mut (), object: NonNull<u8>) {
    MADE.set(MADE.get() + 1);
    // SAFETY: an object of 40 bytes.
    unsafe { object.write_bytes(0x11, 40) };
}

fn bytes(object: NonNull<u8>) -> [u8; 40] {
    // SAFETY: an object of 40 bytes.
    unsafe { object.cast().read() }
}

#[test]
fn an_object_keeps_its_state_while_it_is_free() {
    for policy in ALL {
        MADE.set(0);
        // SAFETY: it is content with any object.
        let ctor = unsafe { Hook::new(make, core::ptr::null_mut()) };
        let settings = Settings::new("made", 40).policy(policy).ctor(ctor);
        let mut cache = cache(settings);
        let object = take(&mut cache);
        assert_eq!(MADE.get(), 102, "all of the slab");
        assert_eq!(bytes(object), [0x11; 40]);
        // SAFETY: it is live.
        unsafe { object.write_bytes(0x22, 40) };
        give(&mut cache, object);
        assert_eq!(bytes(take(&mut cache)), [0x22; 40], "nothing is written into free objects");
        assert_eq!(MADE.get(), 102);
        give(&mut cache, object);
        let objects = take_many(&mut cache, 300);
        assert_eq!(MADE.get(), 102 * cache.info().slabs);
        give_many(&mut cache, objects);
        close(cache);
    }
}

#[test]
fn zeroed_is_zero() {
    let mut cache = cache(Settings::new("zero", 40));
    for _ in 0..2 {
        let object = cache.allocate_zeroed().unwrap();
        assert_eq!(bytes(object), [0; 40]);
        // SAFETY: it is live.
        unsafe { object.write_bytes(0xff, 40) };
        give(&mut cache, object);
    }
    close(cache);
}
