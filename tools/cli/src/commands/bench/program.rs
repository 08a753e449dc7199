//! The user's own program before it runs: whether its malloc can be replaced, and what it reads.

use std::path::Path;

use anyhow::bail;
use bench::measured::{Given, Input};
use launch::inspect::Inspection;

use super::super::run::inspected;
use super::Bench;
use crate::exit::{self, Usage};
use crate::format;

impl Bench {
    pub(super) fn inspection(
        &self,
        warnings: &mut Vec<String>,
    ) -> anyhow::Result<Option<Inspection>> {
        let Some(file) = self.program.file()? else { return Ok(None) };
        let inspection = inspected(&file, self.program.arguments())?;
        if let Some(why) = without_effect(&file, &inspection) {
            if !self.output.force {
                bail!(Usage(format!("{why}; --force measures it all the same")));
            }
            warnings.push(why);
        }
        if let Some(own) = &inspection.own_malloc {
            warnings.push(format!(
                "{own} is linked into the program: what calls it directly is the same in every row"
            ));
        }
        Ok(Some(inspection))
    }

    /// The file that the user's own program reads. What could be read once only is not, which is said.
    pub(super) fn input(&self) -> Option<Input> {
        if self.program.is_absent() {
            return None;
        }
        let why = match Input::of_this_process() {
            Given::File(input) => return Some(input),
            Given::Nothing => return None,
            Given::Once(what) => format!("it is {what}, which can be read once only"),
            Given::Closed(error) => format!("it cannot be opened again: {error}"),
        };
        exit::warn(&format!(
            "every run has an empty standard input ({why}); put it into a file: heapwright bench -- {} < FILE",
            format::shell(&self.program.words())
        ));
        None
    }
}

fn without_effect(file: &Path, inspection: &Inspection) -> Option<String> {
    let obstacle = inspection.obstacle()?;
    let target = inspection.program().unwrap_or(file).display();
    Some(format!("{target}: {}; every row measures the same malloc", obstacle.text))
}
