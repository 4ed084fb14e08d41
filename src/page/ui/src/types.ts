// What the server answers (src/page/answer*.c), and the columns in it.

import type { Word } from "./clauses";

export interface FileAbout {
    name: string;
    remark: string | null;
    growing: boolean; // still being written when it was read
    filter: string; // all that is shown passes it; "" for everything
    kind: "trace" | "profile";
    // Of a trace:
    version?: number;
    sample_rate?: number;
    sample_bytes?: number; // for which a sample stands
    thinned?: number; // one sample in so many of the file is here; 1 for all
    word_bits?: number;
    executable?: string;
    host?: string;
    runtime_params?: string;
    context?: string;
    pid?: number;
    start_us?: number;
    duration_us?: number;
    objects?: number; // sampled blocks
    promotes?: boolean;
    domains?: number;
    snapshots?: number; // of what holds blocks
    peak_us?: number;
    peak_bytes?: number;
    peak_low?: number;
    peak_high?: number;
    peak_too_few_samples?: boolean;
    peak_samples?: number;
    // Of a profile:
    samples?: number;
    default_type?: number;
    types?: { type: string; unit: string }[];
}

export interface About {
    name: string;
    state: "reading" | "ready";
    bytes_read: number;
    bytes_whole: number; // 0: not known
    generation: number;
    live: boolean;
    home?: string; // of a choice of a store: where the page of all is
    program?: string; // while it is read
    start_us?: number;
    base?: FileAbout | null;
    files: FileAbout[];
    clauses: Word[]; // of the filter language
}

// The file that is looked at, and what else the views need to know.
export interface Shown extends FileAbout {
    generation: number;
    live: boolean;
    home?: string;
    base: FileAbout | null;
    files: FileAbout[];
}

// Numbers as base64 of the smallest type that holds them, little-endian; or as they are.
export type Column = { u8: string } | { u16: string } | { u32: string } | { f64: string } | ArrayLike<number>;

// Without members where no function is called so.
export interface TreeAnswer {
    begun?: number; // the weight of all
    base_begun?: number; // in the file compared with
    hidden_calls?: number;
    hidden?: number; // their weight
    symbols?: { function?: string[]; file?: (string | null)[]; line?: Column; library?: Column };
    calls?: { symbol?: Column; depth?: Column; total?: Column; self?: Column; base?: Column }; // in preorder
}

export interface SeriesAnswer {
    from_us: number;
    to_us: number;
    highest_bytes: number;
    highest_objects: number;
    steps: { live_bytes: Column; live_objects: Column; allocated_bytes: Column; allocated_objects: Column };
    bounds?: { live_bytes_low: Column; live_bytes_high: Column; live_objects_low: Column; live_objects_high: Column }; // where it is sampled
    functions?: { share?: Column; function?: string[]; file?: (string | null)[]; live_bytes?: Column; live_objects?: Column }; // a function's steps after those of the one before
}

export interface Sum {
    blocks: number;
    bytes: number;
    objects: number;
}

export interface Distribution {
    edges: number[];
    bins: Sum[];
}

export interface Domain {
    domain: number;
    name: string;
    thread: number;
    all: Sum;
    live: Sum;
}

export interface Distributions {
    sizes: Distribution;
    lifetimes: Distribution;
    all: Sum;
    unended: Sum;
    domains: Domain[];
}

export interface GraphNode {
    name: string;
    function: string;
    file: string | null;
    line?: number;
    flat: number;
    cum: number;
    base_flat?: number;
    base_cum?: number;
}

export interface GraphEdge {
    from: number;
    to: number;
    weight: number;
    base_weight?: number;
    residual: boolean;
    inlined: boolean;
}

export interface GraphAnswer {
    total: number;
    base_total?: number;
    all_nodes: number;
    library_functions?: number; // left out, where they are
    library_share?: number;
    dropped_nodes: number;
    dropped_edges: number;
    nodes: GraphNode[];
    edges: GraphEdge[];
}

export type Neighbour = GraphNode & { weight: number; base_weight?: number; inlined: boolean };

export interface SourceLine {
    line: number;
    flat: number;
    cum: number;
    base_cum?: number;
    text: string | null;
}

export interface Routine {
    function: string;
    file: string | null;
    found: boolean;
    lines: SourceLine[];
}

export interface SourceAnswer {
    total: number;
    routines: Routine[];
}

export interface PeekAnswer {
    total: number;
    base_total?: number;
    found: (GraphNode & { callers: Neighbour[]; callees: Neighbour[] })[];
}
