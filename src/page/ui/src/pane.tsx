// What is chosen, at the side of every picture and table: its figures and what can be done with it, its source with heat by line, who
// calls it and what it calls, how large its blocks are and how long they live, and the advice on it.

import { useEffect, useMemo, useState } from "preact/hooks";
import { isReport, useAnswer } from "./api";
import { quoted, withClause } from "./clauses";
import { heaviestCalled, heaviestOwn } from "./colours";
import { Details } from "./details";
import { bytes, duration, percent, value } from "./format";
import { nodeName } from "./functions";
import { distributionsOf } from "./histograms";
import { type Marked, useMarkedNode } from "./marks";
import { functionPattern, peekOf, reportQuestion, sampleOf, sourceOf } from "./report-answer";
import { type Summary, summaryQuestion } from "./cards";
import type { State } from "./state";
import type { Distribution, Neighbour, Routine, Shown, Sum } from "./types";
import { treeQuestion, unitOf, useJudged, useTree, type ViewProps } from "./view";

const PATIENCE_MILLISECONDS = 120; // of what is walked over with the keys, only where one stays is asked about
const ROWS = 6; // callers and callees

// The same, once it hasn't changed for a while.
function useStill<T>(now: T): T {
    const [still, set] = useState(now);
    useEffect(() => {
        const timer = window.setTimeout(() => set(now), PATIENCE_MILLISECONDS);
        return () => clearTimeout(timer);
    }, [now]);
    return still;
}

// Of a comparison, the function of one's own that has grown most, whichever lines it has then and now: as the flame graph by function
// has it.  "" where none has, or all that have may have done so by chance.
function useGrown(about: Shown, state: State): { name: string; isKnown: boolean } {
    const byFunction: State = { ...state, view: "flame", grain: "function", direction: "down", recursion: false };
    const asked = useTree(about, byFunction, about.base ? treeQuestion(about, byFunction) : null);
    const { tree } = useJudged(about, byFunction, asked.answer);
    const name = useMemo(() => {
        const grown = tree?.base ? heaviestOwn(tree).find(({ symbol, weight }) => weight > 0 && !tree.doubts[symbol]) : undefined;
        return grown ? tree!.functions[grown.symbol] : "";
    }, [tree]);
    return { name, isKnown: tree !== null && !asked.waiting };
}

// The function that is marked or chosen; else that which has grown most, or, without a base, the one of one's own that has most, of a
// table as its card says.
function functionOf(state: State, marked: Marked | null, summary: Summary | null, grown: string | null): string {
    if (marked && marked.node > 0) return marked.tree.functions[marked.tree.symbol[marked.node]];
    if (state.function) return state.function;
    if (grown !== null) return grown;
    if (!marked) return summary?.cards.find((card) => card.card === "total" || card.card === "in-use")?.function ?? "";
    const [first] = state.direction === "up" ? heaviestCalled(marked.tree) : heaviestOwn(marked.tree);
    return first ? marked.tree.functions[first.symbol] : "";
}

function Heat({ share }: { share: number }) {
    return (
        <svg class="heat" viewBox="0 0 40 10" preserveAspectRatio="none" aria-hidden="true">
            <rect x={40 - 40 * Math.min(1, share)} width={40 * Math.min(1, share)} height="10" />
        </svg>
    );
}

// The lines that have most, with those around them where the source is there.
function SourceLines({ routine, total, unit }: { routine: Routine; total: number; unit: string }) {
    const most = Math.max(...routine.lines.map((line) => Math.abs(line.cum)), 1e-9);
    return (
        <div class="table-box pane-source" tabIndex={0} role="group" aria-label={`Lines of ${routine.function}`}>
            <table class="table" aria-label={`Source of ${routine.function}`}>
                <tbody>
                    {routine.lines.map((line) => (
                        <tr key={line.line} class={line.cum >= most / 2 && line.cum > 0 ? "hot" : ""}>
                            <td class="number">{line.cum ? value(line.cum, unit) : ""}</td>
                            <td class="number">{line.cum ? percent(line.cum, total) : ""}</td>
                            <td>{line.cum ? <Heat share={line.cum / most} /> : null}</td>
                            <td class="number quiet">{line.line}</td>
                            <td><code class="source">{line.text ?? ""}</code></td>
                        </tr>
                    ))}
                </tbody>
            </table>
        </div>
    );
}

