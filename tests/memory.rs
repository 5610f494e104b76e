//! Memory of a model: what is computed in advance is enough, and not far more than enough.

#![allow(unsafe_code)] // an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction::Model;
use stiction::fmu::instance::Instance;

struct Counting;
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Large blocks of bytes are those that are tried, and given back.
fn counted(layout: &Layout) -> usize {
    let is_trial = layout.align() == 1 && layout.size() > 1_000_000;
    if is_trial { 0 } else { layout.size() }
}

// SAFETY: it is the system's allocator, which is counted
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = counted(&layout);
        let now = NOW.fetch_add(size, Ordering::SeqCst) + size;
        PEAK.fetch_max(now, Ordering::SeqCst);
        // SAFETY: as the caller promises
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(counted(&layout), Ordering::SeqCst);
        // SAFETY: as the caller promises
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

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
    let before = NOW.load(Ordering::SeqCst);
    PEAK.store(before, Ordering::SeqCst);
    let mut instance = Instance::new("x", "x", text).unwrap();
    instance.setup_experiment(None, 0.0, None).unwrap();
    instance.enter_initialization().unwrap();
    instance.exit_initialization().unwrap();
    instance.do_step(0.0, 0.01).unwrap();
    instance.reset().unwrap();
    (PEAK.load(Ordering::SeqCst) - before) as u64
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
            "crowd".to_owned(),
            in_space(300, shapes[2]).replace(
                "dimension = 3",
                "dimension = 3\n[settings]\nintegrator = \"time_stepping\"",
            ),
        ),
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("resources");
    for name in [
        "box_stack",
        "gripper",
        "rover",
        "pile_of_balls",
        "chain",
        "two_carts",
    ] {
        let path = folder.join(name).join("scene.toml");
        scenes.push((name.to_owned(), fs::read_to_string(path).unwrap()));
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
