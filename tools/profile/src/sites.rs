//! The places of a program where memory is allocated: the innermost function of a stack that is its own, and its callers as far as most comes
//! by them.

use std::collections::{HashMap, HashSet};

use symbols::Names;

use crate::cost::{Cost, Costs};
use crate::gather::Profile;

const DEPTH: usize = 3;
const NONE: &str = "(no call stack)";
/// A caller is named that so much of the site's memory comes by.
const MOST: f64 = 0.6;

#[derive(Debug, Clone)]
pub struct Site {
    /// `insert (cache.cpp:88)`, `sdsnew (sds.c:12) < createObject`.
    pub name: String,
    /// The function without its callers and lines, by which the sites of two builds are the same.
    pub function: String,
    pub costs: Costs,
    /// The same with all that the function calls, each stack once.
    pub total: Costs,
}

/// The sites of a profile, by falling cost.
pub fn sites(profile: &Profile, by: Cost) -> Vec<Site> {
    let mut grouping = Grouping::new(&profile.names, &profile.malloc_path);
    for stack in &profile.stacks {
        let ips: Vec<u64> = profile.frames.stack(stack.frame).collect();
        grouping.add(&ips, &stack.costs);
    }
    let mut sites = grouping.sites();
    sites.sort_by(|a, b| b.costs.of(by).bytes.total_cmp(&a.costs.of(by).bytes));
    sites
}

pub(crate) struct Grouping<'a> {
    names: &'a Names,
    malloc: &'a str,
    places: HashMap<Option<symbols::Site>, usize>,
    groups: Vec<Group>,
    functions: HashMap<symbols::Site, Costs>,
}

struct Group {
    site: Option<symbols::Site>,
    costs: Costs,
    paths: HashMap<Vec<symbols::Site>, Costs>,
}

impl<'a> Grouping<'a> {
    pub(crate) fn new(names: &'a Names, malloc: &'a str) -> Self {
        let (places, groups, functions) = (HashMap::new(), Vec::new(), HashMap::new());
        Self { names, malloc, places, groups, functions }
    }

    /// Adds a stack: return addresses, the innermost first.
    pub(crate) fn add(&mut self, ips: &[u64], costs: &Costs) {
        let mut path = [symbols::Site::default(); 64];
        let len = self.names.path(ips.iter().copied(), self.malloc, &mut path);
        let site = (!ips.is_empty()).then_some(path[0]);
        let place = *self.places.entry(site).or_insert(self.groups.len());
        if place == self.groups.len() {
            self.groups.push(Group { site, costs: Costs::default(), paths: HashMap::new() });
        }
        let group = &mut self.groups[place];
        group.costs.join(costs);
        if site.is_none() {
            return;
        }
        group.paths.entry(path[..len.min(DEPTH)].to_vec()).or_default().join(costs);
        let functions: HashSet<symbols::Site> = path[..len].iter().map(|s| s.function()).collect();
        for function in functions {
            self.functions.entry(function).or_default().join(costs);
        }
    }

    pub(crate) fn sites(self) -> Vec<Site> {
        let site = |group: &Group| {
            let total = group.site.and_then(|site| self.functions.get(&site.function()));
            let path = group.site.map(|site| self.named(site, group));
            let name = path.map_or(NONE.to_owned(), |path| self.name(&path));
            let function = group.site.map(|site| self.names.site_name(site.function()));
            Site {
                name,
                function: function.unwrap_or(NONE.to_owned()),
                costs: group.costs,
                total: total.copied().unwrap_or(group.costs),
            }
        };
        self.groups.iter().map(site).collect()
    }

    /// The site with its callers, as far as most of its memory comes by them.
    fn named(&self, site: symbols::Site, group: &Group) -> Vec<symbols::Site> {
        let mut path = vec![site];
        while path.len() < DEPTH {
            let mut callers: HashMap<symbols::Site, f64> = HashMap::new();
            for (other, costs) in group.paths.iter().filter(|(other, _)| other.starts_with(&path)) {
                if let Some(&caller) = other.get(path.len()) {
                    *callers.entry(caller).or_default() += costs.of(Cost::Allocated).bytes;
                }
            }
            let all = group.costs.of(Cost::Allocated).bytes;
            let most = callers.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
            let most = most.filter(|(caller, bytes)| *bytes >= MOST * all && !self.begins(*caller));
            match most {
                Some((caller, _)) => path.push(caller),
                None => break,
            }
        }
        path
    }

    /// Whether all of a program is called by this: that tells nothing.
    fn begins(&self, site: symbols::Site) -> bool {
        let function = self.names.at_site(site).0.function;
        matches!(
            function,
            "main" | "_start" | "start_thread" | "clone" | "clone3" | "_dl_start_user"
        )
    }

    /// The site with its line, and who calls it.
    fn name(&self, path: &[symbols::Site]) -> String {
        let mut name = self.names.site_name(path[0]);
        for &caller in &path[1..] {
            let function = self.names.at_site(caller).0.function;
            name += " < ";
            name += &match function {
                "" => self.names.site_name(caller),
                function => symbols::short(function).to_owned(),
            };
        }
        name
    }
}
