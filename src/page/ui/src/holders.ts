// Through what blocks are held: the answer of `heaptap holders`, as a tree of what roots hold, and as one of what holds the places that
// allocated.

import { type Asked, isReport, question, useAnswer } from "./api";
import { clausesOf, isOfBlocks, withClause } from "./clauses";
import { bytes, placeOf } from "./format";
import type { State } from "./state";
import type { Shown } from "./types";

export interface Sum {
    bytes: number;
    bytes_low?: number; // where blocks are sampled
    bytes_high?: number;
    blocks: number;
}

export interface Step {
    kind: string; // "block", or what kind of root
    name?: string; // of a root
    by?: string; // by what the step before holds it
    function?: string;
    file?: string | null;
    line?: number;
    module?: string | null;
    type?: string; // of a block
}

interface Path extends Sum {
    steps: Step[];
}

interface Site extends Sum {
    function: string | null;
    file: string | null;
    line?: number;
    retained_bytes: number | null;
    lost_bytes: number;
    paths: Path[];
}

interface Root extends Step, Sum {
    retained_bytes: number;
    shared_bytes?: number; // that other roots hold as well
    shared_with?: string; // the one that holds most of these
    shared_kind?: string;
    shared_file?: string;
    shared_line?: number;
}

interface Snapshot extends Sum {
    number: number;
    cause: string;
    at_us: number;
    lost_bytes: number;
}

export interface HoldersAnswer {
    library_functions?: number; // left out, and what comes through them
    library_share?: number;
    snapshot: Snapshot;
    snapshots?: Snapshot[]; // where there are several
    roots: Root[];
    sites: Site[];
}

// ---- What is asked -------------------------------------------------------------------------

// Clauses that the report can't take, because the trace has ways summed up by stack.
export function leftOut(filter: string): string[] {
    return clausesOf(filter).filter(isOfBlocks);
}

// The same text as src/page/report.c writes.
export function holdersQuestion(about: Shown, state: State): string {
    const filter = clausesOf(state.filter).filter((clause) => !isOfBlocks(clause)).join(" ");
    const shows = state.libraries && !isReport && !/(^|\s)(libraries|own)!?=/.test(filter);
    return question("/api/answer", {
        report: "holders", file: state.file || "", filter: shows ? withClause(filter, "libraries=show") : filter, snapshot: state.snapshot, "node-count": 100, paths: 20, roots: 100,
        columns: "name,kind,by,function,file,line,module,type,bytes,blocks,retained_bytes,lost_bytes,number,cause,at_us,shared_bytes,shared_with,shared_kind,shared_file,shared_line",
    });
}

// Nothing is asked of a file that has no snapshot.
export function useHolders(about: Shown, state: State): Asked<HoldersAnswer> {
    return useAnswer(about.snapshots ? holdersQuestion(about, state) : null, about.generation, (raw: never) => raw as HoldersAnswer, "holders");
}

// ---- In words ------------------------------------------------------------------------------

export interface Label {
    name: string;
    note: string; // where it is, in parentheses; "" for nothing
}

// As the command has it: "book (global, shop.cpp:8)", "std::map node (fill, shop.cpp:20)", "fill (shop.cpp:20)".
export function labelOf(step: Step): Label {
    const place = step.line ? placeOf(step) : "";
    if (step.kind === "lost") return { name: "nothing", note: "these are lost" };
    if (step.kind === "garbage") return { name: "nothing", note: "not yet collected" };
    if (step.kind !== "block") return { name: step.name ?? step.kind, note: [...(step.name ? [step.kind] : []), ...(place ? [place] : [])].join(", ") };
    const name = step.type ?? step.function ?? "";
    return { name: step.by ? `${step.by} ${name}` : name, note: [...(step.type && step.function ? [step.function] : []), ...(place ? [place] : [])].join(", ") };
}

export function textOf({ name, note }: Label): string {
    return note ? `${name} (${note})` : name;
}

function rootOf<Of extends Step>(root: Of): Of {
    return { ...root, name: root.name === root.kind ? undefined : root.name, file: root.file ?? undefined, module: root.module ?? undefined };
}

// Why a root retains less than its bytes, where that is notable: the text's sentence.
function sharedText(root: Root, label: Label): string {
    const { bytes: whole, shared_bytes: shared = 0, shared_with: name, shared_kind: kind = "", shared_file: file, shared_line: line } = root;
    if (name === undefined || shared < whole / 10) return "";
    return `${bytes(shared)} of ${textOf(label)} is held by another root as well: ${textOf(labelOf(rootOf({ kind, name, file, line })))}`;
}

// How the row of a place is known in a URL.
export function siteKey(site: { function: string | null; file: string | null; line?: number }): string {
    return textOf(labelOf({ kind: "block", function: site.function ?? undefined, file: site.file, line: site.line }));
}

// The heaviest way to a function's blocks, and the place that it leads to.
export function heaviestWay(answer: HoldersAnswer, name: string, file: string): { site: Site; path: Path } | null {
    let found: { site: Site; path: Path } | null = null;
    for (const site of answer.sites)
        for (const path of site.function === name && (!file || site.file === file) ? site.paths : [])
            if (!found || path.bytes > found.path.bytes) found = { site, path };
    return found;
}

// ---- Trees ---------------------------------------------------------------------------------

