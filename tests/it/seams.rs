//! Where shapes of one body meet flush, nothing collides with what is inside: boxes and what is round over tiles, on moving plates, made of
//! several shapes themselves; and what is a real step, wall or pit stays one.

use crate::common::{defect, model};
use stiction::integrate::EventKind;
use stiction::simulation::Simulation;

const G: f64 = 9.81;

/// How a scene is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Steps,
    Tolerance,
    TimeStepping,
}

const EVENT_DRIVEN: [By; 2] = [By::Steps, By::Tolerance];
const ALL: [By; 3] = [By::Steps, By::Tolerance, By::TimeStepping];

/// A scene in the making: boxes of the plane are boxes of space that are one metre wide.
#[derive(Clone, Debug)]
struct Scene {
    dimension: usize,
    bodies: String,
    ground: String,
    friction: f64,
    restitution: f64,
}

fn scene(dimension: usize) -> Scene {
    Scene {
        dimension,
        bodies: String::new(),
        ground: String::new(),
        friction: 0.0,
        restitution: 0.0,
    }
}

// a rotation about the axis of y, downwards, as the orientation of a shape
fn turned(dimension: usize, angle: f64) -> String {
    if dimension == 2 {
        format!("angle = {}", -angle)
    } else {
        let (sin, cos) = (0.5 * angle).sin_cos();
        format!("orientation = [{cos}, 0, {sin}, 0]")
    }
}

fn about_z(angle: f64) -> String {
    let (sin, cos) = (0.5 * angle).sin_cos();
    format!("orientation = [{cos}, 0, 0, {sin}]")
}

fn cuboid(size: [f64; 3], position: [f64; 3], more: &str) -> String {
    format!("kind = \"box\"\nsize = {size:?}\nposition = {position:?}\n{more}\n")
}

impl Scene {
    fn point(&self, x: f64, y: f64) -> String {
        if self.dimension == 2 {
            format!("[{x}, {y}]")
        } else {
            format!("[{x}, 0, {y}]")
        }
    }

    fn rectangle(&self, size: [f64; 2], position: [f64; 2], more: &str) -> String {
        let [width, height] = size;
        let size = if self.dimension == 2 {
            format!("[{width}, {height}]")
        } else {
            let across = if width < 0.3 { 0.1 } else { 1.0 };
            format!("[{width}, {across}, {height}]")
        };
        let position = self.point(position[0], position[1]);
        format!("kind = \"box\"\nsize = {size}\nposition = {position}\n{more}\n")
    }

    fn tile(mut self, shape: &str) -> Self {
        self.ground += &format!("[[ground.shape]]\n{shape}");
        self
    }

    fn tiles(mut self, size: [f64; 2], n: usize) -> Self {
        for i in 0..n {
            let at = [size[0] * i as f64, -0.5 * size[1]];
            let tile = self.rectangle(size, at, "");
            self = self.tile(&tile);
        }
        self
    }

    fn body(mut self, head: &str, shapes: &[String]) -> Self {
        let n = self.bodies.matches("[[body]]").count();
        let name = ["a", "b"][n];
        self.bodies +=
            &format!("[[body]]\nname = \"{name}\"\nkind = \"rigid\"\nmass = 1\n{head}\n");
        for shape in shapes {
            self.bodies += &format!("[[body.shape]]\n{shape}");
        }
        self
    }

    /// A box of 0.2 m by 0.1 m with its lower face at a height of zero.
    fn sliding_box(self, x: f64, speed: f64) -> Self {
        let head = format!(
            "position = {}\nvelocity = {}",
            self.point(x, 0.05),
            self.point(speed, 0.0)
        );
        let shape = self.rectangle([0.2, 0.1], [0.0, 0.0], "");
        self.body(&head, &[shape])
    }

