// What is looked at, all of it in the URL: a link shows the same thing again.  Values that are the default stay out of it.

export interface FleetState {
    time: string; // "last 24h", "FROM..TO" in seconds since the epoch, or "" for all
    where: string; // conditions on labels: "service=api version!=1.3"
    by: string; // the label that rows are of
    what: "allocated" | "in_use";
    through: string; // only what leads through this place; "" for all
    value: string; // the row that is chosen; "" for all of them
    range: string; // the part of the time that is chosen: "FROM..TO"; "" for all of it
    base: string; // what is compared with: a selection, "all" for everything; "" for nothing
    sort: string; // of the table: a column, with a - in front for descending
}

export const defaults: FleetState = {
    time: "last 24h",
    where: "",
    by: "service",
    what: "allocated",
    through: "",
    value: "",
    range: "",
    base: "",
    sort: "",
};

export function parse(search: string): FleetState {
    const state: Record<string, string> = { ...defaults };
    for (const [name, text] of new URLSearchParams(search)) if (name in defaults) state[name] = text;
    if (state.what !== "in_use") state.what = "allocated";
    return state as unknown as FleetState;
}

export function print(state: FleetState): string {
    const query = new URLSearchParams();
    for (const key of Object.keys(defaults) as (keyof FleetState)[]) if (state[key] !== defaults[key]) query.set(key, state[key]);
    const text = query.toString();
    return text ? "?" + text : location.pathname;
}

export type Go = (change: Partial<FleetState>, replace?: boolean) => void;

// ---- Selections: the language of the store, as `heaptap top store:FILE` takes it ----------------

// A range of seconds; null where the text is none.
export function rangeOf(text: string): [number, number] | null {
    const found = /^(\d{1,12})\.\.(\d{1,12})$/.exec(text);
    return found && Number(found[1]) < Number(found[2]) ? [Number(found[1]), Number(found[2])] : null;
}

export function rangeText(from: number, to: number): string {
    return `${Math.floor(from)}..${Math.ceil(to)}`;
}

export function selection(...parts: string[]): string {
    return parts.filter((part) => part).join(" ");
}

// A condition on a label; the value in quotes where it would be read as more than one word.
export function condition(label: string, value: string): string {
    return `${label}=${/["=]| $|^ /.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value}`;
}

// Everything is asked for as "all", as no part of a path is empty.
export function named(text: string): string {
    return text || "all";
}

// Where the viewer shows a selection, compared with a base unless that is "".
export function showPath(of: string, base: string, view = ""): string {
    const against = base ? `against/${encodeURIComponent(base)}/` : "";
    return `show/${encodeURIComponent(named(of))}/${against}${view ? "?view=" + view : ""}`;
}
