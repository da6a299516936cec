// The parts of three.js that model_view.js uses, for build.sh.
export {
  AddEquation, AnimationMixer, CustomBlending, DstColorFactor, LinearSRGBColorSpace, LoopRepeat, Matrix3, NoBlending, NoColorSpace,
  NormalBlending, OneFactor, OneMinusSrcAlphaFactor, PerspectiveCamera, Scene, ShaderMaterial, SrcAlphaFactor, SrcColorFactor,
  Vector3, WebGLRenderer, ZeroFactor,
} from "three";
export { OrbitControls } from "three/addons/controls/OrbitControls.js";
export { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
