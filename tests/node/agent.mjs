// heaptap agent, driven by the protocol's own client library: every tool, what is refused, what is cancelled, and that no answer is
// larger than its budget.  Prints TAP.
//
//   HEAPTAP         the program
//   MODULES         the folder in which the client library is to be: installed there if it is not
//   GENERATE_TRACE  makes a large trace
//   SOURCE          the sources: their golden traces

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modules } from "./modules.mjs";

const require = modules(process.env.MODULES, "@modelcontextprotocol/sdk");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const BUDGET = 4000;
let number = 0;
let failures = 0;

function check(name, good, detail = "") {
    number++;
    if (!good) failures++;
    console.log(`${good ? "ok" : "not ok"} ${number} - ${name}`);
    if (!good && detail !== "") console.log(String(typeof detail === "string" ? detail : JSON.stringify(detail)).replace(/^/gm, "# ").slice(0, 3000));
}

const equal = (name, got, wanted) => check(name, JSON.stringify(got) === JSON.stringify(wanted), `got    ${JSON.stringify(got)}\n wanted ${JSON.stringify(wanted)}`);

async function connect(root, ...options) {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command: process.env.HEAPTAP, args: ["agent", "--root", root, "--budget", String(BUDGET), ...options], stderr: "inherit" }));
    return client;
}

const root = mkdtempSync(join(tmpdir(), "heaptap-agent-"));
const outside = mkdtempSync(join(tmpdir(), "heaptap-outside-"));

function prepare() {
    const valid = join(process.env.SOURCE, "tests/golden/valid");
    copyFileSync(join(valid, "ocamlopt-small-v3.ctf"), join(root, "a.ctf"));
    mkdirSync(join(root, "deep"));
    copyFileSync(join(valid, "lists-and-sets-v1.ctf"), join(root, "deep/b.ctf"));
    copyFileSync(join(root, "a.ctf"), join(outside, "secret.ctf"));
    symlinkSync(join(outside, "secret.ctf"), join(root, "link.ctf"));
    writeFileSync(join(root, "cut.ctf"), readFileSync(join(root, "a.ctf")).subarray(0, 100000));
    execFileSync(process.env.GENERATE_TRACE, [join(root, "large.ctf"), "20M"]);
    writeFileSync(join(root, "app.c"), "#include <stdlib.h>\nstatic void *volatile kept;\nstatic void fill(size_t size)\n{\n    kept = malloc(size);\n}\nint main(void)\n{\n    for (int i = 0; i < 1000; i++)\n        fill(1000);\n    return 0;\n}\n");
    execFileSync("cc", ["-g", "-O0", "-o", join(root, "app"), "app.c"], { cwd: root });
}

// What a call says: its answer, or what was wrong.
async function call(client, name, args, options) {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    return result.isError ? { error: result.content[0].text } : result.structuredContent;
}

const command = (...args) => JSON.parse(execFileSync(process.env.HEAPTAP, [...args, "--json"], { cwd: root, maxBuffer: 1 << 28 }));

