//! Thread-caching: the central list under two threads, and a thread's end.
use loom::sync::Arc;

use super::{check, check_all, join, spawn};
use crate::spans::{OBJECTS, World};

/// Two threads take and give back, with no batch kept: nobody gets an object that another has, and each empty span goes.
#[test]
fn two_threads_on_a_central_list() {
    check_all(|| {
        let world = Arc::new(World::new(2, 0));
        let other = spawn(&world, |world| {
            let got = world.take(1);
            world.put(got);
            world.take(1).len()
        });
        let got = world.take(2);
        let (mut first, second) = (got.clone(), got[1..].to_vec());
        first.truncate(1);
        world.put(first);
        world.put(second);
        let held = join(other);
        world.end(held);
    });
}

/// A batch that one thread gives is another's, which sees what the first wrote.
#[test]
fn a_batch_changes_hands() {
    check_all(|| {
        let world = Arc::new(World::new(2, 1));
        let batch = world.take(OBJECTS);
        let giver = spawn(&world, move |world| world.put(batch));
        let held = world.take(OBJECTS).len();
        join(giver);
        world.end(held);
    });
}

/// A thread ends while another begins and takes, and a third counts the members: nothing is lost, a record is used again.
#[test]
fn a_thread_ends() {
    check(3, || {
        let world = Arc::new(World::new(2, 1));
        let record = world.enter();
        let cache = world.take(2);
        let ender = spawn(&world, move |world| world.leave(record, cache));
        let beginner = spawn(&world, |world| {
            let record = world.enter();
            (record, world.take(1).len())
        });
        assert!(world.members() <= 2);
        join(ender);
        let (record, held) = join(beginner);
        assert!(record <= 1);
        assert_eq!(world.members(), 1);
        world.end(held);
    });
}
