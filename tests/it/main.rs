//! The integration tests, in one program: `cargo test --test it <module>` runs those of a module.

#[path = "../common/mod.rs"]
mod common;

mod architecture;
mod body_blocks;
mod bounded;
mod cli;
mod compliant;
mod cones;
mod describe;
mod documents;
mod drives;
mod elements;
mod energy;
mod error_messages;
mod flange;
mod four_balls;
mod friction_laws;
mod growth;
mod hard_cases;
mod impact_friction;
mod impacts;
mod interface;
mod interrupted;
mod joint_friction;
mod joints;
mod lcp;
mod limits;
mod machines;
mod many_bodies;
mod memory;
mod mutated;
mod no_alloc;
mod orders;
mod packed;
mod paper_tables;
mod parameters;
mod passive_scenes;
mod pile_states;
mod platforms;
mod rest;
mod reversing_loads;
mod rope;
mod rows;
mod scene;
mod scene_space;
mod screw;
mod seams;
mod shapes;
mod space;
mod space_joints;
mod space_mechanisms;
mod space_scenes;
mod space_shapes;
mod space_starts;
mod space_turns;
mod standing;
mod stiff;
mod stribeck;
mod time_stepping_energy;
mod time_stepping_forces;
mod time_stepping_friction;
mod time_stepping_joints;
mod time_stepping_scenes;
mod tolerance;
mod tolerance_cases;
mod tool;
mod transitions_space;
mod two_bars;
mod vocabulary;
mod warnings;

/// Tests count what they allocate.
#[global_allocator]
static ALLOCATOR: common::allocator::Counting = common::allocator::Counting;
