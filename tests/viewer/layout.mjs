// Where things stand: a small picture leaves no room unused, a large one takes it; and what histograms say of their buckets.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, open, picture, serve, settled, steps } from "./browser.mjs";

const deep = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-layout-"));
cleanup(() => rmSync(folder, { recursive: true }));

// What stands in the left column: which part of the window is empty below it, and whether what is chosen goes on there.
const columnOf = (page) => page.evaluate(() => {
    const below = document.querySelector(".pane.below");
    const last = below ?? document.querySelector(".stage-main");
    return { empty: 1 - last.getBoundingClientRect().bottom / innerHeight, below: below !== null, scrolls: document.documentElement.scrollHeight > innerHeight + 1 };
});

// 4000 blocks of 200 bytes that live for 1100 us, 20 of 1290 bytes that live for 5 us, one of 100 kB that stays: a picture of a few rows.
function shallow() {
    const file = join(folder, "shallow.ctf");
    const lines = ["0 1 1 100000"];
    for (let i = 0; i < 4000; i++) lines.push(`0 ${10 + i} ${2 + i} 200`);
    for (let i = 0; i < 4000; i++) lines.push(`0 ${1110 + i} ${2 + i} 0`);
    for (let i = 0; i < 20; i++) lines.push(`0 ${6000 + 10 * i} ${5000 + i} 1290`, `0 ${6005 + 10 * i} ${5000 + i} 0`);
    lines.sort((a, b) => Number(a.split(" ")[1]) - Number(b.split(" ")[1]));
    writeFileSync(file, execFileSync(process.env.MAKE_TRACE, ["events"], { input: `${lines.join("\n")}\n` }));
    return file;
}

// By view, what of the pane at the side is left out, as the view itself shows it; and whether it is long of a large trace.
const VIEWS = {
    flame: { isLong: true }, top: { isLong: true }, tree: { isLong: true }, sandwich: { isLong: true },
    peek: { has: "Callers" }, source: { has: "Source" }, domains: {}, holders: {},
};

async function room(server, name) {
    for (const [width, height] of [[1280, 800], [1920, 1080]])
        for (const [view, { isLong, has }] of Object.entries(VIEWS)) {
            const page = await open(server.url, { width, height });
            await settled(page, "flame");
            await page.waitForSelector(".pane[aria-busy=false] #chosen");
            await page.goto(`${server.url}?view=${view}&function=${encodeURIComponent(await page.getAttribute(".pane", "data-function"))}`);
            await settled(page, view);
            await page.waitForSelector(`.pane .spread`);
            await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
            await picture(page, `layout-${name}-${view}-${width}`);
            const { empty, below, scrolls } = await columnOf(page);
            if (name === "small" || !isLong) {
                check(`a ${name} ${view}, ${width} px: what is chosen goes on below it, without scrolling`, below && !scrolls, JSON.stringify({ below, scrolls }));
                check(`... at most a third of the window is empty`, empty <= 1 / 3, empty);
            } else check(`a large ${view}, ${width} px: it has the column for itself`, !below && empty < 0.1, JSON.stringify({ empty, below }));
            equal("... the source, callers and calls stand once", await page.$$eval(".pane h2", (list) => list.map((title) => title.firstChild.textContent.trim())),
                [...(has === "Source" ? [] : ["Source"]), ...(has === "Callers" ? [] : ["Callers", "Calls"]), "Sizes", "Lifetimes"]);
            equal("... the browser has no complaint", page.problems, []);
            await page.context().close();
        }
    const narrow = await open(server.url, { width: 360 });
    await settled(narrow, "flame");
    await narrow.waitForSelector(".pane .spread");
    equal(`a ${name} one, 360 px: all that is chosen is in one place`, (await columnOf(narrow)).below, false);
}

// Pictures without rows are as high as the window has room for, with the line below them.
async function whole(server, name) {
    for (const [width, height] of [[1280, 800], [1920, 1080]])
        for (const view of ["treemap", "circles", "force", "graph"]) {
            const page = await open(`${server.url}?view=${view}`, { width, height });
            await settled(page, view);
            await page.waitForSelector(".pane[aria-busy=false]");
            await page.waitForTimeout(300);
            await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
            const [picture, caption] = await page.$eval("#view", (view) => [view.querySelector(".picture"), view.querySelector(".caption")].map((one) => [one.getBoundingClientRect().bottom, one.getBoundingClientRect().height]));
            check(`${view} of a ${name} trace, ${width} px: it and the line below it are seen`, caption[0] <= height && picture[1] >= 320, JSON.stringify([picture, caption]));
            check(`... ${view} leaves no room unused`, view === "circles" || caption[0] > 0.9 * height, JSON.stringify(caption));
            equal("... the browser has no complaint", page.problems, []);
            await page.context().close();
        }
}

