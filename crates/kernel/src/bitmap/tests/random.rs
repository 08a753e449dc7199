//! Random work against pages counted one by one.
use super::*;

#[test]
fn every_run_is_the_lowest_that_fits() {
    let mut random = Random(11);
    let memory = Memory::new(301 * PAGE, 64 * PAGE, 0);
    let mut pages: BitmapPages<PAGE> = over(&memory);
    let mut free = [true; 301];
    free[0] = false;
    let mut live: Vec<(usize, usize)> = Vec::new();
    let mut refused = 0;
    for step in 0..6000 {
        if random.below(8) < if step / 500 % 2 == 0 { 5 } else { 3 } || live.is_empty() {
            let (count, align) =
                (1 + random.below(if step % 5 == 0 { 90 } else { 12 }), 1 << random.below(7));
            let fits = |at: &usize| free[*at..at + count].iter().all(|page| *page);
            let wanted = (0..=301 - count).step_by(align).find(fits);
            let got = pages.allocate_pages(count, align * PAGE).map(NonNull::as_ptr);
            assert_eq!(got, wanted.map(|page| memory.page(page)), "{step}: {count} {align}");
            refused += usize::from(got.is_none());
            if let Some(page) = wanted {
                free[page..page + count].fill(false);
                live.push((page, count));
            }
        } else {
            let (page, count) = live.swap_remove(random.below(live.len()));
            // Sometimes a part only.
            let part = if random.below(4) == 0 { 1 + random.below(count) } else { count };
            give(&mut pages, memory.page(page), part);
            free[page..page + part].fill(true);
            if part < count {
                live.push((page + part, count - part));
            }
        }
        if step % 16 == 0 {
            pages.check().unwrap();
        }
    }
    assert!(refused > 0, "it was never full");
}

#[test]
#[cfg(target_pointer_width = "64")]
fn eight_gibibytes_of_small_pages() {
    // 2^21 pages of 64 bytes: as many as 8 GiB have of 4 KiB.
    let len = (1 << 21) * 64;
    let memory = Memory::new(len, 4096, 0);
    let mut pages = BitmapPages::<64>::new();
    // SAFETY: the memory outlives the allocator.
    unsafe { pages.add_memory(memory.start(), len) }.unwrap();
    let total = pages.stats().total / 64;
    // Every other page in use, and one hole of 100 near the end.
    let all = pages.allocate_pages(total, 1).unwrap();
    let page = |index: usize| all.as_ptr().wrapping_add(index * 64);
    let free = |pages: &mut BitmapPages<64>, index| {
        let page = NonNull::new(page(index)).unwrap();
        // SAFETY: a live page.
        unsafe { pages.deallocate_pages(page, 1) };
    };
    for index in (0..total).step_by(2) {
        free(&mut pages, index);
    }
    pages.check().unwrap();
    let hole = total - 200 + total % 2;
    for index in (hole + 1..hole + 100).step_by(2) {
        free(&mut pages, index);
    }
    let hundred = pages.allocate_pages(100, 1).unwrap();
    assert_eq!(hundred.as_ptr(), page(hole));
    assert_eq!(pages.allocate_pages(1, 1).unwrap().as_ptr(), page(0));
    pages.check().unwrap();
}
