//! Programs that bring a heap inside and mostly avoid malloc: what that is, and how to have them use malloc instead.

use std::env;
use std::path::Path;

use super::elf::Elf;

/// A kind of program, known by its name or by a library that it needs.
struct Kind {
    /// Its file's name, without a version.
    names: &'static [&'static str],
    /// How the name of its library begins, where another program has it inside.
    library: &'static str,
    /// What of it does not use malloc.
    says: &'static str,
    /// The variable by which all of it does, and how its value begins then.
    switch: Option<(&'static str, &'static str)>,
}

const KINDS: [Kind; 4] = [
    Kind {
        names: &["python"],
        library: "libpython",
        says: "Python has pools of its own for blocks of up to 512 bytes, which are most; with PYTHONMALLOC=malloc they come \
               from malloc too",
        switch: Some(("PYTHONMALLOC", "malloc")),
    },
    Kind {
        names: &["php", "php-fpm", "php-cgi"],
        library: "libphp",
        says: "PHP has a heap of its own for what scripts need; with USE_ZEND_ALLOC=0 that comes from malloc too",
        switch: Some(("USE_ZEND_ALLOC", "0")),
    },
    Kind {
        names: &["node", "nodejs"],
        library: "libnode",
        says: "V8 has a heap of its own for JavaScript's objects; from malloc come buffers, and what C++ needs",
        switch: None,
    },
    Kind {
        names: &["java"],
        library: "libjli.",
        says: "Java has a heap of its own for objects; from malloc comes what the virtual machine itself and native code need",
        switch: None,
    },
];

const GO: &str = "a Go program: its own heap does not use malloc, only C code in it does";

/// What there is to know of the program in `file` in the environment of this process.
pub(super) fn note(file: &Path, elf: &Elf) -> Option<&'static str> {
    note_in(file, elf, &|name| env::var(name).ok())
}

fn note_in(
    file: &Path,
    elf: &Elf,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<&'static str> {
    if elf.is_go {
        return Some(GO);
    }
    let name = file.file_name()?.to_str()?;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let needs = |library: &str| elf.needed.iter().any(|needed| needed.starts_with(library));
    let kind = KINDS.iter().find(|k| k.names.contains(&name) || needs(k.library))?;
    let is_switched = |(name, value)| variable(name).is_some_and(|v| v.starts_with(value));
    (!kind.switch.is_some_and(is_switched)).then_some(kind.says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name_and_by_library_unless_it_was_switched_off() {
        let this = env::current_exe().unwrap();
        let mut elf = Elf::read(&this).unwrap().unwrap();
        let of = |file: &str, elf: &Elf, set: Option<&str>| {
            note_in(Path::new(file), elf, &|_| set.map(str::to_owned))
        };
        for (file, expected) in [
            ("/usr/bin/python3.11", "PYTHONMALLOC"),
            ("/usr/sbin/php-fpm8.2", "USE_ZEND_ALLOC"),
            ("node", "V8"),
            ("/usr/lib/jvm/java-17/bin/java", "Java"),
        ] {
            assert!(of(file, &elf, None).unwrap().contains(expected), "{file}");
        }
        assert_eq!(of("/usr/bin/python3", &elf, Some("malloc_debug")), None);
        assert_eq!(of("/usr/bin/pythonic", &elf, None), None);
        assert!(of("node", &elf, Some("malloc")).is_some(), "it has no switch");
        elf.needed.push("libpython3.11.so.1.0".to_owned());
        assert!(of("/usr/bin/uwsgi", &elf, None).unwrap().contains("PYTHONMALLOC"));
        elf.is_go = true;
        assert_eq!(of("/usr/bin/uwsgi", &elf, None), Some(GO));
    }
}
