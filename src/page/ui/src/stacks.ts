// A report's stacks (src/page/report_stacks.h): one tree of them by lines, with what each selection weighs in
// it.  Call trees, functions, calls and lines are worked out from it here, as heaptap view has them from the server.

import { inflated } from "./columns";
import type { ListAnswer, NodesAnswer } from "./report-answer";
import type { GraphNode, TreeAnswer } from "./types";

interface Choice {
    filter: string;
    type: number;
    unit: number; // bytes a sample stands for
    rate: number;
    entries: number;
    shortened: number;
    base_unit?: number;
    base_rate?: number;
    base_entries?: number;
}

export interface StacksAnswer {
    nodes: number;
    left_out: number;
    functions: string[];
    files: (string | null)[];
    lines: number[];
    libraries: number[]; // symbols that are a library's
    unknown: Record<string, string>; // by symbol: the module of code of which nothing else is known
    choices: Choice[];
    sources: Record<string, Record<string, string>>;
    data: string;
}

const grains: Record<string, Grain> = { functions: "name", filefunctions: "function", files: "file", lines: "line" };

type Grain = "function" | "name" | "file" | "line";
type Entries = { node: Uint32Array; samples: Float64Array; density: Float64Array | null };

// What frames are called at a grain.
interface Names {
    of: Uint32Array; // by symbol of the stacks
    names: string[]; // where the function is not known, too
    functions: string[];
    files: (string | null)[];
    lines: number[];
    libraries: number[]; // 1 where all that is called so is a library's
}

interface Sums {
    flat: Float64Array;
    cum: Float64Array;
    edges: Map<number, Edge>; // by caller × symbols + callee
}

interface Edge {
    from: number;
    to: number;
    weight: number;
    base: number;
    open: number;
}

// Code of which nothing but its address is known has no lines.
function isNameless(name: string, line: number): boolean {
    return line === 0 && /^0x[0-9a-f]+$/.test(name);
}

const LEFT_OUT = 0; // the symbol of frames that are not in the report

export class Stacks {
    private readonly names = new Map<string, Names>();
    private readonly next: Uint32Array; // siblings
    private readonly child: Uint32Array;
    private readonly libraries: Set<number>;

    private constructor(
        private readonly raw: StacksAnswer,
        private readonly parent: Uint32Array,
        private readonly symbol: Uint32Array,
        private readonly now: Entries[],
        private readonly before: Entries[] | null,
        private readonly types: { type: string }[] | null,
    ) {
        this.next = new Uint32Array(raw.nodes);
        this.child = new Uint32Array(raw.nodes);
        this.libraries = new Set(raw.libraries);
        for (let node = raw.nodes - 1; node > 0; node--) {
            this.next[node] = this.child[parent[node]];
            this.child[parent[node]] = node;
        }
    }

    // `types` are those of a profile; null for a trace.
    static async of(raw: StacksAnswer, types: { type: string }[] | null): Promise<Stacks> {
        const hasDensity = types === null;
        const data = await inflated(raw.data);
        let at = 0;
        const take = (size: number) => data.slice(at, (at += size));
        const parent = new Uint32Array(take(4 * raw.nodes));
        const symbol = new Uint32Array(take(4 * raw.nodes));
        const entries = (count: number): Entries => ({
            node: new Uint32Array(take(4 * count)),
            samples: new Float64Array(take(8 * count)),
            density: hasDensity ? new Float64Array(take(8 * count)) : null,
        });
        const now: Entries[] = [];
        const before: Entries[] = [];
        for (const choice of raw.choices) {
            now.push(entries(choice.entries));
            if (choice.base_entries !== undefined) before.push(entries(choice.base_entries));
        }
        return new Stacks(raw, parent, symbol, now, before.length ? before : null, types);
    }

    holds(filter: string): boolean {
        return this.raw.choices.some((choice) => choice.filter === filter);
    }

