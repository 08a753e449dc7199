//! The models. Each says its threads; bounds and run times are in `model/README.md`.
use loom::sync::Arc;
use loom::thread;

mod lock;
mod page;
mod slab;
mod spans;

fn spawn<W: 'static, T: 'static>(
    world: &Arc<W>,
    f: impl FnOnce(&W) -> T + 'static,
) -> thread::JoinHandle<T> {
    let world = world.clone();
    thread::spawn(move || f(&world))
}

fn join<T>(thread: thread::JoinHandle<T>) -> T {
    thread.join().expect("it does not panic")
}

/// Runs `model` in every interleaving.
fn check_all(model: impl Fn() + Sync + Send + 'static) {
    loom::model::Builder::new().check(model);
}

/// Runs `model` in every interleaving of at most `preemptions` forced switches.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
