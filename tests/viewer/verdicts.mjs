// A page that compares says which differences may be chance, or are too small to matter: those that heaptap compare --long says it of.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, check, equal, json, open, picture, run, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-verdicts-"));
const doubted = new Set(["chance", "small"]);
const byName = (rows) => rows.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));

// Rows of a table with what it doubts, by function and file.
const tableRows = (page) =>
    page.$$eval("#view tbody tr", (rows) => rows.map((row) => {
        const cells = [...row.children].map((cell) => cell.textContent);
        return [`${cells.at(-1)} ${cells.at(-2)}`, row.dataset.doubt ?? "", cells.at(-3), getComputedStyle(row.children[0]).color, cells[2] !== "0 B" && cells[2] !== "0"];
    }));

// The page shows libraries, too.
async function diff(base, file, ...more) {
    return json("compare", "--long", "--json", "-n", "0", "-g", "filefunctions", base, file, "libraries=show", ...more);
}

const count = (rows, ...verdicts) => rows.filter(({ verdict }) => verdicts.includes(verdict)).length;

async function asDiffSays(page, server, name, wanted, query) {
    await page.goto(`${server.url}?view=top&${query}`);
    await settled(page, "top");
    await page.waitForSelector("#verdicts");
    const verdicts = new Map(wanted.rows.map((row) => [`${row.function || row.name} ${row.file ?? ""}`, row.verdict]));
    const rows = await tableRows(page);
    const doubts = (all) => byName(all.filter(([, verdict]) => doubted.has(verdict)));
    equal(`${name}: each row has the verdict of heaptap compare --long`, doubts(rows.map(([key, doubt]) => [key, doubt])), doubts(rows.map(([key]) => [key, verdicts.get(key)])));
    equal(`${name}: no row that differs is without a verdict`, rows.filter(([key, , , , changes]) => changes && !verdicts.has(key)).map(([key]) => key), []);
    check(`${name}: and there are such rows`, rows.some(([, doubt]) => doubt === "chance"));
    equal(`${name}: the word is in the row`, rows.filter(([, doubt, word]) => word !== doubt).length, 0);
    const colours = (is) => new Set(rows.filter(([, doubt]) => !!doubt === is).map(([, , , colour]) => colour));
    const [grey, black] = [colours(true), colours(false)];
    check(`${name}: such a row is grey, others are not`, grey.size === 1 && ![...black].some((colour) => grey.has(colour)), [[...grey], [...black]]);
    equal(`${name}: the line above tells how many are which`, await page.$eval("#verdicts", ({ dataset }) => [dataset.certain, dataset.chance, dataset.small].map(Number)),
        [count(wanted.rows, "larger", "smaller"), count(wanted.rows, "chance"), count(wanted.rows, "small")]);
    check(`${name}: and how certain that is`, (await page.textContent("#verdicts")).includes(`of ${wanted.count} differences are certain: the probability that any of these is chance is 5 % at most`));
}

