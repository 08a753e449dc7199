//! Packed traces: whole, damaged, and many of them.

mod damage;
mod fleet;
mod roundtrip;
