//! Our own allocators.

crate::entries! {}
