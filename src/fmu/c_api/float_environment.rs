//! The floating-point environment of the host: rounding mode, flush-to-zero, trapped exceptions.
//!
//! The engine requires rounding to nearest, subnormal numbers and masked exceptions, whatever the host has set. Each call
//! from C sets these and restores the previous state, including exception flags; callbacks run in the host's environment.
//!
//! x86-64 needs only the SSE register, because Rust does not use the x87 unit there. 32-bit x86 returns numbers
//! through that unit, so it is set as well.

use std::marker::PhantomData;

/// The control words of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatEnvironment(registers::Words);

impl FloatEnvironment {
    /// The environment of the engine.
    const DEFAULT: Self = Self(registers::DEFAULT);

    fn current() -> Self {
        Self(registers::read())
    }

    fn set(self) {
        registers::write(self.0);
    }

    /// Runs a callback in this environment.
    #[inline(never)]
    pub fn during<T>(self, callback: impl FnOnce() -> T) -> T {
        let _ours = Scope::of(self);
        callback()
    }
}

/// Sets an environment and restores the previous one on drop. Bound to the thread that created it.
#[derive(Debug)]
pub struct Scope {
    found: FloatEnvironment,
    of_this_thread: PhantomData<*const ()>,
}

impl Scope {
    /// Sets the environment of the engine.
    pub fn of_engine() -> Self {
        Self::of(FloatEnvironment::DEFAULT)
    }

    fn of(environment: FloatEnvironment) -> Self {
        let found = FloatEnvironment::current();
        environment.set();
        Self {
            found,
            of_this_thread: PhantomData,
        }
    }

    /// The previous environment.
    pub fn host(&self) -> FloatEnvironment {
        self.found
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        self.found.set();
    }
}

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::asm;

    /// MXCSR.
    pub type Words = u32;
    /// Nearest, all exceptions masked, no flag raised.
    pub const DEFAULT: Words = 0x1f80;

    #[inline]
    pub fn read() -> Words {
        let mut word: Words = 0;
        // SAFETY: stores the register to memory of its size
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        word
    }

    #[inline]
    pub fn write(word: Words) {
        // SAFETY: a word read before, or the default: no reserved bit is set
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "x86")]
mod registers {
    use std::arch::asm;

    /// MXCSR, and the environment of the x87 unit.
    pub type Words = (u32, [u32; 7]);
    /// Nearest, double extended precision, all exceptions masked, no flag raised, an empty stack.
    pub const DEFAULT: Words = (
        0x1f80,
        [0xffff_037f, 0xffff_0000, 0xffff_ffff, 0, 0, 0, 0xffff_0000],
    );

    #[inline]
    pub fn read() -> Words {
        let mut words: Words = (0, [0; 7]);
        // SAFETY: stores the registers to memory of their sizes; `fnstenv` masks all exceptions of the unit
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut words.0, options(nostack, preserves_flags));
            asm!("fnstenv [{}]", in(reg) &raw mut words.1, options(nostack, preserves_flags));
        }
        words
    }

    #[inline]
    pub fn write(words: Words) {
        // SAFETY: words read before, or the default: no reserved bit is set
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const words.0, options(nostack, preserves_flags));
            asm!("fldenv [{}]", in(reg) &raw const words.1, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod registers {
    use std::arch::asm;

    /// FPCR and FPSR.
    pub type Words = (u64, u64);
    /// Nearest, no flush-to-zero, no default NaN, nothing trapped, no flag raised.
    pub const DEFAULT: Words = (0, 0);

    #[inline]
    pub fn read() -> Words {
        let (control, status): Words;
        // SAFETY: reads two unprivileged registers
        unsafe {
            asm!("mrs {}, fpcr", out(reg) control, options(nostack, preserves_flags));
            asm!("mrs {}, fpsr", out(reg) status, options(nostack, preserves_flags));
        }
        (control, status)
    }

    #[inline]
    pub fn write((control, status): Words) {
        // SAFETY: words read before, or zero
        unsafe {
            asm!("msr fpsr, {}", in(reg) status, options(nostack, preserves_flags));
            asm!("msr fpcr, {}", in(reg) control, options(nostack, preserves_flags));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    const UPWARDS_AND_FLUSH: FloatEnvironment = FloatEnvironment(0x1f80 | 0x4000 | 0x8000);
    #[cfg(target_arch = "aarch64")]
    const UPWARDS_AND_FLUSH: FloatEnvironment = FloatEnvironment((1 << 22 | 1 << 24, 0));

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn what_was_found_is_restored_and_callbacks_see_it() {
        let before = FloatEnvironment::current();
        UPWARDS_AND_FLUSH.set();
        let inside = {
            let scope = Scope::of_engine();
            let inside = FloatEnvironment::current();
            let host = scope.host();
            let seen = host.during(FloatEnvironment::current);
            (inside, host, seen, FloatEnvironment::current())
        };
        let after = FloatEnvironment::current();
        before.set();
        let default = FloatEnvironment::DEFAULT;
        assert_eq!(
            inside,
            (default, UPWARDS_AND_FLUSH, UPWARDS_AND_FLUSH, default)
        );
        assert_eq!(after, UPWARDS_AND_FLUSH);
    }
}