export interface Held extends Sum {
    key: string; // those of the rows around it, and its own, with a line break between
    label: Label;
    kind: string; // "place", "block", or what kind of root
    function: string; // that allocated it; "" of a root
    file: string; // its source file; "" where that isn't known
    retained: number | null; // null: not known, or not of this row alone
    lost: number;
    shared?: string; // of a root that another one makes keep less: a sentence
    of: Held[]; // the heaviest first
}

export interface HeldTree {
    rows: Held[];
    left: number; // bytes of places or roots that are not among them
    lost: number;
}

const identity = (step: Step) => [step.kind, step.name, step.by, step.type, step.function, step.file, step.line, step.module].join("\n");

// Gathers ways that begin alike.
class Gathering {
    readonly rows: Held[] = [];
    private readonly known = new Map<string, Held>();
    private readonly keys = new Set<string>();

    constructor(private readonly outer = "") {}

    // The row of this identity; a new one where there is none, whose key is no other's.
    at(id: string, label: Label, more: Pick<Held, "kind" | "function" | "file">): Held & { inner: Gathering } {
        let row = this.known.get(id) as (Held & { inner: Gathering }) | undefined;
        if (!row) {
            const text = textOf(label).replaceAll("\n", " ");
            let key = this.outer + text;
            for (let i = 2; this.keys.has(key); i++) key = `${this.outer}${text} #${i}`;
            this.keys.add(key);
            const inner = new Gathering(key + "\n");
            row = { key, label, ...more, bytes: 0, blocks: 0, retained: null, lost: 0, of: inner.rows, inner };
            this.known.set(id, row);
            this.rows.push(row);
        }
        return row;
    }

    add(steps: { id: string; label: Label; function: string; file: string; kind: string }[], sum: Sum): void {
        let level: Gathering = this;
        for (const step of steps) {
            const row = level.at(step.id, step.label, { kind: step.kind, function: step.function, file: step.file });
            row.bytes += sum.bytes;
            row.blocks += sum.blocks;
            row.lost += steps.some(({ kind }) => kind === "lost") ? sum.bytes : 0;
            level = row.inner;
        }
    }

    sorted(): Held[] {
        this.rows.sort((a, b) => b.bytes - a.bytes);
        for (const row of this.rows) (row as Held & { inner: Gathering }).inner.sorted();
        return this.rows;
    }
}

function stepOf(step: Step) {
    return { id: identity(step), label: labelOf(step), function: step.function ?? "", file: step.file ?? "", kind: step.kind };
}

function left(whole: number, rows: Sum[]): number {
    return whole - rows.reduce((sum, row) => sum + row.bytes, 0);
}

// From roots down.  What a root holds by ways that are not listed is in its own sums.
export function byRoot(answer: HoldersAnswer): HeldTree {
    const gathering = new Gathering();
    for (const site of answer.sites) for (const path of site.paths) gathering.add(path.steps.map(stepOf), path);
    const sums = new Map<Held, Root>();
    for (const root of answer.roots.filter(({ bytes }) => bytes > 0)) {
        const step = rootOf(root);
        const row = gathering.at(identity(step), labelOf(step), { kind: step.kind, function: "", file: "" });
        const same = sums.get(row);
        const add = (of: "bytes" | "blocks" | "retained_bytes") => root[of] + (same?.[of] ?? 0);
        sums.set(row, { ...root, bytes: add("bytes"), blocks: add("blocks"), retained_bytes: add("retained_bytes"), ...(same ? { bytes_low: undefined, bytes_high: undefined } : {}) });
    }
    for (const [row, root] of sums) {
        const { bytes, bytes_low, bytes_high, blocks, retained_bytes } = root;
        Object.assign(row, { bytes, bytes_low, bytes_high, blocks, retained: retained_bytes, lost: row.kind === "lost" ? bytes : 0, shared: sharedText(root, row.label) });
    }
    const rows = gathering.sorted();
    return { rows, left: left(answer.snapshot.bytes, rows), lost: answer.snapshot.lost_bytes };
}

// From the places that allocated, through what holds their blocks, up to roots.
export function bySite(answer: HoldersAnswer): HeldTree {
    const gathering = new Gathering();
    for (const site of answer.sites) {
        const types = [...new Set(site.paths.map(({ steps }) => steps[steps.length - 1].type).filter((type) => type))];
        const step: Step = { kind: "block", function: site.function ?? undefined, file: site.file, line: site.line };
        const row = gathering.at(identity(step), labelOf(step), { kind: "place", function: site.function ?? "", file: site.file ?? "" });
        if (types.length > 0) row.label = { ...row.label, note: [row.label.note, `${types.slice(0, 3).join(", ")}${types.length > 3 ? ", …" : ""}`].filter((text) => text).join("; ") };
        for (const path of site.paths) {
            const outwards = path.steps.map((held, i) => {
                const by = path.steps[i + 1]?.by;
                const { id, label, ...more } = stepOf({ ...held, by: undefined });
                return { ...more, id: `${id}\n${by ?? ""}`, label: by ? { ...label, name: `${label.name} ${by}` } : label };
            });
            row.inner.add(outwards.slice(0, -1).reverse(), path);
        }
        Object.assign(row, { bytes: site.bytes, bytes_low: site.bytes_low, bytes_high: site.bytes_high, blocks: site.blocks, retained: site.retained_bytes, lost: site.lost_bytes });
    }
    const rows = gathering.sorted();
    return { rows, left: left(answer.snapshot.bytes, rows), lost: answer.snapshot.lost_bytes };
}

// Bytes of a row that are not in those below it: what ends there; of a root and a place, what is held on ways that are not listed.
export function unlisted(row: Held): number {
    return left(row.bytes, row.of);
}
