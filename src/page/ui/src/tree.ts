// A call tree in preorder arrays, with what drawing needs worked out once.
//
// Node 0 is the root.  A node's subtree is the range from it to its `end`; its first child, if it has
// one, is the next node, and a child's next sibling begins where the child ends.  So a walk that
// leaves out a subtree is `i = end[i]`, and nothing is ever followed by pointers.

import { numbersOf } from "./columns";
import type { Scale } from "./report-answer";
import type { Column, TreeAnswer } from "./types";

export const NO_SYMBOL = 0xffffffff;

interface Columns {
    total: Float64Array;
    self: Float64Array;
    symbol: Uint32Array;
    end: Uint32Array;
    base: Float64Array | null;
}

// Where each node's subtree ends, the root's first: from the depths of the others in preorder.
function endsOf(depths: ArrayLike<number>): Uint32Array {
    const count = depths.length + 1;
    const end = new Uint32Array(count);
    const open = [0]; // the node at hand and those above it
    for (let node = 1; node < count; node++) {
        while (open.length > depths[node - 1] + 1) end[open.pop()!] = node;
        open.push(node);
    }
    for (const node of open) end[node] = count;
    return end;
}

// Of two files: what comes through a node in either, so that what has come and what has gone lie side by side, and a caller is as wide
// as all below it.
function widthsOf(total: Float64Array, base: Float64Array, end: Uint32Array): Float64Array {
    const widths = new Float64Array(total.length);
    for (let node = total.length - 1; node >= 0; node--) {
        let [now, before, below] = [total[node], base[node], 0];
        for (let child = node + 1; child < end[node]; child = end[child]) {
            now -= total[child];
            before -= base[child];
            below += widths[child];
        }
        widths[node] = Math.max(now, before) + below;
    }
    return widths;
}

type Texts = Pick<Tree, "functions" | "files" | "lines" | "libraries" | "hiddenBranches" | "hiddenWeight">;

export class Tree {
    readonly count: number;
    readonly total: Float64Array;
    readonly self: Float64Array;
    readonly symbol: Uint32Array;
    readonly end: Uint32Array;
    readonly parent: Uint32Array;
    readonly depth: Uint16Array;
    readonly widths: Float64Array; // how wide each is drawn
    readonly start: Float64Array; // how much weight lies left of the node: where it is drawn
    readonly maxDepth: number;
    readonly functions: string[];
    readonly files: (string | null)[];
    readonly lines: number[];
    readonly libraries: ArrayLike<number>; // 1 where the symbol is a library's
    readonly hiddenBranches: number;
    readonly hiddenWeight: number;
    readonly base: Float64Array | null; // the same node's total in the file compared with
    doubts: (string | undefined)[] = []; // by symbol: why its function's change may be none, or doesn't matter

    constructor(columns: Columns, texts: Texts) {
        this.total = columns.total;
        this.self = columns.self;
        this.symbol = columns.symbol;
        this.end = columns.end;
        this.base = columns.base;
        this.count = this.total.length;
        this.functions = texts.functions;
        this.files = texts.files;
        this.lines = texts.lines;
        this.libraries = texts.libraries;
        this.hiddenBranches = texts.hiddenBranches;
        this.hiddenWeight = texts.hiddenWeight;
        this.parent = new Uint32Array(this.count);
        this.depth = new Uint16Array(this.count);
        this.widths = this.base ? widthsOf(this.total, this.base, this.end) : this.total;
        this.start = new Float64Array(this.count);
        this.maxDepth = this.place();
    }

    static of(answer: TreeAnswer, { now, before }: Scale): Tree {
        const { symbols = {}, calls = {} } = answer;
        const symbol = numbersOf(calls.symbol);
        const weights = (root: number | undefined, column: Column | undefined, scale: (value: number) => number) => {
            const list = new Float64Array(symbol.length + 1);
            list[0] = root ?? 0;
            list.set(numbersOf(column), 1);
            return list.map(scale);
        };
        const columns = {
            total: weights(answer.begun, calls.total, now),
            self: weights(0, calls.self, now),
            symbol: new Uint32Array(symbol.length + 1),
            end: endsOf(numbersOf(calls.depth)),
            base: answer.base_begun === undefined ? null : weights(answer.base_begun, calls.base, before),
        };
        columns.symbol[0] = NO_SYMBOL;
        columns.symbol.set(symbol, 1);
        return new Tree(columns, {
            functions: symbols.function ?? [], files: symbols.file ?? [], lines: Array.from(numbersOf(symbols.line)), libraries: numbersOf(symbols.library), hiddenBranches: answer.hidden_calls ?? 0, hiddenWeight: now(answer.hidden ?? 0),
        });
    }

