//! Programs that once failed, kept as text in `testkit/programs`.
use crate::program::Program;

const TEXTS: &[(&str, &str)] = &[
    ("shrunk-sized-free-aligned", include_str!("../programs/shrunk-sized-free-aligned.ops")),
    ("shrunk-sized-free-flush", include_str!("../programs/shrunk-sized-free-flush.ops")),
    ("zero-sized-free", include_str!("../programs/zero-sized-free.ops")),
];

/// Every kept program with its file's name.
/// Panics: Never: a test reads all of them.
pub fn kept() -> impl Iterator<Item = (&'static str, Program)> {
    let read = |text: &str| text.parse().unwrap_or_else(|error| panic!("{error}"));
    TEXTS.iter().map(move |&(name, text)| (name, read(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed_and_reads() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be listed").path())
            .map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
            .collect();
        files.sort();
        assert_eq!(kept().map(|(name, _)| name).collect::<Vec<_>>(), files);
    }
}
