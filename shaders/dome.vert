#version 330 core

in vec3 in_point;   // from the eye
in vec4 in_color;

out vec4 tint;

uniform mat4 clip_from_eye;

void main() {
    tint = in_color;
    gl_Position = clip_from_eye * vec4(in_point, 1.0);
    gl_Position.z = 0.0;    // behind everything: neither plane of the depth range cuts it
}
