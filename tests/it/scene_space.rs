//! Scene files in space: every form that is right, and what is told of those that are wrong.

use crate::common::refused::{check, is_read, mangled, problems};
use std::path::Path;

use stiction::Model;
use stiction::scene::load::{load, parse, parse_in, parse_with};
use stiction::scene::spec::space::*;
use stiction::scene::spec::{
    Anchors, Axes, BodyKind, ContactPair, Frame, FrictionCone, Motor, MotorKind, Scene, Settings,
    Signal, Target,
};

/// Two rigid bodies and a point that references can name; the ground has a floor.
const BASE: &str = r#"
[[body]]
name = "block"
kind = "rigid"
mass = 1
inertia = [0.1, 0.2, 0.25]
position = [0, 0, 1]
group = "parts"

[[body.shape]]
kind = "sphere"
radius = 0.2
material = "steel"

[[body]]
name = "wheel"
kind = "rigid"
mass = 1
position = [2, 0, 1]

[[body.shape]]
kind = "cylinder"
axis = [0, 1, 0]
radius = 0.3
height = 0.1

[[body]]
name = "bob"
kind = "point"
mass = 1
position = [3, 0, 1]

[[ground.shape]]
name = "floor"
kind = "half_space"
normal = [0, 0, 1]
material = "rubber"

[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "block"]
at = [0, 0, 1]
axis = [0, 1, 0]

[[joint]]
name = "shaft"
kind = "cylindrical"
bodies = ["ground", "wheel"]
at = [2, 0, 1]
axis = [0, 1, 0]

[[joint]]
name = "link"
kind = "distance"
bodies = ["ground", "bob"]
anchors = [[3, 0, 3], [0, 0, 0]]
"#;

/// A scene in space with more behind the base.
fn with(text: &str) -> String {
    format!("dimension = 3\n{BASE}{text}")
}

/// The mark `#!` in front of the keys belongs to their header, which then has it.
fn below(header: &str, keys: &str) -> String {
    match keys.strip_prefix("#!\n") {
        Some(keys) => format!("{header} #!\n{keys}"),
        None => format!("{header}\n{keys}"),
    }
}

/// A rigid body with the given keys.
fn body(keys: &str) -> String {
    let keys = below("[[body]]", keys);
    with(&format!(
        "{keys}name = \"cart\"\nkind = \"rigid\"\nposition = [0, 5, 0]\n"
    ))
}

/// A rigid body with a shape.
fn shape(keys: &str) -> String {
    let keys = below("[[body.shape]]", keys);
    let body =
        "name = \"cart\"\nkind = \"rigid\"\nposition = [0, 5, 0]\nmass = 1\ninertia = [1, 1, 1]";
    with(&format!("[[body]]\n{body}\n{keys}"))
}

fn read(text: &str) -> (Scene, Space) {
    let scene = parse("scene.toml", text).unwrap_or_else(|error| panic!("{error}"));
    let space = scene.space().expect("a scene in space").clone();
    assert!(scene.plane().is_none());
    (scene, space)
}

/// One test for each mistake, made into a scene by a function.
macro_rules! refused {
    ($make:ident: $($claim:ident: $key:literal, [$($fragment:literal),+], $text:literal;)+) => {
        $(#[test]
        fn $claim() {
            check(&$make($text), $key, &[$($fragment),+]);
        })+
    };
}

mod copies {
    use super::*;

    fn after_base(text: &str) -> String {
        format!("dimension = 3\n{BASE}{text}")
    }

    refused! { after_base:
        a_copy_has_no_name_of_another_body: "body[row].copies",
            ["a copy would have the name \"row_2\"", "rename one of them"],
            "[[body]]\nname = \"row_2\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 5]\n[[body]]\nname = \"row\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 7]\ncopies = { count = [3, 1, 1], spacing = [1, 1, 1] } #!\n";
        a_body_has_no_name_of_a_copy: "body[row_2].name",
            ["two bodies with the name \"row_2\""],
            "[[body]]\nname = \"row\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 5]\ncopies = { count = [3, 1, 1], spacing = [1, 1, 1] }\n[[body]]\nname = \"row_2\" #!\nkind = \"point\"\nmass = 1\nposition = [5, 5, 7]\n";
    }

    fn row_and(text: &str) -> String {
        after_base(&format!(
            "[[body]]\nname = \"row\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 5]\ncopies = {{ count = [3, 5, 4], spacing = [1, 1, 1] }}\n{text}"
        ))
    }

    refused! { row_and:
        rule_for_what_was_copied_hears_of_groups: "contact.bodies",
            ["no body has the name \"row\"", "\"row_1\" to \"row_60\"", "give the body a `group`", "`groups` instead of `bodies`"],
            "[[contact]]\nbodies = [\"row\", \"ground\"] #!\nfriction = 0.1\n";
        force_on_what_was_copied_hears_of_numbers: "force[push].body",
            ["copies have a number appended to the name: \"row_1\" to \"row_60\""],
            "[[force]]\nname = \"push\"\nkind = \"applied\"\nbody = \"row\" #!\nforce = [1, 0, 0]\n";
    }

    #[test]
    fn numbers_beyond_the_copies_are_free() {
        let text = after_base(
            "[[body]]\nname = \"row\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 5]\ncopies = { count = [3, 1, 1], spacing = [1, 1, 1] }\n[[body]]\nname = \"row_4\"\nkind = \"point\"\nmass = 1\nposition = [5, 5, 7]\n",
        );
        assert_eq!(read(&text).1.bodies.last().unwrap().name, "row_4");
    }
}

mod top {
    use super::*;

    fn top(text: &str) -> String {
        format!("dimension = 3\n{text}{BASE}")
    }

    fn alone(text: &str) -> String {
        format!("{text}{BASE}")
    }

    refused! { top:
        gravity_of_two_numbers_is_refused: "gravity",
            ["expected three numbers, found a list of 2", "gravity = [0, 0, -9.81]"], "gravity = [0, -9.81] #!\n";
        gravity_is_no_number: "gravity", ["expected three numbers, found the number -9.81"], "gravity = -9.81 #!\n";
        gravity_is_finite: "gravity", ["infinite"], "gravity = [0, 0, inf] #!\n";
        unknown_key_names_the_nearest: "gravty", ["did you mean `gravity`?"], "gravty = [0, 0, 0] #!\n";
    }

    refused! { alone:
        dimension_four_is_refused: "dimension", ["must be 2 or 3, but is 4", "`dimension = 3` for space"],
            "dimension = 4 #!\n";
        dimension_in_quotes_is_refused: "dimension", ["expected 2 or 3, found the text \"3\""], "dimension = \"3\" #!\n";
        dimension_is_whole: "dimension", ["expected 2 or 3, found the number 3.0"], "dimension = 3.0 #!\n";
    }

    #[test]
    fn planar_scene_may_say_so() {
        let text = "dimension = 2\n[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1\nposition = [0, 1]\n";
        let scene = parse("s.toml", text).expect("a scene");
        assert_eq!(scene.plane().expect("planar").gravity, [0.0, -9.81]);
        assert!(scene.space().is_none());
    }

