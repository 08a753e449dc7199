//! What the built library exports, imports and asks of the loader, read from the ELF file itself.
use crate::library;
use object::{
    Object as _, ObjectSymbol as _, elf,
    read::elf::{Dynamic, ElfFile64, ProgramHeader as _},
};
use std::{collections::BTreeSet, fs, path::Path};

/// The functions of the C library that the library replaces or adds.
const C: &str = "\
    malloc calloc realloc reallocarray free cfree free_sized free_aligned_sized aligned_alloc memalign \
    posix_memalign valloc pvalloc malloc_usable_size malloc_trim mallopt mallinfo mallinfo2 malloc_info \
    malloc_stats dlopen";

/// glibc's own second names for them.
const LIBC: &str = "\
    __libc_malloc __libc_calloc __libc_realloc __libc_free __libc_memalign __libc_valloc __libc_pvalloc \
    __libc_mallinfo __libc_mallopt";

/// The functions by which a program limits its addresses, which the flagship has to know of.
const LIMITS: &str = "setrlimit setrlimit64 prlimit prlimit64";

/// The function by which a program confines itself, which every malloc has to know of.
const CONFINE: &str = "prctl";

/// The function of `heapwright.h` that every malloc has.
const WALK: &str = "heapwright_walk";

/// The functions of `heapwright.h`.
const OWN: &str = "\
    heapwright_version heapwright_purge heapwright_stats heapwright_stats_print heapwright_check \
    heapwright_walk heapwright_heap_new heapwright_heap_malloc heapwright_heap_aligned_alloc heapwright_heap_destroy";

/// C++'s operators: `nw` new, `dl` delete, `na` and `da` for arrays; `m` a size, `St11align_val_t` an alignment.
const CXX: &str = "\
    _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t \
    _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm \
    _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t _ZdlPvSt11align_val_t _ZdaPvSt11align_val_t _ZdlPvmSt11align_val_t \
    _ZdaPvmSt11align_val_t _ZdlPvSt11align_val_tRKSt9nothrow_t _ZdaPvSt11align_val_tRKSt9nothrow_t";

/// Bytes of static TLS: 77 magazine tops and three words. glibc 2.36 has 1664 for all libraries opened by a running program,
/// of which `tests/c/dlopen_static_tls.c` and `docs/tuning.md` say that we take 640: more is a change of theirs too.
const TLS: u64 = 640;

/// The tests by their names.
pub(crate) const ALL: [(&str, fn()); 7] = [
    ("exports_every_promised_name", exports_every_promised_name),
    ("exports_nothing_else", exports_nothing_else),
    ("every_own_export_is_in_the_header", every_own_export_is_in_the_header),
    ("the_soname_is_that_of_an_installed_library", the_soname_is_that_of_an_installed_library),
    ("thread_local_storage_is_static_and_small", thread_local_storage_is_static_and_small),
    ("needs_the_c_library_and_no_other", needs_the_c_library_and_no_other),
    (
        "asks_for_no_executable_stack_and_no_text_relocations",
        asks_for_no_executable_stack_and_no_text_relocations,
    ),
];

fn names<'a>(lists: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    lists.iter().flat_map(|list| list.split_whitespace())
}

