"""Writes the scene that reports are measured with: fifty bodies in space for a minute."""


def scene() -> str:
    text = 'name = "fifty_bodies"\ndescription = "Forty bodies tumble, ten balls are pressed to the floor and roll"\n'
    text += "dimension = 3\nuntil = 60\ngravity = [0, 0, 0]\n\n[settings]\nstep = 0.04\n\n"
    text += '[[ground.shape]]\nkind = "half_space"\nnormal = [0, 0, 1]\n\n'
    text += "[contact_default]\nfriction = 0.3\n\n"
    # each for itself: the report is what is measured
    text += '[[contact]]\ngroups = ["all", "all"]\nenabled = false\n\n'
    for i in range(50):
        x, y = i % 10, i // 10
        is_ball = i % 5 == 0
        text += f'[[body]]\nname = "body_{i + 1}"\nkind = "rigid"\ngroup = "all"\nmass = 1\n'
        text += f"position = [{x}, {y}, {0.2 if is_ball else 1 + 0.05 * i}]\n"
        text += f"velocity = [{0.01 * (i - 25)}, {0.02 * (x - 5)}, {0 if is_ball else 0.01 * y}]\n"
        text += f"angular_velocity = [{0.3 * x}, {1 - 0.2 * y}, 0.5]\n"
        if is_ball:
            text += 'shape = [{ kind = "sphere", radius = 0.2 }]\n\n'
            text += f'[[force]]\nname = "press_{i + 1}"\nkind = "applied"\nbody = "body_{i + 1}"\nforce = [0, 0, -10]\n\n'
        else:
            text += 'shape = [{ kind = "box", size = [0.3, 0.4, 0.5] }]\n\n'
    return text


def time_stepping() -> str:
    """The same number of balls that fall on each other, roll down a slope and come to rest behind a wall."""
    return """
name = "fifty_balls"
description = "Fifty balls fall on each other and come to rest between walls"
dimension = 3
until = 60

[settings]
step = 0.02
integrator = "time_stepping"

[contact_default]
friction = 0.4
rolling_friction = 2e-3

[[body]]
name = "ball"
kind = "rigid"
density = 1000
position = [0, 0, 0.3]
copies = { count = [5, 5, 2], spacing = [0.25, 0.25, 0.25], jitter = 0.02 }
shape = [{ kind = "sphere", radius = 0.1 }]

[[ground.shape]]
kind = "half_space"
normal = [0.2, 0.1, 1]

[[ground.shape]]
kind = "half_space"
normal = [-1, 0, 0]
point = [2, 0, 0]

[[ground.shape]]
kind = "half_space"
normal = [0, -1, 0]
point = [0, 2, 0]
"""


if __name__ == "__main__":
    print(scene())
