//! The operating system this is compiled for: one file chooses, the rest says [`Os`].

#[cfg(target_os = "linux")]
pub mod linux;
#[cfg(target_os = "linux")]
pub use linux as imp;

pub use imp::Os;
