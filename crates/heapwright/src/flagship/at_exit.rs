//! What the variable `HEAPWRIGHT` asks for when the process ends: `stats=1`, `check=1`.
//!
//! The drop-in library has a function of its own for it. As a program's global allocator there is
//! none of ours that would be called, so this one is put where the C library looks. It does
//! nothing where the program has another global allocator: the options are read with the first
//! request.
use malloc::heapwright::global;

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

extern "C" fn end() {
    global::at_exit();
}
