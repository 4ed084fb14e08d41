// What is looked at, all of it in the URL: a link shows the same thing again, and the browser's back
// and forward work.  Values that are the default stay out of the URL.

export const views = {
    flame: "Flame graph",
    top: "Functions",
    graph: "Graph",
    reports: "Reports",
    interest: "Points of interest",
    holders: "Kept by",
    tree: "Call tree",
    sandwich: "Sandwich",
    peek: "Peek",
    source: "Source",
    treemap: "Treemap",
    circles: "Circles",
    force: "Force",
    histograms: "Histograms",
    domains: "Domains",
} as const;

export type ViewName = keyof typeof views;

// Those that stand in links of earlier versions under another name.
const formerViews: Record<string, ViewName> = { icicle: "flame" };

export interface State {
    view: ViewName;
    file: number; // which of those that are shown
    filter: string;
    quantity: "allocated" | "live" | "promoted" | "collected";
    type: number; // of a profile: which of its values; -1 for its own choice
    weight: "bytes" | "objects" | "samples";
    grain: "function" | "name" | "file" | "line";
    direction: "down" | "up"; // from main to the sites, or from the sites to their callers
    recursion: boolean; // each function once a stack
    function: string; // the focus of sandwich, peek and source; elsewhere what stands in the pane at the side
    of: string; // the source file of that function; "" for all of its name, the heaviest first
    libraries: boolean; // shown like one's own code; else folded
    search: string;
    zoom: string; // the node that fills a picture, as Tree.key
    order: "name" | "weight"; // of siblings in pictures
    sort: string; // of tables: column, with a - in front for descending
    nodes: number;
    clock: boolean; // the timeline tells the time of day
    report: string; // which of them is looked at
    options: string; // its own, as a query
    kept: "roots" | "sites"; // what holds blocks is shown from roots down, or from the places that allocated up
    snapshot: string; // its number; "" for the last
    row: string; // the one that is chosen there, as Held.key
    times: string; // the part of the timeline that is seen, in microseconds: "FROM..TO"; "" for all
}

export const defaults: State = {
    view: "flame",
    file: 0,
    filter: "",
    quantity: "allocated",
    type: -1,
    weight: "bytes",
    grain: "function",
    direction: "down",
    recursion: false,
    function: "",
    of: "",
    libraries: false,
    search: "",
    zoom: "",
    order: "name",
    sort: "",
    nodes: 100000,
    clock: false,
    report: "hotspots",
    options: "",
    kept: "roots",
    snapshot: "",
    row: "",
    times: "",
};

const choices: Partial<Record<keyof State, readonly string[]>> = {
    view: Object.keys(views),
    quantity: ["allocated", "live", "promoted", "collected"],
    weight: ["bytes", "objects", "samples"],
    grain: ["function", "name", "file", "line"],
    direction: ["down", "up"],
    order: ["name", "weight"],
    kept: ["roots", "sites"],
};

export function parse(search: string): State {
    const state: Record<string, unknown> = { ...defaults };
    for (const [name, text] of new URLSearchParams(search)) {
        if (!(name in defaults)) continue;
        const key = name as keyof State;
        const allowed = choices[key];
        if (key === "view" && text in formerViews) state[key] = formerViews[text];
        if (allowed && !allowed.includes(text)) continue;
        const kind = typeof defaults[key];
        if (kind === "boolean") state[key] = text === "1";
        else if (kind !== "number") state[key] = text;
        else if (Number(text) >= 0) state[key] = Math.min(Math.floor(Number(text)), 1e6);
    }
    return state as unknown as State;
}

export function print(state: State): string {
    const query = new URLSearchParams();
    for (const key of Object.keys(defaults) as (keyof State)[]) {
        const value = state[key];
        if (value !== defaults[key]) query.set(key, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
    }
    const text = query.toString();
    return text ? "?" + text : location.pathname;
}

// A function of a name may be in several files: without one, those of all.
export function changed(change: Partial<State>): Partial<State> {
    return change.function !== undefined && change.of === undefined ? { ...change, of: "" } : change;
}

// Is that the function that is chosen?  Where either has no file, the name alone tells.
export function isChosen(state: Pick<State, "function" | "of">, of: { function: string | null; file: string | null }): boolean {
    return of.function === state.function && (!state.of || !of.file || of.file === state.of);
}

export type Navigate = (change: Partial<State>, replace?: boolean) => void;
