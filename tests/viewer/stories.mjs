// From opening the page to the guilty line, with at most two clicks: what a card, the pane at the side and its source show of programs
// whose guilty lines are known.  The same by the keyboard alone.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { which } from "../helpers/which.mjs";
import { check, cleanup, equal, open, picture, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const folder = mkdtempSync(join(tmpdir(), "heaptap-stories-"));
const programs = join(process.env.SOURCE, "tests/programs/page");

// The line of a text in a file, from 1.
function lineOf(file, text) {
    return readFileSync(file, "utf8").split("\n").findIndex((line) => line.includes(text)) + 1;
}

// What the pane has, once it stands still: whose source, and its hottest line.
async function guilty(page) {
    await page.waitForSelector(".pane[aria-busy=false] .pane-source tr.hot");
    return page.$eval(".pane", (pane) => {
        const rows = [...pane.querySelectorAll(".pane-source tr.hot")];
        const number = (row) => Number(row.children[3].textContent);
        const heat = (row) => Number(row.querySelector(".heat rect").getAttribute("width"));
        const hottest = rows.sort((a, b) => heat(b) - heat(a))[0];
        return { name: pane.dataset.function, line: number(hottest), text: hottest.children[4].textContent.trim() };
    });
}

// `wanted` is { name, line, text }; a story is told by clicks, each a selector.
async function story(name, args, clicks, wanted) {
    const server = await serve(...args);
    const page = await open(server.url);
    await settled(page, "flame");
    for (const click of clicks) {
        await page.click(click);
        await settled(page);
        await page.waitForFunction((name) => document.querySelector(".pane")?.dataset.function === name, wanted.name, { timeout: 20000 }).catch(() => {});
    }
    equal(`${name}: the guilty line, after ${clicks.length} click${clicks.length === 1 ? "" : "s"}`, await guilty(page), wanted);
    check(`${name}: at most two`, clicks.length <= 2);
    await picture(page, `story-${name.replace(/\W+/g, "-")}`);
    equal(`${name}: the browser has no complaint`, page.problems, []);
    return { server, page };
}

// By Tab to what `is` says, from the top.
async function tabTo(page, selector) {
    await page.evaluate(() => document.activeElement.blur());
    for (let i = 0; i < 60; i++) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((one) => document.activeElement.matches(one), selector)) return true;
    }
    return false;
}

const line = (card) => `[data-card="${card}"] .card-line .link`;

async function native() {
    const [source, program, trace] = [join(folder, "shop.cpp"), join(folder, "shop"), join(folder, "shop.ctf")];
    copyFileSync(join(programs, "shop.cpp"), source);
    const built = which("g++") && spawnSync("g++", ["-g", "-O1", "-o", program, source]).status === 0;
    const recorded = built && spawnSync(process.env.HEAPTAP, ["record", "--all", "-o", trace, "--", program]).status === 0;
    if (!recorded) return check("C++ # SKIP no g++, or nothing to record with", true);
    const wanted = (name, text) => ({ name, line: lineOf(source, text), text });
    const args = [trace, "--source-path", folder];
    const peak = wanted("report", "rows.push_back(std::string(400, 'r'));");
    const leak = wanted("handle", "char *order = new char[400];");
    const { server, page } = await story("C++ peak", args, [line("peak")], peak);
    await story("C++ leak", args, [line("left")], leak);
    await story("C++ churn", args, [line("churn")], wanted("split", "words.push_back(line.substr(at, 100));"));
    await story("C++ at once", args, [], peak);
    await story("C++ by the legend", args, [".legend button >> text=handle"], leak);

    await page.goto(server.url);
    await settled(page, "flame");
    check("by the keys: Tab reaches the peak's line", await tabTo(page, line("peak")));
    await page.keyboard.press("Enter");
    await settled(page, "flame");
    equal("... Enter shows it", await guilty(page), peak);
    check("... on to the flame graph", await tabTo(page, "#view .picture"));
    for (let i = 0; i < 6 && (await page.textContent("#marked").catch(() => "")) !== "report"; i++) {
        await page.keyboard.press("ArrowDown");
        await settled(page, "flame");
    }
    equal("... whose arrows walk to the function", await page.textContent("#marked"), "report");
    check("... and to the timeline", await tabTo(page, ".timeline .picture"));
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => /live-at=[\d.]+s/.test(decodeURIComponent(location.search)));
    check("... where arrows ask what was alive then", true);
    return undefined;
}

