//! The facts about an ELF file that decide whether a preloaded malloc reaches it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{
    FileHeader, ProgramHeader as _, SectionHeader as _, SectionTable, Sym as _,
};
use object::{Endianness, FileKind};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Defined {
    #[default]
    No,
    /// For its own use: calls are bound when it is linked.
    Inside,
    /// For everyone: it is in the dynamic symbol table.
    Exported,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elf {
    pub is_64: bool,
    pub machine: u16,
    /// The dynamic loader it asks for; a static program asks for none.
    pub loader: Option<PathBuf>,
    pub needed: Vec<String>,
    pub malloc: Defined,
    pub operator_new: Defined,
    /// `dlopen`: a malloc that has its own clears RTLD_DEEPBIND.
    pub dlopen: Defined,
    /// The name of an allocator that is linked in, under names of its own or stripped of them.
    pub private_allocator: Option<String>,
    pub is_go: bool,
}

/// The functions of allocators that programs link in, and whose they are.
const FUNCTIONS: [(&str, &str); 8] = [
    ("_rjem_malloc", "jemalloc"),
    ("je_malloc", "jemalloc"),
    ("je_malloc_default", "jemalloc"),
    ("mi_malloc", "mimalloc"),
    ("_mi_malloc_generic", "mimalloc"),
    ("tc_malloc", "tcmalloc"),
    ("sn_malloc", "snmalloc"),
    ("heapwright_version", "heapwright"),
];

/// Part of the names of Rust functions, mangled: our crate's.
const CRATE: (&str, &str) = ("17heapwright_malloc", "heapwright");

/// Texts in allocators, for programs that have lost their symbols. From back to front: else this very list would be found in
/// the program that has it.
const TEXTS: [(&str, &str); 4] = [
    (" :>collamej<", "jemalloc"),
    ("_COLLAMIM", "mimalloc"),
    (" :gninraw :collamim", "mimalloc"),
    ("RETEMARAP_ELPMAS_COLLAMCT", "tcmalloc"),
];

impl Elf {
    /// Reads `file`; `None` if it is not an ELF file, or no file at all but a pipe, a folder or a device. Damaged tables count
    /// as empty.
    pub fn read(file: &Path) -> io::Result<Option<Self>> {
        // To open a pipe waits for its other end.
        if !fs::metadata(file)?.is_file() {
            return Ok(None);
        }
        let open = File::open(file)?;
        if open.metadata()?.len() == 0 {
            return Ok(None);
        }
        // SAFETY: the mapping is private and read-only; a program file is not cut short while it is looked at.
        let bytes = unsafe { Mmap::map(&open) }?;
        Ok(Self::parse(&bytes))
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        match FileKind::parse(bytes).ok()? {
            FileKind::Elf32 => Self::parse_as::<FileHeader32<Endianness>>(bytes, false),
            FileKind::Elf64 => Self::parse_as::<FileHeader64<Endianness>>(bytes, true),
            _ => None,
        }
    }

    fn parse_as<H: FileHeader<Endian = Endianness>>(bytes: &[u8], is_64: bool) -> Option<Self> {
        let header = H::parse(bytes).ok()?;
        let endian = header.endian().ok()?;
        let loader = header
            .program_headers(endian, bytes)
            .ok()?
            .iter()
            .find_map(|segment| segment.interpreter(endian, bytes).ok().flatten())
            .map(|path| PathBuf::from(String::from_utf8_lossy(path).into_owned()));
        let machine = header.e_machine(endian).0;
        let mut found = Self { is_64, machine, loader, ..Self::default() };
        if let Ok(sections) = header.sections(endian, bytes) {
            found.look_into(&sections, endian, bytes);
        }
        Some(found)
    }

    fn look_into<H: FileHeader<Endian = Endianness>>(
        &mut self,
        sections: &SectionTable<'_, H>,
        endian: Endianness,
        bytes: &[u8],
    ) {
        if let Some((_, section)) = sections.section_by_name(endian, b".rodata")
            && let Ok(data) = section.data(endian, bytes)
        {
            let has = |backward: &str| {
                let text: Vec<u8> = backward.bytes().rev().collect();
                memchr::memmem::find(data, &text).is_some()
            };
            let known = TEXTS.iter().find(|(text, _)| has(text));
            self.private_allocator = known.map(|(_, name)| (*name).to_owned());
        }
        self.is_go = sections.section_by_name(endian, b".go.buildinfo").is_some();
        if let Ok(table) = sections.dynamic_table(endian, bytes) {
            self.needed = table
                .iter()
                .filter(|entry| entry.tag == elf::DT_NEEDED)
                .filter_map(|entry| table.string(entry).ok())
                .map(|name| String::from_utf8_lossy(name).into_owned())
                .collect();
        }
        for (kind, defined) in
            [(elf::SHT_SYMTAB, Defined::Inside), (elf::SHT_DYNSYM, Defined::Exported)]
        {
            let Ok(table) = sections.symbols(endian, bytes, kind) else { continue };
            for symbol in table.iter() {
                if symbol.is_undefined(endian) || symbol.st_type() != elf::STT_FUNC {
                    continue;
                }
                match table.symbol_name(endian, symbol) {
                    Ok(b"malloc") => self.malloc = defined,
                    Ok(b"dlopen") => self.dlopen = defined,
                    Ok(b"_Znwm" | b"_Znwj") => self.operator_new = defined,
                    Ok(name) => {
                        if let Some(whose) = allocator_of(name) {
                            self.private_allocator.get_or_insert_with(|| whose.to_owned());
                        }
                    }
                    Err(_) => {}
                }
            }
        }
    }

    /// Its instruction set and word size, as people write it.
    pub fn architecture(&self) -> String {
        let name = match (self.machine, self.is_64) {
            (62, true) => "x86-64",
            (62, false) => "x32",
            (3, _) => "i386",
            (183, _) => "aarch64",
            (40, _) => "arm",
            (243, true) => "riscv64",
            (243, false) => "riscv32",
            (21, _) => "powerpc64",
            (22, _) => "s390x",
            (machine, _) => return format!("machine {machine}"),
        };
        name.to_owned()
    }

    /// Whether libraries built for this command's own processor can be loaded into it.
    pub fn is_native(&self) -> bool {
        let own = match std::env::consts::ARCH {
            "x86_64" => 62,
            "aarch64" => 183,
            "riscv64" => 243,
            "powerpc64" => 21,
            "s390x" => 22,
            _ => return true,
        };
        self.is_64 && self.machine == own
    }
}

fn allocator_of(function: &[u8]) -> Option<&'static str> {
    let by_name = FUNCTIONS.iter().find(|(name, _)| name.as_bytes() == function);
    let is_ours = || memchr::memmem::find(function, CRATE.0.as_bytes()).is_some();
    by_name.map(|(_, whose)| *whose).or_else(|| is_ours().then_some(CRATE.1))
}

/// Whether `file` is a library for this processor that exports `malloc`.
pub fn defines_malloc(file: &Path) -> bool {
    matches!(Elf::read(file), Ok(Some(elf)) if elf.is_native() && elf.malloc == Defined::Exported)
}