    #[test]
    fn wrong_dimension_of_a_planar_scene_is_reported_alone() {
        let text = "dimension = 1 #!\n[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1\nposition = [0, 1]\n";
        check(text, "dimension", &["must be 2 or 3, but is 1"]);
    }

    #[test]
    fn scene_without_bodies_is_refused() {
        check("dimension = 3 #!\n", "body", &["no body"]);
    }
}

mod settings {
    use super::*;
    refused! { with:
        directions_belong_to_the_polyhedral_cone: "settings.friction_directions", ["no effect", "polyhedral"],
            "[settings]\nfriction_directions = 8 #!\n";
        turning_belongs_to_the_polyhedral_cone: "settings.friction_directions_turn", ["no effect", "polyhedral"],
            "[settings]\nfriction_directions_turn = false #!\n";
        directions_are_even: "settings.friction_directions", ["must be even, but is 7"],
            "[settings]\nfriction_cone = \"polyhedral\"\nfriction_directions = 7 #!\n";
        directions_are_four_or_more: "settings.friction_directions", ["from 4 to 64, but is 2"],
            "[settings]\nfriction_cone = \"polyhedral\"\nfriction_directions = 2 #!\n";
        unknown_cone_lists_both: "settings.friction_cone", ["\"exact\", \"polyhedral\""],
            "[settings]\nfriction_cone = \"round\" #!\n";
    }

    #[test]
    fn cone_of_a_planar_scene_is_no_key() {
        let text = "[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1\nposition = [0, 1]\n[settings]\nfriction_cone = \"exact\" #!\n";
        check(text, "settings.friction_cone", &["not a key of [settings]"]);
    }
}

mod time_stepping {
    use super::*;

    const TIME_STEPPING: &str = "[settings]\nintegrator = \"time_stepping\"\n[[ground.shape]]\nkind = \"half_space\"\nname = \"track\"\nnormal = [0, 1, 2]\n";

    fn in_time_stepping(text: &str) -> String {
        with(&format!("{TIME_STEPPING}{text}"))
    }

    refused! { with:
        tolerance_has_no_effect: "settings.tolerance", ["no effect with time stepping", "remove `tolerance`"],
            "[settings]\nintegrator = \"time_stepping\"\ntolerance = 1e-6 #!\n";
        scheme_has_no_effect: "settings.scheme", ["no effect with time stepping", "remove `scheme`"],
            "[settings]\nintegrator = \"time_stepping\"\nscheme = \"implicit_euler\" #!\n";
        cone_has_no_effect: "settings.friction_cone", ["no effect with time stepping", "remove `friction_cone`"],
            "[settings]\nintegrator = \"time_stepping\"\nfriction_cone = \"polyhedral\" #!\n";
        impacts_have_newtons_law: "settings.impact_law", ["its impacts have Newton's law", "remove `impact_law`"],
            "[settings]\nintegrator = \"time_stepping\"\nimpact_law = \"expedient\" #!\n";
        sweeps_are_no_setting: "settings.sweeps", ["move it to `[settings.time_stepping]`"], "[settings]\nsweeps = 20 #!\n";
    }

    refused! { in_time_stepping:
        belt_does_not_move_along_its_normal: "belt[feed].direction", ["is its normal", "in the plane of the shape"],
            "[[belt]]\nname = \"feed\"\nshape = \"track\"\ndirection = [0, -2, -4] #!\nspeed = 1\n";
        tangential_velocity_is_not_restored: "contact_default.tangential_restitution", ["only to the normal velocity", "remove it"],
            "[contact_default]\nfriction = 0.4\ntangential_restitution = 0.5 #!\n";
        friction_is_the_same_in_all_directions: "contact.friction_axes", ["in all directions", "write `friction`"],
            "[[contact]]\nbodies = [\"wheel\", \"ground\"]\nfriction_axes = [0.5, 0.1] #!\nfriction_axis = [1, 0, 0]\n";
    }

    #[test]
    fn options_of_time_stepping_in_other_tables_are_sent_to_theirs() {
        for key in [
            "located_impacts = 4",
            "merge_distance = 1e-4",
            "sleep_after = 1",
            "sleep_speed = 1",
            "sweeps = 20",
            "threads = 2",
        ] {
            let name = key.split(' ').next().unwrap();
            let text = format!("dimension = 3\n{key} #!\n{BASE}");
            check(&text, name, &["move it to `[settings.time_stepping]`"]);
            let text = with(&format!(
                "[settings]\nintegrator = \"time_stepping\"\n[settings.time_stepping]\n{key}\n"
            ));
            read(&text);
        }
    }

    #[test]
    fn friction_at_rest_may_be_said_to_be_that_of_sliding() {
        let text = in_time_stepping("[contact_default]\nfriction = 0.4\nstatic_friction = 0.4\n");
        read(&text);
    }

    #[test]
    fn belt_moves_along_its_surface() {
        let belt =
            "[[belt]]\nname = \"feed\"\nshape = \"track\"\ndirection = [1, 0, 0]\nspeed = 1\n";
        assert_eq!(read(&in_time_stepping(belt)).1.belts.len(), 1);
    }

    #[test]
    fn all_settings_without_effect_are_reported_at_once() {
        let text = with(
            "[settings]\nintegrator = \"time_stepping\"\ntolerance = 1e-6\nfriction_cone = \"polyhedral\"\n",
        );
        assert_eq!(problems(&text).problems.len(), 2);
    }

    #[test]
    fn time_stepping_in_the_plane_is_refused_and_old_keys_have_a_hint() {
        let body = "[[body]]\nname = \"a\"\nkind = \"point\"\nmass = 1\nposition = [0, 1]\n";
        let planar = format!("{body}[settings]\nintegrator = \"time_stepping\" #!\n");
        check(
            &planar,
            "settings.integrator",
            &["a scene in space", "`dimension = 3`"],
        );
        let old = format!("{body}[crowd] #!\n");
        check(&old, "crowd", &["not a key of a scene", "integrator"]);
        let old = format!("{body}[settings]\nenergy_guard = true #!\n");
        check(&old, "settings.energy_guard", &["impact_energy_limit"]);
    }

    #[test]
    fn copies_that_overlap_are_told_their_spacing() {
        let text = "dimension = 3\nsettings.integrator = \"time_stepping\"\n[[body]] #!\nname = \"ball\"\nkind = \"rigid\"\nmass = 1\nposition = [0, 0, 1]\nshape = [{ kind = \"sphere\", radius = 0.1 }]\ncopies = { count = [2, 1, 1], spacing = [0.15, 1, 1] }\n";
        let error = Model::from_text("scene.toml", text).expect_err("overlaps");
        let (line, _, problem) = &error.problems[0];
        println!("{error}");
        assert_eq!((*line, problem.key.as_str()), (3, "body[ball_2].position"));
        assert!(problem.hint.contains("`spacing`"), "{}", problem.hint);
    }
}

