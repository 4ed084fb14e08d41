// The flame graph, its root on top: a walk over the preorder arrays that leaves out what is narrower than a pixel, and what lies
// beyond the part that is seen.

import { useMemo, useState } from "preact/hooks";
import { fit, type Painter } from "./painter";
import { Picture, type Window, frames } from "./picture";
import { ROW, type Rows, rowsOf, THIN } from "./rows";
import type { Found } from "./search";
import type { Tree } from "./tree";
import { nodeFill, type Theme } from "./theme";
import { NodeTip } from "./node-tip";

const LEAST_WIDTH = 1;
const LEAST_LABEL = 34;

export interface FlameProps {
    tree: Tree;
    unit: string;
    theme: Theme;
    fills: string[]; // by symbol (colours.ts)
    folds: boolean; // libraries are thin
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

// Where nodes are in a picture of a width.
class Layout {
    readonly left: number;
    readonly scale: number;
    constructor(
        readonly tree: Tree,
        readonly rows: Rows,
        zoom: number,
        readonly width: number,
        private readonly up: boolean,
    ) {
        this.left = tree.start[zoom];
        const whole = tree.width(zoom);
        this.scale = whole > 0 ? width / whole : 0;
    }
    y(node: number): number {
        const { top, whole, height } = this.rows;
        return this.up ? whole - top[node] - height(node) : top[node];
    }
    // From the root's edge.
    from(y: number): number {
        return this.up ? this.rows.whole - y : y;
    }
    // The range of the node in pixels; ancestors of the zoomed node are as wide as it.
    x(node: number): [number, number] {
        const begin = (this.tree.start[node] - this.left) * this.scale;
        return [Math.max(0, begin), Math.min(this.width, begin + this.tree.width(node) * this.scale)];
    }
    // The node there; -1 for none.
    hit(x: number, y: number): number {
        const { tree, rows } = this;
        const at = this.from(y);
        const weight = this.left + x / (this.scale || 1);
        if (at < 0 || at >= rows.whole) return -1;
        let node = 0;
        while (at >= rows.top[node] + rows.height(node)) {
            let child = node + 1;
            while (child < tree.end[node] && tree.start[child] + tree.width(child) <= weight) child = tree.end[child];
            if (child >= tree.end[node] || tree.start[child] > weight) return -1;
            node = child;
        }
        const [left, right] = this.x(node);
        return right - left < LEAST_WIDTH ? -1 : node;
    }
}

function drawFlame(painter: Painter, window: Window, layout: Layout, props: FlameProps): number {
    const { tree, theme, found, at, fills } = props;
    const { end, symbol, start, base } = tree;
    const { left, scale, width, rows } = layout;
    const edges = [layout.from(window.top), layout.from(window.top + window.height)];
    const [first, last] = [Math.min(...edges), Math.max(...edges)];
    const labels: [number, number, number, number][] = [];
    let shapes = 0;
    for (let node = 0; node < tree.count; ) {
        let x = (start[node] - left) * scale;
        let right = x + tree.width(node) * scale;
        if (right <= 0 || x >= width || right - x < LEAST_WIDTH || rows.top[node] > last) {
            node = end[node];
            continue;
        }
        const high = rows.height(node);
        if (rows.top[node] + high >= first) {
            if (x < 0) x = 0;
            if (right > width) right = width;
            const y = layout.y(node);
            const matches = found !== null && node > 0 && found.symbols[symbol[node]] === 1;
            const fill = matches ? theme.match
                : base ? nodeFill(theme, tree, node, base[node])
                : node === 0 ? theme.unknown
                : fills[symbol[node]];
            const wide = right - x;
            painter.rect(x, y, wide > 2 ? wide - 1 : wide, high - 1, fill);
            shapes++;
            if (wide >= LEAST_LABEL && high > THIN) labels.push([node, x, y, wide]);
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
        const edge = Math.max(right - x - 1, 2);
        const [y, high] = [layout.y(at), rows.height(at) - 1];
        if (right > x) painter.path([x, y, x + edge, y, x + edge, y + high, x, y + high, x, y], { stroke: theme.text, width: 2 });
    }
    return shapes;
}

export function Flame(props: FlameProps) {
    const { tree, zoom, up, unit } = props;
    const rows = useMemo(() => rowsOf(tree, props.folds), [tree, props.folds]);
    const [width, setWidth] = useState(0);
    const whole = rows.whole + 2;
    const at = (wide: number) => new Layout(tree, rows, zoom, wide, up);
    const draw = (painter: Painter, window: Window) => {
        if (window.width !== width) setWidth(window.width);
        frames.shapes = drawFlame(painter, window, at(window.width), props);
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
            hit={(x, y, wide) => at(wide).hit(x, y)}
            tip={(node) => <NodeTip tree={tree} node={node} unit={unit} />}
            choose={choose}
            chooseTwice={props.open}
            onKey={key}
            bottomFirst={up}
            tall={props.tall}
            show={props.at >= 0 ? { y: layout.y(props.at), height: ROW } : null}
        >
            {props.children}
        </Picture>
    );
}
