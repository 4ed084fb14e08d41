// The layout of directed graphs: graphviz's dot, compiled to WebAssembly.  A module of its own, loaded
// when a graph is first looked at, as it is larger than the rest of the page.

import { Graphviz } from "@hpcc-js/wasm-graphviz";

export interface GraphShape {
    nodes: { width: number; height: number }[];
    edges: { from: number; to: number; weight: number }[];
}

export interface GraphPlace {
    width: number;
    height: number;
    nodes: { x: number; y: number }[]; // centres
    edges: number[][]; // x and y in turn: a point, then three for each cubic curve
}

const INCH = 72;

function dotOf(shape: GraphShape): string {
    const lines = ["digraph {", "ranksep=0.55; nodesep=0.2; node [shape=box, fixedsize=true, label=\"\"];"];
    shape.nodes.forEach((node, i) => lines.push(`${i} [width=${(node.width / INCH).toFixed(3)}, height=${(node.height / INCH).toFixed(3)}];`));
    shape.edges.forEach((edge) => lines.push(`${edge.from} -> ${edge.to} [weight=${Math.max(1, Math.round(edge.weight))}];`));
    lines.push("}");
    return lines.join("\n");
}

// dot's plain format: lines of words; lengths in inches, y upwards.
function parse(plain: string, shape: GraphShape): GraphPlace {
    const place: GraphPlace = { width: 0, height: 0, nodes: shape.nodes.map(() => ({ x: 0, y: 0 })), edges: shape.edges.map(() => []) };
    const waiting = new Map<string, number[]>(); // edges between the same two nodes come in order
    shape.edges.forEach((edge, i) => {
        const key = `${edge.from} ${edge.to}`;
        waiting.set(key, [...(waiting.get(key) ?? []), i]);
    });
    for (const line of plain.split("\n")) {
        const words = line.split(" ");
        if (words[0] === "graph") {
            place.width = Number(words[2]) * INCH;
            place.height = Number(words[3]) * INCH;
        } else if (words[0] === "node") {
            place.nodes[Number(words[1])] = { x: Number(words[2]) * INCH, y: place.height - Number(words[3]) * INCH };
        } else if (words[0] === "edge") {
            const edge = waiting.get(`${words[1]} ${words[2]}`)?.shift();
            const numbers = words.slice(4, 4 + 2 * Number(words[3])).map((word) => Number(word) * INCH);
            if (edge !== undefined) place.edges[edge] = numbers.map((number, i) => (i % 2 ? place.height - number : number));
        }
    }
    return place;
}

async function layout(shape: GraphShape): Promise<GraphPlace> {
    const graphviz = await Graphviz.load();
    return parse(graphviz.layout(dotOf(shape), "plain", "dot"), shape);
}

(window as unknown as { heaptapLayout: typeof layout }).heaptapLayout = layout;
