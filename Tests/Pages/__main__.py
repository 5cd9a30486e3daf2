"""Reads the pages of `storectl serve` in a browser, by keyboard alone, and checks what a reader sees.

Usage: python3 Tests/Pages STORECTL CHROMEDRIVER CHROMIUM
"""

import pathlib
import subprocess
import sys
import tempfile

import sample
from webdriver import CONTROL, DELETE, TAB, Browser

LAYOUT = (pathlib.Path(__file__).parent / "layout.js").read_text()


class Reader:
    """A reader with a window of a width, and colors of the system."""

    def __init__(self, browser, base, width, scheme):
        self.browser, self.base, self.width, self.scheme = browser, base, width, scheme
        self.problems = []
        browser.show(width, scheme)

    def expect(self, holds, sentence):
        if not holds:
            self.problems.append(f"{self.width} px, {self.scheme}, {self.browser.url}: {sentence}")

    def look(self, refused=False):
        """Checks the layout of the page and the console."""
        for problem in self.browser.run(LAYOUT, self.width):
            self.expect(False, problem)
        for message in self.browser.errors():
            # The console names each response that is an error.
            self.expect(refused and "status of 4" in message, f"the console says {message}")

    def open(self, path):
        self.browser.open(self.base + path)
        self.look()

    def go(self, selector):
        """Moves the focus to an element with the Tab key, and tells whether it gets there."""
        for _ in range(400):
            self.browser.press(TAB)
            found = self.browser.run(
                "const element = document.activeElement;"
                "return [element.matches(arguments[0]), element === document.body,"
                " getComputedStyle(element).outlineStyle]",
                selector,
            )
            if found[1]:
                break
            if found[0]:
                self.expect(found[2] != "none", f"the focus on {selector} cannot be seen")
                return
        raise RuntimeError(f"Tab does not reach {selector} on {self.browser.url}")

    def follow(self, selector, refused=False):
        """Opens a link, or sends a form, with the keyboard."""
        self.go(selector)
        self.browser.enter()
        self.look(refused)

    def fill(self, selector, text, refused=False):
        """Replaces the text of a field, and sends its form."""
        self.go(selector)
        self.browser.press(CONTROL, "a")
        self.browser.press(DELETE)
        self.browser.type(text)
        self.browser.enter()
        self.look(refused)

    def text(self, selector):
        return self.browser.run(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector
        )


def tour(reader):
    """What a reader does with a store: find an object, and what belongs to it."""
    reader.open("/")
    reader.browser.press(TAB)
    first = reader.browser.run("return document.activeElement.className")
    reader.expect(first == "skip", "the first link does not skip to the content")
    reader.expect("1,226 objects" in reader.text("caption"), "the number of objects is not shown")
    edge = reader.browser.run(
        "return [...document.querySelectorAll('tbody td:nth-child(2)')]"
        ".map(cell => cell.getBoundingClientRect().right)"
    )
    reader.expect(max(edge) <= reader.width, "the numbers of objects are cut off")

    reader.follow("tbody a[href='/entities/Book']")
    reader.expect("1,200 objects" in reader.text("caption"), "the objects of Book are not counted")
    hint = reader.browser.run("return document.querySelector('[name=where]').placeholder")
    reader.expect(hint == "title~a, author.name~a", f"the example of a condition is {hint}")

    reader.fill("input[name=q]", "volume 12")
    reader.expect("14 objects" in reader.text("caption"), "a search does not select objects")
    reader.follow("form.choice a")
    reader.fill("input[name=where]", "pagess>1100", refused=True)
    reason = reader.text("[role=alert]")
    reader.expect("no property 'pagess'" in reason, f"the reason is {reason!r}")
    kept = reader.browser.run("return document.querySelector('[name=where]').value")
    reader.expect(kept == "pagess>1100", "the form lost the wrong condition")
    reader.fill("input[name=where]", "pages>1100")
    reader.expect("1,102 objects" in reader.text("caption"), "a condition does not select objects")

    reader.follow("thead a[href*='sort=pages']")
    reader.follow("thead a[href*='sort=-pages']")
    order = reader.browser.run("return document.querySelector('[aria-sort]')?.ariaSort")
    reader.expect(order == "descending", f"the order is {order}")
    reader.expect("2202" in reader.text("tbody tr:first-child"), "the highest number is not first")
    reader.follow("a[rel=next]")
    reader.expect("51–100 of 1,102" in reader.text(".pages"), "the next page is not the second")

    reader.follow("tbody th a")
    reader.expect(reader.text("h1").startswith("Book/1152"), "the link opens another object")
    reader.follow("tbody a[href='/objects/Author/1']")
    reader.expect(reader.text("h1") == "Author/1 Ada", "the related object is another")
    reader.follow("tbody a[href='/objects/Author/1/books']")
    reader.expect("1,199 objects" in reader.text("caption"), "the related objects are not counted")

    reader.fill("header input[name=id]", "Book/4")
    reader.expect(reader.text("h1").startswith("Book/4"), "the form opens another object")
    reader.fill("header input[name=id]", "Nobody/4", refused=True)
    reader.expect("no entity 'Nobody'" in reader.text("main"), "the reason is not shown")

    reader.follow("nav a[href='/history']")
    reader.follow("a[rel=next]")
    reader.expect("new" in reader.text(".changes"), "the older saves are not shown")
    reader.follow("nav a[href='/schema']")
    boxes = reader.browser.run("return document.querySelectorAll('svg .box').length")
    reader.expect(boxes == len(sample.ENTITIES), f"the diagram has {boxes} boxes")
    reader.go(".scroll")
    for path in ("/objects/Book/3", "/objects/Author/2", "/entities/Chapter", "/entities/Tag"):
        reader.open(path)


def main(storectl, driver, chromium):
    with tempfile.TemporaryDirectory() as folder:
        url = sample.make(storectl, pathlib.Path(folder))
        server = subprocess.Popen(
            [storectl, "serve", url, "--port", "0"], stdout=subprocess.PIPE, text=True
        )
        browser = Browser(driver, chromium)
        try:
            base = server.stdout.readline().strip().rstrip("/")
            problems = []
            for width in (390, 1280):
                for scheme in ("light", "dark"):
                    reader = Reader(browser, base, width, scheme)
                    tour(reader)
                    problems += reader.problems
        finally:
            browser.close()
            server.terminate()
            server.wait()
    for problem in problems:
        print(problem)
    print(f"test-pages: {len(problems)} problems at two widths, in light and dark colors")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