async function sampled() {
    const [base, file] = [join(folder, "base.ctf"), join(folder, "new.ctf")];
    await run("file", "subsample", "-f", "4", "--seed", "1", "--to", "0.5", trace, "-o", base);
    await run("file", "subsample", "-f", "4", "--seed", "2", trace, "-o", file);
    const server = await serve(file, "--base", base);
    const page = await open(server.url);
    const all = await diff(base, file);
    await asDiffSays(page, server, "allocated", all, "");
    await picture(page, "verdicts-top");
    await asDiffSays(page, server, "blocks that are left", await diff(base, file, "--sample", "inuse_objects"), "quantity=live&weight=objects");
    await asDiffSays(page, server, "of a filter", await diff(base, file, "live-at=peak"), "filter=live-at%3Dpeak");

    // What the page has of the base beside a report's own is what diff compares.
    const top = await answer(server, "api/answer?report=top&granularity=filefunctions&node-fraction=0&node-count=0&base=1");
    const compared = (rows, sums) => byName(rows.map((row) => [row.name, ...sums.map((sum) => Math.round(row[sum]))]).filter(([, flat, before, cum, past]) => flat !== before || cum !== past));
    equal("top against a base: flat and cum of both are those of diff", compared(top.nodes, ["flat", "base_flat", "cum", "base_cum"]), compared(all.rows, ["new_flat", "base_flat", "new_cum", "base_cum"]));
    equal("... so is the base's total", Math.round(top.base_total), Math.round(all.base_total));

    const chance = all.rows.find((row) => row.verdict === "chance" && row.cum_change > 0 && row.base_cum > 0);
    const certain = all.rows.find((row) => row.verdict === "larger");
    for (const [{ function: name }, doubt] of [[chance, "chance"], [certain, null]]) {
        await page.goto(`${server.url}?view=peek&function=${encodeURIComponent(name)}`);
        await settled(page, "peek");
        await page.waitForSelector("#verdicts");
        equal(`peek: ${doubt ?? "certain"}`, await page.$$eval("#view .peek > p [data-doubt]", (list) => list.map((one) => one.dataset.doubt)), doubt ? [doubt] : []);
    }
    await page.goto(`${server.url}?view=tree`);
    await settled(page, "tree");
    await page.waitForSelector("#verdicts");
    const verdicts = new Map(all.rows.map((row) => [row.function, row.verdict]));
    const rows = await page.$$eval("#view tbody tr[data-node]", (list) => list.slice(1).map((row) => [row.lastElementChild.textContent.slice(2), row.dataset.doubt ?? ""]));
    equal("call tree: its rows have the verdicts of their functions", rows, rows.map(([name]) => [name, doubted.has(verdicts.get(name)) ? verdicts.get(name) : ""]));
    await picture(page, "verdicts-tree");
    for (const view of ["flame", "treemap", "graph", "sandwich"]) {
        await page.goto(`${server.url}?view=${view}&function=${encodeURIComponent(chance.function)}`);
        await settled(page, view);
        await page.waitForSelector("#verdicts");
        await picture(page, `verdicts-${view}`);
        equal(`${view}: tells how many are certain`, await page.$eval("#verdicts", ({ dataset }) => Number(dataset.certain)), count(all.rows, "larger", "smaller"));
    }
    await page.goto(`${server.url}?view=reports&report=diff`);
    await settled(page, "reports");
    equal("the page asks diff itself, too", await page.$$eval("#view section[data-table=rows] tbody tr", (list) => list.length), 40);
    equal("the browser has no complaint", page.problems, []);
    await server.end();

    const report = join(folder, "report.html");
    await run("view", file, "--base", base, "-o", report);
    const still = await open(`file://${report}#view=top`);
    await settled(still, "top");
    await still.waitForSelector("#verdicts");
    equal("a report has the same verdicts", [(await tableRows(still)).some(([, doubt]) => doubt === "chance"), await still.$eval("#verdicts", ({ dataset }) => Number(dataset.chance))], [true, count(all.rows, "chance")]);
    equal("of its selections, too", await still.goto(`file://${report}#view=top&filter=live-at%3Dpeak`).then(() => still.reload()).then(() => settled(still, "top")).then(() => still.waitForSelector("#verdicts")).then(() => still.$eval("#verdicts", ({ dataset }) => Number(dataset.chance))),
        count((await diff(base, file, "live-at=peak")).rows, "chance"));
}

