#version 330 core

out vec4 color;

uniform float check_size;   // pixels

// The checkerboard that means a transparent background on screen.
void main() {
    ivec2 check = ivec2(floor(gl_FragCoord.xy / check_size));
    color = vec4(vec3((check.x + check.y) % 2 == 0 ? 0.36 : 0.44), 1.0);
}
