#version 330 core

in vec4 color;

out vec4 fragment;

void main() {
    fragment = color;
}
