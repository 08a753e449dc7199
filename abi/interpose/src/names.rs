//! What the library exports, and the slots behind it.
//!
//! Each is a jump through its slot. So a call costs one jump, and switching the recorder on or off is writing the slots. Nothing
//! begins by `mmap` and `munmap`: a malloc that the program brings calls them with its lock held, and to begin is to look names
//! up, which allocates.

use core::ffi::{c_char, c_int, c_long, c_void};
use core::marker::PhantomData;
use core::mem::offset_of;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::next::stand_in;
use crate::{first, imp};

/// The address of a function of the type `F`.
#[repr(transparent)]
pub(crate) struct Slot<F>(AtomicPtr<()>, PhantomData<F>);

impl<F: Copy> Slot<F> {
    /// The function at this address.
    pub(crate) const fn of(address: *const ()) -> Self {
        Self(AtomicPtr::new(address.cast_mut()), PhantomData)
    }

    /// The function.
    #[inline(always)]
    pub(crate) fn get(&self) -> F {
        const { assert!(size_of::<F>() == size_of::<*const ()>(), "a function pointer") };
        let address = self.address();
        // SAFETY: a slot is filled with the address of a function of its type.
        unsafe { (&raw const address).cast::<F>().read() }
    }

    /// Lets it be the function at this address.
    pub(crate) fn set(&self, address: *const ()) {
        self.0.store(address.cast_mut(), Ordering::Relaxed);
    }

    /// Its address.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut () {
        self.0.load(Ordering::Relaxed)
    }
}

/// Calls a macro with every name and its type, behind what it is given besides.
macro_rules! each_name {
    ($call:ident $($besides:tt)*) => {
        $call! {
            $($besides)*
            malloc: unsafe extern "C" fn(usize) -> *mut u8;
            free: unsafe extern "C" fn(*mut u8);
            calloc: unsafe extern "C" fn(usize, usize) -> *mut u8;
            realloc: unsafe extern "C" fn(*mut u8, usize) -> *mut u8;
            reallocarray: unsafe extern "C" fn(*mut u8, usize, usize) -> *mut u8;
            memalign: unsafe extern "C" fn(usize, usize) -> *mut u8;
            aligned_alloc: unsafe extern "C" fn(usize, usize) -> *mut u8;
            posix_memalign: unsafe extern "C" fn(*mut *mut u8, usize, usize) -> c_int;
            valloc: unsafe extern "C" fn(usize) -> *mut u8;
            pvalloc: unsafe extern "C" fn(usize) -> *mut u8;
            malloc_usable_size: unsafe extern "C" fn(*mut u8) -> usize;
            cfree: unsafe extern "C" fn(*mut u8);
            free_sized: unsafe extern "C" fn(*mut u8, usize);
            free_aligned_sized: unsafe extern "C" fn(*mut u8, usize, usize);
            _Znwm: New;
            _Znam: New;
            _ZnwmRKSt9nothrow_t: New;
            _ZnamRKSt9nothrow_t: New;
            _ZnwmSt11align_val_t: New;
            _ZnamSt11align_val_t: New;
            _ZnwmSt11align_val_tRKSt9nothrow_t: New;
            _ZnamSt11align_val_tRKSt9nothrow_t: New;
            _ZdlPv: Delete;
            _ZdaPv: Delete;
            _ZdlPvm: Delete;
            _ZdaPvm: Delete;
            _ZdlPvSt11align_val_t: Delete;
            _ZdaPvSt11align_val_t: Delete;
            _ZdlPvmSt11align_val_t: Delete;
            _ZdaPvmSt11align_val_t: Delete;
            _ZdlPvRKSt9nothrow_t: Delete;
            _ZdaPvRKSt9nothrow_t: Delete;
            _ZdlPvSt11align_val_tRKSt9nothrow_t: Delete;
            _ZdaPvSt11align_val_tRKSt9nothrow_t: Delete;
            mmap: Mmap;
            mmap64: Mmap;
            munmap: unsafe extern "C" fn(*mut c_void, usize) -> c_int;
            fork: unsafe extern "C" fn() -> c_int;
            dlclose: unsafe extern "C" fn(*mut c_void) -> c_int;
            execve: unsafe extern "C" fn(*const c_char, List, List) -> c_int;
            execv: unsafe extern "C" fn(*const c_char, List) -> c_int;
            execvp: unsafe extern "C" fn(*const c_char, List) -> c_int;
            execvpe: unsafe extern "C" fn(*const c_char, List, List) -> c_int;
            heapwright_mark: unsafe extern "C" fn(*const c_char);
        }
    };
}
pub(crate) use each_name;

