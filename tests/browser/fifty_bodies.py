"""Writes the scene that reports are measured with: fifty bodies in space for a minute."""


def scene() -> str:
    text = 'name = "fifty_bodies"\ndescription = "Fifty balls and boxes fall onto a rough floor"\n'
    text += "dimension = 3\nuntil = 60\n\n[settings]\nstep = 0.04\n\n"
    text += '[[ground.shape]]\nkind = "half_space"\nnormal = [0.02, 0.01, 1]\n\n'
    text += "[contact_default]\nfriction = 0.3\nrestitution = 0.3\n\n"
    # each for itself: the report is what is measured
    text += '[[contact]]\ngroups = ["all", "all"]\nenabled = false\n\n'
    for i in range(50):
        x, y = i % 10, i // 10
        text += f'[[body]]\nname = "body_{i + 1}"\nkind = "rigid"\ngroup = "all"\nmass = 1\n'
        text += f"position = [{x}, {y}, {0.5 + 0.05 * i}]\nangular_velocity = [{0.3 * x}, {1 - 0.2 * y}, 0.5]\n"
        if i % 2 == 0:
            text += 'shape = [{ kind = "sphere", radius = 0.2 }]\n\n'
        else:
            text += 'shape = [{ kind = "box", size = [0.3, 0.4, 0.5] }]\n\n'
    return text


if __name__ == "__main__":
    print(scene())
