// The view that asks the reports of the command line: each shows a table of what its command gives, its options are controls,
// what is wrong is said, and a name cannot become markup.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, check, equal, json, open, picture, run, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const trace = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
const cells = (page, key) => page.$$eval(`#view > .reports > section[data-table="${key}"] > .table-box tbody tr`, (rows) => rows.length);

async function eachReport(page, server, reports) {
    for (const { name, command, needs_function, tables } of reports) {
        await page.goto(`${server.url}?view=reports&report=${name}${needs_function ? "&function=Misc.try_finally" : ""}`);
        await settled(page, "reports");
        const words = needs_function ? [trace, "^Misc\\.try_finally$"] : [trace];
        const done = await run(...command.split(" "), "--json", ...words);
        if (done.status === 2) { // it needs what this trace lacks
            const said = await page.textContent("#view [role=alert]");
            check(`${name}: why it can't be made is said`, done.stderr.includes(said.trim().replace(/^heaptap: /, "")), said + done.stderr);
            continue;
        }
        const wanted = JSON.parse(done.stdout);
        const holders = [wanted, ...tables.filter(({ key, shape }) => key && shape === "record" && wanted[key]).map(({ key }) => wanted[key])];
        const [key, rows] = holders.flatMap((of) => tables.filter(({ key, shape }) => shape === "rows" && Array.isArray(of[key])).map(({ key }) => [key, of[key]]))[0]; // the first, which isn't within another
        equal(`${name}: as many rows as heaptap ${command} --json has`, await cells(page, key), Math.min(rows.length, 1000));
        await picture(page, `reports-${name}`);
    }
}

async function controls(page, server) {
    await page.goto(`${server.url}?view=reports&report=hotspots&filter=size>=8w`);
    await settled(page, "reports");
    await page.route("**/api/answer*", async (route) => {
        await new Promise((go) => setTimeout(go, 300));
        await route.continue();
    });
    await page.selectOption("select[name=granularity]", "lines");
    await page.fill("input[name=top]", "3");
    await settled(page, "reports");
    equal("what is typed stays while an answer arrives", await page.inputValue("input[name=top]"), "3");
    await page.unroute("**/api/answer*");
    await page.press("input[name=top]", "Enter");
    await page.locator("input[name=top]").blur();
    await page.waitForFunction(() => document.querySelectorAll('#view section[data-table="sites"] > .table-box tbody tr').length === 3);
    const wanted = (await json("hotspots", "--json", "-g", "line", "-n", "3", trace, "size>=8w")).sites;
    equal("options are controls: three lines, those of the command",
        await page.$$eval('#view > .reports > section > .table-box tbody tr', (rows) => rows.map((row) => row.children[0].textContent)),
        wanted.map((site) => site.function));
    equal("what was chosen is in the URL", new URL(page.url()).searchParams.get("options"), "granularity=lines&top=3");
    await page.click('#view > .reports > section > .table-box tbody tr:nth-child(2)');
    equal("a click opens a row's callers", await page.$$eval('#view .within section[data-table="callers"] tbody tr', (rows) => rows.length), wanted[1].callers.length);
    await picture(page, "reports-controls");
    await page.goto(`${server.url}?view=reports&report=hotspots&options=top%3Dmany`);
    await page.waitForSelector("#view [role=alert]");
    check("a wrong value: what the option takes", (await page.textContent("#view [role=alert]")).includes("'top' takes a whole number, not 'many'"));
}

async function profile(folder) {
    const file = join(folder, "p.pb.gz");
    writeProfile(file, [["alloc_objects", "count"], ["alloc_space", "bytes"]],
        [{ stack: [["main", "/a.c", 1], ["<img src=x onerror=alert(1)>\u001b[31m", "/a.c", 2]], values: [1, 4096] }]);
    const server = await serve(file);
    const page = await open(`${server.url}?view=reports&report=top`);
    await settled(page, "reports");
    check("a name stays text", (await page.textContent("#view tbody")).includes("<img src=x onerror=alert(1)>"));
    check("reports of blocks are not offered for a profile", !(await page.$$eval("#report option", (list) => list.map((option) => option.value))).includes("advice"));
    equal("the browser has no complaint", page.problems, []);
    await server.end();
}

await steps(async () => {
    const folder = mkdtempSync(join(tmpdir(), "heaptap-reports-"));
    const server = await serve(trace);
    const page = await open(server.url);
    await settled(page, "flame");
    const { reports } = await answer(server, "api/reports");
    await eachReport(page, server, reports);
    await controls(page, server);
    equal("the browser complains of the wrong value alone", page.problems.filter((text) => !/400/.test(text)), []);
    await server.end();
    await profile(folder);
    rmSync(folder, { recursive: true });
});
