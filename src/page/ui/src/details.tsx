// What is marked in a picture, in words, and where one can go from there.

import { isReport } from "./api";
import { quoted, withClause } from "./clauses";
import { copyText } from "./files";
import { functionAt } from "./marks";
import { percent, value } from "./format";
import type { Navigate } from "./state";
import type { Tree } from "./tree";

export function Details({ tree, node, unit, navigate, filter, home }: { tree: Tree; node: number; unit: string; navigate: Navigate; filter: string; home?: string }) {
    const of = functionAt(tree, node);
    const name = of.function;
    const add = (word: string) => navigate({ filter: withClause(filter, `${word}:function=${quoted(name, true)}`), zoom: "" });
    return (
        <section class="details" aria-label="Marked" aria-live="polite">
            <p>
                <strong id="marked" class="long" title={tree.name(node)}>{tree.name(node)}</strong>
                {tree.file(node) && <span class="quiet"> {tree.file(node)}</span>}
                <br />
                <span id="marked-total" data-value={tree.total[node]}>{value(tree.total[node], unit)}</span> ({percent(tree.total[node], tree.total[0])})
                {tree.self[node] !== 0 && <>, itself {value(tree.self[node], unit)}</>}
                {tree.base && <>, before {value(tree.base[node], unit)}</>}
                {tree.doubt(node) && <span class="quiet" id="marked-doubt">: {tree.doubt(node)}, of all that comes through the function</span>}
            </p>
            {node > 0 && (
                <p class="buttons">
                    <button type="button" onClick={() => navigate({ zoom: tree.key(node) })}>Zoom</button>
                    <button type="button" onClick={() => navigate({ view: "sandwich", ...of })}>Callers and callees</button>
                    <button type="button" onClick={() => navigate({ view: "peek", ...of })}>Peek</button>
                    <button type="button" onClick={() => navigate({ view: "source", ...of })}>Source</button>
                    {!isReport && (
                        <>
                            <button type="button" onClick={() => add("focus")}>Only through this</button>
                            <button type="button" onClick={() => add("ignore")}>All but this</button>
                            <button type="button" onClick={() => add("hide")}>Hide</button>
                        </>
                    )}
                    {home && <a class="button" id="cost" href={`${home}${home.includes("?") ? "&" : "?"}through=${encodeURIComponent(name)}`} title="What leads through this function, by service and over time">Cost over all services</a>}
                    <button type="button" onClick={() => copyText(tree.path(node).map((symbol) => tree.functions[symbol]).join(";"))}>Copy stack</button>
                </p>
            )}
        </section>
    );
}