    fn run(&self, by: By, until: f64, mut look: impl FnMut(f64, &Simulation)) -> Simulation {
        let (time_stepping, tolerance) = match by {
            By::Steps => ("", ""),
            By::Tolerance => ("", "tolerance = 1e-8\n"),
            By::TimeStepping => ("integrator = \"time_stepping\"\n", ""),
        };
        let text = format!(
            "name = \"seams\"\ndimension = {}\n[settings]\n{time_stepping}step = 0.005\n{tolerance}{}{}[contact_default]\nfriction = {}\nrestitution = {}\n",
            self.dimension, self.bodies, self.ground, self.friction, self.restitution
        );
        let mut simulation = Simulation::new(model(&text));
        let n = (until / 0.05).round() as usize;
        for i in 1..=n {
            let time = until * i as f64 / n as f64;
            if let Err(error) = simulation.advance_to(time) {
                panic!("{error}\n{text}");
            }
            look(time, &simulation);
        }
        simulation
    }

    /// Nothing happens to the first body but that it goes on at this speed.
    fn keeps_its_speed(&self, name: &str, by: By, speed: f64) {
        let mut worst: f64 = 0.0;
        let simulation = self.run(by, 2.0, |_, simulation| {
            worst = worst.max((simulation.state().velocity[0] - speed).abs());
        });
        let from = simulation.model().initial_position[0];
        let off = (simulation.state().position[0] - from - 2.0 * speed).abs();
        let events = &simulation.report().events;
        println!(
            "{name} {by:?}: speed off by {worst:.1e}, place by {off:.1e}, {} events",
            events.len()
        );
        assert!(
            worst < 1e-9 && off < 1e-9,
            "{name} {by:?}: {worst:e} {off:e}"
        );
        assert!(events.is_empty(), "{name} {by:?}: {events:?}");
    }
}

fn impacts(simulation: &Simulation) -> usize {
    let events = simulation.report().events.iter();
    events.filter(|e| e.kind == EventKind::Impact).count()
}

#[test]
fn the_scenes_that_turned_back_go_on() {
    for name in [
        "s20_seam2d_box",
        "s20_seam3d_box",
        "s20_seam3d_box_time_stepping",
    ] {
        let mut simulation = Simulation::new(defect(name));
        simulation.advance_to(2.0).unwrap();
        let (x, v) = (
            simulation.state().position[0],
            simulation.state().velocity[0],
        );
        assert!(
            (x - 2.0).abs() < 1e-9 && (v - 1.0).abs() < 1e-9,
            "{name}: {x} {v}"
        );
        assert_eq!(simulation.report().events.len(), 0, "{name}");
    }
}

#[test]
fn a_box_keeps_its_speed_over_seams_in_plane_and_space() {
    for dimension in [2, 3] {
        let scene = || scene(dimension);
        let depths = [0.2, 0.4, 0.1, 0.05, 0.3, 0.2];
        let mut uneven = scene().sliding_box(0.0, 1.0);
        let mut overlapping = uneven.clone();
        for (i, depth) in depths.into_iter().enumerate() {
            let (x, flat) = (0.5 * i as f64, scene());
            uneven = uneven.tile(&flat.rectangle([0.5, depth], [x, -0.5 * depth], ""));
            overlapping = overlapping.tile(&flat.rectangle([0.6, 0.2], [x, -0.1], ""));
        }
        let halves = [-0.05, 0.05].map(|x| scene().rectangle([0.1, 0.1], [x, 0.0], ""));
        let start = format!(
            "position = {}\nvelocity = {}",
            scene().point(0.0, 0.05),
            scene().point(1.0, 0.0)
        );
        let two = || scene().body(&start, &halves);
        let arrangements = [
            ("flush", scene().sliding_box(0.0, 1.0).tiles([0.5, 0.2], 6)),
            ("overlapping", overlapping),
            ("of different depth", uneven),
            (
                "pitch of 10 cm",
                scene().sliding_box(0.1, 1.0).tiles([0.1, 0.2], 24),
            ),
            (
                "corner on a seam",
                scene().sliding_box(0.15, 1.0).tiles([0.5, 0.2], 6),
            ),
            ("two shapes over seams", two().tiles([0.5, 0.2], 6)),
            ("two shapes on one tile", two().tiles([6.0, 0.2], 1)),
        ];
        for (name, arrangement) in arrangements {
            for by in ALL {
                if dimension == 3 || by != By::TimeStepping {
                    arrangement.keeps_its_speed(&format!("{name}, {dimension}d"), by, 1.0);
                }
            }
        }
        let at_rest = scene().sliding_box(0.15, 0.0).tiles([0.5, 0.2], 2);
        for by in EVENT_DRIVEN {
            at_rest.keeps_its_speed("at rest on a seam", by, 0.0);
        }
    }
}

