// The page of heaptap fleet serve: services over time, a range dragged to its flame graph, two ranges and two versions compared,
// the cost of a line; its numbers are those of the commands.

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, equal, fleetShown as shown, json, open, picture, serveFleet, settled, showView, steps } from "./browser.mjs";

const HOSTILE = "<img src=x onerror=alert(1)>/?#&%";

function output(program, args) {
    return new Promise((done, fail) => {
        const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
        let text = "";
        child.stdout.on("data", (data) => (text += data));
        child.on("error", fail);
        child.on("close", (status) => (status === 0 ? done(text) : fail(new Error(`${program} ${args}: status ${status}`))));
    });
}

async function drag(page, from, to) {
    const { x, y, width } = await page.locator(".picture").first().boundingBox();
    await page.mouse.move(x + from * width, y + 100);
    await page.mouse.down();
    await page.mouse.move(x + to * width, y + 100, { steps: 4 });
    await page.mouse.up();
    await shown(page);
}

async function csv(page) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.click(".fleet .buttons button >> text=CSV")]);
    const chunks = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk);
    return Buffer.concat(chunks).toString().trim().split("\r\n").slice(1).map((line) => line.split(","));
}

const ROWS = 'table[aria-label^="By "] tbody';

const parameter = (page, name) => new URL(page.url()).searchParams.get(name);
const total = (page) => page.$eval("#view [data-total]", (element) => Number(element.dataset.total));
const base = (page) => page.$eval("#view [data-base]", (element) => Number(element.dataset.base));