mod body {
    use super::*;
    refused! { body:
        angle_of_the_plane_has_its_place_taken: "body[cart].angle",
            ["not a key of a body", "rotation_vector = [0, 0, angle]", "`euler`"],
            "mass = 1\ninertia = [1, 1, 1]\nangle = 0.5 #!\n";
        velocity_of_two_numbers_is_refused: "body[cart].velocity", ["expected three numbers, found a list of 2"],
            "mass = 1\ninertia = [1, 1, 1]\nvelocity = [1, 0] #!\n";
        angular_velocity_is_a_vector: "body[cart].angular_velocity",
            ["expected three numbers, found the number 4", "[0, 0, 4.0]"],
            "mass = 1\ninertia = [1, 1, 1]\nangular_velocity = 4 #!\n";
        inertia_is_no_number: "body[cart].inertia", ["expected three moments or a matrix", "[0.1, 0.2, 0.3]"],
            "mass = 1\ninertia = 0.1 #!\n";
        moments_are_positive: "body[cart].inertia", ["above zero, but is -1"], "mass = 1\ninertia = [1, -1, 1] #!\n";
        largest_moment_is_not_above_the_others: "body[cart].inertia", ["exceeds the sum of the two others"],
            "mass = 1\ninertia = [1, 1, 3] #!\n";
        tensor_is_symmetric: "body[cart].inertia", ["row 1 has 0.5 where row 2 has 0.4"],
            "mass = 1\ninertia = [[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]] #!\n";
        tensor_is_positive: "body[cart].inertia", ["positive about all axes"],
            "mass = 1\ninertia = [[1, 2, 0], [2, 1, 0], [0, 0, 1]] #!\n";
        tensor_keeps_the_sum_rule: "body[cart].inertia", ["exceeds the sum of the two others"],
            "mass = 1\ninertia = [[2, 1.5, 0], [1.5, 2, 0], [0, 0, 1]] #!\n";
        tensor_has_three_rows: "body[cart].inertia", ["expected three moments or a matrix of three rows, found a list of 2"],
            "mass = 1\ninertia = [[1, 0], [0, 1]] #!\n";
        inertia_or_a_volume_is_needed: "body[cart].inertia", ["a shape with a volume", "kg m²"],
            "#!\nmass = 1\n";
        quaternion_has_unit_length: "body[cart].orientation", ["the length 2", "orientation = [1.0, 0.0, 0.0, 0.0]"],
            "mass = 1\ninertia = [1, 1, 1]\norientation = [2, 0, 0, 0] #!\n";
        quaternion_is_not_zero: "body[cart].orientation", ["the length 0", "unit quaternion"],
            "mass = 1\ninertia = [1, 1, 1]\norientation = [0, 0, 0, 0] #!\n";
        quaternion_has_four_numbers: "body[cart].orientation", ["expected four numbers, w first, found a list of 3"],
            "mass = 1\ninertia = [1, 1, 1]\norientation = [0, 0, 1] #!\n";
        orientation_is_given_once: "body[cart].euler", ["`rotation_vector` and `euler` are alternatives"],
            "mass = 1\ninertia = [1, 1, 1]\nrotation_vector = [0, 0, 1]\neuler = [0, 0, 1] #!\n";
        mass_or_density: "body[cart].density", ["`mass` and `density` are alternatives"],
            "mass = 1\ndensity = 1000 #!\nshape = [{ kind = \"sphere\", radius = 1 }]\n";
        density_needs_a_volume: "body[cart].density", ["only with a shape that has a volume"],
            "density = 1000 #!\ninertia = [1, 1, 1]\nshape = [{ kind = \"point\" }]\n";
        density_is_positive: "body[cart].density", ["density must be above zero (1e-60 to 1e60), but is 0"],
            "density = 0 #!\nshape = [{ kind = \"sphere\", radius = 1 }]\n";
        frame_without_a_rate_has_no_effect: "body[cart].angular_velocity_frame", ["no effect without `angular_velocity`"],
            "mass = 1\ninertia = [1, 1, 1]\nangular_velocity_frame = \"body\" #!\n";
        group_is_not_the_ground: "body[cart].group", ["the fixed body"],
            "mass = 1\ninertia = [1, 1, 1]\ngroup = \"ground\" #!\n";
        misspelt_rotation_vector_is_recognised: "body[cart].rotation_vecter", ["did you mean `rotation_vector`?"],
            "mass = 1\ninertia = [1, 1, 1]\nrotation_vecter = [0, 0, 1] #!\n";
        quaternion_means_orientation: "body[cart].quaternion", ["did you mean `orientation`?"],
            "mass = 1\ninertia = [1, 1, 1]\nquaternion = [1, 0, 0, 0] #!\n";
    }

    refused! { with:
        missing_mass_is_told_at_the_header: "body[cart].mass", ["the key `mass` is missing"],
            "[[body]] #!\nname = \"cart\"\nkind = \"point\"\nposition = [0, 5, 0]\n";
        point_body_is_not_turned: "body[cart].euler", ["does not rotate", "rigid"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 5, 0]\neuler = [0, 0, 1] #!\n";
        point_body_has_no_rate: "body[cart].angular_velocity", ["does not rotate"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 5, 0]\nangular_velocity = [0, 0, 1] #!\n";
        position_of_two_numbers_is_refused: "body[cart].position",
            ["expected three numbers, found a list of 2", "position = [0, 0, 1]"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 5] #!\n";
        point_body_takes_no_cylinder: "body[cart].shape.kind", ["only be a point or a sphere"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 5, 0]\n[[body.shape]]\nkind = \"cylinder\" #!\nradius = 1\nheight = 1\n";
        shape_of_a_point_body_is_at_its_centre: "body[cart].shape.position", ["must be at its centre", "[0, 0, 0]"],
            "[[body]]\nname = \"cart\"\nkind = \"point\"\nmass = 1\nposition = [0, 5, 0]\n[[body.shape]]\nkind = \"sphere\"\nradius = 1\nposition = [1, 0, 0] #!\n";
    }
}

