"""Pages in a real browser: chromium --headless, driven by chromedriver.

    browser.py PROGRAM EXAMPLES      makes the pages with the command, then looks at them

Exit 77 (skipped) where chromium is there but cannot start, for instance in a box without its sandbox.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, EXAMPLES = (os.path.abspath(path) for path in sys.argv[1:3])
WIDE, PHONE = 1280, 390

# name, how to simulate, how to fit
OUTPUTS = [
    ("count", "--likelihood poisson", "--likelihood poisson"),
    ("positive", "--likelihood gamma-shape --dispersion 0.2", "--likelihood gamma-shape"),
    ("proportion", "--likelihood beta --dispersion 0.1", "--likelihood beta"),
    ("binary", "--likelihood bernoulli", "--likelihood bernoulli"),
    ("binomial", "--likelihood binomial --trials 12", "--likelihood binomial --trials trials"),
    ("robust", "--likelihood student-t", "--likelihood student-t"),
    ("real", "--likelihood gaussian", "--likelihood gaussian"),
    ("ordinal", "--likelihood ordinal", "--likelihood ordinal"),
]
# Numbers with many digits, many levels, outputs that tell nothing.
EXTREMES = [
    ("huge", "--likelihood", "gaussian", "--warp", "log"),
    ("levels", "--likelihood", "poisson", "--inference", "laplace"),
    ("zeros", "--likelihood", "poisson", "--inference", "laplace"),
    ("censored", "--likelihood", "weibull", "--censored", "c", "--upper", "u", "--inference", "laplace"),
    ("named", "--levels", "bad,so so,a level with a long name", "--inference", "laplace"),
]
HOSTILE = ["</script><script>window.hostile=1</script>", "\"'><img src=x onerror=window.hostile=1>",
           "x" * 10000, "😀 emoji & <b>bold</b>", "\u202eעברית right to left"]
LEVELS = ["<script>window.hostile=1</script>", "it's \"quoted\"", "مرحبا", "😀"]

# Rectangles of all visible text, with the text; of SVG the whole element, of HTML each line.
TEXTS = """
const out = [];
const add = (r, text) => { if (r.width > 1 && r.height > 1) out.push([r.left, r.top, r.right, r.bottom, text]); };
const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || parent.closest('script, style, .scroll')) continue;
  if (parent.closest('svg')) {
    const shown = parent.closest('text');
    if (getComputedStyle(shown).opacity !== '0') add(shown.getBoundingClientRect(), node.data);
    continue;
  }
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const r of range.getClientRects()) add(r, node.data.slice(0, 60));
}
const pairs = [];
const air = 2;
out.sort((a, b) => a[1] - b[1]);
for (let i = 0; i < out.length; ++i)
  for (let j = i + 1; j < out.length && out[j][1] < out[i][3] - air; ++j) {
    const a = out[i], b = out[j];
    if (a[0] + air < b[2] && b[0] + air < a[2] && a[1] + air < b[3] && b[1] + air < a[3])
      pairs.push([a[4], b[4]]);
  }
return {count: out.length, pairs: pairs.slice(0, 5), page: document.documentElement.scrollWidth,
        window: innerWidth};
