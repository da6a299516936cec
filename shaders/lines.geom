#version 330 core
layout(lines) in;
layout(triangle_strip, max_vertices = 4) out;

#include "frame.glsl"

in vec4 line_color[];

out vec4 color;

#include "wide_line.glsl"

void main() {
    emit_line(gl_in[0].gl_Position, gl_in[1].gl_Position, line_color[0], line_color[1]);
}
