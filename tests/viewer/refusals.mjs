// A filter that is wrong: told once, at the filter, with the wrong word marked; the page shows what it showed before.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, cleanup, equal, open, picture, run, serve, settled, showView, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const folder = mkdtempSync(join(tmpdir(), "heaptap-refusals-"));

// What the page says of the selection.
const seen = (page) => page.evaluate(() => ({
    alerts: [...document.querySelectorAll("[role=alert]")].map((one) => one.id),
    cards: [...document.querySelectorAll(".card")].map((card) => [card.dataset.card, card.dataset.value, card.querySelector(".card-line")?.textContent ?? ""]),
    totals: [...document.querySelectorAll("#view [data-total]")].map((one) => one.dataset.total),
    chosen: document.querySelector("#chosen-figures")?.textContent ?? "",
    rows: document.querySelectorAll("#view tbody tr").length,
    timeline: document.querySelector(".timeline .caption")?.textContent ?? "",
}));

// `wrong` is [clause, the part of it that is marked].
async function typed(name, server, view, right, wrong) {
    const page = await open(`${server.url}?view=${view}&filter=${encodeURIComponent(right)}`);
    await settled(page, view);
    await page.waitForFunction(() => document.querySelector(".card") && !document.querySelector("[aria-busy=true]"));
    const before = await seen(page);
    for (const [clause, marked] of wrong) {
        await page.fill("#filter", clause);
        await page.keyboard.press("Enter");
        await page.waitForSelector("#wrong");
        await settled(page, view);
        equal(`${name}, ${view}, ${clause}: one message, and all else as it was`, await seen(page), { ...before, alerts: ["wrong"] });
        equal("... the wrong part is marked", await page.textContent("#wrong mark"), marked);
        equal("... what is shown is told", await page.textContent("#still"), `Until it is changed, the page shows ${right || "everything"}.`);
        await page.goBack();
        await page.waitForSelector("#wrong", { state: "detached" });
        await settled(page, view);
        equal("... back takes it away", await seen(page), before);
    }
    check("... the browser complains of the wrong filters alone", page.problems.every((text) => text.includes("400")), page.problems);
    return page;
}

// What was shown stays of use while the filter is wrong.
async function goesOn(server) {
    const page = await open(server.url);
    await settled(page, "flame");
    await page.fill("#filter", "sise>3");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#wrong");
    await settled(page, "flame");
    check("what is meant is told", /did you mean size/.test(await page.textContent("#wrong")), await page.textContent("#wrong"));
    let questions = 0;
    page.on("request", (request) => (questions += /sise/.test(request.url())));
    await showView(page, "top");
    check("other views open", (await page.$$("#view tbody tr")).length > 1);
    equal("... nothing more is asked of the filter that is wrong", questions, 0);
    await page.click('[data-card="peak"] > button');
    await page.waitForSelector("#wrong", { state: "detached" });
    await settled(page, "top");
    equal("a card is a filter instead of it", await page.$$eval(".chip-text", (list) => list.map((one) => one.textContent)), ["live-at=peak"]);
}

// Opened with a wrong filter, there is nothing of before.
async function opened(name, url, marked) {
    const page = await open(url);
    await page.waitForSelector("#wrong");
    await settled(page);
    await page.waitForSelector(".card");
    const { alerts, totals } = await seen(page);
    equal(`${name}: one message`, alerts, ["wrong"]);
    equal("... of what", await page.$eval("#wrong", (one) => one.querySelector("mark")?.textContent ?? ""), marked);
    check("... and everything is shown", totals.length === 1 && Number(totals[0]) > 0 && (await page.textContent("#still")).endsWith("everything."), totals);
    await picture(page, `wrong-${name.replace(/\W+/g, "-")}`);
    return page;
}

// A filter that is right, but leaves nothing: why.
async function empty(server, clause, why) {
    const page = await open(server.url);
    await settled(page, "flame");
    equal(`${clause}: no remark before`, await page.$("#remark"), null);
    await page.fill("#filter", clause);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#remark");
    check(`${clause}: why nothing is left is told`, why.test(await page.textContent("#remark")), await page.textContent("#remark"));
    await page.goBack();
    await page.waitForSelector("#remark", { state: "detached" });
}

await steps(async () => {
    cleanup(() => rmSync(folder, { recursive: true }));
    const server = await serve(trace);
    const clauses = [["size>1 sise>3", "sise"], ["focus=ü sise>3", "sise"], ["live-at=soon", "soon"], ["focus=(", "("]];
    await typed("trace", server, "flame", "", clauses);
    await typed("trace", server, "top", "live-at=peak", clauses.slice(0, 1));
    for (const view of ["tree", "histograms", "reports", "graph", "interest"]) await typed("trace", server, view, "", clauses.slice(0, 1));
    await goesOn(server);
    await empty(server, "focus=try_finaly", /'focus=try_finaly' matches none of its names; did you mean /);
    await empty(server, "live-at=99h", /'live-at=99h' reaches beyond the end of the run/);
    await opened("trace", `${server.url}?filter=sise%3E3`, "sise");
    await typed("against a base", await serve(trace, "--base", trace), "flame", "", clauses.slice(0, 1));

    const file = join(folder, "heap.pb.gz");
    writeProfile(file, [["inuse_objects", "count"], ["inuse_space", "bytes"]], [{ stack: [["main", "/a.c", 1], ["put", "/a.c", 2]], values: [1, 4096] }]);
    await typed("profile", await serve(file), "flame", "", clauses.slice(0, 1));

    const written = join(folder, "page.html");
    await run("view", trace, "-o", written, "--nodes", "1500");
    const page = await opened("a written page", `file://${written}#filter=size%3E%3D77`, "");
    check("... says what it lacks", /does not hold that/.test(await page.textContent("#wrong")));
});
