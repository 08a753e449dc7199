//! What the project set itself, and whether it holds in this run.
use crate::samples::Samples;
use crate::table::markdown;
use crate::{holes, live};
use heapwright_blocks::subjects::{
    ARENA, BUDDY, BUDDY_SYSTEM, FITS, LINKED_LIST, RLSF, TALC, TLSF, TLSF_8,
};

/// A figure, and the bound it is to keep.
struct Line {
    says: String,
    figure: f64,
    bound: f64,
    /// Whether the figure is to be at least the bound; and it is no time, but exact.
    least: bool,
}

impl Line {
    fn holds(&self) -> bool {
        if self.least { self.figure >= self.bound } else { self.figure <= self.bound }
    }
}

fn lines(samples: &Samples) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut most = |says: &str, figure: Option<f64>, bound: f64| {
        if let Some(figure) = figure {
            lines.push(Line { says: says.to_owned(), figure, bound, least: false });
        }
    };
    let peers = [RLSF, TALC];
    let pairs = |name, others: &[&str], key| samples.ratio("pairs", name, others, key);
    most("tlsf: a pair ÷ the faster of rlsf and talc", pairs(TLSF, &peers, "mean_ns"), 0.9);
    most("tlsf: 99.9 % of calls ÷ the lower of rlsf and talc", pairs(TLSF, &peers, "p999_ns"), 1.0);
    most("tlsf: to 1,000,000 live ÷ 100 live, hot", live::growth(samples, TLSF, "hot"), 1.2);
    most("tlsf: a thousand holes ÷ one", holes::growth(samples, TLSF), 2.0);
    for fit in FITS {
        let says = format!("{fit}: a pair ÷ linked_list_allocator");
        most(&says, pairs(fit, &[LINKED_LIST], "mean_ns"), 1.0);
    }
    let buddy = pairs(BUDDY, &[BUDDY_SYSTEM], "mean_ns");
    most("buddy: a pair ÷ buddy_system_allocator", buddy, 1.0);
    most("buddy: a thousand holes ÷ one", holes::growth(samples, BUDDY), 2.0);
    for kind in ["small", "mixed", "large"] {
        let key = format!("{kind}_ns");
        let says = format!("tlsf: fixed ÷ arena, {kind}");
        most(&says, samples.ratio("arena", TLSF, &[ARENA], &key), 1.0);
    }
    let fills = [
        (TLSF, "1_256_at_16", 89.0),
        (TLSF_8, "1_256_at_8", 91.0),
        (TLSF, "16_4096_at_16", 97.0),
        (TLSF_8, "16_4096_at_8", 97.0),
    ];
    for (name, key, bound) in fills {
        let Some(figure) = samples.median("fill", name, key) else { continue };
        let says = format!("{name}: fill {}, per cent", key.replace('_', " "));
        let theirs = peers.iter().filter_map(|peer| samples.median("fill", peer, key));
        lines.push(Line { says: says.clone(), figure, bound, least: true });
        if let Some(theirs) = theirs.reduce(f64::max) {
            let says = format!("{says} ÷ the better of rlsf and talc");
            lines.push(Line { says, figure: figure / theirs, bound: 1.0, least: true });
        }
    }
    lines
}

/// The table, and whether all hold; of a quick run, whether the exact ones do.
pub(crate) fn show(samples: &Samples, quick: bool) -> (String, bool) {
    let mut table = markdown(&["", "figure", "bound", ""]);
    let lines = lines(samples);
    for line in &lines {
        let sign = if line.least { "≥" } else { "≤" };
        let holds = if line.holds() { "pass" } else { "**FAIL**" };
        table.add_row([
            line.says.clone(),
            format!("{:.3}", line.figure),
            format!("{sign} {}", line.bound),
            holds.to_owned(),
        ]);
    }
    (
        format!("### Bounds\n\n{table}\n"),
        lines.iter().all(|line| line.holds() || quick && !line.least),
    )
}
