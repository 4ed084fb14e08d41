// heaptap agent, driven by the protocol's own client library, which holds results against their output schemas.  What is refused, every
// argument and hostile clients: tests/cli/agent.py.  Prints TAP.
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
import { check, end, equal } from "../helpers/tap.mjs";

const require = modules(process.env.MODULES, "@modelcontextprotocol/sdk");
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const BUDGET = 4000;
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

// What a call says: its text, or its JSON, or what was wrong.
async function call(client, name, args, options) {
    const result = await client.callTool({ name, arguments: args }, undefined, options);
    if (result.isError) return { error: result.content[0].text };
    return args.json ? result.structuredContent : result.content[0].text;
}

const command = (...args) => JSON.parse(execFileSync(process.env.HEAPTAP, [...args, "--json"], { cwd: root, maxBuffer: 1 << 28 }));

async function reading(client) {
    const { tools } = await client.listTools();
    equal("tools without --allow-run", tools.map(({ name }) => name), ["diagnose", "files", "ask", "source", "compare", "expect"]);
    check("each has schemas and a description", tools.every(({ inputSchema, outputSchema, description, annotations }) => inputSchema.type === "object" && outputSchema.type === "object" && description.length > 20 && annotations.readOnlyHint));
    const { files } = (await call(client, "files", { json: true })).answer;
    equal("files: recordings below the root", files.map(({ file }) => file), ["a.ctf", "cut.ctf", "deep/b.ctf", "large.ctf"]);
    const hotspots = await call(client, "ask", { file: "a.ctf", report: "hotspots", filter: "size>=8w", options: { top: 2, granularity: "line", "all-callers": true }, json: true });
    equal("a filter and options: the command's figures", hotspots.answer.sites.map(({ function: name, bytes }) => [name, bytes]),
        command("hotspots", "-n", "2", "-g", "line", "--all-callers", "a.ctf", "size>=8w").sites.map(({ function: name, bytes }) => [name, bytes]));
    equal("... and the command that gives them", (await call(client, "ask", { file: "a.ctf", report: "hotspots", filter: "size>=8w", options: { top: 2, granularity: "line", "all-callers": true } })).split("   ")[0],
        "$ heaptap hotspots --top=2 --granularity=line --all-callers '--filter=size>=8w' -- a.ctf");
    const large = await call(client, "ask", { file: "large.ctf", report: "tree", options: { top: 0 }, json: true });
    check("a report of a large trace is cut, and says so", large.cut.nodes.shown === large.answer.nodes.length && large.cut.nodes.of > large.cut.nodes.shown && JSON.stringify(large).length <= BUDGET, [large.cut, JSON.stringify(large).length]);
    check("... as text, too", /\(\d+ more lines: .*\)\n/.test(await call(client, "ask", { file: "large.ctf", report: "tree", options: { top: 0 } })));
    const cut = await call(client, "ask", { file: "cut.ctf", report: "top", json: true });
    check("a damaged file: what stands before the damage, with a remark", /byte \d+/.test(cut.answer.remark) && cut.answer.nodes.length > 0, cut);
    check("... as text, too", /^\| remark: .*byte \d+/m.test(await call(client, "ask", { file: "cut.ctf", report: "top" })));
    const same = await call(client, "compare", { before: "a.ctf", after: "a.ctf", json: true });
    equal("compare a file with itself", [same.answer.count, same.answer.totals.map(({ change }) => change)], [0, [0, 0, 0, 0]]);
    const larger = await call(client, "compare", { before: "a.ctf", after: "a.ctf", smallest: "2%", json: true });
    equal("compare: the smallest change that matters", [same.answer.smallest_part, larger.answer.smallest_part], [0.01, 0.02]);
    const source = await call(client, "source", { file: "a.ctf", function: "^Misc\\.try_finally$", json: true });
    check("source: lines with bytes", source.answer.functions[0].lines.length > 0, source);
}

async function estimates(client) {
    const judged = async (args) => (await call(client, "expect", { file: "a.ctf", json: true, ...args })).answer.budgets[0];
    const near = await judged({ measure: "allocated", estimate: "500MB" });
    equal("expect: near", [near.verdict, near.measured], ["holds", command("top", "a.ctf").selected]);
    equal("expect: far", (await judged({ measure: "peak", estimate: "2GB" })).verdict, "broken");
    equal("expect: nothing is never as expected", (await judged({ measure: "live", estimate: "0", filter: "size>=1G" })).verdict, "broken");
    equal("expect: blocks", (await judged({ measure: "objects", estimate: "10M" })).verdict, "holds");
}

async function refusals(client) {
    const wrong = [
        ["ask", { file: "../a.ctf", report: "top" }, /no file '\.\.\/a\.ctf'/],
        ["ask", { file: join(outside, "secret.ctf"), report: "top" }, /is outside the folder/],
        ["ask", { file: "link.ctf", report: "top" }, /is outside the folder/],
        ["ask", { file: "a.ctf", report: "list", function: ".", options: { "source-path": "/etc" } }, /list takes no 'source-path'/],
        ["ask", { file: "a.ctf", report: "top", options: { output: "x" } }, /top takes no 'output'/],
        ["ask", { file: "a.ctf", report: "top", options: { granularity: "planets" } }, /takes functions, filefunctions, files, lines or addresses, not 'planets'/],
        ["ask", { file: "a.ctf", report: "peek" }, /'function' is missing/],
        ["ask", { file: "a.ctf", report: "peek", function: "(" }, /not a regular expression/],
        ["ask", { file: "a.ctf", report: "peek", function: "nowhere" }, /no function matches/],
        ["ask", { file: "a.ctf", report: "top", filter: "size>>1" }, /filter: .*\n +size>>1\n/],
        ["expect", { file: "a.ctf", measure: "peak", estimate: "much" }, /takes a size such as/],
        ["compare", { before: "a.ctf", after: "a.ctf", smallest: "much" }, /--smallest takes a part of the whole/],
    ];
    for (const [tool, args, message] of wrong) {
        const { error } = await call(client, tool, args);
        check(`refused: ${tool} ${JSON.stringify(args).slice(0, 70)}`, message.test(error ?? ""), error ?? "an answer");
    }
    await client.ping();
    check("it still answers", true);
}

async function recording() {
    const client = await connect(root, "--allow-run", "./app", "--allow-run", "/bin/sleep");
    const made = await call(client, "record", { command: ["./app"], name: "app.ctf", rate: "all" });
    check("record: the program's status, and what it allocated", /exit status 0/.test(made) && /977 kB/.test(made), made);
    const source = await call(client, "source", { file: "app.ctf", function: "^fill$", json: true });
    equal("... with its source", source.answer.functions[0].lines.filter(({ flat }) => flat > 0).map((line) => line.source.trim()), ["kept = malloc(size);"]);
    const causes = (await call(client, "diagnose", { command: ["./app"], json: true })).answer.causes;
    equal("diagnose names the line", [causes[0].function, causes[0].line], ["fill", 5]);

    const told = [];
    const abort = new AbortController();
    const question = call(client, "record", { command: ["/bin/sleep", "59.125"], name: "z.ctf", seconds: 300 }, { signal: abort.signal, onprogress: (progress) => told.push(progress) }).catch((error) => error);
    const runs = () => readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && existsSync(`/proc/${pid}/cmdline`) && (() => { try { return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("59.125"); } catch { return false; } })());
    for (let i = 0; i < 200 && (!runs() || told.length === 0); i++) await new Promise((go) => setTimeout(go, 50));
    check("a long question runs, and tells of its progress", runs() && told[0]?.message === "recording", told);
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
end();
