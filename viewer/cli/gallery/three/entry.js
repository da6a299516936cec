// The parts of three.js that model_view.js uses, for build.sh.
export {
  AdditiveBlending, AnimationMixer, LoopRepeat, LinearSRGBColorSpace, Matrix3, MultiplyBlending, NoBlending,
  NoColorSpace, NormalBlending, PerspectiveCamera, Scene, ShaderMaterial, Vector3, WebGLRenderer,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
