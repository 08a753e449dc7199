//! split-N1: the parts add up to what was obtained and to what is resident, and each is what the counters say.
use super::accounts::{Random, free_all, step};
use super::*;
use crate::heapwright::split::{Bytes, PARTS, Split};
use source::os::imp::residency::{Residency, residency};

const MIB: usize = 1 << 20;

type Heap = Flagship<Failing<Os>, SoloTls>;

fn part(split: &Split, name: &str) -> Bytes {
    let at = PARTS.iter().position(|part| *part == name).expect("a part");
    split.parts[at]
}

fn resident_at(at: usize, len: usize) -> usize {
    let page = source::os::imp::process::page_size();
    let mut pages = vec![0; len.div_ceil(page)];
    assert_eq!(residency(at, &mut pages, page), Residency::Known);
    pages.iter().filter(|byte| *byte & 1 != 0).count() * page
}

/// The split of a heap at rest, held against its counters and the kernel's word on it.
fn proved(heap: &Heap) -> Split {
    let stats = heap.stats();
    let split = heap.split(&stats);
    assert!(split.is_known);
    let held = |names: &[&str]| names.iter().map(|name| part(&split, name).held).sum::<usize>();
    let live = ["live, in slabs", "live, in runs", "live, in mappings of their own"];
    assert_eq!(held(&live), stats.live_bytes);
    assert_eq!(held(&["kept by threads, objects", "kept by threads, runs"]), stats.cached_bytes);
    assert_eq!(held(&["free, not yet given back"]), stats.dirty_bytes);
    let holes = held(&["holes, given back or never used", "tails of slabs", "empty slabs"]);
    assert!(holes >= heap.pages.hole_bytes());
    let region = &heap.pages.region;
    let books = region.books();
    let maps: usize = books[..3].iter().map(|(_, len)| len).sum();
    assert_eq!(split.sum().held, stats.committed_bytes + maps);
    let blocks = heap.pages.committed();
    let mut resident =
        resident_at(region.address_of_block(blocks.start), heap.pages.committed_bytes());
    resident += books.iter().map(|&(at, len)| resident_at(at, len)).sum::<usize>();
    heap.huge.each(|at, len| resident += resident_at(at, len));
    assert_eq!(split.sum().resident, resident);
    split
}

#[test]
fn the_parts_add_up_in_a_random_program() {
    for seed in 1..4 {
        let heap = flagship();
        heap.set_safe(seed == 3);
        let (mut random, mut live) = (Random(seed), Vec::new());
        live.push((heap.malloc(40 * MIB), 40 * MIB, 1));
        for count in 0..8000 {
            step(&heap, &mut random, &mut live);
            if let Some(&(ptr, size, _)) = live.last() {
                // SAFETY: a live block of that size; of large ones a part is touched.
                unsafe { ptr.write_bytes(1, size.min(20_000)) };
            }
            if live.len() > 1500 {
                let rest = live.split_off(live.len() / 4);
                free_all(&heap, &mut { rest });
            }
            if count % 400 == 0 {
                let _ = proved(&heap);
            }
            if count % 3000 == 0 {
                heap.purge();
                let _ = proved(&heap);
            }
        }
        free_all(&heap, &mut live);
        heap.purge();
        let left = proved(&heap);
        let books = part(&left, "maps and descriptors");
        assert_eq!(left.sum().resident, books.resident, "seed {seed}: nothing else is left");
    }
}

#[test]
fn what_was_never_touched_is_held_and_not_resident() {
    let heap = flagship();
    heap.pages.set_huge_from(usize::MAX);
    let sizes = [(33 * MIB, "live, in mappings of their own"), (9 * MIB, "live, in runs")];
    for (size, name) in sizes {
        let block = heap.malloc(size);
        let bytes = part(&proved(&heap), name);
        assert!(bytes.held >= size && bytes.resident == 0, "{name}: {bytes:?}");
        // SAFETY: a live block of that size.
        unsafe { block.write_bytes(1, size / 2) };
        let bytes = part(&proved(&heap), name);
        assert!((size / 2..size / 2 + 8192).contains(&bytes.resident), "{name}: {bytes:?}");
        // SAFETY: a live block.
        unsafe { heap.free(block) };
    }
}

