//! Memory of a model: what is computed in advance is enough, and not far more than enough.

use crate::common::{allocator, scene_text};
use stiction::Model;
use stiction::fmu::instance::Instance;

fn bodies(n: usize, shape: &str) -> String {
    let body = |i: usize| {
        let x = 3 * i;
        format!(
            "[[body]]\nname = \"b{i}\"\nkind = \"rigid\"\nmass = 1.0\ninertia = 1.0\nposition = [{x}.0, 0.0]\n{shape}\n"
        )
    };
    (0..n).map(body).collect()
}

fn in_space(n: usize, shape: &str) -> String {
    let text = bodies(n, shape).replace("inertia = 1.0", "inertia = [1.0, 1.0, 1.0]");
    format!(
        "dimension = 3\n{}",
        text.replace(".0, 0.0]", ".0, 0.0, 0.0]")
    )
}

fn chain(n: usize) -> String {
    let joint = |i: usize| {
        let next = i + 1;
        format!(
            "[[joint]]\nname = \"j{i}\"\nkind = \"revolute\"\nbodies = [\"b{i}\", \"b{next}\"]\nanchors = [[1.5, 0.0], [-1.5, 0.0]]\n"
        )
    };
    bodies(n, "") + &(0..n - 1).map(joint).collect::<String>()
}

/// What an instance takes at most, from its text through a first step and a reset, bytes.
fn peak(text: &str) -> u64 {
    allocator::peak(|| {
        let mut instance = Instance::new("x", "x", text).unwrap();
        instance.setup_experiment(None, 0.0, None).unwrap();
        instance.enter_initialization().unwrap();
        instance.exit_initialization().unwrap();
        instance.do_step(0.0, 0.01).unwrap();
        instance.reset().unwrap();
    })
}

#[test]
fn what_is_computed_is_enough_and_not_far_more() {
    let shapes = [
        "shape = [{ kind = \"circle\", radius = 1.0 }]",
        "shape = [{ kind = \"box\", size = [1.0, 1.0] }]",
        "shape = [{ kind = \"sphere\", radius = 1.0 }]",
        "shape = [{ kind = \"box\", size = [1.0, 1.0, 1.0] }]",
    ];
    let mut scenes = vec![
        ("free".to_owned(), bodies(100, "")),
        ("chain".to_owned(), chain(60)),
        ("circles".to_owned(), bodies(120, shapes[0])),
        ("boxes".to_owned(), bodies(60, shapes[1])),
        ("spheres".to_owned(), in_space(60, shapes[2])),
        ("boxes in space".to_owned(), in_space(12, shapes[3])),
        (
            "time stepping".to_owned(),
            in_space(300, shapes[2]).replace(
                "dimension = 3",
                "dimension = 3\n[settings]\nintegrator = \"time_stepping\"",
            ),
        ),
    ];
    for name in [
        "box_stack",
        "gripper",
        "rover",
        "pile_of_balls",
        "chain",
        "two_carts",
    ] {
        scenes.push((name.to_owned(), scene_text(name)));
    }
    let mut wrong = Vec::new();
    for (name, text) in scenes {
        let model = Model::from_text(&name, &text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (computed, peak) = (model.bytes(), peak(&text));
        let told = format!(
            "{name}: {} velocities, {} rows of joints, {} contacts: {computed} bytes for {peak}",
            model.n_velocities,
            model.n_joint_rows,
            model.contacts.len()
        );
        println!("{told}");
        if peak > computed || computed > 8 * peak + 8_000_000 {
            wrong.push(told);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