"""

# The numbers at both axes, in whatever order they are in the document.
AXIS = """Array.from(document.querySelectorAll('#' + arguments[0] + ' .role-axis-label text'),
    (t) => t.textContent).sort().join(' ')"""


def ggpm(folder, *words):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"ggpm {' '.join(words)[:200]}: {done.stderr}")


def write_hostile_table(path):
    rows = [",".join('"' + name.replace('"', '""') + '"' for name in [*HOSTILE[:3], "level", HOSTILE[3], HOSTILE[4]])]
    for i in range(40):
        level = LEVELS[i % len(LEVELS)].replace('"', '""')
        rows.append(f'{i % 7},{i % 5},{i / 40},"{level}",{(i * i) % 11},{(i * 3) % 8}')
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_extreme_tables(folder):
    rows = [f"{i * 1e12},{1e15 * 2.0 ** (i * 7 % 13)}" for i in range(40)]
    (folder / "huge.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
    rows = [f"level {i % 30},{i * 1e-9},{i * 5 % 4}" for i in range(90)]
    (folder / "levels.csv").write_text("g,x,y\n" + "\n".join(rows) + "\n")
    rows = [f"{i},{1 + i * 7 % 11},{(0, 1, -1, 0)[i % 4]},{20 if i % 4 == 3 else ''}" for i in range(40)]
    (folder / "censored.csv").write_text("x,y,c,u\n" + "\n".join(rows) + "\n")
    names = ["bad", "so so", "a level with a long name"]
    (folder / "named.csv").write_text("x,z,y\n" + "\n".join(f"{i},{i * 7 % 5},{names[i // 3 % 3]}" for i in range(40)) + "\n")
    (folder / "zeros.csv").write_text("x,y\n" + "\n".join(f"{i},0" for i in range(30)) + "\n")


def make_pages(folder):
    fit = ["--inference", "laplace", "--restarts", "2", "--quiet", "-o", "m.ggpm"]
    report = ["report", "m.ggpm", "--grid", "7"]
    for name, simulate, likelihood in OUTPUTS:
        ggpm(folder, "simulate", *simulate.split(), "--rows", "40", "--seed", "3", "-o", "t.csv")
        ggpm(folder, "fit", "t.csv", "--target", "y", *likelihood.split(),
             *(fit if name != "real" else fit[2:]))
        ggpm(folder, *report, "-o", name + ".html")
    write_extreme_tables(folder)
    for name, *likelihood in EXTREMES:
        ggpm(folder, "fit", name + ".csv", "--target", "y", *likelihood, *fit[2:])
        ggpm(folder, *report, "-o", name + ".html")
    write_hostile_table(folder / "hostile.csv")
    ggpm(folder, "fit", "hostile.csv", "--target", HOSTILE[4], "--likelihood", "poisson", "--kernel",
         "rbf(ard=true)", "--no-optimize", *fit)
    ggpm(folder, *report, "-o", "hostile.html")
    ggpm(folder, "compare", EXAMPLES + "/counts.csv", "--target", "n", "--likelihoods",
         "poisson,linear-poisson", "--kernels", "linear", "--inferences", "taylor", "--splits", "3",
         "--restarts", "0", "--quiet", "--report", "compare.html")


def start_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--hide-scrollbars", "--force-color-profile=srgb"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        make_pages(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def run_js(self, script, *arguments):
        return BROWSER.execute_script(script, *arguments)

    def wait(self, script, what, meanwhile=lambda: None):
        end = time.time() + 20
        while not self.run_js("return " + script):
            if time.time() > end:
                self.fail(f"{what}: {self.errors()}")
            time.sleep(0.03)
            meanwhile()

    def errors(self):
        return [entry["message"] for entry in BROWSER.get_log("browser")]

    def width(self, pixels, dark=False):
        BROWSER.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": pixels < 600})
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, name, width=WIDE):
        self.width(width)
        BROWSER.get((self.folder / (name + ".html")).as_uri())
        self.wait("document.documentElement.dataset.ready", name + " does not get ready")

    def check_page(self, name):
        self.open(name)
        views = self.run_js("""return Array.from(document.querySelectorAll('figure'), (f) => [f.id,
            f.dataset.live, f.querySelectorAll('.picture svg g.mark-group path, .picture svg [role=graphics-symbol] path').length,
            Array.from(f.querySelectorAll('path'), (p) => p.getAttribute('d') || '').some((d) => d.includes('NaN'))])""")
        self.assertGreater(len(views), 3)
        for figure, live, marks, broken in views:
            self.assertEqual(live, "yes", f"{name}: {figure}")
            self.assertGreater(marks, 0, f"{name}: {figure} is empty")
            self.assertFalse(broken, f"{name}: {figure} has paths to nowhere")
        for width in (WIDE, PHONE):
            self.width(width)
            self.wait("Array.from(document.querySelectorAll('figure .picture'), (p) => "
                      "Math.abs(p.querySelector('svg').getBoundingClientRect().width - p.clientWidth) < 3)"
                      ".every((x) => x)", f"{name}: pictures are not as wide as their places at {width}")
            found = self.run_js(TEXTS)
            self.assertGreater(found["count"], 50)
            self.assertEqual(found["pairs"], [], f"{name} at {width}: texts overlap")
            self.assertLessEqual(found["page"], found["window"], f"{name} at {width}: wider than the screen")
        self.assertEqual(self.errors(), [], name)

    def pointer(self, *actions):
        for kind, x, y, *more in actions:
            BROWSER.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": x, "y": y, "button": "left" if kind != "mouseMoved" or more else "none",
                "buttons": 1 if more else 0, "clickCount": more[0] if more and kind != "mouseMoved" else 0})

    def scroll_to(self, selector):
        # The event of a scroll comes with the next frame, and hides the tooltip: wait for that frame.
        BROWSER.execute_async_script("""const done = arguments[1];
            document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'});
            requestAnimationFrame(() => requestAnimationFrame(() => done()));""", selector)

    def place(self, selector, at_x=0.5, at_y=0.5):
        self.scroll_to(selector)
        box = self.run_js("""const r = document.querySelector(arguments[0]).getBoundingClientRect();
            return [r.left, r.top, r.width, r.height]""", selector)
        return box[0] + at_x * box[2], box[1] + at_y * box[3]

    # A hand is never quite still: the pointer trembles until what it should bring is there.
    def hover(self, x, y, script, what):
        def tremble():
            self.pointer(("mouseMoved", x - 1, y), ("mouseMoved", x, y))

        tremble()
        self.wait(script, what, tremble)

    def axis(self, figure):
        return self.run_js("return " + AXIS, figure)

    def test_compare_page(self):
        self.check_page("compare")

    def test_tooltips_of_curves_and_points(self):
        self.open("count")
        x, y = self.place("#fit .picture", 0.5, 0.1)
        self.hover(x, y, "!document.querySelector('#tip').hidden", "no tooltip over the curve")
        text = self.run_js("return document.querySelector('#tip').textContent")
        for word in ("x:", "mean:", "95 %:"):
            self.assertIn(word, text)
        x, y = self.place("#density .mark-symbol path")
        self.hover(x, y, "document.querySelector('#tip').textContent.includes('row ')", "no tooltip over a point")
        self.assertIn("log density:", self.run_js("return document.querySelector('#tip').textContent"))
        x, y = self.place("#map .mark-rect path")
        self.hover(x, y, "document.querySelector('#tip').textContent.includes('probability:')", "no tooltip over a cell")
        self.pointer(("mouseMoved", 2, 2))
        self.wait("document.querySelector('#tip').hidden", "the tooltip stays")
        self.assertEqual(self.errors(), [])

    def test_zoom_by_buttons_and_by_dragging(self):
        self.open("count")
        whole = self.axis("fit")
        self.run_js("document.querySelector('#fit .tools button').click()")
        self.assertNotEqual(self.axis("fit"), whole)
        self.run_js("document.querySelector('#fit .tools button:last-child').click()")
        self.assertEqual(self.axis("fit"), whole)
        x1, y = self.place("#fit .picture", 0.4)
        x2 = self.place("#fit .picture", 0.5)[0]
        self.pointer(("mousePressed", x1, y, 1), ("mouseMoved", x2, y, 1), ("mouseReleased", x2, y, 1))
        zoomed = self.axis("fit")
        self.assertNotEqual(zoomed, whole)
        self.pointer(("mousePressed", x1, y, 1), ("mouseReleased", x1, y, 1),
                     ("mousePressed", x1, y, 2), ("mouseReleased", x1, y, 2))
        self.wait(AXIS.replace("arguments[0]", "'fit'") + " === " + json.dumps(whole),
                  "a double click does not reset")
        self.assertEqual(self.errors(), [])

    def test_levels_are_named_and_censored_rows_open(self):
        self.open("named")
        for figure in ("fit", "observed", "effect-0"):
            self.assertIn("so so", self.axis(figure), figure)
        self.open("censored")
        legend = self.run_js("return document.querySelector('#fit .legend').textContent")
        for name in ("known to be larger", "known to be smaller", "known to lie between"):
            self.assertIn(name, legend)
        self.assertEqual(self.run_js("""return Array.from(document.querySelectorAll('#fit .mark-symbol path'),
            (p) => p.getAttribute('fill') === 'transparent').filter((x) => x).length"""), 30)

    def test_dark_and_print(self):
        self.open("count")
        color = "return getComputedStyle(document.body).backgroundColor"
        curve = "return getComputedStyle(document.querySelector('#fit .mark-line path')).stroke"
        light = self.run_js(color), self.run_js(curve)
        self.width(WIDE, dark=True)
        dark = self.run_js(color), self.run_js(curve)
        self.assertEqual(light[0], "rgb(255, 255, 255)")
        self.assertNotEqual(light[0], dark[0])
        self.assertNotEqual(light[1], dark[1])
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [
            {"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(self.run_js(color), light[0], "paper is white")
        self.assertEqual(self.run_js("return getComputedStyle(document.querySelector('.tools')).display"), "none")
        BROWSER.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_hostile_names_are_inert(self):
        self.check_page("hostile")
        self.assertIsNone(self.run_js("return window.hostile"))
        self.assertEqual(self.run_js("""return document.querySelectorAll('#relevance .mark-rect path').length
            - Array.from(document.querySelectorAll('#relevance .role-axis-label')).pop().querySelectorAll('text').length"""),
            0, "a bar has no name")
        self.assertEqual(self.run_js("return document.querySelectorAll('main img, main b, main iframe').length"), 0)
        self.assertEqual(self.run_js("return performance.getEntriesByType('resource').length"), 0)
        text = self.run_js("return document.body.innerText")
        self.assertIn("<img src=x onerror=", text)
        self.assertIn("<script>window", text)
        self.assertNotIn("x" * 200, text)

    def test_pictures_without_javascript(self):
        BROWSER.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.width(WIDE)
            BROWSER.get((self.folder / "count.html").as_uri())
            found = BROWSER.execute_cdp_cmd("DOM.getDocument", {"depth": -1})
            text = json.dumps(found)
            self.assertGreater(text.count('"nodeName": "svg"'), 6)
            self.assertGreater(text.count('"nodeName": "TABLE"'), 4)
        finally:
            BROWSER.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def add_output(name):
    setattr(Pages, f"test_{name}_page", lambda self: self.check_page(name))


for output, *_ in OUTPUTS + EXTREMES:
    add_output(output)

if __name__ == "__main__":
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        if shutil.which("dpkg-query"):
            sys.exit("chromium and chromium-driver are missing; run: scripts/dependencies run")
        print("there is no chromium")
        sys.exit(77)
    try:
        BROWSER = start_browser()
    except Exception as error:  # whatever keeps it from starting, the reason is shown
        print(f"chromium cannot start here: {error}")
        sys.exit(77)
    try:
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
    finally:
        BROWSER.quit()
