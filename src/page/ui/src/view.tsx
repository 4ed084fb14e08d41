// Which view is shown, and the tree that most of them draw.

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { type Asked, useAnswer } from "./api";
import { DEEPER, heaviestCalled, heaviestOwn, Palette } from "./colours";
import { CallTree } from "./call-tree";
import { Circles } from "./circles";
import { Flame, type FlameProps } from "./flame";
import { Force } from "./force";
import { count, counted, percent, value } from "./format";
import { Peek, Top } from "./functions";
import { Graph } from "./graph";
import { Domains, Histograms } from "./histograms";
import { Holders } from "./holders-view";
import { Interest } from "./interest";
import { functionAt, publish, stepsBy } from "./marks";
import { Minimap } from "./minimap";
import { foldedIn } from "./rows";
import { reportQuestion, rootPattern, scaleOf, typeOf } from "./report-answer";
import { Reports } from "./reports";
import { Sandwich } from "./sandwich";
import { type Found, search } from "./search";
import { type Navigate, type State, type ViewName, views } from "./state";
import type { Theme } from "./theme";
import { Source } from "./source";
import { Tree } from "./tree";
import { Treemap } from "./treemap";
import type { Shown, TreeAnswer } from "./types";
import { doubtOf, useVerdicts, VerdictLine, type Verdicts } from "./verdicts";

export interface ViewProps {
    about: Shown;
    state: State;
    navigate: Navigate;
    theme: Theme;
    palette: Palette; // of the functions of one's own that hold most over time; of a profile none
}

// Views beside which what is chosen stands.
export const withPane = new Set<ViewName>(["flame", "top", "graph", "holders", "tree", "sandwich", "peek", "source", "treemap", "circles", "force", "domains"]);

// Those in which something can be searched for.
export const searched = new Set<ViewName>(["flame", "top", "graph", "holders", "tree", "sandwich", "treemap", "circles", "force"]);

// Those of which the timeline says what they are of, and that leave room for it.
export const withTimeline = new Set<ViewName>(["flame", "top", "tree", "treemap", "circles", "force", "histograms", "domains", "interest"]);

const drawings: Partial<Record<ViewName, (props: FlameProps) => JSX.Element>> = {
    tree: CallTree,
    treemap: Treemap,
    circles: Circles,
    force: Force,
};

export function unitOf(about: Shown, state: State): string {
    if (about.types) return about.types[typeOf(about, state)].unit;
    return state.weight === "bytes" ? "bytes" : "count";
}

// Of all stacks; or of those through a function: its callers, or what it calls.
export function treeQuestion(about: Shown, state: State, name = "", report: "tree" | "callers" | "callees" = "tree"): string {
    return reportQuestion(about, state, report, {
        form: "columns",
        ...(report === "tree" ? { reverse: state.direction === "up" } : { function: rootPattern(name) }),
        "merge-recursion": state.recursion || merged.has(state.view),
        nodes: state.nodes,
    });
}

export function useTree(about: Shown, state: State, url: string | null): Asked<Tree> {
    return useAnswer(url, about.generation, (raw: never) => Tree.of(raw as TreeAnswer, scaleOf(about, state)), state.weight);
}

// Pictures of areas: recursion would fill them with frames in frames.
const merged = new Set<ViewName>(["treemap", "circles", "force"]);

function Hidden({ tree, unit }: { tree: Tree; unit: string }) {
    if (tree.hiddenBranches === 0) return null;
    return <span class="quiet"> · {count(tree.hiddenBranches)} light branches hidden ({value(tree.hiddenWeight, unit)}, {percent(tree.hiddenWeight, tree.total[0])})</span>;
}

// Pictures whose siblings stand in an order that can be chosen.
export const ordered = new Set<ViewName>(["flame", "sandwich"]);

// Colours of a tree's symbols.  What a profile has of one's own gets them by what it weighs: in `whole`, where the tree is a part of that.
export function useFills({ palette, theme, state }: ViewProps, tree: Tree | null, whole: Tree | null = tree): string[] {
    return useMemo(() => {
        if (!tree) return [];
        const heavy = palette.places.length > 0 || !whole ? [] : whole === tree && state.direction === "up" ? heaviestCalled(whole) : heaviestOwn(whole);
        return palette.with(heavy.map(({ symbol }) => ({ function: whole!.functions[symbol], file: whole!.files[symbol] }))).fills(theme, tree);
    }, [tree, whole, palette, theme]);
}

// The next or previous node, in the order of the picture, whose function matches; round at the ends.
function matchFrom(tree: Tree, found: Found, at: number, by: number): number {
    for (let i = 1; i < tree.count; i++) {
        const node = (((at + by * i) % tree.count) + tree.count) % tree.count;
        if (node > 0 && found.symbols[tree.symbol[node]]) return node;
    }
    return -1;
}

function Folded({ tree, unit, state, navigate }: { tree: Tree; unit: string; state: State; navigate: Navigate }) {
    const { functions, weight } = useMemo(() => foldedIn(tree), [tree]);
    if (functions === 0) return null;
    return (
        <label class="field check" title="Allocators, standard libraries, installed packages; thin and grey where they are folded">
            <input id="libraries" type="checkbox" checked={state.libraries} onChange={(event) => navigate({ libraries: event.currentTarget.checked })} />
            <span>libraries: {count(functions)} functions, {value(weight, unit)} in themselves ({percent(weight, tree.total[0])}){state.libraries ? "" : ", folded"}</span>
        </label>
    );
}