fn with_library(check: impl FnOnce(&ElfFile64<'_>)) {
    with_file(library::shared(), check);
}

fn with_file(path: &Path, check: impl FnOnce(&ElfFile64<'_>)) {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    check(&ElfFile64::<object::Endianness>::parse(&*bytes).expect("the library is an ELF file"));
}

fn exported(file: &ElfFile64<'_>) -> BTreeSet<String> {
    file.dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| Some(symbol.name().ok()?.to_owned()))
        .collect()
}

/// The dynamic section's entries with `tag`.
fn dynamic(file: &ElfFile64<'_>, tag: elf::DynamicTag) -> Vec<Dynamic> {
    let table = file.elf_dynamic_table().expect("a shared library has a dynamic section");
    table.iter().filter(|entry| entry.tag == tag).collect()
}

/// The name by which a program that is linked to it asks the loader for it.
fn soname(file: &ElfFile64<'_>) -> String {
    let table = file.elf_dynamic_table().expect("a shared library has a dynamic section");
    let names = dynamic(file, elf::DT_SONAME);
    let name = names.first().map(|entry| table.string(*entry).expect("a name"));
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
}

fn exports_every_promised_name() {
    with_library(|file| {
        let exported = exported(file);
        let missing: Vec<_> = names(&[C, LIBC, LIMITS, CONFINE, OWN, CXX])
            .filter(|&name| !exported.contains(name))
            .collect();
        assert!(missing.is_empty(), "not exported: {missing:?}");
    });
}

fn exports_nothing_else() {
    with_library(|file| {
        let known = |name: &str| {
            names(&[C, CXX, LIMITS, CONFINE]).any(|promised| promised == name)
                || name.starts_with("__libc_")
                || name.starts_with("heapwright_")
        };
        let others: Vec<_> = exported(file).into_iter().filter(|name| !known(name)).collect();
        assert!(others.is_empty(), "exported, but nobody's business: {others:?}");
    });
}

fn every_own_export_is_in_the_header() {
    with_library(|file| {
        let header = fs::read_to_string(crate::source::home().join("include/heapwright.h"))
            .expect("the header");
        let unknown: Vec<_> = exported(file)
            .into_iter()
            .filter(|name| name.starts_with("heapwright_") && !header.contains(&format!("{name}(")))
            .collect();
        assert!(unknown.is_empty(), "exported, but not in heapwright.h: {unknown:?}");
    });
}

/// A classic design has all that is promised for any malloc, of heapwright's own only the walk that a recorder asks for, and
/// a word of thread-local storage that says whether the thread is busy, and two aligned to 16 bytes if threads have
/// records.
pub(crate) fn of_drop_in(name: &str, library: &Path) {
    with_file(library, |file| {
        let exported = exported(file);
        let promised: BTreeSet<String> =
            names(&[C, LIBC, CONFINE, CXX, WALK]).map(str::to_owned).collect();
        let missing: Vec<_> = promised.difference(&exported).collect();
        assert!(missing.is_empty(), "{name}: not exported: {missing:?}");
        let others: Vec<_> =
            exported.difference(&promised).filter(|other| !other.starts_with("__libc_")).collect();
        assert!(others.is_empty(), "{name}: exported, but nobody's business: {others:?}");
        let endian = file.endian();
        let headers = file.elf_program_headers().iter();
        let local = headers.filter(|header| header.p_type(endian) == elf::PT_TLS);
        let bytes: u64 = local.map(|header| header.p_memsz(endian)).sum();
        let row = registry::MALLOCS.iter().find(|row| row.name == name);
        let has_records = row.is_some_and(|row| row.abilities.contains(&"threads"));
        // Which of the two comes first is the linker's choice: the larger is aligned to 16.
        let expected: &[u64] = if has_records { &[24, 32] } else { &[8] };
        assert!(expected.contains(&bytes), "{name}: {bytes} bytes of thread-local storage");
        assert_eq!(soname(file), installed(&format!("libheapwright-{name}")));
    });
}

/// A program that was linked to what cargo built starts with what is installed, and the other way round.
fn the_soname_is_that_of_an_installed_library() {
    with_library(|file| assert_eq!(soname(file), installed("libheapwright")));
}

/// The name by which the loader finds a library that has this one where it is installed.
fn installed(name: &str) -> String {
    format!("{name}.so.{}", env!("CARGO_PKG_VERSION_MAJOR"))
}

fn thread_local_storage_is_static_and_small() {
    with_library(|file| {
        let flags = dynamic(file, elf::DT_FLAGS).iter().fold(0, |all, flags| all | flags.val);
        // The linker for aarch64 (binutils 2.40) does not set the flag.
        let is_set_by_linker = file.architecture() != object::Architecture::Aarch64;
        assert!(
            !is_set_by_linker || flags & elf::DF_STATIC_TLS.0 != 0,
            "the STATIC_TLS flag is not set: flags {flags:#x}"
        );
        let dynamic_call =
            file.dynamic_symbols().any(|symbol| symbol.name() == Ok("__tls_get_addr"));
        assert!(
            !dynamic_call,
            "__tls_get_addr is imported: some thread-local access is not initial-exec"
        );
        let endian = file.endian();
        let headers = file.elf_program_headers().iter();
        let size: u64 = headers
            .filter(|header| header.p_type(endian) == elf::PT_TLS)
            .map(|header| header.p_memsz(endian))
            .sum();
        assert_eq!(size, TLS, "bytes of thread-local storage");
    });
}

fn needs_the_c_library_and_no_other() {
    with_library(|file| {
        let table = file.elf_dynamic_table().expect("a shared library has a dynamic section");
        let needed = dynamic(file, elf::DT_NEEDED)
            .into_iter()
            .map(|entry| table.string(entry).expect("a name"));
        let others: Vec<_> = needed
            .map(String::from_utf8_lossy)
            .filter(|name| name != "libc.so" && !name.starts_with("libc.so."))
            .collect();
        assert!(others.is_empty(), "the library makes every program load {others:?}");
    });
}

fn asks_for_no_executable_stack_and_no_text_relocations() {
    with_library(|file| {
        let endian = file.endian();
        let stack = file
            .elf_program_headers()
            .iter()
            .find(|header| header.p_type(endian) == elf::PT_GNU_STACK);
        let stack = stack.expect("the library says what it needs of the stack");
        assert!(
            stack.p_flags(endian).0 & elf::PF_X.0 == 0,
            "the library asks for an executable stack"
        );
        assert!(dynamic(file, elf::DT_TEXTREL).is_empty(), "the library has text relocations");
    });
}
