//! Buddy: blocks of powers of two.
