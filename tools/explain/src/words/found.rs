//! Each finding in words: what it is, what that rests on, what helps.

use show::number::{bytes, count, nanoseconds, percent};

use super::account::of_files;
use super::growth::{own_maps, rises_to_the_end};
use super::sites::main;
use super::sizes;
use crate::facts::{Facts, Mappings};
use crate::rules::{
    Confidence, Finding, Kind, Remedy, bears, has_table, in_huge_steps, is_notable, is_sparse,
    slows_down, spread,
};

/// Where there is no finding. What is free but was not for long enough is no finding, and is said.
pub(super) fn none(facts: &Facts) -> String {
    if facts.program.blocks == 0 {
        return "No call of malloc is in this trace, so nothing can be said.".to_owned();
    }
    let moments = [&facts.peak, &facts.last];
    let free = moments.map(|moment| moment.account.free()).into_iter().max().unwrap_or_default();
    let lasting = facts.worst.account.free();
    if is_notable(facts, lasting) && !is_sparse(&facts.worst) {
        return format!(
            "Nothing stands out: {} were free, but among live blocks that lie close together, where it is used again.",
            bytes(lasting as f64)
        );
    }
    if is_notable(facts, free) {
        return format!(
            "Nothing that lasts stands out: {} were free and kept, but for less than an eighth of the work. A longer \
             recording tells whether they stay.",
            bytes(free as f64)
        );
    }
    if rises_to_the_end(facts) {
        let all = &facts.growth.all;
        return format!(
            "Nothing stands out. Live memory rises until the work is done, as {} of all blocks are kept until then: a \
             program that builds something and ends needs nothing else. If it is to run on, this has no end.",
            percent(all.live_blocks as f64 / all.blocks.max(1) as f64)
        );
    }
    let account = &facts.peak.account;
    let mostly = if (account.asked + account.rounding) * 2 >= facts.peak.resident {
        ", and most of what is resident is what the program asked for"
    } else {
        ""
    };
    let full = full_since(facts).map_or(String::new(), |time| {
        let since = nanoseconds(time as f64);
        format!(" What is live came until {since}; since then about as much goes as comes.")
    });
    format!(
        "Nothing stands out: no size grows without end, and little is kept that is free{mostly}.{full}"
    )
}

/// When live memory had become what it is when the work is done, if that took a tenth of the time and is long ago: a store that is full.
fn full_since(facts: &Facts) -> Option<u64> {
    let (until, live) = (facts.growth.until, facts.last.live);
    let is_level = live >= 1 << 20 && live / 4 * 5 >= facts.peak_live;
    let full = facts.over_time.iter().find(|point| point.live >= live / 10 * 9)?.time;
    (is_level && full > until / 10 && full < until / 4 * 3).then_some(full)
}

/// A headline and a paragraph.
pub(super) fn words(facts: &Facts, finding: &Finding) -> (String, String) {
    let sure = match finding.confidence {
        Confidence::Sure => "",
        Confidence::Likely => ", likely",
        Confidence::Possible => ", possibly",
    };
    let (bytes, share) = (bytes(finding.bytes as f64), percent(finding.share));
    let head = match finding.kind {
        Kind::Leak | Kind::GrowingCache => {
            format!("{}{sure}: {bytes} more in the second half", name(finding.kind))
        }
        kind => format!("{}{sure}: {bytes}, {share} of the peak", name(kind)),
    };
    let set = bears(facts, finding.kind).map(|set| {
        format!("It ran with {set}, which bears on this: replay tells what it takes without.")
    });
    let said =
        [Some(because(facts, finding)), main(facts, finding), set, Some(remedy(facts, finding))];
    (head, said.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Its name for people.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Leak => "Leak",
        Kind::GrowingCache => "Grows with what it stores",
        Kind::Fragmentation => "Fragmentation",
        Kind::ThreadCaches => "Kept for threads",
        Kind::Retention => "Kept after a peak",
        Kind::HugePages => "Huge pages",
        Kind::OwnMappings => "Not malloc's",
        Kind::Rounding => "Rounding",
    }
}

