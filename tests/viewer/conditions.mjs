// Conditions on a fleet's labels as chips, whatever quotes are in them; and a profile beside which nothing else is seen, left out by a click.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, fleetShown as shown, json, open, picture, serveFleet, steps } from "./browser.mjs";
import { profileOf } from "./pprof.mjs";

const QUOTED = 'say "hi" \\ there=now';
const CONDITION = 'service="say \\"hi\\" \\\\ there=now"';
const folder = mkdtempSync(join(tmpdir(), "heaptap-conditions-"));
cleanup(() => rmSync(folder, { recursive: true }));

const END = (Math.floor(Date.now() / 3.6e6) - 2) * 3600;
const types = [["alloc_space", "bytes"], ["inuse_space", "bytes"]];
const send = (url, labels, hour, values) => fetch(`${url}/profiles?${new URLSearchParams({ ...labels, from: END - 3600 * (hour + 1), until: END - 3600 * hour })}`,
    { method: "POST", body: profileOf(types, [{ stack: [["main", "main.go", 1]], values }], 524288) });

const where = (page) => new URL(page.url()).searchParams.get("where") ?? "";
const chips = (page) => page.$$eval(".chip-text", (list) => list.map((chip) => chip.textContent));
const names = (page) => page.$$eval('table[aria-label^="By "] tbody .link', (list) => list.map((link) => link.textContent));
const cards = (page) => page.$$eval(".card", (list) => Object.fromEntries(list.map((card) => [card.dataset.card, Number(card.dataset.value)])));

async function type(page, text) {
    await page.fill("#where", text);
    await page.press("#where", "Enter");
    await shown(page);
}

async function conditions() {
    const url = await serveFleet(join(folder, "where.db"));
    for (const [service, host] of [["api", "a"], ["api", "b"], [QUOTED, "a"], ["two words", "it's"]])
        for (const hour of [0, 1, 2]) await send(url, { service, host }, hour, [1e6, 1e6]);
    const page = await open(url);
    await shown(page);
    await page.click('table[aria-label^="By "] tbody .link >> text=say');
    await shown(page);
    equal("a name in quotes becomes a chip", [await chips(page), where(page)], [[CONDITION], CONDITION]);
    await page.selectOption("#by", "service");
    await shown(page);
    equal("... of which only that is shown", await names(page), [QUOTED]);
    await type(page, "host!=b");
    equal("another is added", [await chips(page), where(page)], [[CONDITION, "host!=b"], `${CONDITION} host!=b`]);
    await page.click(".chip:first-child .chip-remove");
    await shown(page);
    equal("one is taken away", [await chips(page), (await names(page)).sort()], [["host!=b"], ["api", QUOTED, "two words"].sort()]);
    await page.click(".chip-text");
    equal("one is changed: it stands in the field", await page.inputValue("#where"), "host!=b");
    await type(page, "host=it's");
    equal("... a quote within a word is none", [await chips(page), await names(page)], [["host=it's"], ["two words"]]);
    await page.focus("#where");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Escape");
    equal("Backspace takes the last into the field, Escape leaves it", [await chips(page), await page.inputValue("#where")], [["host=it's"], ""]);
    await page.fill("#where", "nonsense");
    await page.press("#where", "Enter");
    await page.waitForSelector("[role=alert]");
    equal("what is no condition is no part of the one before it", (await page.textContent("[role=alert]")).slice(0, 26), "'nonsense' is no condition");
    await page.goBack();
    await shown(page);

    // Suggestions: labels, then their values.
    await page.fill("#where", "serv");
    await page.waitForSelector("#suggestions li");
    equal("labels are suggested", await page.$$eval("#suggestions code", (list) => list.map((one) => one.textContent)), ["service="]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    equal("... then values", await page.$$eval("#suggestions code", (list) => list.map((one) => one.textContent)), ["service=api", CONDITION, "service=two words"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await shown(page);
    equal("... in quotes where they need these", await chips(page), ["host=it's", CONDITION]);

    for (const [text, wanted] of [
        ["service=two words host=a", ["service=two words", "host=a"]],
        [`host='a "b" c=d' ${CONDITION} version!=1`, [`host='a "b" c=d'`, CONDITION, "version!=1"]],
        ['service="a\\\\" host=b', ['service="a\\\\"', "host=b"]],
        ['service="open host=b', ['service="open', "host=b"]],
        ["  service=a   host!=b  ", ["service=a", "host!=b"]],
        ["plain", ["plain"]],
    ]) {
        await page.goto(`${url}/?where=${encodeURIComponent(text)}`);
        await page.waitForSelector(".chip");
        equal(`chips of ${text}`, await chips(page), wanted);
    }
    await picture(page, "conditions");
}

async function outlier() {
    const url = await serveFleet(join(folder, "outlier.db"));
    for (const [service, host] of [["api", "a"], ["api", "b"], ["mail", "c"]])
        for (let hour = 0; hour < 6; hour++) await send(url, { service, host }, hour, [1e9, 2e8]);
    const page = await open(url);
    await shown(page);
    equal("ordinary profiles: none stands out", await page.$("#outlier"), null);
    const before = await cards(page);
    await send(url, { service: "api", host: "broken" }, 1, [2 ** 60, 2 ** 60]);
    await page.reload();
    await shown(page);
    equal("an absurd one is told", await page.textContent("#outlier"), "One set of labels, of host=broken, has 1.0 EB allocated; all others together have 17 GB. Beside it they can't be seen. Leave host broken out");
    await picture(page, "outlier");
    await page.click("#leave-out");
    await shown(page);
    equal("a click leaves it out", [where(page), await chips(page), await page.$("#outlier")], ["host!=broken", ["host!=broken"], null]);
    const after = await cards(page);
    equal("... and all is as before", [after.allocated, after["in-use"], after.instances], [before.allocated, before["in-use"], before.instances]);
    await page.click(".chip-remove");
    await shown(page);
    check("... its chip brings it back", (await page.$("#outlier")) !== null);
    await send(url, { service: "mail", host: 'so "broken"' }, 2, [2 ** 59, 0]);
    await page.reload();
    await shown(page);
    check("of two, the heavier first", (await page.textContent("#outlier")).startsWith("The heaviest of 2 sets of labels, of host=broken, has 1.0 EB allocated; all that have less together have 17 GB."), await page.textContent("#outlier"));
    await page.click("#leave-out");
    await shown(page);
    await page.click("#leave-out");
    await shown(page);
    equal("... then the other", [where(page), await page.$("#outlier")], ['host!=broken host!="so \\"broken\\""', null]);
    equal("the browser has no complaint, but that these profiles have no errors to compare by", page.problems.filter((text) => !text.includes("status of 400")), []);
    const { outlier } = await json("fleet", "services", "--json", `store:${join(folder, "outlier.db")}`);
    equal("heaptap fleet services tells it, too", outlier, { of: "allocated", label: "host", value: "broken", series: 2, bytes: Number((2 ** 60).toPrecision(15)), rest_bytes: 18e9 });
}

await steps(async () => {
    await conditions();
    await outlier();
});
