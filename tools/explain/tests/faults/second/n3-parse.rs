// none: peak = live, freed in the end, exits at once

// A parser: reads a (made up) document into a tree, evaluates it three times, prints, drops it, exits at once.
enum J {
    Num(f64),
    Str(String),
    Arr(Vec<J>),
    Obj(Vec<(String, J)>),
}
fn make(d: u32, s: &mut u32) -> J {
    *s = s.wrapping_mul(1664525).wrapping_add(1013904223);
    if d == 0 {
        if *s & 64 != 0 {
            return J::Num(*s as f64);
        }
        return J::Str(format!("string number {} in the document", *s));
    }
    if d % 2 == 0 {
        let mut v = Vec::with_capacity(9);
        for _ in 0..9 {
            v.push(make(d - 1, s));
        }
        J::Arr(v)
    } else {
        let mut v = Vec::with_capacity(9);
        for i in 0..9 {
            v.push((format!("field_{i}"), make(d - 1, s)));
        }
        J::Obj(v)
    }
}
fn eval(j: &J) -> f64 {
    match j {
        J::Num(n) => *n,
        J::Str(s) => s.len() as f64,
        J::Arr(v) => v.iter().map(eval).sum(),
        J::Obj(v) => v.iter().map(|(k, j)| k.len() as f64 + eval(j)).sum(),
    }
}
fn main() {
    let mut s = 1;
    let j = make(6, &mut s);
    let mut t = 0.0;
    for _ in 0..40 {
        t += eval(&j);
    }
    println!("{t}");
    drop(j);
}