async function small() {
    const base = join(folder, "most.ctf");
    await run("file", "subsample", "--to", "0.8", trace, "-o", base);
    const wanted = await diff(base, trace);
    const server = await serve(trace, "--base", base);
    const page = await open(server.url);
    await asDiffSays(page, server, "with small ones", wanted, "sort=-cum%20change");
    const longer = await serve(base, "--base", trace);
    const timeline = await open(longer.url);
    await settled(timeline, "flame");
    await timeline.waitForSelector(".timeline[aria-busy=false]");
    const { files: [file], base: whole } = await answer(longer, "api/about");
    check("a base that ran longer: its run is the longer", whole.duration_us > file.duration_us + 1000, [whole.duration_us, file.duration_us]);
    equal("... and the timeline goes to its end", await timeline.$eval(".timeline", ({ dataset }) => Number(dataset.to)), whole.duration_us + 1);
    // Where the new run has ended, there is the base's dashed line, and no area.
    const filled = (from, to) => timeline.$eval(".timeline .picture canvas", (canvas, [from, to]) => {
        const [left, wide, row] = [Math.round(from * canvas.width), Math.round((to - from) * canvas.width), Math.round(canvas.height * 0.68)];
        const { data } = canvas.getContext("2d").getImageData(left, row, wide, 1);
        const first = [...canvas.getContext("2d").getImageData(1, 40, 1, 1).data].join();
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += [...data.slice(at, at + 4)].join() !== first;
        return count / wide;
    }, [from, to]);
    const edge = file.duration_us / whole.duration_us;
    check("... though the area of the new one ends with that", (await filled(edge + 0.02, 0.98)) < 0.2 && (await filled(edge - 0.2, edge - 0.02)) > 0.5, [edge, await filled(edge + 0.02, 0.98), await filled(edge - 0.2, edge - 0.02)]);
    await longer.end();
    check("with small ones: there are some", count(wanted.rows, "small") > 0);
    await server.end();
}

async function noDoubts(name, base, file, says) {
    const server = await serve(file, "--base", base);
    const page = await open(`${server.url}?view=top`);
    await settled(page, "top");
    if (says) equal(`${name}: the line above`, await page.waitForSelector("#verdicts").then((line) => line.textContent()), says);
    equal(`${name}: nothing is doubted`, [await page.$$eval("[data-doubt]", (list) => list.length), await page.$$eval("#view .grew", (list) => list.length > 0)], [0, true]);
    equal(`${name}: the browser has no complaint`, page.problems, []);
    await server.end();
}

async function exact() {
    const files = [50, 70].map((bytes) => join(folder, `exact-${bytes}.ctf`));
    for (const [i, file] of files.entries()) writeFileSync(file, execFileSync(process.env.MAKE_TRACE, ["events"], { input: `0 1 1 10000\n0 2 2 ${50 + 20 * i}\n` }));
    equal("exact: heaptap compare --long calls this change small", (await diff(...files)).rows.map((row) => row.verdict), ["small"]);
    await noDoubts("exact", ...files, "Both recordings are exact: so are their differences.");
}

async function profiles() {
    const files = [1, 2].map((value) => join(folder, `${value}.pb.gz`));
    for (const [i, file] of files.entries()) writeProfile(file, [["alloc_space", "bytes"]], [{ stack: [["main", "/a.c", 1]], values: [1000 * (i + 1)] }]);
    await noDoubts("values of profiles, whose errors aren't known", ...files);
    const server = await serve(files[0]);
    check("without a base diff is not offered", !(await answer(server, "api/reports")).reports.some(({ name }) => name === "diff"));
    equal("nor answered", await answer(server, "api/answer?report=diff"), { error: "there is no base to compare with" });
    await server.end();
}

// A source file that has another name now: what a function had is found in both, and the card says the same as the side.
async function moved(says, before, now, figures, change) {
    const MB = 2 ** 20;
    const files = [[before, "parse.c"], [now, "src/parser.c"]].map(([sizes, source], i) => {
        const path = join(folder, `renamed-${i}.pb.gz`);
        writeProfile(path, [["alloc_space", "bytes"]], ["parse", "keep"].map((name, at) => ({ stack: [["main", "main.c", 1], [name, at ? "keep.c" : source, 7]], values: [sizes[at] * MB] })));
        return path;
    });
    const server = await serve(files[1], "--base", files[0]);
    const page = await open(server.url);
    await settled(page, "flame");
    await page.waitForSelector(figures ? "#chosen-figures" : "#none-grew");
    equal(`a renamed file, ${says}: the side`, figures ? [await page.textContent("#chosen"), await page.textContent("#chosen-figures")] : [], figures ?? []);
    const card = page.locator('[data-card="changed"]');
    equal("... and its card agrees", [await card.locator(".card-value").textContent(), ...(await card.locator(".card-name, .mono").allTextContents())], change);
    await server.end();
}

