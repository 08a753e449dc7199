//! Atomics that tell a simulation of each access: of whose cache lines they are, and in what order threads reach them.
//!
//! Only where everything is compiled with `--cfg simulated`, for `bench/scaling`. The simulation runs its threads by turns
//! on one of the system's, and may go on with another one inside of each call here.
use core::sync::atomic as real;

pub use core::sync::atomic::{Ordering, fence};

/// What is done to a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Load,
    /// It is written.
    Store,
    /// It is read and written at once.
    Update,
    /// It will be written soon.
    Prefetch,
}

/// Who is told.
#[derive(Debug, Clone, Copy)]
pub struct Listener {
    /// Before an access to the word at an address.
    pub access: fn(usize, Access),
    /// After a comparison of the word at an address: whether 0 was expected, and whether it was changed.
    pub compared: fn(usize, bool, bool),
    /// In a loop that waits.
    pub spin: fn(),
}

static LISTENER: real::AtomicPtr<Listener> = real::AtomicPtr::new(core::ptr::null_mut());

/// From now on `listener` is told.
pub fn listen(listener: &'static Listener) {
    LISTENER.store(core::ptr::from_ref(listener).cast_mut(), Ordering::Release);
}

#[inline]
fn tell(how: impl FnOnce(&Listener)) {
    // SAFETY: null, or what `listen` was given, which stays.
    if let Some(listener) = unsafe { LISTENER.load(Ordering::Acquire).as_ref() } {
        how(listener);
    }
}

/// The word at an address will be written soon.
pub(crate) fn prefetch(at: usize) {
    tell(|listener| (listener.access)(at, Access::Prefetch));
}

/// A turn of a loop that waits.
pub(super) fn spin() {
    tell(|listener| (listener.spin)());
}

macro_rules! simulated {
    ($($name:ident: $value:ty { $($update:ident),* })*) => {$(
        /// As the real one, and the listener is told.
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name(real::$name);

        impl $name {
            /// With this value.
            #[must_use]
            pub const fn new(value: $value) -> Self {
                Self(real::$name::new(value))
            }

            fn tell(&self, access: Access) {
                tell(|listener| (listener.access)(core::ptr::from_ref(self).addr(), access));
            }

            /// As the real one.
            pub fn load(&self, order: Ordering) -> $value {
                self.tell(Access::Load);
                self.0.load(order)
            }

            /// As the real one.
            pub fn store(&self, value: $value, order: Ordering) {
                self.tell(Access::Store);
                self.0.store(value, order);
            }

            /// As the real one.
            ///
            /// # Errors
            ///
            /// What it was, which was not `old`.
            pub fn compare_exchange(
                &self,
                old: $value,
                new: $value,
                done: Ordering,
                failed: Ordering,
            ) -> Result<$value, $value> {
                self.tell(Access::Update);
                let answer = self.0.compare_exchange(old, new, done, failed);
                let at = core::ptr::from_ref(self).addr();
                let is_zero = old == <$value>::default();
                tell(|listener| (listener.compared)(at, is_zero, answer.is_ok()));
                answer
            }

            /// As the real one, but it never fails for no reason.
            ///
            /// # Errors
            ///
            /// What it was, which was not `old`.
            pub fn compare_exchange_weak(
                &self,
                old: $value,
                new: $value,
                done: Ordering,
                failed: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(old, new, done, failed)
            }

            $(
                /// As the real one.
                pub fn $update(&self, value: $value, order: Ordering) -> $value {
                    self.tell(Access::Update);
                    self.0.$update(value, order)
                }
            )*
        }
    )*};
}

simulated! {
    AtomicBool: bool { swap, fetch_or, fetch_and }
    AtomicU8: u8 { swap, fetch_add, fetch_sub, fetch_or, fetch_and }
    AtomicU16: u16 { swap, fetch_add, fetch_sub, fetch_or, fetch_and }
    AtomicU32: u32 { swap, fetch_add, fetch_sub, fetch_or, fetch_and, fetch_max }
    AtomicU64: u64 { swap, fetch_add, fetch_sub, fetch_or, fetch_and, fetch_max }
    AtomicUsize: usize { swap, fetch_add, fetch_sub, fetch_or, fetch_and, fetch_max }
}
