// Tables of functions: top, and peek.

import { type Asked, isReport, useAnswer } from "./api";
import { withClause } from "./clauses";
import { percent, value } from "./format";
import { functionPattern, graphOf, peekOf, reportQuestion } from "./report-answer";
import { pattern } from "./search";
import { isChosen, type State } from "./state";
import { type Column, Table } from "./table";
import type { GraphAnswer, GraphNode, Neighbour, PeekAnswer, Shown } from "./types";
import { type Doubt, doubtOf, useVerdicts, VerdictLine, type Verdicts } from "./verdicts";
import { unitOf, type ViewProps } from "./view";

// The heaviest functions; what says less of them is not asked for.  Libraries are there unless they are left out.
export function useTop(about: Shown, state: State, most = 5000, grain = state.grain, leavesOut = false): Asked<GraphAnswer> {
    const url = reportQuestion(about, leavesOut ? { ...state, filter: withClause(state.filter, "libraries=hide") } : state, "top", { "node-count": most, "node-fraction": "0%", cum: true, columns: "name,function,file,line,flat,cum,base_flat,base_cum" }, grain);
    return useAnswer(url, about.generation, graphOf(about, state), state.weight);
}

export function nodeName(node: GraphNode): string {
    return (node.function || node.name) + (node.line ? `:${node.line}` : "");
}

// Red for what grew, green for what shrank, neither for what is as it was.
export function changeClass(before: number, after: number): string {
    return after > before ? "grew" : after < before ? "shrank" : "";
}

export function change(before: number, after: number, unit: string, doubt?: Doubt) {
    const by = after - before;
    return <span class={doubt ? "quiet" : changeClass(before, after)}>{(by > 0 ? "+" : "") + value(by, unit)}</span>;
}

function doubtAbout(verdicts: Verdicts | null, node: GraphNode): Doubt | undefined {
    return doubtOf(verdicts, node.function || node.name, node.file, node.line);
}

// Of all that comes through the function.
function verdictColumn<Row extends GraphNode>(verdicts: Verdicts | null): Column<Row>[] {
    const doubt = (node: Row) => doubtAbout(verdicts, node);
    return verdicts?.doubts.size
        ? [{ name: "verdict", title: "whether the change of what comes through it may be chance, or is too small to matter", narrow: true, value: (node) => doubt(node) ?? "", show: (node) => <span class="quiet">{doubt(node)}</span> }]
        : [];
}

function columnsOf(total: number, unit: string, compares: boolean, verdicts: Verdicts | null): Column<GraphNode>[] {
    const doubt = (node: GraphNode) => doubtAbout(verdicts, node);
    const list: Column<GraphNode>[] = [
        { name: "flat", title: "what it allocates itself", number: true, value: (node) => node.flat, show: (node) => value(node.flat, unit) },
        { name: "flat %", number: true, value: (node) => (total ? (100 * node.flat) / total : 0), show: (node) => percent(node.flat, total) },
    ];
    if (compares) list.push({ name: "flat change", number: true, value: (node) => node.flat - (node.base_flat ?? 0), show: (node) => change(node.base_flat ?? 0, node.flat, unit, doubt(node)) });
    list.push(
        { name: "cum", title: "what comes through it", number: true, narrow: true, value: (node) => node.cum, show: (node) => value(node.cum, unit) },
        { name: "cum %", number: true, value: (node) => (total ? (100 * node.cum) / total : 0), show: (node) => percent(node.cum, total) },
    );
    if (compares) list.push({ name: "cum change", number: true, narrow: true, value: (node) => node.cum - (node.base_cum ?? 0), show: (node) => change(node.base_cum ?? 0, node.cum, unit, doubt(node)) });
    list.push(
        ...verdictColumn<GraphNode>(verdicts),
        { name: "file", value: (node) => node.file ?? "" },
        { name: "function", value: nodeName },
    );
    return list;
}

export function Top(props: ViewProps) {
    const { about, state, navigate } = props;
    const leavesOut = !isReport && !state.libraries && !/(^|\s)(libraries|own)!?=/.test(state.filter);
    const asked = useTop(about, state, 5000, state.grain, leavesOut);
    const answer = asked.answer;
    const verdicts = useVerdicts(about, state, !!answer);
    if (!answer) return <p class="quiet" role={asked.error ? "alert" : "status"}>{asked.error || "Counting…"}</p>;
    const unit = unitOf(about, state);
    const wanted = pattern(state.search);
    return (
        <div aria-busy={asked.waiting} data-answers={asked.url}>
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            <VerdictLine verdicts={verdicts} />
            <Table label="Functions by what they allocate" file={`heaptap-${about.name}-top`} columns={columnsOf(answer.total, unit, !!about.base, verdicts)} rows={answer.nodes}
                sort={state.sort || "-flat"} setSort={(sort) => navigate({ sort })} open={(node) => navigate({ function: node.function, of: node.file ?? "" })}
                doubted={(node) => doubtAbout(verdicts, node)} marked={(node) => (node.function !== "" && isChosen(state, node)) || (!!wanted && (wanted.test(node.function) || wanted.test(node.file ?? "")))}>
                <span data-total={answer.total}>{value(answer.total, unit)}</span>{answer.base_total !== undefined && <>, before <span data-base={answer.base_total}>{value(answer.base_total, unit)}</span></>} in {answer.all_nodes} functions
                {answer.all_nodes > answer.nodes.length && <span class="quiet"> · {answer.all_nodes - answer.nodes.length} hidden, each with less through it than any here</span>}{" "}
                {isReport ? <span class="quiet">Libraries are among them: a written page does not leave them out.</span> : (
                    <label class="field check" title="Allocators, standard libraries and installed packages at the ends of stacks; what they allocate counts for who calls them">
                        <input id="libraries" type="checkbox" checked={state.libraries} onChange={(event) => navigate({ libraries: event.currentTarget.checked })} />
                        <span>libraries{leavesOut && answer.library_functions ? `: ${answer.library_functions} functions left out, ${percent(answer.library_share ?? 0, 1)} of all comes through them` : ""}</span>
                    </label>
                )}
            </Table>
        </div>
    );
}

