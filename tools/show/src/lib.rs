//! How figures are shown, before they are about anything: the terminal, files and pages have one form of each.
//!
//! ```text
//! number ── table ──┬── columns in a terminal, Markdown, CSV
//!    │              └── page: one offline file of HTML
//!    └── axis ── svg, chart ──┘
//! ```
//!
//! Nothing here knows what is measured, computes, or reads a file. What comes in may be any text and any number: no
//! name ends markup or moves a cursor, and what is not finite becomes a dash.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

mod axis;
mod chart;
pub mod number;
mod page;
pub mod style;
pub mod svg;
mod table;
pub mod text;
mod thin;

pub use axis::{Axis, Kind};
pub use chart::{Ask, Chart, Drawn, Line};
pub use page::{Figure, Key, Page, Section, render};
pub use table::{Cell, Column, Group, Table};
pub use thin::thin;
