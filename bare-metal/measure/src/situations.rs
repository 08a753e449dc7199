//! Situations made on purpose: each names the case that an allocator's code goes through.

use crate::heap::{Block, Heap};
use crate::live::{Numbers, table};
use crate::tally::Tally;

/// All of them, each on a new heap.
pub(crate) fn run(heap: &mut Heap) {
    split(heap);
    exact(heap);
    between(heap);
    holes(heap);
}

/// `split malloc`: each request is cut off the one large free block.
fn split(heap: &mut Heap) {
    heap.anew();
    let (mut numbers, mut tally) = (Numbers::new(1), Tally::new());
    for _ in 0..400 {
        let (_, count) = heap.must(numbers.range(16, 1024));
        tally.add(count);
    }
    tally.say(heap.subject.name, "split", "malloc");
}

/// `exact malloc`: the one hole has the size asked for. `apart free`: the block's neighbours are live.
///
/// ```text
/// [ block ][ guard ][ block ][ guard ] … [ free ]      one block at a time is freed and had again
/// ```
fn exact(heap: &mut Heap) {
    heap.anew();
    let (mut numbers, mut malloc, mut free) = (Numbers::new(2), Tally::new(), Tally::new());
    table(|blocks| {
        let blocks = &mut blocks[..400];
        for block in &mut *blocks {
            *block = heap.must(numbers.range(16, 512)).0;
            heap.must(16);
        }
        numbers.shuffle(blocks);
        for block in blocks {
            free.add(heap.free(*block));
            let (again, count) = heap.must(block.size);
            malloc.add(count);
            *block = again;
        }
    });
    malloc.say(heap.subject.name, "exact", "malloc");
    free.say(heap.subject.name, "apart", "free");
}

/// `between free`: both neighbours are free.
///
/// ```text
/// [ free ][ block ][ free ][ guard ] …
/// ```
fn between(heap: &mut Heap) {
    heap.anew();
    let (mut numbers, mut free) = (Numbers::new(3), Tally::new());
    table(|blocks| {
        let blocks = &mut blocks[..600];
        for (i, block) in blocks.iter_mut().enumerate() {
            *block = heap.must(numbers.range(16, 512)).0;
            if i % 3 == 2 {
                heap.must(16);
            }
        }
        for three in blocks.chunks(3) {
            heap.free(three[0]);
            heap.free(three[2]);
            free.add(heap.free(three[1]));
        }
    });
    free.say(heap.subject.name, "between", "free");
}

/// `holes malloc`: a request larger than each of a thousand holes. `holes free`: a block among the holes.
///
/// ```text
/// [ hole ][ guard ][ hole ][ guard ] … [ block ][ guard ] … [ free ]
/// ```
fn holes(heap: &mut Heap) {
    heap.anew();
    let (mut numbers, mut malloc, mut free) = (Numbers::new(4), Tally::new(), Tally::new());
    table(|blocks| {
        let blocks = &mut blocks[..1200];
        for block in &mut *blocks {
            *block = heap.must(64).0;
            heap.must(64);
        }
        numbers.shuffle(blocks);
        let (holes, rest) = blocks.split_at(1000);
        for &hole in holes {
            heap.free(hole);
        }
        for _ in 0..20 {
            let (block, count) = heap.must(numbers.range(256, 512));
            malloc.add(count);
            // It is the last block, before the large free one; freed so that each request finds the same.
            heap.free(block);
        }
        for &Block { at, size } in rest {
            free.add(heap.free(Block { at, size }));
            // The hole is filled again: a thousand of them stay.
            heap.must(64);
        }
    });
    malloc.say(heap.subject.name, "holes", "malloc");
    free.say(heap.subject.name, "holes", "free");
}