// Which function a view is about: a field with the functions that there are.
export function FunctionField(props: ViewProps) {
    const { about, state, navigate } = props;
    const asked = useTop(about, state);
    const nodes = asked.answer?.nodes ?? [];
    return (
        <p>
            <label class="field wide">
                <span>Function</span>
                <input id="function" list="functions" value={state.function} spellcheck={false} autocomplete="off" style={{ width: "min(560px, 75vw)" }}
                    onChange={(event) => navigate({ function: event.currentTarget.value })} />
            </label>
            <datalist id="functions">
                {nodes.slice(0, 400).map((node, i) => <option key={i} value={node.function} />)}
            </datalist>
        </p>
    );
}

export function Peek(props: ViewProps) {
    const { about, state, navigate } = props;
    const url = state.function ? reportQuestion(about, state, "peek", { function: functionPattern(state.function, "( |$)"), columns: "name,function,file,line,flat,cum,value,inlined,base_flat,base_cum,base_value" }) : null;
    const asked = useAnswer(url, about.generation, peekOf(about, state), `${state.weight} ${state.function} ${state.of}`);
    const unit = unitOf(about, state);
    const answer = url ? asked.answer : null;
    const verdicts = useVerdicts(about, state, !!answer);
    const columns = (of: number): Column<Neighbour>[] => [
        { name: "weight", title: "what comes this way", number: true, value: (node) => node.weight, show: (node) => value(node.weight, unit) },
        ...(about.base ? [{ name: "change", title: "against the base", number: true, narrow: true, value: (node: Neighbour) => node.weight - (node.base_weight ?? 0), show: (node: Neighbour) => change(node.base_weight ?? 0, node.weight, unit, doubtAbout(verdicts, node)) }] : []),
        { name: "share", number: true, narrow: true, value: (node) => (of ? (100 * node.weight) / of : 0), show: (node) => percent(node.weight, of) },
        { name: "cum", number: true, value: (node) => node.cum, show: (node) => value(node.cum, unit) },
        ...verdictColumn<Neighbour>(verdicts),
        { name: "file", value: (node) => node.file ?? "" },
        { name: "function", value: nodeName, show: (node) => nodeName(node) + (node.inlined ? " (inlined)" : "") },
    ];
    const part = (title: string, node: PeekAnswer["found"][number], list: Neighbour[]) => (
        <section>
            <h3>{title}</h3>
            {list.length === 0 ? <p class="quiet">none</p> : (
                <Table label={`${title} of ${nodeName(node)}`} file={`heaptap-${about.name}-${title.toLowerCase()}`} columns={columns(node.cum)} rows={list} sort="" setSort={() => {}}
                    doubted={(other) => doubtAbout(verdicts, other)} open={(other) => navigate({ function: other.function, of: other.file ?? "" })} />
            )}
        </section>
    );
    return (
        <div aria-busy={asked.waiting} data-answers={asked.url || "none"}>
            <FunctionField {...props} />
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            {!url && <p class="quiet">Which function? Type its name, or choose one in Top, the call tree or a picture.</p>}
            {answer && answer.found.length === 0 && <p class="remark" role="status">Nothing of the selection comes through {state.function}.</p>}
            <VerdictLine verdicts={verdicts} />
            {answer?.found.map((node, i) => (
                <article key={i} class="peek">
                    <h2>{nodeName(node)} <span class="quiet">{node.file}</span></h2>
                    <p>
                        itself <span data-flat={node.flat}>{value(node.flat, unit)}</span> ({percent(node.flat, answer.total)}), through it <span data-cum={node.cum}>{value(node.cum, unit)}</span> ({percent(node.cum, answer.total)}){about.base && <>, before <span data-base={node.base_cum}>{value(node.base_cum ?? 0, unit)}</span> ({change(node.base_cum ?? 0, node.cum, unit, doubtAbout(verdicts, node))}{doubtAbout(verdicts, node) && <span class="quiet" data-doubt={doubtAbout(verdicts, node)}>: {doubtAbout(verdicts, node)}</span>})</>}
                    </p>
                    {part("Callers", node, node.callers)}
                    {part("Callees", node, node.callees)}
                </article>
            ))}
        </div>
    );
}
