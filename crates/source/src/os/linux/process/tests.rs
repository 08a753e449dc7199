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

#[test]
fn lines_are_found_behind_long_ones() {
    let number = std::process::id().to_string();
    let path = std::env::temp_dir().join(["heapwright-lines-", &number].concat());
    let long = "x".repeat(5000);
    let text = ["first\n", &long, "\nSeccomp:\t0\n\n", &long, "\nlast"].concat();
    std::fs::write(&path, text).expect("written");
    let name = std::ffi::CString::new(path.to_str().expect("text")).expect("no zero");
    let mut lines = Vec::new();
    each_line(&name, |line| lines.push(String::from_utf8_lossy(line).into_owned()));
    std::fs::remove_file(&path).expect("removed");
    let cut = &long[..1024];
    assert_eq!(lines, ["first", cut, "Seccomp:\t0", "", cut, "last"]);
}
