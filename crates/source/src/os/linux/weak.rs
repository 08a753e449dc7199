//! Names of the C library that may be missing: weak, so that musl's and a static link are fine.
//!
//! Layer *source*. The address comes from the global offset table; it is 0 where nobody
//! defines the name.

/// The address of a name of the C library, or 0.
#[macro_export]
macro_rules! address_of {
    ($name:literal) => {{
        let address: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads a constant that the loader has filled in.
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("mov {}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads a constant that the loader has filled in.
        unsafe {
            core::arch::asm!(
                concat!(".weak ", $name),
                concat!("adrp {0}, :got:", $name),
                concat!("ldr {0}, [{0}, :got_lo12:", $name, "]"),
                out(reg) address,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        address
    }};
}

/// The function at an address that [`address_of`] gave, `None` at 0.
/// # Safety
/// `F` is a function pointer, and what is there has its type.
pub(super) unsafe fn function<F: Copy>(address: usize) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const ()>(), "a function pointer") };
    let pointer = core::ptr::with_exposed_provenance::<()>(address);
    // SAFETY: the caller's promise.
    (!pointer.is_null()).then(|| unsafe { core::mem::transmute_copy::<*const (), F>(&pointer) })
}

pub(super) use address_of;
