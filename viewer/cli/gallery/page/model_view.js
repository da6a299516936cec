// One model in a canvas: three.js is loaded when the first one is opened.

const modelView = (() => {
  const FIELD_OF_VIEW = 40, FILL = [0.9, 0.8], TURN_SECONDS = 16;
  let loading = null;

  /** Load a script that lies next to the page; from the disk there is no other way. */
  function script(address) {
    return new Promise((done, failed) => {
      const element = document.createElement("script");
      element.src = address;
      element.onload = () => { element.remove(); done(); };
      element.onerror = () => { element.remove(); failed(new Error(`${address} cannot be loaded`)); };
      document.head.append(element);
    });
  }

  /** The bytes of a text in base64, unpacked. */
  async function unpacked(text) {
    const packed = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
  }

  function library() {
    loading ??= script("three.min.js").catch(error => { loading = null; throw error; });
    return loading;
  }

  // The light of the game: see light.glsl, of which this is the part that a file can hold.
  const VERTEX = `
    uniform mat3 base_transform;
    uniform vec3 diffuse, glow, specular, towards_lights[LIGHTS], light_colors[LIGHTS];
    uniform float scene, power;
    uniform bool has_lightmap;
    attribute vec2 uv1;
    varying vec3 at, facing, first_color, second_color;
    varying vec2 base_uv, light_uv;
    vec3 knee(vec3 c) { return min(min(c, c / 6.0 + 5.0 / 6.0), 2.0); }
    vec3 spill(vec3 s) { return min(min(0.8 * s, 0.1 * s + 0.7), 1.0); }
    void main() {
      vec4 world = modelMatrix * vec4(position, 1.0);
      at = world.xyz;
      facing = mat3(modelMatrix) * normal;
      vec3 sum = has_lightmap ? diffuse : glow, highlight = vec3(0.0), eye = normalize(cameraPosition - at);
      for (int index = 0; index < LIGHTS; ++index) {
        float share = dot(facing, towards_lights[index]);
        if (has_lightmap || share <= 0.0) continue;
        sum += share * light_colors[index] * diffuse;
        float mirrored = max(dot(2.0 * share * facing - towards_lights[index], eye), 0.0);
        if (power > 0.0) highlight += pow(mirrored, exp2(min(power, 24.0) - 1.0)) * light_colors[index] * specular;
      }
      vec3 k = knee(max(sum, scene));
      first_color = min(k, 1.0);
      second_color = spill(highlight + max(k - 1.0, 0.0));
      base_uv = (base_transform * vec3(uv, 1.0)).xy;
      light_uv = uv1;
      gl_Position = projectionMatrix * viewMatrix * world;
    }`;
  const FRAGMENT = `
    uniform sampler2D base_map, light_map;
    uniform float opacity;
    uniform bool has_base, has_lightmap, is_tested, is_cut_out, is_bare;
    varying vec3 at, facing, first_color, second_color;
    varying vec2 base_uv, light_uv;
    const vec3 BASE = vec3(0.78, 0.78, 0.76);
    const float AMBIENT = 0.65, HEAD_LIGHT = 0.35;
    // Averaging lowers the alpha of a cut-out texture with distance; this keeps foliage visible.
    float cut_out_alpha(float alpha) {
      vec2 texels = base_uv * vec2(textureSize(base_map, 0)), across = dFdx(texels), down = dFdy(texels);
      return alpha * (1.0 + 0.125 * max(0.0, log2(max(max(dot(across, across), dot(down, down)), 1e-8))));
    }
    void main() {
      vec4 texel = has_base ? texture2D(base_map, base_uv) : vec4(1.0);
      float alpha = !is_tested ? 1.0 : is_cut_out ? min(cut_out_alpha(texel.a), 1.0) : texel.a * opacity;
      if (is_tested && alpha < 0.5 / 255.0) discard;
      vec3 n = dot(facing, facing) > 1e-6 ? normalize(facing) : normalize(cross(dFdx(at), dFdy(at)));
      vec3 stored = has_lightmap ? texture2D(light_map, light_uv).rgb : vec3(1.0);
      vec3 shaped = BASE * (AMBIENT + HEAD_LIGHT * abs(dot(n, normalize(cameraPosition - at))));
      gl_FragColor = vec4(is_bare ? shaped : min(texel.rgb * stored * first_color + second_color, 1.0), alpha);
    }`;

  /** What the file says about a scene or a material of the game: a text, so that Blender keeps it whole. */
  const told = part => JSON.parse(part.userData.mshview ?? "{}");

  /** A texture in the colors of the file. */
  function plain(map) {
    if (map && map.colorSpace !== THREE.NoColorSpace) { map.colorSpace = THREE.NoColorSpace; map.needsUpdate = true; }
    return map ?? null;
  }

  /** A material as the game draws it, of one that the loader has made. */
  function gameMaterial(material, light) {
    const map = plain(material.map), lightmap = plain(material.aoMap), color = material.color.clone().convertLinearToSRGB();
    const glow = material.emissive ? material.emissive.clone().convertLinearToSRGB() : color.clone();
    if (material.isMeshBasicMaterial) color.setRGB(0, 0, 0);
    map?.updateMatrix();
    const game = told(material).fields ?? {}, isCutOut = material.alphaTest > 0, isTested = isCutOut || material.transparent;
    const made = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: material.side, transparent: isTested,
      depthWrite: !material.transparent || game.see_through === false, ...blending(isTested ? game.blend : "opaque"),
      defines: { LIGHTS: light.lights.length },
      uniforms: {
        base_map: { value: map }, light_map: { value: lightmap }, has_base: { value: Boolean(map) }, has_lightmap: { value: Boolean(lightmap) },
        base_transform: { value: map ? map.matrix : new THREE.Matrix3() }, diffuse: { value: color }, glow: { value: glow }, scene: { value: material.isMeshBasicMaterial ? 0 : light.scene },
        specular: { value: new THREE.Vector3(...(game.specular ?? [0, 0, 0]).slice(0, 3)) }, power: { value: game.power ?? 0 },
        opacity: { value: material.opacity }, is_tested: { value: isTested }, is_cut_out: { value: isCutOut && Boolean(map) },
        is_bare: { value: !map && game.found === "missing" },
        towards_lights: { value: light.lights.map(({ towards: [x, y, z] }) => new THREE.Vector3(x, z, -y).normalize()) },
        light_colors: { value: light.lights.map(it => new THREE.Vector3(...it.color)) },
      },
    });
    made.name = material.name;
    made.userData.maps = [map, lightmap].filter(Boolean);
    material.dispose();
    return made;
  }

  /** How a material is mixed with what is behind it, colors first, then the coverage of the picture. */
  function blending(name) {
    const { AddEquation, CustomBlending, NoBlending, NormalBlending, ZeroFactor, OneFactor, SrcAlphaFactor, OneMinusSrcAlphaFactor, SrcColorFactor, DstColorFactor } = THREE;
    const mixed = (blendSrc, blendDst, blendSrcAlpha, blendDstAlpha) => ({ blending: CustomBlending, blendEquation: AddEquation, blendSrc, blendDst, blendSrcAlpha, blendDstAlpha });
    switch (name) {
      case "opaque": return { blending: NoBlending };
      case "add": return mixed(SrcAlphaFactor, OneFactor, OneFactor, OneMinusSrcAlphaFactor);
      case "multiply": return mixed(ZeroFactor, SrcColorFactor, ZeroFactor, OneFactor);
      case "multiply2": return mixed(DstColorFactor, SrcColorFactor, ZeroFactor, OneFactor);
      default: return { blending: NormalBlending };
    }
  }

  /** Give all parts of some scenes the materials of the game, and return these. */
  function dress(roots, light) {
    const made = new Map();
    for (const root of roots) root.traverse(part => {
      if (!part.material) return;
      if (!part.geometry.attributes.normal) part.geometry.computeVertexNormals();
      if (!made.has(part.material)) made.set(part.material, gameMaterial(part.material, light));
      part.material = made.get(part.material);
    });
    return [...new Set(made.values())];
  }

  /** The middle of what is shown and the distance from which it fills the picture, seen along a direction. */
  function framed(root, towards, camera) {
    const high = Math.tan(camera.fov * Math.PI / 360) * FILL[1], wide = Math.tan(camera.fov * Math.PI / 360) * camera.aspect * FILL[0];
    const back = towards, right = new THREE.Vector3(0, 1, 0).cross(back).normalize(), up = back.clone().cross(right), point = new THREE.Vector3();
    const reach = new Float64Array(6).fill(-Infinity);
    root.updateWorldMatrix(true, true);
    root.traverse(part => {
      const positions = part.geometry?.getAttribute("position");
      for (let index = 0; index < (positions?.count ?? 0); index++) {
        point.fromBufferAttribute(positions, index).applyMatrix4(part.matrixWorld);
        const x = point.dot(right), y = point.dot(up), z = point.dot(back);
        [x + wide * z, wide * z - x, y + high * z, high * z - y, z, -z].forEach((value, side) => { if (value > reach[side]) reach[side] = value; });
      }
    });
    if (!reach.every(Number.isFinite)) return { center: new THREE.Vector3(), distance: 3, reach: 1 };
    const [x, y, z] = [0, 2, 4].map(side => (reach[side] - reach[side + 1]) / 2);
    const distance = Math.max((reach[0] - x) / wide, (reach[2] - y) / high) - z, center = new THREE.Vector3();
    center.addScaledVector(right, x).addScaledVector(up, y).addScaledVector(back, z);
    return { center, distance: Math.max(distance, 1e-3), reach: Math.hypot(reach[0] + reach[1], reach[2] + reach[3], reach[4] + reach[5]) };
  }

  /** The cells of a model, one per scene of the file; `names` has a row for each LOD, a column for each group. */
  function cellsOf(file, names) {
    const cells = file.scenes.map(scene => {
      const [lod, group] = told(scene).cell ?? [0, 0];
      return { lod, group, name: names[lod][group], scene };
    });
    return cells.sort((one, other) => one.lod - other.lod || one.group - other.group);
  }

  class View {
    constructor(canvas, file, light, names) {
      this.canvas = canvas;
      this.file = file;
      this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
      this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
      this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
      this.camera = new THREE.PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 1e4);
      this.scene = new THREE.Scene();
      this.cells = cellsOf(file, names);
      this.materials = dress(file.scenes, light);
      this.controls = new THREE.OrbitControls(this.camera, canvas);
      this.controls.enableDamping = true;
      this.controls.autoRotateSpeed = 60 / TURN_SECONDS;
      this.controls.addEventListener("start", () => this.turn(false));
      this.controls.addEventListener("change", () => { this.isStale = true; });
      this.isPlaying = false;
      this.isStale = true;
      this.time = 0;
      this.seen = null;
      this.changed = () => {};
      this.scene.add(...file.scenes);
      this.mixer = new THREE.AnimationMixer(this.scene);
      this.animate(0);
      this.choose(Math.max(0, this.cells.findIndex(cell => cell.scene === file.scene)));
      this.sizes = new ResizeObserver(() => this.fit());
      this.sizes.observe(canvas);
      this.fit();
      this.look();
      this.renderer.setAnimationLoop(now => this.draw(now));
    }

    /** Show one of the cells; the others move unseen. */
    choose(index) {
      this.cell = index;
      this.shown = this.cells[index].scene;
      for (const { scene } of this.cells) scene.visible = scene === this.shown;
      this.isStale = true;
    }

    get clips() { return this.file.animations.map((clip, index) => clip.name || `animation ${index}`); }
    get duration() { return this.file.animations[this.clip]?.duration ?? 0; }

    animate(index) {
      this.clip = index;
      const clip = this.file.animations[index];
      if (!clip) return;
      this.mixer.stopAllAction();
      this.action = this.mixer.clipAction(clip);
      this.action.setLoop(THREE.LoopRepeat).play();
      this.seek(0);
    }

    /** Go to a time in seconds. */
    seek(seconds) {
      this.time = Math.min(Math.max(seconds, 0), this.duration);
      if (this.action) { this.action.time = this.time; this.mixer.update(0); }
      this.isStale = true;
      this.changed();
    }

    play(isPlaying) { this.isPlaying = isPlaying; this.changed(); }
    turn(isTurning) { this.controls.autoRotate = isTurning; this.changed(); }
    get isTurning() { return this.controls.autoRotate; }

    wires(isOn) {
      this.hasWires = isOn;
      for (const material of this.materials) material.wireframe = isOn;
      this.isStale = true;
      this.changed();
    }

    /** Look at all of the model from three quarters, as the picture does. */
    look() {
      const yaw = 35 * Math.PI / 180, pitch = 22 * Math.PI / 180;
      const towards = new THREE.Vector3(Math.sin(yaw) * Math.cos(pitch), Math.sin(pitch), -Math.cos(yaw) * Math.cos(pitch));
      const { center, distance, reach } = framed(this.shown, towards, this.camera);
      this.camera.position.copy(center).addScaledVector(towards, distance);
      this.camera.near = distance / 500;
      this.camera.far = distance * 10 + reach * 4;
      this.camera.updateProjectionMatrix();
      this.controls.target.copy(center);
      this.controls.minDistance = distance / 50;
      this.controls.maxDistance = distance * 6;
      this.controls.update();
    }

    fit() {
      const { clientWidth: width, clientHeight: height } = this.canvas;
      if (!width || !height) return;
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.isStale = true;
    }

    /** A frame; nothing is drawn again that is the same. */
    draw(now) {
      const seconds = this.seen === null ? 0 : Math.min((now - this.seen) / 1000, 0.1);
      this.seen = now;
      if (this.isPlaying && this.duration > 0) this.seek((this.time + seconds) % this.duration);
      this.controls.update(seconds);
      if (!this.isStale) return;
      this.isStale = false;
      this.renderer.render(this.scene, this.camera);
    }

    close() {
      this.renderer.setAnimationLoop(null);
      this.sizes.disconnect();
      this.controls.dispose();
      for (const { scene } of this.cells) scene.traverse(part => part.geometry?.dispose());
      for (const material of this.materials) {
        for (const map of material.userData.maps) { map.source.data?.close?.(); map.dispose(); }
        material.dispose();
      }
      this.renderer.dispose();
      this.renderer.forceContextLoss();
    }
  }

  /** Show the bytes of a GLB file. */
  async function show(canvas, bytes, light, names) {
    await library();
    const file = await new THREE.GLTFLoader().parseAsync(bytes, "");
    return new View(canvas, file, light, names);
  }

  return { script, unpacked, show };
})();