#[test]
fn objects_between_live_ones_are_free_and_then_holes() {
    let heap = flagship();
    let blocks: Vec<*mut u8> = (0..8 * MIB / 1024).map(|_| heap.malloc(1024)).collect();
    // SAFETY: a live block of 1 KiB.
    blocks.iter().for_each(|&block| unsafe { block.write_bytes(1, 1024) });
    let full = proved(&heap);
    assert!(part(&full, "live, in slabs").resident >= 8 * MIB);
    // One in 16 stays: three pages of four lie between.
    for (number, &block) in blocks.iter().enumerate() {
        if number % 16 != 0 {
            // SAFETY: a live block.
            unsafe { heap.free(block) };
        }
    }
    heap.empty_magazines("test");
    let sparse = proved(&heap);
    let (live, free) =
        (part(&sparse, "live, in slabs"), part(&sparse, "free objects of slabs in use"));
    assert_eq!(live.held, 8 * MIB / 16);
    let holes = part(&sparse, "holes, given back or never used").held;
    assert!(free.resident + holes > 7 * MIB, "{sparse:?}");
    heap.purge();
    let purged = proved(&heap);
    assert_eq!(part(&purged, "live, in slabs"), live);
    assert!(part(&purged, "holes, given back or never used").held > 5 * MIB, "{purged:?}");
    assert!(part(&purged, "free objects of slabs in use").resident < 2 * MIB, "{purged:?}");
}

#[test]
fn the_rows_of_the_table_add_up_to_its_last_line() {
    let heap = flagship();
    let (mut random, mut live) = (Random(7), Vec::new());
    (0..5000).for_each(|_| step(&heap, &mut random, &mut live));
    let mut split = proved(&heap);
    let mut text = String::new();
    split.write(&mut text, "test").expect("a string takes all");
    let figures = |line: &str| -> Vec<usize> {
        line.split(" KiB").filter_map(|part| part.split(' ').next_back()?.parse().ok()).collect()
    };
    let rows: Vec<Vec<usize>> = text.lines().skip(1).map(figures).collect();
    assert_eq!(rows.len(), PARTS.len() + 1, "{text}");
    let (parts, whole) = rows.split_at(PARTS.len());
    for column in 0..2 {
        let sum: usize = parts.iter().map(|row| row[column]).sum();
        assert_eq!(sum, whole[0][column], "{text}");
    }
    assert!(whole[0][1] > 100 && text.ends_with(" 100.0%\n"), "{text}");
    split.is_known = false;
    text.clear();
    split.write(&mut text, "test").expect("a string takes all");
    assert_eq!(text.matches("the system does not say").count(), PARTS.len() + 1, "{text}");
    free_all(&heap, &mut live);
}

#[test]
fn the_largest_split_is_kept() {
    let heap = flagship();
    assert_eq!(heap.at_peak(), None, "nobody asked");
    heap.peak.watch(true, 0);
    for round in [3, 1] {
        let blocks: Vec<*mut u8> = (0..round * 8000)
            .map(|_| {
                let block = heap.malloc(1000);
                // SAFETY: a live block of 1000 bytes.
                unsafe { block.write_bytes(1, 1000) };
                block
            })
            .collect();
        // SAFETY: a live block.
        blocks.into_iter().for_each(|block| unsafe { heap.free(block) });
    }
    heap.purge();
    let now = proved(&heap);
    let peak = heap.at_peak().expect("asked for");
    let live = part(&peak, "live, in slabs");
    assert!((22 * MIB..27 * MIB).contains(&live.held), "{live:?}");
    assert!(peak.sum().resident > 21 * MIB && now.sum().resident < 2 * MIB, "{peak:?}");
}
