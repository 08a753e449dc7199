//! Real programs on the drop-in library, and on those of the classic designs.

mod cgo;
mod chromium;
mod classics;
mod gdb;
mod ghostscript;
mod git;
mod gxx;
mod imagemagick;
mod interpreters;
mod java;
mod nginx;
mod own_tests;
mod php;
mod postgres;
mod python;
mod redis;
mod tools;