// The node that is marked; in another tree, the one of the same path.  -1 for none.
export function useMarked(tree: Tree | null): [number, (node: number) => void] {
    const [marked, mark] = useState<{ tree: Tree; node: number } | null>(null);
    const node = useMemo(() => {
        if (!tree || !marked) return -1;
        if (marked.tree === tree) return marked.node;
        const key = marked.tree.key(marked.node);
        const found = tree.find(key);
        return tree.key(found) === key ? found : -1;
    }, [tree, marked]);
    return [node, (to: number) => mark(tree && to >= 0 ? { tree, node: to } : null)];
}

// A tree of a comparison, with what is known of its functions' changes.
export function useJudged(about: Shown, state: State, tree: Tree | null): { tree: Tree | null; verdicts: Verdicts | null } {
    const verdicts = useVerdicts(about, state, !!tree);
    const judged = useMemo(() => (tree && verdicts?.doubts.size ? tree.judged((name, file, line) => doubtOf(verdicts, name, file, line)) : tree), [tree, verdicts]);
    return { tree: judged, verdicts };
}

// Why a picture is empty, and what to do.
function Nothing({ state }: { state: State }) {
    return (
        <p class="remark" role="status" id="nothing">
            {state.filter
                ? <>Nothing passes the filter <code>{state.filter}</code>: take one of its clauses away.</>
                : state.quantity !== "allocated" ? "Nothing of this file counts so: choose under Count what was allocated." : "The file has no allocations."}
        </p>
    );
}

function TreeViews(props: ViewProps) {
    const { about, state, navigate, theme } = props;
    const url = treeQuestion(about, state);
    const asked = useTree(about, state, url);
    const judged = useJudged(about, state, asked.answer);
    const tree = useMemo(() => (judged.tree && state.order === "weight" && ordered.has(state.view) ? judged.tree.byWeight() : judged.tree), [judged.tree, state.order, state.view]);
    const [node, select] = useMarked(tree);
    const unit = unitOf(about, state);
    const found = useMemo(() => (tree ? search(tree, state.search) : null), [tree, state.search]);
    const zoom = useMemo(() => (tree ? tree.find(state.zoom) : 0), [tree, state.zoom]);
    const fills = useFills(props, tree);
    useLayoutEffect(() => {
        publish(tree ? { tree, node: node < 0 ? zoom : node, unit } : null);
        stepsBy(tree && found ? (by) => select(matchFrom(tree, found, Math.max(0, node < 0 ? zoom : node), by)) : null);
        return () => (publish(null), stepsBy(null));
    }, [tree, node, zoom, unit, found]);
    if (asked.error && !tree) return <p class="remark" role="alert">{asked.error}</p>;
    if (!tree) return <p class="quiet" role="status">Counting…</p>;
    const zoomTo = (to: number) => navigate({ zoom: tree.key(to), ...functionAt(tree, to) });
    const open = (to: number) => to > 0 && navigate({ view: "sandwich", ...functionAt(tree, to) });
    const shared = { tree, unit, theme, fills, folds: !state.libraries && state.view === "flame", zoom, at: node, found, select, zoomTo, open, file: `heaptap-${about.name}-${state.view}` };
    const Drawing = drawings[state.view] ?? Flame;
    const summary = (
        <>
            <span data-total={tree.total[0]}>{value(tree.total[0], unit)}</span>
            {tree.base && <>, before <span data-base={tree.base[0]}>{value(tree.base[0], unit)}</span></>} in {counted(tree.count - 1, "node")}
            {found && <span data-found={found.weight}> · found {value(found.weight, unit)} ({percent(found.weight, tree.total[0])}) in {counted(found.nodes, "node")}</span>}
            <Hidden tree={tree} unit={unit} />{" "}
            {state.view === "flame" && <Folded tree={tree} unit={unit} state={state} navigate={navigate} />}
        </>
    );
    return (
        <div class={asked.waiting ? "busy" : ""} aria-busy={asked.waiting} data-answers={asked.url} data-zoom={zoom}>
            {asked.error && <p class="remark" role="alert">{asked.error}</p>}
            <VerdictLine verdicts={judged.verdicts} />
            {tree.functions.includes(DEEPER) && <p class="quiet" role="status" id="cut">Some stacks are too deep to show whole: frames of theirs stand as <code>{DEEPER}</code>.</p>}
            {tree.total[0] === 0 && (!tree.base || tree.base[0] === 0) && <Nothing state={state} />}
            {state.view === "flame" && zoom > 0 && <Minimap {...shared} />}
            <Drawing {...shared} up={false} label={`${views[state.view]}, ${value(tree.total[0], unit)}; arrows move, Enter zooms`}>{summary}</Drawing>
        </div>
    );
}

const others: Partial<Record<ViewName, (props: ViewProps) => JSX.Element>> = {
    sandwich: Sandwich,
    top: Top,
    peek: Peek,
    graph: Graph,
    histograms: Histograms,
    domains: Domains,
    source: Source,
    interest: Interest,
    holders: Holders,
    reports: Reports,
};

export function ViewOf(props: ViewProps) {
    const View = others[props.state.view] ?? TreeViews;
    return <View {...props} />;
}
