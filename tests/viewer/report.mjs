// A report answers what its controls offer, as heaptap view does; and tells what was cut.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, check, equal, json, open, run, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const golden = `${process.env.SOURCE}/tests/golden/valid`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-report-"));

// What a view shows, in words: its caption and its rows, in any order where weights are equal.
const shown = (page) =>
    page.evaluate(() => {
        const text = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent.replace(/ libraries$| Libraries are among them: .*|^At most( \d+ functions|\d+ functions)*| \(inlined\)|; a click adds.*/g, "").trim()).sort();
        return { alerts: text("#view [role=alert]"), captions: text("#view .caption-text"), totals: [...document.querySelectorAll("#view [data-total]")].map((one) => one.dataset.total), rows: text("#view tbody tr"), titles: text("#view h2") };
    });

async function both(name, file, questions, options = [], clauses = []) {
    const report = join(folder, "report.html");
    const { status, stderr } = await run("view", file, ...clauses, "-o", report, ...options);
    equal(`${name}: is written`, [status, stderr.replace(/^report: .* after .*\n/gm, "").replace(/^.*half\.ctf: note: it is a part: .*\n/, "").replace(/^.*; --anonymous leaves them out\n/, "")], [0, ""]);
    const server = await serve(file, ...options);
    const [live, still] = [await open(server.url), await open(`file://${report}`)];
    for (const question of questions) {
        const view = /view=(\w+)/.exec(question)[1];
        await live.goto(`${server.url}?${question}&nodes=1000000&libraries=1`);
        await still.goto(`file://${report}#${question}&libraries=1`);
        await still.reload();
        await settled(live, view);
        await settled(still, view);
        equal(`${name}: ${question}`, await shown(still), await shown(live));
    }
    equal(`${name}: the browser has no complaint`, still.problems, []);
    await server.end();
    return still;
}

const views = ["flame", "tree", "sandwich", "top", "peek", "source", "treemap"];
const ask = (function_, more = "") => views.map((view) => `view=${view}&function=${encodeURIComponent(function_)}${more}`);

await steps(async () => {
    // Of a profile, each of its values, and every function
    const file = join(folder, "values.pb.gz");
    const samples = [];
    for (let i = 0; i < 12; i++)
        samples.push({
            stack: [["main", "main.go", 3], [`work${i % 3}`, `part${i % 2}.go`, 10 + i], ["loop", "loop.go", 5], ...(i % 4 ? [["loop", "loop.go", 6]] : []), ["make", "make.go", 7 + (i % 2)]],
            values: [i + 1, (i + 1) * 100, i % 3, (i % 3) * 100],
        });
    writeProfile(file, [["alloc_objects", "count"], ["alloc_space", "bytes"], ["inuse_objects", "count"], ["inuse_space", "bytes"]], samples);
    for (const [source, lines] of [["make.go", 20], ["loop.go", 30]]) writeFileSync(join(folder, source), Array.from({ length: lines }, (_, i) => `${source} ${i + 1}\n`).join(""));
    const questions = [];
    for (const [type, names] of [["main", "loop"], ["work0", "make"], ["loop", "work2"], ["make"]].entries()) for (const name of names) questions.push(...["peek", "source", "sandwich"].map((view) => `view=${view}&type=${type}&function=${name}`));
    let page = await both("a profile", file, [...questions, ...ask("loop", "&recursion=1"), ...ask("loop", "&direction=up&recursion=1"), ...ask("loop", "&grain=line"), ...ask("work1", "&grain=name&type=0"), ...["flame", "top"].map((view) => `view=${view}&grain=file`), "view=graph&type=2"], ["--source-path", folder]);
    await page.goto(`file://${join(folder, "report.html")}#view=source&function=make`);
    await page.reload();
    await settled(page, "source");
    equal("a report has the sources that were found", await page.$$eval("#view code.source", (list) => list.map((one) => one.textContent)), Array.from({ length: 12 }, (_, i) => `make.go ${i + 2}`));

    // Of a trace, each of its selections, by all weights; whole, and against a base
    const trace = `${golden}/ocamlopt-small-v3.ctf`;
    const server = await serve(trace);
    const top = (await answer(server, "api/answer?report=top&granularity=filefunctions&cum=1&node-fraction=0&node-count=400")).nodes;
    await server.end();
    const some = top.filter((_, i) => i % 40 === 0).map((node) => node.function);
    page = await both("a trace", trace, [
        ...some.map((name) => `view=peek&function=${encodeURIComponent(name)}`),
        ...some.slice(0, 2).flatMap((name) => ask(name, "&weight=samples&filter=live-at%3Dpeak")),
        ...["flame", "top", "graph", "domains"].flatMap((view) => ["", "&filter=collected%3Dnever&weight=samples", "&weight=samples&filter=promoted%21%3Dnever"].map((more) => `view=${view}${more}`)),
        ...["flame", "tree"].map((view) => `view=${view}&direction=up&grain=line`),
    ]);
    const offered = await page.$$eval("#filter, #apply, #quantity, #clause-word, #brush, #most", (list) => list.map((one) => one.id));
    equal("controls that a report cannot answer are not there", offered, []);
    const half = join(folder, "half.ctf");
    await run("file", "subsample", "--to", "0.4", trace, "-o", half);
    await both("a comparison", trace, [...ask(some[1]), ...ask(some[2], "&weight=samples&direction=up"), "view=graph", "view=domains"], ["--base", half]);

    // What doesn't fit is told, and every byte still counted for its function
    const report = join(folder, "cut.html");
    await run("view", trace, "-o", report, "--nodes", "2000");
    const { selected } = await json("top", "--json", trace);
    const whole = (await json("top", "--json", "-n", "0", "-g", "filefunctions", "--node-fraction", "0", trace)).nodes.filter((node) => node.flat > 0);
    page = await open(`file://${report}#view=flame`);
    await settled(page, "flame");
    equal("a cut report has all bytes", await page.$eval("#view [data-total]", (one) => Number(one.dataset.total)), selected);
    check("and tells how many are of stacks that it shortened", /\d+ k light branches hidden \([\d.]+ MB, \d+(\.\d)? %\)/.test(await page.textContent("#view .caption")), await page.textContent("#view .caption"));
    await page.goto(`file://${report}#view=top`);
    await page.reload();
    await settled(page, "top");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#view .buttons button >> text=CSV")]);
    const chunks = [];
    for await (const chunk of await saved.createReadStream()) chunks.push(chunk);
    const flats = Buffer.concat(chunks).toString().trim().split("\r\n").slice(1).map((line) => Number(line.split(",")[0])).filter((flat) => flat > 0);
    const descending = (list) => list.map(Math.round).sort((a, b) => b - a);
    equal("of each function what it allocates itself", descending(flats), descending(whole.map((node) => node.flat)));
    rmSync(folder, { recursive: true });
});
