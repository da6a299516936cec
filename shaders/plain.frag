#version 330 core

out vec4 color;

uniform vec4 tint;

void main() {
    color = tint;
}
