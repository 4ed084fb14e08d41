// Flame graph and icicle: a walk over the preorder arrays that leaves out what is narrower than a
// pixel, and what lies beyond the part that is seen.

import { useMemo, useState } from "preact/hooks";
import { fit, type Painter } from "./painter";
import { Picture, type Window, frames } from "./picture";
import type { Found } from "./search";
import type { Tree } from "./tree";
import { fillOf, nodeFill, type Theme } from "./theme";
import { NodeTip } from "./node-tip";

const ROW = 18;
const LEAST_WIDTH = 1;
const LEAST_LABEL = 34;

export interface FlameProps {
    tree: Tree;
    unit: string;
    theme: Theme;
    up: boolean; // the root is at the bottom
    zoom: number; // the node as wide as the picture
    at: number; // the node that the keys are at; -1 for none
    found: Found | null;
    label: string;
    file: string;
    select: (node: number) => void;
    zoomTo: (node: number) => void;
    open: (node: number) => void; // Enter, or a double click
    tall?: boolean;
    children?: preact.ComponentChildren;
}

// The colours of a tree's symbols, worked out once a theme.
function useFills(tree: Tree, theme: Theme): string[] {
    return useMemo(() => tree.functions.map((name, i) => fillOf(theme, tree.files[i] || name)), [tree, theme]);
}

// The arrows and hjkl: along the tree, in the directions that are seen.
export function step(tree: Tree, node: number, key: string, up: boolean): number | null {
    const at = node < 0 ? 0 : node;
    const deeper = up ? ["ArrowUp", "k"] : ["ArrowDown", "j"];
    const outer = up ? ["ArrowDown", "j"] : ["ArrowUp", "k"];
    if (deeper.includes(key)) {
        const children = tree.children(at);
        if (children.length === 0) return at;
        return children.reduce((best, child) => (tree.width(child) > tree.width(best) ? child : best));
    }
    if (outer.includes(key)) return tree.parent[at];
    const sideways = key === "ArrowLeft" || key === "h" ? -1 : key === "ArrowRight" || key === "l" ? 1 : 0;
    if (sideways === 0) return null;
    if (at === 0) return 0;
    const siblings = tree.children(tree.parent[at]);
    return siblings[Math.max(0, Math.min(siblings.length - 1, siblings.indexOf(at) + sideways))];
}

class Layout {
    readonly left: number;
    readonly scale: number;
    readonly rows: number;
    constructor(
        readonly tree: Tree,
        readonly zoom: number,
        readonly width: number,
        readonly up: boolean,
        private readonly height: number,
    ) {
        this.left = tree.start[zoom];
        const whole = tree.width(zoom);
        this.scale = whole > 0 ? width / whole : 0;
        this.rows = tree.maxDepth + 1;
    }
    y(depth: number): number {
        return this.up ? this.height - (depth + 1) * ROW : depth * ROW;
    }
    depth(y: number): number {
        return Math.floor((this.up ? this.height - y : y) / ROW);
    }
    // The range of the node in pixels; ancestors of the zoomed node are as wide as it.
    x(node: number): [number, number] {
        const begin = (this.tree.start[node] - this.left) * this.scale;
        return [Math.max(0, begin), Math.min(this.width, begin + this.tree.width(node) * this.scale)];
    }
}

export function drawFlame(painter: Painter, window: Window, layout: Layout, props: FlameProps, fills: string[]): number {
    const { tree, theme, found, at } = props;
    const { end, depth, symbol, start } = tree;
    const { left, scale, width } = layout;
    const base = tree.base;
    const first = layout.depth(layout.up ? window.top + window.height : window.top);
    const last = layout.depth(layout.up ? window.top : window.top + window.height);
    const labels: [number, number, number, number][] = [];
    let shapes = 0;
    for (let node = 0; node < tree.count; ) {
        const weight = base ? tree.width(node) : tree.total[node];
        let x = (start[node] - left) * scale;
        let right = x + weight * scale;
        if (right <= 0 || x >= width || right - x < LEAST_WIDTH || depth[node] > last) {
            node = end[node];
            continue;
        }
        if (depth[node] >= first) {
            if (x < 0) x = 0;
            if (right > width) right = width;
            const y = layout.y(depth[node]);
            const matches = found !== null && node > 0 && found.symbols[symbol[node]] === 1;
            const fill = matches ? theme.match
                : base ? nodeFill(theme, tree, node, base[node])
                : node === 0 ? theme.unknown
                : fills[symbol[node]];
            const wide = right - x;
            painter.rect(x, y, wide > 2 ? wide - 1 : wide, ROW - 1, fill);
            shapes++;
            if (wide >= LEAST_LABEL) labels.push([node, x, y, wide]);
        }
        node++;
    }
    for (const [node, x, y, wide] of labels) {
        const text = fit(tree.name(node), wide - 8);
        const matches = found !== null && node > 0 && found.symbols[symbol[node]] === 1;
        if (text) painter.text(x + 4, y + ROW / 2, text, { fill: matches ? theme.background : theme.label });
    }
    if (at >= 0) {
        const [x, right] = layout.x(at);
        if (right > x) {
            const y = layout.y(depth[at]);
            const edge = Math.max(right - x - 1, 2);
            painter.path([x, y, x + edge, y, x + edge, y + ROW - 1, x, y + ROW - 1, x, y], { stroke: theme.text, width: 2 });
        }
    }
    return shapes;
}

export function Flame(props: FlameProps) {
    const { tree, zoom, up, unit } = props;
    const fills = useFills(tree, props.theme);
    const [width, setWidth] = useState(0);
    const whole = (tree.maxDepth + 1) * ROW + 2;
    const at = (wide: number) => new Layout(tree, zoom, wide, up, whole);
    const draw = (painter: Painter, window: Window) => {
        if (window.width !== width) setWidth(window.width);
        frames.shapes = drawFlame(painter, window, at(window.width), props, fills);
    };
    const hit = (x: number, y: number, wide: number): number => {
        const layout = at(wide);
        const row = layout.depth(y);
        if (row < 0 || row > tree.maxDepth) return -1;
        const weight = layout.left + x / (layout.scale || 1);
        let node = 0;
        while (tree.depth[node] < row) {
            let child = node + 1;
            while (child < tree.end[node] && tree.start[child] + tree.width(child) <= weight) child = tree.end[child];
            if (child >= tree.end[node] || tree.start[child] > weight) return -1;
            node = child;
        }
        const [left, right] = layout.x(node);
        return right - left < LEAST_WIDTH ? -1 : node;
    };
    const key = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const next = step(tree, props.at < 0 ? zoom : props.at, event.key, up);
        if (next !== null) props.select(next);
        else if (event.key === "Enter" && props.at >= 0) {
            if (event.shiftKey) props.open(props.at);
            else props.zoomTo(props.at);
        } else if (event.key === "Escape") props.zoomTo(0);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const choose = (node: number) => {
        props.select(node);
        props.zoomTo(node);
    };
    const layout = at(width || 1);
    return (
        <Picture
            label={props.label}
            file={props.file}
            theme={props.theme}
            height={() => whole}
            draw={draw}
            hit={hit}
            tip={(node) => <NodeTip tree={tree} node={node} unit={unit} />}
            choose={choose}
            chooseTwice={props.open}
            onKey={key}
            bottomFirst={up}
            tall={props.tall}
            show={props.at >= 0 ? { y: layout.y(tree.depth[props.at]), height: ROW } : null}
        >
            {props.children}
        </Picture>
    );
}
