// What stands on the first screen: `node first_screen.mjs FILE.html PICTURE.png` prints the words that can be read in full without
// scrolling, in a window of 1280 x 800. Exit code 1 if the page does what it may not.

import { resolve } from "node:path";
import { launch, open, settle } from "./browser.mjs";

const [path, picture] = process.argv.slice(2);

// Runs in the page: the texts that can be seen, in the order of the page.
function seen() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data;
    // Words are looked at one by one: of a line that is cut off the beginning can be seen.
    for (const { index, 0: word } of text.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const boxes = [...range.getClientRects()];
      const isSeen = boxes.length > 0 && boxes.every((box) => {
        if (box.width === 0 || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight) return false;
        for (let around = node.parentElement; around; around = around.parentElement) {
          const { overflowX } = getComputedStyle(around);
          if (overflowX !== "visible" && box.right > around.getBoundingClientRect().right + 1) return false;
        }
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const top = document.elementFromPoint(x, y);
        return Boolean(top) && (top === node.parentElement || top.contains(node) || node.parentElement.contains(top));
      });
      if (isSeen) found.push(word);
    }
  }
  return found.join(" ");
}

const browser = await launch();
const { page, faults } = await open(browser, resolve(path), { viewport: { width: 1280, height: 800 } });
await page.waitForSelector(".plot[data-chart=drawn]");
await settle(page);
await page.screenshot({ path: picture });
const screen = await page.evaluate(seen);
await browser.close();
console.log(screen);
for (const fault of faults) console.error(fault);
process.exit(faults.length ? 1 : 0);
