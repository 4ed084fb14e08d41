// A flame graph of a million nodes: walking, zooming, scrolling and pointing take at most 8 ms of script each, all that follows included.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, open, serve, settled, steps } from "./browser.mjs";
import { measuring } from "./measure.mjs";

const MILLISECONDS = 8;
const NODES = 1000000;
const STACKS = 36000;
const DEPTH = 40;
const WIDTH = 8; // calls of a function, each half as heavy as the one before

const folder = mkdtempSync(join(tmpdir(), "heaptap-frames-"));

// Random stacks, which begin alike, as those of programs do.
function profile() {
    const frames = [];
    for (let depth = 0; depth < DEPTH; depth++) for (let call = 0; call < WIDTH; call++) frames.push({ name: `work_${depth}_${call}`, file: `/src/part${call}.c`, line: depth });
    let seed = 1;
    const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0);
    const call = () => Math.min(WIDTH - 1, Math.clz32(random()));
    const samples = Array.from({ length: STACKS }, () => Array.from({ length: DEPTH }, (_, depth) => depth * WIDTH + call()));
    const file = join(folder, "million.speedscope.json");
    const whole = { $schema: "https://www.speedscope.app/file-format-schema.json", shared: { frames },
        profiles: [{ type: "sampled", name: "heap", unit: "bytes", startValue: 0, endValue: STACKS * 64, samples, weights: samples.map(() => 64) }] };
    writeFileSync(file, JSON.stringify(whole));
    return file;
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    const server = await serve(profile());
    const page = await open(`${server.url}?nodes=${NODES}`);
    await settled(page, "flame");
    check("all of the million nodes are there", /in 1\.0 M nodes/.test(await page.textContent("#view .caption-text")), await page.textContent("#view .caption-text"));
    const measure = await measuring(page);
    const box = await page.locator("#view .picture").boundingBox();
    await page.focus("#view .picture");
    await page.mouse.move(box.x + box.width / 2, box.y + 100);
    const acts = {
        "an arrow": (i) => page.keyboard.press(i % 8 < 4 ? "ArrowDown" : "ArrowUp"),
        "a zoom": (i) => page.keyboard.press(i % 2 ? "Escape" : "Enter"),
        "a turn of the wheel": (i) => page.mouse.wheel(0, i % 20 < 10 ? 60 : -60),
        "pointing": (i) => page.mouse.move(box.x + 20 + 7 * i, box.y + 30 + (i % 10) * 12),
    };
    for (const [name, act] of Object.entries(acts)) {
        const cost = await measure(act);
        check(`${name}: at most ${MILLISECONDS} ms of script`, cost.script <= MILLISECONDS, JSON.stringify(cost));
        console.log(`# ${name}: ${cost.script.toFixed(2)} ms of script, ${cost.task.toFixed(2)} of all, ${cost.shapes} shapes`);
    }
    equal("the browser has no complaint", page.problems, []);
});
