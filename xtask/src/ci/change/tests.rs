use super::*;
use crate::paths::testing::Tree;

fn repository() -> (Tree, String) {
    let files = [("a", "1\n"), ("b", "1\n"), (".ci/keep", "")];
    let tree = Tree::new(files.map(|(name, text)| (name.to_owned(), text)));
    git(tree.top(), &["init", "-q"]).unwrap();
    commit(&tree, "first");
    let first = git(tree.top(), &["rev-parse", "HEAD"]).unwrap().trim().to_owned();
    (tree, first)
}

fn commit(tree: &Tree, message: &str) {
    git(tree.top(), &["add", "-A"]).unwrap();
    let who = ["-c", "user.name=test", "-c", "user.email=test@example.org"];
    let words = ["commit", "-q", "--allow-empty", "--no-verify", "-m", message];
    git(tree.top(), &[&who[..], &words].concat()).unwrap();
}

fn write(tree: &Tree, name: &str, text: &str) {
    fs::write(tree.top().join(name), text).unwrap();
}

#[test]
fn a_change_is_what_is_committed_staged_and_neither() {
    let (tree, first) = repository();
    write(&tree, "a", "2\n");
    write(&tree, FILE, &format!("{first}\n"));
    commit(&tree, "second");
    git(tree.top(), &["mv", "b", "c"]).unwrap();
    write(&tree, "d", "");
    let (mut paths, verified) = since_verified(tree.top()).unwrap();
    paths.sort();
    assert_eq!((paths, verified), ([FILE, "a", "b", "c", "d"].map(str::to_owned).to_vec(), first));
}

#[test]
fn without_a_commit_that_is_near_nothing_is_known() {
    let (tree, first) = repository();
    let why = || since_verified(tree.top()).unwrap_err();
    assert_eq!(why(), "there is no .ci/verified");
    for (text, said) in
        [("--help", "names no commit"), ("0123456789012345678901234567890123456789", "is not here")]
    {
        write(&tree, FILE, text);
        assert!(why().ends_with(said), "{}", why());
    }
    write(&tree, FILE, &first);
    for at in 0..FAR {
        commit(&tree, &at.to_string());
    }
    assert!(since_verified(tree.top()).is_ok());
    commit(&tree, "one more");
    assert!(why().ends_with("more than 60 commits ago"), "{}", why());
}

#[test]
fn what_has_passed_is_noted_for_a_commit_only() {
    let (tree, first) = repository();
    write(&tree, "a", "2\n");
    assert!(verified(tree.top()).unwrap().contains("differs from HEAD"));
    assert!(!tree.top().join(FILE).exists());
    write(&tree, "a", "1\n");
    assert!(verified(tree.top()).unwrap().starts_with("wrote"));
    assert_eq!(fs::read_to_string(tree.top().join(FILE)).unwrap().trim(), first);
}
