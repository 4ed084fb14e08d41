// What is alive over time, stacked by the functions of one's own that hold most, in their colours, under the curve of all with its
// bounds; and how fast is allocated.  A click asks for what was alive then, dragging chooses a range: clauses of the filter.

import { useMemo, useRef, useState } from "preact/hooks";
import { isReport } from "./api";
import type { Palette } from "./colours";
import { say } from "./files";
import { duration, timeOfDay, value } from "./format";
import { letterWidth, type Painter } from "./painter";
import { Picture } from "./picture";
import { useSpareHeight } from "./room";
import { endOf, type Layer, type Series, timesOf, useSeries, weightOf } from "./series";
import { clockOf, momentOf, rangeOf, rounded, ticks, withMoment, withoutTimes, withRange } from "./times";
import type { Theme } from "./theme";
import type { ViewProps } from "./view";

const HEIGHT = 142; // in a window of usual height
const TOP = 16;
const BOTTOM = 16;
const RATE_HEIGHT = 24;
const CLICK = 3; // pixels that a pointer may move in one

type Word = "live-at" | "allocated";

// The tops of areas that stand on each other, the first layer at the bottom; what no layer has is the rest.
function stacked(layers: Layer[], of: (layer: Layer) => number[]): number[][] {
    const sums: number[][] = [];
    layers.forEach((layer, i) => sums.push(of(layer).map((amount, step) => amount + (i > 0 ? sums[i - 1][step] : 0))));
    return sums;
}

// Where a label has room above a curve of these heights, or else below it; null where neither is.
function besideCurve(heights: number[], floor: number): number | null {
    const above = Math.min(...heights) - 9;
    if (above > TOP + 4) return above;
    return Math.max(...heights) + 9 < floor - 6 ? floor - 9 : null;
}

function Legend({ layers, palette, theme, choose }: { layers: Layer[]; palette: Palette; theme: Theme; choose: (layer: Layer) => void }) {
    const swatch = (fill: string) => <svg class="swatch" width="11" height="11" aria-hidden="true"><rect width="11" height="11" fill={fill} stroke={theme.quiet} /></svg>;
    return (
        <span class="legend" role="group" aria-label="Functions that hold most, libraries left out">
            {layers.map((layer) => (
                <button type="button" key={`${layer.function} ${layer.file}`} class="link" title={`${layer.function}${layer.file ? ` in ${layer.file}` : ""}: show it at the side`} onClick={() => choose(layer)}>
                    {swatch(palette.fill(theme, layer.function, layer.file))} <span class="legend-name">{layer.function}</span>
                </button>
            ))}
            <span class="quiet">{swatch(theme.own[0])} all others</span>
        </span>
    );
}

