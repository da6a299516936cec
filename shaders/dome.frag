#version 330 core

in vec4 tint;

out vec4 color;

// Behind the colors is the nebula, which is left black: how its texture lies is not known.
void main() {
    color = vec4(tint.rgb * tint.a, 1.0);
}
