#version 330 core
#include "frame.glsl"
#include "fog.glsl"

// A corner of a sprite, in units of its columns, and its texture coordinates.
in vec3 in_corner;
in vec2 in_uv;

// A sprite: center and columns in world space, color and alpha, part of the texture, number of its texture, way
// of blending and whether it is drawn over the scene.
in vec3 in_center;
in vec3 in_x;
in vec3 in_y;
in vec3 in_z;
in vec4 in_color;
in vec4 in_cell;
in vec3 in_kind;

out vec2 uv;
flat out vec4 tint;
flat out ivec2 kind;
out float kept; // share of its color in the fog

// In units of w: -1 is the near plane, at which rounding may clip.
const float NEAREST = -0.99999;

void main() {
    vec3 world = in_center + in_corner.x * in_x + in_corner.y * in_y + in_corner.z * in_z;
    gl_Position = clip_of(world);
    if (in_kind.z > 0.0) {
        gl_Position.z = NEAREST * gl_Position.w;   // passes every depth test, in one call with the others
    }
    kept = has_fog ? fog_share(world) : 1.0;
    uv = in_cell.xy + in_uv * in_cell.zw;
    tint = in_color;
    kind = ivec2(in_kind.xy);
}
