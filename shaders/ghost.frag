#version 330 core
#include "frame.glsl"

in vec3 world;
in vec3 normal;

out vec4 color;

uniform vec4 tint;

const float FACING = 0.28, EDGE = 1.0;  // opacity of what faces the eye, and of what is seen from the side

void main() {
    vec3 face = cross(dFdx(world), dFdy(world));
    // Stored normals are steps of 1 / 127, whose square is 6.2e-5 for a single step: below 1e-4 there is no direction.
    vec3 n = normalize(dot(normal, normal) > 1e-4 ? normal : face);
    float facing = abs(dot(n, towards_eye(world)));
    color = vec4(tint.rgb * mix(0.6, 1.0, facing), tint.a * mix(EDGE, FACING, facing));
}
