#version 330 core
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;

#include "frame.glsl"

in vec4 tip[];
in float kept[];

out vec4 color;

uniform vec4 root_tint;
uniform vec4 tip_tint;

#include "wide_line.glsl"

void main() {
    if (kept[0] < 0.0) {
        return;
    }
    emit_line(gl_in[0].gl_Position, tip[0], root_tint, tip_tint);
}
