// What axe finds of the page, of all views: nothing.  In both themes, narrow and wide, served and written.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modules } from "../node/modules.mjs";
import { cleanup, equal, fleetShown, open, run, serve, serveFleet, settled, steps } from "./browser.mjs";

const require = modules(process.env.MODULES, "axe-core");
const script = require.resolve("axe-core/axe.min.js");
const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const views = ["flame", "top", "graph", "reports", "interest", "holders", "tree", "sandwich", "peek", "source", "treemap", "circles", "force", "histograms", "domains"];

// Its rules of WCAG 2.2 A and AA, and of good practice: regions and headings among them.
async function findings(page) {
    await page.evaluate(require("node:fs").readFileSync(script, "utf8"));
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
}

await steps(async () => {
    const server = await serve(trace);
    for (const [name, looks] of [["wide", { width: 1280 }], ["narrow, dark", { width: 360, dark: true }]]) {
        const page = await open(server.url, looks);
        for (const view of views) {
            await page.goto(`${server.url}?view=${view}&function=Misc.try_finally${view === "flame" ? "&filter=live-at%3Dpeak" : ""}`);
            await settled(page, view);
            equal(`${name}: ${view}`, await findings(page), []);
        }
        await page.goto(`${server.url}?filter=sise%3E3`);
        await page.waitForSelector("#wrong");
        equal(`${name}: a wrong filter`, await findings(page), []);
    }
    const folder = mkdtempSync(join(tmpdir(), "heaptap-axe-"));
    cleanup(() => rmSync(folder, { recursive: true }));
    const fleet = await serveFleet(join(folder, "fleet.db"));
    for (const empty of [true, false]) {
        if (!empty) spawnSync("python3", [`${process.env.SOURCE}/tests/helpers/make_fleet.py`, fleet]);
        for (const width of [1280, 360])
            for (const dark of [false, true]) {
                const name = `${empty ? "an empty store" : "a store"}, ${width}${dark ? ", dark" : ""}`;
                const page = await open(fleet, { width, dark });
                await (empty ? page.waitForSelector("#no-profiles") : fleetShown(page));
                equal(name, await findings(page), []);
                if (empty) continue;
                await page.click('[data-card="grew"] .card-line .link');
                await settled(page, "flame");
                await page.waitForSelector("#cost-over-time figure");
                equal(`${name}: what grew, opened`, await findings(page), []);
            }
    }
    const held = join(folder, "held.ctf");
    spawnSync("python3", [`${process.env.SOURCE}/tests/helpers/add_holders.py`, `${process.env.SOURCE}/tests/golden/valid/lists-and-sets-v1.ctf`, held]);
    const holders = await serve(held);
    for (const [name, looks] of [["wide, dark", { width: 1280, dark: true }], ["narrow", { width: 360 }]]) {
        const page = await open(holders.url, looks);
        for (const kept of ["roots", "sites&filter=live-at%3Dpeak"]) {
            await page.goto(`${holders.url}?view=holders&kept=${kept}`);
            await settled(page, "holders");
            equal(`${name}: what holds blocks, ${kept}`, await findings(page), []);
        }
    }
    const report = join(folder, "page.html");
    await run("view", "-o", report, trace);
    const page = await open(`file://${report}`);
    await settled(page, "flame");
    equal("written", await findings(page), []);
});