export function Timeline({ about, state, navigate, theme, palette }: ViewProps) {
    const end = endOf(about);
    const zoom = useMemo(() => timesOf(state.times, end), [state.times, end]);
    const setZoom = (range: [number, number] | null) => navigate({ times: range ? range.join("..") : "" }, true);
    const [word, setWord] = useState<Word>("allocated");
    const dragging = useRef<{ from: number; to: number; x: number } | null>(null);
    const tall = HEIGHT + Math.round(0.4 * useSpareHeight());
    const floor = tall - BOTTOM - RATE_HEIGHT;
    const [from, to] = zoom ?? [0, 0];
    const filtered = state.filter !== "";
    const whole = useSeries(about, "", state.file, from, to);
    const part = useSeries(about, filtered ? state.filter : null, state.file, from, to);
    const base = useSeries(about, about.base?.kind === "trace" ? (part.error ? "" : state.filter) : null, "base", from, to);
    const all = whole.answer;
    const some = filtered && !part.error ? part.answer : null;
    if (!all) return <p class="quiet timeline" role="status">{whole.error || "Counting…"}</p>;

    const weight = weightOf(state);
    const unit = weight === "objects" ? "count" : "bytes";
    const clock = state.clock && about.start_us ? clockOf(about.start_us) : null;
    const live = (series: Series) => series.live[weight];
    const rate = (series: Series) => series.allocated[weight];
    const shown = some ?? all;
    const tops = stacked(shown.layers, (layer) => layer.live[weight]);
    const span = all.to_us - all.from_us;
    const before = base.answer; // of the same selection
    const high = all.bounds?.high[weight] ?? [];
    const most = Math.max(1, ...live(all), ...high, ...(before ? live(before) : []), all.highest[weight]);
    const fastest = Math.max(1e-9, ...rate(all));
    const x = (us: number, width: number) => ((us - all.from_us) / span) * width;
    const us = (at: number, width: number) => all.from_us + Math.max(0, Math.min(1, at / width)) * span;
    const y = (amount: number) => floor - (amount / most) * (floor - TOP);

    const steps = live(all).length;
    const ended = Math.max(1, Math.min(steps, Math.ceil((((about.duration_us ?? 0) + 1 - all.from_us) / span) * steps))); // before the base's end, perhaps
    const line = (values: number[], width: number, until = ended) => [0, y(values[0] ?? 0), ...values.slice(0, until).flatMap((amount, i) => [((i + 1) / values.length) * width, y(amount)])];
    const area = (painter: Painter, width: number, values: number[], fill: string) => painter.path([0, floor, ...line(values, width), (ended / steps) * width, floor], { fill });
    const bars = (painter: Painter, width: number, series: Series, fill: string) => {
        const values = rate(series);
        const wide = width / values.length;
        values.forEach((amount, i) => {
            const bar = (amount / fastest) * (RATE_HEIGHT - 4);
            if (bar > 0) painter.rect(i * wide, tall - BOTTOM - bar, Math.max(0.6, wide - 0.3), bar, fill);
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
        for (const edge of [left, right]) painter.path([edge, 0, edge, tall - BOTTOM], { stroke: theme.accent, width: 2 });
        painter.rect(left, tall - BOTTOM - 3, Math.max(1, right - left), 3, theme.accent);
    };
    const draw = (painter: Painter, { width }: { width: number }) => {
        if (some) area(painter, width, live(all), theme.surface);
        bars(painter, width, all, some ? theme.line : theme.quiet);
        if (some) bars(painter, width, some, theme.text);
        area(painter, width, live(shown), theme.own[0]);
        for (let i = tops.length - 1; i >= 0; i--) area(painter, width, tops[i], palette.fill(theme, shown.layers[i].function, shown.layers[i].file));
        const bounds = shown.bounds;
        if (bounds) {
            const low = line(bounds.low[weight], width);
            const back = [];
            for (let i = low.length - 2; i >= 0; i -= 2) back.push(low[i], low[i + 1]);
            painter.path([...line(bounds.high[weight], width), ...back], { fill: theme.band });
        }
        if (some) painter.path(line(live(all), width), { stroke: theme.quiet, width: 1 });
        painter.path(line(live(shown), width), { stroke: theme.text, width: 1.2 });
        if (before) painter.path(line(live(before), width, steps), { stroke: theme.text, width: 1.5, dash: [5, 3] });
        const axis = ticks(all.from_us * 1e-6, all.to_us * 1e-6, width, clock ? clock.midnight : 0);
        for (const at of axis.list) {
            const place = x(at * 1e6, width);
            painter.path([place, tall - BOTTOM, place, tall - BOTTOM + 4], { stroke: theme.quiet });
            if (place > 20 && place < width - 26) painter.text(place, tall - 6, clock ? timeOfDay(clock.start + at * 1e3, axis.step) : duration(at), { fill: theme.quiet, size: 10, align: "center" });
        }
        painter.path([0, floor + 0.5, width, floor + 0.5], { stroke: theme.line });
        painter.text(3, 8, value(most, unit), { fill: theme.quiet, size: 10 });
        mark(painter, width, about.peak_us ?? 0, `peak ${value(about.peak_bytes ?? 0, "bytes")}${filtered ? " of all" : ""}`);
        const last = live(all);
        if (!zoom && last.length > 0) {
            const text = `end ${value(last[last.length - 1], unit)}`;
            const wide = letterWidth(10) * text.length + 4;
            const edge = Math.max(wide + 2, (ended / steps) * width);
            const middle = besideCurve([live(all), live(shown), high].map((values) => values.slice(0, ended).slice(-Math.ceil((wide / width) * steps) - 1).map(y)).flat(), floor);
            if (middle !== null) {
                painter.rect(edge - wide - 2, middle - 6, wide, 12, theme.background);
                painter.text(edge - 4, middle, text, { fill: theme.text, size: 10, align: "right" });
            }
        }
        const chosen = rangeOf(state.filter, "allocated") ?? rangeOf(state.filter, "live-at");
        const moment = momentOf(state.filter);
        if (chosen) shade(painter, width, chosen);
        if (moment !== null) shade(painter, width, [moment, moment]);
        const now = dragging.current;
        if (now && Math.abs(now.to - now.from) > 0) shade(painter, width, [Math.min(now.from, now.to) * 1e-6, Math.max(now.from, now.to) * 1e-6]);
    };

    const clear = () => navigate({ filter: withoutTimes(state.filter), zoom: "" });
    const chooseRange = (begin: number, until: number) => {
        const range: [number, number] = [rounded(Math.min(begin, until), span), rounded(Math.max(begin, until), span)];
        if (range[1] > range[0]) navigate({ filter: withRange(state.filter, word, range), zoom: "" });
    };
    const chooseMoment = (time: number) => navigate({ filter: withMoment(state.filter, rounded(Math.max(all.from_us, Math.min(end - 1, time)), span)), zoom: "" });
    const drag = (phase: "down" | "move" | "up", at: number, _y: number, width: number): boolean => {
        const time = us(at, width);
        const now = dragging.current;
        if (isReport) {
            if (phase === "down") say("A written page has no other times than those of its selections; heaptap view answers any.");
            return false;
        }
        if (phase === "down") dragging.current = { from: time, to: time, x: at };
        else if (now) now.to = time;
        if (phase === "up" && now) {
            dragging.current = null;
            if (Math.abs(at - now.x) > CLICK) chooseRange(now.from, now.to);
            else chooseMoment(time);
        }
        return true;
    };
    const wheel = (event: WheelEvent, at: number, _y: number, width: number): boolean => {
        if (isReport || (!event.ctrlKey && !event.shiftKey)) return false;
        const centre = us(at, width);
        const factor = event.deltaY + event.deltaX > 0 ? 1.5 : 1 / 1.5;
        const left = Math.max(0, Math.round(centre - (centre - all.from_us) * factor));
        const right = Math.min(end, Math.round(centre + (all.to_us - centre) * factor));
        setZoom(left <= 0 && right >= end ? null : right - left < 100 ? zoom : [left, right]);
        return true;
    };
    // The arrows move the moment or the range by a fortieth of what is seen; with Shift they widen it.
    const key = (event: KeyboardEvent) => {
        const range = rangeOf(state.filter, "allocated") ?? rangeOf(state.filter, "live-at");
        const moment = (momentOf(state.filter) ?? (about.peak_us ?? 0) * 1e-6) * 1e6;
        const [begin, until] = range ? [range[0] * 1e6, range[1] * 1e6] : [moment, moment];
        const move = (({ ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1 })[event.key] ?? 0) * (span / 40);
        if (event.key === "Escape") clear();
        else if (event.key === "Enter") chooseMoment(moment);
        else if (move && event.shiftKey) chooseRange(begin, until + move);
        else if (move && range) chooseRange(begin + move, until + move);
        else if (move) chooseMoment(moment + move);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const tip = (item: number) => {
        const index = Math.min(live(all).length - 1, item);
        const time = all.from_us + (span * (index + 1)) / live(all).length;
        return (
            <>
                <strong>{duration(time * 1e-6)}</strong>{clock && ` (${timeOfDay(clock.start + time * 1e-3, 1e-3)})`}
                <div>alive {value(live(all)[index], unit)}{all.bounds && <span class="quiet"> ({value(all.bounds.low[weight][index], unit)} to {value(all.bounds.high[weight][index], unit)})</span>}</div>
                {some && <div>of the selection {value(live(some)[index] ?? 0, unit)}</div>}
                {shown.layers.map((layer) => layer.live[weight][index] > 0 && <div key={layer.function} class="quiet">{layer.function} {value(layer.live[weight][index], unit)}</div>)}
                {before && <div>in the base, dashed, {value(live(before)[index] ?? 0, unit)}</div>}
                <div>allocated {value((rate(all)[index] * live(all).length) / (span * 1e-6), unit)}/s</div>
            </>
        );
    };
    const hasTimes = momentOf(state.filter) !== null || withoutTimes(state.filter) !== state.filter.trim();
    return (
        <section class="timeline" aria-label="Timeline" data-steps={steps} data-to={all.to_us} data-layers={shown.layers.length} aria-busy={whole.waiting || part.waiting}>
            <Picture label={isReport ? "Live memory over time, by function" : "Live memory over time, by function; a click, or arrows, ask for what was alive then; dragging, or Shift and arrows, choose a range"} file={`heaptap-${about.name}-timeline`} theme={theme} height={() => tall}
                draw={draw} drag={drag} wheel={wheel} onKey={isReport ? undefined : key} tall hit={(at, _y, width) => Math.floor((at / width) * live(all).length)} tip={tip}>
                <Legend layers={shown.layers} palette={palette} theme={theme} choose={(layer) => navigate({ function: layer.function, of: layer.file ?? "" })} />{" "}
                {all.bounds && <span class="quiet">shaded: 95 % bounds ·</span>}{" "}
                {isReport ? <span class="quiet">a written page can't choose other times</span> : <label>
                    <span class="quiet"><span class="hide-narrow">{!all.bounds && "· "}Click: alive then. </span>Drag: </span>
                    <select id="brush" value={word} onChange={(event) => setWord(event.currentTarget.value as Word)}>
                        <option value="allocated">allocated then</option>
                        <option value="live-at">alive then</option>
                    </select>
                </label>}{" "}
                {!isReport && hasTimes && <button type="button" onClick={clear}>All times</button>}{" "}
                {about.start_us ? (
                    <label class="field check">
                        <input id="clock" type="checkbox" checked={state.clock} onChange={(event) => navigate({ clock: event.currentTarget.checked })} />
                        <span>time of day</span>
                    </label>
                ) : null}{" "}
                {zoom && <button type="button" onClick={() => setZoom(null)}>Whole timeline</button>}
                {part.error && filtered && !part.failure?.isOfFilter && <span class="grew" role="alert"> {part.error}</span>}
            </Picture>
        </section>
    );
}