    // What a question of the API is answered with; null for one that stacks don't tell.
    answer(path: string, query: URLSearchParams): unknown {
        const report = query.get("report");
        const sample = query.get("sample") ?? "";
        const type = this.types ? this.types.findIndex((one) => one.type === sample) : 0;
        const number = this.raw.choices.findIndex((choice) => choice.filter === (query.get("filter") ?? "") && choice.type === type);
        if (number < 0 || (!this.types && !sample.startsWith("alloc_"))) return null;
        const isObjects = !this.types && sample === "alloc_objects";
        const grain = grains[query.get("granularity") ?? "functions"];
        const focus = query.get("function");
        const name = new RegExp(focus ?? "");
        const compares = query.get("base") === "1" && this.before !== null;
        const choice = this.raw.choices[number];
        const self = this.weights(this.now[number], isObjects, choice.unit, choice.rate);
        const base = compares ? this.weights(this.before![number], isObjects, choice.base_unit!, choice.base_rate!) : null;
        const isTree = report === "tree" || report === "callers" || report === "callees";
        if (isTree) return this.tree(grain, self, base, focus === null ? null : name, query.get("reverse") === "1" || report === "callers", query.get("merge-recursion") === "1");
        if (report === "top") return this.top(grain, self, base, Number(query.get("node-count") ?? 1e6));
        if (report === "peek") return this.peek(grain, self, base, name);
        if (report === "list") return this.source(self, base, name);
        return null;
    }

    // By node, what ends there.
    private weights(entries: Entries, isObjects: boolean, unit: number, rate: number): Float64Array {
        const self = new Float64Array(this.raw.nodes);
        const { node, samples, density } = entries;
        for (let i = 0; i < node.length; i++)
            self[node[i]] += !density ? samples[i] : isObjects ? density[i] / rate : samples[i] * unit;
        return self;
    }

    // Tables tell code of which nothing else is known by its module, trees by its address.
    private namesAt(grain: Grain, byModule: boolean): Names {
        const known = this.names.get(grain + byModule);
        if (known) return known;
        const { functions, files, lines, unknown } = this.raw;
        const names: Names = { of: new Uint32Array(functions.length), names: [], functions: [], files: [], lines: [], libraries: [] };
        const numbers = new Map<string, number>();
        functions.forEach((text, i) => {
            const module = byModule ? unknown[i] : undefined;
            const file = grain === "name" ? null : files[i];
            const name = module !== undefined ? "" : grain === "file" ? (file ?? "") : text;
            const line = grain === "line" ? lines[i] : 0;
            const key = i === LEFT_OUT ? "" : JSON.stringify([name, file, line, module]);
            let number = numbers.get(key);
            if (number === undefined) {
                numbers.set(key, (number = names.functions.length));
                names.functions.push(i === LEFT_OUT ? text : name);
                names.names.push(name || (module ? `[${module.slice(module.lastIndexOf("/") + 1)}]` : "<unknown>"));
                names.files.push(file);
                names.lines.push(line);
                names.libraries.push(1);
            }
            names.of[i] = number;
            if (!this.libraries.has(i)) names.libraries[number] = 0;
        });
        this.names.set(grain + byModule, names);
        return names;
    }

    // ---- Trees --------------------------------------------------------------------------------

