//! `barnes`: bodies attract each other, by way of a tree of cells that is built anew for each step.
//!
//! Each cell of space is divided into eight until a part holds one body; far cells pull as if all of their mass were in one
//! place (Barnes & Hut, "A hierarchical O(N log N) force-calculation algorithm", 1986). Bodies live as long as the program,
//! cells for one step: few calls, and all memory is read again and again, so that what counts is where blocks lie. The
//! bodies begin as a cluster in equilibrium (Plummer's model), whose energy has to stay what it is.

use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "barnes",
    parameters: &[
        fixed("bodies", 32_768, "bodies"),
        scaled("steps", 10, "steps of a 64th of the time unit, with a new tree each"),
    ],
    run,
};

type Vector = [f64; 3];

/// A cell pulls as one body if its width is less than its distance times this.
const OPENING: f64 = 0.8;
/// Bodies nearer than this pull less and less; in lengths of the cluster.
const SOFTENING: f64 = 0.025;
const STEP: f64 = 1.0 / 64.0;
/// Of the energy: how much of it a run may gain or lose.
const DRIFT: f64 = 0.01;
/// Space is halved at most this often: bodies that are still in one part of it count as one place.
const DEEPEST: u32 = 60;

/// Its own block, for as long as the program runs.
struct Body {
    place: Vector,
    speed: Vector,
    pull: Vector,
    /// Energy of its mass in the field of the others.
    potential: f64,
    mass: f64,
}

enum Part {
    Empty,
    Body(usize),
    Cell(Box<Cell>),
}

struct Cell {
    parts: [Part; 8],
    /// Where all of its mass would balance.
    centre: Vector,
    mass: f64,
}

#[derive(Clone, Copy)]
struct Space {
    middle: Vector,
    half: f64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    let count = arguments.size("bodies").max(2);
    let mut rng = Rng::new(arguments.seed);
    let start = timing::now();
    let mut bodies: Vec<Box<Body>> =
        (0..count).map(|_| Box::new(body(&mut rng, 1.0 / count as f64))).collect();
    come_to_rest(&mut bodies);
    let (mut cells, mut most) = (pull(&mut bodies), 0);
    let before = energy(&bodies);
    let steps = arguments.get("steps");
    for _ in 0..steps {
        for body in &mut bodies {
            kick(body);
            body.place = plus(body.place, body.speed, STEP);
        }
        let made = pull(&mut bodies);
        cells += made;
        most = most.max(made);
        bodies.iter_mut().for_each(|body| kick(body));
    }
    check(&bodies, before);
    let calls = 2 * (cells + count) as u64;
    results.work(calls, timing::now() - start);
    let live = count * size_of::<Body>() + most * size_of::<Cell>();
    results.peak_live(live);
    let places = bodies.iter().flat_map(|body| body.place);
    super::answer(places.fold(0, |sum: u64, x| sum.rotate_left(5) ^ x.to_bits()));
}

/// A body of Plummer's model, scaled so that the whole has mass 1 and energy −1/4 (Aarseth, Hénon & Wielen, 1974).
fn body(rng: &mut Rng, mass: f64) -> Body {
    let scale = 3.0 * core::f64::consts::PI / 16.0;
    // The outermost hundredth would be anywhere.
    let inside = 0.99 * unit(rng).max(1e-6);
    let radius = 1.0 / (inside.powf(-2.0 / 3.0) - 1.0).sqrt();
    let speed = loop {
        let (share, height) = (unit(rng), 0.1 * unit(rng));
        if height < share * share * (1.0 - share * share).powf(3.5) {
            break share * 2.0_f64.sqrt() * (1.0 + radius * radius).powf(-0.25);
        }
    };
    let place = plus([0.0; 3], direction(rng), radius * scale);
    let speed = plus([0.0; 3], direction(rng), speed / scale.sqrt());
    Body { place, speed, pull: [0.0; 3], potential: 0.0, mass }
}

