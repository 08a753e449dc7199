//! Covers: a Boolean function as a list of cubes, each cube and each list a block of the heap.
//!
//! A cube has two bits for each variable: 01 says that it must be 0, 10 that it must be 1, 11 that it may be either. No
//! variable of a cube is 00: that would be no point at all. What is asked about a cover (is it everything? what is
//! outside of it?) is asked about its two halves by one variable, and so on until the answer is plain (Brayton et al.,
//! "Logic Minimization Algorithms for VLSI Synthesis", 1984).

use core::cell::Cell;

const IN_WORD: usize = 16;
/// The lower bit of each pair.
const LOWER: u32 = 0x5555_5555;

std::thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

/// How many cubes and lists this thread made so far.
pub(super) fn made() -> u64 {
    MADE.get()
}

fn count() {
    MADE.set(MADE.get() + 1);
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cube {
    words: Box<[u32]>,
}

pub(super) type Cover = Vec<Cube>;

/// An empty list with room for `length` cubes.
pub(super) fn list(length: usize) -> Cover {
    count();
    Vec::with_capacity(length)
}

impl Clone for Cube {
    fn clone(&self) -> Self {
        count();
        Self { words: self.words.clone() }
    }
}

impl Cube {
    /// Every point of `variables` variables. Bits of variables that are not there are 1 in every cube.
    pub(super) fn all(variables: usize) -> Self {
        count();
        Self { words: vec![u32::MAX; variables.div_ceil(IN_WORD).max(1)].into_boxed_slice() }
    }

    /// What it allows a variable: 1, 2 or 3.
    pub(super) fn get(&self, variable: usize) -> u32 {
        self.words[variable / IN_WORD] >> (variable % IN_WORD * 2) & 3
    }

    pub(super) fn set(&mut self, variable: usize, allowed: u32) {
        let (word, shift) = (variable / IN_WORD, variable % IN_WORD * 2);
        self.words[word] = self.words[word] & !(3 << shift) | allowed << shift;
    }

    /// How many variables it says anything about.
    pub(super) fn literals(&self) -> usize {
        let zeros = self.words.iter().map(|word| word.count_zeros() as usize);
        zeros.sum()
    }

    fn is_all(&self) -> bool {
        self.words.iter().all(|word| *word == u32::MAX)
    }

    /// Whether some point is in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let both = self.words.iter().zip(&other.words).map(|(a, b)| a & b);
        both.into_iter().all(|word| (word | word >> 1) & LOWER == LOWER)
    }

    pub(super) fn contains(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == *b)
    }

    /// The least cube that contains both.
    pub(super) fn join(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// The points of both, which meet.
    pub(super) fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a &= b);
    }

    /// As it is within `space`, which it meets: free in the variables that `space` fixes.
    fn within(&self, space: &Self) -> Self {
        count();
        let words = self.words.iter().zip(&space.words).map(|(a, b)| a | !b);
        Self { words: words.collect() }
    }
}

pub(super) fn within<'a>(cover: impl Iterator<Item = &'a Cube>, space: &Cube) -> Cover {
    let mut inside = list(cover.size_hint().0);
    inside.extend(cover.filter(|cube| cube.meets(space)).map(|cube| cube.within(space)));
    inside
}

/// How a cover uses a variable: how many cubes want it 0, and how many 1.
#[derive(Debug, Clone, Copy)]
struct Use {
    zeros: usize,
    ones: usize,
}

/// The variable to divide the cover by: of those that some cubes want 0 and some 1 the one used most, or none.
fn most_used(cover: &[Cube], variables: usize) -> (Option<usize>, Vec<Use>) {
    count();
    let mut uses = vec![Use { zeros: 0, ones: 0 }; variables];
    for cube in cover {
        for (variable, used) in uses.iter_mut().enumerate() {
            let allowed = cube.get(variable);
            used.zeros += usize::from(allowed == 1);
            used.ones += usize::from(allowed == 2);
        }
    }
    let both = (0..variables).filter(|v| uses[*v].zeros > 0 && uses[*v].ones > 0);
    (both.max_by_key(|v| uses[*v].zeros + uses[*v].ones), uses)
}

fn half(variables: usize, variable: usize, allowed: u32) -> Cube {
    let mut half = Cube::all(variables);
    half.set(variable, allowed);
    half
}