    private tree(grain: Grain, self: Float64Array, base: Float64Array | null, focus: RegExp | null, reverse: boolean, recursion: boolean): TreeAnswer {
        const names = this.namesAt(grain, false);
        const grown = new Growing(names.functions.length, recursion);
        const calls = (node: number) => names.of[this.symbol[node]];
        const ends = new Int32Array(this.raw.nodes).fill(-1);
        if (!focus) ends[0] = 0;
        if (reverse) {
            for (let node = 1; node < this.raw.nodes; node++)
                if (self[node] !== 0 || (base && base[node] !== 0)) ends[node] = this.growCallers(grown, calls, names, node, focus);
        } else {
            for (let node = 1; node < this.raw.nodes; node++) {
                const above = ends[this.parent[node]];
                if (above >= 0 && !(focus && above === 0)) ends[node] = grown.push(above, calls(node));
                else if (focus?.test(names.functions[calls(node)])) ends[node] = grown.push(0, calls(node));
            }
        }
        let shortened = 0;
        const total = new Float64Array(grown.parent.length);
        const before = base ? new Float64Array(grown.parent.length) : null;
        const isCut = this.cut();
        for (let node = 0; node < this.raw.nodes; node++) {
            if (ends[node] < 0 || (focus && ends[node] === 0)) continue;
            total[ends[node]] += self[node];
            if (before) before[ends[node]] += base![node];
            if (isCut[node]) shortened += self[node];
        }
        return grown.answer(names, total, before, this.raw.left_out, shortened);
    }

    // Which nodes end a stack of which something is left out.
    private cut(): Uint8Array {
        const cut = new Uint8Array(this.raw.nodes);
        for (let node = 1; node < this.raw.nodes; node++) cut[node] = this.symbol[node] === LEFT_OUT || cut[this.parent[node]] ? 1 : 0;
        return cut;
    }

    // The stack that ends at `end`, from its function to main; under a focus, from its outermost call on.
    private growCallers(grown: Growing, calls: (node: number) => number, names: Names, end: number, focus: RegExp | null): number {
        let from = focus ? 0 : end;
        for (let node = end; focus && node !== 0; node = this.parent[node]) if (focus?.test(names.functions[calls(node)])) from = node;
        if (from === 0) return -1;
        let to = 0;
        for (let node = from; node !== 0; node = this.parent[node]) to = grown.push(to, calls(node));
        return to;
    }

    // ---- Functions and calls ------------------------------------------------------------------

    private totals(self: Float64Array): Float64Array {
        const total = Float64Array.from(self);
        for (let node = total.length - 1; node > 0; node--) total[this.parent[node]] += total[node];
        return total;
    }

    // A function or call counts once a stack: where it isn't on the path already.
    private sums(names: Names, self: Float64Array, base: Float64Array | null, withCalls: boolean): { now: Sums; before: Sums } {
        const size = names.functions.length;
        const empty = (): Sums => ({ flat: new Float64Array(size), cum: new Float64Array(size), edges: new Map() });
        const [now, before] = [empty(), empty()];
        const [total, baseTotal] = [this.totals(self), base ? this.totals(base) : null];
        const open = new Uint32Array(size);
        const last = new Int32Array(this.raw.nodes).fill(-1); // by node: the last function of its path that is known
        const entered: (Edge | null)[] = [];
        const enter = (node: number) => {
            const symbol = names.of[this.symbol[node]];
            const above = last[this.parent[node]];
            let edge: Edge | null = null;
            last[node] = this.symbol[node] === LEFT_OUT ? -1 : symbol;
            if (last[node] >= 0) {
                if (open[symbol]++ === 0) {
                    now.cum[symbol] += total[node];
                    if (baseTotal) before.cum[symbol] += baseTotal[node];
                }
                now.flat[symbol] += self[node];
                if (base) before.flat[symbol] += base[node];
                if (withCalls && above >= 0 && above !== symbol) {
                    const key = above * size + symbol;
                    edge = now.edges.get(key) ?? { from: above, to: symbol, weight: 0, base: 0, open: 0 };
                    now.edges.set(key, edge);
                    if (edge.open++ === 0) {
                        edge.weight += total[node];
                        edge.base += baseTotal ? baseTotal[node] : 0;
                    }
                }
            }
            entered.push(edge);
        };
        const leave = (node: number) => {
            if (last[node] >= 0) open[last[node]]--;
            const edge = entered.pop();
            if (edge) edge.open--;
        };
        for (let node = this.child[0]; node !== 0; ) {
            enter(node);
            let to = this.child[node];
            while (to === 0 && node !== 0) {
                leave(node);
                to = this.next[node];
                node = this.parent[node];
            }
            node = to;
        }
        return { now, before };
    }

