// A click opens the node that was clicked: every node of three profiles, siblings of one name among them.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, check, equal, numbersOf, open, serve, settled, steps } from "./browser.mjs";
import { writeProfile } from "./pprof.mjs";

const ROW = 18; // pixels of a row
const EDGE = 1; // of the picture
const NODES = 100;

// Parents, depths and the weight left of each node, from the answer alone; node 0 is the root.
function shapeOf(raw) {
    const depths = [-1, ...numbersOf(raw.calls.depth)];
    const nodes = [raw.begun, ...numbersOf(raw.calls.total)].map((weight, node) => ({ node, weight, end: depths.length, parent: -1, depth: 0, left: 0 }));
    for (const outer of nodes) {
        const end = depths.findIndex((depth, node) => node > outer.node && depth <= depths[outer.node]);
        if (end >= 0) outer.end = end;
    }
    for (const outer of nodes) {
        let left = outer.left;
        for (let child = outer.node + 1; child < outer.end; child = nodes[child].end) {
            Object.assign(nodes[child], { parent: outer.node, depth: outer.depth + 1, left });
            left += nodes[child].weight;
        }
    }
    return nodes;
}

// How many siblings have the name of another, whatever their files and lines.
function namesakes(raw, nodes) {
    const symbol = numbersOf(raw.calls.symbol);
    const names = nodes.slice(1).map(({ node, parent }) => `${parent} ${raw.symbols.function[symbol[node - 1]]}`);
    return names.filter((name, i) => names.indexOf(name) !== i).length;
}

// `query` is the page's, `asked` what that asks its server.
async function clickAll(name, file, query, asked) {
    const server = await serve(file);
    const raw = await answer(server, `api/answer?report=tree&form=columns&nodes=${NODES}${asked}`);
    const nodes = shapeOf(raw);
    const page = await open(server.url);
    const opened = () => page.$eval("#view [data-zoom]", (element) => Number(element.dataset.zoom));
    const address = `${server.url}?libraries=1&nodes=${NODES}${query}`;
    const wrong = [];
    let clicks = 0;
    // In the picture of `root`, clicks what is wide enough there; then goes on in what held more.
    const within = async (root, url) => {
        const visible = nodes.slice(root.node + 1, root.end);
        const wide = (node) => (node.weight / root.weight) * width;
        await page.goto(url);
        await settled(page, "flame");
        const width = await page.$eval("#view .picture", (element) => element.clientWidth);
        const deeper = [];
        for (const node of visible) {
            if (wide(node) < 4) continue;
            if (wide(nodes[node.parent]) < 4) continue;
            await page.evaluate(([y]) => (document.querySelector("#view .picture").scrollTop = y), [Math.max(0, node.depth * ROW - 100)]);
            const scrolled = await page.$eval("#view .picture", (element) => element.scrollTop);
            await page.click("#view .picture", { position: { x: EDGE + ((node.left - root.left + node.weight / 2) / root.weight) * width, y: EDGE + node.depth * ROW + ROW / 2 - scrolled } });
            await settled(page, "flame");
            clicks++;
            done.add(node.node);
            if ((await opened()) !== node.node) wrong.push(`node ${node.node} opened ${await opened()}: ${page.url()}`);
            if (nodes.slice(node.node + 1, node.end).some((below) => wide(below) < 4 && !done.has(below.node)) && !deeper.some(([outer]) => node.node < outer.end)) deeper.push([node, page.url()]);
            await page.goBack();
            await settled(page, "flame");
        }
        for (const [node, there] of deeper) await within(node, there);
    };
    const done = new Set();
    await within(nodes[0], address);
    const same = namesakes(raw, nodes);
    check(`${name}: some siblings share a name`, same > 0, same);
    equal(`${name}: each of ${clicks} clicks opened what was clicked`, wrong, []);
    check(`${name}: all nodes were clicked`, done.size === nodes.length - 1, `${done.size} of ${nodes.length - 1}`);
    equal(`${name}: the browser has no complaint`, page.problems, []);
    await server.end();
}

// Modules of Python: <module>, __init__ and <lambda> are in every file.
function python() {
    const samples = [];
    for (let i = 0; i < 6; i++)
        for (let j = 0; j < 3; j++)
            samples.push({
                stack: [["<module>", "/app/main.py", 1], ["<module>", `/app/part${i}.py`, 3 + j], ["__init__", `/app/part${(i + j) % 4}.py`, 20], ...(j === 2 ? [["<lambda>", `/lib/a%b@c:${i}.py`, 7]] : [])],
                values: [i + j + 1, (i + j + 1) * 64],
            });
    return samples;
}

// C++ by lines: one function at several lines, and templates with every letter that could part a text.
function cplusplus() {
    const samples = [];
    for (let line = 10; line < 18; line++)
        for (let inner = 0; inner < 2; inner++)
            samples.push({
                stack: [["main", "/src/main.cpp", line], ["std::vector<a::b, c@d>::push_back(a/b const&)", "/usr/include/vector", 100 + inner], ["operator new(unsigned long)", "", 0]],
                values: [1, line * 100 + inner],
            });
    return samples;
}

await steps(async () => {
    const folder = mkdtempSync(join(tmpdir(), "heaptap-zoom-"));
    const types = [["alloc_objects", "count"], ["alloc_space", "bytes"]];
    writeProfile(join(folder, "python.pb.gz"), types, python());
    writeProfile(join(folder, "cplusplus.pb.gz"), types, cplusplus());
    await clickAll("Python", join(folder, "python.pb.gz"), "&type=1", "&sample=alloc_space&granularity=filefunctions");
    await clickAll("C++ by lines", join(folder, "cplusplus.pb.gz"), "&type=1&grain=line", "&sample=alloc_space&granularity=lines");
    await clickAll("OCaml by lines", `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`, "&grain=line", "&granularity=lines");
    rmSync(folder, { recursive: true });
});
