// What holds blocks: the rows are the sums of `heaptap holders --json`, whichever way they are gathered; filters, snapshots, addresses,
// and a page that is written.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, json, open, run, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const golden = `${process.env.SOURCE}/tests/golden/valid`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-holders-"));
const trace = join(folder, "held.ctf");
const hostile = "<img src=x onerror=alert(1)>\u001b[31m";
const LIMITS = ["-n", "100", "--paths", "20", "--roots", "100"];

// A trace with two snapshots, made up from a golden one (tests/helpers/add_holders.py).
function makeTrace(from, to, name) {
    const script = "import sys; sys.path.insert(0, sys.argv[1]); import add_holders as a; data = open(sys.argv[2], 'rb').read(); "
        + "open(sys.argv[3], 'wb').write(data + a.packet(a.records(a.stacks_of(data), sys.argv[4], sys.argv[5], sys.argv[6])))";
    const done = spawnSync("python3", ["-c", script, `${process.env.SOURCE}/tests/helpers`, from, to, name, `${name}.c`, name === "book" ? "" : name]);
    if (done.status !== 0) throw new Error(done.stderr.toString());
}

function units(bytes) {
    return bytes < 1023.5 ? `${bytes} B` : `${(bytes / 1024).toFixed(bytes / 1024 < 9.95 ? 1 : 0)} kB`;
}

// Opens every row there is.
async function openAll(page) {
    for (let i = 0; i < 200; i++) {
        const closed = page.locator("#view tr[aria-expanded=false]").first();
        if ((await closed.count()) === 0) return;
        await closed.focus();
        await closed.press("ArrowRight");
        await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
    }
}

// What rows say: depth, bytes, blocks; the outermost first.
const rowsOf = (page) => page.$$eval("#view tr[data-node]", (list) => list.map((row) => ({
    depth: Number(row.getAttribute("aria-level")), bytes: row.children[0].textContent, blocks: row.children[2].textContent, name: row.lastElementChild.textContent.replace(/^[·▾▸] /, ""),
})));

// From the report's ways: how many bytes come through each beginning of one.
function sumsOf(answer, outwards) {
    const sums = new Map();
    for (const site of answer.sites)
        for (const path of site.paths) {
            const steps = path.steps.map((step) => JSON.stringify([step.kind, step.name, step.function, step.line, step.type, outwards ? undefined : step.by]));
            const way = outwards ? [JSON.stringify([site.function, site.line]), ...steps.slice(0, -1).reverse()] : steps;
            for (let i = 1; i <= way.length; i++) {
                const key = way.slice(0, i).join("\n");
                sums.set(key, { depth: i, bytes: (sums.get(key)?.bytes ?? 0) + path.bytes });
            }
        }
    return [...sums.values()];
}

const sorted = (list) => list.map(({ depth, bytes }) => `${depth} ${bytes}`).sort();

// The page says what the text says of roots that another one holds as well; from places up there are no roots.
async function shared(page, kept, args) {
    const said = (await run("holders", ...LIMITS, ...args)).stdout.split("\n").filter((line) => line.includes(" is held by another root as well: "));
    check("... the text has such a root", said.length > 0, said.join());
    equal(`... ${kept}: another root that holds as much`, await page.$$eval("#view tr.doubted", (list) => list.map((row) => row.lastElementChild.textContent).filter((text) => text.includes("as well")).map((text) => text.replace(/^· /, "").trim())), kept === "roots" ? said : []);
}

async function figures(page, url, more, args) {
    const answer = await json("holders", "--json", ...LIMITS, ...args);
    for (const kept of ["roots", "sites"]) {
        await page.goto(`${url}?view=holders&kept=${kept}${more}`);
        await settled(page, "holders");
        await openAll(page);
        const rows = await rowsOf(page);
        const wanted = sumsOf(answer, kept === "sites").map(({ depth, bytes }) => ({ depth, bytes: units(bytes) }));
        equal(`${more || "all"}, ${kept}: as many bytes in each row as the report has`, sorted(rows), sorted(wanted));
        const [key, of] = kept === "roots" ? ["name", answer.roots] : ["function", answer.sites];
        equal(`${more || "all"}, ${kept}: the outermost`, rows.filter(({ depth }) => depth === 1).map(({ bytes }) => bytes), of.filter(({ bytes }) => bytes > 0).map(({ bytes }) => units(bytes)));
        check(`... by name`, rows[0].name.includes(of[0][key]) || of[0].kind === "lost", rows[0].name);
        equal(`... of all`, await page.$eval("#view [data-total]", ({ dataset }) => [Number(dataset.total)]), [answer.snapshot.bytes]);
        await shared(page, kept, args);
        equal(`... and what is lost`, await page.$eval("#view [data-lost]", ({ dataset }) => Number(dataset.lost)), answer.snapshot.lost_bytes);
    }
    return answer;
}

async function selections(page, url) {
    const all = await figures(page, url, "", [trace]);
    check("there is something to look at", all.sites.length > 3 && all.roots.length === 2, JSON.stringify(all.roots));
    await figures(page, url, "&snapshot=1", [trace, "--snapshot", "1"]);
    await figures(page, url, "&filter=focus%3Dgo", [trace, "focus=go"]);
    await figures(page, url, "&libraries=1", [trace, "libraries=show"]);
    await page.goto(`${url}?view=holders&filter=focus%3Dgo+size%3E%3D1+live-at%3Dpeak`);
    await settled(page, "holders");
    equal("clauses of times and sizes are told and left out", await page.textContent("#ignored code"), "size>=1 live-at=peak");
    equal("... the others hold", await page.$eval("#view [data-total]", ({ dataset }) => Number(dataset.total)), (await json("holders", "--json", trace, "focus=go")).snapshot.bytes);
    await page.goto(`${url}?view=holders&filter=focus%3Dno-such-function`);
    await settled(page, "holders");
    check("nothing that passes is told", (await page.textContent("#nothing")).includes("focus=no-such-function"));
}

