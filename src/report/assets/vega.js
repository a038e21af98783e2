// What the package `vega` does: puts the modules that a page needs together.
Object.assign(modules['vega-dataflow'].transforms, modules['vega-transforms'],
              modules['vega-view-transforms'], modules['vega-encode']);
window.ggpmVega = {
  parse: modules['vega-parser'].parse,
  View: modules['vega-view'].View,
  expressionInterpreter: modules['vega-interpreter'].expressionInterpreter,
};
