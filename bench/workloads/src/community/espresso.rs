//! `espresso`: two-level logic is made smaller, on lists of cubes that are made and dropped all the time.
//!
//! What the minimiser of that name does to a cover (`cover`), until it gets no smaller: *expand* each cube until it would
//! touch a point where the function is 0, and drop the cubes it now contains; drop what the others cover (*irredundant*);
//! *reduce* each cube to what only it covers, so that it can be expanded in another direction (Brayton, Hachtel, McMullen
//! & Sangiovanni-Vincentelli, 1984). Blocks of 8 bytes for cubes, of up to some KiB for lists; nearly all die soon.

use super::cover::{Cover, Cube, complement, is_everything, list, made, within};
use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "espresso",
    parameters: &[
        fixed("variables", 18, "variables of a function"),
        fixed("cubes", 60, "cubes that a function is given as"),
        fixed("literals", 6, "literals of a cube, about"),
        scaled("functions", 160, "functions, one after the other"),
    ],
    run,
};

const POINTS: usize = 2000;

fn run(arguments: &Arguments, results: &mut Results) {
    let variables = arguments.size("variables").clamp(2, 64);
    let literals = arguments.size("literals").clamp(1, variables);
    let mut rng = Rng::new(arguments.seed);
    let before = made();
    let start = timing::now();
    let mut answer = 0_u64;
    for _ in 0..arguments.get("functions") {
        let function: Cover = (0..arguments.size("cubes").max(1))
            .map(|_| cube(&mut rng, variables, literals))
            .collect();
        let smaller = minimise(function.clone(), variables);
        verify(&function, &smaller, variables, &mut rng);
        let (cubes, literals) = cost(&smaller);
        answer = answer.rotate_left(9) ^ (cubes as u64) << 32 ^ literals as u64;
    }
    results.work(2 * (made() - before), timing::now() - start);
    super::answer(answer);
}

/// A random cube with about `literals` literals.
fn cube(rng: &mut Rng, variables: usize, literals: usize) -> Cube {
    let mut cube = Cube::all(variables);
    for variable in 0..variables {
        if rng.below(variables) < literals {
            cube.set(variable, 1 + u32::from(rng.below(2) == 1));
        }
    }
    cube
}

/// What is to become less: cubes, then literals.
fn cost(cover: &Cover) -> (usize, usize) {
    (cover.len(), cover.iter().map(Cube::literals).sum())
}

/// A cover of the same function, with fewer cubes and literals.
fn minimise(mut cover: Cover, variables: usize) -> Cover {
    let off = complement(&cover, variables);
    cover = irredundant(expand(cover, &off, variables), variables);
    loop {
        let before = cost(&cover);
        let reduced = reduce(cover.clone(), variables);
        let next = irredundant(expand(reduced, &off, variables), variables);
        if cost(&next) >= before {
            return cover;
        }
        cover = next;
    }
}

/// Makes each cube as large as it can be without a point of `off`; the smallest first, which have most to gain.
fn expand(mut cover: Cover, off: &Cover, variables: usize) -> Cover {
    cover.sort_by_key(|cube| core::cmp::Reverse(cube.literals()));
    let mut done = list(cover.len());
    for mut cube in cover {
        if done.iter().any(|larger: &Cube| larger.contains(&cube)) {
            continue;
        }
        // First the literals that fewest cubes of `off` are held away by.
        let mut order: Vec<(usize, usize)> = (0..variables)
            .filter(|v| cube.get(*v) != 3)
            .map(|v| (off.iter().filter(|o| o.get(v) & cube.get(v) == 0).count(), v))
            .collect();
        order.sort_unstable();
        for (_, variable) in order {
            let mut larger = cube.clone();
            larger.set(variable, 3);
            if !off.iter().any(|o| o.meets(&larger)) {
                cube = larger;
            }
        }
        done.retain(|other| !cube.contains(other));
        done.push(cube);
    }
    done
}

fn irredundant(mut cover: Cover, variables: usize) -> Cover {
    let mut at = 0;
    while at < cover.len() {
        if is_everything(&within(others(&cover, at), &cover[at]), variables) {
            cover.remove(at);
        } else {
            at += 1;
        }
    }
    cover
}

/// Makes each cube as small as it can be with the others there; the largest first.
fn reduce(mut cover: Cover, variables: usize) -> Cover {
    cover.sort_by_key(Cube::literals);
    for at in 0..cover.len() {
        let alone = complement(&within(others(&cover, at), &cover[at]), variables);
        let mut alone = alone.into_iter();
        // Some points are its alone: the cover is irredundant, and stays so.
        let Some(mut least) = alone.next() else { continue };
        alone.for_each(|part| least.join(&part));
        cover[at].intersect(&least);
    }
    cover
}

fn others(cover: &Cover, but: usize) -> impl Iterator<Item = &Cube> {
    cover[..but].iter().chain(&cover[but + 1..])
}

/// Ends the program unless both say the same of random points, half of them in a cube of the function.
fn verify(function: &Cover, smaller: &Cover, variables: usize, rng: &mut Rng) {
    let mut point = Cube::all(variables);
    for trial in 0..POINTS {
        let near = &function[trial % function.len()];
        for variable in 0..variables {
            let allowed = if trial % 2 == 0 { near.get(variable) } else { 3 };
            let value = if allowed == 3 { 1 + u32::from(rng.below(2) == 1) } else { allowed };
            point.set(variable, value);
        }
        let is_in = |cover: &Cover| cover.iter().any(|cube| cube.contains(&point));
        if is_in(function) != is_in(smaller) {
            wrong(format_args!("the smaller cover has another value at {point:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_function_becomes_as_small_as_it_can_be() {
        // All points of five variables with at least two ones among the first three: x0x1 + x0x2 + x1x2.
        let points = (0_usize..32).filter(|p| (p & 7).count_ones() >= 2);
        let cover: Cover = points
            .map(|p| {
                let mut point = Cube::all(5);
                (0..5).for_each(|v| point.set(v, 1 + u32::from(p >> v & 1 != 0)));
                point
            })
            .collect();
        assert_eq!(cost(&minimise(cover, 5)), (3, 6));
    }

    #[test]
    fn random_functions_stay_what_they_were() {
        let mut rng = Rng::new(9);
        for _ in 0..20 {
            let function: Cover = (0..25).map(|_| cube(&mut rng, 9, 6)).collect();
            let smaller = minimise(function.clone(), 9);
            assert!(cost(&smaller) <= cost(&function));
            verify(&function, &smaller, 9, &mut rng);
            let off = complement(&function, 9);
            assert!(smaller.iter().all(|cube| !off.iter().any(|o| o.meets(cube))));
            assert!(function.iter().all(|cube| is_everything(&within(smaller.iter(), cube), 9)));
        }
    }
}