    // The same tree, of whose siblings the heaviest come first, not those first in the alphabet.
    byWeight(): Tree {
        const columns = {
            total: new Float64Array(this.count),
            self: new Float64Array(this.count),
            symbol: new Uint32Array(this.count),
            end: new Uint32Array(this.count),
            base: this.base ? new Float64Array(this.count) : null,
        };
        const waiting = [0];
        for (let to = 0; waiting.length > 0; to++) {
            const node = waiting.pop()!;
            columns.total[to] = this.total[node];
            columns.self[to] = this.self[node];
            columns.symbol[to] = this.symbol[node];
            columns.end[to] = to + this.end[node] - node;
            if (columns.base) columns.base[to] = this.base![node];
            waiting.push(...this.children(node).sort((a, b) => this.width(a) - this.width(b) || b - a));
        }
        const sorted = new Tree(columns, this);
        sorted.doubts = this.doubts;
        return sorted;
    }

    // The same tree, whose functions' changes have been judged.
    judged(doubt: (name: string, file: string | null, line: number) => string | undefined): Tree {
        return Object.assign(Object.create(Tree.prototype) as Tree, this, { doubts: this.functions.map((name, i) => doubt(name, this.files[i], this.lines[i])) });
    }

    doubt(node: number): string | undefined {
        return node === 0 ? undefined : this.doubts[this.symbol[node]];
    }

    // How wide a node is drawn.
    width(node: number): number {
        return this.widths[node];
    }

    private place(): number {
        const { count, end, parent, depth, start } = this;
        let deepest = 0;
        for (let node = 0; node < count; node++) {
            const below = depth[node] + 1;
            let left = start[node];
            for (let child = node + 1; child < end[node]; child = end[child]) {
                parent[child] = node;
                depth[child] = below;
                start[child] = left;
                left += this.width(child);
                if (below > deepest) deepest = below;
            }
        }
        return deepest;
    }

    isLibrary(node: number): boolean {
        return node > 0 && this.libraries[this.symbol[node]] === 1;
    }

    name(node: number): string {
        if (node === 0) return "all";
        const symbol = this.symbol[node];
        return this.lines[symbol] ? `${this.functions[symbol]}:${this.lines[symbol]}` : this.functions[symbol];
    }

    file(node: number): string {
        return node === 0 ? "" : (this.files[this.symbol[node]] ?? "");
    }

    // The names from the root's child to the node.
    path(node: number): number[] {
        const path: number[] = [];
        for (let at = node; at !== 0; at = this.parent[at]) path.push(this.symbol[at]);
        return path.reverse();
    }

    children(node: number): number[] {
        const list: number[] = [];
        for (let child = node + 1; child < this.end[node]; child = this.end[child]) list.push(child);
        return list;
    }

    // A node in a text that finds it again in another answer: what its path consists of.  Siblings may share a
    // name, so a part has all that tells symbols apart: function@FILE:line, the file as a hash, since paths are long.
    key(node: number): string {
        return this.path(node)
            .map((symbol) => partOf({ name: this.functions[symbol], file: hashOf(this.files[symbol] ?? ""), line: this.lines[symbol] }))
            .join("/");
    }

    // The node of such a text; the deepest one there is of it.
    find(key: string): number {
        let node = 0;
        for (const part of key ? key.split("/") : []) {
            const wanted = parsePart(part);
            const next = this.children(node).find((child) => this.is(this.symbol[child], wanted));
            if (next === undefined) break;
            node = next;
        }
        return node;
    }

    // A tree of another grain knows no files, or no lines: then what either has is compared.
    private is(symbol: number, wanted: Part): boolean {
        if (this.functions[symbol] !== wanted.name) return false;
        const line = this.lines[symbol];
        const file = this.files[symbol];
        return (!wanted.line || !line || line === wanted.line) && (!wanted.file || !file || hashOf(file) === wanted.file);
    }
}

interface Part {
    name: string;
    file: string; // its hash; "" where it isn't known
    line: number; // 0 where it isn't known
}

function partOf({ name, file, line }: Part): string {
    return encodeURIComponent(name) + (file ? `@${file}` : "") + (line ? `:${line}` : "");
}

function parsePart(text: string): Part {
    const [, name, file = "", line = "0"] = /^([^@:]*)(?:@([^:]*))?(?::(.*))?$/.exec(text) ?? ["", text];
    try {
        return { name: decodeURIComponent(name), file, line: Number(line) || 0 };
    } catch {
        return { name, file, line: 0 }; // no text of ours
    }
}

// FNV-1a in 32 bits.
function hashOf(text: string): string {
    if (!text) return "";
    let hash = 0x811c9dc5;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return (hash >>> 0).toString(36);
}
