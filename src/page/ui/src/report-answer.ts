// Questions to the reports of the command line, and their answers as the views take them: sums of the sample type that the
// filter bar chooses, or samples, which the reports' bytes are multiples of.

import { question } from "./api";
import type { State } from "./state";
import type { FileAbout, GraphAnswer, GraphEdge, GraphNode, Neighbour, PeekAnswer, Shown, Routine, SourceAnswer } from "./types";

// Which of a profile's values is looked at.
export function typeOf(about: Shown, state: State): number {
    return state.type >= 0 && state.type < (about.types?.length ?? 0) ? state.type : (about.default_type ?? 0);
}

// The sample type of what the filter bar chooses.
export function sampleOf(about: Shown, state: State): string {
    if (about.types) return about.types[typeOf(about, state)].type;
    const what = state.weight === "objects" ? "objects" : "space";
    return `${{ allocated: "alloc", live: "inuse", promoted: "promoted", collected: "collected" }[state.quantity]}_${what}`;
}

const grains = { function: "filefunctions", name: "functions", file: "files", line: "lines" };

type Parameters = Record<string, string | number | boolean>;

// What every question says of the selection.  Without a grain: of what has none.
export function selection(about: Shown, state: State, grain: State["grain"] | ""): Parameters {
    return { file: state.file || "", filter: state.filter, sample: sampleOf(about, state), ...(grain ? { granularity: grains[grain] } : {}), base: !!about.base };
}

// A report under the page's filter, with the base beside it where there is one.
export function reportQuestion(about: Shown, state: State, report: string, more: Parameters = {}, grain: State["grain"] | "" = state.grain): string {
    return question("/api/answer", { report, ...selection(about, state, grain), ...(report === "diff" ? { base: false } : {}), ...more });
}

const NAME_MAX = 1000; // characters; a server takes patterns of fewer than 4096 bytes