async function reading(client) {
    const { tools } = await client.listTools();
    equal("tools without --allow-run", tools.map(({ name }) => name), ["files", "ask", "source", "compare", "expect"]);
    check("each has a schema and a description", tools.every(({ inputSchema, description, annotations }) => inputSchema.type === "object" && description.length > 20 && annotations.readOnlyHint));
    const files = (await call(client, "files", {})).answer.files;
    equal("files: recordings below the root", files.map(({ file }) => file), ["a.ctf", "cut.ctf", "deep/b.ctf", "large.ctf"]);

    const { report } = tools.find(({ name }) => name === "ask").inputSchema.properties;
    for (const name of report.enum) {
        const args = { file: "a.ctf", report: name, ...(/callers|callees|peek|list/.test(name) ? { function: "^Misc\\.try_finally$" } : {}) };
        const result = await client.callTool({ name: "ask", arguments: args });
        if (result.isError && name === "holders") { // of recordings that have them alone
            check(`ask ${name}: what the recording lacks`, result.content[0].text.includes("heaptap record --holders"), result.content[0].text);
            continue;
        }
        check(`ask ${name}: an answer within the budget, the same as text`, !result.isError && result.content[0].text.length <= BUDGET && JSON.stringify(JSON.parse(result.content[0].text)) === JSON.stringify(result.structuredContent),
            [result.content[0].text.length, result.content[0].text.slice(0, 300)]);
        check(`... which says what to ask then`, ["stats", "tags", "advice"].includes(name) || result.structuredContent?.next?.length > 0, result.structuredContent?.next);
        for (const { tool, arguments: args } of result.structuredContent?.next ?? []) {
            const then = await client.callTool({ name: tool, arguments: args });
            check(`... and that is answered: ${tool} ${args.report ?? ""}`, !then.isError, then.content);
        }
    }
    const hotspots = await call(client, "ask", { file: "a.ctf", report: "hotspots", filter: "size>=8w", options: { top: 2, granularity: "line", "all-callers": true } });
    equal("a filter and options: the command's figures", hotspots.answer.sites.map(({ function: name, bytes }) => [name, bytes]),
        command("hotspots", "-n", "2", "-g", "line", "--all-callers", "a.ctf", "size>=8w").sites.map(({ function: name, bytes }) => [name, bytes]));
    equal("... and the command that gives them", hotspots.command, "heaptap hotspots --json --top=2 --granularity=line --all-callers '--filter=size>=8w' a.ctf");
    const large = await call(client, "ask", { file: "large.ctf", report: "tree", options: { top: 0 } });
    check("a report of a large trace is cut, and says so", large.cut.nodes.shown === large.answer.nodes.length && large.cut.nodes.of > large.cut.nodes.shown && JSON.stringify(large).length <= BUDGET * 1.2, [large.cut, JSON.stringify(large).length]);
    const cut = await call(client, "ask", { file: "cut.ctf", report: "top" });
    check("a damaged file: what stands before the damage, with a remark", /byte \d+/.test(cut.answer.remark) && cut.answer.nodes.length > 0, cut);
    const same = await call(client, "compare", { before: "a.ctf", after: "a.ctf" });
    equal("compare a file with itself", [same.answer.count, same.answer.totals.map(({ change }) => change)], [0, [0, 0, 0, 0]]);
    const larger = await call(client, "compare", { before: "a.ctf", after: "a.ctf", smallest: "2%" });
    equal("compare: the smallest change that matters", [same.answer.smallest_part, larger.answer.smallest_part], [0.01, 0.02]);
    const source = await call(client, "source", { file: "a.ctf", function: "^Misc\\.try_finally$" });
    check("source: lines with bytes", source.answer.functions[0].lines.length > 0, source);
}

async function estimates(client) {
    const near = await call(client, "expect", { file: "a.ctf", measure: "allocated", estimate: "500MB" });
    equal("expect: near", [near.answer.as_expected, near.answer.measured, near.answer.verdict], [true, command("top", "a.ctf").selected, "within a factor of two"]);
    equal("expect: far", (await call(client, "expect", { file: "a.ctf", measure: "peak", estimate: "2GB" })).answer.as_expected, false);
    equal("expect: nothing is never as expected", (await call(client, "expect", { file: "a.ctf", measure: "live", estimate: "0", filter: "size>=1G" })).answer.as_expected, false);
    equal("expect: blocks", (await call(client, "expect", { file: "a.ctf", measure: "objects", estimate: "10M" })).answer.as_expected, true);
}

