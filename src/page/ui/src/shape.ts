// A tree cut down to what can be drawn as areas: chains of callers that hold the same become one,
// and what is too light stays in its caller.

import type { Tree } from "./tree";

export interface Area {
    node: number; // the innermost of the chain
    first: number; // the outermost
    own: number; // what is not in `children`
    total: number;
    base: number; // before, in a comparison
    children: Area[];
}

// A caller whose one heavy callee holds `chain` of it is no area of its own.
export function areas(tree: Tree, root: number, leastShare: number, chain = 0.999): Area {
    const least = leastShare * tree.width(root);
    const make = (first: number): Area => {
        let node = first;
        let children = heavy(node);
        while (children.length === 1 && node !== root && tree.width(children[0]) >= chain * tree.width(node)) {
            node = children[0];
            children = heavy(node);
        }
        const inner = children.map(make);
        const below = inner.reduce((sum, child) => sum + child.total, 0);
        const total = tree.width(first);
        return { node, first, own: Math.max(0, total - below), total, base: tree.base ? tree.base[first] : 0, children: inner };
    };
    const heavy = (node: number) => tree.children(node).filter((child) => tree.width(child) > 0 && tree.width(child) >= least);
    return make(root);
}

export function label(tree: Tree, area: Area): string {
    return area.first === area.node ? tree.name(area.node) : `${tree.name(area.first)} … ${tree.name(area.node)}`;
}
