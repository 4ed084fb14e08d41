// What is marked in the picture that is seen, for the pane beside it; and the way back, steps that a picture takes.

import { useEffect, useState } from "preact/hooks";
import type { Tree } from "./tree";

export interface Marked {
    tree: Tree;
    node: number; // 0: nothing in particular
    unit: string;
}

// The function of a node, as the state has it.
export function functionAt(tree: Tree, node: number): { function: string; of: string } {
    return node > 0 ? { function: tree.functions[tree.symbol[node]], of: tree.file(node) } : { function: "", of: "" };
}

let marked: Marked | null = null;
const listeners = new Set<(marked: Marked | null) => void>();

export function publish(next: Marked | null): void {
    marked = next;
    for (const listener of listeners) listener(next);
}

export function useMarkedNode(): Marked | null {
    const [seen, see] = useState(marked);
    useEffect(() => {
        listeners.add(see);
        see(marked);
        return () => void listeners.delete(see);
    }, []);
    return seen;
}

// The picture's own way to the next (1) or previous (-1) match of the search; null where there is none.
let steps: ((by: number) => void) | null = null;

export function stepsBy(step: ((by: number) => void) | null): void {
    steps = step;
}

export function stepToMatch(by: number): void {
    steps?.(by);
}
