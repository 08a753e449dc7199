//! Real programs on the drop-ins of the classic designs: one heap and one lock each, the slower ones with less to do.

use crate::{gxx, interpreters, python};
use heapwright_tests::classic;

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
    let library = classic(design);
    for script in [include_str!("../../data/objects.py"), include_str!("../../data/forks.py")] {
        python::says_the_same(script, |python| {
            python.env("PYTHONMALLOC", "malloc").library(&library)
        });
    }
}

fn sqlite(design: &str) {
    let library = classic(design);
    interpreters::sqlite_on(|sqlite| sqlite.library(&library));
}

fn gxx(design: &str) {
    let library = classic(design);
    gxx::compiles_the_same("-O0", |program| program.library(&library));
}
