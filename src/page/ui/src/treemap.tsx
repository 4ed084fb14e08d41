import { hierarchy, type HierarchyRectangularNode, treemap, treemapSquarify } from "d3-hierarchy";
import { useMemo, useState } from "preact/hooks";
import { NodeTip } from "./node-tip";
import { fit, type Painter } from "./painter";
import { Picture } from "./picture";
import { usePictureHeight } from "./room";
import { type Area, areas, label } from "./shape";
import { nodeFill } from "./theme";
import type { FlameProps } from "./flame";
import { step } from "./flame";
import type { Tree } from "./tree";

type Box = HierarchyRectangularNode<Area>;

const TITLE = 14;

function place(tree: Tree, zoom: number, width: number, height: number): Box[] {
    const root = hierarchy(areas(tree, zoom, 0.0008), (area) => area.children)
        .sum((area) => area.own)
        .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    const boxes = treemap<Area>().tile(treemapSquarify).size([width, height]).paddingTop(TITLE).paddingInner(1).paddingLeft(2).paddingRight(2).paddingBottom(2).round(false)(root);
    return boxes.descendants().filter((box) => box.x1 - box.x0 >= 2 && box.y1 - box.y0 >= 2);
}

// Half way between two colours, #rrggbb.
function between(a: string, b: string): string {
    const part = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
    return `#${[1, 3, 5].map((at) => Math.round((part(a, at) + part(b, at)) / 2).toString(16).padStart(2, "0")).join("")}`;
}

// A chain has the colour of its innermost function of one's own; libraries alone have a tint of what has called them.
export function areaFill({ tree, theme, fills }: FlameProps, area: Area): string {
    if (tree.base) return nodeFill(theme, tree, area.first, area.base);
    if (area.node === 0) return theme.unknown;
    let own = area.node;
    while (own > 0 && tree.isLibrary(own)) own = tree.parent[own];
    if (own === 0) return fills[tree.symbol[area.node]];
    const fill = fills[tree.symbol[own]];
    return own >= area.first ? fill : between(fill, theme.library);
}

export function Treemap(props: FlameProps) {
    const { tree, theme, zoom, found } = props;
    const [width, setWidth] = useState(0);
    const height = usePictureHeight();
    const boxes = useMemo(() => (width ? place(tree, zoom, width, height) : []), [tree, zoom, width, height]);
    const draw = (painter: Painter, window: { width: number }) => {
        if (window.width !== width) setWidth(window.width);
        for (const box of boxes) {
            const area = box.data;
            const wide = box.x1 - box.x0;
            const high = box.y1 - box.y0;
            const matches = found !== null && area.node > 0 && found.symbols[tree.symbol[area.node]] === 1;
            painter.rect(box.x0, box.y0, wide, high, matches ? theme.match : areaFill(props, area), area.node === props.at ? theme.text : theme.background);
            const text = high >= TITLE - 1 ? fit(label(tree, area), wide - 6, 10) : "";
            if (text) painter.text(box.x0 + 3, box.y0 + TITLE / 2, text, { fill: matches ? theme.background : theme.label, size: 10 });
        }
    };
    const hit = (x: number, y: number): number => {
        let inner = -1;
        for (const box of boxes) if (x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1) inner = box.data.node;
        return inner;
    };
    return (
        <Picture label={props.label} file={props.file} theme={theme} height={() => height} draw={draw} hit={hit} tall
            tip={(node) => <NodeTip tree={tree} node={node} unit={props.unit} />}
            choose={props.select} chooseTwice={props.zoomTo} onKey={(event) => areaKeys(event, props)}>
            {props.children}
        </Picture>
    );
}

// The arrows go along the tree, Enter goes in, Escape comes out.
export function areaKeys(event: KeyboardEvent, props: FlameProps): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = step(props.tree, props.at < 0 ? props.zoom : props.at, event.key, false);
    if (next !== null) props.select(next);
    else if (event.key === "Enter" && props.at >= 0) (event.shiftKey ? props.open : props.zoomTo)(props.at);
    else if (event.key === "Escape") props.zoomTo(props.tree.parent[props.zoom]);
    else return;
    event.preventDefault();
    event.stopPropagation();
}