function Neighbours({ title, list, of, unit, choose }: { title: string; list: Neighbour[]; of: number; unit: string; choose: (name: string) => void }) {
    return (
        <section class="neighbours">
            <h2>{title}</h2>
            {list.length === 0 && <p class="quiet">none</p>}
            <ol>
                {list.slice(0, ROWS).map((node, i) => (
                    <li key={i}>
                        <Heat share={of ? node.weight / of : 0} />
                        <span class="number">{percent(node.weight, of)}</span>
                        <button type="button" class="link mono" onClick={() => choose(node.function)} title={`${value(node.weight, unit)}; ${node.file ?? ""}`}>{nodeName(node)}</button>
                    </li>
                ))}
            </ol>
            {list.length > ROWS && <p class="quiet">{list.length - ROWS} lighter ones</p>}
        </section>
    );
}

// A distribution in a line: how high each bin is, from the smallest to the largest.
function Spread({ title, distribution, amount, edge }: { title: string; distribution: Distribution; amount: (sum: Sum) => number; edge: (value: number) => string }) {
    const { bins, edges } = distribution;
    if (bins.length === 0) return null;
    const most = Math.max(...bins.map(amount), 1e-9);
    const heaviest = bins.findIndex((bin) => amount(bin) === most);
    return (
        <section class="spread">
            <h2>{title} <span class="quiet">{edge(edges[0])} to {edge(edges[edges.length - 1])}, most from {edge(edges[heaviest])}</span></h2>
            <svg viewBox={`0 0 ${bins.length} 20`} preserveAspectRatio="none" role="img" aria-label={`${title}: most from ${edge(edges[heaviest])} to below ${edge(edges[heaviest + 1])}`}>
                {bins.map((bin, i) => <rect key={i} x={i + 0.06} width={0.88} y={20 - (19 * amount(bin)) / most} height={(19 * amount(bin)) / most} />)}
            </svg>
        </section>
    );
}

function Spreads({ name, about, state }: ViewProps & { name: string }) {
    const filter = withClause(state.filter, `focus:function=${quoted(name, true)}`);
    const url = about.kind === "trace" && !isReport ? reportQuestion(about, { ...state, filter, weight: "bytes" }, "distributions", { form: "columns", base: false }, "") : null;
    const asked = useAnswer(url, about.generation, distributionsOf);
    const amount = (sum: Sum) => (state.weight === "objects" ? sum.objects : state.weight === "samples" ? sum.blocks : sum.bytes);
    if (about.kind !== "trace") return <p class="quiet">A profile has no sizes and lifetimes of single blocks.</p>;
    if (isReport) return <p class="quiet">Sizes and lifetimes of one function need heaptap view: a written page has those of its selections, under More.</p>;
    if (!asked.answer) return null;
    return (
        <>
            <Spread title="Sizes" distribution={asked.answer.sizes} amount={amount} edge={bytes} />
            <Spread title="Lifetimes" distribution={asked.answer.lifetimes} amount={amount} edge={(us) => duration(us * 1e-6)} />
        </>
    );
}

function Advice({ name, summary }: { name: string; summary: Summary | null }) {
    const points = summary?.advice?.filter((point) => point.function === name) ?? [];
    return (
        <>
            {points.slice(0, 2).map((point, i) => (
                <p class="advice" key={i}>
                    <strong>{point.title}</strong>{point.line ? ` in line ${point.line}` : ""}{point.saved ? `, saves up to ${bytes(point.saved)}` : ""}: {point.remedy}
                </p>
            ))}
        </>
    );
}

