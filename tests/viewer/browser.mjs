// What the page's tests share: a server on a trace, Debian's Chromium on the page, and TAP.
//
//   HEAPTAP       the program
//   MODULES       the folder for packages of npm, the browser's driver among them
//   PICTURES      where screenshots go
//   CHROMIUM      the browser, if not that of $PATH; the tests are skipped where there is none

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modules } from "../node/modules.mjs";
import { which } from "../helpers/which.mjs";
import { check, end, equal } from "../helpers/tap.mjs";

export { check, equal };

const require = modules(process.env.MODULES, "playwright-core");
const { chromium } = require("playwright-core");

const PATIENCE = Number(process.env.PATIENCE || 120000); // milliseconds; nothing waits for less

const CHROMIUM = process.env.CHROMIUM || which("chromium");
if (!CHROMIUM) {
    console.log("1..0 # SKIP there is no chromium");
    process.exit(0);
}

// Runs heaptap to its end: { status, stdout, stderr }.
export function run(...args) {
    return new Promise((done, fail) => {
        const child = spawn(process.env.HEAPTAP, args, { stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "";
        let stderr = "";
        child.stdout.on("data", (data) => (stdout += data));
        child.stderr.on("data", (data) => (stderr += data));
        child.on("error", fail);
        child.on("close", (status) => done({ status, stdout, stderr }));
    });
}

export async function json(...args) {
    const { stdout, stderr, status } = await run(...args);
    try {
        return JSON.parse(stdout);
    } catch {
        throw new Error(`heaptap ${args.join(" ")}: status ${status}: ${stderr}`);
    }
}

const cleanups = [];

// What ends something that was started.
export function cleanup(end) {
    cleanups.push(async () => end());
}

// heaptap view on these arguments: { url, child, stderr(), end() }.
export function serve(...args) {
    return new Promise((done, fail) => {
        const child = spawn(process.env.HEAPTAP, ["view", "--no-browser", ...args], { stdio: ["ignore", "pipe", "pipe"] });
        let stdout = "";
        let stderr = "";
        const ended = new Promise((over) => child.on("close", (status, signal) => over({ status, signal, stderr })));
        const end = (signal = "SIGINT") => {
            child.kill(signal);
            return ended;
        };
        cleanups.push(() => end("SIGKILL"));
        child.on("error", fail);
        child.stderr.on("data", (data) => (stderr += data));
        child.stdout.on("data", (data) => {
            stdout += data;
            const url = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(stdout);
            if (url) done({ url: url[0], child, ended, end, stderr: () => stderr });
        });
        ended.then(() => fail(new Error(`heaptap view ended: ${stderr}`)));
    });
}

// heaptap fleet serve on a store: its address.
export function serveFleet(store, ...args) {
    return new Promise((done, fail) => {
        const child = spawn(process.env.HEAPTAP, ["fleet", "serve", "--listen", "127.0.0.1:0", "--store", store, ...args], { stdio: ["ignore", "pipe", "inherit"] });
        cleanup(() => child.kill());
        child.on("error", fail);
        child.stdout.once("data", (data) => done(String(data).trim()));
    });
}

// Waits until the page of a store shows what the URL asks for.
export async function fleetShown(page) {
    await page.waitForSelector("main[data-answers]");
    await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
}

// The answer of a server's API, once its trace is read.
// The numbers of a column of an answer (src/answer/columns.h).
export function numbersOf(column) {
    if (Array.isArray(column)) return column;
    const [[type, text]] = Object.entries(column);
    const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array };
    return Array.from(new types[type](new Uint8Array(Buffer.from(text, "base64")).buffer));
}

export async function answer(server, path) {
    for (;;) {
        const response = await fetch(server.url + path);
        if (response.status === 503) {
            await new Promise((go) => setTimeout(go, 20));
            continue;
        }
        return response.json();
    }
}

let browser = null;

export async function open(url, { width = 1280, height = 800, dark = false } = {}) {
    if (!browser) {
        const home = mkdtempSync(join(tmpdir(), "heaptap-browser-"));
        browser = await chromium.launch({
            executablePath: CHROMIUM,
            headless: true,
            timeout: PATIENCE,
            args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
            env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
        });
        cleanups.push(async () => {
            await browser.close();
            rmSync(home, { recursive: true, force: true });
        });
    }
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(String(error)));
    page.on("console", (message) => {
        if (message.type() === "error") page.problems.push(message.text());
    });
    await page.goto(url);
    return page;
}

// Waits until the view shows what the URL asks for.
export async function settled(page, view) {
    await page.waitForSelector(`#view${view ? `[data-view="${view}"]` : ""}`);
    await page.waitForFunction(() => {
        const shown = document.querySelector("#view [data-answers], #view [role=alert]");
        return shown && !document.querySelector("[aria-busy=true]");
    });
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
}

// By its tab, or the control that has those without one.
export async function showView(page, view) {
    if (await page.$(`#tab-${view}`)) await page.click(`#tab-${view}`);
    else await page.selectOption("#more", view);
    await settled(page, view);
}

// Opens the menu of what is counted, where the controls are.
export async function openCounting(page) {
    if (!(await page.$("#counting[open]"))) await page.click("#counting > summary");
}

export async function picture(page, name) {
    const folder = process.env.PICTURES;
    if (!folder) return;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, name + ".png") });
}

export async function finish() {
    for (const cleanup of cleanups.reverse()) await cleanup().catch?.(() => {});
    end();
}

// Runs a test file's steps; what throws fails, and everything started is ended.
export async function steps(body) {
    try {
        await body();
    } catch (error) {
        check("runs to its end", false, error.stack);
    }
    await finish();
}
