//! A script's words become these steps.

use super::script;
use crate::step::{How, Op, Step};

#[test]
fn each_line_is_a_step() {
    let trace = script(
        "frame 1 0 0x5000
         frame 2 1 0x6000
         malloc a 100 from 2
         +5ms t1 calloc b 4K
         # a remark
         aligned c 1M 4096 at 0x100000
         realloc a d 200
         t0 usable d 208
         free b touched 1
         refused 1G
         name main thread
         memory 10M 2M 0
         mark request
         map 0x7000 64K
         fork 4712
         t1 end",
    );
    let steps: Vec<Step> = trace.steps().map(Result::unwrap).collect();
    assert_eq!((steps[2].thread, &steps[2].op), (1, &Op::ThreadStart));
    assert_eq!((steps[3].time - steps[1].time) / 1_000_000, 5);
    let (how, size, address) = (How::Aligned, 1 << 20, 0x10_0000);
    let aligned = Op::Allocate { block: 2, how, size, align: 4096, address, frame: 0 };
    assert_eq!(steps[4].op, aligned);
    assert!(matches!(steps[5].op, Op::Reallocate { old: 0, block: 3, size: 200, .. }));
    assert_eq!((steps[14].thread, &steps[14].op), (1, &Op::ThreadEnd));
    let about = trace.about();
    assert_eq!((about.events, about.blocks, about.threads.len()), (15, 4, 2));
    assert_eq!((about.threads[0].name.as_str(), about.threads[1].ended), ("main thread", true));
    let frames = trace.frames().unwrap();
    assert_eq!(frames.stack(2).collect::<Vec<_>>(), [0x6000, 0x5000]);
    let segment = &trace.segments()[0];
    assert_eq!((segment.live_bytes, segment.live_blocks), (200 + (1 << 20), 2));
    assert_eq!((segment.peak_bytes, segment.peak_step), (200 + 4096 + (1 << 20), 5));
    assert_eq!(segment.memory.unwrap().anon, 10 << 20);
}
