//! The loaded file that an address is in: the program, a library or the kernel's page. The loader is asked, without its lock where the
//! C library can (glibc 2.35 and newer).
//!
//! ```text
//! start [ ELF header, program headers │ … │ code │ tables │ data ] end      what is read is inside what was loaded
//! ```

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicPtr, Ordering};

use libc::{Elf64_Ehdr, Elf64_Phdr, PF_R, PF_X, PT_GNU_EH_FRAME, PT_LOAD, PT_NOTE};

use super::bytes::Bytes;
use crate::errno::Kept;
use crate::front;

const PAGE: usize = 4096;

/// glibc's `_dl_find_object`, where there is one.
static FIND: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// Whether the C library is glibc, whose `dl_iterate_phdr` may be called while a library is being loaded.
static IS_GLIBC: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Looks for what the loader is asked by.
pub(super) fn begin() {
    let find = |name| (front::get().function)(name).unwrap_or(core::ptr::null_mut());
    FIND.store(find(c"_dl_find_object"), Ordering::Relaxed);
    IS_GLIBC.store(find(c"gnu_get_libc_version"), Ordering::Relaxed);
}

/// What `_dl_find_object` writes.
#[repr(C)]
struct Found {
    flags: u64,
    start: *const u8,
    end: *const u8,
    link: *const Link,
    table: *const u8,
    reserved: [u64; 11],
}

/// The begin of the loader's `link_map`.
#[repr(C)]
struct Link {
    base: usize,
    name: *const c_char,
}

/// A loaded file.
pub(super) struct Object {
    /// How far from the addresses of its file it was loaded.
    base: usize,
    /// As the loader has it: nothing for the program itself.
    pub(super) name: &'static CStr,
    headers: &'static [Elf64_Phdr],
}

impl Object {
    fn new(base: usize, name: &'static CStr, headers: &'static [Elf64_Phdr]) -> Self {
        Self { base, name, headers }
    }

    /// Where it begins: no other file does there.
    pub(super) fn start(&self) -> usize {
        self.parts(PT_LOAD).next().map_or(0, |part| self.address(part))
    }

    /// The file that was loaded around this address.
    #[cold]
    pub(super) fn around(address: usize) -> Option<Self> {
        let _errno = Kept::now();
        let find = FIND.load(Ordering::Relaxed);
        if find.is_null() { iterated(address) } else { found(find, address) }
    }

    /// The bytes from an address to the end of what was loaded with it.
    pub(super) fn bytes(&self, address: usize) -> Option<&'static [u8]> {
        let inside = |part: &&Elf64_Phdr| {
            let at = address.wrapping_sub(self.base.wrapping_add(part.p_vaddr as usize));
            part.p_type == PT_LOAD && part.p_flags & PF_R != 0 && at < part.p_filesz as usize
        };
        let part = self.headers.iter().find(inside)?;
        let end = self.base.wrapping_add((part.p_vaddr + part.p_filesz) as usize);
        let at = core::ptr::with_exposed_provenance::<u8>(address);
        // SAFETY: inside a part of the file that was loaded to be read; who has it in its stack keeps it loaded.
        Some(unsafe { core::slice::from_raw_parts(at, end - address) })
    }

    fn parts(&self, kind: u32) -> impl Iterator<Item = &'static Elf64_Phdr> {
        self.headers.iter().filter(move |part| part.p_type == kind)
    }

    fn address(&self, part: &Elf64_Phdr) -> usize {
        self.base.wrapping_add(part.p_vaddr as usize)
    }

    /// Where the table begins that `.eh_frame` is searched by.
    pub(super) fn unwind_table(&self) -> Option<usize> {
        self.parts(PT_GNU_EH_FRAME).next().map(|part| self.address(part))
    }

    /// Its code: from where to where, and where in the file that begins.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, usize, u64)> {
        let code = self.parts(PT_LOAD).filter(|part| part.p_flags & PF_X != 0);
        code.map(|part| {
            let start = self.address(part);
            (start, start + part.p_memsz as usize, part.p_offset)
        })
    }

    /// The build id that the linker gave it.
    pub(super) fn build_id(&self) -> &'static [u8] {
        const BUILD_ID: u32 = 3;
        let notes = self.parts(PT_NOTE).filter_map(|part| {
            let mut bytes = Bytes::new(self.bytes(self.address(part))?);
            bytes.part(part.p_filesz as usize)
        });
        for mut notes in notes {
            let mut note = || {
                let (name, len, kind) = (notes.word()?, notes.word()?, notes.word()?);
                let name = notes.take(name.next_multiple_of(4) as usize)?;
                let id = notes.take(len as usize)?;
                notes.take((len.next_multiple_of(4) - len) as usize)?;
                Some((kind == BUILD_ID && name == b"GNU\0").then_some(id))
            };
            while let Some(id) = note() {
                if let Some(id) = id {
                    return id;
                }
            }
        }
        &[]
    }
}

