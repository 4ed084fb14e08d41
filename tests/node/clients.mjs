// Other people's readers of pprof profiles: pprof-format (npm), and speedscope (npm) and
// valgrind's dh_view in Debian's Chromium.
// They must read what we write, and find our figures in it.
//
//   HEAPTAP, GOLDEN   the program, the folder of traces
//   MODULES           the folder in which package.json's packages are to be: installed there if they are not
//   CHROMIUM          the browser, if not that of $PATH; without one speedscope is skipped

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { modules } from "./modules.mjs";
import { which } from "../helpers/which.mjs";
import { check, end, skip } from "../helpers/tap.mjs";

const heaptap = (...args) => execFileSync(process.env.HEAPTAP, args, { maxBuffer: 1 << 28, encoding: "utf8" });
const hotspots = (...args) => JSON.parse(heaptap("hotspots", "--json", ...args));

const browserPath = process.env.CHROMIUM || which("chromium");
const require = modules(process.env.MODULES, "pprof-format");
const folder = mkdtempSync(join(tmpdir(), "heaptap-clients-"));
process.env.HOME = folder; // the browser's, whatever there was
// ---- pprof-format -----------------------------------------------------------------------

function read(path) {
    const { Profile } = require("pprof-format");
    const profile = Profile.decode(gunzipSync(readFileSync(path)));
    const strings = profile.stringTable.strings;
    const locations = new Map(profile.location.map((one) => [Number(one.id), one]));
    const functions = new Map(profile.function.map((one) => [Number(one.id), one]));
    const types = profile.sampleType.map((type) => strings[Number(type.type)]);
    const totals = types.map(() => 0n);
    const flat = new Map();
    for (const sample of profile.sample) {
        const line = locations.get(Number(sample.locationId[0])).line[0];
        const name = strings[Number(functions.get(Number(line.functionId)).name)];
        sample.value.forEach((value, i) => (totals[i] += BigInt(value)));
        const column = types.indexOf("alloc_space");
        flat.set(name, (flat.get(name) || 0) + Number(sample.value[column]));
    }
    return { types, totals, flat, strings };
}

function compare(name, path) {
    const { types, totals, flat } = read(path);
    types.forEach((type, i) => {
        const ours = hotspots(`--sample=${type}`, path).total.value;
        const exact = Number(totals[i]);
        // Nanoseconds of all objects can be more than a double holds to the last digit.
        const slack = exact > Number.MAX_SAFE_INTEGER ? exact * 1e-12 : 0;
        check(`pprof-format, ${name}: total of ${type}`, Math.abs(ours - exact) <= slack, `${totals[i]}, not ${ours}`);
    });
    const ours = new Map();
    for (const site of hotspots("--sample=alloc_space", path, "libraries=show").sites)
        ours.set(site.function, (ours.get(site.function) || 0) + site.value);
    const wrong = [...ours].filter(([site, value]) => flat.get(site) !== value);
    check(`pprof-format, ${name}: bytes of each function`, wrong.length === 0 && ours.size > 0, wrong.slice(0, 5));
}

// ---- speedscope -------------------------------------------------------------------------

// A page that takes a file, with that file.
async function open(browser, index, path) {
    const page = await browser.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("dialog", (dialog) => { said.push(dialog.message()); dialog.dismiss(); });
    page.on("pageerror", (error) => said.push(String(error)));
    await page.goto(pathToFileURL(index).href, { timeout: 120000 });
    await page.waitForSelector("input[type=file]", { state: "attached", timeout: 120000 });
    await page.setInputFiles("input[type=file]", path);
    return { page, said };
}

async function speedscope(browser, profiles) {
    const index = join(process.env.MODULES, "node_modules", "speedscope", "dist", "release", "index.html");
    for (const [name, path, source = path] of profiles) {
        const { page, said } = await open(browser, index, path);
        let shown = true;
        await page.waitForFunction(() => document.body.innerText.includes("Left Heavy"), null, { timeout: 120000 })
            .catch(() => (shown = false));
        check(`speedscope, ${name}: opened`, shown, said.join("\n"));
        // The sandwich view lists every function with its share of the weight.
        if (shown) await page.getByText("Sandwich").click({ timeout: 120000 });
        const best = hotspots("--sample=alloc_space", source).sites[0].function;
        await page.waitForFunction((text) => document.body.innerText.includes(text), best, { timeout: 120000 })
            .catch(() => (shown = false));
        check(`speedscope, ${name}: ${best} is listed`, shown, said.join("\n"));
        await page.close();
    }
}