mod shape {
    use super::*;
    refused! { shape:
        circle_is_a_sphere_in_space: "body[cart].shape.kind", ["there is no kind \"circle\"", "did you mean \"sphere\"?"],
            "kind = \"circle\" #!\nradius = 1\n";
        polygon_is_a_polyhedron_in_space: "body[cart].shape.kind", ["did you mean \"polyhedron\"?"],
            "kind = \"polygon\" #!\nvertices = []\n";
        box_is_not_turned_by_an_angle: "body[cart].shape.angle", ["rotation_vector = [0, 0, angle]"],
            "kind = \"box\"\nsize = [1, 1, 1]\nangle = 1 #!\n";
        box_has_three_edges: "body[cart].shape.size", ["expected three lengths of edges, found a list of 2"],
            "kind = \"box\"\nsize = [1, 1] #!\n";
        edges_are_positive: "body[cart].shape.size", ["above zero, but is 0"], "kind = \"box\"\nsize = [1, 0, 1] #!\n";
        ends_of_a_capsule_differ: "body[cart].shape.to", ["same point", "sphere"],
            "kind = \"capsule\"\nradius = 0.1\nfrom = [1, 0, 0]\nto = [1, 0, 0] #!\n";
        axis_of_a_cylinder_has_a_length: "body[cart].shape.axis", ["no length"],
            "kind = \"cylinder\"\nradius = 1\nheight = 1\naxis = [0, 0, 0] #!\n";
        cylinder_has_a_height: "body[cart].shape.height", ["the key `height` is missing"],
            "#!\nkind = \"cylinder\"\nradius = 1\n";
        half_space_belongs_to_the_ground: "body[cart].shape.kind", ["cannot move", "[[ground.shape]]"],
            "kind = \"half_space\" #!\nnormal = [0, 0, 1]\n";
        height_field_belongs_to_the_ground: "body[cart].shape.kind", ["cannot move", "[[ground.shape]]"],
            "kind = \"height_field\" #!\ncell = [1, 1]\nheights = [[0, 0], [0, 0]]\n";
        polyhedron_has_four_corners: "body[cart].shape.vertices", ["at least four corners, but has 3"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] #!\n";
        flat_polyhedron_is_refused: "body[cart].shape.vertices", ["in one plane"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]] #!\n";
        polyhedron_in_one_place_is_refused: "body[cart].shape.vertices", ["the corners coincide"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]] #!\n";
        polyhedron_on_a_line_is_refused: "body[cart].shape.vertices", ["in one plane"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]] #!\n";
        corner_has_three_numbers: "body[cart].shape.vertices", ["expected three numbers, found a list of 2"],
            "kind = \"polyhedron\"\nvertices = [[0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] #!\n";
        polyhedron_has_corners_or_a_file: "body[cart].shape.vertices", ["needs `vertices` or `file`"],
            "#!\nkind = \"polyhedron\"\n";
        vertices_or_file: "body[cart].shape.file", ["`vertices` and `file` are alternatives"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\nfile = \"part.stl\" #!\n";
        scale_belongs_to_a_file: "body[cart].shape.scale", ["no effect without `file`"],
            "kind = \"polyhedron\"\nvertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\nscale = 2 #!\n";
        text_without_a_folder_takes_no_file: "body[cart].shape.file", ["no folder", "`vertices`"],
            "kind = \"polyhedron\"\nfile = \"part.stl\" #!\n";
        file_stays_beside_the_scene: "body[cart].shape.file", ["in the folder of the scene"],
            "kind = \"polyhedron\"\nfile = \"../part.stl\" #!\n";
        file_has_no_place_of_its_own: "body[cart].shape.file", ["in the folder of the scene"],
            "kind = \"polyhedron\"\nfile = \"/tmp/part.stl\" #!\n";
        file_is_a_mesh: "body[cart].shape.file", ["neither an STL nor an OBJ file"],
            "kind = \"polyhedron\"\nfile = \"part.step\" #!\n";
    }

    refused! { with:
        half_plane_is_a_half_space: "ground.shape[2].kind", ["did you mean \"half_space\"?"],
            "[[ground.shape]]\nkind = \"half_plane\" #!\nnormal = [0, 1]\n";
        normal_has_three_numbers: "ground.shape[2].normal", ["expected three numbers, found a list of 2"],
            "[[ground.shape]]\nkind = \"half_space\"\nnormal = [0, 1] #!\n";
        rows_of_heights_are_alike: "ground.shape[2].heights", ["row 2 has 3 heights, but the first has 2"],
            "[[ground.shape]]\nkind = \"height_field\"\ncell = [1, 1]\nheights = [[0, 0], [0, 0, 0]] #!\n";
        height_field_has_two_rows: "ground.shape[2].heights", ["at least two rows"],
            "[[ground.shape]]\nkind = \"height_field\"\ncell = [1, 1]\nheights = [[0, 0]] #!\n";
        cells_have_a_size: "ground.shape[2].cell", ["cell must be above zero"],
            "[[ground.shape]]\nkind = \"height_field\"\ncell = [1, 0] #!\nheights = [[0, 0], [0, 0]]\n";
        ground_has_only_shapes: "ground.group", ["not a key of [ground]"], "[ground]\ngroup = \"a\" #!\n";
    }
}

mod joint {
    use super::*;

    /// A joint of the wheel and the block.
    fn joint(keys: &str) -> String {
        let keys = below("[[joint]]", keys);
        with(&format!(
            "{keys}name = \"new\"\nbodies = [\"block\", \"wheel\"]\n"
        ))
    }

