//! An allocator a program can run on: a name, and the library that is preloaded for it.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// The name of the C library's own malloc: the C library itself is preloaded, before what a program may be linked to.
pub const GLIBC: &str = "glibc";

/// The name of ours.
pub const HEAPWRIGHT: &str = "heapwright";

/// An allocator by name, with the library that brings it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allocator {
    /// What tables and `-a` call it.
    pub name: String,
    /// What to preload; `None` is the C library's own malloc.
    pub library: Option<PathBuf>,
    /// What it says its version is, where it says so.
    pub version: Option<String>,
    /// It is in the program of workloads itself, under this name; nothing is preloaded.
    pub in_process: Option<String>,
}

impl Allocator {
    /// The C library's own malloc.
    #[must_use]
    pub fn glibc() -> Self {
        Self { name: GLIBC.to_owned(), library: None, version: glibc_version(), in_process: None }
    }

    /// An allocator that is preloaded from `library`.
    #[must_use]
    pub fn preloaded(name: impl Into<String>, library: impl Into<PathBuf>) -> Self {
        Self { name: name.into(), library: Some(library.into()), version: None, in_process: None }
    }

    /// An allocator of the program of workloads: a region allocator behind one lock, or `null`.
    #[must_use]
    pub fn in_process(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { name: name.clone(), library: None, version: None, in_process: Some(name) }
    }

    /// The same with its version.
    #[must_use]
    pub fn with_version(mut self, version: Option<String>) -> Self {
        self.version = version;
        self
    }

    /// The library's path, if there is one.
    #[must_use]
    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }
}

/// The version of the C library this process runs on.
#[must_use]
pub fn glibc_version() -> Option<String> {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it takes nothing and returns a static C string.
        let version = unsafe { libc::gnu_get_libc_version() };
        // SAFETY: as above.
        let version = unsafe { core::ffi::CStr::from_ptr(version) };
        Some(version.to_string_lossy().into_owned())
    }
    #[cfg(not(target_env = "gnu"))]
    None
}