// Callgrind's format: the page makes a tree of the call graph, which has to come to our total.
async function callgrind(browser, trace) {
    const index = join(process.env.MODULES, "node_modules", "speedscope", "dist", "release", "index.html");
    const path = join(folder, "callgrind.out");
    heaptap("export", "-f", "callgrind", "-o", path, trace);
    const total = Number(/^totals: (\d+)$/m.exec(readFileSync(path, "utf8"))[1]);
    const { page, said } = await open(browser, index, path);
    const wanted = `${total.toLocaleString("en-US")} (100%)`;
    let shown = true;
    await page.getByText("Sandwich").click({ timeout: 120000 });
    await page.waitForFunction((text) => document.body.innerText.includes(text), wanted, { timeout: 120000 })
        .catch(() => (shown = false));
    const text = await page.evaluate(() => document.body.innerText);
    check(`speedscope, callgrind's format: ${wanted}`, shown, said.concat(text.slice(0, 600)).join("\n"));
    await page.close();
}

// ---- DHAT's viewer ----------------------------------------------------------------------

async function dhat(browser, trace) {
    const index = "/usr/libexec/valgrind/dh_view.html";
    if (!existsSync(index)) {
        skip("there is no dh_view.html (package valgrind)");
        return;
    }
    const path = join(folder, "dhat.json");
    heaptap("export", "-f", "dhat", "-o", path, trace);
    const { page, said } = await open(browser, index, path);
    const points = JSON.parse(readFileSync(path, "utf8")).pps;
    const sum = (key) => points.reduce((whole, point) => whole + point[key], 0).toLocaleString("en-US");
    const wanted = [`Total:     ${sum("tb")} bytes`, `in ${sum("tbk")} blocks`, `At t-end:  ${sum("eb")} bytes`];
    const text = await page.waitForFunction((start) => document.body.innerText.includes(start) && document.body.innerText,
                                            wanted[0], { timeout: 120000 })
        .then((handle) => handle.jsonValue())
        .catch(() => page.evaluate(() => document.body.innerText));
    const missing = wanted.filter((one) => !text.includes(one));
    check("dh_view: opened, with our totals", missing.length === 0, missing.concat(said, text.slice(0, 1000)).join("\n"));
    const allocated = points.reduce((whole, point) => whole + point.tb, 0);
    const ours = hotspots(trace).total.bytes;
    check("dh_view: the total is ours", Math.abs(allocated - ours) <= points.length, `${allocated}, not ${ours}`);
    await page.close();
}

// ---- The whole --------------------------------------------------------------------------

try {
    const trace = join(process.env.GOLDEN, "valid", "irmin-replay-v2.ctf");
    const plain = join(folder, "plain.pb.gz");
    const events = join(folder, "events.pb.gz");
    heaptap("pprof", "-o", plain, trace);
    heaptap("pprof", "--with-events", "-o", events, trace);
    compare("a profile", plain);
    compare("with events", events);
    if (browserPath) {
        const { chromium } = require("playwright-core");
        const browser = await chromium.launch({ executablePath: browserPath,
                                                args: ["--no-sandbox", "--allow-file-access-from-files"] });
        const exported = join(folder, "exported.speedscope.json");
        heaptap("export", "-f", "speedscope", "-o", exported, trace);
        await speedscope(browser, [["a profile", plain], ["with events", events], ["an export", exported, trace]]);
        await dhat(browser, trace);
        await callgrind(browser, trace);
        await browser.close();
    } else {
        skip("there is no chromium for speedscope and dh_view");
    }
} finally {
    rmSync(folder, { recursive: true, force: true });
}
end();
