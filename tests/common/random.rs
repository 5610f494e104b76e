//! Random numbers from a seed, the same on every machine.

pub trait Random {
    fn bits(&mut self) -> u64;

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.bits() >> 33) as usize % n
    }

    /// True in this many of a hundred cases.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn direction(&mut self) -> [f64; 3] {
        unit([self.signed(), self.signed(), self.signed() + 1e-3])
    }

    fn shake(&mut self, v: [f64; 3], noise: f64) -> [f64; 3] {
        v.map(|x| x + noise * self.signed())
    }
}

pub fn unit(v: [f64; 3]) -> [f64; 3] {
    let size = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / size)
}

/// Xorshift (Marsaglia 2003); the seed is not zero.
pub struct Xorshift(pub u64);

impl Random for Xorshift {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014), from any seed.
pub struct SplitMix(pub u64);

impl Random for SplitMix {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Linear congruential generator with Knuth's multiplier, from any seed.
pub struct Congruential(pub u64);

impl Random for Congruential {
    fn bits(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0
    }
}
