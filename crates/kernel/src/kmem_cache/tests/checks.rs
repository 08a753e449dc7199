//! Caches with checks: what is written beside and into objects, and what is seen.
use super::*;

fn checked(flags: DebugFlags) -> KmemCache<Pages> {
    cache(Settings::new("checked", 40).debug(flags))
}

fn byte(object: NonNull<u8>, offset: isize) -> u8 {
    // SAFETY: within the slab.
    let at = unsafe { object.byte_offset(offset) };
    // SAFETY: as above.
    unsafe { at.read() }
}

fn set(object: NonNull<u8>, offset: isize, value: u8) {
    // SAFETY: within the slab.
    let at = unsafe { object.byte_offset(offset) };
    // SAFETY: as above.
    unsafe { at.write(value) };
}

#[test]
fn the_kernel_s_bytes() {
    let mut cache = checked(DebugFlags::ALL);
    let object = take(&mut cache);
    assert_eq!(cache.info().stride, 8 + 40 + 8 + 16);
    assert_eq!(
        (byte(object, -8), byte(object, -1), byte(object, 40), byte(object, 47)),
        (0xcc, 0xcc, 0xcc, 0xcc)
    );
    assert_eq!((byte(object, 0), byte(object, 38), byte(object, 39)), (0x6b, 0x6b, 0xa5));
    set(object, 0, 1);
    give(&mut cache, object);
    assert_eq!((byte(object, -8), byte(object, 40)), (0xbb, 0xbb));
    assert_eq!((byte(object, 0), byte(object, 39)), (0x6b, 0xa5));
    assert_eq!(cache.validate(), Ok(cache.info().objects));
    close(cache);
}

#[test]
fn a_red_zone_that_was_written() {
    for offset in [-8, -1, 40, 47] {
        let mut cache = checked(DebugFlags::ALL);
        let object = take(&mut cache);
        set(object, offset, 0);
        let seen = cache.validate().unwrap_err().finding;
        let at = object.addr().get().wrapping_add_signed(offset);
        assert_eq!(seen, Finding::RedZone { at, found: 0 });
        // SAFETY: it is refused.
        let found = unsafe { cache.try_free(object) };
        assert_eq!(found.unwrap_err().finding, seen);
        assert_eq!(cache.info().active, 1, "it was not freed");
        set(object, offset, 0xcc);
        give(&mut cache, object);
        close(cache);
    }
}

#[test]
#[should_panic(expected = "was written after it was freed: 0x01")]
fn a_free_object_that_was_written() {
    let mut cache = checked(DebugFlags::POISON);
    let object = take(&mut cache);
    give(&mut cache, object);
    set(object, 20, 1);
    assert!(matches!(
        cache.validate().unwrap_err().finding,
        Finding::UseAfterFree { found: 1, .. }
    ));
    cache.allocate();
}

#[test]
fn padding_that_was_written() {
    let settings = Settings::new("padded", 40).align(64).debug(DebugFlags::POISON);
    let mut cache = cache(settings);
    let object = take(&mut cache);
    set(object, 63, 0);
    assert!(matches!(cache.validate().unwrap_err().finding, Finding::Padding { found: 0, .. }));
    set(object, 63, 0x5a);
    give(&mut cache, object);
    close(cache);
}

#[test]
fn users_are_kept() {
    let mut cache = checked(DebugFlags::USER);
    let object = cache.allocate_for(0xa).unwrap();
    // SAFETY: it is live.
    unsafe { cache.free_for(object, 0xb) }.unwrap();
    // SAFETY: it is refused.
    let misuse = unsafe { cache.free_for(object, 0xc) }.unwrap_err();
    assert_eq!(misuse.finding, Finding::DoubleFree);
    assert_eq!(misuse.users, Some(Users { allocated: 0xa, freed: 0xb }));
    close(cache);
}

#[test]
fn a_constructed_object_is_not_poisoned() {
    fn make(_: *mut (), object: NonNull<u8>) {
        // SAFETY: an object of 40 bytes.
        unsafe { object.write_bytes(7, 40) };
    }
    // SAFETY: content with any object.
    let ctor = unsafe { Hook::new(make, core::ptr::null_mut()) };
    let mut cache = cache(Settings::new("made", 40).ctor(ctor).debug(DebugFlags::ALL));
    let object = take(&mut cache);
    assert_eq!((byte(object, 0), byte(object, 39), byte(object, 40)), (7, 7, 0xcc));
    give(&mut cache, object);
    assert_eq!(byte(object, 0), 7);
    close(cache);
}
