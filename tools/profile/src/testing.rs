//! A small recording for tests, each block of which has its stack.

use trace::testing::script;

use crate::gather::{Profile, gather};

/// `main` (frame 1) allocates b, and calls a function (frame 2) that allocates a and c. One block has no stack.
pub(crate) fn profile() -> Profile {
    let trace = script(
        "frame 1 0 0x5000
         frame 2 1 0x6000
         frame 3 0 0
         frame 4 3 0x7000
         malloc a 1000 from 2
         malloc b 2000 from 1
         memory 10M 2M 0
         free a
         +5ms malloc c 500 from 2
         malloc d 70 from 4
         malloc e 5
         +5ms free d",
    );
    gather(&trace, Some(3_000_000)).unwrap()
}
