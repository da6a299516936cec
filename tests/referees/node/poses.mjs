// node poses.mjs JOBS.json: where three.js sees every node. JOBS is a list of {"file", "out", "times": [seconds]}.
// Writes OUT.json with the names of the nodes, and OUT.f32: a 4x4 matrix, row by row, for each time and node.
import { readFileSync, writeFileSync } from 'node:fs';
import { AnimationMixer, LoopOnce } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

globalThis.self ??= globalThis; // the loader asks for it

function withoutPictures(raw) { // which need a browser
  const size = raw.readUInt32LE(12);
  const json = JSON.parse(raw.subarray(20, 20 + size).toString());
  for (const key of ['materials', 'textures', 'images', 'samplers']) delete json[key];
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const rest = raw.subarray(20 + size);
  const head = Buffer.alloc(20);
  head.write('glTF');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  head.writeUInt32LE(text.length, 12);
  head.write('JSON', 16);
  const whole = Buffer.concat([head, text, rest]);
  return { json, data: whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length) };
}

function play(model) {
  const mixer = new AnimationMixer(model.scene);
  for (const clip of model.animations.slice(0, 1)) {
    const action = mixer.clipAction(clip).setLoop(LoopOnce);
    action.clampWhenFinished = true; // otherwise the last key wraps to the first
    action.play();
  }
  return mixer;
}

for (const { file, out, times } of JSON.parse(readFileSync(process.argv[2]))) {
  const { json, data } = withoutPictures(readFileSync(file));
  const model = await new GLTFLoader().parseAsync(data, '');
  const mixer = play(model);
  const objects = new Map();
  model.scene.traverse(object => {
    const index = model.parser.associations.get(object)?.nodes;
    if (index !== undefined && !objects.has(index)) objects.set(index, object);
  });
  const order = [...objects.keys()].sort((a, b) => a - b);
  const matrices = new Float32Array(times.length * order.length * 16);
  let at = 0;
  for (const time of times) {
    mixer.setTime(time);
    model.scene.updateMatrixWorld(true);
    for (const index of order) {
      const e = objects.get(index).matrixWorld.elements;
      for (let row = 0; row < 4; row++) for (let column = 0; column < 4; column++) matrices[at++] = e[column * 4 + row];
    }
  }
  writeFileSync(`${out}.json`, JSON.stringify(order.map(index => json.nodes[index].name)));
  writeFileSync(`${out}.f32`, matrices);
}
