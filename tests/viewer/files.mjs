// What is shown: two files compared, several files, a profile, a cut trace, one that grows; and reports.

import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, check, equal, json, numbersOf, open, picture, run, serve, settled, showView, steps } from "./browser.mjs";

const golden = `${process.env.SOURCE}/tests/golden/valid`;
const trace = `${golden}/ocamlopt-small-v3.ctf`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-files-"));
const total = (page) => page.$eval("#view [data-total]", (element) => Number(element.dataset.total));
const selected = async (...arguments_) => (await json("top", "--json", ...arguments_)).selected;

await steps(async () => {
    // Compared
    const half = join(folder, "half.ctf");
    await run("file", "subsample", "--to", "0.4", trace, "-o", half);
    const both = [await selected(trace), await selected(half)];
    let server = await serve(trace, "--base", half);
    let page = await open(server.url);
    await settled(page, "flame");
    const before = (view) => page.$eval(`#view[data-view=${view}] [data-base]`, (element) => Number(element.dataset.base));
    for (const view of ["flame", "tree", "treemap", "circles", "force", "top", "graph", "domains"]) {
        await page.goto(`${server.url}?view=${view}`);
        await settled(page, view);
        equal(`${view}: after and before are heaptap's own`, [await total(page), await before(view)], both);
        await picture(page, `diff-${view}`);
    }
    await page.goto(`${server.url}?view=top`);
    await settled(page, "top");
    check("what grew is red in the table", (await page.$$("td .grew")).length > 0);
    await page.goto(`${server.url}?view=histograms`);
    await settled(page, "histograms");
    equal("histograms: sizes before are all of the base", await before("histograms"), both[1]);
    await picture(page, "diff-histograms");
    const most = (await answer(server, "api/answer?report=top&base=1&cum=1&node-count=5")).nodes[2];
    const [allocator] = (await answer(server, "api/answer?report=top&base=1&node-count=1000")).nodes;
    for (const view of ["peek", "sandwich"]) {
        await page.goto(`${server.url}?view=${view}&function=${encodeURIComponent(most.function)}`);
        await settled(page, view);
        equal(`${view}: what came through it before`, await before(view), most.base_cum);
        await picture(page, `diff-${view}`);
    }
    const series = await answer(server, "api/answer?report=timeline&form=columns&file=base&steps=10&to=100s");
    equal("the base's timeline is its own", numbersOf(series.steps.allocated_bytes).reduce((sum, one) => sum + one, 0), both[1]);
    equal("the browser has no complaint", page.problems, []);
    await server.end();

    server = await serve(trace, "--base", trace);
    page = await open(`${server.url}?view=tree`);
    for (const view of ["tree", "top", "domains"]) {
        await page.goto(`${server.url}?view=${view}`);
        await settled(page, view);
        equal(`${view}: what is as it was is neither red nor green`, await page.$$eval("#view .grew, #view .shrank", (list) => list.length), 0);
    }
    await server.end();

    // The other way round: what only the base has is there
    server = await serve(half, "--base", trace);
    const turned = await answer(server, "api/answer?report=graph&granularity=filefunctions&no-labels=1&node-count=40&base=1");
    const gone = turned.nodes.findIndex((node) => node.cum === 0);
    check("the graph has functions and calls that are gone", gone >= 0 && turned.nodes[gone].base_cum > 0 && turned.edges.some((edge) => edge.to === gone && edge.weight === 0 && edge.base_weight > 0));
    page = await open(`${server.url}?view=graph`);
    await settled(page, "graph");
    check("and draws them", (await page.getAttribute("#view .picture", "aria-label")).startsWith(`Graph of ${turned.nodes.length} functions and ${turned.edges.length} calls`));
    await picture(page, "diff-graph-gone");
    equal("the browser has no complaint of it", page.problems, []);
    await server.end();

    // Several, and a profile
    const profile = join(folder, "profile.pb.gz");
    await run("pprof", trace, "-o", profile);
    server = await serve(trace, profile);
    page = await open(server.url);
    await settled(page, "flame");
    await page.selectOption("#file", "1");
    await page.waitForSelector("#type", { state: "attached" });
    await settled(page, "flame");
    check("the second file is a profile, without a timeline, and says why", (await page.$(".timeline")) === null && /no times/.test(await page.textContent("#timeless")));
    check("its values can be chosen", (await page.$$eval("#type option", (list) => list.map((option) => option.textContent))).includes("alloc_space"));
    for (const view of ["histograms", "domains", "interest", "top", "graph"]) {
        await showView(page, view);
        check(`${view} of a profile is an answer`, (await page.textContent("#view")).length > 10);
    }
    equal("the browser has no complaint of it", page.problems, []);
    await server.end();

    // Cut, then growing
    const bytes = readFileSync(trace);
    const growing = join(folder, "growing.ctf");
    writeFileSync(growing, bytes.subarray(0, Math.floor(bytes.length / 2)));
    server = await serve("--live", growing);
    page = await open(server.url);
    await settled(page, "flame");
    const first = await total(page);
    check("a trace that ends early is shown as far as it goes", first > 0 && first < both[0], first);
    check("and the page says so", /ends early/.test(await page.textContent("body")));
    appendFileSync(growing, bytes.subarray(Math.floor(bytes.length / 2)));
    await page.waitForFunction((wanted) => Number(document.querySelector("#view [data-total]")?.dataset.total) === wanted, both[0]);
    check("--live follows it to its end", true);
    await page.waitForFunction(() => !/ends early/.test(document.body.textContent));
    equal("its status is that of a whole trace", (await server.end()).status, 0);

    // Reports
    const report = join(folder, "report.html");
    const { status, stderr } = await run("view", trace, "-o", report, "--nodes", "1500");
    equal("heaptap view is done", [status, stderr.replace(/^.*; --anonymous leaves them out\n/, "")], [0, ""]);
    check("in bounded size", statSync(report).size < 4e6, statSync(report).size);
    page = await open(`file://${report}`);
    for (const view of ["flame", "tree", "top", "graph", "treemap", "histograms", "interest"]) {
        await showView(page, view);
        if (await page.$("#view [data-total]")) equal(`report: ${view} counts the same`, await total(page), both[0]);
        await picture(page, `report-${view}`);
    }
    await showView(page, "flame");
    check("report: what is hidden is told", /hidden/.test(await page.textContent("#view .caption")));
    await page.selectOption("#preset", { index: 1 });
    await page.waitForFunction(() => location.hash.includes("live-at"));
    await settled(page, "flame");
    equal("report: a preset is in it", await total(page), await selected(trace, "live-at=peak"));
    equal("report: the browser has no complaint", page.problems, []);
    // A report of a comparison holds what its views ask for
    await run("view", trace, "--base", half, "-o", report, "--nodes", "500");
    page = await open(`file://${report}`);
    for (const view of ["flame", "sandwich", "tree", "top", "peek", "source", "graph", "treemap", "histograms", "domains", "interest"]) {
        await page.goto(`file://${report}#view=${view}&function=${encodeURIComponent(allocator.function)}`);
        await page.reload();
        await settled(page, view);
        equal(`report of a comparison: ${view} is there`, await page.$$eval("[role=alert]", (list) => list.map((element) => element.textContent)), []);
    }
    equal("its browser has no complaint", page.problems, []);
    rmSync(folder, { recursive: true });
});
