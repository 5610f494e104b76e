//! Values as bytes, and back. Who reads need not look at every value: a source that has failed gives zeros from then on, and
//! tells of it in the end. So the code that reads is a straight line, and small.

use std::ops::Range;

/// Bytes that are read.
pub struct Source<'b> {
    rest: &'b [u8],
    has_failed: bool,
}

impl<'b> Source<'b> {
    /// From the first byte on.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self {
            rest: bytes,
            has_failed: false,
        }
    }

    /// Was everything read, and everything of it good?
    pub fn is_done(&self) -> bool {
        self.rest.is_empty() && !self.has_failed
    }

    /// What was read is not what can have been written.
    #[cold]
    pub fn fail(&mut self) {
        self.rest = &[];
        self.has_failed = true;
    }

    fn take(&mut self, n: usize) -> &'b [u8] {
        match self.rest.split_at_checked(n) {
            Some((head, tail)) => {
                self.rest = tail;
                head
            }
            None => {
                self.fail();
                &[]
            }
        }
    }

    /// A whole number of `n` bytes, eight at most.
    fn number(&mut self, n: usize) -> u64 {
        let bytes = self.take(n);
        bytes.iter().rev().fold(0, |x, b| x << 8 | u64::from(*b))
    }

    /// The number of a variant.
    pub fn tag(&mut self) -> u8 {
        self.number(1) as u8
    }
}

/// What can be written and read.
pub trait Coded: Sized {
    /// Appends its bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Takes as many bytes as were written.
    fn read(source: &mut Source<'_>) -> Self;
}

impl Coded for f64 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn read(source: &mut Source<'_>) -> Self {
        let x = Self::from_bits(source.number(8));
        if x.is_nan() {
            source.fail();
        }
        x
    }
}

impl Coded for u32 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn read(source: &mut Source<'_>) -> Self {
        source.number(4) as Self
    }
}

impl Coded for usize {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend((*self as u64).to_le_bytes());
    }

    fn read(source: &mut Source<'_>) -> Self {
        Self::try_from(source.number(8)).unwrap_or_else(|_| {
            source.fail();
            0
        })
    }
}

impl Coded for bool {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(u8::from(*self));
    }

    fn read(source: &mut Source<'_>) -> Self {
        let tag = source.tag();
        if tag > 1 {
            source.fail();
        }
        tag == 1
    }
}

impl Coded for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        bytes.extend(self.bytes());
    }

    fn read(source: &mut Source<'_>) -> Self {
        let n = usize::read(source);
        let text = source.take(n);
        Self::from_utf8(text.to_vec()).unwrap_or_else(|_| {
            source.fail();
            Self::new()
        })
    }
}

impl<T: Coded> Coded for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        if let Some(value) = self {
            value.write(bytes);
        }
    }

    fn read(source: &mut Source<'_>) -> Self {
        bool::read(source).then(|| T::read(source))
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        for value in self {
            value.write(bytes);
        }
    }

    fn read(source: &mut Source<'_>) -> Self {
        // every value takes bytes, so that the list cannot become longer than they are
        let n = usize::read(source);
        let mut list = Self::new();
        while list.len() < n && !source.has_failed {
            list.push(T::read(source));
        }
        list
    }
}

impl<T: Coded, const N: usize> Coded for [T; N] {
    fn write(&self, bytes: &mut Vec<u8>) {
        for value in self {
            value.write(bytes);
        }
    }

    fn read(source: &mut Source<'_>) -> Self {
        std::array::from_fn(|_| T::read(source))
    }
}

impl Coded for (f64, f64) {
    fn write(&self, bytes: &mut Vec<u8>) {
        [self.0, self.1].write(bytes);
    }

    fn read(source: &mut Source<'_>) -> Self {
        <[f64; 2]>::read(source).into()
    }
}

impl Coded for Range<usize> {
    fn write(&self, bytes: &mut Vec<u8>) {
        [self.start, self.end].write(bytes);
    }

    fn read(source: &mut Source<'_>) -> Self {
        let [start, end] = Coded::read(source);
        start..end
    }
}

/// A struct from its fields, in this order. One that is left out does not compile.
macro_rules! coded_struct {
    ($name:ident $(<$type:ident>)? { $($field:ident),* $(,)? }) => {
        impl $(<$type: Coded>)? Coded for $name $(<$type>)? {
            fn write(&self, bytes: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.write(bytes);)*
            }

            #[cfg_attr(small, optimize(size))]
            fn read(source: &mut Source<'_>) -> Self {
                Self { $($field: Coded::read(source)),* }
            }
        }
    };
}

/// An enum from its variants, each with the byte that it starts with; zero comes first. One that is left out does not compile.
macro_rules! coded_enum {
    (
        $name:ident $(<$type:ident>)? {
            0 $first:ident $(($only:ident))? $({ $($part:ident),* })?,
            $($tag:literal $variant:ident $(($value:ident))? $({ $($field:ident),* })?),* $(,)?
        }
    ) => {
        impl $(<$type: Coded>)? Coded for $name $(<$type>)? {
            fn write(&self, bytes: &mut Vec<u8>) {
                match self {
                    Self::$first $(($only))? $({ $($part),* })? => {
                        bytes.push(0);
                        $($only.write(bytes);)?
                        $($($part.write(bytes);)*)?
                    }
                    $(Self::$variant $(($value))? $({ $($field),* })? => {
                        bytes.push($tag);
                        $($value.write(bytes);)?
                        $($($field.write(bytes);)*)?
                    })*
                }
            }

            #[cfg_attr(small, optimize(size))]
            fn read(source: &mut Source<'_>) -> Self {
                match source.tag() {
                    $($tag => Self::$variant
                        $(({ let $value = Coded::read(source); $value }))?
                        $({ $($field: Coded::read(source)),* })?,)*
                    tag => {
                        if tag != 0 {
                            source.fail();
                        }
                        Self::$first
                            $(({ let $only = Coded::read(source); $only }))?
                            $({ $($part: Coded::read(source)),* })?
                    }
                }
            }
        }
    };
}

pub(super) use {coded_enum, coded_struct};
