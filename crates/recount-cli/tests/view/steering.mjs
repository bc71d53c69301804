// Wheel, keys and links: what moves the page, what zooms, what opens and what closes; and windows as narrow as a phone.

const scrolled = (page) => page.evaluate(() => scrollY);
const isZoomed = (page) => page.evaluate(() => document.querySelector(".board .plot-frame").chart.timeline.isZoomed);

export async function steering({ viewer, expect, times, object }) {
  const { page } = viewer;
  await viewer.reported();
  await page.setViewportSize({ width: 1280, height: 500 });
  await wheel({ viewer, page, expect });
  await pointer({ page, expect, times });
  await escapes({ viewer, page, expect });
  await findings({ page, expect });
  await lastSample({ viewer, page, expect, times, object });
}

// The wheel alone scrolls, also over a chart; with Ctrl it zooms. Meanwhile the tools stay.
async function wheel({ viewer, page, expect }) {
  await page.locator(".board .u-over").first().hover();
  await page.mouse.wheel(0, 120);
  await page.waitForTimeout(300);
  expect((await scrolled(page)) > 50 && !(await isZoomed(page)), "the wheel over a chart doesn't scroll the page");
  for (const tool of ["#tools [data-tool=find]", "#strip .tools button", "#time-box"]) {
    const box = await page.locator(tool).first().boundingBox();
    expect(box !== null && box.y >= 0 && box.y < 200, `${tool} is gone after scrolling`);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.locator(".board .u-over").first().hover();
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -240);
  await page.keyboard.up("Control");
  await viewer.drawn();
  expect(await isZoomed(page), "Ctrl and wheel over a chart don't zoom");
  await page.locator("#reset").click();
  await viewer.drawn();
}

// The time in the strip is that of a sample.
async function pointer({ page, expect, times }) {
  const box = await page.locator(".board .u-over").first().boundingBox();
  for (const share of [0.231, 0.517, 0.803]) {
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
    await page.waitForTimeout(120);
    const cursor = await page.evaluate(() => document.querySelector(".board .plot-frame").chart.timeline.cursor);
    expect(times.some((t) => Math.abs(t - cursor) < 1), `the pointer stands at ${cursor}, where no sample is`);
  }
  await page.mouse.move(2, 2);
}

// Each press closes one thing.
async function escapes({ viewer, page, expect }) {
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  expect(!(await page.locator("#finder").isVisible()), "Escape in the empty box doesn't close the list of counters");
  await viewer.press(0, 0.5);
  await page.getByRole("button", { name: "Who was it?" }).first().click();
  await page.keyboard.press("Tab");
  await page.evaluate(() => { const { timeline } = document.querySelector(".board .plot-frame").chart; timeline.zoom(0.5, (timeline.from + timeline.to) / 2); });
  await viewer.drawn();
  await page.locator(".menu-toggle").first().click();
  await page.evaluate(() => document.activeElement.blur());
  const open = async () => [await page.locator(".menu:visible").count() > 0, await page.locator(".bubble:visible, .pin-line:visible").count() > 0, await page.locator("#dock").isVisible(), await isZoomed(page)];
  const steps = ["the menu", "the pinned time", "the panel", "the zoom"];
  expect((await open()).every(Boolean), `not everything is open: ${await open()}`);
  for (let k = 0; k < steps.length; k++) {
    await page.keyboard.press("Escape");
    await page.waitForTimeout(150);
    const now = await open();
    expect(now.every((isOpen, at) => isOpen === (at > k)), `after ${k + 1} Escapes (${steps[k]}): ${now}`);
  }
  await page.keyboard.press("?");
  expect(await page.locator("#key-help").isVisible(), "? doesn't show the keys");
  await page.keyboard.press("Escape");
  expect(!(await page.locator("#key-help").isVisible()), "Escape doesn't close the keys");
}