#[test]
fn polygons_polyhedra_and_what_is_round_pass_seams() {
    let mut wedges = scene(2).sliding_box(0.0, 1.0);
    for i in 0..6 {
        let (x, slant) = (0.5 * f64::from(i), 0.05 * f64::from(i % 3));
        wedges = wedges.tile(&format!(
            "kind = \"polygon\"\nvertices = [[{}, -0.2], [{}, -0.25], [{}, 0], [{}, 0]]\n",
            x - 0.3 + slant,
            x + 0.2 + slant,
            x + 0.25,
            x - 0.25
        ));
    }
    let mut prisms = scene(3).sliding_box(0.0, 1.0);
    for i in -1..6 {
        let x = 0.5 * f64::from(i);
        for y in [[-0.5, -0.5, 0.5], [-0.5, 0.5, 0.5]] {
            let xs = [
                x - 0.25,
                x + 0.25,
                if y[1] < 0.0 { x + 0.25 } else { x - 0.25 },
            ];
            let corners: Vec<[f64; 3]> = (0..6)
                .map(|k| [xs[k / 2], y[k / 2], -0.2 * (k % 2) as f64])
                .collect();
            prisms = prisms.tile(&format!("kind = \"polyhedron\"\nvertices = {corners:?}\n"));
        }
    }
    let disc = "kind = \"circle\"\nradius = 0.05\n".to_owned();
    let bar = "kind = \"capsule\"\nradius = 0.05\nfrom = [-0.1, 0]\nto = [0.1, 0]\n".to_owned();
    let ball = "kind = \"sphere\"\nradius = 0.05\n".to_owned();
    let rod = "kind = \"capsule\"\nradius = 0.05\nfrom = [-0.1, 0.01, 0]\nto = [0.1, -0.01, 0]\n";
    let flat = "position = [0, 0.05]\nvelocity = [1, 0]";
    let deep = "position = [0, 0, 0.05]\nvelocity = [1, 0, 0]";
    let rolling = |head: &str, spin: &str| format!("{head}\nangular_velocity = {spin}");
    let rough = |scene: Scene| Scene {
        friction: 0.3,
        ..scene
    };
    let disc = rough(
        scene(2)
            .body(&rolling(flat, "-20"), &[disc])
            .tiles([0.5, 0.2], 6),
    );
    let ball = rough(
        scene(3)
            .body(&rolling(deep, "[0, 20, 0]"), &[ball])
            .tiles([0.5, 0.2], 6),
    );
    for by in EVENT_DRIVEN {
        wedges.keeps_its_speed("polygons", by, 1.0);
        disc.keeps_its_speed("disc", by, 1.0);
        scene(2)
            .body(flat, std::slice::from_ref(&bar))
            .tiles([0.5, 0.2], 6)
            .keeps_its_speed("bar", by, 1.0);
    }
    for by in ALL {
        prisms.keeps_its_speed("polyhedra", by, 1.0);
        ball.keeps_its_speed("ball", by, 1.0);
        let rods = scene(3).body(deep, &[rod.to_owned()]).tiles([0.5, 0.2], 6);
        rods.keeps_its_speed("rod", by, 1.0);
    }
}

