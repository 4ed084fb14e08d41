// Pyroscope's own agent for node (npm), unchanged: it sends what a small program has in use to heaptap fleet serve, which names the lines.
//
//   HEAPTAP   the program
//   MODULES   the folder in which package.json's packages are to be: installed there if they are not

import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { modules } from "./modules.mjs";
import { check, end } from "../helpers/tap.mjs";

const require = modules(process.env.MODULES, "@pyroscope/nodejs");
const agent = require.resolve("@pyroscope/nodejs");
const folder = mkdtempSync(join(tmpdir(), "heaptap-pyroscope-"));
const store = join(folder, "fleet.db");
const run = promisify(execFile);
// Keeps rows of text, and is sampled as the agent does it; with the profiles of time that the agent has besides.
const program = `
const module_ = require(process.argv[2]);
const agent = module_.default ?? module_;
agent.init({ serverAddress: process.argv[3], appName: "shop", tags: { version: "1.4" }, flushIntervalMs: 500, authToken: "a-token-of-24-letters-ab",
    heap: { samplingIntervalBytes: 16384, stackDepth: 64 } });
agent.start();
const kept = [];
function readOrders() {
    const rows = [];
    for (let i = 0; i < 300; i++) rows.push(("order " + i).repeat(20).split(""));
    return rows;
}
function keepSome() {
    kept.push(readOrders());
}
const timer = setInterval(keepSome, 20);
setTimeout(async () => {
    clearInterval(timer);
    await agent.stop();
    console.log("done");
    process.exit(0);
}, 3000);
`;

try {
    writeFileSync(join(folder, "shop.js"), program);
    writeFileSync(join(folder, "token"), "a-token-of-24-letters-ab\n", { mode: 0o600 });
    const server = spawn(process.env.HEAPTAP, ["fleet", "serve", "--listen", "127.0.0.1:0", "--store", store, "--token", join(folder, "token")], { stdio: ["ignore", "pipe", "inherit"] });
    const url = await new Promise((done) => server.stdout.once("data", (data) => done(String(data).trim())));
    const { stdout, stderr } = await run(process.execPath, [join(folder, "shop.js"), agent, url]);
    check("the agent runs to its end", stdout === "done\n", stdout + stderr);
    const ended = new Promise((done) => server.on("close", done));
    server.kill();
    check("... and so does the server", (await ended) === 0);

    const answer = async (...args) => JSON.parse((await run(process.env.HEAPTAP, [...args, `store:${store}`, "service=shop", "version=1.4"])).stdout);
    const { services } = await answer("fleet", "services", "--json");
    check("it is a service, with what it has in use", services.length === 1 && services[0].name === "shop" && services[0].in_use_bytes > 100000 && services[0].profiles >= 3,
        JSON.stringify(services));
    const { sites, sample_type } = await answer("hotspots", "--json");
    check("profiles of time are not kept", sample_type === "inuse_space", sample_type);
    check("hotspots names the line that allocates", /readOrders/.test(sites[0].function) && sites[0].file === join(folder, "shop.js"), JSON.stringify(sites.slice(0, 2)));
    const { nodes } = await answer("top", "--json", "--cum", "--sample", "inuse_space");
    check("... and top its caller", nodes.some((node) => /keepSome/.test(node.name)), JSON.stringify(nodes.slice(0, 5)));
} catch (error) {
    check("runs to its end", false, error.stack);
}
rmSync(folder, { recursive: true, force: true });
end();
