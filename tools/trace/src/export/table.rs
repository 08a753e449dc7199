//! A table before it has a form, and who gives it one.

use std::io::Write;

use crate::error::TraceError;

/// A table's name, and the names of its columns with what is in them.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: &'static str,
    pub(super) columns: &'static [(&'static str, Kind)],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whole numbers of 64 bits with a sign: engines differ in how they take others.
    Number,
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Text(&'a str),
    None,
}

impl Value<'_> {
    /// As a number with a sign; the largest instead of those that are larger.
    pub(super) fn number(number: u64) -> i64 {
        i64::try_from(number).unwrap_or(i64::MAX)
    }
}

impl From<Option<u64>> for Value<'_> {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::None, Self::Number)
    }
}

/// Takes the rows of a table.
pub(super) trait Rows {
    /// One more, with a value for each column.
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), TraceError>;
    fn finish(self: Box<Self>) -> Result<(), TraceError>;
}

/// In which form tables are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Comma-separated values, the names first.
    Csv,
    /// An object of JSON a line.
    Jsonl,
    /// Apache Parquet: columns, compressed.
    Parquet,
}

impl Form {
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Parquet => "parquet",
        }
    }

    pub(super) fn rows(
        self,
        table: &'static Table,
        out: Box<dyn Write + Send>,
    ) -> Result<Box<dyn Rows>, TraceError> {
        Ok(match self {
            Self::Csv => Box::new(super::csv::Csv::new(table, out)?),
            Self::Jsonl => Box::new(super::jsonl::Jsonl::new(table, out)),
            Self::Parquet => Box::new(super::parquet::Parquet::new(table, out)?),
        })
    }
}

/// An error of a table's file.
pub(super) fn failed(table: &'static Table) -> impl Fn(std::io::Error) -> TraceError {
    move |source| TraceError::Io { path: table.name.into(), source }
}
