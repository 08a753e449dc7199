use base::bits::low8;
use kernel::bitmap::BitmapPages;
use source::os::Os;

use super::*;
use crate::shapes::{Memory, Random};
use crate::zsmalloc::Classes;
use crate::{PAGE, XvMalloc, Zbud};

fn expected(seed: usize, at: usize) -> u8 {
    low8((seed + at) % 251)
}

/// Four threads store, read what they pinned, and free; `between` is called now and then.
fn storm<A>(heap: &Locked<Os, A>, between: impl Fn(&Locked<Os, A>) + Sync)
where
    A: Pin + Check + Send,
    A::Handle: Send,
{
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let between = &between;
            scope.spawn(move || {
                let mut random = Random(thread + 1);
                let mut live: Vec<(A::Handle, usize, usize)> = Vec::new();
                for step in 0..4000 {
                    if live.len() < 60 && random.below(3) > 0 {
                        let len = 1 + random.below(3900);
                        let bytes: Vec<u8> = (0..len).map(|at| expected(step, at)).collect();
                        live.push((heap.store(&bytes).unwrap(), step, len));
                    } else if !live.is_empty() {
                        let (handle, seed, len) = live.swap_remove(random.below(live.len()));
                        let bytes = heap.pin(handle).unwrap();
                        let again = heap.pin(handle).unwrap();
                        if step % 50 == 0 {
                            between(heap);
                        }
                        assert_eq!(heap.free(handle), Err(HandleError::Pinned));
                        assert_eq!((bytes.len(), again.as_ptr()), (len, bytes.as_ptr()));
                        let right = |(at, byte): (usize, &u8)| *byte == expected(seed, at);
                        assert!(bytes.iter().enumerate().all(right));
                        drop(bytes);
                        assert_eq!(heap.free(handle), Err(HandleError::Pinned));
                        assert_eq!(again.handle(), handle);
                        drop(again);
                        heap.free(handle).unwrap();
                    }
                }
                for (handle, ..) in live {
                    heap.free(handle).unwrap();
                }
            });
        }
    });
    heap.check().unwrap();
    assert_eq!((heap.usage().objects, heap.usage().pages), (0, 0));
}

#[test]
fn threads_read_what_they_pinned_while_others_compact() {
    let mut memory = Memory::new(2000);
    let heap = Locked::new(ZsMalloc::new(memory.pages(), Classes::default()));
    storm(&heap, |heap: &Locked<Os, ZsMalloc<BitmapPages>>| {
        heap.compact_by_class();
        heap.compact();
        heap.check().unwrap();
    });
}

#[test]
fn threads_share_an_xvmalloc_and_a_zbud() {
    let mut memory = Memory::new(2000);
    let check = |heap: &Locked<Os, XvMalloc<BitmapPages>>| heap.check().unwrap();
    storm(&Locked::new(XvMalloc::new(memory.pages())), check);
    let mut memory = Memory::new(2000);
    let check = |heap: &Locked<Os, Zbud<BitmapPages>>| heap.check().unwrap();
    storm(&Locked::new(Zbud::new(memory.pages())), check);
}

#[test]
fn what_cannot_be_pinned_is_read_inside() {
    let mut memory = Memory::new(64);
    let heap = Locked::<Os, _>::new(ZsMalloc::scattered(memory.pages(), Classes::default()));
    let objects: Vec<_> = (0..20u8).map(|seed| heap.store(&[seed; 1500]).unwrap()).collect();
    heap.write(objects[0], 1, b"changed").unwrap();
    heap.free(objects[7]).unwrap();
    assert_eq!(heap.freeable(), heap.compact());
    let mut room = [0; PAGE];
    let first = heap.read(objects[0], &mut room, |bytes| bytes[..9].to_vec());
    assert_eq!(first.unwrap(), b"\0changed\0");
    assert_eq!(heap.read(objects[3], &mut room, |bytes| bytes == [3; 1500]), Ok(true));
    assert_eq!(heap.len_of(objects[7]), Err(HandleError::Stale));
    assert_eq!(heap.usage().objects, 19);
    let lines = heap.look(|heap| heap.class_lines().map(|line| line.used).sum::<usize>());
    assert_eq!(lines, 19);
}

#[test]
fn one_object_is_changed_inside() {
    let mut memory = Memory::new(64);
    let heap = Locked::<Os, _>::new(XvMalloc::new(memory.pages()));
    let object = heap.allocate(8).unwrap();
    heap.change(object, |bytes| bytes[7] = 1).unwrap();
    let bytes = heap.pin(object).unwrap();
    assert_eq!(heap.change(object, |_| ()), Err(HandleError::Pinned));
    assert_eq!(*bytes, [0, 0, 0, 0, 0, 0, 0, 1]);
}
