// Choosing: filters typed, completed, put together and dragged; keys, search, URL, back and forward.

import { readFileSync } from "node:fs";
import { check, equal, json, open, serve, settled, steps } from "./browser.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const total = (page) => page.$eval("#view [data-total]", (element) => Number(element.dataset.total));
const selected = async (...clauses) => (await json("top", "--json", trace, ...clauses)).selected;
const filterOf = (page) => new URL(page.url()).searchParams.get("filter") ?? "";
const shows = async (page, filter, view = "flame") => {
    await page.waitForFunction((wanted) => (new URLSearchParams(location.search).get("filter") ?? "") === wanted, filter);
    await settled(page, view);
};
const drag = async (page, selector, from, to) => {
    const box = await page.locator(selector).boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * from, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
    await page.mouse.move(box.x + box.width * to, y);
    await page.mouse.up();
};

await steps(async () => {
    const server = await serve(trace);
    const page = await open(server.url);
    await settled(page, "flame");
    const everything = await total(page);

    await page.fill("#filter", "size>=64");
    await page.click("#apply");
    await shows(page, "size>=64");
    equal("a filter counts as heaptap top does", await total(page), await selected("size>=64"));
    await page.goBack();
    await shows(page, "");
    equal("back shows everything again", await total(page), everything);
    await page.goForward();
    await shows(page, "size>=64");
    equal("forward shows the selection", await total(page), await selected("size>=64"));
    await page.reload();
    await settled(page, "flame");
    equal("so does the same URL, loaded anew", [await page.inputValue("#filter"), await total(page)], ["size>=64", await selected("size>=64")]);

    await page.fill("#filter", "");
    await page.type("#filter", "live");
    await page.waitForSelector("#suggestions");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    equal("a word is completed", await page.inputValue("#filter"), "live-at=");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    equal("and what it takes", await page.inputValue("#filter"), "live-at=peak ");
    await page.keyboard.press("Enter");
    await shows(page, "live-at=peak");
    equal("live at the peak", await total(page), await selected("live-at=peak"));

    await page.fill("#filter", "size>1 sise>3");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#wrong mark");
    equal("a wrong word is marked", await page.textContent("#wrong mark"), "sise");
    check("with what is meant", /did you mean size/.test(await page.textContent("#wrong")));

    await page.selectOption("#preset", { index: 3 });
    await shows(page, "collected=never");
    equal("a preset: leaked", await total(page), await selected("collected=never"));
    await page.click(".clauses summary");
    await page.selectOption("#clause-word", { label: "Size" });
    await page.selectOption("#clause-how", { label: "at most" });
    await page.fill('.clause input[name="value"]', "100");
    await page.click("#clause-add");
    await shows(page, "collected=never size<=100");
    equal("a clause by the form", await total(page), await selected("collected=never", "size<=100"));
    await page.selectOption("#weight", "objects");
    await page.waitForFunction(() => location.search.includes("weight=objects"));
    await settled(page, "flame");
    const objects = (await json("top", "--json", "-s", "alloc_objects", trace, "collected=never", "size<=100")).selected;
    check("by objects", Math.abs((await total(page)) - objects) < 1e-6 * objects, [await total(page), objects]);

    // By the keyboard alone
    await page.goto(server.url);
    await settled(page, "flame");
    const focused = () => page.evaluate(() => {
        const at = document.activeElement;
        return at.id || at.getAttribute("aria-label") || at.textContent.slice(0, 20);
    });
    const walked = [];
    for (let i = 0; i < 40 && walked[walked.length - 1] !== "marked by the picture"; i++) {
        await page.keyboard.press("Tab");
        walked.push(await page.evaluate(() => (document.activeElement.matches("#view .picture") ? "marked by the picture" : "")) || (await focused()));
    }
    const order = ["Skip to the picture", "About", "theme", "help", "filter", "apply", "preset", "weight", "quantity", "grain", "direction", "order", "recursion", "search", "brush", "clock", "tab-flame", "marked by the picture"];
    const places = order.map((name) => walked.indexOf(name));
    check("Tab goes from the heading over the bars and the timeline to the picture", places.every((place, i) => place >= 0 && (i === 0 || place > places[i - 1])), walked);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    equal("? opens help, whose button has the focus", await focused(), "Close");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.focus(".skip");
    await page.keyboard.press("Enter");
    check("the first link skips to the picture", await page.evaluate(() => document.activeElement.matches("#view .picture")));
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.search.includes("zoom="));
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !location.search.includes("zoom="));
    await page.keyboard.press("]");
    await settled(page, "icicle");
    check("] goes on to the next view", true);

    // The order of siblings, and the time of day
    await page.goto(server.url);
    await settled(page, "flame");
    await page.focus("#view .picture");
    for (let i = 0; i < 12; i++) await page.keyboard.press("ArrowUp");
    const heaviest = await page.textContent("#marked");
    await page.selectOption("#order", "weight");
    await page.waitForFunction(() => location.search.includes("order=weight"));
    await settled(page, "flame");
    equal("in another order the same node is marked", await page.textContent("#marked"), heaviest);
    await page.focus("#view .picture");
    await page.keyboard.press("ArrowLeft");
    equal("the heaviest stands first", await page.textContent("#marked"), heaviest);
    await page.goBack();
    await page.waitForFunction(() => !location.search.includes("order"));
    equal("back is by name again", await page.inputValue("#order"), "name");
    const scale = async () => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.click(".timeline button:text('SVG')")]);
        return readFileSync(await file.path(), "utf8");
    };
    check("the timeline counts from the start", !/>\d\d:\d\d:\d\d/.test(await scale()));
    await page.check("#clock");
    await page.waitForFunction(() => location.search.includes("clock=1"));
    const { start_us } = (await json("info", "--json", trace)).trace;
    const hour = await page.evaluate((time) => String(new Date(time).getHours()).padStart(2, "0"), start_us / 1000);
    check("or tells the time of day", new RegExp(`>${hour}:\\d\\d:\\d\\d\\.\\d<`).test(await scale()), await scale());

    await page.goto(server.url);
    await settled(page, "flame");
    await page.waitForSelector(".timeline[aria-busy=false]");
    await drag(page, ".timeline .picture", 0.25, 0.5);
    await page.waitForFunction(() => location.search.includes("allocated"));
    await settled(page, "flame");
    const brushed = filterOf(page);
    check("brushing the timeline chooses a time", /^allocated=0\.2\d*s\.\.0\.4\d*s$/.test(brushed), brushed);
    equal("and counts what was allocated then", await total(page), await selected(brushed));
    await page.goto(server.url);
    await page.waitForSelector(".timeline[aria-busy=false]");
    const strip = await page.locator(".timeline .picture").boundingBox();
    const at = (share) => page.mouse.move(strip.x + strip.width * share, strip.y + strip.height / 2);
    const tip = () => page.textContent(".tip strong");
    await at(0.3);
    await page.waitForSelector(".tip");
    const first = await tip();
    await page.mouse.down();
    await at(0.6);
    await page.waitForFunction((before) => document.querySelector(".tip strong")?.textContent !== before, first);
    check("while dragging, the tip tells the time under the pointer", (await tip()) !== first);
    await at(0.3);
    await page.mouse.up();
    await page.keyboard.down("Control");
    await at(0.5);
    await page.mouse.wheel(0, -100);
    await page.keyboard.up("Control");
    await page.waitForFunction(() => /times=\d+\.\.\d+/.test(location.search));
    const [nearer, whole] = [page.url(), (await (await fetch(server.url + "api/about")).json()).files[0].duration_us + 1];
    const [from, to] = new URL(nearer).searchParams.get("times").split("..").map(Number);
    check("Ctrl and the wheel go nearer, around the pointer", from > 0 && to < whole && Math.abs((to - from) / whole - 2 / 3) < 0.01, [from, to, whole]);
    await page.goto(nearer);
    await page.waitForSelector(".timeline[aria-busy=false]");
    check("and the URL shows that part again", (await page.$$(".timeline button:text('Whole timeline')")).length === 1);
    await page.click(".timeline button:text('Whole timeline')");
    await page.waitForFunction(() => !location.search.includes("times"));

    await page.goto(`${server.url}?view=histograms`);
    await settled(page, "histograms");
    await drag(page, ".histogram .picture >> nth=0", 0.1, 0.4);
    await page.waitForFunction(() => location.search.includes("size"));
    check("dragging over sizes chooses them", /^size=\d+\.\.\d+$/.test(filterOf(page)), filterOf(page));

    // Keys
    await page.goto(server.url);
    await settled(page, "flame");
    await page.focus("#view .picture");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("k");
    const marked = await page.textContent("#marked");
    check("keys walk up the flame graph", marked !== "all" && marked.length > 0, marked);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.search.includes("zoom"));
    check("Enter zooms", decodeURIComponent(page.url()).includes(marked.split(":")[0]), page.url());
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !location.search.includes("zoom"));
    await page.keyboard.press("j");
    await page.waitForFunction((before) => document.querySelector("#marked").textContent !== before, marked);
    check("j walks back", true);
    await page.keyboard.press("Shift+Enter");
    await settled(page, "sandwich");
    check("Shift+Enter focuses on the function", new URL(page.url()).searchParams.get("function").length > 0);
    await page.goBack();
    await settled(page, "flame");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("/");
    await page.keyboard.type("type_struct");
    await page.waitForFunction(() => location.search.includes("search=type_struct") && document.querySelector("[data-found]"));
    check("search finds, and tells how much", Number(await page.$eval("[data-found]", (element) => element.dataset.found)) > 0);
    await page.fill("#search", "type_struct(");
    await page.waitForSelector("#search-wrong");
    check("a wrong regular expression is told, and finds nothing", /not a regular expression: ./.test(await page.textContent("#search-wrong")) && (await page.$("[data-found]")) === null, await page.textContent("#search-wrong"));
    await page.fill("#search", "type_struct\\(?");
    await page.waitForSelector("[data-found]");
    equal("a right one takes that back", await page.$("#search-wrong"), null);
    equal("the page has a main landmark, and in it the panel of the tabs", await page.$$eval("main:not([role]) > #view[role=tabpanel]", (list) => list.length), 1);
    await page.emulateMedia({ media: "print" });
    equal("printed are the view and the timeline, without controls", await page.evaluate(() => [".bar", ".tabs", "#view .buttons", "#view .picture", ".timeline .picture"].map((one) => document.querySelector(one).getClientRects().length > 0)), [false, false, false, true, true]);
    await page.emulateMedia({ media: "screen" });
    await page.keyboard.press("Escape");
    await page.keyboard.press("]");
    await settled(page, "icicle");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    check("? tells the keys", /Shift\+Enter/.test(await page.textContent("dialog")));
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
    await page.goto(`${server.url}?view=tree`);
    await settled(page, "tree");
    const rows = await page.$$eval("#view tbody tr", (list) => list.length);
    await page.focus("#view tbody tr");
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((before) => document.querySelectorAll("#view tbody tr").length < before, rows);
    check("the call tree's rows close and open", true);
    check("the browser complains of the wrong filter alone", page.problems.every((problem) => problem.includes("400")), page.problems);
});
