// What a node of a tree is, in a few lines.

import { percent, value } from "./format";
import type { Tree } from "./tree";

export function NodeTip({ tree, node, unit }: { tree: Tree; node: number; unit: string }) {
    if (node >= tree.count) return null; // the tree has changed under the pointer
    const all = tree.total[0];
    const own = tree.self[node];
    return (
        <>
            <strong>{tree.name(node)}</strong>
            {tree.file(node) && <div class="quiet">{tree.file(node)}</div>}
            <div>{value(tree.total[node], unit)} ({percent(tree.total[node], all)})</div>
            {own !== 0 && <div>itself {value(own, unit)} ({percent(own, all)})</div>}
            {tree.base && <div>before {value(tree.base[node], unit)}{tree.doubt(node) && <span class="quiet">: {tree.doubt(node)}</span>}</div>}
        </>
    );
}