// What has come and what has gone lie side by side under a caller that both have, however alike their sums are; in pictures of areas, too.
async function comeAndGone() {
    const MB = 2 ** 20;
    const files = [10, 10].map((size, i) => {
        const path = join(folder, `came-${i}.pb.gz`);
        writeProfile(path, [["alloc_space", "bytes"]], [{ stack: [["main", "main.c", 1], i ? ["keep", "new.c", 7] : ["hold", "old.c", 7]], values: [size * MB] }]);
        return path;
    });
    const page = await open((await serve(files[1], "--base", files[0])).url);
    for (const view of ["flame", "treemap"]) {
        await page.goto(page.url().replace(/\?.*|$/, `?view=${view}`));
        await settled(page, view);
        const parts = await page.$eval("#view .picture canvas", (canvas, isFlame) => {
            const [top, height] = isFlame ? [2 * 18 + 4, 1] : [0, canvas.height];
            const { data } = canvas.getContext("2d").getImageData(0, top, canvas.width, height);
            const is = [0, 0]; // green, red
            for (let at = 0; at < data.length; at += 4) {
                if (data[at + 1] > data[at] + 20) is[0]++;
                if (data[at] > data[at + 1] + 20) is[1]++;
            }
            return is.map((count) => count / (canvas.width * height));
        }, view === "flame");
        check(`come and gone: ${view}: half is green, half is red`, parts.every((part) => Math.abs(part - 0.5) < 0.05), parts);
    }
    equal("... and the whole is what it is and was", await page.textContent("#view [data-total]").then(async (now) => [now, await page.textContent("#view [data-base]")]), ["10 MB", "10 MB"]);
}

// A stack too deep to show whole: the pane has a function, and the cut is told.
async function deep() {
    const file = join(folder, "deep.pb.gz");
    const frames = Array.from({ length: 5000 }, (_, i) => [i % 2 ? "even" : "odd", "r.c", i % 2 ? 3 : 5]);
    writeProfile(file, [["alloc_space", "bytes"]], [{ stack: [["main", "r.c", 1], ...frames], values: [3000] }]);
    const page = await open((await serve(file)).url);
    await settled(page, "flame");
    await page.waitForSelector("#chosen-figures");
    check("a deep stack: a function is chosen", ["even", "odd"].includes(await page.textContent("#chosen")), await page.textContent("#chosen"));
    check("... and that it is cut is told", (await page.textContent("#cut")).includes("<deeper>"));
    equal("one sample", (await page.textContent("#said")).includes("1 sample") && !(await page.textContent("#said")).includes("1 samples"), true);
}

await steps(async () => {
    await sampled();
    await small();
    await exact();
    await profiles();
    await moved("the function in it grew", [10, 50], [37, 50], ["parse", "through it 37 MB (43 %), itself 37 MB (43 %), before 10 MB"], ["+27 MB", "parse", "parser.c"]);
    await moved("another grew", [50, 10], [50, 37], ["keep", "through it 37 MB (43 %), itself 37 MB (43 %), before 10 MB"], ["+27 MB", "keep", "keep.c"]);
    await moved("nothing grew", [50, 10], [50, 10], null, ["0 B"]);
    await moved("the function in it shrank", [50, 10], [20, 10], null, ["-30 MB", "parse", "parser.c"]);
    await comeAndGone();
    await deep();
    rmSync(folder, { recursive: true });
});
