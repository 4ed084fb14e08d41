// What a search finds in a tree: by symbol, and how much of the whole goes through it.

import type { Tree } from "./tree";

export interface Found {
    symbols: Uint8Array; // 1 where the symbol matches
    nodes: number;
    weight: number; // of the outermost matching nodes: each byte once
}

// A regular expression; as plain text where it is none.
export function pattern(text: string): RegExp {
    try {
        return new RegExp(text, "i");
    } catch {
        return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
    }
}

export function search(tree: Tree, text: string): Found | null {
    if (!text) return null;
    const wanted = pattern(text);
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
