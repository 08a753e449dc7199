//! The models. Each says its threads; bounds and run times are in `model/README.md`.
mod lock;
mod page;
mod slab;
mod spans;

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
