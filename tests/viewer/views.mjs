// Each view on a fixture: it shows something, without a complaint of the browser's, and its numbers are
// those of the commands.  Then both themes and a narrow window.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, json, numbersOf, open, picture, run, serve, settled, showView, steps } from "./browser.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const FUNCTION = "Misc.try_finally";

const total = (page) => page.$eval("#view [data-total]", (element) => Number(element.dataset.total));
const go = async (page, server, view, query = "") => {
    await page.goto(`${server.url}?view=${view}${query}`);
    await settled(page, view);
};

// Tabs that overlap, and texts of cards that come closer than two pixels to their border.
const crowded = () => {
    const box = (element) => element.getBoundingClientRect();
    const tabs = [...document.querySelectorAll(".tabs button, #more")];
    const over = (a, b) => Math.min(box(a).right, box(b).right) - Math.max(box(a).left, box(b).left) > 0.5 && Math.min(box(a).bottom, box(b).bottom) - Math.max(box(a).top, box(b).top) > 0.5;
    const list = tabs.filter((a) => tabs.some((b) => a !== b && over(a, b)));
    const texts = [...document.querySelectorAll(".card > button > span")].filter((text) => box(text).right > box(text.parentElement).right - 2 || box(text).bottom > box(text.parentElement).bottom - 2);
    return [...list, ...texts].map((element) => element.id || element.textContent);
};

