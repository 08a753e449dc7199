//! Slow calls, as others see them: who asks is told of each that allocates.
//!
//! Once a refill or a large block, before its work and while no lock is held: what is told may allocate, and
//! start threads. Else a load and a branch.
use base::sync::{AtomicUsize, Ordering};
use page::System;
use thread::Tls;

use super::Flagship;

/// Who is told: the address of a function pointer that stays; 0: nobody.
#[derive(Debug)]
pub(crate) struct SlowCalls(AtomicUsize);

impl SlowCalls {
    pub(crate) const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }
}

impl<S: System, T: Tls> Flagship<S, T> {
    /// From now on `who` is called in slow calls that allocate.
    pub fn on_slow_calls(&self, who: &'static fn()) {
        self.slow_calls.0.store(core::ptr::from_ref(who).expose_provenance(), Ordering::Release);
    }

    /// A slow call that allocates begins.
    #[inline]
    pub(crate) fn tell_slow_call(&self) {
        self.look_for_peak(false);
        let at = self.slow_calls.0.load(Ordering::Acquire);
        // SAFETY: 0, or the address that `on_slow_calls` was given, whose contents stay.
        if let Some(who) = unsafe { core::ptr::with_exposed_provenance::<fn()>(at).as_ref() } {
            who();
        }
    }
}
