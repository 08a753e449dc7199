//! The fits: one heap, the choice of block a policy.
