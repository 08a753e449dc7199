//! g++ on a file full of templates, and the program it makes.

use heapwright_tests::{Malloc, Program, Scratch, need, same_on_both, top};

#[test]
fn compiler_and_compiled() {
    compiles_the_same("-O2", |program| program);
}

/// The compiler makes the same object, and the program it makes says the same; each is run as `on` says.
pub(crate) fn compiles_the_same(level: &str, on: impl Fn(Program) -> Program) {
    let Some(gxx) = need("g++") else { return };
    let scratch = Scratch::new();
    let source = top().join("tests/data/stl_heavy.cc");
    let compile = |object: &str, malloc| {
        let object = scratch.join(object);
        let run = on(Program::new(&gxx))
            .args(["-std=c++17", level, "-pthread", "-frandom-seed=1", "-c", "-o"])
            .args([&object, &source])
            .env("TMPDIR", scratch.path())
            .run(malloc)
            .expect_success("g++");
        (std::fs::read(&object).expect("g++ wrote the object"), run)
    };
    let (ours, run) = compile("ours.o", Malloc::Ours);
    assert!(run.ours.contains("cc1plus"), "the compiler proper ran on ours: {run}");
    let (plain, _) = compile("plain.o", Malloc::Plain);
    assert!(
        ours == plain,
        "g++ made {} bytes on ours, {} on the plain malloc",
        ours.len(),
        plain.len()
    );

    let link = [scratch.join("ours.o").into_os_string(), "-pthread".into(), "-o".into()];
    let program = scratch.join("stl_heavy");
    let linked = on(Program::new(&gxx)).args(link).arg(&program).run(Malloc::Ours);
    let _ = linked.expect_success("g++, linking");
    let run = same_on_both("stl_heavy", || on(Program::new(&program)));
    assert!(run.stdout.contains("bad_alloc 1\n"), "{run}");
}
