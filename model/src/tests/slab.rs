//! Claiming, giving back, listing and retiring.
use loom::sync::Arc;

use super::{check, check_all, join, spawn};
use crate::shelf::{Object, Seen, Unlist, World};

/// A slab of one shelf with every object claimed.
fn full(whole: &[u64], unlist: Unlist) -> (Arc<World>, Vec<Object>) {
    let world = Arc::new(World::new(1, whole, unlist, Seen::Same));
    let objects = world.make_full(0, 0);
    (world, objects)
}

/// Two claimers and a freer on one word: nobody gets an object that another has.
#[test]
fn an_object_has_one_owner() {
    check_all(|| {
        let world = Arc::new(World::new(1, &[0b111], Unlist::Fence, Seen::Same));
        assert!(world.make(0, 0));
        let mine = world.claim(0, 1);
        let claimer = spawn(&world, |world| world.claim(0, 2));
        let freer = spawn(&world, move |world| world.free(&mine));
        let mut held = world.claim(0, 2);
        held.extend(join(claimer));
        let retired = join(freer);
        held.iter().enumerate().for_each(|(i, object)| {
            assert!(!held[..i].contains(object), "{object:?} was handed out twice");
        });
        assert!(!retired || held.is_empty());
        world.end(&held);
    });
}

/// What was freed is claimed by another thread, which sees what the first wrote.
#[test]
fn an_object_changes_hands() {
    check_all(|| {
        let (world, objects) = full(&[0b1, 0b1], Unlist::Fence);
        let [first, second] = objects[..] else { panic!("two objects") };
        let freer = spawn(&world, move |world| world.free(&[first]));
        let mut held = vec![second];
        held.extend(world.claim(0, 1));
        join(freer);
        world.end(&held);
    });
}

fn claimer_against_freer(unlist: Unlist) {
    check_all(move || {
        let world = Arc::new(World::new(1, &[0b11], unlist, Seen::Same));
        assert!(world.make(0, 0));
        let mine = world.claim(0, 1);
        // The claimer takes the other object and unlists the slab while this one comes back.
        let claimer = spawn(&world, |world| world.claim(0, 3));
        world.free(&mine);
        let held = join(claimer);
        world.end(&held);
    });
}

#[test]
fn no_free_object_is_lost() {
    claimer_against_freer(Unlist::Fence);
}

#[test]
#[should_panic(expected = "free objects are lost")]
fn a_release_store_is_not_enough() {
    claimer_against_freer(Unlist::Release);
}

#[test]
#[should_panic(expected = "free objects are lost")]
fn words_have_to_be_read_again() {
    claimer_against_freer(Unlist::Blind);
}

/// Two freers of different words of a full slab, and a claimer: the slab is listed once.
#[test]
fn a_full_slab_is_listed_once() {
    check_all(|| {
        let (world, objects) = full(&[0b11, 0b1], Unlist::Fence);
        let [first, second, third] = objects[..] else { panic!("three objects") };
        let one = spawn(&world, move |world| world.free(&[first]));
        let other = spawn(&world, move |world| world.free(&[third]));
        let mut held = vec![second];
        held.extend(world.claim(0, 1));
        join(one);
        join(other);
        world.end(&held);
    });
}

/// Two freers give the last objects back: exactly one retires the slab, and all are free then.
#[test]
fn the_last_freer_retires_the_slab() {
    for whole in [&[0b11][..], &[0b1, 0b1], &[0b11, 0b1]] {
        check_all(move || {
            let (world, objects) = full(whole, Unlist::Fence);
            let (last, rest) = objects.split_last().expect("there are objects");
            let (last, rest) = (*last, rest.to_vec());
            let other = spawn(&world, move |world| {
                rest.chunk_by(|a, b| a.1 == b.1).any(|group| world.free(group))
            });
            let mine = world.free(&[last]);
            let theirs = join(other);
            assert!(mine != theirs, "retired by {}", if mine { "both" } else { "none" });
            world.end(&[]);
        });
    }
}

/// As above, with a claimer that may unlist the slab meanwhile: it is retired, or in use.
#[test]
fn a_claimer_and_the_last_freers() {
    check_all(|| {
        let (world, objects) = full(&[0b1, 0b1], Unlist::Fence);
        let [first, second] = objects[..] else { panic!("two objects") };
        let one = spawn(&world, move |world| world.free(&[first]));
        let other = spawn(&world, move |world| world.free(&[second]));
        let held = world.claim(0, 2);
        let retired = [join(one), join(other)];
        assert!(retired.iter().filter(|&&retired| retired).count() <= 1);
        world.end(&held);
    });
}

/// Two claimers and two freers; the freed objects are taken again, or not.
#[test]
fn claimers_and_freers() {
    check(3, || {
        let (world, objects) = full(&[0b1, 0b11], Unlist::Fence);
        let [first, second, third] = objects[..] else { panic!("three objects") };
        let one = spawn(&world, move |world| world.free(&[first]));
        let other = spawn(&world, move |world| world.free(&[second, third]));
        let claimer = spawn(&world, |world| world.claim(0, 1));
        let mut held = world.claim(0, 2);
        held.extend(join(claimer));
        join(one);
        join(other);
        world.end(&held);
    });
}

/// A freer is slow; meanwhile the slab retires and its descriptor is another shelf's.
fn reuse(seen: Seen, destroy: bool) {
    check_all(move || {
        let world = Arc::new(World::new(1, &[0b1, 0b1], Unlist::Fence, seen));
        assert!(world.make(0, 0));
        let objects = world.claim(0, 64);
        let [first, second] = objects[..] else { panic!("two objects") };
        let slow = spawn(&world, move |world| world.free(&[first]));
        let retired = world.free(&[second]);
        let mut held = Vec::new();
        if retired {
            assert!(world.make(0, 1), "a retired descriptor can be used again");
            // All of it, so that it is unlisted when the slow freer looks.
            held = world.claim(1, 3);
            assert_eq!(held.len(), 2);
            if destroy {
                held.clear();
                world.destroy(1);
            }
        }
        join(slow);
        world.end(&held);
    });
}

#[test]
fn a_descriptor_may_be_another_shelf_s_by_then() {
    reuse(Seen::Anyone, false);
    reuse(Seen::Same, false);
}

#[test]
fn a_heap_may_come_and_go_meanwhile() {
    reuse(Seen::Same, true);
}

#[test]
#[should_panic(expected = "a shelf was used after its heap had gone")]
fn a_tag_read_late_may_name_a_heap_that_has_gone() {
    reuse(Seen::Anyone, true);
}
