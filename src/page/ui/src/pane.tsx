// What is chosen, at the side of every picture and table: its figures and what can be done with it, its source with heat by line, who
// calls it and what it calls, how large its blocks are and how long they live, and the advice on it.

import { useEffect, useMemo, useState } from "preact/hooks";
import { isReport, useAnswer } from "./api";
import { quoted, withClause } from "./clauses";
import { heaviestCalled, heaviestOwn } from "./colours";
import { CostOverTime } from "./cost";
import { Details } from "./details";
import { bucket, bytes, bytesEdge, duration, percent, value } from "./format";
import { nodeName } from "./functions";
import { distributionsOf } from "./histograms";
import { functionAt, type Marked, useMarkedNode } from "./marks";
import { heaviestWay, type HoldersAnswer, labelOf, siteKey, textOf, useHolders } from "./holders";
import { functionPattern, peekOf, reportQuestion, sampleOf, sourceOf } from "./report-answer";
import { type Summary, summaryQuestion } from "./cards";
import { isHottest, Sourceless } from "./source";
import type { State } from "./state";
import type { Distribution, Neighbour, Routine, Shown, Sum } from "./types";
import { treeQuestion, unitOf, useJudged, useTree, type ViewProps } from "./view";

const PATIENCE_MILLISECONDS = 120; // of what is walked over with the keys, only where one stays is asked about
type Choice = Pick<State, "function" | "of">;

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

// Of a comparison, the function of one's own that has grown most, whichever file and lines it has then and now.  "" where none has, or all that have may have done so by chance.
function useGrown(about: Shown, state: State): { name: string; isKnown: boolean } {
    const byFunction: State = { ...state, view: "flame", grain: "function", direction: "down", recursion: false };
    const asked = useTree(about, byFunction, about.base ? treeQuestion(about, byFunction) : null);
    const { tree } = useJudged(about, byFunction, asked.answer);
    const name = useMemo(() => {
        const grown = new Map<string, { by: number; isSure: boolean }>();
        for (const { symbol, weight } of tree?.base ? heaviestOwn(tree) : []) {
            const { by, isSure } = grown.get(tree!.functions[symbol]) ?? { by: 0, isSure: false };
            grown.set(tree!.functions[symbol], { by: by + weight, isSure: isSure || !tree!.doubts[symbol] });
        }
        const [most] = [...grown].filter(([, { by, isSure }]) => by > 0 && isSure).sort(([, a], [, b]) => b.by - a.by);
        return most?.[0] ?? "";
    }, [tree]);
    return { name, isKnown: tree !== null && !asked.waiting };
}

// The function that is marked or chosen; else that which has grown most, or, without a base, the one of one's own that has most, of a
// table as its card says.
function functionOf(state: State, marked: Marked | null, summary: Summary | null, grown: string | null): Choice {
    if (marked && marked.node > 0) return functionAt(marked.tree, marked.node);
    if (state.function) return state;
    if (grown !== null) return { function: grown, of: "" };
    if (!marked) return choiceOf(summary?.cards.find((card) => card.card === "total" || card.card === "in-use"));
    const [first] = state.direction === "up" ? heaviestCalled(marked.tree) : heaviestOwn(marked.tree);
    return first ? { function: marked.tree.functions[first.symbol], of: marked.tree.files[first.symbol] ?? "" } : { function: "", of: "" };
}

