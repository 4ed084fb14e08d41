// What a search finds in a tree: by symbol, and how much of the whole goes through it.

import type { Tree } from "./tree";

export interface Found {
    symbols: Uint8Array; // 1 where the symbol matches
    nodes: number;
    weight: number; // of the outermost matching nodes: each byte once
}

// A regular expression that ignores case; null for no text, and where it is none.
export function pattern(text: string): RegExp | null {
    try {
        return text ? new RegExp(text, "i") : null;
    } catch {
        return null;
    }
}

// What is wrong with a regular expression; "" for nothing.
export function complaint(text: string): string {
    try {
        new RegExp(text, "i");
        return "";
    } catch (error) {
        return (error as Error).message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/, "");
    }
}

export function search(tree: Tree, text: string): Found | null {
    const wanted = pattern(text);
    if (!wanted) return null;
    const symbols = new Uint8Array(tree.functions.length);
    for (let i = 0; i < symbols.length; i++) symbols[i] = wanted.test(tree.functions[i]) || wanted.test(tree.files[i] ?? "") ? 1 : 0;
    let nodes = 0;
    let weight = 0;
    let counted = 0; // up to here the weight is in
    for (let node = 1; node < tree.count; node++) {
        if (!symbols[tree.symbol[node]]) continue;
        nodes++;
        if (node < counted) continue;
        weight += tree.total[node];
        counted = tree.end[node];
    }
    return { symbols, nodes, weight };
}
