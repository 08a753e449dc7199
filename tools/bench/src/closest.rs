//! The names that somebody may have meant: for errors about unknown workloads, allocators and columns.

const MOST: usize = 3;

/// Those of `among` that `word` was probably meant to be, the closest first; at most three, maybe none.
///
/// By edit distance, where a swap of neighbours counts once and letters' case does not count; a third of the longer
/// name's letters may differ. A name that begins with `word`, or that `word` begins with, is close too. Cost: the
/// product of the lengths for every name.
pub fn closest<'a>(word: &str, among: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let mut near: Vec<(usize, &str)> = among
        .into_iter()
        .filter_map(|name| Some((distance(&word, &name.to_lowercase())?, name)))
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().map(|(_, name)| name).take(MOST).collect()
}

fn distance(word: &str, name: &str) -> Option<usize> {
    let edits = strsim::osa_distance(word, name);
    let longer = word.chars().count().max(name.chars().count());
    // One typing error in a name of two letters is still a typing error.
    if edits <= (longer / 3).max(1) && edits < longer {
        return Some(edits);
    }
    let is_part =
        word.len() >= 2 && name.starts_with(word) || name.len() >= 3 && word.starts_with(name);
    is_part.then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] =
        ["larson", "mstress", "glibc-simple", "glibc-thread", "sh6", "sh8", "glibc", "jemalloc"];

    #[test]
    fn typing_errors() {
        assert_eq!(closest("larsen", NAMES), ["larson"]);
        assert_eq!(closest("lrason", NAMES), ["larson"]);
        assert_eq!(closest("JEMALOC", NAMES), ["jemalloc"]);
        assert_eq!(closest("glibc_simple", NAMES)[0], "glibc-simple");
        assert_eq!(closest("sh7", NAMES), ["sh6", "sh8"]);
    }

    #[test]
    fn beginnings() {
        assert_eq!(closest("glibc", NAMES), ["glibc", "glibc-simple", "glibc-thread"]);
        assert_eq!(closest("glibc-simple-2", NAMES)[0], "glibc-simple");
    }

    #[test]
    fn nothing_is_near() {
        assert!(closest("postgres", NAMES).is_empty());
        assert!(closest("", NAMES).is_empty());
        assert!(closest("x", []).is_empty());
    }
}
