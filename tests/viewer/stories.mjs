// From opening the page to the guilty line, with at most two clicks: what a card, the pane at the side and its source show of programs
// whose guilty lines are known.  The same by the keyboard alone.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { which } from "../helpers/which.mjs";
import { check, cleanup, equal, fleetShown, json, open, picture, serve, serveFleet, settled, steps } from "./browser.mjs";
import { profileOf, writeProfile } from "./pprof.mjs";

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
    if (!clicks.some((click) => click.includes(">>"))) await byKeys(name, server, page, clicks, wanted);
    equal(`${name}: the browser has no complaint`, page.problems, []);
    return { server, page };
}

// The same without a mouse: Tab to each of what was clicked, and Enter.
async function byKeys(name, server, page, clicks, wanted) {
    await page.goto(server.url);
    await settled(page, "flame");
    for (const click of clicks) {
        check(`${name}, by the keys: Tab reaches ${click}`, await tabTo(page, click));
        await page.keyboard.press("Enter");
        await settled(page);
        await page.waitForFunction((name) => document.querySelector(".pane")?.dataset.function === name, wanted.name, { timeout: 20000 }).catch(() => {});
    }
    equal(`${name}, by the keys: the guilty line`, await guilty(page), wanted);
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

    await page.setViewportSize({ width: 360, height: 760 });
    const isCut = (list) => list.map((name) => [name.textContent, name.scrollWidth > name.clientWidth]);
    equal("C++ on a telephone: the cards name the functions whole", await page.$$eval(".card-line:not(.kept-by) .card-name", isCut), ["report", "handle", "split", "report"].map((name) => [name, false]));
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.goto(server.url);
    await settled(page, "flame");
    check("by the keys: Tab reaches the peak's line", await tabTo(page, line("peak")));
    await page.keyboard.press("Enter");
    await settled(page, "flame");
    equal("... Enter shows it", await guilty(page), peak);
    check("... on to the flame graph", await tabTo(page, "#view .picture"));
    for (let i = 0; i < 6 && (await page.$$eval("#marked", (list) => list.map((one) => one.textContent).join())) !== "report"; i++) {
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

// What leaks, and who holds it: a card's line leads to the place, with the way up to the variable open.
async function holders() {
    const [source, program, trace] = [join(folder, "kept.cpp"), join(folder, "kept"), join(folder, "kept.ctf")];
    copyFileSync(join(programs, "kept.cpp"), source);
    const built = which("g++") && spawnSync("g++", ["-g", "-O1", "-o", program, source]).status === 0;
    const recorded = built && spawnSync(process.env.HEAPTAP, ["record", "--holders", "-o", trace, "--", program]).status === 0;
    if (!recorded) return check("C++ leak with holders # SKIP no g++, or nothing to record with", true);
    const kept = '[data-card="left"] .kept-by .link';
    const { server, page } = await story("C++ leak with holders", [trace, "--source-path", folder], [kept], { name: "handle", line: lineOf(source, "push_back(new Order)"), text: "book[i % 300].push_back(new Order);" });
    const named = (page) => page.$$eval("#view tr[data-node]", (list) => list.map((row) => row.lastElementChild.textContent.replace(/^[·▾▸] /, "")));
    const wanted = [`handle kept.cpp:${lineOf(source, "push_back(new Order)")}; `, "std::vector handle", "std::map node handle", `shop::book global, kept.cpp:${lineOf(source, "> book;")}`];
    equal("... the way up to the holder stands open", (await named(page)).slice(0, 4).map((name, i) => name.slice(0, wanted[i].length)), wanted);
    await page.click("#kept-roots");
    await settled(page, "holders");
    equal("... from roots down, too", (await named(page))[0], wanted[3]);
    await page.goBack();
    await settled(page, "holders");
    equal("... back to the place", (await named(page))[0].slice(0, 6), "handle");
    await page.goto(server.url);
    await settled(page, "flame");
    check("... by the keys: Tab reaches what keeps it", await tabTo(page, kept));
    await page.keyboard.press("Enter");
    await settled(page, "holders");
    equal("... Enter shows it", await guilty(page), { name: "handle", line: lineOf(source, "push_back(new Order)"), text: "book[i % 300].push_back(new Order);" });
    check("... on to its row", await tabTo(page, "#view tr[data-node]"));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowDown");
    await settled(page, "holders");
    check("... whose arrows walk to the holder", (await page.textContent("#view tr.marked")).includes("shop::book"), await page.textContent("#view"));
    return undefined;
}

// Two functions of one name, one in each file: what is chosen is one of them, with its source, its advice and what keeps it.  And what keeps
// most is not what holds the blocks of the line that has most.
async function sameName() {
    const files = { a: ["#include <stdlib.h>", "static void *volatile x[1000], *volatile y[1000], *volatile z[1000];", "static void fill(int i)", "{", "    void *volatile *at[] = {&x[i], &y[i], &z[i]};",
        "    for (int k = 0; k < 3; k++)", "        *at[k] = malloc(700);", "}", "void first(int i) { fill(i); }", "void second(int);", "int main(void)", "{", "    for (int i = 0; i < 1000; i++) {", "        first(i);", "        second(i);", "    }", "}"],
    b: ["#include <stdlib.h>", "static void *volatile kept[1000];", "static void fill(int i)", "{", "    free(malloc(7000));", "    kept[i] = malloc(1500);", "}", "void second(int i) { fill(i); }"] };
    const paths = Object.entries(files).map(([name, lines]) => (writeFileSync(join(folder, `${name}.c`), lines.join("\n")), join(folder, `${name}.c`)));
    const [program, trace] = [join(folder, "two"), join(folder, "two.ctf")];
    const built = which("gcc") && spawnSync("gcc", ["-g", "-O0", "-o", program, ...paths]).status === 0;
    const recorded = built && spawnSync(process.env.HEAPTAP, ["record", "--all", "--holders", "-o", trace, "--", program]).status === 0;
    if (!recorded) return check("two functions of one name # SKIP no gcc, or nothing to record with", true);
    const page = await open((await serve(trace, "--source-path", folder)).url);
    await settled(page, "flame");
    await page.waitForSelector(".card");
    const shown = async () => {
        await page.waitForSelector('.pane[data-function="fill"][aria-busy=false] .pane-source');
        return page.$eval(".pane", (pane) => [pane.dataset.of.split("/").pop(), pane.querySelector(".pane-source").closest("section").querySelector("h2").textContent.split("/").pop()]);
    };
    await page.click('[data-card="churn"] .card-line .link');
    await settled(page, "flame");
    equal("two functions of one name: a card's line opens its own file", await shown(), ["b.c", "b.c"]);
    equal("... with its own advice", (await page.$$eval(".pane .advice", (list) => list.map((one) => /in line (\d+)/.exec(one.textContent)?.[1]))).filter((line) => !["5", "6"].includes(line)), []);
    check("... and what keeps its blocks", (await page.textContent("#kept-by")).includes("kept (global, b.c:2)"), await page.textContent("#kept-by"));
    check("... which is in the address", new URL(page.url()).searchParams.get("of").endsWith("/b.c"), page.url());
    for (const file of ["a.c", "b.c"]) {
        await page.goto(page.url().replace(/\?.*/, `?function=fill&of=${encodeURIComponent(join(folder, file))}`));
        await settled(page, "flame");
        equal(`... an address chooses ${file}`, await shown(), [file, file]);
    }
    await page.goto(page.url().replace(/\?.*/, ""));
    await settled(page, "flame");
    const card = page.locator('[data-card="left"] .kept-by .link');
    const said = await card.getAttribute("title");
    check("what is kept: the card tells the way that has most", said.startsWith("kept (global, b.c:2) -> fill (b.c:"), said);
    await card.click();
    await settled(page, "holders");
    const rows = await page.$$eval("#view tr[data-node]", (list) => list.map((row) => [row.classList.contains("marked"), row.lastElementChild.textContent.replace(/^[·▾▸] /, "")]));
    const at = rows.findIndex(([marked]) => marked);
    check("... and the click opens that way", at >= 0 && /^fill b\.c:6/.test(rows[at][1]) && rows[at + 1][1].startsWith("kept global, b.c:2"), JSON.stringify(rows));
    equal("... with its function at the side", await shown(), ["b.c", "b.c"]);
    equal("... the browser has no complaint", page.problems, []);
    return undefined;
}

// The side pane against a base: one function allocates more, all lines have moved; or they have moved and nothing grew, or one allocates less.
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
    for (const [name, says] of [["grown", "load has grown most in your own code"], ["same", "No function of your own code has grown."], ["shrunk", "No function of your own code has grown; load has shrunk most."]]) {
        const [file, base] = name === "shrunk" ? [files.base, files.grown] : [files[name], files.base];
        const report = join(folder, `moved-${name}.html`);
        spawnSync(process.env.HEAPTAP, ["view", file, "--base", base, "-o", report]);
        const server = await serve(file, "--base", base);
        for (const [place, url] of [["served", `${server.url}?`], ["written", `file://${report}#`]]) {
            for (const view of ["view=flame", "view=flame&grain=line", "view=flame&direction=up", "view=top"]) {
                const page = await open(url + view);
                await settled(page);
                const text = await page.waitForSelector(".pane[aria-busy=false] #none-grew, .pane[aria-busy=false] [aria-label=Chosen]").then((one) => one.textContent());
                equal(`moved lines, ${name}, ${place}, ${view}: which function grew`, text, says);
                equal(`... and the card of what changed`, await page.$$eval('[data-card="changed"]', (list) => list.map((card) => card.querySelector(".card-name")?.textContent ?? "")), [name === "same" ? "" : "load"]);
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

// A checksum whose 64-bit state is boxed at each step.
async function boxing() {
    const [sources, build, trace] = [join(process.env.SOURCE, "bindings/ocaml"), join(folder, "dune"), join(folder, "boxing.ctf")];
    const program = "examples/boxing_before.exe";
    const built = which("dune") && spawnSync("dune", ["build", "--root", sources, "--build-dir", build, "--profile", "release", program], { env: { ...process.env, DUNE_CACHE: "disabled" } }).status === 0;
    if (!built || spawnSync(join(build, "default", program), { env: { ...process.env, MEMTRACE: trace, MEMTRACE_RATE: "1e-2" } }).status !== 0)
        return check("OCaml boxing # SKIP no dune, or no OCaml that it can build with", true);
    // The state's two boxes are of one size: sampling chooses which line has more.
    const { cards } = JSON.parse(spawnSync(process.env.HEAPTAP, ["summary", "--json", trace]).stdout);
    const { function: name, line: number } = cards.find(({ card }) => card === "churn");
    const text = readFileSync(join(sources, "examples/boxing_before.ml"), "utf8").split("\n")[number - 1].trim();
    check("OCaml boxing: the heaviest line boxes", /Int64.(mul|succ)/.test(text), text);
    return story("OCaml boxing", [trace, "--source-path", sources], [line("churn")], { name, line: number, text });
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

// A fleet: three days of profiles that ended yesterday; since the last day, one line of a service allocates twice as much.
async function fleet() {
    const [store, sources] = [join(folder, "fleet.db"), join(folder, "src")];
    const text = "all = append(all, read(term)...)";
    mkdirSync(sources);
    writeFileSync(join(sources, "postings.go"), ["package postings", "", "func Scan(terms []string) []Posting {", `\t${text}`, "}", ""].join("\n"));
    const url = await serveFleet(store, "--source-path", sources);
    const empty = await open(url);
    await empty.waitForSelector("#no-profiles");
    check("fleet: an empty store says how to fill it", (await empty.textContent("#no-profiles")).includes(`heaptap record --push ${url}`));

    const [DAY, STEP, end] = [86400, 3600, (Math.floor(Date.now() / 3.6e6) - 20) * 3600];
    const frames = { main: ["main.main", "shop/main.go", 12], query: ["search.Query", "shop/search.go", 20], scan: ["postings.Scan", "shop/postings.go", 4], other: ["<b>postings</b>.Scan", "/etc/passwd", 1] };
    const sample = (names, bytes) => ({ stack: names.map((name) => frames[name]), values: [Math.round(bytes / 100), bytes, Math.round(bytes / 1000), Math.round(bytes / 10)] });
    const types = [["alloc_objects", "count"], ["alloc_space", "bytes"], ["inuse_objects", "count"], ["inuse_space", "bytes"]];
    for (const [service, part] of [["search", 1], ["mail", 0.1]])
        for (let until = end - 3 * DAY + STEP; until <= end; until += STEP) {
            const scan = 4e7 * part * (until > end - DAY && service === "search" ? 2 : 1) + (until % 7) * 1000;
            const body = profileOf(types, [sample(["main", "query", "scan"], scan), sample(["main", "query"], 6e7 * part), sample(["main", "other"], 5e6 * part)], 524288);
            await fetch(`${url}/profiles?${new URLSearchParams({ service, host: "h1", from: until - STEP, until })}`, { method: "POST", body });
        }
    const page = await open(url);
    await fleetShown(page);
    const time = (from, until) => `time=${from}..${until}`;
    equal("fleet: the first view spans the last two days that have profiles", new URLSearchParams(await page.getAttribute("main", "data-answers").then((asked) => asked.split("?")[1])).get("of"), time(end - 2 * DAY, end));
    const grown = await json("fleet", "regressions", "--json", `store:${store} ${time(end - 2 * DAY, end - DAY)}`, `store:${store} ${time(end - DAY, end)}`);
    const { services } = await json("fleet", "services", "--json", `store:${store}`, time(end - 2 * DAY, end));
    const values = await page.$$eval(".card", (cards) => cards.map((card) => [card.dataset.card, Number(card.dataset.value)]));
    const sum = (key) => services.reduce((all, row) => all + row[key], 0);
    equal("fleet: the cards have the commands' figures", values, [["grew", grown.sites[0].growth], ["allocated", sum("allocated_bytes")], ["in-use", sum("in_use_bytes")], ["instances", sum("series")]]);
    equal("fleet: what grew since yesterday, and its line", [await page.textContent('[data-card="grew"] .card-title'), await page.textContent('[data-card="grew"] .card-line')], ["Grew since yesterday", "54 % postings.Scan postings.go:4"]);
    const [low, high] = [grown.sites[0].growth_low, grown.sites[0].growth_high];
    check("fleet: within bounds that hold what was added", low < 0.96e9 && 0.5e9 < high && low < grown.sites[0].growth && grown.sites[0].growth < high, [low, high]);
    const wanted = { name: "postings.Scan", line: 4, text };
    const toLine = async (name, how) => {
        await how();
        await settled(page, "flame");
        equal(`fleet: the guilty line, ${name}`, await guilty(page), wanted);
        await page.waitForSelector("#cost-over-time figure");
        equal("... its callers at the side", await page.$$eval(".pane .neighbours:first-child .link", (links) => links.map((link) => link.textContent)), ["search.Query"]);
        check("... marked in the flame graph of both", (await page.$eval("#view [data-found]", (one) => Number(one.dataset.found))) > 0 && (await page.$("#view [data-base]")) !== null);
        check("... what it cost over both days", /^Through postings.Scan, .* at most \d/.test(await page.getAttribute("#cost-over-time figure", "aria-label")));
    };
    await toLine("after 1 click on the card", () => page.click(line("grew")));
    await picture(page, "story-fleet");
    await page.goBack();
    await fleetShown(page);
    check("... and the way back is the browser's", (await page.$(line("grew"))) !== null);
    await toLine("after 1 click on a row of what grew", () => page.click("#grew tbody tr td.grew"));
    await page.goBack();
    await fleetShown(page);
    await toLine("by the keys", async () => {
        check("fleet: Tab reaches what grew", await tabTo(page, line("grew")));
        await page.keyboard.press("Enter");
    });
    await page.goBack();
    await fleetShown(page);
    await page.click('[data-card="grew"] > button');
    await fleetShown(page);
    const asked = new URL(page.url()).searchParams;
    equal("fleet: a card is a question in the address", [asked.get("base"), asked.get("range")], [time(end - 2 * DAY, end - DAY), `${end - DAY}..${end}`]);
    equal("... of the same answer", await page.$eval('[data-card="grew"]', (card) => Number(card.dataset.value)), grown.sites[0].growth);
    await page.click('[data-card="grew"] > button');
    await fleetShown(page);
    equal("... that is taken back", new URL(page.url()).search, "");
    await page.goto(`${url}/?time=${end - 3 * DAY}..${end - 2 * DAY - STEP}&range=${end - 3 * DAY}..${end - 3 * DAY + 2 * STEP}`);
    await page.waitForSelector("#incomparable");
    check("fleet: what has nothing before it says so", (await page.textContent("#incomparable")).startsWith("Nothing can be compared: no profiles are from before that."));
    await page.goto(`${url}/?time=${end - 3 * DAY}..${end - DAY}`);
    await page.waitForSelector("#none-grew");
    check("fleet: nothing grew in the days before", /No function has a larger share than before/.test(await page.textContent("#none-grew")));
    await page.goto(`${url}/show/all/?function=${encodeURIComponent(frames.other[0])}`);
    await settled(page, "flame");
    await page.waitForSelector(".pane[aria-busy=false] .pane-source");
    check("fleet: a file that a profile names and that is not below --source-path is not shown", !(await page.textContent(".pane")).includes("root:") && (await page.textContent(".pane")).includes("--source-path FOLDERS"));
    equal("fleet: the browser has no complaint", [...page.problems, ...empty.problems], []);
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    await native();
    await holders();
    await sameName();
    await moved();
    await python();
    await ocaml();
    await boxing();
    await go();
    await fleet();
});
