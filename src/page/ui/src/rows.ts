// Where each node of a flame graph stands: a row of its own below its caller's, thin where it is a library's and these are folded.

import type { Tree } from "./tree";

export const ROW = 18;
export const THIN = 4;

export interface Rows {
    top: Float64Array; // by node: from the root's edge
    height: (node: number) => number;
    whole: number;
}

export function rowsOf(tree: Tree, folds: boolean): Rows {
    const height = (node: number) => (folds && tree.isLibrary(node) ? THIN : ROW);
    const top = new Float64Array(tree.count);
    let whole = ROW;
    for (let node = 1; node < tree.count; node++) {
        top[node] = top[tree.parent[node]] + height(tree.parent[node]);
        whole = Math.max(whole, top[node] + height(node));
    }
    return { top, height, whole };
}

// What is folded: how many functions, and what they hold themselves.
export function foldedIn(tree: Tree): { functions: number; weight: number } {
    const seen = new Set<number>();
    let weight = 0;
    for (let node = 1; node < tree.count; node++)
        if (tree.isLibrary(node)) {
            seen.add(tree.symbol[node]);
            weight += tree.self[node];
        }
    return { functions: seen.size, weight };
}
