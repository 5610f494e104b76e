//! Scene files: what is wrong with them is told with line, key, sentence and hint; what ships is right.

use crate::common::refused::{check, is_read, mangled, problems};
use crate::common::{read, root, scene_names, scene_text};
use std::path::Path;

use stiction::kinds::plane::joint::Kind;
use stiction::math::Vec3;
use stiction::math::quaternion::matrix;
use stiction::scene::spec::*;
use stiction::scene::{load, parse};

/// Two bodies, a rigid and a point one, that references can name; the ground has a floor.
const BASE: &str = r#"
[[body]]
name = "block"
kind = "rigid"
mass = 1
inertia = 0.1
position = [0, 1]

[[body.shape]]
kind = "circle"
radius = 0.2
material = "steel"

[[body]]
name = "bob"
kind = "point"
mass = 1
position = [3, 1]

[[ground.shape]]
name = "floor"
kind = "half_plane"
normal = [0, 1]
material = "rubber"

[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "block"]
at = [0, 1]

[[joint]]
name = "link"
kind = "distance"
bodies = ["ground", "bob"]
anchors = [[3, 3], [0, 0]]
"#;

/// One test for each mistake, added to the base scene.
macro_rules! refused {
    ($($claim:ident: $key:literal, [$($fragment:literal),+], $text:literal;)+) => {
        $(#[test]
        fn $claim() {
            check(&format!("{BASE}{}", $text), $key, &[$($fragment),+]);
        })+
    };
}

/// The same for keys at the top of the file.
macro_rules! refused_at_top {
    ($($claim:ident: $key:literal, [$($fragment:literal),+], $text:literal;)+) => {
        $(#[test]
        fn $claim() {
            check(&format!("{}{BASE}", $text), $key, &[$($fragment),+]);
        })+
    };
}

mod top {
    use super::*;
    refused_at_top! {
        unknown_key_at_the_top_names_the_nearest: "gravty", ["not a key of a scene", "did you mean `gravity`?"],
            "gravty = [0, -9.81] #!\n";
        letter_g_means_gravity: "g", ["did you mean `gravity`?"], "g = [0, -9.81] #!\n";
        key_without_likeness_lists_the_known_ones: "colour", ["the keys of a scene are belt, body, clutch, contact"], "colour = 1 #!\n";
        gravity_needs_two_numbers: "gravity", ["expected two numbers, found the number -9.81"], "gravity = -9.81 #!\n";
        gravity_of_three_numbers_is_refused: "gravity", ["found a list of 3"], "gravity = [0, 0, -9.81] #!\n";
        gravity_is_finite: "gravity", ["not a number"], "gravity = [nan, 0] #!\n";
        end_time_is_positive: "until", ["until must be above zero, but is -2"], "until = -2 #!\n";
        end_time_in_quotes_is_refused: "until", ["found the text \"2\"", "remove the quotes"], "until = \"2\" #!\n";
        end_time_is_finite: "until", ["infinite"], "until = inf #!\n";
        number_beyond_double_precision_is_refused: "until", ["too large"], "until = 1e999 #!\n";
        scene_name_is_a_text: "name", ["expected a text, found the number 3", "quotes"], "name = 3 #!\n";
        scene_name_is_not_empty: "name", ["empty"], "name = '' #!\n";
    }
}

mod settings {
    use super::*;
    refused! {
        zero_step_is_refused: "settings.step", ["step must be above zero", "step = 0.01"], "[settings]\nstep = 0 #!\n";
        negative_step_is_refused: "settings.step", ["but is -0.01"], "[settings]\nstep = -0.01 #!\n";
        unknown_setting_names_the_nearest: "settings.stepp", ["did you mean `step`?"], "[settings]\nstepp = 1 #!\n";
        unknown_scheme_lists_all: "settings.scheme", ["did you mean \"trapezoidal\"?", "\"position_euler\""],
            "[settings]\nscheme = \"trapezoid\" #!\n";
        general_scheme_needs_gamma: "settings.gamma", ["needs `gamma`"],
            "[settings] #!\nscheme = \"general\"\nalpha = 0.5\n";
        general_scheme_needs_alpha: "settings.alpha", ["needs `alpha`"],
            "[settings] #!\nscheme = \"general\"\ngamma = 0.5\n";
        alpha_below_one_half_is_refused: "settings.alpha", ["from 0.5 to 1"],
            "[settings]\nscheme = \"general\"\nalpha = 0.4 #!\ngamma = 0.5\n";
        alpha_without_the_general_scheme_is_refused: "settings.alpha", ["no effect", "general"],
            "[settings]\nalpha = 0.5 #!\n";
        shortest_substep_is_a_fraction: "settings.min_substep", ["from 1e-15 to 0.5"], "[settings]\nmin_substep = 2 #!\n";
        number_of_substeps_is_not_zero: "settings.max_substeps", ["from 1 to"], "[settings]\nmax_substeps = 0 #!\n";
        counts_are_whole_numbers: "settings.damping_steps", ["expected a whole number, found the number 1.5"],
            "[settings]\ndamping_steps = 1.5 #!\n";
        counts_are_not_negative: "settings.damping_steps", ["from 0 to 1000, but is -1"],
            "[settings]\ndamping_steps = -1 #!\n";
        switches_are_true_or_false: "settings.projection", ["expected true or false, found the text \"yes\""],
            "[settings]\nprojection = \"yes\" #!\n";
        unknown_impact_law_lists_all: "settings.impact_law", ["\"poisson\", \"newton\", \"expedient\", \"poisson_printed\""],
            "[settings]\nimpact_law = \"moreau\" #!\n";
        settings_are_one_table: "settings", ["expected a table, found a list of 1"], "[[settings]] #!\nstep = 1\n";
    }
}

