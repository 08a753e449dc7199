//! Thread-caching: the central list under two threads, and a thread's end.
use loom::sync::Arc;
use loom::thread;

use super::{check, check_all};
use crate::spans::{OBJECTS, World};

/// Two threads take and give back, with no batch kept: nobody gets an object that another has, and each empty span goes.
#[test]
fn two_threads_on_a_central_list() {
    check_all(|| {
        let world = Arc::new(World::new(2, 0));
        let theirs = world.clone();
        let other = thread::spawn(move || {
            let got = theirs.take(1);
            theirs.put(got);
            theirs.take(1).len()
        });
        let got = world.take(2);
        let (mut first, second) = (got.clone(), got[1..].to_vec());
        first.truncate(1);
        world.put(first);
        world.put(second);
        let held = other.join().expect("it does not panic");
        world.end(held);
    });
}

/// A batch that one thread gives is another's, which sees what the first wrote.
#[test]
fn a_batch_changes_hands() {
    check_all(|| {
        let world = Arc::new(World::new(2, 1));
        let batch = world.take(OBJECTS);
        let theirs = world.clone();
        let giver = thread::spawn(move || theirs.put(batch));
        let held = world.take(OBJECTS).len();
        giver.join().expect("it does not panic");
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
        let (theirs, others) = (world.clone(), world.clone());
        let ender = thread::spawn(move || theirs.leave(record, cache));
        let beginner = thread::spawn(move || {
            let record = others.enter();
            (record, others.take(1).len())
        });
        assert!(world.members() <= 2);
        ender.join().expect("it does not panic");
        let (record, held) = beginner.join().expect("it does not panic");
        assert!(record <= 1);
        assert_eq!(world.members(), 1);
        world.end(held);
    });
}
