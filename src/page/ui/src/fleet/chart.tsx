// Services over time: a line for each of the heaviest, everything as a quiet area behind them.  Dragging chooses a range.

import { useRef } from "preact/hooks";
import { value } from "../format";
import type { Painter } from "../painter";
import { Picture } from "../picture";
import type { Theme } from "../theme";
import type { Service, Services } from "./answers";
import { colourOf, COLOURED } from "./colours";
import { axisOf, moment } from "./times";

const HEIGHT = 240;
const TOP = 16;
const BOTTOM = 18;

export interface ChartProps {
    answer: Services;
    rate: boolean; // what is allocated a second; else what is in use
    theme: Theme;
    chosen: string; // the row that stands out; "" for none
    range: [number, number] | null; // seconds
    base: [number, number] | null;
    setRange: (range: [number, number] | null) => void;
    file: string;
}

// The values that are drawn of a row: bytes a second, or bytes.
export function valuesOf(answer: Services, row: Service, rate: boolean): number[] {
    const seconds = ((answer.to_us - answer.from_us) * 1e-6) / Math.max(1, row.allocated_by_step.length);
    return rate ? row.allocated_by_step.map((bytes) => bytes / seconds) : row.in_use_by_step;
}

export function shown(amount: number, rate: boolean): string {
    return value(amount, "bytes") + (rate ? "/s" : "");
}

export function Chart({ answer, rate, theme, chosen, range, base, setRange, file }: ChartProps) {
    const dragging = useRef<{ from: number; to: number } | null>(null);
    const rows = answer.services.map((row) => valuesOf(answer, row, rate));
    const count = rows[0]?.length ?? 0;
    const sums = Array.from({ length: count }, (_, step) => rows.reduce((sum, values) => sum + values[step], 0));
    const most = Math.max(1, ...sums);
    const [from, to] = [answer.from_us * 1e-6, answer.to_us * 1e-6];
    const x = (seconds: number, width: number) => ((seconds - from) / (to - from)) * width;
    const time = (at: number, width: number) => from + Math.max(0, Math.min(1, at / width)) * (to - from);
    const y = (amount: number) => HEIGHT - BOTTOM - (amount / most) * (HEIGHT - BOTTOM - TOP);

    const line = (values: number[], width: number) => values.flatMap((amount, i) => [((i + 0.5) / values.length) * width, y(amount)]);
    const shade = (painter: Painter, width: number, part: [number, number], dash?: number[]) => {
        const [left, right] = [x(part[0], width), x(part[1], width)];
        for (const at of [left, right]) painter.path([at, 0, at, HEIGHT - BOTTOM], { stroke: theme.accent, width: 1.5, dash });
        painter.rect(left, HEIGHT - BOTTOM - 3, Math.max(1, right - left), 3, theme.accent);
    };
    const draw = (painter: Painter, { width }: { width: number }) => {
        const floor = HEIGHT - BOTTOM;
        if (count > 0) {
            const top = line(sums, width);
            painter.path([0, floor, 0, top[1], ...top, width, top[top.length - 1], width, floor], { fill: theme.name === "dark" ? "#2a2724" : "#efebe4" });
            painter.path([0, top[1], ...top, width, top[top.length - 1]], { stroke: theme.line });
        }
        rows.slice(0, COLOURED).forEach((values, i) => {
            const stands = answer.services[i].name === chosen;
            painter.path(line(values, width), { stroke: colourOf(theme, i), width: stands ? 3 : chosen ? 1 : 1.75 });
        });
        painter.path([0, floor + 0.5, width, floor + 0.5], { stroke: theme.line });
        painter.text(3, 8, shown(most, rate), { fill: theme.quiet, size: 10 });
        for (const { at, text } of axisOf(from, to, width)) {
            const place = x(at, width);
            painter.path([place, floor, place, floor + 4], { stroke: theme.quiet });
            if (place > 24 && place < width - 24) painter.text(place, HEIGHT - 7, text, { fill: theme.quiet, size: 10, align: "center" });
        }
        if (base) shade(painter, width, base, [4, 3]);
        if (range) shade(painter, width, range);
        const now = dragging.current;
        if (now) shade(painter, width, [Math.min(now.from, now.to), Math.max(now.from, now.to)]);
    };

    const drag = (phase: "down" | "move" | "up", at: number, _y: number, width: number): boolean => {
        const seconds = time(at, width);
        if (phase === "down") dragging.current = { from: seconds, to: seconds };
        else if (dragging.current) dragging.current.to = seconds;
        if (phase === "up" && dragging.current) {
            const [begin, end] = [Math.min(dragging.current.from, dragging.current.to), Math.max(dragging.current.from, dragging.current.to)];
            dragging.current = null;
            if (end - begin > ((to - from) / width) * 3) setRange([begin, end]);
        }
        return true;
    };
    // The keys move and widen the range by a fortieth of what is seen.
    const key = (event: KeyboardEvent) => {
        const by = { ArrowLeft: -1, h: -1, ArrowRight: 1, l: 1 }[event.key];
        const [begin, end] = range ?? [from + (to - from) / 4, from + (to - from) / 2];
        const move = ((by ?? 0) * (to - from)) / 40;
        if (event.key === "Escape") setRange(null);
        else if (event.key === "Enter") setRange([begin, end]);
        else if (by) setRange([Math.max(from, begin + (event.shiftKey ? 0 : move)), Math.min(to, Math.max(begin + 1, end + move))]);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const tip = (step: number) => (
        <>
            <strong>{moment(from + ((step + 0.5) * (to - from)) / count)}</strong>
            <br />
            all: {shown(sums[step], rate)}
            {answer.services.slice(0, COLOURED).map((row, i) => <div key={row.name}><Swatch colour={colourOf(theme, i)} /> {row.name || "(none)"}: {shown(rows[i][step], rate)}</div>)}
        </>
    );
    return (
        <Picture
            label={`${rate ? "Allocated a second" : "In use"} over time, by ${answer.label}; dragging, or Enter and the arrows, choose a range`}
            file={file}
            theme={theme}
            height={() => HEIGHT}
            draw={draw}
            hit={(at, _y, width) => (count > 0 ? Math.max(0, Math.min(count - 1, Math.floor((at / width) * count))) : -1)}
            tip={tip}
            drag={drag}
            onKey={key}
            tall
        >
            <span class="quiet">{moment(from)} to {moment(to)}, times of this browser; the area is all rows together</span>
        </Picture>
    );
}

export function Swatch({ colour }: { colour: string }) {
    return (
        <svg class="swatch" width="10" height="10" aria-hidden="true">
            <rect width="10" height="10" rx="2" fill={colour} />
        </svg>
    );
}