fn because(facts: &Facts, finding: &Finding) -> String {
    let moment = &facts.worst;
    let figure = |n: u64| bytes(n as f64);
    match finding.kind {
        Kind::Leak => {
            let all = &facts.growth.all;
            let ends = if finding.confidence == Confidence::Possible {
                let kept = percent(all.live_blocks as f64 / all.blocks.max(1) as f64);
                format!(
                    "The program keeps {kept} of all blocks and frees next to nothing at its end: a program that builds \
                     something until it ends, as a compiler does, looks the same. If it is to run on, this has no end."
                )
            } else if all.freed_after * 20 > all.live {
                "At its end the program frees others, but not these.".to_owned()
            } else {
                "Data that is kept for ever looks the same.".to_owned()
            };
            format!(
                "Blocks become more all the time, and of those sizes hardly any is freed once it is old. {ends} Whether \
                 anything still points to them, heapwright profile --leak-check reachable tells."
            )
        }
        Kind::GrowingCache => {
            let (old, freed) = growing(facts);
            let known = if freed * 50 > old {
                let freed = percent(freed as f64 / old.max(1) as f64);
                format!("{freed} of what was old by then was freed in the last quarter")
            } else if has_table(facts) {
                let table = figure(facts.growth.table);
                format!("a table of {table} grew, as one does that holds them")
            } else if slows_down(facts) {
                "they become more ever more slowly, as entries do of which some are there already"
                    .to_owned()
            } else if facts.growth.all.freed_after * 2 > facts.growth.all.live {
                "they were freed when the work was done".to_owned()
            } else {
                "realloc makes them larger".to_owned()
            };
            format!(
                "Blocks become more all the time, and the program can reach them: {known}. So it is data, a cache \
                 without a limit, or entries that are never taken out, rather than lost blocks."
            )
        }
        Kind::Fragmentation => {
            let sparse = &moment.sparse;
            let full = sparse.were as f64 / (sparse.units.max(1) << 16) as f64;
            let whole = figure(moment.account.scattered);
            let pages = if moment.account.scattered > moment.account.pinned {
                format!(
                    "Most of it, {whole}, is in whole pages, which malloc could give back but keeps."
                )
            } else {
                format!(
                    "Most of it is on pages with a block, which no malloc can give back; {whole} are whole pages."
                )
            };
            format!(
                "Of pieces of 64 KiB {} are less than half full, and were full to {} once; {} blocks hold them, {} in all. \
                 {pages}",
                count(sparse.units as f64),
                percent(full),
                count(sparse.all.blocks as f64),
                figure(sparse.all.bytes),
            )
        }
        Kind::ThreadCaches => format!(
            "It lies on pages where no block is left, and was last used by {} threads to about equal parts, of {} that \
             ran at once.",
            count(spread(moment).round()),
            count(facts.threads.at_once as f64),
        ),
        Kind::Retention => {
            let fell = figure(facts.peak_live.saturating_sub(moment.live));
            format!(
                "Live memory was {fell} below its peak at {}, but resident memory had not followed. It lies on pages \
                 where no block is left.",
                nanoseconds(moment.time as f64)
            )
        }
        Kind::HugePages => {
            if let Some(huge) = facts.program.huge_pages {
                return format!(
                    "{} lay in huge pages, and {} of that was never written, by a sample: the first byte that is touched \
                     makes 2 MiB resident.",
                    figure(huge.bytes),
                    percent(huge.empty as f64 / huge.bytes.max(1) as f64),
                );
            }
            let beyond = facts.peak.account.elsewhere;
            let more = if beyond * 2 > finding.bytes {
                format!("{} became resident where no block ever was", figure(beyond))
            } else {
                "How much of it the program has touched was not recorded".to_owned()
            };
            format!(
                "{} of {} rises of resident memory were whole multiples of 2 MiB: the first byte that is touched makes \
                 as much resident. {more}.",
                count(facts.rises.of_huge_pages as f64),
                count(facts.rises.large as f64),
            )
        }
        Kind::OwnMappings => {
            let account = &facts.peak.account;
            if account.mapped() >= account.elsewhere {
                let (mapped, files) = (figure(account.mapped()), of_files(account));
                let is_unknown = facts.program.huge_pages.is_none();
                let steps = if is_unknown
                    && in_huge_steps(facts)
                    && account.own_maps * 2 > finding.bytes
                {
                    " It became resident in steps of 2 MiB: if the program has not touched all of it, that is huge pages' doing."
                } else {
                    ""
                };
                let grows = own_maps(facts).map_or(String::new(), |grew| {
                    format!(" It mapped {} more in the second half of the work.", figure(grew))
                });
                let of = mappings(facts);
                return format!(
                    "The program had mapped {mapped} of it itself{files}{of}. No malloc changes that.{grows}{steps}"
                );
            }
            let threads = match facts.threads.at_once {
                0 | 1 => "the stack".to_owned(),
                n => format!("the stacks of {} threads", count(n as f64)),
            };
            format!(
                "No block ever lay there, and no mapping of it was recorded: {threads}, static data, a runtime's own heap, \
                 or what malloc keeps for itself."
            )
        }
        Kind::Rounding => {
            let most = facts.peak.by_size.iter().max_by_key(|row| row.rounding);
            most.map_or(String::new(), |row| {
                format!(
                    "Most of it on {} blocks of {}, which take {} more than they asked for.",
                    count(row.blocks as f64),
                    sizes(row.from, row.to),
                    percent(row.rounding as f64 / row.bytes.max(1) as f64),
                )
            })
        }
    }
}