/// From 0 to 1, without the latter.
fn unit(rng: &mut Rng) -> f64 {
    (rng.next() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Of length 1, every direction as likely.
fn direction(rng: &mut Rng) -> Vector {
    loop {
        let v = [(); 3].map(|()| 2.0 * unit(rng) - 1.0);
        let square = square(v);
        if square <= 1.0 && square > 1e-6 {
            return plus([0.0; 3], v, 1.0 / square.sqrt());
        }
    }
}

/// The whole neither moves nor is off the middle.
fn come_to_rest(bodies: &mut [Box<Body>]) {
    let mean = |of: fn(&Body) -> Vector| {
        let sum = bodies.iter().fold([0.0; 3], |sum, body| plus(sum, of(body), body.mass));
        sum.map(|x| -x)
    };
    let (place, speed) = (mean(|body| body.place), mean(|body| body.speed));
    for body in bodies {
        body.place = plus(body.place, place, 1.0);
        body.speed = plus(body.speed, speed, 1.0);
    }
}

/// Half a step's change of speed.
fn kick(body: &mut Body) {
    body.speed = plus(body.speed, body.pull, STEP / 2.0);
}

/// Builds a tree, finds what it does to each body, and drops it; how many cells it had.
fn pull(bodies: &mut [Box<Body>]) -> usize {
    let far = bodies.iter().flat_map(|body| body.place).fold(0.0, |far: f64, x| far.max(x.abs()));
    let space = Space { middle: [0.0; 3], half: far * 1.001 };
    let (mut root, mut cells) = (Part::Empty, 0);
    for body in 0..bodies.len() {
        insert(&mut root, space, body, bodies, 0, &mut cells);
    }
    let mass = weigh(&mut root, bodies).1;
    if (mass - 1.0).abs() > 1e-9 {
        wrong(format_args!("the tree has {mass} of all mass"));
    }
    for at in 0..bodies.len() {
        let (mut pull, mut potential) = ([0.0; 3], 0.0);
        attract(&root, 2.0 * space.half, at, bodies, &mut pull, &mut potential);
        let body = &mut bodies[at];
        (body.pull, body.potential) = (pull, potential * body.mass);
    }
    cells
}

fn insert(
    part: &mut Part,
    space: Space,
    new: usize,
    bodies: &[Box<Body>],
    depth: u32,
    cells: &mut usize,
) {
    match part {
        Part::Empty => *part = Part::Body(new),
        Part::Cell(cell) => {
            let (octant, inner) = space.octant(bodies[new].place);
            insert(&mut cell.parts[octant], inner, new, bodies, depth + 1, cells);
        }
        Part::Body(old) => {
            if depth == DEEPEST {
                wrong("two bodies are in one place");
            }
            let old = *old;
            let parts = [const { Part::Empty }; 8];
            *cells += 1;
            *part = Part::Cell(Box::new(Cell { parts, centre: [0.0; 3], mass: 0.0 }));
            insert(part, space, old, bodies, depth, cells);
            insert(part, space, new, bodies, depth, cells);
        }
    }
}

impl Space {
    fn octant(self, place: Vector) -> (usize, Self) {
        let half = self.half / 2.0;
        let (mut octant, mut middle) = (0, self.middle);
        for (axis, x) in middle.iter_mut().enumerate() {
            let is_above = place[axis] >= *x;
            octant |= usize::from(is_above) << axis;
            *x += if is_above { half } else { -half };
        }
        (octant, Self { middle, half })
    }
}

/// Fills in the centres and the masses of all cells.
fn weigh(part: &mut Part, bodies: &[Box<Body>]) -> (Vector, f64) {
    match part {
        Part::Empty => ([0.0; 3], 0.0),
        Part::Body(body) => (bodies[*body].place, bodies[*body].mass),
        Part::Cell(cell) => {
            let (mut moment, mut mass) = ([0.0; 3], 0.0);
            for part in &mut cell.parts {
                let (centre, its) = weigh(part, bodies);
                moment = plus(moment, centre, its);
                mass += its;
            }
            (cell.centre, cell.mass) = (moment.map(|x| x / mass), mass);
            (cell.centre, mass)
        }
    }
}

/// Adds what `part`, of this width, does to a body.
fn attract(
    part: &Part,
    width: f64,
    on: usize,
    bodies: &[Box<Body>],
    pull: &mut Vector,
    potential: &mut f64,
) {
    let (centre, mass) = match part {
        Part::Empty => return,
        Part::Body(body) if *body == on => return,
        Part::Body(body) => (bodies[*body].place, bodies[*body].mass),
        Part::Cell(cell) => {
            let far = square(plus(cell.centre, bodies[on].place, -1.0)) * OPENING * OPENING;
            if width * width >= far {
                for part in &cell.parts {
                    attract(part, width / 2.0, on, bodies, pull, potential);
                }
                return;
            }
            (cell.centre, cell.mass)
        }
    };
    let way = plus(centre, bodies[on].place, -1.0);
    let distance = (square(way) + SOFTENING * SOFTENING).sqrt();
    *potential -= mass / distance;
    *pull = plus(*pull, way, mass / (distance * distance * distance));
}

/// Of motion and of position.
fn energy(bodies: &[Box<Body>]) -> f64 {
    let of = |body: &Body| (body.mass * square(body.speed) + body.potential) / 2.0;
    bodies.iter().map(|body| of(body)).sum()
}

/// Ends the program unless the energy is what it was, and the whole still does not move.
fn check(bodies: &[Box<Body>], before: f64) {
    let after = energy(bodies);
    // Written so that what is no number is wrong too.
    let is_kept = ((after - before) / before).abs() < DRIFT;
    let moves = bodies.iter().fold([0.0; 3], |sum, body| plus(sum, body.speed, body.mass));
    let is_at_rest = square(moves).sqrt() < DRIFT;
    if !is_kept || !is_at_rest || before >= 0.0 {
        wrong(format_args!("energy {before} became {after}, momentum became {moves:?}"));
    }
}

fn plus(to: Vector, what: Vector, times: f64) -> Vector {
    [to[0] + what[0] * times, to[1] + what[1] * times, to[2] + what[2] * times]
}

fn square(v: Vector) -> f64 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_pulls_as_all_bodies_do() {
        let mut rng = Rng::new(2);
        let count = 1000;
        let mut bodies: Vec<Box<Body>> =
            (0..count).map(|_| Box::new(body(&mut rng, 1.0 / f64::from(count)))).collect();
        let cells = pull(&mut bodies);
        assert!((300..1000).contains(&cells), "{cells}");
        // In equilibrium motion is half of what position is, and both are a quarter.
        assert!((energy(&bodies) + 0.25).abs() < 0.03, "{}", energy(&bodies));
        let mut worst: f64 = 0.0;
        for body in &bodies {
            let mut exact = [0.0; 3];
            for other in &bodies {
                let way = plus(other.place, body.place, -1.0);
                let distance = (square(way) + SOFTENING * SOFTENING).sqrt();
                exact = plus(exact, way, other.mass / distance.powi(3));
            }
            let off = square(plus(exact, body.pull, -1.0)).sqrt();
            worst = worst.max(off / square(exact).sqrt().max(0.5));
        }
        assert!(worst < 0.1, "{worst}");
    }
}
