// Points of interest: what heaptap's rules find, the heaviest functions, and the hot paths, each of them
// with a way on.

import { useMemo } from "preact/hooks";
import { isReport, question, useAnswer } from "./api";
import { quoted, withClause } from "./clauses";
import { percent, value } from "./format";
import { nodeName, useTop } from "./functions";
import { type Area, areas } from "./shape";
import type { Tree } from "./tree";
import { treeQuestion, unitOf, useTree, type ViewProps } from "./view";

interface Point {
    rule: string;
    condition: string;
    title: string;
    evidence: string;
    remedy: string;
    share: number;
    function: string | null;
    file: string | null;
    line: number;
    source?: string; // the line
    before?: string; // of a cause: an example, and how to verify the remedy
    after?: string;
    verify?: string;
}

// Paths that hold much, each as long as it holds the same: where they part or end.
function hotPaths(tree: Tree): Area[] {
    const list: Area[] = [];
    const walk = (area: Area) => {
        if (area.node !== 0 && (area.children.length !== 1 || area.own > 0)) list.push(area);
        area.children.forEach(walk);
    };
    walk(areas(tree, 0, 0.05, 0.95));
    return list.sort((a, b) => b.total - a.total).slice(0, 12);
}

export function Interest(props: ViewProps) {
    const { about, state, navigate } = props;
    const unit = unitOf(about, state);
    const advice = useAnswer(about.kind === "trace" ? question("/api/answer", { report: "advice", file: state.file || "", filter: state.filter }) : null, about.generation, (raw: never) => raw as { points: Point[] });
    const top = useTop(about, state);
    const paths = useTree(about, state, treeQuestion(about, { ...state, direction: "down" }));
    const heavy = useMemo(() => (top.answer?.nodes ?? []).filter((node) => node.flat > 0).sort((a, b) => b.flat - a.flat).slice(0, 10), [top.answer]);
    const hot = useMemo(() => (paths.answer ? hotPaths(paths.answer) : []), [paths.answer]);
    const total = top.answer?.total ?? 0;
    const go = (of: { function: string | null; file: string | null }) => of.function && navigate({ view: "sandwich", function: of.function, of: of.file ?? "" });
    const ready = top.answer && paths.answer && (advice.answer || advice.error || about.kind !== "trace");
    return (
        <div class="interest" aria-busy={advice.waiting && about.kind === "trace"} data-answers={ready ? top.url : undefined}>
            {(top.error || advice.error) && <p class="remark" role="alert">{top.error || advice.error}</p>}
            <h2>What could be done</h2>
            {about.base && <p class="quiet">Of {about.name} alone; what changed is in the other views.</p>}
            {advice.answer?.points.length === 0 && <p class="quiet">None of the rules applies to the selection.</p>}
            {about.kind !== "trace" && <p class="quiet">The rules need a trace: a profile has no single blocks.</p>}
            <ol>
                {advice.answer?.points.slice(0, 20).map((point, i) => (
                    <li key={i} data-rule={point.rule}>
                        <strong>{point.title}</strong> <span class="quiet" title={point.condition}>{point.rule}, {percent(point.share, 1)}</span>
                        <div><button type="button" class="link mono" onClick={() => go(point)}>{point.function ?? "an unknown function"}</button> <span class="quiet">{point.file}{point.line ? `:${point.line}` : ""}</span></div>
                        {point.source && <div class="mono">{point.source.trim()}</div>}
                        <div>{point.evidence}</div>
                        <div>{point.remedy}</div>
                        {point.before && <div class="mono quiet">{point.before}</div>}
                        {point.after && <div class="mono">{point.after}</div>}
                        {point.verify && <div class="quiet">{point.verify}</div>}
                    </li>
                ))}
            </ol>
            <h2>Heavy functions</h2>
            <ol>
                {heavy.map((node, i) => (
                    <li key={i}>
                        <button type="button" class="link mono" onClick={() => go(node)}>{nodeName(node)}</button>: itself {value(node.flat, unit)} ({percent(node.flat, total)}), through it {value(node.cum, unit)}
                    </li>
                ))}
            </ol>
            <h2>Hot paths</h2>
            <ol>
                {paths.answer && hot.map((area, i) => {
                    const names = paths.answer!.path(area.node).map((symbol) => paths.answer!.functions[symbol]);
                    return (
                        <li key={i}>
                            <button type="button" class="link mono" onClick={() => navigate({ view: "flame", direction: "down", zoom: paths.answer!.key(area.node) })}>
                                {names.length > 4 ? `${names[0]} … ${names.slice(-3).join(" > ")}` : names.join(" > ")}
                            </button>: {value(area.total, unit)} ({percent(area.total, paths.answer!.total[0])}){" "}
                            {!isReport && <button type="button" onClick={() => navigate({ filter: withClause(state.filter, `focus:function=${quoted(names[names.length - 1], true)}`) })}>Only this</button>}
                        </li>
                    );
                })}
            </ol>
        </div>
    );
}
