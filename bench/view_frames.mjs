// What a frame of the viewer's page costs: zooming, scrolling and walking in a flame graph of 200 000 nodes.
//
//     MODULES=BUILD/tests/node HEAPTAP=BUILD/src/cli/heaptap node bench/view_frames.mjs TRACE [NODES [VIEW]]
//
// Milliseconds of the page's main thread for one key press or turn of the wheel, all that follows included: script, style,
// layout, painting (Chromium's own count of its tasks); beside it what drawing on the canvas took of that.

import { answer, finish, open, serve, settled } from "../tests/viewer/browser.mjs";

const [trace, nodes = "200000", view = "flame"] = process.argv.slice(2);
const ROUNDS = 40;

const server = await serve(trace);
await answer(server, "api/answer?report=tree&form=columns&nodes=2");
const page = await open(`${server.url}?nodes=${nodes}&view=${view}`);
await settled(page, view);
const chromium = await page.context().newCDPSession(page);
await chromium.send("Performance.enable");

async function metrics() {
    const { metrics: list } = await chromium.send("Performance.getMetrics");
    return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

const frame = () => page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));

// `act` is one turn; what lies between its events and the second frame after it is counted.
async function measure(name, act) {
    for (let i = 0; i < 6; i++) await act(i), await frame();
    await page.evaluate(() => (window.heaptapFrames.milliseconds.length = 0));
    const before = await metrics();
    for (let i = 0; i < ROUNDS; i++) await act(i), await frame();
    const after = await metrics();
    const spent = (key) => ((1000 * (after[key] - before[key])) / ROUNDS).toFixed(2);
    const { milliseconds: drawn, shapes } = await page.evaluate(() => window.heaptapFrames);
    const drawing = (drawn.reduce((sum, one) => sum + one, 0) / ROUNDS).toFixed(2);
    console.log(`${name.padEnd(28)} ${spent("TaskDuration")} ms: script ${spent("ScriptDuration")}, style ${spent("RecalcStyleDuration")}, layout ${spent("LayoutDuration")}; drawing ${drawing}, the last of ${shapes} shapes`);
}

await page.focus("#view .picture");
console.log(`${await page.textContent("#view .caption-text")}`);
await measure("nothing", async () => {});
await measure("walk (an arrow)", async (i) => page.keyboard.press(i % 8 < 4 ? "ArrowUp" : "ArrowDown"));
for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowUp");
await measure("zoom (Enter, or Escape)", async (i) => page.keyboard.press(i % 2 ? "Escape" : "Enter"));
const box = await page.locator("#view .picture").boundingBox();
await page.mouse.move(box.x + 300, box.y + 200);
await measure("scroll (the wheel)", async (i) => page.mouse.wheel(0, i % 20 < 10 ? -60 : 60));
await server.end("SIGKILL");
await finish();
