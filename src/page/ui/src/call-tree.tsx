// The call tree as a table whose rows open.

import { useEffect, useMemo, useState } from "preact/hooks";
import { csv, download } from "./files";
import type { FlameProps } from "./flame";
import { percent, value } from "./format";
import { changeClass } from "./functions";
import type { Tree } from "./tree";
import { Fold, type GridRow, indentOf, TreeGrid } from "./tree-grid";

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

interface Row extends GridRow {
    node: number;
}

function rowsOf(tree: Tree, root: number, open: Set<number>): Row[] {
    const rows: Row[] = [];
    const add = (node: number, depth: number) => {
        if (rows.length >= ROWS_MAX) return;
        rows.push({ node, depth, key: String(node), isOpen: tree.end[node] > node + 1 ? open.has(node) : undefined, doubt: tree.doubt(node) });
        if (!open.has(node)) return;
        const children = byWeight(tree, node);
        for (const child of children.slice(0, CHILDREN_MAX)) add(child, depth + 1);
        if (children.length > CHILDREN_MAX) rows.push({ node, depth: depth + 1, key: String(node), note: `${children.length - CHILDREN_MAX} lighter callees of ${tree.name(node)}` });
    };
    add(root, 0);
    return rows;
}

export function CallTree(props: FlameProps) {
    const { tree, unit, zoom, found } = props;
    const [open, setOpen] = useState<Set<number>>(() => heavyPath(tree, zoom));
    useEffect(() => setOpen(heavyPath(tree, zoom)), [tree, zoom]);
    const rows = useMemo(() => rowsOf(tree, zoom, open), [tree, zoom, open]);
    const all = tree.total[0];
    const toggle = ({ node }: Row, wanted: boolean) => {
        const next = new Set(open);
        if (wanted) next.add(node);
        else next.delete(node);
        setOpen(next);
    };
    const save = () => {
        const table: (string | number)[][] = [["depth", "total", "self", ...(tree.base ? ["before"] : []), "function", "file"]];
        for (const { node, depth, note } of rows)
            if (!note) table.push([depth, tree.total[node], tree.self[node], ...(tree.base ? [tree.base[node]] : []), tree.name(node), tree.file(node)]);
        download(props.file + ".csv", "text/csv", csv(table));
    };
    return (
        <>
            <TreeGrid label={props.label} rows={rows} at={props.at < 0 ? "" : String(props.at)} toggle={toggle} select={({ node }) => props.select(node)} open={({ node }) => props.open(node)} leave={() => props.zoomTo(0)}
                head={
                    <>
                        <th class="number">Total</th>
                        <th class="number">%</th>
                        <th class="number hide-narrow">Itself</th>
                        {tree.base && <th class="number">Before</th>}
                        <th>Function</th>
                    </>
                }
                cells={(row) => row.note ? <td colSpan={tree.base ? 5 : 4}>{row.note}</td> : (
                    <>
                        <td class="number">{value(tree.total[row.node], unit)}</td>
                        <td class="number">{percent(tree.total[row.node], all)}</td>
                        <td class="number hide-narrow">{tree.self[row.node] ? value(tree.self[row.node], unit) : ""}</td>
                        {tree.base && <td class={"number " + (row.doubt ? "quiet" : changeClass(tree.base[row.node], tree.total[row.node]))}>{value(tree.base[row.node], unit)}{row.doubt && ` ${row.doubt}`}</td>}
                        <td class="name mono" style={indentOf(row)}>
                            <Fold row={row} />
                            {found && row.node > 0 && found.symbols[tree.symbol[row.node]] ? <mark>{tree.name(row.node)}</mark> : tree.name(row.node)}
                        </td>
                    </>
                )} />
            <div class="caption">
                <span class="caption-text">{props.children}</span>
                <span class="buttons"><button type="button" onClick={save}>CSV</button></span>
            </div>
        </>
    );
}
