// The layout of directed graphs: a module of its own, loaded when a graph is first looked at.

import dagre from "@dagrejs/dagre";

export interface GraphShape {
    nodes: { width: number; height: number }[];
    edges: { from: number; to: number; weight: number }[];
}

export interface GraphPlace {
    width: number;
    height: number;
    nodes: { x: number; y: number }[]; // centres
    edges: number[][]; // points, x and y in turn
}

function layout(shape: GraphShape): GraphPlace {
    const graph = new dagre.graphlib.Graph({ multigraph: true });
    graph.setGraph({ rankdir: "TB", nodesep: 24, ranksep: 46, marginx: 12, marginy: 12 });
    shape.nodes.forEach((node, i) => graph.setNode(String(i), { ...node }));
    shape.edges.forEach((edge, i) => graph.setEdge(String(edge.from), String(edge.to), { weight: edge.weight }, String(i)));
    dagre.layout(graph);
    const size = graph.graph() as { width: number; height: number };
    return {
        width: size.width,
        height: size.height,
        nodes: shape.nodes.map((_, i) => {
            const { x, y } = graph.node(String(i)) as { x: number; y: number };
            return { x, y };
        }),
        edges: shape.edges.map((edge, i) => {
            const { points } = graph.edge(String(edge.from), String(edge.to), String(i)) as { points: { x: number; y: number }[] };
            return points.flatMap((point) => [point.x, point.y]);
        }),
    };
}

(window as unknown as { heaptapLayout: typeof layout }).heaptapLayout = layout;
