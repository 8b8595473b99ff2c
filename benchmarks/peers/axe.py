"""Opens pages in Chromium under many settings and prints what axe-core finds in each, as JSON.

It needs Playwright for Python, Chromium and the file axe.min.js. Its arguments are a folder of pages, the path of axe,
the path of Chromium, and a folder for pictures of the pages.
"""

import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SETTINGS = {
    "phone": {"viewport": {"width": 320, "height": 640}},
    "phone, dark": {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark"},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
    "desktop, dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "zoom of 200 %": {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},
    "zoom of 400 %": {"viewport": {"width": 320, "height": 225}, "device_scale_factor": 4},
    "forced colours": {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"},
    "forced colours, dark": {
        "viewport": {"width": 1280, "height": 900},
        "forced_colors": "active",
        "color_scheme": "dark",
    },
    "print": {"viewport": {"width": 690, "height": 1000}},
}
"""A zoom of 200 % of a window of 1280 pixels leaves 640 pixels of CSS; paper of A4 has 690 between its margins."""

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})"
PAPER = 271 / 25.4 * 96
"""Pixels of CSS on a sheet of A4 between margins of 13 mm."""

SUMMARY = "() => document.querySelector('#summary').getBoundingClientRect().bottom + window.scrollY"
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def main() -> None:
    """Print one line for each page and setting."""
    pages, axe, chromium, pictures = (Path(given) for given in sys.argv[1:5])
    source = axe.read_text(encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium), args=["--no-sandbox"])
        for path in sorted(pages.glob("*.html")):
            for name, setting in SETTINGS.items():
                context = browser.new_context(**setting)
                page, said = context.new_page(), []
                page.on("console", lambda message, said=said: said.append(message.text))
                page.goto(path.absolute().as_uri())
                if name == "print":
                    page.emulate_media(media="print")
                page.screenshot(path=str(pictures / f"{path.stem}, {name}.png"), full_page=True)
                wider = page.evaluate(WIDER)
                beyond = page.evaluate(SUMMARY) - PAPER if name == "print" else 0
                page.evaluate(source)
                found = page.evaluate(RUN, TAGS)["violations"]
                rules = {one["id"]: [node["html"][:200] for node in one["nodes"]] for one in found}
                line = {"page": path.stem, "setting": name, "wider": wider, "beyond": beyond, "said": said}
                print(json.dumps({**line, "rules": rules}))
                sys.stdout.flush()
                if name == "print":
                    page.pdf(path=str(pictures / f"{path.stem}.pdf"), prefer_css_page_size=True)
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
