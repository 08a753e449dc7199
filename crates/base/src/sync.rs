//! The one place that chooses between real atomics and loom's model of them.
//!
//! Lock-free protocols import from here, so that the models in `model/` run the
//! same code under every interleaving.

#[cfg(not(loom))]
pub use core::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

#[cfg(loom)]
pub use loom::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
};

/// Tells the processor that this is a spin loop.
#[inline]
pub fn spin_hint() {
    #[cfg(not(loom))]
    core::hint::spin_loop();
    #[cfg(loom)]
    loom::thread::yield_now();
}

/// A number that only one thread changes at a time: it is the thread's own, or the thread holds the
/// lock that guards it. Any may read it. No locked operation; wraps.
pub trait OneWriter {
    /// Its numbers.
    type Number;

    /// Raises it, and returns what it is then.
    fn raise(&self, by: Self::Number) -> Self::Number;

    /// Lowers it.
    fn lower(&self, by: Self::Number);

    /// Changes it, and returns what it was.
    fn replace(&self, new: Self::Number) -> Self::Number;
}

macro_rules! one_writer {
    ($($atomic:ty: $number:ty),*) => {$(
        impl OneWriter for $atomic {
            type Number = $number;

            #[inline]
            fn raise(&self, by: $number) -> $number {
                let new = self.load(Ordering::Relaxed).wrapping_add(by);
                self.store(new, Ordering::Relaxed);
                new
            }

            #[inline]
            fn lower(&self, by: $number) {
                self.raise(by.wrapping_neg());
            }

            #[inline]
            fn replace(&self, new: $number) -> $number {
                let old = self.load(Ordering::Relaxed);
                self.store(new, Ordering::Relaxed);
                old
            }
        }
    )*};
}

one_writer!(AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize);