export function Pane(props: ViewProps) {
    const { about, state, navigate } = props;
    const marked = useMarkedNode();
    const summary = useAnswer(summaryQuestion(about, state, ""), about.generation, (raw: never) => raw as Summary, "cards").answer;
    const grown = useGrown(about, state);
    const wanted = functionOf(state, marked, summary, about.base ? grown.name : null);
    const name = useStill(wanted);
    const chosen = { ...state, function: name };
    const peek = useAnswer(name ? reportQuestion(about, state, "peek", { function: functionPattern(name, "( |$)"), columns: "name,function,file,line,flat,cum,value,inlined,base_flat,base_cum,base_value" }) : null, about.generation, peekOf(about, chosen), `${state.weight} ${name}`);
    const list = useAnswer(name ? reportQuestion(about, state, "list", { function: functionPattern(name, "$") }, "") : null, about.generation, sourceOf(about, chosen), `${state.weight} ${name}`);
    const unit = unitOf(about, state);
    const found = peek.answer?.found.slice().sort((a, b) => b.cum - a.cum)[0];
    const routines = list.answer?.routines.slice().sort((a, b) => Math.max(...b.lines.map((line) => line.cum)) - Math.max(...a.lines.map((line) => line.cum))) ?? [];
    const total = peek.answer?.total ?? 0;
    const choose = (to: string) => navigate({ function: to, zoom: "" });
    const isOfNode = marked !== null && marked.node > 0;
    return (
        <aside class="pane" aria-label="What is chosen" data-function={name} aria-busy={name !== wanted || (!!about.base && !grown.isKnown) || peek.waiting || list.waiting}>
            {wanted === "" && grown.isKnown && <p id="none-grew">No function of your own code has grown.</p>}
            {name === "" && <p class="quiet">Choose a function in the picture or a table: here stand its source, its callers and what it calls.</p>}
            {isOfNode && <Details tree={marked.tree} node={marked.node} unit={marked.unit} navigate={navigate} filter={state.filter} home={about.home} />}
            {name !== "" && !isOfNode && (
                <section class="details" aria-label="Chosen">
                    <p>
                        <strong id="chosen">{name}</strong>
                        {!state.function && <span class="quiet">{about.base ? " has grown most" : sampleOf(about, state).startsWith("alloc") ? " allocates most" : " has most"} in your own code</span>}
                    </p>
                </section>
            )}
            {found && (
                <p id="chosen-figures">
                    through it <span data-cum={found.cum}>{value(found.cum, unit)}</span> ({percent(found.cum, total)}), itself <span data-flat={found.flat}>{value(found.flat, unit)}</span> ({percent(found.flat, total)})
                    {found.base_cum !== undefined && <>, before {value(found.base_cum, unit)}</>}
                </p>
            )}
            {name !== "" && peek.answer && !found && <p class="quiet">Nothing of the selection comes through {name}: choose another, or take a clause of the filter away.</p>}
            {routines.slice(0, 1).map((routine) => (
                <section key={routine.file}>
                    <h2>Source <span class="quiet mono">{routine.file}</span></h2>
                    <SourceLines routine={routine} total={list.answer!.total} unit={unit} />
                    {!routine.found && <p class="quiet">{isReport ? "This page was written without that file." : <>The file isn't below the folder where heaptap view was started: <code>--source-path DIRECTORY</code> says where.</>}</p>}
                </section>
            ))}
            {routines.length > 1 && <p class="quiet">{routines.length - 1} more of this name in other files: <button type="button" class="link" onClick={() => navigate({ view: "source", function: name })}>Source</button></p>}
            {name !== "" && <Advice name={name} summary={summary} />}
            {found && (
                <div class="beside">
                    <Neighbours title="Callers" list={found.callers} of={found.cum} unit={unit} choose={choose} />
                    <Neighbours title="Calls" list={found.callees} of={found.cum} unit={unit} choose={choose} />
                </div>
            )}
            {name !== "" && <Spreads {...props} name={name} />}
        </aside>
    );
}
