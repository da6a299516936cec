#version 330 core

out vec4 color;

uniform sampler2DMS sample_map;
uniform int sample_count;

void main() {
    vec4 sum = vec4(0.0);
    // The plain mean of the samples, as copying a framebuffer gives it.
    for (int number = 0; number < sample_count; ++number) {
        sum += texelFetch(sample_map, ivec2(gl_FragCoord.xy), number);
    }
    color = sum / float(sample_count);
}