function choiceOf(of: { function: string | null; file: string | null } | undefined | null): Choice {
    return { function: of?.function ?? "", of: of?.file ?? "" };
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
                        <tr key={line.line} class={isHottest(routine, line) ? "hot" : ""}>
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

function Neighbours({ title, list, of, unit, choose }: { title: string; list: Neighbour[]; of: number; unit: string; choose: (name: string, file: string | null) => void }) {
    return (
        <section class="neighbours">
            <h2>{title}</h2>
            {list.length === 0 && <p class="quiet">none</p>}
            <ol>
                {list.slice(0, ROWS).map((node, i) => (
                    <li key={i}>
                        <Heat share={of ? node.weight / of : 0} />
                        <span class="number">{percent(node.weight, of)}</span>
                        <button type="button" class="link mono" onClick={() => choose(node.function, node.file)} title={`${nodeName(node)}: ${value(node.weight, unit)}; ${node.file ?? ""}`}><span class="long">{nodeName(node)}</span></button>
                    </li>
                ))}
            </ol>
            {list.length > ROWS && <p class="quiet">{list.length - ROWS} lighter ones</p>}
        </section>
    );
}

// A distribution in a line: how high each bucket is, from the smallest to the largest.
function Spread({ title, distribution, amount, unit, edge }: { title: string; distribution: Distribution; amount: (sum: Sum) => number; unit: string; edge: (value: number) => string }) {
    const { bins, edges } = distribution;
    if (bins.length === 0) return null;
    const most = Math.max(...bins.map(amount), 1e-9);
    const heaviest = bins.findIndex((bin) => amount(bin) === most);
    const said = `most in the bucket ${bucket(edges[heaviest], edges[heaviest + 1], edge)}: ${value(most, unit)}`;
    return (
        <section class="spread">
            <h2>{title} <span class="quiet">{said}</span></h2>
            <svg viewBox={`0 0 ${bins.length} 20`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${said}`}>
                {bins.map((bin, i) => <rect key={i} x={i + 0.06} width={0.88} y={20 - (19 * amount(bin)) / most} height={(19 * amount(bin)) / most} />)}
            </svg>
            <p class="spread-axis quiet"><span>{edge(edges[0])}</span><span>{bins.length > 1 ? `${bins.length} buckets` : "one bucket"}</span><span>below {edge(edges[edges.length - 1])}</span></p>
        </section>
    );
}

function Spreads({ name, about, state }: ViewProps & { name: string }) {
    const filter = withClause(state.filter, `focus:function=${quoted(name, true)}`);
    const url = about.kind === "trace" && !isReport ? reportQuestion(about, { ...state, filter, weight: "bytes" }, "distributions", { form: "columns", base: false }, "") : null;
    const asked = useAnswer(url, about.generation, distributionsOf);
    const amount = (sum: Sum) => (state.weight === "objects" ? sum.objects : state.weight === "samples" ? sum.blocks : sum.bytes);
    const unit = state.weight === "bytes" ? "bytes" : "count";
    if (about.kind !== "trace") return <p class="quiet">A profile has no sizes and lifetimes of single blocks.</p>;
    if (isReport) return <p class="quiet">Sizes and lifetimes of one function need heaptap view: a written page has those of its selections, under More.</p>;
    if (asked.failure && !asked.failure.isOfFilter) return <p class="quiet" role="alert">{asked.error}</p>;
    if (!asked.answer) return null;
    const { sizes, lifetimes, unended } = asked.answer;
    return (
        <>
            <Spread title="Sizes" distribution={sizes} amount={amount} unit={unit} edge={bytesEdge} />
            <Spread title="Lifetimes" distribution={lifetimes} amount={amount} unit={unit} edge={(us) => duration(us * 1e-6)} />
            {amount(unended) > 0 && <p class="quiet">Alive at the end, with no lifetime yet: {value(amount(unended), unit)}</p>}
        </>
    );
}

// The heaviest way on which the function's blocks are held.
function KeptBy({ name, file, answer, navigate }: { name: string; file: string; answer: HoldersAnswer; navigate: ViewProps["navigate"] }) {
    const found = heaviestWay(answer, name, file);
    if (!found) return null;
    const { site, path } = found;
    return (
        <p id="kept-by">
            <button type="button" class="link" title="Show all ways" onClick={() => navigate({ view: "holders", kept: "sites", row: siteKey(site), function: name, of: site.file ?? "" })}>Kept by</button>{" "}
            <span class="mono">{path.steps.slice(0, -1).map((step) => textOf(labelOf(step))).join(" → ")}</span> <span class="quiet">{bytes(path.bytes)}, {percent(path.bytes, site.bytes)} of {site.line ? `line ${site.line}` : "it"}</span>
        </p>
    );
}

function Advice({ name, file, summary }: { name: string; file: string; summary: Summary | null }) {
    const points = summary?.advice?.filter((point) => point.function === name && (!file || !point.file || point.file === file)) ?? [];
    return (
        <>
            {points.slice(0, 2).map((point, i) => (
                <p class="advice" key={i}>
                    <strong>{point.title}</strong>{point.line ? ` in line ${point.line}` : ""}{point.saved ? `, saves ${point.saved_is} ${bytes(point.saved)}` : ""}: {point.remedy}
                </p>
            ))}
        </>
    );
}

// Where the window has room below the picture, what is looked at last stands there.  What the view itself shows is left out: in Peek callers
// and calls, in Source the lines.
export function Pane(props: ViewProps & { room: number }) {
    const { about, state, navigate, room } = props;
    const marked = useMarkedNode();
    const summary = useAnswer(summaryQuestion(about, state, ""), about.generation, (raw: never) => raw as Summary, "cards").answer;
    const grown = useGrown(about, state);
    const held = useHolders(about, state).answer;
    const heldFirst = state.view === "holders" ? held?.sites.find((site) => site.function) : null;
    const choice = !state.function && heldFirst ? choiceOf(heldFirst) : functionOf(state, marked, summary, about.base ? grown.name : null);
    const wanted = `${choice.function}\n${choice.of}`;
    const shrunk = summary?.cards.find((card) => card.card === "changed" && card.value < 0)?.function; // else its card would contradict the pane
    const still = useStill(wanted);
    const [name, of] = still.split("\n");
    const chosen = { ...state, function: name, of };
    const grain = about.base && state.grain === "function" ? "name" : state.grain; // its file may have another name then and now
    const peek = useAnswer(name ? reportQuestion(about, state, "peek", { function: functionPattern(name, "( |$)"), columns: "name,function,file,line,flat,cum,value,inlined,base_flat,base_cum,base_value" }, grain) : null, about.generation, peekOf(about, chosen), `${state.weight} ${still}`);
    const list = useAnswer(name ? reportQuestion(about, state, "list", { function: functionPattern(name, "$") }, "") : null, about.generation, sourceOf(about, chosen), `${state.weight} ${still}`);
    const failure = [peek.failure, list.failure].find((one) => one && !one.isOfFilter); // a wrong filter is told once, beside it
    const unit = unitOf(about, state);
    const found = peek.answer?.found[0];
    const routines = list.answer?.routines ?? [];
    const file = of || (routines[0]?.file ?? ""); // whose source stands here
    const total = peek.answer?.total ?? 0;
    const choose = (to: string, file: string | null = null) => navigate({ function: to, of: file ?? "", zoom: "" });
    const isOfNode = marked !== null && marked.node > 0;
    const neighbours = found && state.view !== "peek" && (
        <div class="beside">
            <Neighbours title="Callers" list={found.callers} of={found.cum} unit={unit} choose={choose} />
            <Neighbours title="Calls" list={found.callees} of={found.cum} unit={unit} choose={choose} />
        </div>
    );
    const hasSource = state.view === "source";
    const rest = name !== "" && (
        <>
            {!hasSource && neighbours}
            <CostOverTime about={about} state={state} name={name} />
            <div class="spreads"><Spreads {...props} name={name} /></div>
        </>
    );
    return (
        <>
            <aside class="pane" aria-label="What is chosen" data-function={name} data-of={of} aria-busy={still !== wanted || (!!about.base && !grown.isKnown) || peek.waiting || list.waiting}>
                {choice.function === "" && grown.isKnown && <p id="none-grew">No function of your own code has grown{shrunk && <>; <button type="button" class="link long" title={shrunk} onClick={() => choose(shrunk)}>{shrunk}</button> has shrunk most</>}.</p>}
                {name === "" && <p class="quiet">Choose a function in the picture or a table: here stand its source, its callers and what it calls.</p>}
                {isOfNode && <Details tree={marked.tree} node={marked.node} unit={marked.unit} navigate={navigate} filter={state.filter} home={about.home} />}
                {name !== "" && !isOfNode && (
                    <section class="details" aria-label="Chosen">
                        <p>
                            <strong id="chosen" class="long" title={name}>{name}</strong>
                            {!state.function && <span class="quiet">{heldFirst ? " has most of what was alive at the snapshot" : `${about.base ? " has grown most" : sampleOf(about, state).startsWith("alloc") ? " allocates most" : " has most"} in your own code`}</span>}
                        </p>
                    </section>
                )}
                {failure && <p class="remark" role="alert">{failure.message}</p>}
                {found && (
                    <p id="chosen-figures">
                        through it <span data-cum={found.cum}>{value(found.cum, unit)}</span> ({percent(found.cum, total)}), itself <span data-flat={found.flat}>{value(found.flat, unit)}</span> ({percent(found.flat, total)})
                        {found.base_cum !== undefined && <>, before {value(found.base_cum, unit)}</>}
                    </p>
                )}
                {name !== "" && peek.answer && !found && <p class="quiet">Nothing of the selection comes through <span class="long" title={name}>{name}</span>: choose another, or take a clause of the filter away.</p>}
                {!hasSource && routines.slice(0, 1).map((routine) => (
                    <section key={routine.file}>
                        <h2>Source <span class="quiet mono">{routine.file}</span></h2>
                        <SourceLines routine={routine} total={list.answer!.total} unit={unit} />
                        {!routine.found && <Sourceless about={about} />}
                    </section>
                ))}
                {!hasSource && routines.length > 1 && <p class="quiet">{routines.length - 1} more of this name in other files: <button type="button" class="link" onClick={() => navigate({ view: "source", function: name, of })}>Source</button></p>}
                {name !== "" && held && <KeptBy name={name} file={file} answer={held} navigate={navigate} />}
                {name !== "" && <Advice name={name} file={file} summary={summary} />}
                {hasSource && neighbours}
                {room === 0 && rest}
            </aside>
            {room > 0 && <section class="pane below" aria-label="What calls and is called, sizes and lifetimes" style={`--room: ${room}px`}>{rest}</section>}
        </>
    );
}
