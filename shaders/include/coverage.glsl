// The pixels of a triangle that its material covers; requires materials.glsl before it.
in vec2 uv;

// One number per shading mode, in the order of MODES in render/passes/textured.py; others show no materials.
const int NO_MATERIALS = -1, TEXTURED = 0, ALBEDO = 1, LIGHTMAP = 2, ALPHA = 3, UV_CHECKER = 4, STREAM18 = 5;
uniform int shading;
uniform int material_row;
uniform sampler2D base_map;

// Coordinates in the whole texture: beyond 1 a sub-image runs into the next one, as in the game.
vec2 texture_uv(Material m) {
    return m.sub_image.xy + uv * m.sub_image.zw;
}

// Mip levels between the largest stored one and the one that fits the pixel.
float level_of_detail(Material m) {
    vec2 texels = texture_uv(m) * vec2(textureSize(base_map, 0));
    vec2 across = dFdx(texels), down = dFdy(texels);
    // log2 of the length is half of that of its square; 1e-8 keeps it defined where coordinates do not change.
    return max(0.0, 0.5 * log2(max(max(dot(across, across), dot(down, down)), 1e-8)));
}

// Averaging lowers the alpha of a cut-out texture with distance; this keeps foliage visible.
float cut_out_alpha(Material m, float alpha) {
    return alpha * (1.0 + 0.25 * level_of_detail(m));
}

float opacity_of(Material m, float alpha) {
    return !m.is_tested ? 1.0
         : m.is_cut_out ? cut_out_alpha(m, alpha)
         : alpha * m.ambient.a;
}

bool is_hole(Material m, float opacity) {
    bool is_tested = shading == TEXTURED || shading == ALBEDO;
    return is_tested && opacity < m.reference;
}

// The same for stages without colors: there are no holes if no materials are shown.
bool is_hole() {
    if (shading == NO_MATERIALS) {
        return false;
    }
    Material m = material_of(material_row);
    return is_hole(m, opacity_of(m, texture(base_map, texture_uv(m)).a));
}