// The side pane against a base: one function allocates more, all lines have moved; or they have moved and nothing grew.
async function moved() {
    const text = (most) => [
        "#include <stdlib.h>",
        "static void *volatile kept[8000];",
        "static void put(int i) { kept[i] = malloc(300); }",
        "static void load(int i) { kept[i] = malloc(100); }",
        `int main(void) { for (int i = 0; i < 4000; i++) put(i); for (int i = 0; i < ${most}; i++) load(4000 + i); return 0; }`,
        "",
    ].join("\n");
    const files = {};
    for (const [name, before, most] of [["base", "", 1000], ["grown", "\n\n\n", 3000], ["same", "\n\n\n", 1000]]) {
        const place = join(folder, `moved-${name}`);
        mkdirSync(place);
        writeFileSync(join(place, "moved.c"), before + text(most));
        const built = which("gcc") && spawnSync("gcc", ["-g", "-O0", `-ffile-prefix-map=${place}=/src`, "-o", join(place, "moved"), join(place, "moved.c")]).status === 0;
        files[name] = join(folder, `moved-${name}.ctf`);
        if (!built || spawnSync(process.env.HEAPTAP, ["record", "--all", "-o", files[name], "--", join(place, "moved")]).status !== 0)
            return check("against a base # SKIP no gcc, or nothing to record with", true);
    }
    for (const [name, says] of [["grown", "load has grown most in your own code"], ["same", "No function of your own code has grown."]]) {
        const report = join(folder, `moved-${name}.html`);
        spawnSync(process.env.HEAPTAP, ["view", files[name], "--base", files.base, "-o", report]);
        const server = await serve(files[name], "--base", files.base);
        for (const [place, url] of [["served", `${server.url}?`], ["written", `file://${report}#`]]) {
            for (const view of ["view=flame", "view=flame&grain=line", "view=flame&direction=up", "view=top"]) {
                const page = await open(url + view);
                await settled(page);
                const text = await page.waitForSelector(".pane[aria-busy=false] #none-grew, .pane[aria-busy=false] [aria-label=Chosen]").then((one) => one.textContent());
                equal(`moved lines, ${name}, ${place}, ${view}: which function grew`, text, says);
                equal(`... and the card of what changed`, await page.$$eval('[data-card="changed"]', (list) => list.map((card) => card.querySelector(".card-name")?.textContent ?? "")), [name === "grown" ? "load" : ""]);
                equal("... the browser has no complaint", page.problems, []);
                await page.context().close();
            }
        }
        await server.end();
    }
    return undefined;
}

async function python() {
    const [source, trace] = [join(folder, "words.py"), join(folder, "words.ctf")];
    copyFileSync(join(programs, "words.py"), source);
    const recorded = spawnSync(process.env.HEAPTAP, ["record", "--all", "-o", trace, "--", "/usr/bin/python3", source]).status === 0;
    if (!recorded) return check("Python # SKIP nothing to record it with", true);
    const text = 'return line.split(" ")';
    return story("Python churn", [trace, "--source-path", folder], [line("churn")], { name: "words_of", line: lineOf(source, text), text });
}

async function ocaml() {
    await story("OCaml churn", [`${process.env.SOURCE}/tests/golden/valid/ocamlopt-v1.ctf`], [line("churn")], { name: "Interf.build_graph.add_interf", line: 46, text: "" });
}

// A Go program in production: a profile of its heap, without times.
async function go() {
    const file = join(folder, "heap.pb.gz");
    const frames = { main: ["main.main", "main.go", 12], serve: ["main.serve", "main.go", 30], cache: ["main.(*Cache).Put", "cache.go", 4], read: ["io.ReadAll", "/usr/local/go/src/io/io.go", 700], grow: ["runtime.growslice", "/usr/local/go/src/runtime/slice.go", 200] };
    const sample = (names, bytes) => ({ stack: names.map((name) => frames[name]), values: [bytes / 64, bytes * 3, bytes / 64, bytes] });
    writeProfile(file, [["alloc_objects", "count"], ["alloc_space", "bytes"], ["inuse_objects", "count"], ["inuse_space", "bytes"]],
        [sample(["main", "serve", "cache", "grow"], 6400000), sample(["main", "serve", "read", "grow"], 640000), sample(["main", "serve"], 64000)]);
    const text = "cache.entries = append(cache.entries, entry)";
    writeFileSync(join(folder, "cache.go"), ["package main", "", "func (cache *Cache) Put(entry Entry) {", `\t${text}`, "}", ""].join("\n"));
    const { page } = await story("Go profile", [file, "--source-path", folder], [line("in-use")], { name: "main.(*Cache).Put", line: 4, text });
    equal("Go profile: libraries are told and folded", await page.$eval("#libraries", (box) => box.checked), false);
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    await native();
    await moved();
    await python();
    await ocaml();
    await go();
});
