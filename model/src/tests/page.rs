//! Sharded: what others free against retirement, a page that becomes full, and abandonment. Superslab: its queues.
use loom::sync::Arc;

use super::{check, check_all, join, spawn};
use crate::page::{Fences, World};

fn world(blocks: usize) -> Arc<World> {
    Arc::new(World::new(blocks, Fences::Full))
}

fn sorted(mut blocks: Vec<usize>) -> Vec<usize> {
    blocks.sort_unstable();
    blocks
}

/// Two threads free the two blocks of a page, its owner collects; once it has both it gives the memory away.
#[test]
fn thread_free_against_retirement() {
    check_all(|| {
        let world = world(2);
        let first = spawn(&world, |world| world.free_theirs(&[1]));
        let second = spawn(&world, |world| world.free_theirs(&[2]));
        let mut got = world.collect();
        got.extend(world.collect());
        if got.len() == 2 {
            world.retire();
        }
        join(first);
        join(second);
        if got.len() < 2 {
            got.extend(world.collect());
            world.retire();
        }
        assert_eq!(sorted(got), [1, 2]);
    });
}

/// A page becomes full while another thread frees blocks of it: the owner learns of them by the page or by its heap, and waits
/// for who tells before the page goes.
fn becoming_full(chains: &'static [&'static [usize]]) {
    check_all(move || {
        let world = world(2);
        let freer = spawn(&world, move |world| chains.iter().for_each(|c| world.free_theirs(c)));
        // `begin_full`, then `free_delayed` and `retire`.
        world.want(true);
        let mut got = world.collect();
        got.extend(world.take_delayed());
        if got.len() == 2 {
            world.want(false);
            world.retire();
        }
        join(freer);
        if got.len() < 2 {
            got.extend(world.take_delayed());
            assert!(!got.is_empty(), "the owner of a full page was told nothing");
            world.want(false);
            got.extend(world.collect());
        }
        assert_eq!(sorted(got), [1, 2]);
    });
}

#[test]
fn a_delayed_free_against_a_page_becoming_full() {
    becoming_full(&[&[1], &[2]]);
}

/// Of a full page the first is told of, the other comes with it.
#[test]
fn a_chain_against_a_page_becoming_full() {
    becoming_full(&[&[1, 2]]);
}

/// A thread abandons a segment while another frees its last block: one of them finds it.
fn abandonment(fences: Fences) {
    check_all(move || {
        let world = Arc::new(World::new(1, fences));
        let freer = spawn(&world, |world| world.free_and_adopt(1));
        let mine = world.abandon();
        let theirs = join(freer);
        assert_eq!(
            mine.len() + theirs.len(),
            1,
            "a free block of an abandoned segment that nobody knows of"
        );
    });
}

#[test]
fn abandonment_against_a_remote_free() {
    abandonment(Fences::Full);
}

#[test]
#[should_panic(expected = "nobody knows of")]
fn abandonment_needs_its_fences() {
    abandonment(Fences::Missing);
}

/// Two threads push to a queue that its owner drains.
#[test]
fn a_remote_queue() {
    check(3, || {
        let world = world(3);
        let first = spawn(&world, |world| {
            world.push_remote(1);
            world.push_remote(2);
        });
        let second = spawn(&world, |world| {
            world.push_remote(3);
        });
        let mut got = world.take_delayed();
        got.extend(world.take_delayed());
        join(first);
        join(second);
        got.extend(world.take_delayed());
        assert_eq!(sorted(got), [1, 2, 3]);
    });
}

/// A thread leaves its heap while another frees an object of it: one of the two drains it.
#[test]
fn a_heap_is_left_against_a_remote_free() {
    check_all(|| {
        let world = world(1);
        let freer =
            spawn(
                &world,
                |world| if world.push_remote(1) { world.drain_left() } else { Vec::new() },
            );
        let mut got = world.take_delayed();
        world.leave();
        got.extend(world.drain_left());
        got.extend(join(freer));
        assert_eq!(got, [1]);
    });
}
