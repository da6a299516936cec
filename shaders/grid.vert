#version 330 core
#include "frame.glsl"

// Lines on Z = 0 without a buffer. Each line is two segments that fade out from the center:
// four vertices per line, first the lines along X, then those along Y.
out vec4 line_color;

uniform vec2 center;           // a multiple of ten steps
uniform float grid_step;
uniform int half_count;        // lines on each side of the center line
uniform vec4 minor_tint;       // of the lines that are not a multiple of ten steps
uniform vec4 major_tint;
uniform vec4 x_tint;
uniform vec4 y_tint;

void main() {
    int line = gl_VertexID / 4;
    int corner = gl_VertexID % 4;
    // 2 n + 1 lines along x, numbered from 0 to 2 n, then as many along y, from 2 n + 1 to 4 n + 1: both get -n to n.
    bool is_along_x = line <= 2 * half_count;
    int number = is_along_x ? line - half_count : line - 3 * half_count - 1;
    float along = corner == 0 ? -1.0 : corner == 3 ? 1.0 : 0.0;
    float across = float(number) / float(half_count);
    vec2 unit = is_along_x ? vec2(along, across) : vec2(across, along);
    vec2 position = center + unit * grid_step * float(half_count);
    float middle = is_along_x ? position.y : position.x;
    bool is_axis = abs(middle) < 0.5 * grid_step;
    vec4 plain = number % 10 == 0 ? major_tint : minor_tint;
    line_color = is_axis ? (is_along_x ? x_tint : y_tint) : plain;
    // Interpolated along a line this is only right from the center outwards, hence two segments per line.
    float fade = (1.0 - abs(across)) * (1.0 - abs(along));
    line_color.a *= fade * fade;
    gl_Position = clip_of(vec3(position, 0.0));
}