fn found(find: *mut (), address: usize) -> Option<Object> {
    type Find = unsafe extern "C" fn(usize, *mut Found) -> c_int;
    // SAFETY: the address of the function of this name, which has this type.
    let find = unsafe { (&raw const find).cast::<Find>().read() };
    let mut about = MaybeUninit::<Found>::zeroed();
    // SAFETY: writes `about`, and looks at the loader's lists only.
    if unsafe { find(address, about.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: zeros, or what was written.
    let about = unsafe { about.assume_init() };
    if about.link.is_null() {
        let headers = headers_at(about.start)?;
        return Some(Object::new(base_of(headers, about.start.addr())?, c"", headers));
    }
    // SAFETY: the loader's, as long as the file is loaded.
    let link = unsafe { &*about.link };
    // SAFETY: a string of the loader's.
    let name = unsafe { CStr::from_ptr(link.name) };
    // Of a program whose parts do not lie side by side the loader says where this part begins.
    let headers = if name.is_empty() { program_headers() } else { headers_at(about.start)? };
    Some(Object::new(link.base, name, headers))
}

/// The headers of the program itself, as the kernel loaded it.
fn program_headers() -> &'static [Elf64_Phdr] {
    // SAFETY: asks only.
    let at = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
    // SAFETY: asks only.
    let count = unsafe { libc::getauxval(libc::AT_PHNUM) } as usize;
    if at == 0 {
        return &[];
    }
    let at = core::ptr::with_exposed_provenance(at);
    // SAFETY: the kernel says where they are.
    unsafe { core::slice::from_raw_parts(at, count) }
}

/// The headers of a file that was loaded from this address on.
fn headers_at(start: *const u8) -> Option<&'static [Elf64_Phdr]> {
    let header = start.cast::<Elf64_Ehdr>();
    // SAFETY: what was loaded first of a file begins with its header, and what was not is looked at here only.
    let header = unsafe { &*header };
    let (at, count) = (header.e_phoff as usize, usize::from(header.e_phnum));
    let is_right = header.e_ident[..4] == *b"\x7FELF"
        && usize::from(header.e_phentsize) == size_of::<Elf64_Phdr>()
        && at < PAGE
        && at + count * size_of::<Elf64_Phdr>() <= PAGE;
    let headers = start.wrapping_add(at).cast();
    // SAFETY: in the file's first page.
    is_right.then(|| unsafe { core::slice::from_raw_parts(headers, count) })
}

/// How far from the addresses of its file it was loaded.
fn base_of(headers: &[Elf64_Phdr], start: usize) -> Option<usize> {
    let first = headers.iter().find(|part| part.p_type == PT_LOAD)?;
    Some(start.wrapping_sub(first.p_vaddr as usize & !(PAGE - 1)))
}

/// The same where the loader has no such function.
fn iterated(address: usize) -> Option<Object> {
    struct Asked {
        address: usize,
        found: Option<Object>,
    }

    unsafe extern "C" fn look(
        about: *mut libc::dl_phdr_info,
        _: usize,
        asked: *mut c_void,
    ) -> c_int {
        // SAFETY: what is passed below.
        let asked = unsafe { &mut *asked.cast::<Asked>() };
        // SAFETY: the loader's.
        let about = unsafe { &*about };
        // SAFETY: as many as it says, as long as the file is loaded.
        let headers =
            unsafe { core::slice::from_raw_parts(about.dlpi_phdr, about.dlpi_phnum.into()) };
        let base = about.dlpi_addr as usize;
        let has_it = |part: &Elf64_Phdr| {
            asked.address.wrapping_sub(base + part.p_vaddr as usize) < part.p_memsz as usize
        };
        let is_it = headers.iter().any(|part| part.p_type == PT_LOAD && has_it(part));
        // SAFETY: a string of the loader's.
        let name = unsafe { CStr::from_ptr(about.dlpi_name) };
        let object = Object::new(base, name, headers);
        asked.found = is_it.then_some(object);
        is_it.into()
    }

    if IS_GLIBC.load(Ordering::Relaxed).is_null() {
        return None;
    }
    let mut asked = Asked { address, found: None };
    // SAFETY: the function above takes what it is passed here.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut asked).cast()) };
    asked.found
}
