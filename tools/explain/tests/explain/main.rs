//! What is said of programs whose faults are known.

mod toy;

mod rules;
mod sites;
