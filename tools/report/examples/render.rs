//! Makes the page and the plots again from a result: `render RESULT.json FOLDER`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use bench::result::Report;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [result, folder] = arguments.as_slice() else {
        eprintln!("usage: render RESULT.json FOLDER");
        return ExitCode::from(2);
    };
    match render(result, Path::new(folder)) {
        Ok(files) => {
            println!("{files} files in {folder}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("render: {error}");
            ExitCode::FAILURE
        }
    }
}

fn render(result: &str, folder: &Path) -> Result<usize, Box<dyn core::error::Error>> {
    let report = Report::from_json(&fs::read_to_string(result)?)?;
    fs::create_dir_all(folder)?;
    Ok(heapwright_report::write(&report, folder)?.len())
}
