// The call tree as a table whose rows open.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { csv, download } from "./files";
import type { FlameProps } from "./flame";
import { percent, value } from "./format";
import { changeClass } from "./functions";
import type { Tree } from "./tree";

const ROWS_MAX = 3000; // a page of them; what is heavier comes first
const CHILDREN_MAX = 200;

function byWeight(tree: Tree, node: number): number[] {
    return tree.children(node).sort((a, b) => tree.width(b) - tree.width(a));
}

// From `root` down the heaviest callees, while they hold most of their caller.
function heavyPath(tree: Tree, root: number): Set<number> {
    const open = new Set<number>([root]);
    for (let node = root; ; ) {
        const [first] = byWeight(tree, node);
        if (first === undefined || tree.width(first) < 0.5 * tree.width(node)) return open;
        open.add((node = first));
    }
}

interface Row {
    node: number;
    depth: number;
    more: number; // siblings that are not listed
}

function rowsOf(tree: Tree, root: number, open: Set<number>): Row[] {
    const rows: Row[] = [];
    const add = (node: number, depth: number) => {
        if (rows.length >= ROWS_MAX) return;
        rows.push({ node, depth, more: 0 });
        if (!open.has(node)) return;
        const children = byWeight(tree, node);
        for (const child of children.slice(0, CHILDREN_MAX)) add(child, depth + 1);
        if (children.length > CHILDREN_MAX) rows.push({ node, depth: depth + 1, more: children.length - CHILDREN_MAX });
    };
    add(root, 0);
    return rows;
}

export function CallTree(props: FlameProps) {
    const { tree, unit, zoom, found } = props;
    const [open, setOpen] = useState<Set<number>>(() => heavyPath(tree, zoom));
    const body = useRef<HTMLTableElement>(null);
    useEffect(() => setOpen(heavyPath(tree, zoom)), [tree, zoom]);
    const rows = useMemo(() => rowsOf(tree, zoom, open), [tree, zoom, open]);
    const all = tree.total[0];
    const toggle = (node: number, wanted = !open.has(node)) => {
        const next = new Set(open);
        if (wanted) next.add(node);
        else next.delete(node);
        setOpen(next);
    };
    const focusRow = (node: number) => body.current?.querySelector<HTMLElement>(`[data-node="${node}"]`)?.focus();
    const key = (event: KeyboardEvent, row: Row, at: number) => {
        const move = (to: number) => {
            const next = rows[to];
            if (next) {
                props.select(next.node);
                focusRow(next.node);
            }
        };
        const leaf = tree.end[row.node] === row.node + 1;
        if (event.key === "ArrowDown" || event.key === "j") move(at + 1);
        else if (event.key === "ArrowUp" || event.key === "k") move(at - 1);
        else if (event.key === "ArrowRight" || event.key === "l") open.has(row.node) || leaf ? move(at + 1) : toggle(row.node, true);
        else if (event.key === "ArrowLeft" || event.key === "h") open.has(row.node) && !leaf ? toggle(row.node, false) : focusRow(tree.parent[row.node]);
        else if (event.key === "Enter") event.shiftKey ? props.open(row.node) : toggle(row.node);
        else if (event.key === "Escape") props.zoomTo(0);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const save = () => {
        const table: (string | number)[][] = [["depth", "total", "self", ...(tree.base ? ["before"] : []), "function", "file"]];
        for (const { node, depth, more } of rows)
            if (!more) table.push([depth, tree.total[node], tree.self[node], ...(tree.base ? [tree.base[node]] : []), tree.name(node), tree.file(node)]);
        download(props.file + ".csv", "text/csv", csv(table));
    };
    return (
        <>
            <div class="table-box">
                <table class="table" role="treegrid" aria-label={props.label} ref={body}>
                    <thead>
                        <tr>
                            <th class="number">Total</th>
                            <th class="number">%</th>
                            <th class="number hide-narrow">Itself</th>
                            {tree.base && <th class="number">Before</th>}
                            <th>Function</th>
                        </tr>
                    </thead>
                    <tbody>
                        {rows.map((row, at) =>
                            row.more ? (
                                <tr key={`more-${row.node}`}><td colSpan={5} class="quiet">{row.more} lighter callees of {tree.name(row.node)}</td></tr>
                            ) : (
                                <tr key={row.node} role="row" data-node={row.node} data-doubt={tree.doubt(row.node)} aria-level={row.depth + 1} aria-expanded={tree.end[row.node] > row.node + 1 ? open.has(row.node) : undefined}
                                    tabIndex={row.node === props.at || (props.at < 0 && at === 0) ? 0 : -1} class={row.node === props.at ? "marked" : ""}
                                    onClick={() => (props.select(row.node), toggle(row.node))} onDblClick={() => props.open(row.node)} onKeyDown={(event) => key(event, row, at)}>
                                    <td class="number">{value(tree.total[row.node], unit)}</td>
                                    <td class="number">{percent(tree.total[row.node], all)}</td>
                                    <td class="number hide-narrow">{tree.self[row.node] ? value(tree.self[row.node], unit) : ""}</td>
                                    {tree.base && <td class={"number " + (tree.doubt(row.node) ? "quiet" : changeClass(tree.base[row.node], tree.total[row.node]))}>{value(tree.base[row.node], unit)}{tree.doubt(row.node) && ` ${tree.doubt(row.node)}`}</td>}
                                    <td class="name mono" style={{ paddingLeft: 8 + Math.min(row.depth, 24) * 10 + "px" }}>
                                        <span aria-hidden="true" class="quiet">{tree.end[row.node] === row.node + 1 ? "· " : open.has(row.node) ? "▾ " : "▸ "}</span>
                                        {found && row.node > 0 && found.symbols[tree.symbol[row.node]] ? <mark>{tree.name(row.node)}</mark> : tree.name(row.node)}
                                    </td>
                                </tr>
                            ),
                        )}
                    </tbody>
                </table>
            </div>
            <div class="caption">
                <span class="caption-text">{props.children}</span>
                <span class="buttons"><button type="button" onClick={save}>CSV</button></span>
            </div>
        </>
    );
}
