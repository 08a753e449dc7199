//! One offline page: what is said, a key of who is who, sections of tables and pictures, and the data itself.
//!
//! The page's own script does what any page needs: the theme, those who are chosen stand out, sorting, saving. What
//! reads the data is a script of whoever made them, and has `page.all`, `page.one`, `page.save` and `page.csv`.

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value};
use serde::Serialize;

use crate::style::{self, Style};
use crate::table::Table;
use crate::text::escape;

const TEMPLATE: &str = include_str!("../assets/page.html");
const RULES: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");

/// What a page is made of. Strings are escaped, but for those that say they are markup, a script or JSON.
#[derive(Debug, Default, Serialize)]
pub struct Page {
    /// In the browser's frame.
    pub title: String,
    /// Above the headline.
    pub kicker: String,
    pub headline: String,
    /// The same in sentences, the most important one first.
    pub said: Vec<String>,
    /// What a reader should know before that is trusted.
    pub warnings: Vec<String>,
    pub key: Vec<Key>,
    pub sections: Vec<Section>,
    /// JSON, in which no tag ends.
    #[serde(skip)]
    pub data: String,
    pub script: &'static str,
}

/// One of those whose figures are shown.
#[derive(Debug, Serialize)]
pub struct Key {
    who: usize,
    name: String,
    swatch: String,
    is_ours: bool,
}

impl Key {
    pub fn new(style: &Style, name: &str) -> Self {
        let swatch = style::swatch(style);
        Self { who: style.who, name: name.to_owned(), swatch, is_ours: style.is_ours }
    }
}

/// A part of a page that can be linked to.
#[derive(Debug, Default, Serialize)]
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    pub about: String,
    pub figures: Vec<Figure>,
    /// Tables; one without rows is left out.
    pub tables: Vec<Table>,
    /// Whether the tables come before the pictures.
    pub tables_first: bool,
    /// Whether it is one picture beside its table.
    pub is_single: bool,
    pub facts: Vec<(String, String)>,
    /// What opens when it is asked for: a name, what it is, and lines.
    pub details: Vec<(String, String, Vec<String>)>,
    pub markup: String,
}

impl Section {
    pub fn has_figures(&self) -> bool {
        !self.figures.is_empty() || self.tables.iter().any(|table| !table.is_empty())
    }
}

/// A picture, and by what the data's script finds its numbers.
#[derive(Debug, Serialize)]
pub struct Figure {
    pub svg: String,
    /// Whether it has the page's width to itself.
    pub is_wide: bool,
    /// What kind of numbers they are.
    pub kind: &'static str,
    /// Which of them.
    pub which: String,
    /// And of those.
    pub name: String,
    /// What its file is called, without an ending.
    pub file: String,
}

/// The page: a whole HTML file that needs nothing else.
pub fn render(page: &Page) -> String {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.add_global("rules", rules());
    environment.add_global("own_script", SCRIPT);
    let rendered = environment.render_named_str("page.html", TEMPLATE, Value::from(Serde(page)));
    let rendered = rendered.unwrap_or_else(|e| {
        // Only a fault in the template itself gets here, and the tests render it.
        format!("<!doctype html><title>heapwright</title><p>{}</p>", escape(&e.to_string()))
    });
    // A number and its sign stay in one line; the data stay as they are, and come last.
    let rendered = rendered.replace(" %", "\u{a0}%");
    match rendered.rsplit_once(DATA) {
        Some((before, after)) => [before, &page.data, after].concat(),
        None => rendered,
    }
}

const DATA: &str = "/*data*/";

fn rules() -> String {
    let rules = RULES
        .replace("/*light*/", &style::variables(false))
        .replace("/*dark*/", &style::variables(true));
    rules + &style::classes()
}
