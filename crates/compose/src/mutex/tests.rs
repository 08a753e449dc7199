use super::*;

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

fn lets_one_in(mutex: impl Mutex) {
    assert_eq!(mutex.with(|| 3), 3);
    let twice = catch_unwind(AssertUnwindSafe(|| mutex.with(|| mutex.with(|| ()))));
    assert!(twice.is_err(), "nobody enters twice");
    assert_eq!(mutex.with(|| 4), 4, "and a panic inside leaves it free");
}

#[test]
fn cells_let_one_in() {
    lets_one_in(Alone::NEW);
    // SAFETY: this thread alone uses it.
    lets_one_in(unsafe { SingleThreaded::new() });
}

#[cfg(feature = "critical-section")]
#[test]
fn a_critical_section_lets_one_in() {
    lets_one_in(Critical::NEW);
}

/// A thread that prints a heap is in no critical section, and may not read the flag.
#[cfg(feature = "critical-section")]
#[test]
#[expect(clippy::disallowed_macros, reason = "text to compare")]
fn a_critical_section_is_printed_without_its_flag() {
    assert_eq!(format!("{:?}", Critical::NEW), "Critical { .. }");
}

#[cfg(feature = "lock_api")]
#[test]
fn a_raw_mutex_is_left_by_a_panic_too() {
    use core::sync::atomic::{AtomicBool, Ordering};

    struct Spin(AtomicBool);

    // SAFETY: an exchange lets one in.
    unsafe impl lock_api::RawMutex for Spin {
        type GuardMarker = lock_api::GuardSend;
        const INIT: Self = Self(AtomicBool::new(false));

        fn lock(&self) {
            while !self.try_lock() {
                core::hint::spin_loop();
            }
        }

        fn try_lock(&self) -> bool {
            !self.0.swap(true, Ordering::Acquire)
        }

        unsafe fn unlock(&self) {
            self.0.store(false, Ordering::Release);
        }
    }

    let mutex = Raw::<Spin>::NEW;
    assert!(catch_unwind(AssertUnwindSafe(|| mutex.with(|| panic!("inside")))).is_err());
    assert_eq!(mutex.with(|| 4), 4);
}
