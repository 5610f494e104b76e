//! Common parts of shapes in the plane and in space: the description of a kind, and the list of kinds.

use super::parameter::Parameter;
use std::fmt::Debug;

/// Description of a kind of shape, used by the reader of scenes and the reference.
#[derive(Debug)]
pub struct Description {
    /// `kind` in a scene.
    pub word: &'static str,
    /// With its article, for messages.
    pub called: &'static str,
    /// Its description.
    pub text: &'static str,
    /// Allowed owners.
    pub owner: Owner,
    /// Its keys.
    pub parameters: &'static [Parameter],
}

/// Allowed owners of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// All bodies and the ground; a point body only at its centre.
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

    /// Its description.
    fn description(self) -> &'static Description;
}

/// Defines the enum of kinds from one list: name, `kind` in a scene, name in messages, description, owner, keys.
macro_rules! shape_kinds {
    ($($kind:ident, $word:literal, $called:literal, $text:literal, $owner:ident { $($parameters:tt)* })*) => {
        /// The kinds of shapes that a scene can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("See [`Geometry::", stringify!($kind), "`].")] $kind),*
        }

        impl crate::kinds::shape::Kind for Kind {
            const ALL: &'static [Self] = &[$(Self::$kind),*];

            fn description(self) -> &'static crate::kinds::shape::Description {
                match self {
                    $(Self::$kind => &crate::kinds::shape::Description {
                        word: $word,
                        called: $called,
                        text: $text,
                        owner: crate::kinds::shape::Owner::$owner,
                        parameters: crate::kinds::parameter::parameters! { $($parameters)* },
                    }),*
                }
            }
        }

        impl Geometry {
            /// Kind of the shape.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Geometry::$kind { .. } => Kind::$kind),*
                }
            }
        }
    };
}

pub(in crate::kinds) use shape_kinds;
