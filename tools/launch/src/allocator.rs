//! An allocator a program can run on: a name, the library that is preloaded for it, and what is set for it.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::environment::Setting;

/// The name of the C library's own malloc: the C library itself is preloaded, before what a program may be linked to.
pub const GLIBC: &str = "glibc";

pub const HEAPWRIGHT: &str = "heapwright";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Allocator {
    /// What tables call it: a label, or what it is called anyway.
    pub name: String,
    /// What it is called where no label is given.
    pub base: String,
    /// What to preload; `None` is the C library's own malloc.
    pub library: Option<PathBuf>,
    /// What it says its version is, where it says so.
    pub version: Option<String>,
    /// It is in the program of workloads itself, under this name; nothing is preloaded.
    pub in_process: Option<String>,
    /// What is set in it; only ours have settings.
    pub settings: Vec<Setting>,
    /// The variables that its programs get, name and value, each name once.
    pub environment: Vec<(String, String)>,
}

impl Allocator {
    fn new(name: String, library: Option<PathBuf>, in_process: Option<String>) -> Self {
        let (version, base) = (None, name.clone());
        Self { name, base, library, version, in_process, settings: vec![], environment: vec![] }
    }

    pub fn glibc() -> Self {
        Self::new(GLIBC.to_owned(), None, None).with_version(glibc_version())
    }

    pub fn preloaded(name: impl Into<String>, library: impl Into<PathBuf>) -> Self {
        Self::new(name.into(), Some(library.into()), None)
    }

    /// An allocator of the program of workloads: a region allocator behind one lock, or `null`.
    pub fn in_process(name: impl Into<String>) -> Self {
        let name = name.into();
        Self::new(name.clone(), None, Some(name))
    }

    /// What is set for it, each as `NAME=VALUE`.
    pub fn set(&self) -> Vec<String> {
        let settings = self.settings.iter().map(|set| (&set.key, &set.value));
        let variables = self.environment.iter().map(|(name, value)| (name, value));
        settings.chain(variables).map(|(name, value)| format!("{name}={value}")).collect()
    }

    /// What the program of workloads calls it, if it is in there: its name, and what is set: `zsmalloc:chain=4`.
    pub fn word(&self) -> Option<String> {
        let name = self.in_process.as_ref()?;
        let set = self.settings.iter().map(|set| format!(":{}={}", set.key, set.value));
        Some(core::iter::once(name.clone()).chain(set).collect())
    }

    pub fn with_version(mut self, version: Option<String>) -> Self {
        self.version = version;
        self
    }

    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }
}

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
