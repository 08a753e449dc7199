//! A plugin whose global allocator this is, in a program that has another: it is closed while a thread lives that has
//! allocated there, and then the thread ends.
#![cfg(not(miri))]

use core::ffi::{c_char, c_int, c_void};
use core::ptr;
use std::ffi::CString;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::{env, thread};

const RTLD_NOW: c_int = 2;

unsafe extern "C" {
    fn dlopen(path: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlclose(library: *mut c_void) -> c_int;
}

type SumBelow = unsafe extern "C" fn(usize) -> usize;

/// Builds the example, as the tests of `tools/profile` build theirs, and returns its path.
fn plugin() -> CString {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "heapwright", "--features", "profile"]);
    cargo.args(["--example", "plugin", "--target-dir"]).arg(target);
    assert!(cargo.status().expect("cargo starts").success(), "{cargo:?}");
    let path = target.join("debug/examples/libplugin.so");
    CString::new(path.to_str().expect("UTF-8")).expect("no zero")
}

#[test]
fn a_thread_ends_after_the_plugin_was_closed() {
    let path = plugin();
    // SAFETY: opens a library whose constructors are ours.
    let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
    assert_ne!(library, ptr::null_mut(), "{path:?}");
    // SAFETY: looks a name up.
    let found = unsafe { dlsym(library, c"sum_below".as_ptr()) };
    assert_ne!(found, ptr::null_mut());
    // SAFETY: the plugin's function has this type.
    let sum_below = unsafe { *(&raw const found).cast::<SumBelow>() };
    let (allocated, wait) = channel();
    let (close, closed) = channel::<()>();
    let thread = thread::spawn(move || {
        // SAFETY: the plugin is open.
        allocated.send(unsafe { sum_below(1000) }).expect("they wait");
        closed.recv().expect("they tell");
    });
    assert_eq!(wait.recv(), Ok(499_500));
    // SAFETY: nothing of it is called any more by us.
    assert_eq!(unsafe { dlclose(library) }, 0);
    close.send(()).expect("it waits");
    thread.join().expect("it ends");
}
