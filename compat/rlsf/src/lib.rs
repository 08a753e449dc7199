#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "unstable")]
mod blocks;
pub mod int;
mod tlsf;

#[cfg(feature = "unstable")]
pub use blocks::BlockInfo;
pub use tlsf::Tlsf;

/// What sizes and addresses of blocks are multiples of, in bytes.
pub const GRANULARITY: usize = block::tlsf::GRAIN;

#[cfg(test)]
extern crate std;
