// One function: who calls it, above, and what it calls, below; each as far as it goes.

import { useMemo, useState } from "preact/hooks";
import { functionAt } from "./marks";
import { Details } from "./details";
import { Flame } from "./flame";
import { percent, value } from "./format";
import { FunctionField } from "./functions";
import { search } from "./search";
import type { Tree } from "./tree";
import { VerdictLine } from "./verdicts";
import { treeQuestion, unitOf, useFills, useJudged, useTree, type ViewProps } from "./view";

export function Sandwich(props: ViewProps) {
    const { about, state, navigate, theme } = props;
    const focus = state.function;
    const inOrder = (tree: Tree | null) => (tree && state.order === "weight" ? tree.byWeight() : tree);
    const below = useTree(about, state, focus ? treeQuestion(about, state, focus, "callees") : null);
    const above = useTree(about, state, focus ? treeQuestion(about, state, focus, "callers") : null);
    const judged = [useJudged(about, state, below.answer), useJudged(about, state, above.answer)];
    const callees = { ...below, answer: useMemo(() => inOrder(judged[0].tree), [judged[0].tree, state.order]) };
    const callers = { ...above, answer: useMemo(() => inOrder(judged[1].tree), [judged[1].tree, state.order]) };
    const [at, setAt] = useState<{ up: boolean; node: number } | null>(null);
    const unit = unitOf(about, state);
    const both = focus && callees.answer && callers.answer;
    const found = useMemo(() => [callers.answer, callees.answer].map((tree) => (tree ? search(tree, state.search) : null)), [callers.answer, callees.answer, state.search]);
    const error = callees.error || callers.error;
    const hasRanks = props.palette.places.length > 0; // else the colours are those of the flame graph
    const whole = useTree(about, state, focus && !hasRanks ? treeQuestion(about, { ...state, view: "flame", direction: "down" }) : null).answer;
    const fills = [useFills(props, callers.answer, whole), useFills(props, callees.answer, whole)];
    const half = (tree: Tree, up: boolean) => (
        <Flame tree={tree} unit={unit} theme={theme} fills={fills[up ? 0 : 1]} folds={false} up={up} zoom={0} at={at && at.up === up && at.node < tree.count ? at.node : -1} found={found[up ? 0 : 1]}
            label={up ? `Callers of ${focus}` : `Callees of ${focus}`} file={`heaptap-${about.name}-${up ? "callers" : "callees"}`}
            select={(node) => setAt({ up, node })} zoomTo={() => {}} tall={tree.maxDepth < 24}
            open={(node) => node > 0 && navigate(functionAt(tree, node))}>
            {up ? "Callers" : "Callees"}: {value(tree.total[0], unit)}
        </Flame>
    );
    const tree = at ? (at.up ? callers.answer : callees.answer) : callees.answer;
    return (
        <div aria-busy={callees.waiting || callers.waiting} data-answers={focus ? callees.url : "none"}>
            <FunctionField {...props} />
            {error && <p class="remark" role="alert">{error}</p>}
            {!focus && <p class="quiet">Which function? Type its name, or double-click one in a picture.</p>}
            {both && both.width(0) === 0 && <p class="remark" role="status">Nothing of the selection comes through {focus}.</p>}
            {both && both.width(0) !== 0 && (
                <>
                    <VerdictLine verdicts={judged[0].verdicts} />
                    {half(callers.answer!, true)}
                    <h2 class="focus">
                        <span class="mono">{focus}</span> <span data-total={both.total[0]}>{value(both.total[0], unit)}</span>
                        {both.base && <>, before <span data-base={both.base[0]}>{value(both.base[0], unit)}</span></>}
                        {both.count > 1 && both.self[1] ? <span class="quiet">, itself {value(both.self[1], unit)} ({percent(both.self[1], both.total[0])})</span> : null}
                    </h2>
                    {half(callees.answer!, false)}
                    {tree && at && at.node > 0 && at.node < tree.count && <Details tree={tree} node={at.node} unit={unit} navigate={navigate} filter={state.filter} home={about.home} />}
                </>
            )}
        </div>
    );
}