// Every word of the filter language is either taken by the report, or left out by the page.
async function words(server) {
    const { clauses } = await (await fetch(`${server.url}api/about`)).json();
    const given = { size: "1", domain: "0", depth: "1", libraries: "hide" };
    for (const { word, blocks, values } of clauses) {
        const response = await fetch(`${server.url}api/answer?report=holders&filter=${encodeURIComponent(`${word}=${given[word] ?? values[0] ?? "x"}`)}`);
        const { error } = await response.json();
        if (/has no |have no /.test(error ?? "")) continue; // the trace has none
        equal(`${word}: ${blocks ? "left out" : "taken"}`, /clauses about sizes/.test(error ?? ""), blocks);
    }
}

async function addresses(page, url) {
    await page.goto(`${url}?view=holders`);
    await settled(page, "holders");
    await page.selectOption("#snapshot", "1");
    await settled(page, "holders");
    equal("a snapshot is in the address", new URL(page.url()).searchParams.get("snapshot"), "1");
    await page.goBack();
    await settled(page, "holders");
    equal("... and back is the last one", await page.inputValue("#snapshot"), "");
    await page.click("#kept-sites");
    await settled(page, "holders");
    await page.locator("#view tr[aria-level='1']").nth(1).click();
    await settled(page, "holders");
    const chosen = async () => [await page.textContent("#view tr.marked"), await page.getAttribute(".pane", "data-function")];
    const before = await chosen();
    check("a click puts the place in the pane", before[0].includes(before[1]), before.join());
    check("... which says what keeps it", (await page.textContent("#kept-by")).startsWith("Kept by"));
    const rows = (await rowsOf(page)).map(({ name }) => name);
    await page.goto(page.url());
    await settled(page, "holders");
    equal("its address opens the same row", await chosen(), before);
    check("... with its way", (await rowsOf(page)).every(({ name }) => rows.includes(name)));
    await page.keyboard.press("/");
    await page.keyboard.type("book");
    await page.keyboard.press("Enter");
    await settled(page, "holders");
    check("a search goes to what matches, wherever it stands", (await page.textContent("#view tr.marked mark")).includes("book"));
    await page.goto(url);
    await settled(page, "flame");
    await page.click('[data-card="left"] .kept-by .link');
    await settled(page, "holders");
    check("the card of what is left leads to the place whose blocks are held so", (await chosen())[0].includes((await json("summary", "--json", trace)).cards.find(({ card }) => card === "left").kept_function));
    await page.goBack();
    await settled(page, "flame");
}

async function written(page, url) {
    const report = join(folder, "page.html");
    equal("a page is written", (await run("view", "-o", report, trace)).status, 0);
    const still = await open(`file://${report}`);
    for (const more of ["", "&kept=sites", "&kept=sites&snapshot=1", "&filter=live-at%3Dpeak"]) {
        await page.goto(`${url}?view=holders${more}`);
        await settled(page, "holders");
        await still.goto(`file://${report}#view=holders${more}`);
        await still.reload();
        await settled(still, "holders");
        equal(`written${more}: the same rows`, await rowsOf(still), await rowsOf(page));
    }
    await still.selectOption("#snapshot", "1");
    await settled(still, "holders");
    equal("... its snapshots can be chosen", (await rowsOf(still)).length > 0, true);
    equal("the browser has no complaint of it", still.problems, []);
}

async function without() {
    const profile = join(folder, "p.pb.gz");
    writeProfile(profile, [["inuse_objects", "count"], ["inuse_space", "bytes"]], [{ stack: [["main", "/a.c", 1]], values: [1, 4096] }]);
    for (const [file, says] of [[`${golden}/lists-and-sets-v1.ctf`, "heaptap record --holders"], [profile, "A profile has no single blocks"]]) {
        const server = await serve(file);
        const page = await open(`${server.url}?view=holders`);
        await settled(page, "holders");
        check("without a snapshot: what to do", (await page.textContent("#no-snapshot")).includes(says), await page.textContent("#view"));
        equal("... nothing is asked that is refused", page.problems, []);
        equal("... and no card tells of it", await page.$$eval(".kept-by", (list) => list.length), 0);
        await server.end();
    }
}

async function names() {
    const file = join(folder, "hostile.ctf");
    makeTrace(`${golden}/lists-and-sets-v1.ctf`, file, hostile);
    const server = await serve(file);
    const page = await open(`${server.url}?view=holders`);
    await settled(page, "holders");
    await openAll(page);
    check("names stay text", (await page.textContent("#view tbody")).includes("<img src=x onerror=alert(1)>") && (await page.$$("#view img, .cards img, .pane img")).length === 0);
    const row = page.locator("#view tr[data-node]").nth(1);
    await row.click();
    await page.goto(page.url());
    await settled(page, "holders");
    check("... in an address, too", (await page.textContent("#view tr.marked")).includes("<img src=x"));
    equal("the browser has no complaint of them", page.problems, []);
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    makeTrace(`${golden}/lists-and-sets-v1.ctf`, trace, "book");
    const server = await serve(trace);
    const page = await open(server.url);
    await selections(page, server.url);
    await words(server);
    await addresses(page, server.url);
    for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 760 });
        await page.goto(`${server.url}?view=holders`);
        await settled(page, "holders");
        check(`${width} px: nothing is wider than the page`, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }
    await written(page, server.url);
    equal("the browser has no complaint", page.problems, []);
    await without();
    await names();
});