    private node(names: Names, symbol: number, now: Sums, before: Sums, compares: boolean): GraphNode {
        const line = names.lines[symbol];
        return {
            name: names.names[symbol],
            function: names.functions[symbol],
            file: names.files[symbol],
            ...(line > 0 ? { line } : {}),
            flat: now.flat[symbol],
            cum: now.cum[symbol],
            ...(compares ? { base_flat: before.flat[symbol], base_cum: before.cum[symbol] } : {}),
        };
    }

    private whole(self: Float64Array, base: Float64Array | null): { selected: number; base_total?: number } {
        const sum = (list: Float64Array) => list.reduce((all, one) => all + one, 0);
        return { selected: sum(self), ...(base ? { base_total: sum(base) } : {}) };
    }

    private top(grain: Grain, self: Float64Array, base: Float64Array | null, most: number): NodesAnswer {
        const names = this.namesAt(grain, true);
        const { now, before } = this.sums(names, self, base, false);
        const heft = (symbol: number) => Math.max(Math.abs(now.cum[symbol]), Math.abs(before.cum[symbol]));
        const list = [...names.functions.keys()].filter((symbol) => now.cum[symbol] || now.flat[symbol] || before.cum[symbol] || before.flat[symbol]);
        list.sort((a, b) => heft(b) - heft(a) || (names.functions[a] < names.functions[b] ? -1 : 1));
        return {
            ...this.whole(self, base),
            all_nodes: list.length,
            dropped_nodes: 0,
            nodes: list.slice(0, most).map((symbol) => this.node(names, symbol, now, before, !!base)),
        };
    }

    private peek(grain: Grain, self: Float64Array, base: Float64Array | null, name: RegExp): NodesAnswer {
        const names = this.namesAt(grain, true);
        const { now, before } = this.sums(names, self, base, true);
        const edges = [...now.edges.values()].filter((edge) => edge.weight || edge.base).sort((a, b) => Math.max(Math.abs(b.weight), Math.abs(b.base)) - Math.max(Math.abs(a.weight), Math.abs(a.base)));
        const neighbours = (list: Edge[], of: (edge: Edge) => number) =>
            list.map((edge) => ({ ...this.node(names, of(edge), now, before, !!base), value: edge.weight, ...(base ? { base_value: edge.base } : {}), inlined: false }));
        const found = [...names.functions.keys()].filter((symbol) => symbol !== names.of[LEFT_OUT] && name.test(names.functions[symbol]) && (now.cum[symbol] || before.cum[symbol]));
        return {
            ...this.whole(self, base),
            all_nodes: found.length,
            dropped_nodes: 0,
            nodes: found.map((symbol) => ({
                ...this.node(names, symbol, now, before, !!base),
                callers: neighbours(edges.filter((edge) => edge.to === symbol), (edge) => edge.from),
                callees: neighbours(edges.filter((edge) => edge.from === symbol), (edge) => edge.to),
            })),
        };
    }

    // ---- Lines --------------------------------------------------------------------------------