// A name as a regular expression.  Of one that is too long for a question, how it begins and ends.
export function escaped(name: string): string {
    const characters = [...name];
    if (characters.length > NAME_MAX) return `${escaped(characters.slice(0, NAME_MAX / 2).join(""))}.*${escaped(characters.slice(-NAME_MAX / 2).join(""))}`;
    return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

// A regular expression for trees, whose names are functions alone.
export function rootPattern(name: string): string {
    return `^${escaped(name).split(/\\\\x[0-9a-f]{2}/).join(".*")}$`;
}

// A regular expression that the function matches; and others where it has bytes that no expression can have, so the answer is to
// be searched.  Names that reports match end with the file where that is told.
export function functionPattern(name: string, end: string): string {
    const [plain, ...rest] = name.split(/\\x[0-9a-f]{2}/);
    return `^${escaped(plain)}${rest.length > 0 ? "" : end}`;
}

// ---- What is answered ----------------------------------------------------------------------

interface Named {
    name: string;
    function?: string;
    file?: string | null;
    line?: number;
}

interface Node extends Named {
    flat: number;
    cum: number;
    base_flat?: number;
    base_cum?: number;
}

interface Call extends Named {
    value: number;
    base_value?: number;
    inlined: boolean;
    cum: number;
    base_cum?: number;
}

export interface NodesAnswer {
    selected: number;
    all_nodes: number;
    dropped_nodes: number;
    dropped_edges?: number;
    base_total?: number;
    library_functions?: number; // left out, and what comes through them
    library_share?: number;
    nodes: (Node & { callers?: Call[]; callees?: Call[] })[];
    edges?: GraphEdge[];
}

export interface ListAnswer {
    selected: number;
    functions: { function: string; file: string; source: string | null; lines: { line: number; flat: number; cum: number; base_cum?: number; source?: string }[] }[];
}

// By how much values are multiplied, of the file and of its base.
export interface Scale {
    now: (value: number) => number;
    before: (value: number) => number;
}

export function scaleOf(about: Shown, state: State): Scale {
    const of = (file: FileAbout | null) => {
        const bytes = state.weight === "samples" && !about.types ? file?.sample_bytes : undefined;
        return bytes ? (value: number) => Math.round(value / bytes) : (value: number) => value;
    };
    return { now: of(about), before: of(about.base) };
}

const before = (scale: Scale, value: number | undefined) => (value === undefined ? undefined : scale.before(value));

// At the grain of files a file is what a function is elsewhere.
function nameOf(node: Named): Pick<GraphNode, "name" | "function" | "file" | "line"> {
    return { name: node.name, function: node.function ?? node.file ?? "", file: node.file ?? null, line: node.line };
}

function nodeOf(node: Node, scale: Scale): GraphNode {
    return { ...nameOf(node), flat: scale.now(node.flat), cum: scale.now(node.cum), base_flat: before(scale, node.base_flat), base_cum: before(scale, node.base_cum) };
}

export function graphOf(about: Shown, state: State): (raw: never) => GraphAnswer {
    const scale = scaleOf(about, state);
    return (raw) => {
        const answer = raw as NodesAnswer;
        return {
            total: scale.now(answer.selected),
            base_total: before(scale, answer.base_total),
            all_nodes: answer.all_nodes,
            library_functions: answer.library_functions,
            library_share: answer.library_share,
            dropped_nodes: answer.dropped_nodes,
            dropped_edges: answer.dropped_edges ?? 0,
            nodes: answer.nodes.map((node) => nodeOf(node, scale)),
            edges: (answer.edges ?? []).map((edge) => ({ ...edge, weight: scale.now(edge.weight), base_weight: before(scale, edge.base_weight) })),
        };
    };
}

// Of functions of one name, in several files, the one that is chosen first, then the heaviest; then what only the base has.
function byWeight<One extends { function: string; file: string | null }>(state: State, list: One[], of: (one: One) => { cum: number; base_cum?: number }): One[] {
    const isOther = (one: One) => (state.of && one.file !== state.of ? 1 : 0);
    return list.sort((a, b) => isOther(a) - isOther(b) || of(b).cum - of(a).cum || (of(b).base_cum ?? 0) - (of(a).base_cum ?? 0));
}

function heaviestLine({ lines }: Routine): { cum: number; base_cum: number } {
    return { cum: Math.max(0, ...lines.map(({ cum }) => cum)), base_cum: Math.max(0, ...lines.map(({ base_cum: cum }) => cum ?? 0)) };
}

// An answer without functions is empty: none of those that are asked for is there.
export function peekOf(about: Shown, state: State): (raw: never) => PeekAnswer {
    const scale = scaleOf(about, state);
    const beside = (call: Call): Neighbour => ({
        ...nameOf(call), flat: 0, cum: scale.now(call.cum), base_cum: before(scale, call.base_cum), weight: scale.now(call.value), base_weight: before(scale, call.base_value), inlined: call.inlined,
    });
    return (raw) => {
        const answer = raw as Partial<NodesAnswer>;
        const found = (answer.nodes ?? []).map((node) => ({ ...nodeOf(node, scale), callers: (node.callers ?? []).map(beside), callees: (node.callees ?? []).map(beside) }));
        return { total: scale.now(answer.selected ?? 0), base_total: before(scale, answer.base_total), found: byWeight(state, found.filter((node) => node.function === state.function), (node) => node) };
    };
}

export function sourceOf(about: Shown, state: State): (raw: never) => SourceAnswer {
    const scale = scaleOf(about, state);
    return (raw) => {
        const answer = raw as Partial<ListAnswer>;
        const routines = (answer.functions ?? []).filter((routine) => routine.function === state.function);
        const shown: Routine[] = routines.map(({ function: name, file, source, lines }) => ({
            function: name,
            file: file || null,
            found: source !== null,
            lines: lines.map((line) => ({ line: line.line, flat: scale.now(line.flat), cum: scale.now(line.cum), base_cum: before(scale, line.base_cum), text: line.source ?? null })),
        }));
        return { total: scale.now(answer.selected ?? 0), routines: byWeight(state, shown, heaviestLine) };
    };
}
