//! Real programs on the drop-ins of the classic designs: one heap and one lock each, the slower ones with less to do.

use heapwright_tests::{Finished, Malloc, Program, Scratch, classic, need, same_on_all, top};
use std::path::Path;
use std::sync::OnceLock;

macro_rules! tried {
    (best_fit $($rest:tt)*) => { tried! { @ignored $($rest)* } };
    (buddy $($rest:tt)*) => { tried! { @ignored $($rest)* } };
    (first_fit $($rest:tt)*) => { tried! { @ignored $($rest)* } };
    (next_fit $($rest:tt)*) => { tried! { @ignored $($rest)* } };
    (worst_fit $($rest:tt)*) => { tried! { @ignored $($rest)* } };
    (@ignored $name:literal $program:ident) => {
        #[test]
        #[ignore = "cargo xtask ci designs"]
        fn $program() {
            super::$program($name);
        }
    };
    ($id:ident $name:literal $program:ident) => {
        #[test]
        fn $program() {
            super::$program($name);
        }
    };
}

/// One `#[test]` per design and program. The designs that share the most with the others are tried when they are asked for:
/// `cargo xtask ci designs`.
macro_rules! classics {
    ($({
        name: $name:literal, id: $id:ident, about: $about:literal, module: $module:tt, settings: $settings:tt,
        abilities: $abilities:tt,
    })*) => {$(
        mod $id {
            tried! { $id $name python }
            tried! { $id $name sqlite }
            tried! { $id $name gxx }
        }
    )*};
}

registry::mallocs!(classics);

/// Objects, pickles, processes that python forks and threads: all its memory is from malloc.
fn python(design: &str) {
    let Some(python) = need("python3") else { return };
    let library = classic(design);
    for script in [include_str!("../../data/objects.py"), include_str!("../../data/forks.py")] {
        same_on_all(design, || {
            Program::new(&python)
                .arg("-")
                .env("PYTHONMALLOC", "malloc")
                .env("PYTHONHASHSEED", "1")
                .library(&library)
                .input(script)
        });
    }
}

fn sqlite(design: &str) {
    let Some(sqlite) = need("sqlite3") else { return };
    let library = classic(design);
    let run = same_on_all(design, || {
        Program::new(&sqlite)
            .args(["-batch", "-bail", ":memory:"])
            .library(&library)
            .input(include_str!("../../data/orders.sql"))
    });
    assert!(run.stdout.ends_with("\nok\n"), "{run}");
}

/// The compiler makes the same object, and the program it makes says the same.
fn gxx(design: &str) {
    /// The object on the plain malloc, and what its program says there: the same for all designs.
    static PLAIN: OnceLock<(Vec<u8>, Finished)> = OnceLock::new();
    let Some(gxx) = need("g++") else { return };
    let library = classic(design);
    let scratch = Scratch::new();
    let make = |malloc| {
        let object = scratch.join("stl_heavy.o");
        let program = scratch.join("stl_heavy");
        let gxx = || Program::new(&gxx).library(&library).env("TMPDIR", scratch.path());
        let run = gxx()
            .args(["-std=c++17", "-O0", "-pthread", "-frandom-seed=1", "-c"])
            .args(crate::gxx::flags())
            .arg("-o")
            .args([&object, &top().join("tests/data/stl_heavy.cc")])
            .run(malloc)
            .expect_success("g++");
        assert!(malloc == Malloc::Plain || run.ours.contains("cc1plus"), "{run}");
        let link = gxx().args([&object, Path::new("-pthread"), Path::new("-o"), &program]);
        let _ = link.run(malloc).expect_success("g++, linking");
        let run = Program::new(&program).library(&library).run(malloc).expect_success(design);
        (std::fs::read(object).expect("g++ wrote the object"), run)
    };
    let (plain, said) = PLAIN.get_or_init(|| make(Malloc::Plain));
    let (ours, run) = make(Malloc::Ours);
    assert!(ours == *plain, "g++ makes another object on {design}");
    assert!(run.stdout.contains("bad_alloc 1\n"), "{run}");
    assert_eq!((&run.stdout, &run.stderr), (&said.stdout, &said.stderr), "{design}");
}
