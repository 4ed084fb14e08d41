// Each view on a fixture: it shows something, without a complaint of the browser's, and its numbers
// are those of the commands.

import { check, equal, json, open, picture, serve, settled, steps } from "./browser.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;

await steps(async () => {
    const server = await serve(trace);
    const commands = await json("flamegraph", "--json", trace);
    const info = await json("info", "--json", trace);
    const page = await open(server.url);
    await settled(page, "flame");
    check("the title names the trace", (await page.title()).startsWith("ocamlopt-small-v3.ctf"));
    equal("the flame graph's total is that of `heaptap flamegraph --json`", await page.$eval("[data-total]", (element) => Number(element.dataset.total)), commands.nodes[0].total.bytes);
    check("the heading tells how long the program ran", /alive at the peak/.test(await page.textContent("#said")), info.file);
    for (const view of ["flame", "icicle", "tree", "treemap", "circles", "force"]) {
        await page.click(`#tab-${view}`);
        await settled(page, view);
        equal(`${view} counts the same`, await page.$eval("[data-total]", (element) => Number(element.dataset.total)), commands.nodes[0].total.bytes);
        check(`${view} is in the URL`, new URL(page.url()).searchParams.get("view") === (view === "flame" ? null : view), page.url());
        await picture(page, view);
    }
    equal("the browser has no complaint", page.problems, []);
    const ended = await server.end();
    equal("Ctrl-C ends it well", [ended.status, ended.signal], [0, null]);
});
