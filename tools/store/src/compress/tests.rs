use super::*;
use crate::density::Random;

fn pages() -> Vec<Page> {
    let mut random = Random::new(3);
    let text = b"pages of text are made shorter by what they say again and again ";
    let repeated = core::array::from_fn(|at| text[at % text.len()]);
    let noise = core::array::from_fn(|_| random.next().to_le_bytes()[0]);
    let half =
        core::array::from_fn(|at| if at % 2 == 0 { 0 } else { random.next().to_le_bytes()[1] & 3 });
    vec![repeated, noise, half, [0; 4096]]
}

fn test(compressor: &mut impl Compressor) {
    let (mut out, mut back) = ([0; 4096], [1; 4096]);
    for (index, page) in pages().iter().enumerate() {
        match compressor.compress(page, &mut out) {
            Some(len) => {
                assert!(index == 1 || len < 4096);
                compressor.decompress(&out[..len], &mut back).unwrap();
                assert!(back == *page);
                // What is damaged is refused, or another page; never more than one.
                let _ = compressor.decompress(&out[..len / 2], &mut back);
                assert_eq!(compressor.decompress(&[], &mut back), None);
                let _ = compressor.decompress(&[0xff; 300], &mut back);
            }
            None => assert_eq!(index, 1, "only noise does not fit"),
        }
    }
    assert_eq!(compressor.compress(&pages()[2], &mut [0; 16]), None, "no room");
}

#[test]
fn pages_come_back() {
    test(&mut Lz4::new());
    test(&mut Zstd::new(1).unwrap());
    test(&mut Either::Lz4(Lz4::new()));
    test(&mut Either::Zstd(Zstd::new(3).unwrap()));
}
