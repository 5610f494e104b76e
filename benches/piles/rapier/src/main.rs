//! A pile of spheres in Rapier, double precision, one thread.
//!
//! `piles-rapier <grid> <iterations> <length unit> <limit> <trace> [sleep]`: 300 steps as JSON, places after each step in `<trace>`; with
//! `sleep`, until all spheres sleep.

#[path = "../../../../tests/common/cpu.rs"]
#[allow(dead_code)]
mod cpu;

use rapier3d_f64::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Write};

const STEP: f64 = 0.005;
const STEPS: usize = 300;
const RADIUS: f64 = 0.05;
const FRICTION: f64 = 0.4;

fn world(grid: &str, sleeps: bool) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let text = std::fs::read_to_string(grid).unwrap();
    let mut numbers = text.split_whitespace().map(|x| x.parse::<f64>().unwrap());
    let half = numbers.next().unwrap();
    let numbers: Vec<f64> = numbers.collect();
    let mut world = PhysicsWorld {
        gravity: Vector::new(0.0, 0.0, -9.81),
        ..PhysicsWorld::default()
    };
    for (point, normal) in [
        (Vector::ZERO, Vector::Z),
        (Vector::X * -half, Vector::X),
        (Vector::X * half, -Vector::X),
        (Vector::Y * -half, Vector::Y),
        (Vector::Y * half, -Vector::Y),
    ] {
        let plane = ColliderBuilder::new(SharedShape::halfspace(normal))
            .friction(FRICTION)
            .restitution(0.0);
        world.insert(RigidBodyBuilder::fixed().translation(point), plane);
    }
    let mut handles = Vec::new();
    for place in numbers.chunks_exact(3) {
        let body = RigidBodyBuilder::dynamic()
            .translation(Vector::new(place[0], place[1], place[2]))
            .can_sleep(sleeps);
        let ball = ColliderBuilder::ball(RADIUS)
            .density(1000.0)
            .friction(FRICTION)
            .restitution(0.0);
        handles.push(world.insert(body, ball).0);
    }
    (world, handles)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sleeps = words.len() > 5;
    let (mut world, handles) = world(&words[0], sleeps);
    let parameters = &mut world.integration_parameters;
    parameters.dt = STEP;
    parameters.num_solver_iterations = words[1].parse().unwrap();
    parameters.length_unit = words[2].parse().unwrap();
    let limit: f64 = words[3].parse().unwrap();
    let most = if sleeps {
        (30.0 / STEP) as usize
    } else {
        STEPS
    };
    let mut trace = BufWriter::new(File::create(&words[4]).unwrap());
    let (mut seconds, mut total) = (Vec::new(), 0.0);
    let mut asleep = 0;
    while seconds.len() < most && total < limit && asleep < handles.len() {
        let of_step = cpu::seconds(|| world.step());
        total += of_step;
        seconds.push(of_step);
        if sleeps {
            asleep = handles
                .iter()
                .filter(|h| world.bodies[**h].is_sleeping())
                .count();
            continue;
        }
        for handle in &handles {
            let place = world.bodies[*handle].translation();
            for x in [place.x, place.y, place.z] {
                trace.write_all(&x.to_le_bytes()).unwrap();
            }
        }
    }
    let time = STEP * seconds.len() as f64;
    println!("{{\"seconds\":{seconds:?},\"asleep\":{asleep},\"time\":{time}}}");
}