pub(super) fn is_everything(cover: &[Cube], variables: usize) -> bool {
    if cover.iter().any(Cube::is_all) {
        return true;
    }
    // Where no variable is wanted both ways, the point that goes against all of them is outside.
    let (Some(variable), _) = most_used(cover, variables) else { return false };
    [1, 2].into_iter().all(|allowed| {
        is_everything(&within(cover.iter(), &half(variables, variable, allowed)), variables)
    })
}

pub(super) fn complement(cover: &[Cube], variables: usize) -> Cover {
    if cover.iter().any(Cube::is_all) {
        return list(0);
    }
    if cover.is_empty() {
        let mut all = list(1);
        all.push(Cube::all(variables));
        return all;
    }
    if let [cube] = cover {
        return outside(cube, variables);
    }
    let (variable, uses) = most_used(cover, variables);
    let used = |v: &usize| uses[*v].zeros + uses[*v].ones;
    let Some(variable) = variable.or_else(|| (0..variables).max_by_key(used)) else {
        return list(0);
    };
    let [zero, one] = [1, 2].map(|allowed| {
        complement(&within(cover.iter(), &half(variables, variable, allowed)), variables)
    });
    merge(zero, one, variable)
}

/// What is not in one cube: a cube for each of its literals.
fn outside(cube: &Cube, variables: usize) -> Cover {
    let fixed = (0..variables).filter(|v| cube.get(*v) != 3);
    let mut all = list(cube.literals());
    all.extend(fixed.map(|v| half(variables, v, 3 - cube.get(v))));
    all
}

/// Two halves as one cover; a cube that is in both of them stays whole.
fn merge(mut zero: Cover, mut one: Cover, variable: usize) -> Cover {
    let mut both = list(zero.len() + one.len());
    let fixed = |mut cube: Cube, allowed| {
        cube.set(variable, allowed);
        cube
    };
    zero.sort_unstable();
    one.sort_unstable();
    let mut one = one.into_iter().peekable();
    for cube in zero {
        while let Some(less) = one.next_if(|other| *other < cube) {
            both.push(fixed(less, 2));
        }
        let is_in_both = one.next_if_eq(&cube).is_some();
        both.push(if is_in_both { cube } else { fixed(cube, 1) });
    }
    both.extend(one.map(|cube| fixed(cube, 2)));
    both
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    const VARIABLES: usize = 7;

    fn point(of: usize) -> Cube {
        let mut point = Cube::all(VARIABLES);
        (0..VARIABLES).for_each(|v| point.set(v, 1 + u32::from(of >> v & 1 != 0)));
        point
    }

    #[test]
    fn every_point_is_in_the_cover_or_in_its_complement() {
        let mut rng = Rng::new(5);
        for round in 0..500 {
            let cover: Cover = (0..round % 20)
                .map(|_| {
                    let mut cube = Cube::all(VARIABLES);
                    (0..VARIABLES).for_each(|v| cube.set(v, [1, 2, 3, 3][rng.below(4)]));
                    cube
                })
                .collect();
            let others = complement(&cover, VARIABLES);
            let is_in = |cover: &Cover, p: usize| cover.iter().any(|c| c.contains(&point(p)));
            let mut points = 0..1 << VARIABLES;
            assert!(points.clone().all(|p| is_in(&cover, p) != is_in(&others, p)), "{round}");
            assert_eq!(is_everything(&cover, VARIABLES), points.all(|p| is_in(&cover, p)));
            let mut all = others;
            all.extend(cover);
            assert!(is_everything(&all, VARIABLES));
        }
    }

    #[test]
    fn cubes_have_points_literals_and_neighbours() {
        let mut cube = Cube::all(VARIABLES);
        cube.set(2, 1);
        cube.set(6, 2);
        assert_eq!((cube.literals(), cube.get(2), cube.get(6), cube.get(0)), (2, 1, 2, 3));
        assert!(cube.contains(&point(0b100_0000)) && !cube.meets(&point(0b100_0100)));
        let mut joined = point(0b100_0000);
        joined.join(&point(0b100_0001));
        assert_eq!(joined.literals(), VARIABLES - 1);
        joined.intersect(&point(1 | 0b100_0000));
        assert_eq!(joined, point(0b100_0001));
    }
}