async function refusals(client) {
    const wrong = [
        ["ask", { file: "../a.ctf", report: "top" }, /no file '\.\.\/a\.ctf'/],
        ["ask", { file: join(outside, "secret.ctf"), report: "top" }, /is outside the folder/],
        ["ask", { file: "link.ctf", report: "top" }, /is outside the folder/],
        ["ask", { file: "a.ctf", report: "record" }, /there is no report 'record'/],
        ["ask", { file: "a.ctf", report: "list", function: ".", options: { "source-path": "/etc" } }, /list takes no 'source-path'/],
        ["ask", { file: "a.ctf", report: "top", options: { output: "x" } }, /top takes no 'output'/],
        ["ask", { file: "a.ctf", report: "top", options: { granularity: "planets" } }, /takes functions, filefunctions, files, lines or addresses, not 'planets'/],
        ["ask", { file: "a.ctf", report: "peek" }, /'function' is missing/],
        ["ask", { file: "a.ctf", report: "peek", function: "(" }, /not a regular expression/],
        ["ask", { file: "a.ctf", report: "peek", function: "nowhere" }, /no function matches/],
        ["ask", { file: "a.ctf", report: "top", filter: "size>>1" }, /filter: .*\n +size>>1\n/],
        ["ask", { file: 7, report: "top" }, /'file' takes a text/],
        ["ask", { report: "top" }, /'file' is missing/],
        ["expect", { file: "a.ctf", measure: "beauty", estimate: "1" }, /allocated, objects, live or peak/],
        ["expect", { file: "a.ctf", measure: "peak", estimate: "much" }, /takes an amount/],
        ["compare", { before: "a.ctf" }, /'after' is missing/],
        ["compare", { before: "a.ctf", after: "a.ctf", smallest: "much" }, /--smallest takes a part of the whole/],
    ];
    for (const [tool, args, message] of wrong) {
        const { error } = await call(client, tool, args);
        check(`refused: ${tool} ${JSON.stringify(args).slice(0, 70)}`, message.test(error ?? ""), error ?? "an answer");
    }
    const unknown = await client.callTool({ name: "record", arguments: { program: "./app", name: "x.ctf" } }).catch((error) => error);
    check("no tool to record without --allow-run", /no such tool/.test(unknown.message ?? ""), unknown);
    await client.ping();
    check("it still answers", true);
}

async function recording() {
    const client = await connect(root, "--allow-run", "./app", "--allow-run", "/bin/sleep");
    const made = await call(client, "record", { program: "./app", name: "app.ctf", rate: "all" });
    equal("record: the program's status", made.answer?.status, 0);
    check("... and what it allocated", /977 kB in 1.0 k objects/.test(made.answer?.summary ?? ""), made);
    const { tool, arguments: args } = made.next[0];
    const hotspots = await call(client, tool, args);
    equal("... and the next question names the line", [hotspots.answer.sites[0].function, hotspots.answer.sites[0].bytes], ["fill", 1000000]);
    const source = await call(client, "source", { file: "app.ctf", function: "^fill$" });
    equal("... with its source", source.answer.functions[0].lines.filter(({ flat }) => flat > 0).map((line) => line.source.trim()), ["kept = malloc(size);"]);
    check("a name that is taken", /is there already/.test((await call(client, "record", { program: "./app", name: "app.ctf" })).error));
    check("a name that is a path", /is no name for a recording/.test((await call(client, "record", { program: "./app", name: "../x.ctf" })).error));
    check("another program", /may not be run/.test((await call(client, "record", { program: "/bin/sh", name: "y.ctf" })).error));
    const late = await call(client, "record", { program: "/bin/sleep", arguments: ["57"], name: "late.ctf", seconds: 1 });
    check("a program that takes too long is ended", late.error !== undefined || late.answer.ended_for_time, late);

    const abort = new AbortController();
    const question = call(client, "record", { program: "/bin/sleep", arguments: ["59.125"], name: "z.ctf", seconds: 300 }, { signal: abort.signal }).catch((error) => error);
    const runs = () => readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`) && (() => { try { return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("59.125"); } catch { return false; } })());
    for (let i = 0; i < 200 && !runs(); i++) await new Promise((go) => setTimeout(go, 50));
    check("a long question runs", runs());
    abort.abort();
    await question;
    for (let i = 0; i < 200 && runs(); i++) await new Promise((go) => setTimeout(go, 50));
    check("cancelled, it runs no more", !runs());
    await client.close();
}

try {
    prepare();
    const client = await connect(root);
    check("it says who it is", client.getServerVersion().name === "heaptap" && /compare/.test(client.getInstructions()));
    await reading(client);
    await estimates(client);
    await refusals(client);
    await client.close();
    await recording();
} catch (error) {
    check("runs to its end", false, error.stack);
}
rmSync(root, { recursive: true });
rmSync(outside, { recursive: true });
console.log(`1..${number}`);
process.exit(failures ? 1 : 0);