    refused! { joint:
        ball_joint_is_spherical: "joint[new].kind", ["did you mean \"spherical\"?", "\"universal\", \"planar\""],
            "kind = \"ball\" #!\nat = [0, 0, 0]\n";
        revolute_joint_needs_an_axis: "joint[new].axis", ["`axis` or `axes` is missing", "axis = [0, 0, 1]"],
            "#!\nkind = \"revolute\"\nat = [0, 0, 0]\n";
        axis_has_three_numbers: "joint[new].axis", ["expected three numbers, found a list of 2"],
            "kind = \"prismatic\"\nat = [0, 0, 0]\naxis = [1, 0] #!\n";
        axis_has_a_length: "joint[new].axis", ["no length"],
            "kind = \"planar\"\nat = [0, 0, 0]\naxis = [0, 0, 0] #!\n";
        axis_is_given_once: "joint[new].axes", ["`axis` and `axes` are alternatives"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\naxes = [[0, 0, 1], [0, 0, 1]] #!\n";
        axes_are_two: "joint[new].axes", ["expected two directions, found a list of 3"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxes = [0, 0, 1] #!\n";
        universal_joint_needs_two_axes: "joint[new].second_axis", ["rotates about two axes"],
            "#!\nkind = \"universal\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\n";
        universal_axes_are_at_right_angles: "joint[new].second_axis", ["perpendicular"],
            "kind = \"universal\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 1] #!\n";
        universal_axes_are_given_once: "joint[new].axes", ["keep `axes`, or the two others"],
            "kind = \"universal\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\naxes = [[0, 0, 1], [1, 0, 0]] #!\n";
        second_axis_is_for_universal_joints: "joint[new].second_axis", ["not a key of a revolute joint"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nsecond_axis = [0, 1, 0] #!\n";
        place_has_three_numbers: "joint[new].at", ["expected three numbers, found a list of 2", "at = [0, 0, 0]"],
            "kind = \"spherical\"\nat = [0, 0] #!\n";
        place_is_needed: "joint[new].at", ["`at` or `anchors` is missing", "[x, y, z]"], "#!\nkind = \"spherical\"\n";
        distance_has_two_ends: "joint[new].at", ["two ends"], "kind = \"distance\"\nat = [0, 0, 0] #!\n";
        spherical_joint_has_no_limits: "joint[new].limits", ["not a key of a spherical joint"],
            "kind = \"spherical\"\nat = [0, 0, 0]\nlimits = [0, 1] #!\n";
        limits_are_in_order: "joint[new].angle_limits", ["lower limit 1 is above", "angle_limits = [-1, 1]"],
            "kind = \"cylindrical\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nangle_limits = [1, -1] #!\n";
        bounce_needs_limits: "joint[new].limit_restitution", ["no effect without `limits` or `angle_limits`"],
            "kind = \"cylindrical\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nlimit_restitution = 0.5 #!\n";
        motor_is_a_table: "joint[new].motor", ["expected a table, found the number 3", "kind = \"speed\""],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = 3 #!\n";
        motor_needs_a_value: "joint[new].motor.value", ["the key `value` is missing"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"speed\" } #!\n";
        unknown_motor_lists_all: "joint[new].motor.kind", ["\"speed\", \"position\", \"servo\", \"torque\", \"force\""],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"stepper\", value = 1 } #!\n";
        motor_of_a_slider_pushes: "joint[new].motor.kind", ["driven by a force, not a torque", "kind = \"force\""],
            "kind = \"prismatic\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"torque\", value = 1 } #!\n";
        motor_says_which_coordinate: "joint[new].motor.coordinate", ["an angle and a displacement"],
            "kind = \"cylindrical\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"speed\", value = 1 } #!\n";
        motor_takes_a_coordinate_that_is_there: "joint[new].motor.coordinate", ["a revolute joint has no displacement"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"speed\", coordinate = \"displacement\", value = 1 } #!\n";
        fixed_joint_has_no_motor: "joint[new].motor", ["not a key of a fixed joint"],
            "kind = \"fixed\"\nmotor = { kind = \"speed\", value = 1 } #!\n";
        misspelt_key_of_a_motor_is_recognised: "joint[new].motor.coordnate", ["did you mean `coordinate`?"],
            "kind = \"revolute\"\nat = [0, 0, 0]\naxis = [0, 0, 1]\nmotor = { kind = \"speed\", value = 1, coordnate = \"angle\" } #!\n";
    }

    refused! { with:
        point_body_is_not_held_by_its_orientation: "joint[new].kind", ["a point body has none", "spherical"],
            "[[joint]]\nname = \"new\"\nkind = \"revolute\" #!\nbodies = [\"ground\", \"bob\"]\nat = [3, 0, 1]\naxis = [0, 0, 1]\n";
        point_body_is_held_at_its_centre: "joint[new].at", ["at = [3, 0, 1]"],
            "[[joint]]\nname = \"new\"\nkind = \"spherical\"\nbodies = [\"ground\", \"bob\"]\nat = [3, 0, 0] #!\n";
        anchor_of_a_point_body_is_its_centre: "joint[new].anchors", ["[0, 0, 0]"],
            "[[joint]]\nname = \"new\"\nkind = \"spherical\"\nbodies = [\"ground\", \"bob\"]\nanchors = [[0, 0, 0], [0, 0, 1]] #!\n";
        misspelt_body_is_recognised: "joint[new].bodies", ["did you mean \"wheel\"?"],
            "[[joint]]\nname = \"new\"\nkind = \"spherical\"\nbodies = [\"ground\", \"weel\"] #!\nat = [0, 0, 0]\n";
    }
}

mod force {
    use super::*;
    refused! { with:
        torsional_is_a_joint_spring: "force[new].kind", ["did you mean \"joint_spring\"?"],
            "[[force]]\nname = \"new\"\nkind = \"torsional\" #!\njoint = \"hinge\"\nstiffness = 1\n";
        rest_angle_is_rest: "force[new].rest_angle", ["in space write `rest`"],
            "[[force]]\nname = \"new\"\nkind = \"joint_spring\"\njoint = \"hinge\"\nstiffness = 1\nrest_angle = 0 #!\n";
        joint_spring_needs_a_coordinate: "force[new].coordinate", ["an angle and a displacement"],
            "[[force]] #!\nname = \"new\"\nkind = \"joint_spring\"\njoint = \"shaft\"\nstiffness = 1\n";
        joint_spring_needs_a_joint_that_moves: "force[new].joint", ["at a revolute, prismatic", "\"link\" is distance"],
            "[[force]]\nname = \"new\"\nkind = \"joint_spring\"\njoint = \"link\" #!\nstiffness = 1\n";
        joint_spring_does_something: "force[new].stiffness", ["`stiffness`, `damping` or both"],
            "[[force]] #!\nname = \"new\"\nkind = \"joint_spring\"\njoint = \"hinge\"\n";
        misspelt_joint_is_recognised: "force[new].joint", ["did you mean \"hinge\"?"],
            "[[force]]\nname = \"new\"\nkind = \"joint_spring\"\njoint = \"hing\" #!\nstiffness = 1\n";
        stribeck_friction_breaks_away_higher: "force[new].static_friction", ["below kinetic_friction"],
            "[[force]]\nname = \"new\"\nkind = \"stribeck\"\njoint = \"hinge\"\nstatic_friction = 1 #!\nkinetic_friction = 2\nstribeck_rate = 1\ntransition_rate = 1\n";
        force_has_three_components: "force[new].force", ["each of three axes, found a list of 2"],
            "[[force]]\nname = \"new\"\nkind = \"applied\"\nbody = \"block\"\nforce = [1, 0] #!\n";
        torque_has_three_components: "force[new].torque", ["each of three axes, found the number 1"],
            "[[force]]\nname = \"new\"\nkind = \"applied\"\nbody = \"block\"\ntorque = 1 #!\n";
        point_body_takes_no_torque: "force[new].torque", ["does not rotate"],
            "[[force]]\nname = \"new\"\nkind = \"applied\"\nbody = \"bob\"\ntorque = [0, 0, 1] #!\n";
        anchors_have_three_numbers: "force[new].anchors", ["expected three numbers, found a list of 2"],
            "[[force]]\nname = \"new\"\nkind = \"spring\"\nbodies = [\"block\", \"wheel\"]\nanchors = [[0, 0], [0, 0, 0]] #!\nstiffness = 1\n";
        point_body_has_no_angular_rate: "force[new].angular", ["nothing to resist"],
            "[[force]]\nname = \"new\"\nkind = \"viscous\"\nbodies = [\"bob\"]\nangular = 1 #!\n";
    }

    #[test]
    fn joint_that_could_not_be_read_is_reported_once() {
        let text = with(
            "[[joint]]\nname = \"new\"\nkind = \"hing\" #!\nbodies = [\"block\", \"wheel\"]\nat = [0, 0, 0]\n\
             [[force]]\nname = \"spring\"\nkind = \"joint_spring\"\njoint = \"new\"\nstiffness = 1\n",
        );
        check(&text, "joint[new].kind", &["there is no kind \"hing\""]);
    }
}

mod contact {
    use super::*;
    refused! { with:
        friction_is_given_once: "contact_default.friction_axes", ["`friction` and `friction_axes` are alternatives"],
            "[contact_default]\nfriction = 0.3\nfriction_axes = [0.3, 0.6] #!\nfriction_axis = [1, 0, 0]\n";
        friction_axes_need_a_direction: "contact_default.friction_axis", ["needs `friction_axis`"],
            "[contact_default] #!\nfriction_axes = [0.3, 0.6]\n";
        direction_needs_friction_axes: "contact_default.friction_axis", ["no effect without `friction_axes`"],
            "[contact_default]\nfriction = 0.3\nfriction_axis = [1, 0, 0] #!\n";
        friction_axes_are_two: "contact_default.friction_axes", ["expected two coefficients, found a list of 3"],
            "[contact_default]\nfriction_axes = [0.3, 0.6, 0.1] #!\nfriction_axis = [1, 0, 0]\n";
        direction_has_a_length: "contact_default.friction_axis", ["no length"],
            "[contact_default]\nfriction_axes = [0.3, 0.6]\nfriction_axis = [0, 0, 0] #!\n";
        static_friction_is_not_below_kinetic: "contact_default.static_friction", ["static_friction 0.2 is below friction 0.3"],
            "[contact_default]\nfriction = 0.3\nstatic_friction = 0.2 #!\n";
        stribeck_velocity_needs_static_friction: "contact_default.stribeck_velocity", ["no effect without `static_friction`"],
            "[contact_default]\nfriction = 0.3\nstribeck_velocity = 0.01 #!\n";
        stribeck_velocity_is_positive: "contact_default.stribeck_velocity", ["above zero"],
            "[contact_default]\nfriction = 0.3\nstatic_friction = 0.5\nstribeck_velocity = -1 #!\n";
        static_friction_has_no_axes: "contact_default.static_friction", ["the same in all directions"],
            "[contact_default]\nfriction_axes = [0.3, 0.6]\nfriction_axis = [1, 0, 0]\nstatic_friction = 0.7 #!\n";
        rolling_friction_is_not_negative: "contact_default.rolling_friction", ["zero or more"],
            "[contact_default]\nrolling_friction = -1 #!\n";
        torsional_friction_is_misspelt: "contact_default.torsion_friction", ["did you mean `torsional_friction`?"],
            "[contact_default]\ntorsion_friction = 1 #!\n";
        rule_says_for_which_pair: "contact.materials", ["`materials`, `groups` or `bodies` is missing"],
            "[[contact]] #!\nfriction = 1\n";
        rule_is_for_one_kind_of_pair: "contact.groups", ["to `bodies` or to `groups`, not both"],
            "[[contact]]\ngroups = [\"parts\", \"ground\"] #!\nbodies = [\"block\", \"wheel\"]\n";
        unknown_group_names_the_nearest: "contact.groups", ["no body has the group \"part\"", "did you mean \"parts\"?"],
            "[[contact]]\ngroups = [\"part\", \"ground\"] #!\n";
        ground_does_not_touch_itself: "contact.groups", ["no contact with itself"],
            "[[contact]]\ngroups = [\"ground\", \"ground\"] #!\n";
        unknown_material_lists_all: "contact.materials", ["\"rubber\", \"steel\""],
            "[[contact]]\nmaterials = [\"wood\", \"steel\"] #!\n";
    }
}

#[test]
fn many_errors_at_once_are_all_found() {
    let text = r#"
dimension = 3
gravity = [0, -9.81]

[settings]
friction_cone = "polyhedral"
friction_directions = 5

[[body]]
name = "block"
kind = "rigid"
mass = 1
position = [0, 1]
angle = 0.5

[[body.shape]]
kind = "circle"
radius = 0.1

[[joint]]
name = "hinge"
kind = "revolute"
bodies = ["ground", "blok"]
at = [0, 0]

[[force]]
name = "push"
kind = "applied"
body = "block"
torque = 2

[contact_default]
friction_axes = [0.1, 0.2]
"#;
    let error = problems(text);
    let found: Vec<(usize, &str)> = error
        .problems
        .iter()
        .map(|(line, _, p)| (*line, p.key.as_str()))
        .collect();
    let expected = [
        (3, "gravity"),
        (7, "settings.friction_directions"),
        (13, "body[block].position"),
        (14, "body[block].angle"),
        (17, "body[block].shape.kind"),
        (20, "joint[hinge].axis"),
        (23, "joint[hinge].bodies"),
        (24, "joint[hinge].at"),
        (30, "force[push].torque"),
        (32, "contact_default.friction_axis"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_not_said_has_its_default() {
    let (scene, space) = read(&with(""));
    assert_eq!((scene.name.as_str(), scene.until), ("scene", 10.0));
    assert_eq!(scene.settings, Settings::default());
    assert_eq!(scene.settings.friction_cone, FrictionCone::Exact);
    assert_eq!(space.gravity, [0.0, 0.0, -9.81]);
    let block = &space.bodies[0];
    assert_eq!(block.orientation, [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(
        (block.velocity, block.angular_velocity),
        ([0.0; 3], [0.0; 3])
    );
    assert_eq!(block.angular_velocity_frame, Frame::World);
    assert_eq!(
        block.inertia,
        Some([[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.25]])
    );
    assert_eq!(space.bodies[1].inertia, None);
    assert_eq!(space.bodies[2].kind, BodyKind::Point);
    assert_eq!(
        (
            block.shapes[0].name.as_str(),
            space.bodies[1].shapes[0].name.as_str(),
            space.ground[0].name.as_str()
        ),
        ("sphere1", "cylinder1", "floor")
    );
    let friction = Friction {
        sliding: Sliding::Isotropic(0.0),
        static_friction: None,
        stribeck_velocity: None,
        torsional_friction: 0.0,
        rolling_friction: 0.0,
    };
    assert_eq!(space.contact_default.friction, friction);
    assert!(space.contact_default.enabled);
    let contacts: Vec<bool> = space.joints.iter().map(|j| j.contact).collect();
    assert_eq!(contacts, [false, false, true]);
}

#[test]
fn every_way_to_turn_a_body_is_read() {
    let turned = |keys: &str| {
        let (_, space) = read(&body(&format!("mass = 1\ninertia = [1, 1, 1]\n{keys}\n")));
        space.bodies[3].orientation
    };
    let half = std::f64::consts::FRAC_1_SQRT_2;
    for keys in [
        "orientation = [0.70711, 0, 0, 0.70711]",
        "orientation = [0.7071067811865476, 0, 0, 0.7071067811865476]",
        "rotation_vector = [0, 0, 1.5707963267948966]",
        "euler = [0, 0, 1.5707963267948966]",
    ] {
        let q = turned(keys);
        for (x, expected) in q.into_iter().zip([half, 0.0, 0.0, half]) {
            assert!((x - expected).abs() < 1e-15, "{keys} {q:?}");
        }
    }
}

#[test]
fn every_kind_of_mass_and_inertia_is_read() {
    let keys = "density = 7800\nangular_velocity = [1, 2, 3]\nangular_velocity_frame = \"body\"\nshape = [{ kind = \"sphere\", radius = 0.1 }]\n";
    let (_, space) = read(&body(keys));
    let cart = &space.bodies[3];
    assert_eq!(
        (cart.mass, cart.inertia, cart.angular_velocity_frame),
        (Mass::Density(7800.0), None, Frame::Body)
    );
    let (_, space) = read(&body(
        "mass = 2\ninertia = [[2, -0.1, 0], [-0.1, 2, 0.3], [0, 0.3, 1]]\n",
    ));
    let cart = &space.bodies[3];
    assert_eq!(cart.mass, Mass::Given(2.0));
    assert_eq!(
        cart.inertia,
        Some([[2.0, -0.1, 0.0], [-0.1, 2.0, 0.3], [0.0, 0.3, 1.0]])
    );
    // A flat plate is at the edge of what bodies can have.
    read(&body("mass = 1\ninertia = [0.1, 0.2, 0.3]\n"));
}

#[test]
fn every_kind_of_shape_is_read() {
    let (_, space) = read(&shape(
        r#"
kind = "point"
position = [0, 0, 1]
[[body.shape]]
kind = "capsule"
from = [-1, 0, 0]
to = [1, 0, 0]
radius = 0.1
[[body.shape]]
kind = "box"
size = [1, 2, 3]
rotation_vector = [0, 0, 0]
[[body.shape]]
kind = "cylinder"
radius = 1
height = 2
[[body.shape]]
kind = "polyhedron"
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
[[ground.shape]]
kind = "height_field"
origin = [-1, -2]
cell = [0.5, 0.25]
heights = [[0, 0.1, 0], [0, 0.2, 0]]
"#,
    ));
    let shapes = &space.bodies[3].shapes;
    assert_eq!(shapes.len(), 5);
    assert_eq!(
        shapes[2].geometry,
        Geometry::Box {
            position: [0.0; 3],
            orientation: [1.0, 0.0, 0.0, 0.0],
            size: [1.0, 2.0, 3.0]
        }
    );
    assert_eq!(
        shapes[3].geometry,
        Geometry::Cylinder {
            position: [0.0; 3],
            axis: [0.0, 0.0, 1.0],
            radius: 1.0,
            height: 2.0
        }
    );
    let Geometry::Polyhedron { vertices, file } = &shapes[4].geometry else {
        panic!("a polyhedron")
    };
    assert_eq!((vertices.len(), file), (4, &None));
    assert_eq!(
        space.ground[1].geometry,
        Geometry::HeightField {
            origin: [-1.0, -2.0],
            cell: [0.5, 0.25],
            heights: vec![vec![0.0, 0.1, 0.0], vec![0.0, 0.2, 0.0]]
        }
    );
    assert_eq!(space.ground[1].name, "height_field1");
}

#[test]
fn every_kind_of_joint_is_read() {
    let joint = |i: usize, keys: &str| {
        format!("[[joint]]\nname = \"j{i}\"\nbodies = [\"block\", \"wheel\"]\n{keys}\n")
    };
    let kinds = [
        "kind = \"spherical\"\nat = [1, 0, 1]",
        "kind = \"revolute\"\nat = [1, 0, 1]\naxes = [[0, 0, 1], [0, 0, 2]]\nlimits = [-inf, 1]\nmotor = { kind = \"torque\", value = { kind = \"input\", start = 2 } }",
        "kind = \"prismatic\"\nanchors = [[1, 0, 0], [-1, 0, 0]]\naxis = [1, 0, 0]\nmotor = { kind = \"force\", value = 3 }",
        "kind = \"cylindrical\"\nat = [1, 0, 1]\naxis = [1, 0, 0]\nlimits = [-1, 1]\nangle_limits = [-2, 2]\nlimit_restitution = 0.5\nmotor = { kind = \"speed\", coordinate = \"angle\", value = { kind = \"harmonic\", amplitude = 1, omega = 2 } }",
        "kind = \"universal\"\nat = [1, 0, 1]\naxis = [1, 0, 0]\nsecond_axis = [0, 2, 0]",
        "kind = \"universal\"\nat = [1, 0, 1]\naxes = [[1, 0, 0], [0, 1, 0]]",
        "kind = \"planar\"\nat = [1, 0, 1]\naxis = [0, 0, 1]\ncontact = true",
        "kind = \"fixed\"",
        "kind = \"distance\"\nanchors = [[0, 0, 0], [0, 0, 0]]\nlength = 2",
    ];
    let text: String = kinds
        .iter()
        .enumerate()
        .map(|(i, keys)| joint(i, keys))
        .collect();
    let (_, space) = read(&with(&text));
    let joints = &space.joints[3..];
    assert_eq!(joints[0].anchors, Anchors::World([1.0, 0.0, 1.0]));
    let (Axes::Local(axes), Some(limits)) = (joints[1].axes, joints[1].limits[0]) else {
        panic!("revolute")
    };
    assert_eq!(
        (axes[1], limits.lower),
        ([0.0, 0.0, 2.0], f64::NEG_INFINITY)
    );
    assert_eq!(
        joints[1].motor,
        Some(Motor {
            kind: MotorKind::Effort,
            coordinate: 0,
            value: Signal::Input { start: 2.0 },
            servo: None,
            limit: None,
        })
    );
    assert_eq!(
        joints[2].motor,
        Some(Motor {
            kind: MotorKind::Effort,
            coordinate: 0,
            value: Signal::Constant(3.0),
            servo: None,
            limit: None,
        })
    );
    let [Some(limits), Some(angles)] = joints[3].limits[..] else {
        panic!("cylindrical")
    };
    assert_eq!(
        (limits.upper, angles.upper, angles.restitution),
        (1.0, 2.0, 0.5)
    );
    assert_eq!(
        joints[4].axes,
        Axes::World([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    );
    assert_eq!(
        joints[7].anchors,
        Anchors::World([2.0, 0.0, 1.0]),
        "at the second body"
    );
    assert!(joints[6].contact && joints[8].contact && !joints[7].contact);
}

#[test]
fn every_kind_of_force_is_read() {
    let (_, space) = read(&with(
        r#"
[[force]]
name = "spring"
kind = "spring_damper"
bodies = ["block", "bob"]
anchors = [[0.1, 0, 0], [0, 0, 0]]
stiffness = 10
damping = 1
[[force]]
name = "torsion"
kind = "joint_spring"
joint = "hinge"
stiffness = 3
rest = 0.1
[[force]]
name = "buffer"
kind = "joint_spring"
joint = "shaft"
coordinate = "displacement"
damping = 3
[[force]]
name = "push"
kind = "applied"
body = "block"
point = [0.1, 0, 0]
frame = "body"
force = [{ kind = "input" }, 2, 0]
torque = [0, 0, { kind = "harmonic", amplitude = 1, frequency = 2 }]
[[force]]
name = "oil"
kind = "viscous"
bodies = ["wheel"]
linear = 0.5
angular = 0.1
[[force]]
name = "bearing"
kind = "stribeck"
joint = "shaft"
coordinate = "angle"
static_friction = 1.5
kinetic_friction = 1
stribeck_rate = 0.1
transition_rate = 1e-3
"#,
    ));
    assert_eq!(space.forces.len(), 6);
    let spring = |i: usize| {
        let force = &space.forces[i];
        let Target::Joint { coordinate, .. } = force.on else {
            panic!("a joint spring")
        };
        (coordinate, force.parameters[2])
    };
    assert_eq!((spring(1), spring(2)), ((0, Some(0.1)), (0, None)));
    let Target::Body { force, frame, .. } = &space.forces[3].on else {
        panic!("an applied force")
    };
    assert_eq!(
        (&force[0], *frame),
        (&Signal::Input { start: 0.0 }, Frame::Body)
    );
    let Target::Bodies(bodies) = &space.forces[4].on else {
        panic!("viscous")
    };
    assert_eq!(bodies[1].text, "ground");
    let Target::Joint { coordinate, .. } = space.forces[5].on else {
        panic!("friction")
    };
    assert_eq!(coordinate, 1, "displacement, then angle");
}

#[test]
fn contact_rule_takes_what_it_does_not_say_from_the_default() {
    let (scene, space) = read(&with(
        r#"
[settings]
friction_cone = "polyhedral"
friction_directions = 16
[contact_default]
friction = 0.3
static_friction = 0.4
stribeck_velocity = 0.05
rolling_friction = 1e-3
restitution = 0.5
[[contact]]
groups = ["parts", "ground"]
torsional_friction = 2e-3
[[contact]]
materials = ["steel", "rubber"]
friction = 0.6
[[contact]]
bodies = ["block", "wheel"]
friction_axes = [0.2, 0.8]
friction_axis = [1, 0, 0]
enabled = false
"#,
    ));
    assert_eq!(
        scene.settings.friction_cone,
        FrictionCone::Polyhedral {
            directions: 16,
            turn: true
        }
    );
    let [groups, materials, bodies] = &space.contact_rules[..] else {
        panic!("three rules")
    };
    assert!(
        matches!(&groups.pair, ContactPair::Groups([a, b]) if a.text == "parts" && b.text == "ground")
    );
    let friction = groups.material.friction;
    assert_eq!(
        (friction.sliding, friction.static_friction),
        (Sliding::Isotropic(0.3), Some(0.4))
    );
    assert_eq!(friction.stribeck_velocity, Some(0.05));
    assert_eq!(
        (friction.torsional_friction, friction.rolling_friction),
        (2e-3, 1e-3)
    );
    // A kinetic coefficient of its own leaves the static one of the default behind.
    let friction = materials.material.friction;
    assert_eq!(
        (friction.sliding, friction.static_friction),
        (Sliding::Isotropic(0.6), None)
    );
    assert_eq!(friction.stribeck_velocity, None);
    assert_eq!(
        bodies.material.friction.sliding,
        Sliding::Elliptic {
            coefficients: [0.2, 0.8],
            axis: [1.0, 0.0, 0.0]
        }
    );
    assert!(!bodies.material.enabled);
    assert_eq!(bodies.material.restitution, 0.5);
}

mod file {
    use super::*;

    const OBJ: &str = "v 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 2 3\n";

    fn scene(keys: &str) -> String {
        shape(&format!("kind = \"polyhedron\"\n{keys}"))
    }

    #[test]
    fn corners_come_from_a_file_in_the_folder_of_the_scene() {
        let folder = crate::common::command::scratch("scene_space");
        std::fs::create_dir_all(folder.join("parts")).expect("a folder");
        std::fs::write(folder.join("parts/corner.obj"), OBJ).expect("a file");
        let text = scene("file = \"parts/corner.obj\"\nscale = 0.001\n");
        std::fs::write(folder.join("scene.toml"), &text).expect("a file");
        for scene in [
            load(&folder.join("scene.toml")).map(|(scene, _)| scene),
            parse_in(&folder, "scene.toml", &text),
        ] {
            let scene = scene.unwrap_or_else(|error| panic!("{error}"));
            let space = scene.space().expect("space");
            assert_eq!(space.files(), ["parts/corner.obj"]);
            let Geometry::Polyhedron { vertices, .. } = &space.bodies[3].shapes[0].geometry else {
                panic!("a polyhedron")
            };
            assert_eq!(vertices[1], [1.0, 0.0, 0.0]);
            assert_eq!(vertices.len(), 4);
        }
    }

    #[test]
    fn file_that_is_not_there_is_reported() {
        let text = scene("file = \"no.stl\"\n");
        let error = parse_in(Path::new("no/such"), "scene.toml", &text).expect_err("no file");
        println!("{error}");
        let told = error.to_string();
        assert!(told.contains("body[cart].shape.file") && told.contains("cannot be read"));
        assert!(told.contains("hint: check the path"));
    }

    #[test]
    fn damaged_file_is_reported_with_its_fault() {
        for (name, bytes, fault) in [
            ("a.stl", &b"solid x\nvertex 0 0 0\n"[..], "ends before"),
            ("a.stl", b"nothing", "too few for an STL"),
            ("a.obj", b"v 1 2\n", "line 1 does not have three numbers"),
            ("a.obj", b"v 1 2 nan\n", "not finite"),
            ("a.OBJ", b"# empty\n", "no corners"),
            (
                "a.obj",
                b"v 0 0 0\nv 1 0 0\nv 0 1 0\n",
                "at least four corners",
            ),
            (
                "a.obj",
                b"v 0 0 0\nv 1e300 0 0\nv 0 1e300 0\nv 0 0 1e300\n",
                "too far away",
            ),
        ] {
            let text = scene(&format!("file = \"{name}\" #!\n"));
            let error = parse_with("s.toml", &text, &|_| Ok(bytes.to_vec())).expect_err("a fault");
            println!("{error}");
            assert_eq!(error.problems.len(), 1);
            assert_eq!(error.problems[0].2.key, "body[cart].shape.file");
            assert!(error.problems[0].2.message.contains(fault), "{fault}");
        }
    }
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
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "=",
        "\"",
        "\n",
        ",",
        "nan",
        "-inf",
        "1e999",
        "1e308",
        "1e-320",
        "0",
        "[[body]]",
        "[]",
        "{}",
        "[0, 0]",
        "[0, 0, 0, 0]",
        "[[]]",
        "é",
        "true",
    ];
    let text = format!("dimension = 3\n{}", snippets().replace("dimension = 3", ""));
    let (mut n_read, mut n_refused) = (0, 0);
    let mut check = |text: &str| {
        *(if is_read(text) {
            &mut n_read
        } else {
            &mut n_refused
        }) += 1
    };
    for end in (0..text.len())
        .step_by(5)
        .filter(|i| text.is_char_boundary(*i))
    {
        check(&text[..end]);
    }
    for _ in 0..2000 {
        check(&mangled(&text, &pieces, 3, &mut random));
    }
    println!("{n_read} read, {n_refused} refused");
    assert!(n_read > 50 && n_refused > 1000);
}

/// The part of the page that is on space.
fn documentation() -> String {
    let page = crate::common::read("docs/SCENE.md");
    let at = page.find("## In space").expect("a part on space");
    page[at..].to_owned()
}

/// Its snippets, one after the other. The scene of the plane has snippets of its own, so these are marked.
fn snippets() -> String {
    let page = documentation();
    let snippets: Vec<&str> = page
        .split("```toml space\n")
        .skip(1)
        .map(|part| part.split("```").next().expect("a snippet"))
        .collect();
    snippets.join("\n")
}

#[test]
fn snippets_of_the_documentation_make_a_scene() {
    let (_, space) = read(&snippets());
    println!(
        "{} bodies, {} joints, {} forces, {} rules",
        space.bodies.len(),
        space.joints.len(),
        space.forces.len(),
        space.contact_rules.len()
    );
    assert!(space.bodies.len() > 3 && space.joints.len() > 3 && space.forces.len() > 3);
}

#[test]
fn what_is_read_can_be_built() {
    let (scene, space) = read(&with(""));
    let model = stiction::model::build(&scene).expect("a model");
    let built: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    let written: Vec<&str> = space.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(built, written);
    assert_eq!(model.joints.len(), space.joints.len());
}
