//! What shapes in the plane and in space have in common: how a kind is described, and the list of kinds.

use super::parameter::Parameter;
use std::fmt::Debug;

/// A kind of shape, described once: the reader of scenes and the reference go by it.
#[derive(Debug)]
pub struct Description {
    /// `kind` in a scene.
    pub word: &'static str,
    /// With its article, for messages.
    pub called: &'static str,
    /// What it is.
    pub text: &'static str,
    /// What can have it.
    pub owner: Owner,
    /// Its keys.
    pub parameters: &'static [Parameter],
}

/// What can have a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Everything; a point body at its centre.
    All,
    /// Rigid bodies and the ground.
    Rigid,
    /// The ground.
    Ground,
}

/// The list of the kinds of shapes in the plane, or in space.
pub trait Kind: Copy + Debug + PartialEq + 'static {
    /// All of them, in the order of the reference.
    const ALL: &'static [Self];

    /// What it is.
    fn description(self) -> &'static Description;
}

/// Makes the enum of kinds from one list: the name and its description.
macro_rules! shape_kinds {
    ($($kind:ident: $description:path),* $(,)?) => {
        /// The kinds of shapes that a scene can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See [`Geometry::", stringify!($kind), "`].")] $kind),*
        }

        impl crate::kinds::shape::Kind for Kind {
            const ALL: &'static [Self] = &[$(Self::$kind),*];

            fn description(self) -> &'static Description {
                match self {
                    $(Self::$kind => &$description),*
                }
            }
        }

        impl Geometry {
            /// Which shape.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Geometry::$kind { .. } => Kind::$kind),*
                }
            }
        }
    };
}

pub(in crate::kinds) use shape_kinds;
