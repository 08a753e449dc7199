//! TLSF: two-level segregated fit.
