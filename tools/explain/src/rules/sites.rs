//! Which sites are most of what holds memory, grows, lives shortest, or is freed by other threads.
//!
//! ```text
//! role        is worth a word if it is        a site is named if it is
//! peak        2 % of the peak                 a tenth of the role, and more than its own margin
//! pins        2 % of the peak                 likewise
//! grows       2 % of what was live,           likewise
//!             and the least that is live rises by a fourth of that
//! temporary   a fifth of all blocks           likewise
//! elsewhere   a twentieth of all blocks       likewise
//! ```

use serde::Serialize;

use super::{Kind, peak};
use crate::facts::{Amount, Facts, Uses};

/// Fewer bytes are not worth a word, nor fewer blocks.
const BYTES: f64 = (64 << 10) as f64;
const BLOCKS: f64 = 1000.0;
/// Sites that are named for a role.
const NAMED: usize = 3;
/// The least part of a role that is named.
const LEAST: f64 = 0.1;
/// The least part of a finding at which its site is named with it.
const MAIN: f64 = 0.25;

/// What a site may be the most of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Its blocks are live at the peak.
    Peak,
    /// Its blocks hold memory that is otherwise free.
    Pins,
    /// It has more live bytes at the end of the work than at half of it.
    Grows,
    /// Its blocks are freed soon.
    Temporary,
    /// Its blocks are freed by other threads.
    Elsewhere,
}

/// A site's part of a role.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    pub role: Role,
    /// Which of the facts' sites.
    pub site: usize,
    pub amount: Amount,
    /// As a share of all sites'.
    pub share: f64,
}

/// The sites to name, by role, the largest part first.
pub fn parts(facts: &Facts) -> Vec<Part> {
    let roles = [Role::Peak, Role::Pins, Role::Grows, Role::Temporary, Role::Elsewhere];
    roles
        .into_iter()
        .filter(|&role| is_notable(facts, role))
        .flat_map(|role| most(facts, role))
        .collect()
}

/// The site to name with a finding.
pub(super) fn of(facts: &Facts, kind: Kind) -> Option<Part> {
    let role = match kind {
        Kind::Leak | Kind::GrowingCache => Role::Grows,
        Kind::Fragmentation => Role::Pins,
        _ => return None,
    };
    most(facts, role).into_iter().next().filter(|part| part.share >= MAIN)
}

fn most(facts: &Facts, role: Role) -> Vec<Part> {
    let sites = &facts.sites;
    let whole_sites = || sites.list.iter().filter(|site| site.within.is_none());
    // What shrinks elsewhere is no part of what grows.
    let grew: f64 = whole_sites().map(|site| site.uses.growth().max(0.0)).sum();
    let whole = match role {
        Role::Grows => grew.max(sites.all.growth()),
        role => figure(role, &amount(role, &sites.all)),
    };
    let part = |(site, one): (usize, &crate::facts::Site)| {
        let amount = amount(role, &one.uses);
        Part { role, site, amount, share: figure(role, &amount) / whole.max(1.0) }
    };
    let mut parts: Vec<Part> = sites.list.iter().enumerate().map(part).collect();
    parts.retain(|part| part.share >= LEAST && part.amount.bytes > part.amount.margin);
    // Instead of a site those that call it, where they are most of it.
    let split = parts.iter().filter(|part| {
        let callers = parts.iter().filter(|one| sites.list[one.site].within == Some(part.site));
        callers.map(|one| one.share).sum::<f64>() * 2.0 > part.share
    });
    let split: Vec<usize> = split.map(|part| part.site).collect();
    parts.retain(|part| {
        let within = core::iter::successors(Some(part.site), |&site| sites.list[site].within);
        let mut above = within.skip(1);
        !split.contains(&part.site) && above.all(|site| split.contains(&site))
    });
    parts.sort_by(|a, b| b.share.total_cmp(&a.share));
    parts.truncate(NAMED);
    parts
}

fn amount(role: Role, uses: &Uses) -> Amount {
    match role {
        Role::Peak => uses.peak,
        Role::Pins => uses.held,
        Role::Grows => Amount {
            blocks: uses.young.blocks - uses.gone.blocks,
            bytes: uses.growth(),
            margin: uses.growth_margin(),
            blocks_margin: uses.young.blocks_margin.hypot(uses.gone.blocks_margin),
        },
        Role::Temporary => uses.temporary,
        Role::Elsewhere => uses.elsewhere,
    }
}

/// What a role is measured by: bytes that are there, or blocks that come and go.
fn figure(role: Role, amount: &Amount) -> f64 {
    match role {
        Role::Peak | Role::Pins | Role::Grows => amount.bytes,
        Role::Temporary | Role::Elsewhere => amount.blocks,
    }
}

fn is_notable(facts: &Facts, role: Role) -> bool {
    let all = amount(role, &facts.sites.all);
    let blocks = facts.sites.all.allocated.blocks;
    match role {
        Role::Peak | Role::Pins => all.bytes >= BYTES && all.bytes * 50.0 >= peak(facts) as f64,
        Role::Grows => {
            // What is live at two moments may differ by the work in hand: the least that is live has to grow, too.
            let least = facts.growth.all.growth() as f64;
            all.bytes >= BYTES
                && all.bytes * 50.0 >= facts.peak_live as f64
                && least * 4.0 >= all.bytes
        }
        Role::Temporary => all.blocks >= BLOCKS && all.blocks * 5.0 >= blocks,
        Role::Elsewhere => all.blocks >= BLOCKS && all.blocks * 20.0 >= blocks,
    }
}
