#version 330 core
#include "frame.glsl"
#include "palette.glsl"

in vec3 world;
in vec3 normal;

out vec4 color;

// One number per shading mode, in the order of SURFACE_MODES in render/passes/textured.py.
const int LIT = 0, UNLIT = 1, NORMALS = 2, GROUPED = 3, HEAT = 4;
uniform int shading;

uniform usampler2D groups;      // a number per submitted triangle, 4096 per row
uniform int triangle_start;     // of the run that is drawn
const uint NO_GROUP = 0xFFFFFFFFu;

const vec3 BASE = vec3(0.78, 0.78, 0.76);
const float AMBIENT = 0.65, HEAD_LIGHT = 0.35;

// Stored normals; the face normal if a vertex has none.
vec3 surface_normal() {
    if (dot(normal, normal) > 1e-4) {
        return normalize(normal);
    }
    vec3 face = normalize(cross(dFdx(world), dFdy(world)));
    return dot(face, towards_eye(world)) < 0.0 ? -face : face;
}

vec3 lit(vec3 base, vec3 towards_surface_eye, vec3 n) {
    return base * (AMBIENT + HEAD_LIGHT * abs(dot(n, towards_surface_eye)));
}

vec3 group_color() {
    int triangle = gl_PrimitiveID + triangle_start;
    // 4096 per row: & 0xFFF and >> 12. The texture has integers, which must not be filtered.
    uint number = texelFetch(groups, ivec2(triangle & 0xFFF, triangle >> 12), 0).r;
    return number == NO_GROUP ? BASE : shading == HEAT ? heat(number) : palette(number);
}

void main() {
    vec3 n = surface_normal();
    vec3 base = shading >= GROUPED ? group_color() : BASE;
    vec3 result = shading == UNLIT ? base
                : shading == NORMALS ? n * 0.5 + 0.5
                : lit(base, towards_eye(world), n);
    color = vec4(result, 1.0);
}