await steps(async () => {
    const server = await serve(trace);
    const all = ["--json", "-n", "0", "-g", "filefunctions"];
    const top = await json("top", ...all, "--node-fraction", "0", trace);
    const flame = await json("flamegraph", "--json", trace);
    const bytes = flame.nodes[0].total.bytes;
    const page = await open(server.url);
    await settled(page, "flame");
    check("the title names the trace", (await page.title()).startsWith("ocamlopt-small-v3.ctf"));
    check("the first paint says what the trace is", /main\.exe · .* alive at the peak/.test(await page.textContent("#said")));

    for (const view of ["flame", "tree", "treemap", "circles", "force"]) {
        await showView(page, view);
        equal(`${view}: the total of heaptap flamegraph --json`, await total(page), bytes);
        if (view === "flame") equal("flame: its root is seen", await page.$eval("#view .picture", (box) => box.scrollTop), 0);
        equal(`${view} is in the URL`, new URL(page.url()).searchParams.get("view"), view === "flame" ? null : view);
        await picture(page, view);
    }

    const own = await json("top", ...all, "--node-fraction", "0", trace, "libraries=hide");
    await go(page, server, "top");
    equal("top: libraries are left out at first, and counted", [await page.$$eval("#view tbody tr", (rows) => rows.length), await page.textContent("#view .caption .check")],
        [Math.min(1000, own.nodes.length), `libraries: ${own.library_functions} functions left out, ${Math.round(100 * own.library_share)} % of all comes through them`]);
    await page.check("#libraries");
    await settled(page, "top");
    check("... and shown when they are asked for", new URL(page.url()).searchParams.get("libraries") === "1");
    const download = async (button) => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
        const chunks = [];
        for await (const chunk of await file.createReadStream()) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
    };
    const rows = (await download("#view .buttons button >> text=CSV")).trim().split("\r\n").slice(1).map((line) => line.split(","));
    const named = (list) => list.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    equal("top: every function, flat and cum, of heaptap top --json",
        named(rows.filter((row) => row.length === 6 && row[4]).map((row) => [`${row[5]} ${row[4]}`, Number(row[0]), Number(row[2])])),
        named(top.nodes.filter((node) => node.file && !/[",]/.test(node.function + node.file)).map((node) => [`${node.function} ${node.file}`, node.flat, node.cum])));
    await picture(page, "top");
    await page.click("th button >> text=cum");
    await page.waitForFunction(() => document.querySelector('th[aria-sort="descending"]')?.textContent.startsWith("cum"));
    check("sorted by cum, the heaviest is first", (await page.textContent("tbody tr td:last-child")).length > 0 && new URL(page.url()).searchParams.get("sort") === "-cum");

    const peek = (await json("peek", "--json", "-g", "filefunctions", trace, FUNCTION)).nodes.find((node) => node.function === FUNCTION);
    await go(page, server, "peek", `&function=${FUNCTION}`);
    equal("peek: flat and cum of heaptap peek --json", await page.$eval(".peek", (element) => [Number(element.querySelector("[data-flat]").dataset.flat), Number(element.querySelector("[data-cum]").dataset.cum)]), [peek.flat, peek.cum]);
    equal("peek: as many callers and callees", await page.$$eval(".peek tbody", (bodies) => bodies.map((body) => body.children.length)), [peek.callers.length, peek.callees.length]);
    await picture(page, "peek");

    await go(page, server, "sandwich", `&function=${FUNCTION}`);
    equal("sandwich: what comes through the function is its cum", await total(page), peek.cum);
    equal("sandwich: callers above, callees below", await page.$$eval(".picture[aria-label^=Call]", (list) => list.map((element) => element.getAttribute("aria-label").split(" ")[0])), ["Callers", "Callees"]);
    await picture(page, "sandwich");

    const graph = await json("graph", "--json", "--no-labels", "-n", "40", "-g", "filefunctions", trace);
    await go(page, server, "graph");
    equal("graph: nodes and edges of heaptap graph --json", (await page.getAttribute(".figure .picture[aria-label^=Graph]", "aria-label")), `Graph of ${graph.nodes.length} functions and ${graph.edges.length} calls`);
    await picture(page, "graph");

    await go(page, server, "histograms");
    const sums = await page.$$eval(".histogram", (list) => list.map((element) => Number(element.dataset.sum)));
    check("histograms: sizes add up to everything", Math.abs(sums[0] - bytes) < 1, sums);
    await picture(page, "histograms");
    await go(page, server, "domains");
    check("domains: add up to everything", Math.abs((await total(page)) - bytes) < 1);
    equal("domains: one, in a trace of one domain", await page.$$eval("#view tbody tr", (rows) => rows.length), 1);
    await picture(page, "domains");

    const advice = await json("advice", "--json", trace);
    await go(page, server, "interest");
    equal("points of interest: those of heaptap advice --json", await page.$$eval("[data-rule]", (list) => list.map((element) => element.dataset.rule)), advice.points.map((point) => point.rule));
    await picture(page, "interest");
    const listed = await json("list", "--json", trace, `^${FUNCTION.replace(".", "\\.")}$`);
    await go(page, server, "source", `&function=${FUNCTION}`);
    equal("source: the lines of heaptap list --json", await page.$$eval("#view tbody tr", (list) => list.map((row) => Number(row.children[3].textContent))), listed.functions[0].lines.map((line) => line.line));
    await picture(page, "source");

    const timeline = await json("timeline", "--json", trace);
    const series = await (await fetch(`${server.url}api/answer?report=timeline&form=columns&steps=${timeline.series.steps.length}`)).json();
    const about = (await (await fetch(`${server.url}api/about`)).json()).files[0];
    equal("timeline: peak and steps of heaptap timeline --json", [about.peak_us, about.peak_bytes, numbersOf(series.steps.live_bytes)], [timeline.series.peak_us, timeline.series.peak.bytes, timeline.series.steps.map((step) => step.live.bytes)]);
    equal("the browser has no complaint", page.problems, []);

    for (const [name, looks] of [["dark", { dark: true }], ["narrow", { width: 400, height: 800 }], ["narrowest", { width: 360, height: 780 }], ["narrow-dark", { width: 400, height: 800, dark: true }]]) {
        const other = await open(server.url, looks);
        for (const view of ["flame", "top", "graph", "treemap", "interest"]) {
            await go(other, server, view);
            await picture(other, `${view}-${name}`);
            equal(`${view}, ${name}: its tab is seen`, await other.$eval((await other.$(`#tab-${view}`)) ? `#tab-${view}` : "#more", (tab) => {
                const at = tab.getBoundingClientRect();
                return at.width > 0 && at.left >= 0 && at.right <= innerWidth;
            }), true);
            equal(`${view}, ${name}: nothing sticks out sideways`, await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
            equal(`${view}, ${name}: what is drawn over other controls, or cut`, await other.evaluate(crowded), []);
        }
        equal(`${name}: the theme is the system's`, await other.evaluate(() => document.documentElement.dataset.theme), looks.dark ? "dark" : "light");
        equal(`${name}: the browser has no complaint`, other.problems, []);
    }
    // A written page has another fourth tab, and its selections in a list.
    const folder = mkdtempSync(join(tmpdir(), "heaptap-views-"));
    cleanup(() => rmSync(folder, { recursive: true }));
    await run("view", trace, "-o", join(folder, "page.html"));
    for (const width of [360, 1280]) {
        const written = await open(`file://${join(folder, "page.html")}`, { width, height: 800 });
        for (const view of ["flame", "interest", "histograms"]) {
            await written.goto(`file://${join(folder, "page.html")}#view=${view}`);
            await written.reload();
            await settled(written, view);
            await picture(written, `written-${view}-${width}`);
            equal(`written, ${view}, ${width} px: what is drawn over other controls, or cut`, await written.evaluate(crowded), []);
            equal(`written, ${view}, ${width} px: nothing sticks out sideways`, await written.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), true);
        }
        equal(`written, ${width} px: the chosen selection is as wide as its list's longest`, await written.$eval("#preset", (list) => {
            const copy = list.cloneNode(true);
            Object.assign(copy.style, { position: "absolute", maxWidth: "none" });
            document.body.append(copy);
            const wide = copy.getBoundingClientRect().width;
            copy.remove();
            return list.getBoundingClientRect().width >= wide - 1;
        }), true);
    }
    await page.selectOption("#theme", "dark");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    check("the theme can be chosen", true);
    const nameless = await page.$$eval("button, input, select, [role=application], table", (list) =>
        list.filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length || element.title)).map((element) => element.outerHTML.slice(0, 90)));
    equal("everything that takes the focus has a name", nameless, []);
    const ended = await server.end();
    equal("Ctrl-C ends it well", [ended.status, ended.signal], [0, null]);
});
