//! Sites with those that call them, as far as callers tell uses apart.
//!
//! ```text
//! _sdsnewlen                 many call it, and none of them is most of its bytes: so who calls it is what tells
//! ├─ sdsnew < createObject   here one is: it ends
//! └─ sdsdup
//! ```

use std::collections::HashMap;

use crate::names::Names;
use crate::site::Site;

/// Sites of a path.
const DEPTH: usize = 4;
/// Callers tell uses apart if they are as good as so many of equal parts.
const CALLERS: f64 = 1.5;
/// A site with a larger share of all bytes tells nothing by itself.
const MOST: f64 = 0.8;

/// A site and its callers, the innermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SitePath {
    sites: [Site; DEPTH],
    len: usize,
}

impl SitePath {
    /// That of a call stack: return addresses, the innermost first. `malloc` is the file of the malloc that was recorded.
    pub fn of(names: &Names, stack: impl IntoIterator<Item = u64>, malloc: &str) -> Self {
        let mut sites = [Site::default(); DEPTH];
        let len = names.path(stack, malloc, &mut sites);
        Self { sites, len: DEPTH }.cut(len)
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites[..self.len]
    }

    /// Its innermost sites only.
    pub fn cut(mut self, len: usize) -> Self {
        self.len = self.len.min(len);
        self.sites[self.len..].fill(Site::default());
        self
    }

    fn functions(mut self) -> Self {
        self.sites = self.sites.map(Site::function);
        self
    }
}

/// How many sites of each path are to be told, at least one. Each path comes with the bytes that were allocated there.
pub fn told(paths: &[(SitePath, f64)]) -> Vec<usize> {
    let mut callers: HashMap<SitePath, HashMap<Site, f64>> = HashMap::new();
    for (path, bytes) in paths {
        for len in 1..DEPTH {
            let inner = path.cut(len).functions();
            let caller = path.sites().get(len).copied().unwrap_or_default();
            if inner.len == len {
                *callers.entry(inner).or_default().entry(caller).or_default() += bytes;
            }
        }
    }
    let all: f64 = paths.iter().map(|(_, bytes)| bytes).sum();
    let tells =
        |path: SitePath| callers.get(&path.functions()).is_some_and(|callers| tell(callers, all));
    let length = |(path, _): &(SitePath, f64)| {
        (1..path.len).find(|&len| !tells(path.cut(len))).unwrap_or(path.len)
    };
    paths.iter().map(length).collect()
}

/// Whether callers, each with its bytes, tell uses apart: by their functions, or where most of all bytes are theirs by their lines.
fn tell(callers: &HashMap<Site, f64>, all: f64) -> bool {
    let mut functions: HashMap<Site, f64> = HashMap::new();
    for (caller, bytes) in callers {
        *functions.entry(caller.function()).or_default() += bytes;
    }
    let has_most = callers.values().sum::<f64>() > all * MOST;
    equal_parts(&functions) >= CALLERS || has_most && equal_parts(callers) >= CALLERS
}

/// n for n callers with equal parts, 1 for one that has it all.
fn equal_parts(callers: &HashMap<Site, f64>) -> f64 {
    let all: f64 = callers.values().sum();
    let squares: f64 = callers.values().map(|bytes| bytes * bytes).sum();
    if squares > 0.0 { all * all / squares } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Symbol;

    #[test]
    fn callers_are_told_where_none_has_most() {
        let mut names = Names::default();
        for (ip, function) in [(1, "copy"), (2, "parse"), (3, "answer"), (4, "main"), (5, "load")] {
            names.insert(ip, "/bin/app", ip, [Symbol { function, file: "/app.c", line: 7 }]);
        }
        let path =
            |stack: &[u64], bytes: f64| (SitePath::of(&names, stack.iter().copied(), ""), bytes);
        let paths = [
            path(&[1, 2, 4], 50.0),
            path(&[1, 3, 4], 40.0),
            path(&[5, 4], 100.0),
            path(&[5, 3, 4], 2.0),
        ];
        let lens = told(&paths);
        let said =
            paths.iter().zip(&lens).map(|((path, _), &len)| names.path_name(path.cut(len).sites()));
        let said: Vec<String> = said.collect();
        assert_eq!(
            said,
            [
                "copy < parse (app.c:7)",
                "copy < answer (app.c:7)",
                "load (app.c:7)",
                "load (app.c:7)"
            ]
        );
    }

    /// `dup` has all there is, and one function calls it: where from, only its lines tell.
    #[test]
    fn of_one_that_has_most_the_lines_of_its_caller_are_told() {
        let mut names = Names::default();
        let of = |function, line| [Symbol { function, file: "/app.c", line }];
        names.insert(1, "/bin/app", 1, of("dup", 3));
        names.insert(2, "/bin/app", 2, of("parse", 10));
        names.insert(3, "/bin/app", 3, of("parse", 20));
        names.insert(4, "/bin/app", 4, of("load", 30));
        let path =
            |stack: &[u64], bytes: f64| (SitePath::of(&names, stack.iter().copied(), ""), bytes);
        let mut paths = vec![path(&[1, 2], 50.0), path(&[1, 3], 40.0), path(&[4], 10.0)];
        assert_eq!(told(&paths), [2, 2, 1]);
        paths.push(path(&[4], 100.0));
        assert_eq!(told(&paths), [1, 1, 1, 1], "it has half only");
    }
}
