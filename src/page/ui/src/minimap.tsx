// All of a tree in a strip, with a frame around the part that fills the picture below it; a click there zooms.

import { useMemo, useState } from "preact/hooks";
import type { FlameProps } from "./flame";
import type { Painter } from "./painter";
import { Picture } from "./picture";
import { nodeFill } from "./theme";

const HEIGHT = 34;

export function Minimap({ tree, theme, fills, zoom, zoomTo, file }: Pick<FlameProps, "tree" | "theme" | "fills" | "zoom" | "zoomTo" | "file">) {
    const [width, setWidth] = useState(0);
    const high = HEIGHT / (tree.maxDepth + 1);
    const scale = (wide: number) => (tree.width(0) > 0 ? wide / tree.width(0) : 0);
    // Nodes of a pixel or more, worked out once a width.
    const seen = useMemo(() => {
        const list: number[] = [];
        for (let node = 0; node < tree.count; ) {
            const isWide = tree.width(node) * scale(width) >= 1;
            if (isWide) list.push(node);
            node = isWide ? node + 1 : tree.end[node];
        }
        return list;
    }, [tree, width]);
    const draw = (painter: Painter, window: { width: number }) => {
        if (window.width !== width) setWidth(window.width);
        for (const node of seen)
            painter.rect(tree.start[node] * scale(width), tree.depth[node] * high, tree.width(node) * scale(width), Math.max(1, high), node === 0 ? theme.unknown : tree.base ? nodeFill(theme, tree, node, tree.base[node]) : fills[tree.symbol[node]]);
        const [left, wide] = [tree.start[zoom] * scale(width), Math.max(3, tree.width(zoom) * scale(width))];
        painter.path([left, 1, left + wide - 1, 1, left + wide - 1, HEIGHT - 1, left, HEIGHT - 1, left, 1], { stroke: theme.accent, width: 2 });
    };
    const hit = (x: number, y: number, wide: number): number => {
        const weight = x / (scale(wide) || 1);
        let node = 0;
        for (let row = Math.floor(y / high); row > 0; row--) {
            const child = tree.children(node).find((one) => tree.start[one] <= weight && weight < tree.start[one] + tree.width(one));
            if (child === undefined) break;
            node = child;
        }
        return node;
    };
    return (
        <div class="minimap">
            <Picture label="All of the flame graph; the frame is what is seen below. Escape shows all" file={`${file}-minimap`} theme={theme} height={() => HEIGHT} draw={draw} hit={hit} choose={zoomTo} tall bare
                tip={(node) => tree.name(node)} onKey={(event) => event.key === "Escape" && zoomTo(0)} />
        </div>
    );
}