#[test]
fn a_box_keeps_its_speed_over_tiles_in_two_directions() {
    let brick = cuboid([0.2, 0.1, 0.1], [0.0; 3], "");
    let askew = |angle: f64, across: f64| {
        let head = format!(
            "position = [0, 0, 0.05]\nvelocity = [1, {across}, 0]\n{}",
            about_z(angle)
        );
        scene(3).body(&head, std::slice::from_ref(&brick))
    };
    let mut grid = askew(0.3, 0.1);
    for i in 0..40 {
        let at = [
            0.3 * f64::from(i % 10) - 0.3,
            0.2 * f64::from(i / 10) - 0.2,
            -0.1,
        ];
        grid = grid.tile(&cuboid([0.3, 0.2, 0.2], at, ""));
    }
    let along = |y: f64| cuboid([6.0, 0.5, 0.2], [1.0, y, -0.1], "");
    let parallel = |scene: Scene| scene.tile(&along(-0.25)).tile(&along(0.25));
    let junctions = [
        cuboid([0.5, 1.0, 0.2], [0.0, 0.0, -0.1], ""),
        cuboid([0.5, 0.5, 0.2], [0.5, -0.25, -0.1], ""),
        cuboid([0.5, 0.5, 0.2], [0.5, 0.25, -0.1], ""),
        cuboid([0.5, 1.0, 0.2], [1.0, 0.0, -0.1], ""),
        cuboid([0.5, 0.3, 0.2], [1.5, -0.35, -0.1], ""),
        cuboid([0.5, 0.7, 0.2], [1.5, 0.15, -0.1], ""),
        cuboid([1.0, 1.0, 0.3], [2.25, 0.0, -0.15], ""),
    ];
    let junctions = junctions
        .iter()
        .fold(askew(0.0, 0.0), |scene, tile| scene.tile(tile));
    for by in ALL {
        askew(0.6, 0.1)
            .tiles([0.5, 0.2], 6)
            .keeps_its_speed("askew", by, 1.0);
        grid.keeps_its_speed("grid", by, 1.0);
        parallel(askew(0.0, 0.0)).keeps_its_speed("along a seam", by, 1.0);
        parallel(askew(0.6, 0.02)).keeps_its_speed("askew along a seam", by, 1.0);
        junctions.keeps_its_speed("junctions", by, 1.0);
    }
}

#[test]
fn tiles_of_a_moving_plate_pass_under_a_box() {
    // the plate is three times as far from its ends as the box gets; both slide without friction
    for dimension in [2, 3] {
        let tiles: Vec<String> = (-4..=4)
            .map(|i| scene(dimension).rectangle([0.5, 0.1], [0.5 * f64::from(i), 0.0], ""))
            .collect();
        let plate = format!(
            "position = {}\nvelocity = {}",
            scene(dimension).point(1.0, -0.05),
            scene(dimension).point(-1.0, 0.0)
        );
        let floor = scene(dimension).rectangle([12.0, 1.0], [0.0, -0.6], "");
        let scene = scene(dimension)
            .sliding_box(0.0, 0.0)
            .body(&plate, &tiles)
            .tile(&floor);
        for by in ALL {
            if dimension == 3 || by != By::TimeStepping {
                scene.keeps_its_speed(&format!("plate, {dimension}d"), by, 0.0);
            }
        }
    }
}

#[test]
fn slopes_and_friction_are_those_of_one_tile() {
    let angle = 20.0_f64.to_radians();
    let (sin, cos) = angle.sin_cos();
    for (dimension, friction) in [(2, 0.0), (2, 0.3), (3, 0.0), (3, 0.3)] {
        let flat = scene(dimension);
        let turn = turned(dimension, angle);
        let down = |x: f64, y: f64| [x * cos + y * sin, y * cos - x * sin];
        let at = down(0.0, 0.05);
        let head = format!("position = {}\n{turn}", flat.point(at[0], at[1]));
        let shape = flat.rectangle([0.2, 0.1], [0.0, 0.0], "");
        let mut slope = flat.clone().body(&head, &[shape]);
        slope.friction = friction;
        for i in 0..8 {
            slope = slope.tile(&flat.rectangle([0.5, 0.2], down(0.5 * f64::from(i), -0.1), &turn));
        }
        let vertical = dimension - 1;
        for by in ALL {
            if dimension == 2 && by == By::TimeStepping {
                continue;
            }
            let mut worst: f64 = 0.0;
            let simulation = slope.run(by, 1.3, |time, simulation| {
                let speed = G * (sin - friction * cos) * time;
                let v = &simulation.state().velocity;
                worst = worst.max((v[0] - speed * cos).abs());
                worst = worst.max((v[vertical] + speed * sin).abs());
            });
            println!("slope {dimension} {friction} {by:?}: {worst:.1e}");
            assert!(worst < 1e-9, "{dimension} {friction} {by:?}: {worst:e}");
            assert_eq!(
                simulation.report().events.len(),
                0,
                "{:?}",
                simulation.report().events
            );
        }
        let mut braked = scene(dimension).sliding_box(0.0, 2.0).tiles([0.5, 0.2], 4);
        braked.friction = friction;
        for by in EVENT_DRIVEN {
            let mut worst: f64 = 0.0;
            let simulation = braked.run(by, 0.65, |time, simulation| {
                let right = 2.0 - friction * G * time;
                worst = worst.max((simulation.state().velocity[0] - right).abs());
            });
            println!("braked {dimension} {friction} {by:?}: {worst:.1e}");
            assert!(worst < 1e-9, "{dimension} {friction} {by:?}: {worst:e}");
            assert_eq!(
                simulation.report().events.len(),
                0,
                "{:?}",
                simulation.report().events
            );
        }
    }
}