await steps(async () => {
    const store = join(mkdtempSync(join(tmpdir(), "heaptap-fleet-")), "fleet.db");
    const url = await serveFleet(store);
    const begin = Number(await output("python3", [`${process.env.SOURCE}/tests/helpers/make_fleet.py`, url]));
    const [middle, end] = [begin + 7200, begin + 14400];
    const services = async (...conditions) => (await json("fleet", "services", "--json", `store:${store}`, ...conditions)).services;
    const top = async (...conditions) => (await json("top", "--json", `store:${store}`, ...conditions)).total;

    const page = await open(`${url}/`);
    await shown(page);
    check("the title names the store", (await page.title()).startsWith(store));
    const rows = await services();
    equal("services: those of heaptap fleet services", (await csv(page)).map((row) => [row[0], Number(row[1])]), rows.map(({ name, allocated_bytes }) => [name, allocated_bytes]));
    equal("a hostile name is text", await page.textContent(`${ROWS} tr:nth-child(3) .link`), HOSTILE);
    check("a row has its curve", (await page.$$("tbody svg.curve")).length === 3);
    await picture(page, "fleet");

    // A range, dragged to its flame graph.
    await page.goto(`${url}/?time=${begin}..${end}`);
    await shown(page);
    await drag(page, 0.25, 0.5);
    const range = parameter(page, "range").split("..").map(Number);
    check("a dragged range is in the URL", Math.abs(range[0] - begin - 3600) < 60 && Math.abs(range[1] - middle) < 60, range);
    await page.click(`${ROWS} button >> text=Choose >> nth=0`);
    await shown(page);
    equal("a row is chosen", parameter(page, "value"), "api");
    await picture(page, "fleet-range");
    await page.click("#show");
    await settled(page, "flame");
    equal("its flame graph is that of the range and the row", await total(page), await top("service=api", `time=${range.join("..")}`));
    for (const view of ["top", "graph", "treemap", "reports"]) {
        await showView(page, view);
    }
    check("... as all other views", true);
    const link = page.url();
    const again = await open(link);
    await settled(again, "reports");
    equal("a link to it lasts", await again.textContent("h1"), await page.textContent("h1"));
    await page.click("#home");
    await shown(page);
    equal("the way back has its time", parameter(page, "time"), range.join(".."));

    // Two ranges.
    await page.goto(`${url}/?time=${begin}..${end}`);
    await shown(page);
    await drag(page, 0.0, 0.25);
    const first = parameter(page, "range");
    await page.click("#keep");
    await drag(page, 0.75, 1);
    const second = parameter(page, "range");
    await picture(page, "fleet-base");
    await page.click("#compare");
    await settled(page, "flame");
    equal("two ranges compared", [await total(page), await base(page)], [await top(`time=${second}`), await top(`time=${first}`)]);

    // Two versions.
    await page.goto(`${url}/?time=${begin}..${end}&where=${encodeURIComponent("service=search")}&by=version`);
    await shown(page);
    equal("versions", (await csv(page)).map((row) => row[0]).sort(), ["1.3", "1.4"]);
    const row = async (name) => (await page.$$eval(`${ROWS} .link`, (links) => links.map((element) => element.textContent))).indexOf(name);
    await page.click(`${ROWS} tr:nth-child(${(await row("1.3")) + 1}) button >> text=Base`);
    await page.click(`${ROWS} tr:nth-child(${(await row("1.4")) + 1}) button >> text=Choose`);
    await shown(page);
    await page.waitForSelector("#grew tbody tr");
    const grown = await json("fleet", "regressions", "--json", `store:${store} service=search version=1.3`, `store:${store} service=search version=1.4`);
    equal("what grew, as heaptap fleet regressions has it", await page.$$eval("#grew tbody tr td:first-child", (cells) => cells.map((cell) => cell.firstChild.textContent)),
        grown.sites.slice(0, grown.found).map((site) => site.function));
    await picture(page, "fleet-versions");
    await page.click("#compare");
    await settled(page, "flame");
    equal("two versions compared", [await total(page), await base(page)], [await top("service=search", "version=1.4"), await top("service=search", "version=1.3")]);
    await page.waitForSelector(`.pane[data-function="${grown.sites[0].function}"]`);
    check("... and beside them stands the function that grew most", /has grown most/.test(await page.textContent(".pane")));

    // The cost of a line, from the flame graph and from the field.
    await page.goto(`${url}/show/${encodeURIComponent(`service=search time=${begin}..${end}`)}/?view=peek&function=index.Scan`);
    await settled(page, "peek");
    await showView(page, "flame");
    await page.focus("#view .picture");
    for (let depth = 0; depth < 3; depth++) await page.keyboard.press("ArrowDown");
    await page.click("#cost");
    await shown(page);
    equal("the cost of a function over all services", parameter(page, "through"), "index.Scan");
    const cost = await services("--through", "index.Scan");
    equal("... as heaptap fleet services has it", (await csv(page)).map((cells) => [cells[0], Number(cells[1])]), cost.map(({ name, allocated_bytes }) => [name, allocated_bytes]));
    const own = (await services()).find(({ name }) => name === "search").allocated_bytes;
    equal("... and its part of all that the service allocates", Number((await csv(page))[0][4]).toFixed(9), (cost[0].allocated_bytes / own).toFixed(9));
    await picture(page, "fleet-cost");
    await page.fill("#through", "no.Such");
    await page.press("#through", "Enter");
    await shown(page);
    equal("what leads nowhere costs nothing", (await csv(page)).map((cells) => cells[1]), ["0", "0", "0"]);

    // Narrowing, the keys, what is wrong.
    await page.goto(`${url}/`);
    await shown(page);
    await page.click(`${ROWS} .link >> text=search`);
    await shown(page);
    equal("a name leads to its versions", [parameter(page, "where"), parameter(page, "by")], ["service=search", "version"]);
    await page.goBack();
    await shown(page);
    await page.click(`${ROWS} tr:nth-child(3) .link`);
    await shown(page);
    equal("a hostile one, too", (await csv(page)).length, 2);
    await page.click("#show");
    await settled(page, "flame");
    equal("... to its flame graph", await total(page), await top(`service="${HOSTILE}"`, `time=${parameter(page, "x") ?? `${begin}..${end}`}`));
    await page.goto(`${url}/`);
    await shown(page);
    await page.focus(".picture");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+ArrowRight");
    await shown(page);
    check("the keys choose a range, too", /^\d+\.\.\d+$/.test(parameter(page, "range")));
    await page.keyboard.press("Escape");
    await shown(page);
    equal("... and none", parameter(page, "range"), null);
    equal("no complaints of the browser's", [page.problems, again.problems], [[], []]);
    await page.fill("#where", "nonsense");
    await page.press("#where", "Enter");
    await page.waitForSelector("[role=alert]");
    check("what is no condition is said", (await page.textContent("[role=alert]")).startsWith("'nonsense' is no condition"));

    for (const [field, text, wanted] of [
        ["where", 'service="unclosed', 'the quote of "unclosed has no end'],
        ["where", `service='a" version=1`, `the quote of 'a" has no end`],
        ["where", 'service="a" b', 'something follows the quotes of "a" b: put all of it into them'],
        ["where", "hosst=a", "No such label: hosst."],
        ["where", "service=nosuch", "No profile has service=nosuch in this time."],
        ["through", "no.Such", "No such function or line in these profiles: no.Such."],
    ]) {
        await page.goto(`${url}/`);
        await shown(page);
        await page.fill(`#${field}`, text);
        await page.press(`#${field}`, "Enter");
        await page.waitForSelector(".remark");
        equal(`${field}: ${text}`, await page.textContent(".remark"), wanted);
    }

    const none = await open(`${url}/show/service%3Dnosuch/`);
    await none.waitForSelector("[role=alert]");
    check("a selection that has nothing says so", (await none.textContent("[role=alert]")) === "no profile of the store has these labels and times");

    const narrow = await open(`${url}/`, { width: 400, dark: true });
    await shown(narrow);
    check("a narrow window has no bar to scroll sideways", await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await picture(narrow, "fleet-narrow");
});
