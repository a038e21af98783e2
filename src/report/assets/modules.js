// Debian's libjs-vega is a file for each of Vega's modules. They ask for each other by name through
// define(), which is this one; `name` is set before each of them.
const modules = {};
let name = '';
function define(needs, make) {
  const exports = {};
  make(...needs.map((need) => need === 'exports' ? exports : modules[need]));
  modules[name] = exports;
}
define.amd = true;
