// What a frame of the viewer's page costs: zooming, scrolling and walking in a flame graph of 200 000 nodes.
//
//     MODULES=BUILD/tests/node HEAPTAP=BUILD/src/cli/heaptap node bench/view_frames.mjs TRACE [NODES [VIEW]]
//
// Milliseconds of the processor of the page's main thread for one key press or turn of the wheel, all that follows included: script, style,
// layout, painting (Chromium's own count of its tasks); beside it what drawing on the canvas took of that.

import { answer, finish, open, serve, settled } from "../tests/viewer/browser.mjs";
import { measuring } from "../tests/viewer/measure.mjs";

const [trace, nodes = "200000", view = "flame"] = process.argv.slice(2);

const server = await serve(trace);
await answer(server, "api/answer?report=tree&form=columns&nodes=2");
const page = await open(`${server.url}?nodes=${nodes}&view=${view}`);
await settled(page, view);
const measure = await measuring(page);

async function tell(name, act) {
    const { task, script, style, layout, drawing, shapes } = await measure(act);
    const [all, ...parts] = [task, script, style, layout, drawing].map((one) => one.toFixed(2));
    console.log(`${name.padEnd(28)} ${all} ms: script ${parts[0]}, style ${parts[1]}, layout ${parts[2]}; drawing ${parts[3]}, the last of ${shapes} shapes`);
}

await page.focus("#view .picture");
console.log(`${await page.textContent("#view .caption-text")}`);
await tell("nothing", async () => {});
await tell("walk (an arrow)", async (i) => page.keyboard.press(i % 8 < 4 ? "ArrowUp" : "ArrowDown"));
for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowUp");
await tell("zoom (Enter, or Escape)", async (i) => page.keyboard.press(i % 2 ? "Escape" : "Enter"));
const box = await page.locator("#view .picture").boundingBox();
await page.mouse.move(box.x + 300, box.y + 200);
await tell("scroll (the wheel)", async (i) => page.mouse.wheel(0, i % 20 < 10 ? -60 : 60));
await server.end("SIGKILL");
await finish();
