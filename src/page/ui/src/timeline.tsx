// Live bytes over time: everything as a quiet area, what the filter leaves over it, and how fast is
// allocated.  Dragging chooses a time range, which becomes a clause of the filter.

import { useMemo, useRef, useState } from "preact/hooks";
import { isReport, question, useAnswer } from "./api";
import { numbersOf } from "./columns";
import { withClause } from "./details";
import { duration, timeOfDay, value } from "./format";
import { letterWidth, type Painter } from "./painter";
import { Picture } from "./picture";
import type { SeriesAnswer, Shown } from "./types";
import type { ViewProps } from "./view";

const HEIGHT = 132;
const TOP = 16;
const BOTTOM = 16;
const RATE_HEIGHT = 26;
const STEPS = 600;

// By step.
interface Series {
    from_us: number;
    to_us: number;
    highest: Record<Weight, number>;
    live: Record<Weight, number[]>;
    allocated: Record<Weight, number[]>;
}

type Weight = "bytes" | "objects";

function seriesOf(raw: never): Series {
    const { steps, ...answer } = raw as SeriesAnswer;
    const of = (what: "live" | "allocated") => ({ bytes: Array.from(numbersOf(steps[`${what}_bytes`])), objects: Array.from(numbersOf(steps[`${what}_objects`])) });
    return { from_us: answer.from_us, to_us: answer.to_us, highest: { bytes: answer.highest_bytes, objects: answer.highest_objects }, live: of("live"), allocated: of("allocated") };
}

// Of a file, "base" for what it is compared with, which is looked at in the same times.
function seriesQuestion(about: Shown, filter: string, file: number | string, from: number, to: number): string {
    return question("/api/answer", {
        report: "timeline",
        form: "columns",
        columns: "live_bytes,live_objects,allocated_bytes,allocated_objects",
        file: file || "",
        filter,
        steps: STEPS,
        from: from ? `${from}us` : "",
        to: `${to || (about.duration_us ?? 0) + 1}us`,
    });
}

// The range that the filter's clause `live-at` or `allocated` names, for showing it; seconds.
export function rangeOf(filter: string, word: string): [number, number] | null {
    const found = new RegExp(`(?:^|\\s)${word}=([0-9.]+)s?\\.\\.([0-9.]+)s?(?=\\s|$)`).exec(filter);
    return found ? [Number(found[1]), Number(found[2])] : null;
}

export function withRange(filter: string, word: string, range: [number, number] | null): string {
    const rest = filter.replace(new RegExp(`(^|\\s)${word}=\\S*`, "g"), "").trim();
    return range ? withClause(rest, `${word}=${range[0]}s..${range[1]}s`) : rest;
}

// The part of a run of `end` microseconds that is seen; null for all of it.
export function timesOf(text: string, end: number): [number, number] | null {
    const found = /^(\d{1,15})\.\.(\d{1,15})$/.exec(text);
    const [from, to] = found ? [Number(found[1]), Math.min(Number(found[2]), end)] : [0, 0];
    return from < to && (from > 0 || to < end) ? [from, to] : null;
}

// Seconds, as short as the picture's width deserves.
function rounded(microseconds: number, span: number): number {
    const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10((span * 1e-6) / 2000))));
    return Number((microseconds * 1e-6).toFixed(digits));
}

// Where the axis has marks, in seconds, and how far they are apart.  `begin` is what 0 stands for: the
// time of day, where that is to be round.
function ticks(from: number, to: number, width: number, begin = 0): { list: number[]; step: number } {
    const wanted = Math.max(2, width / 110);
    const step = 10 ** Math.floor(Math.log10((to - from) / wanted));
    const sizes = begin && step >= 10 ? [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400] : [1, 2, 5, 10].map((factor) => factor * step);
    const nice = sizes.find((size) => (to - from) / size <= wanted) ?? 10 * step;
    const list: number[] = [];
    for (let at = Math.ceil((from + begin) / nice) * nice - begin; at <= to; at += nice) list.push(at);
    return { list, step: nice };
}

// The start in milliseconds, and how many seconds it comes after midnight.
function clockOf(startUs: number): { start: number; midnight: number } {
    const start = startUs / 1000;
    return { start, midnight: (start - new Date(start).setHours(0, 0, 0, 0)) / 1000 };
}

type Word = "live-at" | "allocated";

