// The directed graph, by pprof's rules: letters as large as what a function allocates itself, lines as
// thick as what comes along them, dotted where functions between were left out.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isReport, useAnswer } from "./api";
import { percent, value } from "./format";
import { nodeName } from "./functions";
import type { GraphPlace, GraphShape } from "./layout";
import { letterWidth, type Painter } from "./painter";
import { Picture } from "./picture";
import { usePictureHeight } from "./room";
import { graphOf, reportQuestion } from "./report-answer";
import { pattern } from "./search";
import { changeFill, changeStroke, type Theme } from "./theme";
import { defaults } from "./state";
import type { GraphAnswer, GraphEdge, GraphNode } from "./types";
import { doubtOf, useVerdicts, VerdictLine } from "./verdicts";
import { unitOf, type ViewProps } from "./view";

type LayoutFunction = (shape: GraphShape) => Promise<GraphPlace>;

let loading: Promise<LayoutFunction> | null = null;

// The layout is a script of its own, fetched when the first graph is looked at; a report has it inside.
function loadLayout(): Promise<LayoutFunction> {
    loading ??= new Promise((done, fail) => {
        const script = document.createElement("script");
        const ready = () => done((window as unknown as { heaptapLayout: LayoutFunction }).heaptapLayout);
        if (isReport) {
            script.textContent = document.getElementById("layout")?.textContent ?? "";
            document.head.append(script);
            ready();
            return;
        }
        script.src = "layout.js";
        script.onload = ready;
        script.onerror = () => fail(new Error("The graph's layout could not be loaded: heaptap view has ended?"));
        document.head.append(script);
    });
    return loading;
}

const graphColumns = "name,function,file,line,flat,cum,base_flat,base_cum,from,to,weight,residual,inlined,base_weight";

interface Laid {
    answer: GraphAnswer;
    place: GraphPlace;
    sizes: number[]; // of letters, by node
    lines: string[][];
}

function short(name: string): string[] {
    const parts = name.split(/(?<=\.|::|\/)/);
    const lines: string[] = [""];
    for (const part of parts) {
        if (lines[lines.length - 1].length + part.length > 26 && lines[lines.length - 1]) lines.push("");
        lines[lines.length - 1] += part;
    }
    return lines.map((line) => (line.length > 34 ? line.slice(0, 33) + "…" : line));
}

// What an edge weighs in either file, at most.
function heft(edge: GraphEdge): number {
    return Math.max(Math.abs(edge.weight), Math.abs(edge.base_weight ?? 0));
}

function changeText(before: number, after: number, unit: string): string {
    return after === 0 ? `gone, was ${value(before, unit)}` : before === 0 ? "new" : `${after > before ? "+" : "−"}${value(Math.abs(after - before), unit)}`;
}

function shapeOf(answer: GraphAnswer, unit: string): { shape: GraphShape; sizes: number[]; lines: string[][] } {
    const flat = (node: GraphNode) => Math.max(Math.abs(node.flat), Math.abs(node.base_flat ?? 0));
    const most = Math.max(1e-9, ...answer.nodes.map(flat));
    const sizes = answer.nodes.map((node) => 10 + Math.ceil(12 * Math.sqrt(flat(node) / most)));
    const lines = answer.nodes.map((node) => [
        ...short(nodeName(node) || "<unknown>"),
        node.flat === 0 ? "0" : `${value(node.flat, unit)} (${percent(node.flat, answer.total)})`,
        ...(node.cum !== node.flat ? [`of ${value(node.cum, unit)} (${percent(node.cum, answer.total)})`] : []),
        ...(node.base_cum !== undefined && node.base_cum !== node.cum ? [changeText(node.base_cum, node.cum, unit)] : []),
    ]);
    const nodes = answer.nodes.map((_, i) => ({
        width: Math.max(...lines[i].map((line) => line.length)) * letterWidth(sizes[i]) + 14,
        height: lines[i].length * sizes[i] * 1.25 + 10,
    }));
    const whole = Math.max(answer.total, answer.base_total ?? 0) || 1;
    const edges = answer.edges.map((edge) => ({ from: edge.from, to: edge.to, weight: 1 + Math.min(100, (100 * heft(edge)) / whole) }));
    return { shape: { nodes, edges }, sizes, lines };
}

// From grey to red with the share of everything, saturating as pprof's does.
function heat(theme: Theme, node: GraphNode, total: number, compares: boolean, doubt: string | undefined): string {
    if (doubt) return theme.unknown;
    if (compares) return changeFill(theme, node.base_cum ?? 0, node.cum);
    const share = total ? Math.pow(Math.min(1, Math.abs(node.cum / total)), 0.3) : 0;
    return theme.name === "light" ? `hsl(20 ${Math.round(80 * share)}% ${Math.round(94 - 10 * share)}%)` : `hsl(20 ${Math.round(55 * share)}% ${Math.round(17 + 10 * share)}%)`;
}

