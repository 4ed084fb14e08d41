// Which colour a function has, everywhere on the page: the heaviest functions of one's own code have one each, by rank, in the
// timeline's stack as in every picture; others of one's own are pale, a tint by their names, and libraries are grey.

import type { Theme } from "./theme";
import { hash } from "./theme";
import type { Tree } from "./tree";

export interface Place {
    function: string;
    file: string | null;
}

export const RANKED = 7; // colours that are told apart by everybody (tests/viewer/colours.mjs)

function keyOf(name: string, file: string | null): string {
    return `${name}\0${file ?? ""}`;
}

export class Palette {
    private readonly ranks = new Map<string, number>();

    // The heaviest first; more than there are colours are left out.
    constructor(readonly places: Place[]) {
        places.slice(0, RANKED).forEach((place, rank) => {
            this.ranks.set(keyOf(place.function, place.file), rank);
            if (!this.ranks.has(place.function)) this.ranks.set(place.function, rank); // where no file is told
        });
    }

    // The places of this one, then those of others that are new to it.
    with(others: Place[]): Palette {
        const fresh = others.filter((place) => !this.ranks.has(keyOf(place.function, place.file)));
        return fresh.length > 0 ? new Palette([...this.places, ...fresh]) : this;
    }

    // Its place among those that have a colour; -1 for none.
    rank(name: string, file: string | null): number {
        return this.ranks.get(file === null ? name : keyOf(name, file)) ?? -1;
    }

    fill(theme: Theme, name: string, file: string | null, isLibrary = false): string {
        const rank = isLibrary ? -1 : this.rank(name, file);
        if (rank >= 0) return theme.ranks[rank];
        return isLibrary ? theme.library : name ? theme.own[hash(file || name) % theme.own.length] : theme.unknown;
    }

    // By symbol of a tree.
    fills(theme: Theme, tree: Tree): string[] {
        return tree.functions.map((name, symbol) => this.fill(theme, name, tree.files[symbol], tree.libraries[symbol] === 1));
    }
}

export const DEEPER = "<deeper>"; // the frames of a stack that is cut

// What a node has that none of its callees has; of a comparison, by how much that has grown.
function ownOf(tree: Tree, node: number): number {
    if (!tree.base) return tree.self[node];
    const grown = (at: number) => tree.total[at] - tree.base![at];
    return tree.children(node).reduce((sum, child) => sum - grown(child), grown(node));
}

const marks = new Set([DEEPER, "<no stack>"]); // stand for functions that aren't told

// What each function of one's own holds in a tree itself or through libraries alone, the heaviest first: by symbol.
export function heaviestOwn(tree: Tree): { symbol: number; weight: number }[] {
    const weights = new Map<number, number>();
    const own = new Int32Array(tree.count).fill(-1); // the innermost of one's own on the path
    for (let node = 1; node < tree.count; node++) {
        own[node] = tree.libraries[tree.symbol[node]] || marks.has(tree.functions[tree.symbol[node]]) ? own[tree.parent[node]] : tree.symbol[node];
        const weight = ownOf(tree, node);
        if (own[node] >= 0 && weight !== 0) weights.set(own[node], (weights.get(own[node]) ?? 0) + weight);
    }
    return [...weights].map(([symbol, weight]) => ({ symbol, weight })).sort((a, b) => b.weight - a.weight);
}

// The outermost call of one's own on each path, of a tree whose root's children allocate.
export function heaviestCalled(tree: Tree): { symbol: number; weight: number }[] {
    const weights = new Map<number, number>();
    for (let node = 1; node < tree.count; ) {
        if (tree.libraries[tree.symbol[node]] || marks.has(tree.functions[tree.symbol[node]])) {
            node++;
            continue;
        }
        weights.set(tree.symbol[node], (weights.get(tree.symbol[node]) ?? 0) + tree.total[node]);
        node = tree.end[node];
    }
    return [...weights].map(([symbol, weight]) => ({ symbol, weight })).sort((a, b) => b.weight - a.weight);
}
