use std::path::Path;
use tempfile::TempDir;

/// Files in a temporary folder, removed with it.
pub(crate) struct Tree(TempDir);

impl Tree {
    pub(crate) fn new<S: AsRef<str>>(files: impl IntoIterator<Item = (String, S)>) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text.as_ref()).unwrap();
        }
        Self(folder)
    }

    pub(crate) fn top(&self) -> &Path {
        self.0.path()
    }
}
