// Material parameters: seven texels per material, 64 materials per row (render/textures/material_bindings.py).
uniform sampler2D material_rows;

struct Material {
    vec4 ambient;
    vec4 diffuse;
    vec4 specular;
    vec4 emissive;
    float power;
    bool is_lit;
    bool is_tested;         // alpha is opacity, and tested
    bool is_gloss;          // alpha is the strength of the gloss
    float reference;        // alpha test reference: pixels below it are discarded
    bool has_lightmap;
    bool is_cut_out;        // drawn opaque where it is not a hole
    vec4 sub_image;         // start and size of the shown part of the texture
};

Material material_of(int row) {
    // Row 70 is the material 70 & 63 = 6 of line 1, from texel 42 on. Flags are 0.0 or 1.0.
    ivec2 at = ivec2((row & 0x3F) * 7, row >> 6);
    vec4 how = texelFetch(material_rows, at + ivec2(4, 0), 0);
    vec4 more = texelFetch(material_rows, at + ivec2(5, 0), 0);
    return Material(texelFetch(material_rows, at, 0),
                    texelFetch(material_rows, at + ivec2(1, 0), 0),
                    texelFetch(material_rows, at + ivec2(2, 0), 0),
                    texelFetch(material_rows, at + ivec2(3, 0), 0),
                    how.x, how.y > 0.5, how.z > 0.5, how.w > 0.5,
                    more.x, more.y > 0.5, more.z > 0.5,
                    texelFetch(material_rows, at + ivec2(6, 0), 0));
}