    private source(self: Float64Array, base: Float64Array | null, name: RegExp): ListAnswer {
        const names = this.namesAt("line", true);
        const { now, before } = this.sums(names, self, base, false);
        const routines = new Map<string, number[]>(); // by function and file
        names.functions.forEach((text, symbol) => {
            if (isNameless(text, names.lines[symbol]) || !name.test(text) || !(now.cum[symbol] || before.cum[symbol])) return;
            const key = JSON.stringify([text, names.files[symbol] ?? ""]);
            routines.set(key, [...(routines.get(key) ?? []), symbol]);
        });
        const linesOf = (file: string, symbols: number[]) => {
            const texts = this.raw.sources[file];
            const bySymbol = new Map(symbols.map((symbol) => [names.lines[symbol], symbol]));
            const known = [...bySymbol.keys()];
            const [first, end] = [Math.min(...known) - 5, Math.max(...known) + 5];
            const extra = texts ? Object.keys(texts).map(Number).filter((line) => line >= first && line <= end) : [];
            return [...new Set([...known, ...extra])].sort((a, b) => a - b).map((line) => {
                const symbol = bySymbol.get(line);
                const of = (list: Float64Array) => (symbol === undefined ? 0 : list[symbol]);
                return { line, flat: of(now.flat), cum: of(now.cum), ...(base ? { base_cum: of(before.cum) } : {}), source: texts?.[line] };
            });
        };
        const places = [...routines.keys()].sort().map((key) => ({ key, place: JSON.parse(key) as [string, string] }));
        return {
            ...this.whole(self, base),
            functions: places.map(({ key, place: [text, file] }) => ({ function: text, file, source: file in this.raw.sources ? file : null, lines: linesOf(file, routines.get(key)!) })),
        };
    }
}

// A tree that grows by paths.
class Growing {
    readonly parent = [0];
    readonly symbol = [-1];
    private readonly known = new Map<number, number>();

    constructor(private readonly symbols: number, private readonly recursion: boolean) {}

    push(node: number, symbol: number): number {
        if (this.recursion) for (let at = node; at !== 0; at = this.parent[at]) if (this.symbol[at] === symbol) return node;
        const key = node * this.symbols + symbol;
        let child = this.known.get(key);
        if (child === undefined) {
            this.known.set(key, (child = this.parent.length));
            this.parent.push(node);
            this.symbol.push(symbol);
        }
        return child;
    }

    // In preorder, siblings by name; what weighs nothing is not there.  `total` is what ends at nodes.
    answer(names: Names, own: Float64Array, ownBefore: Float64Array | null, leftOut: number, shortened: number): TreeAnswer {
        const sumUp = (list: Float64Array) => {
            const sums = Float64Array.from(list);
            for (let node = sums.length - 1; node > 0; node--) sums[this.parent[node]] += sums[node];
            return sums;
        };
        const total = sumUp(own);
        const before = ownBefore ? sumUp(ownBefore) : null;
        const children: number[][] = this.parent.map(() => []);
        for (let node = 1; node < this.parent.length; node++) if (total[node] || before?.[node]) children[this.parent[node]].push(node);
        const texts = (node: number) => [names.functions[this.symbol[node]], names.files[this.symbol[node]] ?? ""] as const;
        const order = (a: number, b: number) => {
            const [[x, p], [y, q]] = [texts(a), texts(b)];
            return x < y ? -1 : x > y ? 1 : p < q ? -1 : p > q ? 1 : names.lines[this.symbol[a]] - names.lines[this.symbol[b]];
        };
        const list: number[] = [];
        const place = new Uint32Array(this.parent.length);
        const waiting = [0];
        while (waiting.length > 0) {
            const node = waiting.pop()!;
            place[node] = list.length;
            list.push(node);
            for (const child of children[node].sort(order).reverse()) waiting.push(child);
        }
        const depth = new Uint32Array(list.length);
        for (let i = 1; i < list.length; i++) depth[i] = depth[place[this.parent[list[i]]]] + 1;
        const pick = (from: Float64Array) => Float64Array.from(list.slice(1), (node) => from[node]);
        return {
            begun: total[0],
            ...(before ? { base_begun: before[0] } : {}),
            hidden_calls: shortened ? leftOut : 0,
            hidden: shortened,
            symbols: { function: names.functions, file: names.files, line: names.lines, library: names.libraries },
            calls: {
                symbol: Uint32Array.from(list.slice(1), (node) => this.symbol[node]),
                depth: depth.subarray(1).map((one) => one - 1),
                total: pick(total),
                self: pick(own),
                ...(before ? { base: pick(before) } : {}),
            },
        };
    }
}
