"""A report as a reader meets it: a small run, its page in headless Chromium, the mouse on it.

Called as browser_test.py PROGRAM SOURCE_DIR; exits with 77 (skipped) when there is no Chromium."""
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from chromium import Browser, find_chromium  # noqa: E402

SUMMARY = """(() => {
  talus.player.draw();
  const p = talus.player.stage.pixels(), seen = new Set();
  let sum = 0;
  for (let i = 0; i < p.length; i += 4) {
    sum = (sum * 31 + p[i] + 7 * p[i + 1] + 13 * p[i + 2]) % 2147483647;
    seen.add(p[i] >> 3 << 10 | p[i + 1] >> 3 << 5 | p[i + 2] >> 3);
  }
  return {sum, colours: seen.size, pixels: p.length / 4};
})()"""


class ReportInBrowser(unittest.TestCase):
    program = source = chromium = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="talus_report_")
        cls.run_folder = os.path.join(cls.folder, "run")
        subprocess.run([cls.program, "run", os.path.join(cls.source, "scenes/demo.toml"), "-o",
                        cls.run_folder, "--frames", "8", "--set", "sph.spacing=0.045", "--quiet"],
                       check=True)
        cls.browser = Browser(cls.chromium)
        cls.browser.emulate(1000, 900)
        cls.browser.open(os.path.join(cls.run_folder, "report.html"))
        cls.browser.run("talus.ready.then(() => null)")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self):
        self.browser.problems.clear()
        self.browser.run("talus.player.play(false), talus.player.seek(0), talus.player.reset(), scrollTo(0, 0)")

    def tearDown(self):
        self.assertEqual(self.browser.problems, [])

    def place(self, selector):
        return self.browser.run(f"(r => [r.left, r.top, r.width, r.height])"
                                f"(document.querySelector('{selector}').getBoundingClientRect())")

    def test_a_page_without_errors_and_without_network(self):
        fresh = Browser(self.chromium)
        with fresh:
            fresh.open(os.path.join(self.run_folder, "report.html"))
            self.assertTrue(fresh.run("talus.ready.then(player => player !== null)"))
            self.assertEqual(fresh.problems, [])
            others = [a for a in fresh.addresses if not a.startswith(("file:", "data:", "about:"))]
            self.assertEqual(others, [])

    def test_b_player_draws(self):
        seen = self.browser.run(SUMMARY)
        self.assertGreater(seen["pixels"], 100_000)
        self.assertGreater(seen["colours"], 100, "the picture is blank")
        self.assertEqual(self.browser.run("talus.player.stage.gl.getError()"), 0)
        self.assertGreater(self.browser.run("talus.player.cloud.count"), 500)

    def test_c_play_advances_the_frame_and_pause_stops_it(self):
        before = self.browser.run(SUMMARY)["sum"]
        self.browser.click("#player .play")
        end = time.monotonic() + 60
        while self.browser.run("talus.player.frame") < 2 and time.monotonic() < end:
            time.sleep(0.05)
        self.browser.click("#player .play")
        frame = self.browser.run("talus.player.frame")
        self.assertGreaterEqual(frame, 2)
        self.assertNotEqual(self.browser.run(SUMMARY)["sum"], before)
        self.assertAlmostEqual(float(self.browser.run("document.querySelector('.timeline').value")), frame)
        time.sleep(0.3)
        self.assertEqual(self.browser.run("talus.player.frame"), frame)

    def test_d_mouse_turns_the_picture_and_a_double_click_resets_it(self):
        before = self.browser.run(SUMMARY)["sum"]
        x, y, width, height = self.place("#player canvas")
        self.browser.drag(x + 0.3 * width, y + 0.8 * height, 0.25 * width, -40)
        self.assertNotEqual(self.browser.run(SUMMARY)["sum"], before)
        distance = self.browser.run("talus.player.orbit.distance")
        self.browser.mouse("mouseWheel", x + 0.3 * width, y + 0.8 * height, deltaX=0, deltaY=-120)
        time.sleep(0.3)
        self.assertLess(self.browser.run("talus.player.orbit.distance"), distance)
        self.browser.run("document.querySelector('#player canvas').dispatchEvent(new Event('dblclick'))")
        self.assertEqual(self.browser.run(SUMMARY)["sum"], before)

    def test_e_colour_by_speed_and_bodies_as_glass_change_the_picture(self):
        self.browser.run("talus.player.seek(5)")
        sums = {self.browser.run(SUMMARY)["sum"]}
        for control, value in ((".colour", "speed"), (".colour", "natural"), (".bodies select", "glass"),
                               (".bodies select", "hidden"), (".bodies select", "solid")):
            self.browser.run(f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})"
                             f"(document.querySelector('#player {control}'))")
            sums.add(self.browser.run(SUMMARY)["sum"])
            if value == "speed":
                self.assertIn("m/s", self.browser.run("document.querySelector('.legend').textContent"))
        self.assertEqual(len(sums), 4)

    def test_f_plots_are_there_and_follow_the_pointer(self):
        keys = self.browser.run("talus.plots.map(p => p.plot.key)")
        for key in ("energy", "particles", "iterations", "density", "step", "force", "time"):
            self.assertIn(key, keys)
        lines = self.browser.run("[...document.querySelectorAll('.plot')].map(p => p.querySelectorAll('path.line').length)")
        self.assertTrue(all(count >= 1 for count in lines), lines)
        self.browser.run("document.querySelector('.plot').scrollIntoView()")
        x, y, width, height = self.place(".plot svg")
        told = []
        for share in (0.2, 0.8):
            self.browser.mouse("mouseMoved", x + share * width, y + height / 2)
            told.append(self.browser.run("document.querySelector('.plot .keys').textContent"))
        self.assertNotEqual(*told)
        self.browser.click(".plot svg")
        self.assertAlmostEqual(self.browser.run("talus.player.frame"), 4, delta=1)

    def test_g_places_are_those_of_the_frames(self):
        # The run has few particles: all are there, and fall as the first frames tell.
        span = """(k => { const f = talus.player.cloud.frames[k], r = talus.player.run;
          let top = -1e9; for (let i = 2; i < f.places.length; i += 3)
            if (f.speeds[i / 3 | 0] != 255) top = Math.max(top, r.lower[2] + f.places[i] * r.step);
          return top; })(%d)"""
        first, last = self.browser.run(span % 0), self.browser.run(span % 8)
        self.assertAlmostEqual(first, 0.58, delta=0.05)
        self.assertLess(last, first)

    def test_i_graphics_that_were_lost_come_back(self):
        before = self.browser.run(SUMMARY)
        self.browser.run("window.lost = talus.player.stage.gl.getExtension('WEBGL_lose_context'), lost.loseContext()")
        self.browser.run("new Promise(done => setTimeout(done, 100))")
        self.browser.run("new Promise(done => { document.querySelector('#player canvas')"
                         ".addEventListener('webglcontextrestored', () => done(null), {once: true}); lost.restoreContext(); })")
        self.assertEqual(self.browser.run(SUMMARY), before)
        self.browser.problems[:] = [p for p in self.browser.problems if "CONTEXT_LOST" not in p]

    def test_h_a_phone_shows_it_without_scrolling_sideways(self):
        self.browser.emulate(390, 844, scale=2, phone=True, dark=True)
        try:
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
            self.assertGreater(self.browser.run(SUMMARY)["colours"], 100)
        finally:
            self.browser.emulate(1000, 900)


if __name__ == "__main__":
    ReportInBrowser.program, ReportInBrowser.source = sys.argv[1:3]
    ReportInBrowser.chromium = find_chromium()
    if not ReportInBrowser.chromium:
        print("skipped: there is no chromium (apt-get install chromium)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
