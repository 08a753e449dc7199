use super::*;

#[test]
fn a_process_is_resident() {
    let seen = resident();
    assert!(seen.now > 100 * 1024, "{seen:?}");
    assert!(seen.peak >= seen.now, "{seen:?}");
}

#[test]
fn the_page_is_what_the_c_library_says() {
    unsafe extern "C" {
        fn getpagesize() -> i32;
    }
    // SAFETY: asks for a number.
    let libc = usize::try_from(unsafe { getpagesize() }).expect("positive");
    assert_eq!((page_size(), page_size()), (libc, libc), "the first time and after");
}

#[test]
fn fields_are_found_at_line_starts_only() {
    let text = b"XVmRSS: 9 kB\nVmRSS:\t  123 kB\n";
    assert_eq!(kib_field(text, b"VmRSS:"), 123);
    assert_eq!(kib_field(text, b"VmHWM:"), 0);
}

#[test]
fn a_missing_file_reads_as_empty() {
    assert!(read_file(c"/nonexistent", &mut [0; 8]).is_empty());
}
