// Times of a run: in the filter's clauses, on an axis, and as a click on the timeline tells them.

import { withClause } from "./clauses";

const number = "([0-9.]+)s?";

// The range that the filter's clause `live-at` or `allocated` names, for showing it; seconds.
export function rangeOf(filter: string, word: string): [number, number] | null {
    const found = new RegExp(`(?:^|\\s)${word}=${number}\\.\\.${number}(?=\\s|$)`).exec(filter);
    return found ? [Number(found[1]), Number(found[2])] : null;
}

// The moment that the clause `live-at` names, in seconds; null for none.
export function momentOf(filter: string): number | null {
    const found = new RegExp(`(?:^|\\s)live-at=${number}(?=\\s|$)`).exec(filter);
    return found ? Number(found[1]) : null;
}

function without(filter: string, word: string): string {
    return filter.replace(new RegExp(`(^|\\s)${word}=\\S*`, "g"), "").replace(/\s+/g, " ").trim();
}

export function withoutTimes(filter: string): string {
    return without(without(filter, "allocated"), "live-at");
}

export function withRange(filter: string, word: string, [from, to]: [number, number]): string {
    return withClause(withoutTimes(filter), `${word}=${from}s..${to}s`);
}

export function withMoment(filter: string, seconds: number): string {
    return withClause(withoutTimes(filter), `live-at=${seconds}s`);
}

// Seconds, as short as a picture of so many microseconds deserves.
export function rounded(microseconds: number, span: number): number {
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10((span * 1e-6) / 2000))));
    return Number((microseconds * 1e-6).toFixed(digits));
}

// Where the axis has marks, in seconds, and how far they are apart.  `begin` is what 0 stands for: the
// time of day, where that is to be round.
export function ticks(from: number, to: number, width: number, begin = 0): { list: number[]; step: number } {
    const wanted = Math.max(2, width / 110);
    const step = 10 ** Math.floor(Math.log10((to - from) / wanted));
    const sizes = begin && step >= 10 ? [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400] : [1, 2, 5, 10].map((factor) => factor * step);
    const nice = sizes.find((size) => (to - from) / size <= wanted) ?? 10 * step;
    const list: number[] = [];
    for (let at = Math.ceil((from + begin) / nice) * nice - begin; at <= to; at += nice) list.push(at);
    return { list, step: nice };
}

// The start in milliseconds, and how many seconds it comes after midnight.
export function clockOf(startUs: number): { start: number; midnight: number } {
    const start = startUs / 1000;
    return { start, midnight: (start - new Date(start).setHours(0, 0, 0, 0)) / 1000 };
}
