//! Every value of every round, the tables of them, and the bounds that the project set itself.
use comfy_table::{Table, presets};
use heapwright_blocks::subjects::{
    ARENA, BUDDY, BUDDY_SYSTEM, FITS, LINKED_LIST, RLSF, TALC, TLSF, TLSF_8,
};

use crate::parts::{Part, fill_key};

#[derive(Debug)]
struct Sample {
    round: usize,
    part: Part,
    allocator: &'static str,
    key: String,
    value: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Sample>);

/// A column of a part's table: medians of a value; or, with others to be divided by, of ratios.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) says: String,
    pub(crate) key: String,
    pub(crate) digits: usize,
    pub(crate) over: &'static [&'static str],
}

fn markdown(header: impl IntoIterator<Item = String>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.into_iter().collect::<Vec<_>>());
    table
}

impl Samples {
    pub(crate) fn put(
        &mut self,
        round: usize,
        part: Part,
        allocator: &'static str,
        key: String,
        value: f64,
    ) {
        self.0.push(Sample { round, part, allocator, key, value });
    }

    fn of(&self, part: Part, allocator: &str, key: &str) -> impl Iterator<Item = &Sample> {
        self.0.iter().filter(move |sample| {
            sample.part == part && sample.allocator == allocator && sample.key == key
        })
    }

    fn median(&self, part: Part, allocator: &str, key: &str) -> Option<f64> {
        let values: Vec<f64> = self.of(part, allocator, key).map(|sample| sample.value).collect();
        bench::stats::median(&values)
    }

    /// The median of the rounds' ratios: this allocator's value to the least of `others`, each round by itself.
    fn ratio(&self, part: Part, allocator: &str, others: &[&str], key: &str) -> Option<f64> {
        let ratio = |mine: &Sample| {
            let theirs = others.iter().flat_map(|other| self.of(part, other, key));
            let theirs = theirs.filter(|sample| sample.round == mine.round);
            Some(mine.value / theirs.map(|sample| sample.value).reduce(f64::min)?)
        };
        bench::stats::median(&self.of(part, allocator, key).filter_map(ratio).collect::<Vec<f64>>())
    }

    pub(crate) fn table(&self, part: Part) -> String {
        let columns = part.columns();
        let mut table =
            markdown([String::new()].into_iter().chain(columns.iter().map(|it| it.says.clone())));
        for name in part.names() {
            let cell = |Column { key, digits, over, .. }: &Column| {
                let shown = |figure: Option<f64>, digits: usize| {
                    figure.map_or_else(String::new, |figure| format!("{figure:.digits$}"))
                };
                let ratio = shown(self.ratio(part, name, over, key), 2);
                let median = shown(self.median(part, name, key), *digits);
                match (over.is_empty() || over == &[*name], part) {
                    (true, _) => median,
                    (false, Part::Arena) => format!("{median} ({ratio})"),
                    (false, _) => ratio,
                }
            };
            table.add_row([(*name).to_owned()].into_iter().chain(columns.iter().map(cell)));
        }
        format!("{}\n\n{table}\n", part.says())
    }

    /// What was to be reached, the figure, and the bound: at most as much.
    fn at_most(&self) -> Vec<(String, Option<f64>, f64)> {
        let pairs = |name, others: &[&str], key| self.ratio(Part::Pairs, name, others, key);
        let holes = |name| self.median(Part::Holes, name, "grown");
        let hot = self.median(Part::Live, TLSF, "hot grown");
        let fits = FITS.map(|fit| {
            let says = format!("{fit}: a pair ÷ linked_list_allocator");
            (says, pairs(fit, &[LINKED_LIST], "mean"), 1.0)
        });
        let fixed = ["small", "mixed", "large"].map(|kind| {
            let says = format!("tlsf: fixed ÷ arena, {kind}");
            (says, self.ratio(Part::Arena, TLSF, &[ARENA], kind), 1.0)
        });
        let peers = [RLSF, TALC];
        let others = [
            ("tlsf: a pair ÷ the faster of rlsf and talc", pairs(TLSF, &peers, "mean"), 0.9),
            (
                "tlsf: 99.9 % of calls ÷ the lower of rlsf and talc",
                pairs(TLSF, &peers, "p999"),
                1.0,
            ),
            ("tlsf: to 1,000,000 live ÷ 100 live, hot", hot, 1.2),
            ("tlsf: a thousand holes ÷ one", holes(TLSF), 2.0),
            ("buddy: a pair ÷ buddy_system_allocator", pairs(BUDDY, &[BUDDY_SYSTEM], "mean"), 1.0),
            ("buddy: a thousand holes ÷ one", holes(BUDDY), 2.0),
        ];
        let others = others.map(|(says, figure, bound)| (says.to_owned(), figure, bound));
        others.into_iter().chain(fits).chain(fixed).collect()
    }

    /// And at least as much; these are no times, but exact.
    fn at_least(&self) -> Vec<(String, Option<f64>, f64)> {
        let fills = [
            (TLSF, fill_key(1, 256, 16), 89.0),
            (TLSF_8, fill_key(1, 256, 8), 91.0),
            (TLSF, fill_key(16, 4096, 16), 97.0),
            (TLSF_8, fill_key(16, 4096, 8), 97.0),
        ];
        let lines = fills.into_iter().flat_map(|(name, key, bound)| {
            let figure = self.median(Part::Fill, name, &key);
            let peers =
                [RLSF, TALC].into_iter().filter_map(|peer| self.median(Part::Fill, peer, &key));
            let ratio = peers.reduce(f64::max).and_then(|most| Some(figure? / most));
            let says = format!("{name}: fill {key}, per cent");
            let better = format!("{says} ÷ the better of rlsf and talc");
            [(says, figure, bound), (better, ratio, 1.0)]
        });
        lines.collect()
    }

    /// The table of what was measured, and whether all hold; of a quick run, whether the exact ones do.
    pub(crate) fn bounds(&self, quick: bool) -> (String, bool) {
        let mut table = markdown(["", "figure", "bound", ""].map(str::to_owned));
        let mut good = true;
        let most = self.at_most().into_iter().map(|line| ("≤", line));
        for (sign, (says, figure, bound)) in
            most.chain(self.at_least().into_iter().map(|line| ("≥", line)))
        {
            let Some(figure) = figure else { continue };
            let holds = if sign == "≥" { figure >= bound } else { figure <= bound };
            good &= holds || quick && sign == "≤";
            let verdict = if holds { "pass" } else { "**FAIL**" };
            table.add_row([
                says,
                format!("{figure:.3}"),
                format!("{sign} {bound}"),
                verdict.to_owned(),
            ]);
        }
        (format!("### Bounds\n\n{table}\n"), good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_each_round() {
        let mut samples = Samples::default();
        for (round, mine, theirs) in [(0, 1.0, 2.0), (1, 3.0, 4.0), (2, 9.0, 3.0)] {
            for (name, value) in [("a", mine), ("b", theirs), ("c", 100.0)] {
                samples.put(round, Part::Pairs, name, "k".to_owned(), value);
            }
        }
        assert_eq!(samples.median(Part::Pairs, "a", "k"), Some(3.0));
        assert_eq!(samples.ratio(Part::Pairs, "a", &["b", "c"], "k"), Some(0.75));
        assert_eq!(samples.ratio(Part::Pairs, "a", &["d"], "k"), None);
    }
}
