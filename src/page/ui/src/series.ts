// What is alive over time, in all and by the functions of one's own that hold most: the report `timeline`, by column.

import { type Asked, question, useAnswer } from "./api";
import { numbersOf } from "./columns";
import type { Place } from "./colours";
import type { State } from "./state";
import type { SeriesAnswer, Shown } from "./types";

const STEPS = 600;
export const STACKED = 5; // functions

export type Weight = "bytes" | "objects";
type ByWeight = Record<Weight, number[]>; // by step

// What a function holds.
export interface Layer extends Place {
    live: ByWeight;
}

export interface Series {
    from_us: number;
    to_us: number;
    highest: Record<Weight, number>;
    live: ByWeight;
    allocated: ByWeight;
    bounds: { low: ByWeight; high: ByWeight } | null; // of what is alive; null where it is exact
    layers: Layer[]; // the one that holds most first
}

function layersOf(raw: SeriesAnswer): Layer[] {
    const { function: names = [], file: files = [], live_bytes, live_objects } = raw.functions ?? {};
    const [bytes, objects] = [Array.from(numbersOf(live_bytes)), Array.from(numbersOf(live_objects))];
    const steps = bytes.length / Math.max(1, names.length);
    const part = (list: number[], i: number) => list.slice(i * steps, (i + 1) * steps);
    return names.map((name, i) => ({ function: name, file: files[i] ?? null, live: { bytes: part(bytes, i), objects: part(objects, i) } }));
}

function seriesOf(raw: never): Series {
    const answer = raw as SeriesAnswer;
    const { steps, bounds } = answer;
    const list = (column: Parameters<typeof numbersOf>[0]) => Array.from(numbersOf(column));
    return {
        from_us: answer.from_us,
        to_us: answer.to_us,
        highest: { bytes: answer.highest_bytes, objects: answer.highest_objects },
        live: { bytes: list(steps.live_bytes), objects: list(steps.live_objects) },
        allocated: { bytes: list(steps.allocated_bytes), objects: list(steps.allocated_objects) },
        bounds: bounds ? { low: { bytes: list(bounds.live_bytes_low), objects: list(bounds.live_objects_low) }, high: { bytes: list(bounds.live_bytes_high), objects: list(bounds.live_objects_high) } } : null,
        layers: layersOf(answer),
    };
}

// Where the timeline ends: with the longer of the two runs that are compared.
export function endOf(about: Shown): number {
    return Math.max(about.duration_us ?? 0, about.base?.duration_us ?? 0) + 1;
}

// Of a file, "base" for what it is compared with, which is looked at in the same times.
export function useSeries(about: Shown, filter: string | null, file: number | string, from = 0, to = 0): Asked<Series> {
    const url = question("/api/answer", {
        report: "timeline",
        form: "columns",
        columns: "live_bytes,live_objects,allocated_bytes,allocated_objects,live_bytes_low,live_bytes_high,live_objects_low,live_objects_high,share,function,file",
        "by-function": STACKED,
        file: file || "",
        filter: filter ?? "",
        steps: STEPS,
        from: from ? `${from}us` : "",
        to: `${to || endOf(about)}us`,
    });
    return useAnswer(filter === null || about.kind !== "trace" ? null : url, about.generation, seriesOf);
}

// The part of a run of `end` microseconds that is seen; null for all of it.
export function timesOf(text: string, end: number): [number, number] | null {
    const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text);
    const [from, to] = found ? [Number(found[1]), Math.min(Number(found[2]), end)] : [0, 0];
    return from < to && (from > 0 || to < end) ? [from, to] : null;
}

export function weightOf(state: State): Weight {
    return state.weight === "objects" ? "objects" : "bytes";
}