export function Graph(props: ViewProps) {
    const { about, state, navigate, theme } = props;
    const unit = unitOf(about, state);
    const [most, setMost] = useState(40);
    const asked = useAnswer(reportQuestion(about, state, "graph", { "node-count": most, "no-labels": true, columns: graphColumns }, isReport ? defaults.grain : state.grain), about.generation, graphOf(about, state), state.weight);
    const [laid, setLaid] = useState<Laid | null>(null);
    const [error, setError] = useState("");
    const [at, setAt] = useState(-1);
    const [, again] = useState(0);
    const view = useRef({ x: 0, y: 0, scale: 0 });
    const dragStart = useRef({ x: 0, y: 0 });
    const answer = asked.answer;
    const verdicts = useVerdicts(about, state, !!answer, isReport ? defaults.grain : state.grain);
    const doubt = (node: GraphNode) => doubtOf(verdicts, node.function || node.name, node.file, node.line);
    useEffect(() => {
        if (!answer) return;
        let over = false;
        const { shape, sizes, lines } = shapeOf(answer, unit);
        loadLayout()
            .then((layout) => layout(shape))
            .then(
                (place) => {
                    if (over) return;
                    view.current.scale = 0;
                    setLaid({ answer, place, sizes, lines });
                },
                (failure: Error) => setError(failure.message),
            );
        return () => void (over = true);
    }, [answer, unit]);
    const shapes = useMemo(() => (laid ? shapeOf(laid.answer, unit).shape : null), [laid]);
    const wanted = pattern(state.search);
    const height = usePictureHeight();
    useLayoutEffect(() => void (view.current.scale = 0), [height]); // fitted again
    if (asked.error || error) return <p class="remark" role="alert">{asked.error || error}</p>;
    if (!laid || !shapes) return <p class="quiet" role="status">Laying out the graph…</p>;
    const { place, sizes, lines } = laid;
    const { nodes, edges, total } = laid.answer;
    const top = place.nodes.reduce((best, node, i) => (node.y < place.nodes[best].y || (node.y === place.nodes[best].y && nodes[i].cum > nodes[best].cum) ? i : best), 0);
    const fitTo = (width: number) => {
        const scale = Math.min(1.2, width / place.width, height / place.height);
        const x = place.width * scale <= width ? (width - place.width * scale) / 2 : Math.min(0, Math.max(width - place.width * scale, width / 2 - place.nodes[top].x * scale));
        view.current = { scale, x, y: place.height * scale < height ? (height - place.height * scale) / 2 : 0 };
    };
    const heaviest = Math.max(1e-9, ...edges.map(heft));
    const whole = Math.max(total, laid.answer.base_total ?? 0) || 1;
    // Everything in the picture's own coordinates.
    const draw = (painter: Painter, { width }: { width: number }) => {
        if (!view.current.scale) fitTo(width);
        const { x, y, scale } = view.current;
        const to = (points: number[]) => points.map((coordinate, i) => coordinate * scale + (i % 2 ? y : x));
        edges.forEach((edge, i) => {
            const points = to(place.edges[i]);
            if (points.length < 4) return;
            const thick = (1 + Math.min((5 * heft(edge)) / whole, 5)) * Math.max(0.5, scale);
            const stroke = at === edge.from || at === edge.to ? theme.accent
                : edge.base_weight !== undefined && edge.base_weight !== edge.weight && !doubt(nodes[edge.from]) && !doubt(nodes[edge.to]) ? changeStroke(theme, edge.base_weight, edge.weight)
                : heft(edge) > heaviest / 4 ? theme.text : theme.quiet;
            painter.path(points, { stroke, width: thick, dash: edge.residual ? [3, 4] : undefined, curve: true });
            const end = points.length;
            const [ex, ey, px, py] = [points[end - 2], points[end - 1], points[end - 4], points[end - 3]];
            const angle = Math.atan2(ey - py, ex - px);
            const arm = 5 * Math.max(0.6, scale) + thick / 2;
            painter.path([ex, ey, ex - arm * Math.cos(angle - 0.45), ey - arm * Math.sin(angle - 0.45), ex - arm * Math.cos(angle + 0.45), ey - arm * Math.sin(angle + 0.45)], { fill: stroke });
        });
        nodes.forEach((node, i) => {
            const size = shapes.nodes[i];
            const left = (place.nodes[i].x - size.width / 2) * scale + x;
            const top = (place.nodes[i].y - size.height / 2) * scale + y;
            const matches = wanted && (wanted.test(node.function) || wanted.test(node.file ?? ""));
            painter.rect(left, top, size.width * scale, size.height * scale, matches ? theme.match : heat(theme, node, total, !!about.base, doubt(node)), i === at ? theme.accent : theme.quiet);
            lines[i].forEach((line, row) =>
                painter.text(left + (size.width * scale) / 2, top + (5 + (row + 0.5) * sizes[i] * 1.25) * scale, line, { fill: matches ? theme.background : theme.label, size: sizes[i] * scale, align: "center" }));
        });
        if (scale > 0.45)
            edges.forEach((edge, i) => {
                const points = to(place.edges[i]);
                if (points.length < 4) return;
                const middle = Math.floor(points.length / 4) * 2;
                painter.text(points[middle] + 3, points[middle + 1], (edge.residual ? "… " : "") + (edge.base_weight !== undefined && edge.base_weight !== edge.weight ? changeText(edge.base_weight, edge.weight, unit) : value(edge.weight, unit)) + (edge.inlined ? " (inline)" : ""), { fill: theme.quiet, size: 9 * Math.min(1, scale) });
            });
    };
    const hit = (px: number, py: number): number => {
        const { x, y, scale } = view.current;
        return nodes.findIndex((_, i) => Math.abs((px - x) / scale - place.nodes[i].x) <= shapes.nodes[i].width / 2 && Math.abs((py - y) / scale - place.nodes[i].y) <= shapes.nodes[i].height / 2);
    };
    const zoom = (factor: number, px: number, py: number) => {
        const now = view.current;
        const scale = Math.max(0.1, Math.min(3, now.scale * factor));
        view.current = { scale, x: px - ((px - now.x) * scale) / now.scale, y: py - ((py - now.y) * scale) / now.scale };
    };
    const drag = (phase: "down" | "move" | "up", px: number, py: number): boolean => {
        if (phase === "move") {
            view.current.x += px - dragStart.current.x;
            view.current.y += py - dragStart.current.y;
        }
        dragStart.current = { x: px, y: py };
        return true;
    };
    const nearer = (factor: number) => {
        const box = document.querySelector("#view .picture");
        zoom(factor, (box?.clientWidth ?? 800) / 2, height / 2);
        again((n) => n + 1);
    };
    const key = (event: KeyboardEvent) => {
        const by = { ArrowRight: 1, l: 1, j: 1, ArrowDown: 1, ArrowLeft: -1, h: -1, k: -1, ArrowUp: -1 }[event.key];
        if (by) setAt((at + by + nodes.length) % nodes.length);
        else if (event.key === "Enter" && at >= 0) navigate({ view: "peek", function: nodes[at].function, of: nodes[at].file ?? "" });
        else if (event.key === "+" || event.key === "-") nearer(event.key === "+" ? 1.25 : 0.8);
        else if (event.key === "Escape") (view.current.scale = 0), setAt(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <div aria-busy={asked.waiting} data-answers={asked.url}>
            <VerdictLine verdicts={verdicts} />
            <Picture label={`Graph of ${nodes.length} functions and ${edges.length} calls`} file={`heaptap-${about.name}-graph`} theme={theme} height={() => height} draw={draw} hit={hit} tall drag={drag}
                tip={(i) => i < nodes.length && (
                    <>
                        <strong>{nodeName(nodes[i])}</strong>
                        <div class="quiet">{nodes[i].file}</div>
                        <div>itself {value(nodes[i].flat, unit)} ({percent(nodes[i].flat, total)})</div>
                        <div>through it {value(nodes[i].cum, unit)} ({percent(nodes[i].cum, total)})</div>
                        {about.base && <div>before: itself {value(nodes[i].base_flat ?? 0, unit)}, through it {value(nodes[i].base_cum ?? 0, unit)}{doubt(nodes[i]) && <span class="quiet">: {doubt(nodes[i])}</span>}</div>}
                    </>
                )}
                wheel={(event, px, py) => (zoom(event.deltaY > 0 ? 0.85 : 1 / 0.85, px, py), true)}
                choose={(i) => (setAt(i), navigate({ function: nodes[i].function, of: nodes[i].file ?? "" }))} chooseTwice={(i) => navigate({ view: "sandwich", function: nodes[i].function, of: nodes[i].file ?? "" })} onKey={key}>
                {!isReport && <label>
                    <span class="quiet">At most </span>
                    <select id="most" value={most} onChange={(event) => setMost(Number(event.currentTarget.value))}>
                        {[20, 40, 80, 160].map((number) => <option key={number} value={number}>{number} functions</option>)}
                    </select>
                </label>}{" "}
                <span class="buttons zoom-buttons">
                    <button type="button" aria-label="Nearer" onClick={() => nearer(1.25)}>+</button>
                    <button type="button" aria-label="Further away" onClick={() => nearer(0.8)}>−</button>
                    <button type="button" onClick={() => ((view.current.scale = 0), again((n) => n + 1))}>Fit</button>
                </span>{" "}
                <span data-total={total}>{value(total, unit)}</span>{laid.answer.base_total !== undefined && <>, before <span data-base={laid.answer.base_total}>{value(laid.answer.base_total, unit)}</span></>}; {nodes.length} of {laid.answer.all_nodes + laid.answer.dropped_nodes} functions, {edges.length} calls
                {laid.answer.dropped_nodes + laid.answer.dropped_edges > 0 && <span class="quiet"> · hidden: {laid.answer.dropped_nodes} functions under 0.5 %, {laid.answer.dropped_edges} calls under 0.1 %</span>}
                {at >= 0 && <span id="marked"> · {nodeName(nodes[at])}{doubt(nodes[at]) && `: ${doubt(nodes[at])}`}</span>}
            </Picture>
        </div>
    );
}
