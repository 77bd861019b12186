// Draws triangles, lines and the floor with WebGL 2. Knows nothing of time.

const SURFACE = [`#version 300 es
  in vec3 position; in vec3 normal;
  uniform mat4 camera, pose;
  out vec3 n;
  void main() { n = mat3(pose) * normal; gl_Position = camera * pose * vec4(position, 1.0); }`,
`#version 300 es
  precision highp float;
  in vec3 n; out vec4 colour;
  uniform vec4 rgba; uniform vec3 towards, light, sun;
  void main() {
    vec3 m = normalize(n);
    if (dot(m, towards) < 0.0) m = -m;
    float facing = max(dot(m, light), 0.0);
    float brightness = 0.34 + 0.14 * m.z + 0.34 * max(dot(m, sun), 0.0) + 0.38 * facing;
    vec3 rgb = min(rgba.rgb * brightness + 0.16 * pow(facing, 24.0), 1.0);
    colour = vec4(rgb * rgba.a, rgba.a);
  }`];

const LINE = [`#version 300 es
  in vec3 position; in vec3 shade;
  uniform mat4 camera;
  out vec3 rgb;
  void main() { rgb = shade; gl_Position = camera * vec4(position, 1.0); }`,
`#version 300 es
  precision highp float;
  in vec3 rgb; out vec4 colour;
  void main() { colour = vec4(rgb, 1.0); }`];

const FLOOR = [`#version 300 es
  in vec2 corner;
  uniform mat4 camera; uniform vec2 middle; uniform float height, reach;
  out vec2 where;
  void main() { where = middle + reach * corner; gl_Position = camera * vec4(where, height, 1.0); }`,
`#version 300 es
  precision highp float;
  in vec2 where; out vec4 colour;
  uniform vec3 floorRgb, gridRgb, eye; uniform float height, cell, fade;
  void main() {
    vec2 off = abs(fract(where / cell + 0.5) - 0.5) * cell, width = max(fwidth(where), 1e-9);
    vec2 line = clamp(1.5 - off / width, 0.0, 1.0) * clamp(cell / width / 30.0 - 0.2, 0.0, 1.0);
    float distance = length(vec3(where, height) - eye);
    float there = exp(-pow(distance / fade, 2.0));
    colour = vec4(mix(floorRgb, gridRgb, max(line.x, line.y)) * there, there);
  }`];

class Painter {
  constructor(canvas) {
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("no WebGL 2");
    this.surface = this.program(SURFACE);
    this.line = this.program(LINE);
    this.floor = this.program(FLOOR);
    this.floorArray = this.array(this.floor, { corner: [new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), 2] });
    this.lineArray = this.array(this.line, { position: [new Float32Array(0), 3], shade: [new Float32Array(0), 3] });
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  program([vertex, fragment]) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {}, count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(program, i);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  // Vertex data by attribute, each [numbers, how many for one vertex], and indices if there are some.
  array({ program }, attributes, indices) {
    const gl = this.gl, array = { handle: gl.createVertexArray(), buffers: {}, count: 0 };
    gl.bindVertexArray(array.handle);
    for (const [name, [data, size]] of Object.entries(attributes)) {
      array.buffers[name] = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, array.buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      const place = gl.getAttribLocation(program, name), bytes = data instanceof Int8Array;
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, bytes ? gl.BYTE : gl.FLOAT, bytes, 0, 0);
      array.count = data.length / size;
    }
    if (indices) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      array.count = indices.length;
    }
    gl.bindVertexArray(null);
    return array;
  }

  mesh(vertices, normals, triangles) {
    return this.array(this.surface, { position: [vertices, 3], normal: [normals, 3] }, triangles);
  }

  begin(width, height, view) {
    const gl = this.gl;
    this.view = view;
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  drawFloor(stage, middle) {
    const gl = this.gl, { program, uniforms } = this.floor, { eye, distance, matrix } = this.view;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.camera, false, matrix);
    gl.uniform2f(uniforms.middle, middle[0], middle[1]);
    gl.uniform1f(uniforms.reach, 20 * distance);
    gl.uniform1f(uniforms.height, stage.height);
    gl.uniform1f(uniforms.cell, stage.cell);
    gl.uniform1f(uniforms.fade, 3.2 * distance);
    gl.uniform3fv(uniforms.eye, eye);
    gl.uniform3fv(uniforms.floorRgb, stage.floor);
    gl.uniform3fv(uniforms.gridRgb, stage.grid);
    gl.bindVertexArray(this.floorArray.handle);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawMesh(mesh, pose, rgba) {
    const gl = this.gl, { program, uniforms } = this.surface, { axes: [right, up, towards], matrix } = this.view;
    gl.useProgram(program);
    gl.depthMask(rgba[3] >= 0.999);
    gl.uniformMatrix4fv(uniforms.camera, false, matrix);
    gl.uniformMatrix4fv(uniforms.pose, false, pose);
    gl.uniform4fv(uniforms.rgba, rgba);
    gl.uniform3fv(uniforms.towards, towards);
    gl.uniform3fv(uniforms.light, add(add(add([0, 0, 0], right, 0.30), up, 0.42), towards, 0.855));
    gl.uniform3fv(uniforms.sun, [0.2507, -0.3510, 0.9025]);
    gl.bindVertexArray(mesh.handle);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    gl.depthMask(true);
  }

  // Triangles (or lines) of one colour for each vertex, given anew for each picture.
  drawLoose(positions, shades, mode) {
    const gl = this.gl, { program, uniforms } = this.line;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.camera, false, this.view.matrix);
    gl.bindVertexArray(this.lineArray.handle);
    for (const [name, data] of [["position", positions], ["shade", shades]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.lineArray.buffers[name]);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    }
    gl.drawArrays(mode, 0, positions.length / 3);
  }
}
