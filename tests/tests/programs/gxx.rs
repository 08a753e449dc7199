//! g++ -O2 on a file full of templates, and the program it makes.

use heapwright_tests::{Malloc, Program, Scratch, is_whole, need, same_on_both, top};

/// For `stl_heavy.cc`.
pub(crate) fn flags() -> Option<&'static str> {
    is_whole().then_some("-DPATTERNS")
}

#[test]
fn compiler_and_compiled() {
    let Some(gxx) = need("g++") else { return };
    let scratch = Scratch::new();
    let source = top().join("tests/data/stl_heavy.cc");
    let compile = |object: &str, malloc| {
        let object = scratch.join(object);
        let run = Program::new(&gxx)
            .args(["-std=c++17", "-O2", "-pthread", "-frandom-seed=1", "-c"])
            .args(flags())
            .arg("-o")
            .args([&object, &source])
            .env("TMPDIR", scratch.path())
            .run(malloc)
            .expect_success("g++");
        (std::fs::read(&object).expect("g++ wrote the object"), run)
    };
    let (ours, run) = compile("ours.o", Malloc::Ours);
    assert!(run.ours.contains("cc1plus"), "the compiler proper ran on ours: {:?}", run.ours);
    let (plain, _) = compile("plain.o", Malloc::Plain);
    assert!(
        ours == plain,
        "g++ made {} bytes on ours, {} on the plain malloc",
        ours.len(),
        plain.len()
    );

    let link = [scratch.join("ours.o").into_os_string(), "-pthread".into(), "-o".into()];
    let program = scratch.join("stl_heavy");
    let _ = Program::new(&gxx)
        .args(link)
        .arg(&program)
        .run(Malloc::Ours)
        .expect_success("g++, linking");
    let run = same_on_both("stl_heavy", || Program::new(&program));
    assert!(run.stdout.contains("bad_alloc 1\n"), "{run}");
}