/// A table of the functions that a module `of` has by the names they are exported under.
macro_rules! table {
    ($vis:vis $table:ident: $($name:ident: $type:ty;)*) => {
        $vis static $table: $crate::names::Table = $crate::names::Table {
            $($name: $crate::names::Slot::of(of::$name as *const ()),)*
        };
    };
}
pub(crate) use table;

/// Any form of `operator new`: the size, and what else its form has.
pub(crate) type New = unsafe extern "C" fn(usize, usize, usize) -> *mut u8;
/// Any form of `operator delete`: the block, and what else its form has.
pub(crate) type Delete = unsafe extern "C" fn(*mut u8, usize, usize);
/// `mmap`.
pub(crate) type Mmap =
    unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, c_long) -> *mut c_void;
/// The arguments, or the environment, of a program.
pub(crate) type List = *const *const c_char;

macro_rules! tables {
    ($($name:ident: $type:ty;)*) => {
        /// A function for each name.
        #[repr(C)]
        #[allow(non_snake_case, reason = "the names of C++")]
        pub(crate) struct Table {
            $(pub(crate) $name: Slot<$type>,)*
        }

        /// The names, as the loader takes them, in the order of the table.
        pub(crate) const NAMES: &[&core::ffi::CStr] = &[$({
            const NAME: &core::ffi::CStr =
                match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zeros"),
                };
            NAME
        },)*];

        /// The slots before the first call.
        #[expect(clippy::declare_interior_mutable_const, reason = "what the table begins with")]
        const FIRST: Table = Table {
            mmap: Slot::of(stand_in::mmap as *const ()),
            mmap64: Slot::of(stand_in::mmap as *const ()),
            munmap: Slot::of(stand_in::munmap as *const ()),
            ..Table { $($name: Slot::of(first_call::$name as *const ()),)* }
        };

        /// Exported: each jumps to where its slot says.
        #[allow(non_snake_case, reason = "the names of C++")]
        mod exported {
            $(
                #[unsafe(no_mangle)]
                #[unsafe(naked)]
                unsafe extern "C" fn $name() {
                    super::imp::jump!(super::SLOTS, core::mem::offset_of!(super::Table, $name))
                }
            )*
        }

        /// What the slots have before the first call: the recorder begins, and the slot is called.
        #[allow(non_snake_case, reason = "the names of C++")]
        mod first_call {
            $(
                #[unsafe(naked)]
                pub(super) unsafe extern "C" fn $name() {
                    super::imp::jump_after!(
                        super::first::begin, super::SLOTS, core::mem::offset_of!(super::Table, $name)
                    )
                }
            )*
        }
    };
}
each_name!(tables);

const _: () = assert!(size_of::<Table>() == NAMES.len() * size_of::<*const ()>());
const _: () = assert!(offset_of!(Table, malloc) == 0);

/// What the exported functions jump to.
pub(crate) static SLOTS: Table = FIRST;

/// The words of a table, in the order of [`NAMES`].
pub(crate) fn words(table: &Table) -> &[AtomicPtr<()>] {
    // SAFETY: a table consists of addresses, which an atomic pointer is in memory.
    unsafe { core::slice::from_raw_parts((&raw const *table).cast(), NAMES.len()) }
}

/// Lets the exported functions be these.
pub(crate) fn switch_to(table: &Table) {
    for (slot, function) in words(&SLOTS).iter().zip(words(table)) {
        slot.store(function.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Lets one of them be another function.
pub(crate) fn set(at: usize, function: *mut ()) {
    words(&SLOTS)[at].store(function, Ordering::Relaxed);
}
