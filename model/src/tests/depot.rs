//! The depot of a shared cache, and its map while it grows.
use base::sync::{AtomicUsize, Ordering};
use loom::sync::{Arc, Mutex};

use super::{check_all, join, spawn};
use crate::depot::{Pair, World};

/// Takes two objects, writes to them, gives them back, twice, and ends.
fn work(world: &World) {
    let mut pair = Pair::default();
    for _ in 0..2 {
        let objects = [world.allocate(&mut pair), world.allocate(&mut pair)];
        for object in objects.into_iter().flatten() {
            world.free(&mut pair, object);
        }
    }
    world.flush(pair);
}

/// Two threads exchange magazines at the depot: an object has one owner, and none is lost.
#[test]
fn an_object_is_in_one_magazine() {
    check_all(|| {
        let world = Arc::new(World::new(4, Ordering::Release));
        let other = spawn(&world, work);
        work(&world);
        join(other);
        assert_eq!(world.all(), [1, 2, 3, 4]);
    });
}

/// What one thread allocates another frees, and each ends when it likes.
#[test]
fn an_object_changes_hands() {
    check_all(|| {
        let world = Arc::new(World::new(3, Ordering::Release));
        let hands = Arc::new(Mutex::new(Vec::new()));
        let theirs = hands.clone();
        let other = spawn(&world, move |world| {
            let mut pair = Pair::default();
            for _ in 0..3 {
                if let Some(object) = world.allocate(&mut pair) {
                    world.touch(object);
                    theirs.lock().unwrap().push(object);
                }
            }
            world.flush(pair);
        });
        let mut pair = Pair::default();
        for _ in 0..2 {
            let came = hands.lock().unwrap().pop();
            if let Some(object) = came {
                world.free(&mut pair, object);
            }
        }
        join(other);
        let rest: Vec<usize> = hands.lock().unwrap().drain(..).collect();
        rest.into_iter().for_each(|object| world.free(&mut pair, object));
        world.flush(pair);
        assert_eq!(world.all(), [1, 2, 3]);
    });
}

/// Whoever has an object finds its slab, while the map rises and once it has risen.
fn look(publish: Ordering) {
    check_all(move || {
        let world = Arc::new(World::new(0, publish));
        world.map.set_near(1, 7);
        let far = Arc::new(AtomicUsize::new(0));
        let told = far.clone();
        let other = spawn(&world, move |world| {
            world.map.set_far(3, 9);
            told.store(3, Ordering::Release);
        });
        assert_eq!(world.map.get(1), 7, "it was there before");
        assert_eq!(world.map.get(0), 0);
        if far.load(Ordering::Acquire) == 3 {
            assert_eq!(world.map.get(3), 9, "its object came after it");
        } else {
            // Nobody's object: found or not, but nothing else.
            assert!([0, 9].contains(&world.map.get(3)));
        }
        join(other);
        assert_eq!((world.map.get(1), world.map.get(3)), (7, 9));
    });
}

#[test]
fn a_look_while_the_map_rises() {
    look(Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn a_relaxed_height_is_not_enough() {
    look(Ordering::Relaxed);
}
