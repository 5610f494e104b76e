//! The ground, laws of friction and restitution, and how impacts are taken.

use super::vectors::{norm, scaled};
use super::{Contacts, Family, Sketch};

/// A floor, walls, steps on the floor: or nothing.
pub fn ground(sketch: &mut Sketch) {
    sketch.has_floor = sketch.dice.chance(0.75);
    if sketch.family == Family::TimeStepping {
        sketch.line("\n[settings]\nintegrator = \"time_stepping\"\n[settings.time_stepping]");
        if sketch.dice.chance(0.25) {
            let sweeps = sketch.dice.pick(&[20, 30, 60]);
            sketch.line(format!("sweeps = {sweeps}"));
        }
    }
    if sketch.has_floor {
        floor(sketch);
    }
    if sketch.dice.chance(0.2) {
        wall(sketch);
    }
    if sketch.has_floor && !sketch.has_cylinders && sketch.dice.chance(0.3) {
        obstacle(sketch);
    }
}

fn floor(sketch: &mut Sketch) {
    let l = sketch.length;
    if sketch.is_plane() {
        sketch.line("\n[[ground.shape]]\nname = \"floor\"\nkind = \"half_plane\"\nnormal = [0, 1]");
    } else if !sketch.has_cylinders && sketch.dice.chance(0.15) {
        let heights = "[[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]";
        sketch.line(format!(
            "\n[[ground.shape]]\nname = \"floor\"\nkind = \"height_field\"\nheights = {heights}\ncell = [{:?}, {:?}]\norigin = [{:?}, {:?}]",
            8.0 * l,
            10.0 * l,
            -12.0 * l,
            -10.0 * l
        ));
    } else {
        sketch.line(
            "\n[[ground.shape]]\nname = \"floor\"\nkind = \"half_space\"\nnormal = [0, 0, 1]",
        );
    }
    if sketch.dice.chance(0.5) {
        sketch.line("material = \"steel\"");
    }
}

fn wall(sketch: &mut Sketch) {
    let mut normal = sketch.direction();
    let up = sketch.up();
    normal[up] = normal[up].abs();
    let away = -(2.5 * sketch.length) / norm(normal);
    let point = scaled(normal, away);
    let kind = if sketch.is_plane() {
        "half_plane"
    } else {
        "half_space"
    };
    let text = format!(
        "\n[[ground.shape]]\nname = \"wall\"\nkind = \"{kind}\"\nnormal = {}\npoint = {}",
        sketch.vector(normal),
        sketch.vector(point)
    );
    sketch.line(text);
    sketch.walls.push((point, normal));
}

/// A box that stands on the floor, or is sunk into it.
fn obstacle(sketch: &mut Sketch) {
    let l = sketch.length;
    let mut position = [sketch.dice.within(-4.0, 4.0) * l, 0.0, 0.0];
    let up = sketch.up();
    position[up] = sketch.dice.within(-0.3, 0.3) * l;
    let size = scaled([1.0, 0.6, 0.7], l);
    let text = format!(
        "\n[[ground.shape]]\nname = \"step\"\nkind = \"box\"\nsize = {}\nposition = {}",
        sketch.vector(size),
        sketch.vector(position)
    );
    sketch.line(text);
    sketch.obstacles.push((position, 0.5 * norm(size)));
}

/// Contact laws, and the law of impact.
pub fn add_laws(sketch: &mut Sketch) {
    sketch.line("\n[contact_default]");
    law(sketch);
    let steel = "material = \"steel\"";
    let has_steel =
        sketch.tail.contains(steel) || sketch.bodies.iter().any(|b| b.shapes.contains(steel));
    let has_wood = sketch.bodies.iter().any(|b| b.shapes.contains("\"wood\""));
    if has_steel && has_wood {
        sketch.line("\n[[contact]]\nmaterials = [\"wood\", \"steel\"]");
        law(sketch);
    }
    if sketch.family != Family::TimeStepping && sketch.dice.chance(0.2) {
        let law = sketch.dice.pick(&["newton", "expedient"]);
        sketch.line(format!("\n[settings]\nimpact_law = \"{law}\""));
    }
}

fn law(sketch: &mut Sketch) {
    if sketch.dice.chance(0.75) {
        friction(sketch);
    }
    if sketch.contacts == Contacts::Compliant && sketch.dice.chance(0.8) {
        compliance(sketch, "");
    } else if sketch.dice.chance(0.5) {
        if sketch.contacts == Contacts::Compliant {
            sketch.line("stiffness = inf");
        }
        let restitution = sketch.dice.pick(&[0.1, 0.3, 0.5, 0.8, 1.0]);
        sketch.line(format!("restitution = {restitution:?}"));
        if sketch.family != Family::TimeStepping && sketch.dice.chance(0.15) {
            let tangential = sketch.dice.within(0.1, 1.0);
            sketch.line(format!("tangential_restitution = {tangential:?}"));
        }
    }
}

/// A force law of any stiffness, for keys with a prefix.
pub fn compliance(sketch: &mut Sketch, prefix: &str) {
    let exponent = sketch.dice.pick(&[1.0, 1.0, 1.5, 2.2]);
    let weight = 9.81 * sketch.mass;
    // under its weight a body sinks in by this part of its length
    let part = sketch.dice.decades(1e-9, 1e-1);
    let stiffness = weight / libm::pow(part * sketch.length, exponent);
    sketch.line(format!("{prefix}stiffness = {stiffness:e}"));
    sketch.line(format!("{prefix}exponent = {exponent:?}"));
    if sketch.dice.chance(0.4) {
        let ratio = sketch.dice.decades(1e-2, 3.0);
        let damping = 2.0 * ratio * (weight / (part * sketch.length) * sketch.mass).sqrt();
        sketch.line(format!("{prefix}damping = {damping:e}"));
    }
    if sketch.dice.chance(0.4) {
        let dissipation = sketch.dice.decades(1e-2, 3.0);
        sketch.line(format!("{prefix}dissipation = {dissipation:?}"));
    }
}

fn friction(sketch: &mut Sketch) {
    let friction = sketch.dice.within(0.05, 1.0);
    if sketch.family == Family::Space && sketch.dice.chance(0.2) {
        let across = sketch.dice.within(0.05, 1.0);
        let axis = sketch.direction();
        let text = format!(
            "friction_axes = [{friction:?}, {across:?}]\nfriction_axis = {}",
            sketch.vector(axis)
        );
        return sketch.line(text);
    }
    sketch.line(format!("friction = {friction:?}"));
    if sketch.family != Family::TimeStepping && sketch.dice.chance(0.3) {
        let ratio = sketch.dice.within(1.05, 1.6);
        sketch.line(format!("static_friction = {:?}", ratio * friction));
        if sketch.is_plane() || sketch.dice.chance(0.5) {
            let velocity = sketch.dice.decades(1e-2, 1.0);
            sketch.line(format!("stribeck_velocity = {velocity:?}"));
        }
    }
    if sketch.is_plane() {
        return;
    }
    for key in ["torsional_friction", "rolling_friction"] {
        if sketch.dice.chance(0.25) {
            let arm = sketch.dice.decades(1e-3, 1e-1) * sketch.length;
            sketch.line(format!("{key} = {arm:?}"));
        }
    }
}