// On a telephone, what a view is about is seen without scrolling: a row of a table, or a part of the picture.
async function firstScreen(server, name) {
    const page = await open(server.url, { width: 360, height: 760 });
    for (const [view, part] of [["reports", "#view tbody tr"], ["reports&report=top", "#view tbody tr"], ["top", "#view tbody tr"], ["tree", "#view tbody tr"], ["flame", "#view .picture"], ["graph", "#view .picture"]]) {
        await page.goto(`${server.url}?view=${view}`);
        await settled(page, view.split("&")[0]);
        const box = await page.$eval(part, (one) => one.getBoundingClientRect());
        check(`${name}, 360 px, ${view}: what it is about is on the first screen`, box.top + 40 <= 760, JSON.stringify(box));
        equal("... nothing sticks out sideways", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
    }
    await page.goto(`${server.url}?view=reports`);
    await settled(page, "reports");
    await page.click("#options > summary");
    await page.fill("#options input[name=top]", "1");
    await page.press("#options input[name=top]", "Enter");
    await page.waitForFunction(() => document.querySelectorAll("#view [data-table] tbody")[0].children.length === 1);
    equal("... a report's options are in a menu, which says how many are set", await page.textContent("#options > summary"), "Options (1)");
    check("... that is seen whole", await page.$eval("#options .menu-body", (body) => body.getBoundingClientRect().right <= innerWidth && body.getBoundingClientRect().left >= 0));
    equal("... the browser has no complaint", page.problems, []);
}

async function buckets(server) {
    const page = await open(server.url);
    await settled(page, "flame");
    await page.waitForSelector(".spread");
    equal("the side: buckets are told as such", await page.$$eval(".spread", (list) => list.map((one) => [one.querySelector("h2").textContent, one.querySelector("svg").getAttribute("aria-label"), ...[...one.querySelectorAll(".spread-axis span")].map((end) => end.textContent)])), [
        ["Sizes most in the bucket 192 B to below 224 B: 781 kB", "Sizes: most in the bucket 192 B to below 224 B: 781 kB", "192 B", "37 buckets", "below 112 kB"],
        ["Lifetimes most in the bucket 1.02 ms to below 1.28 ms: 781 kB", "Lifetimes: most in the bucket 1.02 ms to below 1.28 ms: 781 kB", "5 us", "32 buckets", "below 1.28 ms"],
    ]);
    check("... and what has no lifetime", (await page.textContent(".pane.below, .pane")).length > 0 && (await page.textContent("#page")).includes("Alive at the end, with no lifetime yet: 98 kB"));
    await page.goto(`${server.url}?view=histograms`);
    await settled(page, "histograms");
    equal("histograms: how many buckets, and what one is", await page.$$eval(".histogram .caption-text", (list) => list.map((one) => one.textContent)), [
        "904 kB in 37 buckets, each from its left edge to below the next",
        "806 kB in 32 buckets, each from its left edge to below the next",
    ]);
    const boxes = await page.$$eval(".histogram", (list) => list.map((one) => one.getBoundingClientRect().top));
    check("... beside each other", boxes[0] === boxes[1], boxes);
    const tip = async (name, at) => {
        const box = await page.locator(`.histogram .picture >> nth=${name === "Sizes" ? 0 : 1}`).boundingBox();
        await page.mouse.move(box.x + at(box.width), box.y + 100);
        return page.textContent(".tip");
    };
    equal("... the tip names the bucket", await tip("Sizes", () => 12), "192 B to below 224 B781 kB (86 %) in 4.0 k blocks");
    equal("... edges have all their digits", await tip("Sizes", (width) => 8 + ((width - 16) / 37) * 11.5), "1.25 kB to below 1.5 kB25 kB (2.8 %) in 20 blocks");
    equal("... of lifetimes, too", await tip("Lifetimes", (width) => width - 12), "1.02 ms to below 1.28 ms781 kB (97 %) in 4.0 k blocks");
}

await steps(async () => {
    const small = await serve(shallow());
    await room(small, "small");
    const large = await serve(deep);
    await room(large, "large");
    for (const [server, name] of [[small, "small"], [large, "large"]]) {
        await whole(server, name);
        await firstScreen(server, name);
    }
    await buckets(small);
    await firstScreen(await serve(shallow(), "--base", shallow()), "against a base");
});
