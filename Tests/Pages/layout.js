// Returns what is wrong with the layout of the page in a window of a width: a list of sentences.
const [width] = arguments;
const problems = [];
const root = document.documentElement;
if (root.scrollWidth > width) problems.push(`the page is ${root.scrollWidth} pixels wide`);

// The part of a rectangle that the scrolling regions around it show.
function shown(rect, element) {
  let { left, top, right, bottom } = rect;
  for (let node = element; node; node = node.parentElement) {
    if (getComputedStyle(node).overflowX === "visible" || node === root) continue;
    const box = node.getBoundingClientRect();
    [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
  }
  return { left, top, right, bottom };
}

// Text: each line of each text node, with the element around it.
const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  if (!node.data.trim() || !node.parentElement.checkVisibility()) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  for (const rect of range.getClientRects()) {
    const part = shown(rect, node.parentElement);
    if (part.right - part.left > 1 && part.bottom - part.top > 1 && part.right > 0) {
      texts.push({ ...part, node, text: node.data.trim().slice(0, 30) });
    }
  }
}
texts.sort((a, b) => a.top - b.top);
for (let i = 0; i < texts.length; i++) {
  for (let j = i + 1; j < texts.length && texts[j].top < texts[i].bottom; j++) {
    const [a, b] = [texts[i], texts[j]];
    if (a.node === b.node) continue;
    const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    // Boxes of text are higher than their letters.
    if (across > 1 && down > 5) problems.push(`"${a.text}" is over "${b.text}"`);
  }
}

// Contrast of text, as WCAG 2 defines it.
const luminance = (color) => {
  const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const background = (element) => {
  for (let node = element; node; node = node.parentElement) {
    const color = getComputedStyle(node).backgroundColor;
    if (color !== "rgba(0, 0, 0, 0)") return color;
  }
  return "rgb(255, 255, 255)";
};
for (const element of new Set(texts.map((text) => text.node.parentElement))) {
  const style = getComputedStyle(element);
  const color = element instanceof SVGElement ? style.fill : style.color;
  const [a, b] = [luminance(color), luminance(background(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) {
    problems.push(`"${element.textContent.slice(0, 30)}" has a contrast of ${ratio.toFixed(1)}`);
  }
}
return problems;
