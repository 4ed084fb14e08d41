// What is looked at, all of it in the URL: a link shows the same thing again.  Values that are the default stay out of it.

import type { Suggestion } from "../clauses";

export interface FleetState {
    time: string; // "last 24h", "FROM..TO" in seconds since the epoch, "all"; "" for the last two days of which there are profiles
    where: string; // conditions on labels: "service=api version!=1.3"
    by: string; // the label that rows are of
    what: "allocated" | "in_use";
    through: string; // only what leads through this place; "" for all
    value: string; // the row that is chosen; "" for all of them
    range: string; // the part of the time that is chosen: "FROM..TO"; "" for all of it
    base: string; // what is compared with: a selection, "all" for everything; "" for nothing
    all: string; // "1": all that grew is listed
    sort: string; // of the table: a column, with a - in front for descending
}

export const defaults: FleetState = {
    time: "",
    where: "",
    by: "service",
    what: "allocated",
    through: "",
    value: "",
    range: "",
    base: "",
    all: "",
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

const DAY = 86400;

// The seconds of the last two days of which there are profiles.  Those of before stay while only a little has come to them, so that
// not each new profile makes another question.
export function lastDays(fromUs: number, untilUs: number, before: [number, number] | null): [number, number] {
    const until = Math.ceil(untilUs * 1e-6);
    const from = Math.max(Math.floor(fromUs * 1e-6), until - 2 * DAY);
    return before && until >= before[1] && until - before[1] < (before[1] - before[0]) / 100 ? before : [from, until];
}

// The time that is looked at, as the store takes it: "" for all.
export function timeOf(time: string, last: [number, number]): string {
    return time === "all" ? "" : `time=${time || rangeText(...last)}`;
}

// The time whose growth is looked at and the one before it, of what is seen: its last day, or its later half.
export function halvesOf([from, to]: [number, number]): { now: [number, number]; before: [number, number] } {
    const length = Math.max(1, Math.min(DAY, Math.floor((to - from) / 2)));
    return { now: [to - length, to], before: [to - 2 * length, to - length] };
}

// Is it the day that ends now, or did so within a day?
export function isToday([from, to]: [number, number]): boolean {
    return to - from === DAY && Date.now() * 1e-3 - to < DAY;
}

// A condition on a label; the value in quotes where it would be read as more than one word.
export function condition(label: string, value: string, relation = "="): string {
    return `${label}${relation}${/["'=]| $|^ /.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value}`;
}

// The conditions of a selection, each as it is typed: a word without `=` belongs to the value before it, and so does all that is in
// quotes, where a \ stands before a quote or another \.
export function conditionsOf(where: string): string[] {
    const list: string[] = [];
    for (let rest = where.trim(); rest; ) {
        const value = Math.max(0, rest.indexOf("="));
        const next = / +(?=[^ ]*=)/g;
        next.lastIndex = value + (/^=(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')/.exec(rest.slice(value))?.[0].length ?? -value);
        const space = next.exec(rest);
        list.push(space ? rest.slice(0, space.index) : rest);
        rest = space ? rest.slice(space.index).trim() : "";
    }
    return list;
}

// Together again.  What is no condition comes first, as behind another it would be a part of its value.
export function whereOf(list: string[]): string {
    return [...list.filter((text) => !text.includes("=")), ...list.filter((text) => text.includes("="))].join(" ");
}

// What could stand at the caret of a condition.
export function suggestConditions(labels: { label: string; values: string[] }[], text: string, caret: number): Suggestion[] {
    const typed = text.slice(0, caret);
    const [, name, relation, part] = /^\s*([^\s=!]+)(!?=)"?(.*)$/.exec(typed) ?? [];
    if (!name) return labels.filter(({ label }) => label.startsWith(typed.trim())).map(({ label, values }) => ({ text: `${label}=`, note: values.slice(0, 3).join(", "), from: 0 }));
    const values = labels.find(({ label }) => label === name)?.values ?? [];
    return values.filter((value) => value !== part && value.toLowerCase().includes(part.toLowerCase())).slice(0, 30).map((value) => ({ text: condition(name, value, relation), note: "", from: 0 }));
}

// Everything is asked for as "all", as no part of a path is empty.
export function named(text: string): string {
    return text || "all";
}

// Where the viewer shows a selection, compared with a base unless that is "", and how.
export function showPath(of: string, base: string, how: Record<string, string> = {}): string {
    const against = base ? `against/${encodeURIComponent(base)}/` : "";
    const query = new URLSearchParams(how).toString();
    return `show/${encodeURIComponent(named(of))}/${against}${query ? "?" + query : ""}`;
}
