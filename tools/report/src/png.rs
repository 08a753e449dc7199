//! SVG to PNG, with a font of our own: the machine may have none.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{self, Options, Tree};

/// DejaVu Sans, reduced to the letters that are likely; its licence is beside it.
const FONT: &[u8] = include_bytes!("../assets/font/DejaVuSans-subset.ttf");
const FAMILY: &str = "DejaVu Sans";

/// Pixels of the file for one of the picture's.
const SCALE: f32 = 2.0;

/// Why a picture could not be turned into pixels.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is no SVG.
    #[error("not an SVG picture")]
    Svg(#[from] usvg::Error),
    /// It has no size, or one beyond all memory.
    #[error("a picture of {0} × {1} pixels cannot be drawn")]
    Size(u32, u32),
    /// The pixels could not be compressed.
    #[error("the PNG file could not be encoded: {0}")]
    Encode(String),
}

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_data(FONT.to_vec());
        fonts.set_sans_serif_family(FAMILY);
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

/// Draws `svg` with two pixels for one of its own. Cost: some 50 ms. Never panics.
///
/// # Errors
///
/// It is no SVG, or too large.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let options = Options { fontdb: fonts(), font_family: FAMILY.to_owned(), ..Options::default() };
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let size = size.scale_by(SCALE).unwrap_or(size);
    let mut pixels =
        Pixmap::new(size.width(), size.height()).ok_or(Error::Size(size.width(), size.height()))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| Error::Encode(e.to_string()))
}
