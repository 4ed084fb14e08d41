// Every node of the flame graphs of a profile and of two parts of a trace is clicked, callers first: what is marked then is
// that function, with the figure that export has for its stack.

import { check, numbersOf, open, run, serve, settled, steps } from "./browser.mjs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { writeProfile } from "./pprof.mjs";

const ROW = 18; // src/page/ui/src/rows.ts
const folder = mkdtempSync(join(tmpdir(), "heaptap-nodes-"));

// The nodes of an answer of the report tree, the root first: { name, total, start, children, path }.
function nodesOf(answer) {
    const [depths, totals, symbols] = ["depth", "total", "symbol"].map((column) => numbersOf(answer.calls[column]));
    const root = { name: "", total: answer.begun, start: 0, next: 0, depth: -1, children: [], path: "" };
    const open = [root];
    const nodes = depths.map((depth, i) => {
        open.length = depth + 1;
        const parent = open[depth];
        const name = answer.symbols.function[symbols[i]];
        const node = { name, total: totals[i], start: parent.next, next: parent.next, depth, children: [], parent, path: `${parent.path};${name}` };
        parent.next += node.total;
        parent.children.push(node);
        open.push(node);
        return node;
    });
    return [root, ...nodes];
}

// What each stack of functions weighs, with all that it calls, as heaptap export writes it.
async function weights(...args) {
    const { stdout } = await run("export", "--format=folded", "-g", "functions", ...args);
    const sums = new Map();
    for (const line of stdout.trimEnd().split("\n")) {
        const cut = line.lastIndexOf(" ");
        let path = "";
        for (const name of line.slice(0, cut).split(";")) {
            path += `;${name}`;
            sums.set(path, (sums.get(path) ?? 0) + Number(line.slice(cut + 1)));
        }
    }
    return sums;
}

const isMarked = ([name, total]) => document.querySelector("#marked")?.textContent === name && document.querySelector("#marked-total").dataset.value === total;

// One node after the other, from the picture that its caller fills, and back to that by a click on the caller.
async function clickAll(page, root, sums, wrong) {
    let box = await page.locator("#view .picture").boundingBox();
    let clicked = 0;
    let narrow = 0;
    const clickAt = async (node, zoomed) => {
        await settled(page, "flame");
        const x = zoomed.total && node.depth > zoomed.depth ? ((node.start + node.total / 2 - zoomed.start) * box.width) / zoomed.total : box.width / 2;
        const y = (node.depth + 1.5) * ROW;
        const top = await page.$eval("#view .picture", (element, y) => {
            if (y < element.scrollTop + 4 || y > element.scrollTop + element.clientHeight - 4) element.scrollTop = Math.max(0, y - 60);
            return element.scrollTop;
        }, y);
        box = await page.locator("#view .picture").boundingBox(); // a zoom has a strip above it
        await page.mouse.click(box.x + x, box.y + y - top);
        await page.waitForFunction(isMarked, [node.name, String(node.total)], { timeout: 3000 }).catch(() => {});
    };
    const visit = async (node) => {
        for (const child of node.children) {
            if (node.total > 0 && (child.total / node.total) * box.width < 1.5) {
                narrow++;
                continue;
            }
            await clickAt(child, node);
            clicked++;
            const [name, total] = await page.evaluate(() => [document.querySelector("#marked")?.textContent, Number(document.querySelector("#marked-total")?.dataset.value)]);
            const exact = sums.get(child.path);
            if (name !== child.name || total !== child.total || Math.abs(total - exact) > 1e-6 * exact) wrong.push(`${child.path}: ${name} ${total}, not ${child.total}, ${exact}`);
            await visit(child);
            if (node.depth >= 0) await clickAt(node, child);
            else await page.focus("#view .picture"), await page.keyboard.press("Escape");
        }
    };
    await visit(root);
    return { clicked, narrow };
}

// A profile whose stacks branch: each of four functions is called by each of four, thrice.
function branching() {
    const samples = [];
    for (let a = 0; a < 4; a++)
        for (let b = 0; b < 4; b++)
            for (let c = 0; c < 4; c++) samples.push({ stack: ["main", `h${a}`, `g${b}`, `f${c}`].map((name, line) => [name, "walk.c", line + 1]), values: [(a + 1) * (b + 2) * (c + 3)] });
    return samples;
}

await steps(async () => {
    const ocamlopt = `${process.env.SOURCE}/tests/golden/valid/ocamlopt-small-v3.ctf`;
    const profile = join(folder, "branching.pb.gz");
    writeProfile(profile, [["alloc_space", "bytes"]], branching());
    for (const [file, filter] of [[ocamlopt, "focus=Emit"], [ocamlopt, "allocated=50%..50.3%"], [profile, ""]]) {
        const sums = await weights(file, ...filter.split(" ").filter(Boolean));
        const server = await serve(file);
        const page = await open(server.url, { height: 1400 });
        const answers = [];
        page.on("response", async (response) => {
            if (/report=tree&/.test(response.url()) && response.ok()) answers.push(await response.json().catch(() => null));
        });
        await page.goto(`${server.url}?libraries=1&grain=name&filter=${encodeURIComponent(filter)}`);
        await settled(page, "flame");
        const nodes = nodesOf(answers.filter(Boolean).at(-1));
        const wrong = [];
        const { clicked, narrow } = await clickAll(page, nodes[0], sums, wrong);
        check(`${basename(file)} ${filter}: ${clicked} nodes clicked, ${narrow} too narrow`, clicked > 20 && wrong.length === 0, wrong.slice(0, 10).join("\n"));
        server.end();
    }
});
rmSync(folder, { recursive: true, force: true });
