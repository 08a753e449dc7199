use super::*;

fn of(count: u32, seen: u64, node: u32) -> Vec<u32> {
    (0..8).map(|thread| own(count, seen, Place { thread, node })).collect()
}

#[test]
fn on_one_node_the_number_of_the_thread_decides() {
    assert_eq!(of(4, 1, 0), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(of(4, 1 << 5, 5), [0, 1, 2, 3, 0, 1, 2, 3], "wherever that is");
    assert_eq!(of(1, 1, 0), [0; 8]);
}

#[test]
fn nodes_have_as_many_shards_each() {
    assert_eq!(of(8, 0b11, 0), [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(of(8, 0b11, 1), [4, 5, 6, 7, 4, 5, 6, 7]);
    assert_eq!(of(8, 0b1010, 3), [4, 5, 6, 7, 4, 5, 6, 7], "the second that is there");
    assert_eq!(of(8, 0b111, 2), [4, 5, 4, 5, 4, 5, 4, 5], "three count as four");
}

#[test]
fn more_nodes_than_shards_share_them() {
    let first = |node| own(2, 0xff, Place { thread: 5, node });
    assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(first), [0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn every_shard_is_one_of_those_there_are() {
    for count in [1, 2, 4, 8, 16] {
        for (seen, node) in [(1, 0), (0b101, 2), (u64::MAX, 63), (u64::MAX, 64), (7, 1)] {
            for shard in of(count, seen, node) {
                assert!(shard < count, "{shard} of {count}");
                let mut all: Vec<u32> = others(count, shard).chain([shard]).collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..count));
            }
        }
    }
}

#[test]
fn the_nearest_shards_are_those_of_the_same_node() {
    let first: Vec<u32> = others(8, 5).take(3).collect();
    assert!(first.iter().all(|shard| (4..8).contains(shard)), "{first:?}");
}