export function Timeline({ about, state, navigate, theme }: ViewProps) {
    const zoom = useMemo(() => timesOf(state.times, (about.duration_us ?? 0) + 1), [state.times, about.duration_us]);
    const setZoom = (range: [number, number] | null) => navigate({ times: range ? range.join("..") : "" }, true);
    const [word, setWord] = useState<Word>("allocated");
    const dragging = useRef<{ from: number; to: number } | null>(null);
    const [from, to] = zoom ?? [0, 0];
    const filtered = state.filter !== "";
    const whole = useAnswer(seriesQuestion(about, "", state.file, from, to), about.generation, seriesOf);
    const part = useAnswer(filtered ? seriesQuestion(about, state.filter, state.file, from, to) : null, about.generation, seriesOf);
    const base = useAnswer(about.base?.kind === "trace" ? seriesQuestion(about, part.error ? "" : state.filter, "base", from, to) : null, about.generation, seriesOf);
    const all = whole.answer;
    const some = filtered && !part.error ? part.answer : null;
    if (!all) return <p class="quiet" role="status">{whole.error || "Counting…"}</p>;

    const unit = state.weight === "objects" ? "count" : "bytes";
    const clock = state.clock && about.start_us ? clockOf(about.start_us) : null;
    const weight = state.weight === "objects" ? "objects" : "bytes";
    const live = (series: Series) => series.live[weight];
    const rate = (series: Series) => series.allocated[weight];
    const span = all.to_us - all.from_us;
    const before = base.answer; // of the same selection
    const most = Math.max(1, ...live(all), ...(before ? live(before) : []), all.highest[weight]);
    const fastest = Math.max(1e-9, ...rate(all));
    const x = (us: number, width: number) => ((us - all.from_us) / span) * width;
    const us = (at: number, width: number) => all.from_us + Math.max(0, Math.min(1, at / width)) * span;
    const floor = HEIGHT - BOTTOM - RATE_HEIGHT;
    const y = (amount: number) => floor - (amount / most) * (floor - TOP);

    const area = (painter: Painter, width: number, series: Series, fill: string, stroke: string) => {
        const line: number[] = [];
        const values = live(series);
        values.forEach((amount, i) => line.push(((i + 1) / values.length) * width, y(amount)));
        painter.path([0, floor, 0, y(values[0] ?? 0), ...line, width, floor], { fill });
        painter.path([0, y(values[0] ?? 0), ...line], { stroke, width: 1.5 });
    };
    const bars = (painter: Painter, width: number, series: Series, fill: string) => {
        const values = rate(series);
        const wide = width / values.length;
        values.forEach((amount, i) => {
            const high = (amount / fastest) * (RATE_HEIGHT - 4);
            if (high > 0) painter.rect(i * wide, HEIGHT - BOTTOM - high, Math.max(0.6, wide - 0.3), high, fill);
        });
    };
    const mark = (painter: Painter, width: number, at: number, text: string) => {
        const place = x(at, width);
        if (place < 0 || place > width + 1) return;
        painter.path([place, TOP - 4, place, floor], { stroke: theme.accent, dash: [3, 3] });
        const left = place + letterWidth(10) * text.length + 4 < width;
        painter.text(left ? place + 3 : place - 3, 8, text, { fill: theme.accent, size: 10, align: left ? "left" : "right" });
    };
    const shade = (painter: Painter, width: number, range: [number, number]) => {
        const [left, right] = [x(range[0] * 1e6, width), x(range[1] * 1e6, width)];
        painter.path([left, 0, left, HEIGHT - BOTTOM], { stroke: theme.accent, width: 2 });
        painter.path([right, 0, right, HEIGHT - BOTTOM], { stroke: theme.accent, width: 2 });
        painter.rect(left, HEIGHT - BOTTOM - 3, Math.max(1, right - left), 3, theme.accent);
    };
    const draw = (painter: Painter, { width }: { width: number }) => {
        const pale = theme.name === "dark" ? "#3a3530" : "#e6e0d6";
        area(painter, width, all, pale, theme.quiet);
        bars(painter, width, all, theme.quiet);
        if (some) {
            area(painter, width, some, theme.name === "dark" ? "#7a451f" : "#f0b98c", theme.accent);
            bars(painter, width, some, theme.accent);
        }
        if (before) painter.path(live(before).flatMap((amount, i, list) => [((i + 1) / list.length) * width, y(amount)]), { stroke: theme.text, width: 1.5, dash: [5, 3] });
        const axis = ticks(all.from_us * 1e-6, all.to_us * 1e-6, width, clock ? clock.midnight : 0);
        for (const at of axis.list) {
            const place = x(at * 1e6, width);
            painter.path([place, HEIGHT - BOTTOM, place, HEIGHT - BOTTOM + 4], { stroke: theme.quiet });
            if (place > 20 && place < width - 26) painter.text(place, HEIGHT - 6, clock ? timeOfDay(clock.start + at * 1e3, axis.step) : duration(at), { fill: theme.quiet, size: 10, align: "center" });
        }
        painter.path([0, floor + 0.5, width, floor + 0.5], { stroke: theme.line });
        painter.text(3, 8, value(most, unit), { fill: theme.quiet, size: 10 });
        mark(painter, width, about.peak_us ?? 0, `peak ${value(about.peak_bytes ?? 0, "bytes")}`);
        const last = live(all);
        if (!zoom) {
            const text = `end ${value(last[last.length - 1], unit)}`;
            const line = y(last[last.length - 1]);
            const middle = line > floor / 2 + TOP ? line - 9 : line + 11;
            painter.rect(width - 5 - letterWidth(10) * text.length, middle - 6, letterWidth(10) * text.length + 4, 12, line > floor / 2 + TOP ? theme.background : pale);
            painter.text(width - 3, middle, text, { fill: theme.text, size: 10, align: "right" });
        }
        const chosen = rangeOf(state.filter, "allocated") ?? rangeOf(state.filter, "live-at");
        if (chosen) shade(painter, width, chosen);
        const now = dragging.current;
        if (now) shade(painter, width, [Math.min(now.from, now.to) * 1e-6, Math.max(now.from, now.to) * 1e-6]);
    };

    const choose = (begin: number, end: number) => {
        const range: [number, number] = [rounded(Math.min(begin, end), span), rounded(Math.max(begin, end), span)];
        if (range[1] > range[0]) navigate({ filter: withRange(withRange(state.filter, "allocated", null), word === "live-at" ? "live-at" : "allocated", range).replace(/\s+/g, " ").trim(), zoom: "" });
    };
    const drag = isReport ? undefined : (phase: "down" | "move" | "up", at: number, _y: number, width: number): boolean => {
        const time = us(at, width);
        if (phase === "down") dragging.current = { from: time, to: time };
        else if (dragging.current) dragging.current.to = time;
        if (phase === "up" && dragging.current) {
            const { from: begin, to: end } = dragging.current;
            dragging.current = null;
            if (Math.abs(end - begin) > (span / width) * 3) choose(begin, end);
        }
        return true;
    };
    const wheel = (event: WheelEvent, at: number, _y: number, width: number): boolean => {
        if (isReport || (!event.ctrlKey && !event.shiftKey)) return false;
        const centre = us(at, width);
        const factor = event.deltaY + event.deltaX > 0 ? 1.5 : 1 / 1.5;
        const end = (about.duration_us ?? 0) + 1;
        const left = Math.max(0, Math.round(centre - (centre - all.from_us) * factor));
        const right = Math.min(end, Math.round(centre + (all.to_us - centre) * factor));
        setZoom(left <= 0 && right >= end ? null : right - left < 100 ? zoom : [left, right]);
        return true;
    };
    // The keys move and widen the chosen range by a fortieth of what is seen.
    const key = (event: KeyboardEvent) => {
        const chosen = rangeOf(state.filter, word) ?? [all.from_us * 1e-6 + (span * 1e-6) / 4, all.from_us * 1e-6 + (span * 1e-6) / 2];
        const by = { ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1 }[event.key];
        if (event.key === "Escape") navigate({ filter: withRange(withRange(state.filter, "allocated", null), "live-at", null) });
        else if (event.key === "Enter") choose(chosen[0] * 1e6, chosen[1] * 1e6);
        else if (by) {
            const move = (by * span) / 40;
            choose(chosen[0] * 1e6 + (event.shiftKey ? 0 : move), chosen[1] * 1e6 + move);
        } else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const at = (item: number) => {
        const index = Math.min(live(all).length - 1, item);
        const time = all.from_us + (span * (index + 1)) / live(all).length;
        return (
            <>
                <strong>{duration(time * 1e-6)}</strong>{clock && ` (${timeOfDay(clock.start + time * 1e-3, 1e-3)})`}
                <div>alive {value(live(all)[index], unit)}</div>
                {some && <div>of the selection {value(live(some)[index] ?? 0, unit)}</div>}
                {before && <div>in the base, dashed, {value(live(before)[index] ?? 0, unit)}</div>}
                <div>allocated {value((rate(all)[index] * live(all).length) / (span * 1e-6), unit)}/s</div>
            </>
        );
    };
    return (
        <section class="timeline" aria-label="Timeline" data-steps={live(all).length} aria-busy={whole.waiting || part.waiting}>
            <Picture label="Live memory over time; drag, or Enter and arrows, to choose a time" file={`heaptap-${about.name}-timeline`} theme={theme} height={() => HEIGHT}
                draw={draw} drag={drag} wheel={wheel} onKey={isReport ? undefined : key} tall hit={(at, _y, width) => Math.floor((at / width) * live(all).length)} tip={at}>
                {isReport ? null : <label>
                    <span class="quiet">Dragging chooses what was </span>
                    <select id="brush" value={word} onChange={(event) => setWord(event.currentTarget.value as Word)}>
                        <option value="allocated">allocated then</option>
                        <option value="live-at">alive then</option>
                    </select>
                </label>}{" "}
                {!isReport && <button type="button" onClick={() => navigate({ filter: withRange(withRange(state.filter, "allocated", null), "live-at", null), zoom: "" })}>All times</button>}{" "}
                {about.start_us ? (
                    <label class="field check">
                        <input id="clock" type="checkbox" checked={state.clock} onChange={(event) => navigate({ clock: event.currentTarget.checked })} />
                        <span>time of day</span>
                    </label>
                ) : null}{" "}
                {zoom && <button type="button" onClick={() => setZoom(null)}>Whole timeline</button>}
                {part.error && filtered && <span class="grew" role="alert"> {part.error}</span>}
            </Picture>
        </section>
    );
}