#[test]
fn real_steps_walls_and_pits_stay_what_they_are() {
    for dimension in [2, 3] {
        let flat = || scene(dimension);
        let start = || flat().sliding_box(0.0, 1.0).tiles([0.5, 0.2], 1);
        for by in ALL {
            if dimension == 2 && by == By::TimeStepping {
                continue;
            }
            // the front is at x = 0.25 at 0.15 s
            for step in [1e-3, 1e-4, 1e-5, 1e-6] {
                // a corner that is pressed against a step hops by as much in time stepping
                if by == By::TimeStepping && step < 1e-5 {
                    continue;
                }
                let up = start().tile(&flat().rectangle([0.5, 0.2], [0.5, step - 0.1], ""));
                let simulation = up.run(by, 0.3, |_, _| {});
                let x = simulation.state().position[0];
                assert!(x < 0.1501, "step of {step}, {dimension}d, {by:?}: {x}");
            }
            let wall = start()
                .tile(&flat().rectangle([0.5, 0.2], [0.5, -0.1], ""))
                .tile(&flat().rectangle([0.31, 0.5], [0.555, 0.25], ""));
            let simulation = wall.run(by, 0.5, |_, _| {});
            let x = simulation.state().position[0];
            assert!((x - 0.3).abs() < 2e-4, "wall, {dimension}d, {by:?}: {x}");
            // the box is half over the edge at 0.25 s, and tips from there on
            let pit = start().tile(&flat().rectangle([0.5, 0.2], [1.0, -0.1], ""));
            let simulation = pit.run(by, 0.6, |_, _| {});
            let height = simulation.state().position[dimension - 1];
            assert!(height < 0.045, "pit, {dimension}d, {by:?}: {height}");
            // down by 1 mm: it tips when its middle is over the edge
            let down = start().tile(&flat().rectangle([2.0, 0.2], [1.25, -0.101], ""));
            let simulation = down.run(by, 0.25, |_, _| {});
            assert_eq!(impacts(&simulation), 0, "down, {dimension}d, {by:?}");
            let height = simulation.state().position[dimension - 1];
            assert!(
                (height - 0.05).abs() < 1e-9,
                "down, {dimension}d, {by:?}: {height}"
            );
            let simulation = down.run(by, 0.5, |_, _| {});
            let height = simulation.state().position[dimension - 1];
            assert!(height < 0.0499, "down, {dimension}d, {by:?}: {height}");
        }
    }
}

#[test]
fn a_hidden_tile_does_not_hide_for_what_has_no_contact_with_its_neighbour() {
    // the first tile has no contact with the box, so the side of the second one is a wall for it
    let text = r#"
name = "hidden"
gravity = [0, 0]
[settings]
step = 0.005
[[body]]
name = "a"
kind = "rigid"
mass = 1
position = [0, -0.05]
velocity = [1, 0]
shape = [{kind = "box", size = [0.2, 0.1]}]
[[ground.shape]]
kind = "box"
size = [0.5, 0.2]
position = [0, -0.1]
material = "air"
[[ground.shape]]
kind = "box"
size = [0.5, 0.2]
position = [0.5, -0.1]
[[body.shape]]
"#;
    let text = text.replace("[[body.shape]]\n", "").replace(
        "size = [0.2, 0.1]}",
        "size = [0.2, 0.1], material = \"box\"}",
    ) + "[[contact]]\nmaterials = [\"air\", \"box\"]\nenabled = false\n";
    let mut simulation = Simulation::new(model(&text));
    simulation.advance_to(0.4).unwrap();
    let x = simulation.state().position[0];
    assert!((x - 0.15).abs() < 1e-9, "{x}");
}
