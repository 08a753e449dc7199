//! Functions and whom they call, down to where blocks are allocated: inlined ones are functions too.
//!
//! ```text
//! all ─┬─ main ─┬─ load ── insert      each with what is allocated from exactly there, and with all below it
//!      │        └─ serve
//!      └─ (no call stack)
//! ```

use std::collections::HashMap;

use crate::cost::Costs;
use crate::gather::Profile;

#[derive(Debug, Clone)]
pub struct Node {
    /// Who calls it; that of the first, all, is itself. Parents come before their children.
    pub parent: usize,
    pub label: usize,
    /// A line of it that is called from, or 0.
    pub line: u32,
    /// What is allocated from exactly here.
    pub own: Costs,
    /// The same with all that it calls.
    pub total: Costs,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Label {
    pub name: String,
    pub file: String,
    /// The program or library that it is in.
    pub module: String,
}

#[derive(Debug)]
pub struct Tree {
    /// The first is all of them.
    pub nodes: Vec<Node>,
    pub labels: Vec<Label>,
}

const UNKNOWN: &str = "(callers unknown)";
const NO_STACK: &str = "(no call stack)";

impl Tree {
    pub fn of(profile: &Profile) -> Self {
        let root = Label { name: "all".to_owned(), ..Label::default() };
        let node =
            Node { parent: 0, label: 0, line: 0, own: Costs::default(), total: Costs::default() };
        let mut building = Building {
            profile,
            tree: Self { nodes: vec![node], labels: vec![root.clone()] },
            labels: HashMap::from([(root, 0)]),
            children: HashMap::new(),
            of_ip: HashMap::new(),
        };
        for stack in &profile.stacks {
            let ips: Vec<u64> = profile.frames.stack(stack.frame).collect();
            let mut at = 0;
            if ips.is_empty() {
                at = building.child(at, NO_STACK);
            }
            for &ip in ips.iter().rev() {
                at = building.call(at, ip);
            }
            building.tree.nodes[at].own.join(&stack.costs);
        }
        let mut tree = building.tree;
        for at in (0..tree.nodes.len()).rev() {
            let own = tree.nodes[at].own;
            tree.nodes[at].total.join(&own);
            let (total, parent) = (tree.nodes[at].total, tree.nodes[at].parent);
            if at > 0 {
                tree.nodes[parent].total.join(&total);
            }
        }
        tree
    }

    pub fn label(&self, node: usize) -> &Label {
        &self.labels[self.nodes[node].label]
    }

    /// A node and its callers, the outermost first, without that of all.
    pub fn path(&self, node: usize) -> Vec<usize> {
        let parent = |&at: &usize| Some(self.nodes[at].parent).filter(|&parent| parent != 0);
        let mut path: Vec<usize> = core::iter::successors(Some(node), parent).collect();
        path.retain(|&at| at != 0);
        path.reverse();
        path
    }
}

struct Building<'a> {
    profile: &'a Profile,
    tree: Tree,
    labels: HashMap<Label, usize>,
    children: HashMap<(usize, usize), usize>,
    /// The functions of an address, the outermost first, with their lines.
    of_ip: HashMap<u64, Vec<(usize, u32)>>,
}

impl Building<'_> {
    /// Goes on into the functions of an address.
    fn call(&mut self, mut at: usize, ip: u64) -> usize {
        if ip == 0 {
            return self.child(at, UNKNOWN);
        }
        if !self.of_ip.contains_key(&ip) {
            let functions = self.functions(ip);
            self.of_ip.insert(ip, functions);
        }
        let functions = self.of_ip[&ip].clone();
        for (label, line) in functions {
            at = self.node(at, label, line);
        }
        at
    }

    fn functions(&mut self, ip: u64) -> Vec<(usize, u32)> {
        let names = &self.profile.names;
        let (module, place) = names.module(ip).unwrap_or(("", ip));
        let module = module.to_owned();
        let mut functions: Vec<(Label, u32)> = names
            .at(ip)
            .map(|symbol| {
                let name = match symbol.function {
                    "" => unnamed(&module, place),
                    function => symbols::short(function).to_owned(),
                };
                (Label { name, file: symbol.file.to_owned(), module: module.clone() }, symbol.line)
            })
            .collect();
        if functions.is_empty() {
            let name = unnamed(&module, place);
            functions.push((Label { name, file: String::new(), module }, 0));
        }
        functions.reverse();
        functions.into_iter().map(|(label, line)| (self.label(label), line)).collect()
    }

    fn child(&mut self, at: usize, name: &str) -> usize {
        let label = self.label(Label { name: name.to_owned(), ..Label::default() });
        self.node(at, label, 0)
    }

    fn label(&mut self, label: Label) -> usize {
        let labels = &mut self.tree.labels;
        *self.labels.entry(label).or_insert_with_key(|label| {
            labels.push(label.clone());
            labels.len() - 1
        })
    }

    fn node(&mut self, parent: usize, label: usize, line: u32) -> usize {
        let nodes = &mut self.tree.nodes;
        *self.children.entry((parent, label)).or_insert_with(|| {
            let (own, total) = (Costs::default(), Costs::default());
            nodes.push(Node { parent, label, line, own, total });
            nodes.len() - 1
        })
    }
}

/// What code without a name is called: where it is.
fn unnamed(module: &str, place: u64) -> String {
    let file = module.rsplit('/').next().filter(|file| !file.is_empty()).unwrap_or("?");
    format!("{file}+{place:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Cost;
    use crate::testing::profile;

    #[test]
    fn a_function_has_what_it_calls() {
        let tree = Tree::of(&profile());
        let row = |at: usize| {
            let path = tree.path(at);
            let names: Vec<&str> = path.iter().map(|&at| tree.label(at).name.as_str()).collect();
            let of = |costs: &Costs| costs.of(Cost::Allocated).bytes;
            (names.join(";"), of(&tree.nodes[at].own), of(&tree.nodes[at].total))
        };
        let rows: Vec<(String, f64, f64)> = (0..tree.nodes.len()).map(row).collect();
        let is = |name: &str, own: f64, total: f64| (name.to_owned(), own, total);
        assert_eq!(rows[0], is("", 0.0, 3570.0));
        assert!(rows.contains(&is("?+0x5000", 2000.0, 3500.0)), "{rows:?}");
        assert!(rows.contains(&is("?+0x5000;?+0x6000", 1500.0, 1500.0)), "{rows:?}");
        assert!(rows.contains(&is("(callers unknown);?+0x7000", 70.0, 70.0)), "{rows:?}");
    }
}
