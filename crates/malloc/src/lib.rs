//! (being built)
#![no_std]