async function findings({ page, expect }) {
  const { hint, begin, end } = await page.evaluate(() => {
    const { timeline, clock } = document.querySelector(".board .plot-frame").chart;
    return { hint: document.querySelector("#time-box").placeholder.split(",")[0], begin: clock.text(timeline.begin), end: clock.text(timeline.end) };
  });
  expect(hint >= begin.slice(0, hint.length) && hint <= end, `the box for times hints at ${hint}, the capture is from ${begin} to ${end}`);
  const num = await page.locator("article.finding").count();
  expect(num > 0, "no findings to go to");
  const link = page.locator("#places a[href='#findings']");
  expect((await link.innerText()).includes(String(num)), `the link says ${await link.innerText()}`);
  await page.evaluate(() => scrollTo(0, 0));
  await page.keyboard.press("f");
  await page.waitForTimeout(200);
  const top = () => page.evaluate(() => document.activeElement.getBoundingClientRect().top);
  const stays = await page.evaluate(() => document.querySelector("#stay").getBoundingClientRect().bottom);
  expect((await page.evaluate(() => document.activeElement.id)) === "findings-title" && (await top()) >= stays - 1, "f doesn't go to the findings, below what stays");
  await page.keyboard.press("n");
  expect((await page.evaluate(() => document.activeElement.closest("article")?.id)) === "finding-0", "n doesn't go to the first finding");
  await page.evaluate(() => scrollTo(0, 0));
}

// Nothing is pinned: the time machine opens at the last sample.
async function lastSample({ viewer, page, expect, times, object }) {
  const answered = page.waitForResponse("**/api/instances");
  await page.locator("[data-tool=machine]").click();
  const answer = await (await answered).json();
  await viewer.idle("machine");
  expect(answer.index === answer.num_samples - 1 && Math.abs(answer.time_ms - times.at(-1)) < 1, `${object}: sample ${answer.index + 1} of ${answer.num_samples}`);
  await page.keyboard.press("Escape");
}

// As narrow as a phone: nothing is wider than the screen, whatever is open.
export async function narrow({ viewer, expect, shot }) {
  const { page } = viewer;
  await viewer.reported();
  await page.setViewportSize({ width: 390, height: 844 });
  const states = [
    ["charts", async () => {}], ["finder", () => page.keyboard.press("/")], ["panel", async () => { await page.keyboard.press("Escape"); await page.locator("[data-tool=machine]").click(); }],
    ["pinned", () => viewer.press(0, 0.95)], ["keys", async () => { await page.evaluate(() => document.activeElement.blur()); await page.keyboard.press("?"); }],
    ["series", async () => { await page.keyboard.press("Escape"); await page.locator("#places a[href='#all-series']").click(); }],
  ];
  // What stays leaves room for the charts, and is what one works with.
  await page.evaluate(() => scrollTo(0, 500));
  await page.waitForTimeout(200);
  const stays = await page.evaluate(() => document.querySelector("#stay").getBoundingClientRect().bottom);
  expect(stays < 130, `the header takes ${stays} of 844 pixels`);
  for (const tool of ["#tools [data-tool=find]", "#time-box", "#strip .tools button"]) {
    const box = await page.locator(tool).first().boundingBox();
    expect(box !== null && box.y >= 0 && box.y < stays, `${tool} is gone after scrolling`);
  }
  await page.evaluate(() => scrollTo(0, 0));
  for (const [name, go] of states) {
    await go();
    await page.waitForTimeout(300);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide <= 0, `${name}: ${wide} pixels wider than the screen`);
    await shot(`narrow-${name}`);
  }
}

// No chart stands alone beside an empty place.
export async function rows({ viewer, expect }) {
  const { page } = viewer;
  for (const width of [700, 1280, 1700, 2200]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(200);
    const room = await page.evaluate(() => {
      const board = document.querySelector("#board").getBoundingClientRect();
      const ends = new Map();
      for (const node of document.querySelectorAll("#board > *")) {
        const { top, right } = node.getBoundingClientRect();
        ends.set(Math.round(top), Math.max(right, ends.get(Math.round(top)) || 0));
      }
      const tops = [...document.querySelectorAll("#board > *")].map((node) => Math.round(node.getBoundingClientRect().top));
      const isAlone = innerWidth > 1200 && tops.length > 1 && tops.some((top) => tops.filter((other) => other === top).length === 1);
      return isAlone ? Infinity : Math.max(...[...ends.values()].map((right) => board.right - right));
    });
    expect(room < 4, `at ${width} a row of charts leaves ${room} pixels empty`);
  }
}