/// Old bytes of the sizes that grow, and those of them that were freed late.
fn growing(facts: &Facts) -> (u64, u64) {
    let bins = facts.growth.by_size.iter().filter(|bin| bin.growth() > 0);
    bins.fold((0, 0), |sum, bin| (sum.0 + bin.old_late(), sum.1 + bin.old_freed_late))
}

/// Of which mappings it is, if most of it is of one length.
fn mappings(facts: &Facts) -> String {
    let Mappings { each, count: n } = facts.mappings;
    let bytes_each = bytes(each as f64);
    match n {
        _ if each.saturating_mul(n).saturating_mul(2) < facts.peak.account.mapped() => {
            String::new()
        }
        0 => String::new(),
        1 => format!(", in one mapping of {bytes_each}"),
        _ => format!(", in {} mappings of {bytes_each} each", count(n as f64)),
    }
}

/// Whether what was mapped may be Python's arenas.
fn is_pythons(facts: &Facts) -> bool {
    let account = &facts.peak.account;
    let is_python = facts.program.command.contains("python") && !facts.program.python_on_malloc;
    is_python && account.own_maps * 2 > account.mapped()
}

fn remedy(facts: &Facts, finding: &Finding) -> String {
    let is_glibc = facts.program.malloc.contains("libc");
    match finding.remedy {
        Remedy::Free if finding.site.is_some() => "Free it where it is no longer needed, or keep a limit.".to_owned(),
        Remedy::Free => "Which code allocates them, a recording with --stacks all tells.".to_owned(),
        Remedy::Limit => "A cache needs a limit: of bytes, not of entries.".to_owned(),
        Remedy::Allocator if finding.kind == Kind::Fragmentation => {
            let has_whole = facts.worst.account.scattered * 10 > finding.bytes;
            let trim = if is_glibc && has_whole { "malloc_trim(0) gives whole pages back. " } else { "" };
            format!(
                "{trim}What stays should not be allocated among what goes: before it, or in a pool of its own. Allocators \
                 differ here: replay tells by how much."
            )
        }
        Remedy::Allocator => "Allocators differ here: replay tells by how much.".to_owned(),
        Remedy::GiveBack if is_glibc => "malloc_trim(0) gives it back. MALLOC_TRIM_THRESHOLD_=131072 does if no block is \
            left at the end of the heap, and the program sets no threshold itself."
            .to_owned(),
        Remedy::GiveBack => "A setting of the allocator gives it back sooner.".to_owned(),
        Remedy::FewerArenas if is_glibc => "MALLOC_ARENA_MAX=2 lets threads share arenas.".to_owned(),
        Remedy::SmallerCaches => "By glibc.malloc.tcache_count each thread keeps as many free blocks of each size up to \
            1,032 bytes: lower it. MALLOC_ARENA_MAX does not reach them."
            .to_owned(),
        Remedy::FewerArenas => "Fewer threads, or an allocator whose threads keep less.".to_owned(),
        Remedy::SmallPages => "On small pages only what is touched is resident: do not ask for huge ones, neither by \
            madvise(MADV_HUGEPAGE) nor by a setting of malloc; prctl(PR_SET_THP_DISABLE) before the program starts turns \
            them off."
            .to_owned(),
        Remedy::Runtime if is_pythons(facts) => "Python takes objects of up to 512 bytes out of \
            arenas that it maps: recorded with PYTHONMALLOC=malloc they are malloc's, and what grows among them is told. Else \
            who maps it, /proc/PID/smaps tells while it runs."
            .to_owned(),
        Remedy::Runtime => "Who maps it, /proc/PID/smaps tells while it runs. A runtime has settings of its own; a stack has \
            ulimit -s or the thread's attributes."
            .to_owned(),
    }
}