mod body {
    use super::*;
    refused! {
        negative_mass_is_refused: "body[cart].mass", ["mass must be above zero (1e-60 to 1e60), but is -1", "kg"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = -1 #!\nposition = [0, 0]\n";
        zero_mass_is_refused: "body[cart].mass", ["above zero", "belongs to the ground"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 0 #!\nposition = [0, 0]\n";
        missing_mass_is_told_at_the_header: "body[cart].mass", ["the key `mass` is missing", "mass = 1.0"],
            "[[body]] #!\nname = \"cart\"\nkind = \"point\"\nposition = [0, 0]\n";
        missing_kind_lists_all: "body[cart].kind", ["\"point\", \"rigid\""],
            "[[body]] #!\nname = \"cart\"\nmass = 1\nposition = [0, 0]\n";
        missing_name_is_told: "body[3].name", ["the key `name` is missing"],
            "[[body]] #!\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n";
        two_bodies_of_one_name_are_refused: "body[block].name", ["two bodies with the name \"block\"", "in line 3", "\"block_2\""],
            "[[body]]\nname = \"block\" #!\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n";
        the_ground_is_no_moving_body: "body[ground].name", ["the fixed body"],
            "[[body]]\nname = \"ground\" #!\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n";
        names_have_letters_digits_and_underscores: "body[a b].name", ["cannot be a name"],
            "[[body]]\nname = \"a b\" #!\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n";
        rigid_body_needs_inertia_or_an_area: "body[cart].inertia", ["a shape with an area", "kg m²"],
            "[[body]] #!\nname = \"cart\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0]\n[[body.shape]]\nkind = \"point\"\n";
        negative_inertia_is_refused: "body[cart].inertia", ["above zero"],
            "[[body]]\nname = \"cart\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0]\ninertia = -0.1 #!\n";
        point_body_has_no_angle: "body[cart].angle", ["does not rotate"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\nangle = 0.1 #!\n";
        point_body_has_no_rate: "body[cart].angular_velocity", ["does not rotate", "rigid"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\nangular_velocity = 1 #!\n";
        point_body_has_no_inertia: "body[cart].inertia", ["does not rotate"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\ninertia = 1 #!\n";
        misspelt_velocity_names_the_nearest: "body[cart].velocty", ["did you mean `velocity`?"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\nvelocty = [0, 0] #!\n";
        position_is_a_list_of_numbers: "body[cart].position", ["expected a number, found the text \"a\""],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, \"a\"] #!\n";
    }

    #[test]
    fn scene_without_bodies_is_refused() {
        check("until = 1 #!\n", "body", &["no body"]);
    }

    #[test]
    fn bodies_stand_in_double_brackets() {
        let text = "[body] #!\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n";
        check(text, "body", &["write `[[body]]`"]);
    }
}

mod shape {
    use super::*;

    /// A shape on a rigid body of its own.
    fn on_rigid(shape: &str, key: &str, fragments: &[&str]) {
        let body = "[[body]]\nname = \"cart\"\nkind = \"rigid\"\nmass = 1\ninertia = 1\nposition = [0, 0]\n";
        check(
            &format!("{BASE}{body}[[body.shape]]\n{shape}"),
            key,
            fragments,
        );
    }

    refused! {
        half_plane_belongs_to_the_ground: "body[cart].shape.kind", ["cannot move", "[[ground.shape]]"],
            "[[body]]\nname = \"cart\"\nkind = \"rigid\"\nmass = 1\ninertia = 1\nposition = [0, 0]\n[[body.shape]]\nkind = \"half_plane\" #!\nnormal = [0, 1]\n";
        shape_of_a_point_body_is_at_its_centre: "body[cart].shape.position", ["must be at its centre"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n[[body.shape]]\nkind = \"point\"\nposition = [1, 0] #!\n";
        point_body_takes_no_box: "body[cart].shape.kind", ["only be a point or a circle"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 0]\n[[body.shape]]\nkind = \"box\" #!\nsize = [1, 1]\n";
        normal_has_a_length: "ground.shape[wall].normal", ["no length"],
            "[[ground.shape]]\nkind = \"half_plane\"\nname = \"wall\"\nnormal = [0, 0] #!\n";
        two_shapes_of_one_name_are_refused: "ground.shape[floor].name", ["two shapes of one body"],
            "[[ground.shape]]\nname = \"floor\" #!\nkind = \"half_plane\"\nnormal = [1, 0]\n";
        ground_has_only_shapes: "ground.friction", ["not a key of [ground]"], "[ground]\nfriction = 1 #!\n";
    }

    #[test]
    fn radius_is_positive() {
        on_rigid(
            "kind = \"circle\"\nradius = 0 #!\n",
            "body[cart].shape.radius",
            &["above zero"],
        );
    }

    #[test]
    fn unknown_shape_lists_all() {
        let fragments = [
            "there is no kind \"sphere\"",
            "\"point\", \"circle\", \"capsule\", \"box\", \"polygon\", \"half_plane\"",
        ];
        on_rigid(
            "kind = \"sphere\" #!\nradius = 1\n",
            "body[cart].shape.kind",
            &fragments,
        );
    }

    #[test]
    fn key_of_another_shape_is_refused() {
        let shape = "kind = \"box\"\nsize = [1, 1]\nradius = 1 #!\n";
        on_rigid(
            shape,
            "body[cart].shape.radius",
            &[
                "not a key of a box",
                "it is a key of kind \"circle\", \"capsule\"",
            ],
        );
    }

    #[test]
    fn box_has_a_size() {
        on_rigid(
            "kind = \"box\"\nsize = [1, -1] #!\n",
            "body[cart].shape.size",
            &["above zero, but is -1"],
        );
    }

    #[test]
    fn ends_of_a_capsule_differ() {
        let shape = "kind = \"capsule\"\nradius = 0.1\nfrom = [1, 0]\nto = [1, 0] #!\n";
        on_rigid(shape, "body[cart].shape.to", &["same point", "circle"]);
    }

    #[test]
    fn clockwise_polygon_is_refused() {
        let shape = "kind = \"polygon\"\nvertices = [[0, 0], [0, 1], [1, 0]] #!\n";
        on_rigid(
            shape,
            "body[cart].shape.vertices",
            &["clockwise", "reverse"],
        );
    }

    #[test]
    fn polygon_that_is_not_convex_is_refused() {
        let shape = "kind = \"polygon\"\nvertices = [[0, 0], [2, 0], [1, 0.5], [1, 2]] #!\n";
        on_rigid(
            shape,
            "body[cart].shape.vertices",
            &["not convex at corner 3"],
        );
    }

    #[test]
    fn polygon_of_two_corners_is_refused() {
        let shape = "kind = \"polygon\"\nvertices = [[0, 0], [2, 0]] #!\n";
        on_rigid(
            shape,
            "body[cart].shape.vertices",
            &["at least three corners, but has 2"],
        );
    }

    #[test]
    fn polygon_without_area_is_refused() {
        let shape = "kind = \"polygon\"\nvertices = [[0, 0], [1, 0], [2, 0]] #!\n";
        on_rigid(
            shape,
            "body[cart].shape.vertices",
            &["on the line of its neighbours"],
        );
    }

    #[test]
    fn polygon_with_a_corner_twice_is_refused() {
        let shape = "kind = \"polygon\"\nvertices = [[0, 0], [1, 0], [1, 0], [0, 1]] #!\n";
        on_rigid(
            shape,
            "body[cart].shape.vertices",
            &["corners 2 and 3 are the same point"],
        );
    }

    #[test]
    fn star_that_goes_round_twice_is_refused() {
        let corners: Vec<String> = (0..5)
            .map(|i| (f64::from(i) * 0.8 * std::f64::consts::PI).sin_cos())
            .map(|(s, c)| format!("[{c}, {s}]"))
            .collect();
        let shape = format!(
            "kind = \"polygon\"\nvertices = [{}] #!\n",
            corners.join(", ")
        );
        on_rigid(&shape, "body[cart].shape.vertices", &["cross each other"]);
    }

    #[test]
    fn bad_corner_is_reported_on_its_own_line() {
        let shape = "kind = \"polygon\"\nvertices = [\n  [0, 0],\n  [1, 0],\n  [0, nan], #!\n]\n";
        on_rigid(shape, "body[cart].shape.vertices", &["not a number"]);
    }
}

mod joint {
    use super::*;
    refused! {
        unknown_joint_lists_all: "joint[j].kind", ["\"revolute\", \"prismatic\", \"fixed\", \"distance\""],
            "[[joint]]\nname = \"j\"\nkind = \"weld\" #!\nbodies = [\"ground\", \"block\"]\n";
        body_that_does_not_exist_names_the_nearest: "joint[j].bodies", ["no body has the name \"blok\"", "did you mean \"block\"?"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"blok\"] #!\nat = [0, 0]\n";
        world_means_ground: "joint[j].bodies", ["did you mean \"ground\"?"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"world\", \"block\"] #!\nat = [0, 0]\n";
        joint_of_a_body_with_itself_is_refused: "joint[j].bodies", ["the same body, \"block\""],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"block\", \"block\"] #!\nat = [0, 0]\n";
        joint_has_two_bodies: "joint[j].bodies", ["expected two names of bodies, found a list of 1"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"block\"] #!\nat = [0, 0]\n";
        two_joints_of_one_name_are_refused: "joint[hinge].name", ["two joints with the name \"hinge\""],
            "[[joint]]\nname = \"hinge\" #!\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\n";
        revolute_joint_has_a_place: "joint[j].at", ["`at` or `anchors` is missing"],
            "[[joint]] #!\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\n";
        place_is_given_once: "joint[j].at", ["alternatives"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0] #!\nanchors = [[0, 0], [0, 0]]\n";
        distance_joint_takes_no_single_point: "joint[j].at", ["two ends", "anchors = "],
            "[[joint]]\nname = \"j\"\nkind = \"distance\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0] #!\n";
        distance_joint_needs_anchors: "joint[j].anchors", ["missing"],
            "[[joint]] #!\nname = \"j\"\nkind = \"distance\"\nbodies = [\"ground\", \"block\"]\n";
        anchors_are_two_points: "joint[j].anchors", ["expected two numbers, found the number 0"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nanchors = [0, [0, 0]] #!\n";
        length_of_a_rod_is_positive: "joint[j].length", ["above zero"],
            "[[joint]]\nname = \"j\"\nkind = \"distance\"\nbodies = [\"ground\", \"block\"]\nanchors = [[0, 0], [0, 0]]\nlength = 0 #!\n";
        prismatic_joint_needs_an_axis: "joint[j].axis", ["missing", "axis = [1, 0]"],
            "[[joint]] #!\nname = \"j\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\n";
        axis_has_a_length: "joint[j].axis", ["no direction"],
            "[[joint]]\nname = \"j\"\nkind = \"prismatic\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\naxis = [0, 0] #!\n";
        revolute_joint_has_no_axis: "joint[j].axis", ["not a key of a revolute joint"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\naxis = [0, 1] #!\n";
        limits_are_in_order: "joint[j].limits", ["lower limit 1 is above the upper limit -1", "[-1, 1]"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\nlimits = [1, -1] #!\n";
        limits_are_numbers: "joint[j].limits", ["nan"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\nlimits = [nan, 1] #!\n";
        bounce_of_limits_needs_limits: "joint[j].limit_restitution", ["without `limits`"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"ground\", \"block\"]\nat = [0, 0]\nlimit_restitution = 0.5 #!\n";
        point_body_is_held_at_its_centre: "joint[j].anchors", ["\"bob\" is a point body"],
            "[[joint]]\nname = \"j\"\nkind = \"distance\"\nbodies = [\"block\", \"bob\"]\nanchors = [[0, 0], [0.1, 0]] #!\n";
        point_body_is_held_at_its_centre_in_the_world: "joint[j].at", ["only at its centre", "at = [3, 1]"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"block\", \"bob\"]\nat = [3, 2] #!\n";
        angle_of_a_point_body_has_no_limits: "joint[j].limits", ["no angle"],
            "[[joint]]\nname = \"j\"\nkind = \"revolute\"\nbodies = [\"block\", \"bob\"]\nat = [3, 1]\nlimits = [0, 1] #!\n";
        point_body_is_not_fixed_to_a_rigid_one: "joint[j].kind", ["constrains the angle"],
            "[[joint]]\nname = \"j\"\nkind = \"fixed\" #!\nbodies = [\"block\", \"bob\"]\n";
    }
}

mod force {
    use super::*;
    refused! {
        unknown_force_lists_all: "force[f].kind", ["\"spring\", \"damper\", \"spring_damper\", \"torsional\", \"applied\", \"viscous\", \"stribeck\""],
            "[[force]]\nname = \"f\"\nkind = \"motor\" #!\n";
        spring_needs_a_stiffness: "force[f].stiffness", ["missing", "N/m"],
            "[[force]] #!\nname = \"f\"\nkind = \"spring\"\nbodies = [\"block\", \"bob\"]\nanchors = [[0, 0], [0, 0]]\n";
        letter_k_means_stiffness: "force[f].k", ["did you mean `stiffness`?"],
            "[[force]]\nname = \"f\"\nkind = \"torsional\"\njoint = \"hinge\"\ndamping = 1\nk = 1 #!\n";
        negative_stiffness_is_refused: "force[f].stiffness", ["zero or more"],
            "[[force]]\nname = \"f\"\nkind = \"spring\"\nbodies = [\"block\", \"bob\"]\nanchors = [[0, 0], [0, 0]]\nstiffness = -1 #!\n";
        damper_has_no_stiffness: "force[f].stiffness", ["not a key of a damper"],
            "[[force]]\nname = \"f\"\nkind = \"damper\"\nbodies = [\"block\", \"bob\"]\nanchors = [[0, 0], [0, 0]]\ndamping = 1\nstiffness = 1 #!\n";
        spring_holds_a_point_body_at_its_centre: "force[f].anchors", ["\"bob\" is a point body"],
            "[[force]]\nname = \"f\"\nkind = \"spring\"\nstiffness = 1\nbodies = [\"block\", \"bob\"]\nanchors = [[0, 0], [0, 1]] #!\n";
        torsional_spring_needs_a_revolute_joint: "force[f].joint", ["revolute joint, \"link\" is distance"],
            "[[force]]\nname = \"f\"\nkind = \"torsional\"\njoint = \"link\" #!\nstiffness = 1\n";
        torsional_spring_needs_a_joint_that_exists: "force[f].joint", ["no joint has the name \"hing\"", "did you mean \"hinge\"?"],
            "[[force]]\nname = \"f\"\nkind = \"torsional\"\njoint = \"hing\" #!\nstiffness = 1\n";
        torsional_element_does_something: "force[f].stiffness", ["`stiffness`, `damping` or both"],
            "[[force]] #!\nname = \"f\"\nkind = \"torsional\"\njoint = \"hinge\"\n";
        stribeck_friction_needs_a_joint_that_moves: "force[f].joint", ["revolute or prismatic joint, \"link\" is distance"],
            "[[force]]\nname = \"f\"\nkind = \"stribeck\"\njoint = \"link\" #!\nstatic_friction = 1\nkinetic_friction = 1\nstribeck_rate = 1\ntransition_rate = 1\n";
        static_friction_is_the_larger: "force[f].static_friction", ["below kinetic_friction"],
            "[[force]]\nname = \"f\"\nkind = \"stribeck\"\njoint = \"hinge\"\nstatic_friction = 0.5 #!\nkinetic_friction = 1\nstribeck_rate = 1\ntransition_rate = 1\n";
        width_of_the_jump_is_positive: "force[f].transition_rate", ["above zero"],
            "[[force]]\nname = \"f\"\nkind = \"stribeck\"\njoint = \"hinge\"\nstatic_friction = 1\nkinetic_friction = 1\nstribeck_rate = 1\ntransition_rate = 0 #!\n";
        applied_force_needs_a_body_that_exists: "force[f].body", ["no body has the name \"blokc\"", "did you mean \"block\"?"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"blokc\" #!\nforce = [1, 0]\n";
        force_on_the_ground_is_refused: "force[f].body", ["does not move"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"ground\" #!\nforce = [1, 0]\n";
        applied_force_does_something: "force[f].force", ["`force`, `torque` or both"],
            "[[force]] #!\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\n";
        torque_on_a_point_body_is_refused: "force[f].torque", ["does not rotate"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"bob\"\ntorque = 1 #!\n";
        force_on_a_point_body_acts_at_its_centre: "force[f].point", ["at its centre"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"bob\"\nforce = [1, 0]\npoint = [0, 1] #!\n";
        unknown_frame_lists_all: "force[f].frame", ["\"world\", \"body\""],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\nforce = [1, 0]\nframe = \"local\" #!\n";
        unknown_signal_lists_all: "force[f].force.kind", ["did you mean \"harmonic\"?", "\"harmonic\", \"input\", \"table\""],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\nforce = [{ kind = \"harmonics\" }, 0] #!\n";
        harmonic_signal_has_one_frequency: "force[f].torque.frequency", ["alternatives", "2 pi"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\ntorque = { kind = \"harmonic\", amplitude = 1, omega = 1, frequency = 1 } #!\n";
        harmonic_signal_has_a_frequency: "force[f].torque.omega", ["no frequency", "Hz"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\ntorque = { kind = \"harmonic\", amplitude = 1 } #!\n";
        times_of_a_table_do_not_decrease: "force[f].torque.times", ["decrease from 2 to 1"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\ntorque = { kind = \"table\", times = [0, 2, 1], values = [0, 1, 2] } #!\n";
        table_has_a_value_for_each_time: "force[f].torque.values", ["3 times and 2 values"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\ntorque = { kind = \"table\", times = [0, 1, 2], values = [0, 1] } #!\n";
        table_has_rows: "force[f].torque.times", ["no rows"],
            "[[force]]\nname = \"f\"\nkind = \"applied\"\nbody = \"block\"\ntorque = { kind = \"table\", times = [], values = [] } #!\n";
        viscous_torque_on_a_point_body_is_refused: "force[f].angular", ["does not rotate"],
            "[[force]]\nname = \"f\"\nkind = \"viscous\"\nbodies = [\"bob\"]\nangular = 1 #!\n";
        viscous_element_has_a_moving_body_first: "force[f].bodies", ["the ground does not move"],
            "[[force]]\nname = \"f\"\nkind = \"viscous\"\nbodies = [\"ground\", \"bob\"] #!\nlinear = 1\n";
        two_forces_of_one_name_are_refused: "force[f].name", ["two forces with the name \"f\""],
            "[[force]]\nname = \"f\"\nkind = \"viscous\"\nbodies = [\"bob\"]\nlinear = 1\n[[force]]\nname = \"f\" #!\nkind = \"viscous\"\nbodies = [\"bob\"]\nlinear = 1\n";
    }
}

mod contact {
    use super::*;
    refused! {
        negative_friction_is_refused: "contact_default.friction", ["from 0 to 1000, but is -0.1"],
            "[contact_default]\nfriction = -0.1 #!\n";
        enormous_friction_is_refused: "contact_default.friction", ["from 0 to 1000"],
            "[contact_default]\nfriction = 1e4 #!\n";
        restitution_is_at_most_one: "contact_default.restitution", ["from 0 to 1, but is 1.5"],
            "[contact_default]\nrestitution = 1.5 #!\n";
        static_friction_needs_a_speed_in_the_plane: "contact_default.static_friction", ["needs `stribeck_velocity`", "stribeck_velocity = 0.01"],
            "[contact_default]\nfriction = 0.3\nstatic_friction = 0.5 #!\n";
        stribeck_velocity_needs_static_friction: "contact_default.stribeck_velocity", ["no effect without `static_friction`", "static_friction = 1.0"],
            "[contact_default]\nfriction = 0.3\nstribeck_velocity = 0.01 #!\n";
        stribeck_velocity_is_positive: "contact_default.stribeck_velocity", ["above zero"],
            "[contact_default]\nfriction = 0.3\nstatic_friction = 0.5\nstribeck_velocity = 0 #!\n";
        friction_at_rest_is_the_larger: "contact_default.static_friction", ["static_friction 0.2 is below friction 0.3"],
            "[contact_default]\nfriction = 0.3\nstatic_friction = 0.2 #!\nstribeck_velocity = 0.1\n";
        mu_means_friction: "contact_default.mu", ["did you mean `friction`?"], "[contact_default]\nmu = 0.3 #!\n";
        tangential_restitution_is_not_negative: "contact.tangential_restitution", ["from 0 to 1"],
            "[[contact]]\nmaterials = [\"steel\", \"rubber\"]\ntangential_restitution = -0.5 #!\n";
        material_that_no_shape_has_names_the_nearest: "contact.materials", ["no shape has the material \"steal\"", "did you mean \"steel\"?"],
            "[[contact]]\nmaterials = [\"steal\", \"rubber\"] #!\nfriction = 0.3\n";
        rule_needs_a_pair: "contact.materials", ["names no pair", "[contact_default]"],
            "[[contact]] #!\nfriction = 0.3\n";
        rule_is_for_materials_or_bodies: "contact.materials", ["not both"],
            "[[contact]]\nbodies = [\"block\", \"bob\"]\nmaterials = [\"steel\", \"rubber\"] #!\n";
        rule_for_bodies_needs_bodies_that_exist: "contact.bodies", ["no body has the name \"bobb\""],
            "[[contact]]\nbodies = [\"block\", \"bobb\"] #!\n";
    }
}

mod syntax {
    use super::*;
    refused_at_top! {
        key_without_value_is_told: "until", ["no value after `=`"], "until = #!\n";
        word_without_quotes_is_told: "name", ["`block` is not a value", "quotes"], "name = block #!\n";
        capital_true_is_told: "name", ["did you mean `true`?"], "name = True #!\n";
        key_twice_is_told: "until", ["`until` is given twice"], "until = 1\nuntil = 2 #!\n";
        number_starts_with_a_digit: "until", ["write 0.5, not .5"], "until = .5 #!\n";
        open_text_is_told: "name", ["not closed"], "name = \"block #!\n";
        unit_behind_a_number_is_told: "until", ["`10 s` is not a value", "units"], "until = 10 s #!\n";
    }

    #[test]
    fn header_without_its_end_is_reported_alone() {
        let text = format!("{BASE}[settings #!\nstep = 0.01\n");
        check(&text, "settings", &["header is not closed"]);
    }

    #[test]
    fn list_without_its_end_is_reported_where_it_opens() {
        for (text, key, what) in [
            (
                "gravity = [0, -9.81 #!\nuntil = 3\n",
                "gravity",
                "before line 2",
            ),
            (
                "gravity = [0, -9.81, #!\nuntil = 3\n",
                "gravity",
                "before line 2",
            ),
            (
                "gravity = [ #!\n 0, # [\n -9.81\n\nuntil = 3\n",
                "gravity",
                "before line 5",
            ),
            (
                "description = \"[ ] '\"\ngravity = [0, -9.81 #!\n",
                "gravity",
                "before line 4",
            ),
        ] {
            check(
                &format!("{text}{BASE}"),
                key,
                &["the list that opens here is not closed", what],
            );
        }
        // at the very end there is nothing new
        check(
            &format!("{BASE}[settings]\nstep = [0.1 #!\n"),
            "settings.step",
            &["is not closed", "`]`"],
        );
        let braces = format!("{BASE}[contact_default]\nfriction = {{ a = 1 #!\n[settings]\n");
        check(
            &braces,
            "contact_default.friction",
            &["the table in braces", "before line", "`}`"],
        );
        // on one line, the comma may be what is absent
        check(
            &format!("gravity = [[0] [1]] #!\n{BASE}"),
            "gravity",
            &["a comma"],
        );
    }

    #[test]
    fn errors_behind_a_slip_in_the_text_are_still_found() {
        let text = BASE
            .replace("mass = 1\n", "mass = one\n")
            .replace("radius = 0.2", "radius = -0.2");
        let error = problems(&text);
        let keys: Vec<&str> = error
            .problems
            .iter()
            .map(|(_, _, p)| p.key.as_str())
            .collect();
        assert_eq!(keys, ["body.mass", "body[block].shape.radius", "body.mass"]);
    }
}

#[test]
fn bodies_that_overlap_are_reported_once_for_two_at_the_later_one() {
    let text = r#"
[[body]]
name = "crate"
kind = "rigid"
mass = 2
position = [0, 0]
shape = [{ kind = "box", size = [0.4, 0.2] }]

[[body]]
name = "lid"
kind = "rigid"
mass = 2
position = [0.1, 0.05]
angle = 0.1
shape = [{ kind = "box", size = [0.4, 0.2] }]

[[ground.shape]]
kind = "half_plane"
normal = [0, 1]
"#;
    let error = stiction::Model::from_text("scene.toml", text).unwrap_err();
    println!("{error}");
    let told: Vec<(usize, &str)> = error
        .problems
        .iter()
        .map(|(line, _, problem)| (*line, problem.key.as_str()))
        .collect();
    let (first, second) = ((2, "body[crate].position"), (9, "body[lid].position"));
    assert_eq!(told, [first, second, second]);
    for (problem, words) in error.problems.iter().zip([
        "`crate.on.ground` overlap by 1.000e-1 m at the start, deepest at `crate.on.ground[1]`",
        "`lid.on.ground` overlap by 6.947e-2 m",
        "`lid.on.crate` overlap by 1.695e-1 m at the start, deepest at `lid.on.crate[1]`",
    ]) {
        assert!(
            problem.2.message.starts_with(words),
            "{}",
            problem.2.message
        );
    }
}

#[test]
fn ten_errors_at_once_are_all_found() {
    let text = r#"
name = "wrong"
gravty = [0, -9.81]

[settings]
step = 0
scheme = "euler"

[[body]]
name = "block"
kind = "rigid"
mass = -1
position = [0, nan]

[[body.shape]]
kind = "sphere"
radius = 0.1

[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "blok"]

[[force]]
name = "push"
kind = "applied"
body = "block"
force = ["8", 0]

[contact_default]
friction = -0.3
"#;
    let error = problems(text);
    let found: Vec<(usize, &str)> = error
        .problems
        .iter()
        .map(|(line, _, p)| (*line, p.key.as_str()))
        .collect();
    let expected = [
        (3, "gravty"),
        (6, "settings.step"),
        (7, "settings.scheme"),
        (12, "body[block].mass"),
        (13, "body[block].position"),
        (16, "body[block].shape.kind"),
        (19, "joint[hinge].at"),
        (22, "joint[hinge].bodies"),
        (28, "force[push].force"),
        (31, "contact_default.friction"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn hundreds_of_problems_are_cut_to_a_list_one_can_read() {
    let text: String = (0..300).map(|i| format!("key{i:03} = 1\n")).collect();
    let error = parse("scene.toml", &format!("{text}{BASE}")).expect_err("unknown keys");
    println!("{}", error.problems[100].2.message);
    assert_eq!(error.problems.len(), 101);
    assert!(error.problems[100].2.message.contains("200 more problems"));
}

#[test]
fn file_that_does_not_exist_is_reported_in_a_sentence() {
    let error = load(Path::new("no/such/scene.toml")).expect_err("no file");
    println!("{error}");
    assert!(
        error
            .to_string()
            .contains("no/such/scene.toml:1:1: file: the scene cannot be read")
    );
    assert!(error.to_string().contains("hint: check the path"));
}

#[test]
fn folder_in_place_of_a_file_is_reported_in_a_sentence() {
    let error = load(&root().join("resources")).expect_err("a folder");
    println!("{error}");
    assert!(error.to_string().contains("folder"));
}

/// The parts of a planar scene.
fn plane(scene: &Scene) -> &Plane {
    scene.plane().expect("a planar scene")
}

/// The scenes that ship, with their folder's name.
fn shipped() -> Vec<(String, Scene)> {
    let shipped = scene_names().into_iter().map(|name| {
        let folder = root().join("resources").join(&name);
        let (scene, _) = load(&folder.join("scene.toml")).unwrap_or_else(|error| panic!("{error}"));
        assert!(folder.join("readme.md").is_file(), "{name} has a readme");
        (name, scene)
    });
    shipped.collect()
}

#[test]
fn every_shipped_scene_is_read_without_a_problem() {
    let scenes = shipped();
    for (name, scene) in &scenes {
        let [bodies, joints, forces] = match &scene.parts {
            Parts::Plane(p) => [p.bodies.len(), p.joints.len(), p.forces.len()],
            Parts::Space(s) => [s.bodies.len(), s.joints.len(), s.forces.len()],
        };
        println!("{name}: {bodies} bodies, {joints} joints, {forces} forces");
        assert_eq!(*name, scene.name);
        assert!(!scene.description.is_empty());
    }
    for name in [
        "block_on_table",
        "bouncing_ball",
        "box_landing",
        "box_stack",
        "double_pendulum_wall",
        "falling_rod",
        "four_balls",
        "free_body",
        "gripper",
        "incline",
        "newtons_cradle",
        "rolling_ball",
        "rover",
        "slider_crank",
        "spinning_top",
        "two_bars",
        "two_bodies_damper",
        "two_carts",
        "chain",
        "conveyor",
        "pawl",
        "pile_of_balls",
        "pile_of_boxes",
        "pile_of_jacks",
    ] {
        assert!(scenes.iter().any(|(n, _)| n == name), "{name} ships");
    }
}

#[test]
fn slider_crank_and_pendulum_and_bars_close_at_the_start() {
    let mut worst = 0.0_f64;
    for (name, scene) in shipped() {
        let Some(plane) = scene.plane() else {
            continue;
        };
        for joint in &plane.joints {
            let Anchors::Local(anchors) = joint.anchors else {
                continue;
            };
            let ends = [0, 1].map(|i| {
                let [x, y] = anchors[i];
                match plane.bodies.iter().find(|b| b.name == joint.bodies[i].text) {
                    None => [x, y],
                    Some(b) => {
                        let (s, c) = b.angle.sin_cos();
                        [b.position[0] + c * x - s * y, b.position[1] + s * x + c * y]
                    }
                }
            });
            let apart = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
            let gap = match (joint.kind, joint.axes) {
                (Kind::Distance, _) => {
                    apart[0].hypot(apart[1]) - joint.parameters[0].expect("a length")
                }
                (Kind::Prismatic, Axes::Local([axis, _])) => {
                    apart[0] * axis[1] - apart[1] * axis[0]
                }
                _ => apart[0].hypot(apart[1]),
            };
            println!("{name}: {} {gap:e}", joint.name);
            worst = worst.max(gap.abs());
        }
    }
    assert!(worst < 4e-16, "{worst:e}");
}

#[test]
fn anchors_of_joints_in_space_meet_at_the_start() {
    let mut n_joints = 0;
    for (name, scene) in shipped() {
        let Some(space) = scene.space() else {
            continue;
        };
        for joint in &space.joints {
            let Anchors::Local(anchors) = joint.anchors else {
                continue;
            };
            let ends = [0, 1].map(|i| {
                let anchor = Vec3::from(anchors[i]);
                let is_on = |body: &&space::Body| body.name == joint.bodies[i].text;
                match space.bodies.iter().find(is_on) {
                    None => anchor,
                    Some(b) => Vec3::from(b.position) + matrix(b.orientation) * anchor,
                }
            });
            let gap = (ends[1] - ends[0]).norm();
            println!("{name}: {} {gap:e}", joint.name);
            assert!(gap < 4e-16, "{name}: {} {gap:e}", joint.name);
            n_joints += 1;
        }
    }
    assert!(n_joints > 0);
}

#[test]
fn what_is_not_said_has_its_default() {
    let scene = parse("folder/swing.toml", BASE).expect("a scene");
    assert_eq!(
        (scene.name.as_str(), plane(&scene).gravity, scene.until),
        ("swing", [0.0, -9.81], 10.0)
    );
    assert_eq!(scene.settings, Settings::default());
    assert_eq!(scene.settings.step, 0.01);
    assert_eq!(
        plane(&scene).contact_default,
        ContactMaterial {
            compliance: None,
            friction: stiction::scene::spec::Friction {
                sliding: 0.0,
                falling: None
            },
            restitution: 0.0,
            tangential_restitution: 0.0,
            enabled: true
        }
    );
    assert_eq!(
        (
            plane(&scene).bodies[0].shapes[0].name.as_str(),
            plane(&scene).ground[0].name.as_str()
        ),
        ("circle1", "floor")
    );
    let contacts: Vec<bool> = plane(&scene).joints.iter().map(|j| j.contact).collect();
    assert_eq!(
        contacts,
        [false, true],
        "rods leave the bodies free to touch"
    );
}

#[test]
fn contact_rule_takes_what_it_does_not_say_from_the_default() {
    let text = format!(
        "{BASE}[contact_default]\nfriction = 0.3\nrestitution = 0.5\n[[contact]]\nmaterials = [\"steel\", \"rubber\"]\nrestitution = 0\n"
    );
    let scene = parse("s.toml", &text).expect("a scene");
    let material = plane(&scene).contact_rules[0].material;
    assert_eq!(
        (
            material.friction.sliding,
            material.restitution,
            material.enabled
        ),
        (0.3, 0.0, true)
    );
}

#[test]
fn friction_of_its_own_leaves_what_falls_behind() {
    let text = format!(
        "{BASE}[contact_default]\nfriction = 0.3\nstatic_friction = 0.5\nstribeck_velocity = 0.01\n\
         [[contact]]\nmaterials = [\"steel\", \"rubber\"]\nrestitution = 0\n\
         [[contact]]\nmaterials = [\"steel\", \"rubber\"]\nfriction = 0.4\n\
         [[contact]]\nmaterials = [\"steel\", \"rubber\"]\nstribeck_velocity = 0.1\n"
    );
    let scene = parse("s.toml", &text).expect("a scene");
    let friction: Vec<_> = plane(&scene)
        .contact_rules
        .iter()
        .map(|rule| {
            (
                rule.material.friction.sliding,
                rule.material.friction.falling,
            )
        })
        .collect();
    assert_eq!(
        friction,
        [
            (0.3, Some((0.5, 0.01))),
            (0.4, None),
            (0.3, Some((0.5, 0.1)))
        ]
    );
}

#[test]
fn fixed_joint_without_a_place_is_at_its_moving_body() {
    let joint = |bodies: &str| {
        format!("{BASE}[[joint]]\nname = \"weld\"\nkind = \"fixed\"\nbodies = {bodies}\n")
    };
    for bodies in ["[\"ground\", \"block\"]", "[\"block\", \"ground\"]"] {
        let scene = parse("s.toml", &joint(bodies)).expect("a scene");
        assert_eq!(plane(&scene).joints[2].anchors, Anchors::World([0.0, 1.0]));
    }
}

#[test]
fn limits_may_be_infinite() {
    let text = BASE.replace("at = [0, 1]", "at = [0, 1]\nlimits = [-inf, 0.5]");
    let scene = parse("s.toml", &text).expect("a scene");
    let limits = plane(&scene).joints[0].limits[0].expect("limits");
    assert_eq!((limits.lower, limits.upper), (f64::NEG_INFINITY, 0.5));
}

#[test]
fn every_kind_of_force_and_signal_is_read() {
    let text = format!(
        "{BASE}{}",
        r#"
[[force]]
name = "torsion"
kind = "torsional"
joint = "hinge"
stiffness = 3
[[force]]
name = "push"
kind = "applied"
body = "block"
point = [0.1, 0]
frame = "body"
force = [{ kind = "table", times = [0, 1, 1, 2], values = [0, 1, 5, 0] }, 2]
torque = { kind = "harmonic", amplitude = 1, frequency = 2, phase = 0.5, offset = 1 }
[[force]]
name = "oil"
kind = "viscous"
bodies = ["bob"]
linear = 0.5
[[force]]
name = "bearing"
kind = "stribeck"
joint = "hinge"
static_friction = 1.5
kinetic_friction = 1
stribeck_rate = 0.1
transition_rate = 1e-3
[[force]]
name = "strut"
kind = "spring_damper"
bodies = ["block", "bob"]
anchors = [[0.1, 0], [0, 0]]
stiffness = 10
damping = 1
"#
    );
    let scene = parse("s.toml", &text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(plane(&scene).forces.len(), 5);
    let Target::Body { torque, frame, .. } = &plane(&scene).forces[1].on else {
        panic!("a body")
    };
    let [Signal::Harmonic { omega, .. }] = &torque[..] else {
        panic!("torque")
    };
    assert_eq!((*omega, *frame), (4.0 * std::f64::consts::PI, Frame::Body));
    let Target::Bodies(bodies) = &plane(&scene).forces[2].on else {
        panic!("viscous")
    };
    assert_eq!(bodies[1].text, "ground");
}

#[test]
fn no_text_makes_the_reader_panic() {
    // A small generator, so that the same texts are tried every time.
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |n: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % n.max(1) as u64) as usize
    };
    let mut texts: Vec<String> = vec![BASE.to_owned()];
    for (name, _) in shipped() {
        texts.push(scene_text(&name));
    }
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "=",
        "\"",
        "'",
        "\"\"\"",
        "\n",
        ",",
        ".",
        "nan",
        "-inf",
        "1e999",
        "0x10",
        "é",
        "🦀",
        "\u{0}",
        "[[body]]",
        "[body]",
        "name = 1",
        "99999999999999999999",
        "1979-05-27",
        "true",
        "[]",
        "{}",
        "#",
        "\\u",
        "_",
        "\r",
        "a.b.c = 1",
    ];
    let (mut n_read, mut n_refused) = (0, 0);
    let mut check = |text: &str| {
        *(if is_read(text) {
            &mut n_read
        } else {
            &mut n_refused
        }) += 1
    };
    for text in &texts {
        for end in (0..text.len()).filter(|i| text.is_char_boundary(*i)) {
            check(&text[..end]);
        }
        for _ in 0..400 {
            check(&mangled(text, &pieces, 4, &mut random));
        }
    }
    println!("{n_read} read, {n_refused} refused");
    assert!(n_read > 100 && n_refused > 1000);
}

/// The page that explains the format.
fn documentation() -> String {
    read("docs/SCENE.md")
}

#[test]
fn snippets_of_the_documentation_make_a_scene() {
    let page = documentation();
    let snippets: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .map(|part| part.split("```").next().expect("a snippet"))
        .collect();
    let scene = parse("SCENE.md", &snippets.join("\n")).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{} snippets, {} bodies, {} forces",
        snippets.len(),
        plane(&scene).bodies.len(),
        plane(&scene).forces.len()
    );
    assert_eq!(
        (
            plane(&scene).bodies.len(),
            plane(&scene).joints.len(),
            plane(&scene).forces.len()
        ),
        (9, 6, 5)
    );
}

#[test]
fn the_time_stepping_scene_of_the_documentation_is_a_scene() {
    let page = documentation();
    let (_, rest) = page
        .split_once("```toml time_stepping\n")
        .expect("a snippet");
    let text = rest.split("```").next().expect("its end");
    let model =
        stiction::Model::from_text("SCENE.md", text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(model.bodies.len(), 200);
    assert!(model.time_stepping.is_some());
    let (_, rest) = page.split_once("```toml belt\n").expect("a snippet");
    let belt = rest.split("```").next().expect("its end");
    let model = stiction::Model::from_text("SCENE.md", &format!("{text}\n{belt}"))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        model
            .time_stepping
            .map(|time_stepping| time_stepping.belts.len()),
        Some(1)
    );
}
