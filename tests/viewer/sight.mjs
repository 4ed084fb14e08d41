// What is seen at first sight, where pictures of the page showed that it was not: first-sight.md.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, open, run, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const ROW = 18;
const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-sight-"));
const types = [["alloc_space", "bytes"], ["inuse_space", "bytes"]];

// Modules of Python, of one name: the heaviest is the last by its file's name, and its heaviest line calls a library.
function modules() {
    const file = join(folder, "modules.pb.gz");
    const library = ["dumps", "/usr/lib/python3/json.py", 9];
    const module = (name, line, bytes, ...inner) => ({ stack: [["<module>", join(folder, name), line], ...inner], values: [bytes, bytes] });
    writeFileSync(join(folder, "work.py"), "import json\nrows = [1]\ntext = json.dumps(rows)\nkept = list(rows)\n");
    writeProfile(file, types, [module("a.py", 1, 100), module("b.py", 3, 300), module("work.py", 3, 8000, library), module("work.py", 4, 600)]);
    return file;
}

// The colour of a picture's canvas, at a point in it; below 0 from its end.
const colourAt = (page, picture, x, y) => page.$$eval("#view .picture canvas", (list, [picture, x, y]) => {
    const canvas = list[picture];
    return [...canvas.getContext("2d").getImageData(x < 0 ? canvas.width + x : x, y < 0 ? canvas.height + y : y, 1, 1).data].slice(0, 3).join(" ");
}, [picture, x, y]);

async function show(page, server, query) {
    await page.goto(`${server.url}?${query}`);
    await settled(page);
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await page.waitForTimeout(200);
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    const server = await serve(modules(), "--source-path", folder);
    const page = await open(server.url);
    await settled(page, "flame");
    await page.waitForSelector(".card");
    equal("a profile: the card of what is counted is the one that is chosen", await page.$$eval(".card > button[aria-pressed=true] .card-title", (list) => list.map((one) => one.textContent)), ["In use"]);

    // Of several functions of one name, the heaviest first.
    const focus = `function=${encodeURIComponent("<module>")}`;
    await show(page, server, `view=peek&${focus}`);
    equal("peek: the heaviest of one name is the first", (await page.$$eval("#view h2 .quiet", (list) => list.map((one) => one.textContent.split("/").pop()))), ["work.py", "b.py", "a.py"]);
    await show(page, server, `view=source&${focus}`);
    equal("source: ... there, too", await page.$$eval("#view h2 .quiet", (list) => list.map((one) => one.textContent.split("/").pop())), ["work.py", "b.py", "a.py"]);
    equal("... its hottest line is marked, though it allocates nothing itself", await page.$$eval("#view section:first-of-type tr.marked code", (list) => list.map((one) => one.textContent)), ["text = json.dumps(rows)"]);
    equal("... and the lines take the room, not the figures", await page.$eval("#view section:first-of-type tbody tr", (row) => row.lastElementChild.getBoundingClientRect().width > 0.6 * row.getBoundingClientRect().width), true);

    // One colour a function, in every picture; what libraries allocate has a tint of who called them.
    await show(page, server, "view=flame");
    const own = await colourAt(page, 0, 400, ROW + ROW - 3);
    await show(page, server, `view=sandwich&${focus}`);
    equal("sandwich: a function has the colour of the flame graph, above and below", [await colourAt(page, 0, -400, -ROW - 4), await colourAt(page, 1, 400, ROW + ROW - 3)], [own, own]);
    await show(page, server, "view=treemap");
    const area = (await colourAt(page, 0, 200, 200)).split(" ").map(Number);
    const [red, , blue] = own.split(" ").map(Number);
    check("treemap: a library's area has a tint of its caller", Math.sign(area[2] - area[0]) === Math.sign(blue - red) && area.join(" ") !== own && Math.abs(area[2] - area[0]) > 10, `${area}, ${own}`);
    equal("the browser has no complaint", page.problems, []);

    // A written page has its controls in one row, and its pictures are seen whole.
    const written = join(folder, "page.html");
    await run("view", trace, "-o", written, "--nodes", "1500");
    const still = await open(`file://${written}`);
    await settled(still, "flame");
    const tops = await still.$$eval(".tabs, .bar .field, #counting, #search", (list) => list.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => Math.round((top + bottom) / 2)).filter((middle) => middle > 0));
    check("a written page: its controls stand in one row", Math.max(...tops) - Math.min(...tops) < 12, tops);
    const domains = await open(`${(await serve(trace)).url}?view=domains`);
    await settled(domains, "domains");
    check("domains: one is one", (await domains.textContent("#view .caption-text")).includes("by one domain or thread;"), await domains.textContent("#view .caption-text"));
    equal("... and what is chosen stands beside it", await domains.$$eval(".pane", (list) => list.length > 0), true);
});
