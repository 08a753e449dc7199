//! ImageMagick takes a picture through many operations, with two threads, and makes the same one to the byte.

use heapwright_tests::{Malloc, Program, Scratch, need};

/// A picture of `side` by `side` points, PPM.
fn picture(side: u32) -> Vec<u8> {
    let mut bytes = format!("P6 {side} {side} 255\n").into_bytes();
    for y in 0..side {
        for x in 0..side {
            let colours = [x * y / 7, x ^ y, (x * x + y * y) >> 6];
            bytes.extend(colours.map(|colour| colour.to_le_bytes()[0]));
        }
    }
    bytes
}

const CHAINS: &[&str] = &[
    "-resize 500x300! -blur 0x3 -rotate 17 -colors 40 +dither",
    "-distort Arc 60 +repage -unsharp 0x2 -crop 200x150+60+20 +repage -negate",
    "( +clone -flip -edge 2 ) ( -clone 0 -swirl 120 ) -layers merge -colorspace Lab -equalize",
    "-morphology Close Disk:3 -median 3 -posterize 6 -shave 5x5 -liquid-rescale 60x80%!",
    "-wave 9x40 -implode 0.4 -sepia-tone 60% -bordercolor red -border 11 -fuzz 8% -trim",
];

#[test]
fn pictures_through_chains_of_operations() {
    let Some(convert) = need("convert-im6.q16") else { return };
    let scratch = Scratch::new();
    let from = scratch.file("picture.ppm", picture(320));
    for (number, chain) in CHAINS.iter().enumerate() {
        let made = |malloc: Malloc| {
            let to = scratch.join(&format!("{number}-{malloc:?}.png"));
            let _ = Program::new(&convert)
                .args(["-limit", "thread", "2"])
                .arg(&from)
                .args(chain.split(' '))
                .args(["-strip", "-define", "png:exclude-chunks=date,time"])
                .arg(&to)
                .env("HOME", scratch.path())
                .env("MAGICK_TMPDIR", scratch.path())
                .run(malloc)
                .expect_success(chain);
            // Of more than one picture, the first has the number 0 in its name.
            let first = scratch.join(&format!("{number}-{malloc:?}-0.png"));
            std::fs::read(if to.exists() { to } else { first }).expect("a picture was made")
        };
        let ours = made(Malloc::Ours);
        assert!(ours.len() > 1000, "{chain}: {} bytes", ours.len());
        assert!(ours == made(Malloc::Plain), "{chain}: another picture");
    }
}
