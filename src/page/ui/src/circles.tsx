import { hierarchy, type HierarchyCircularNode, pack } from "d3-hierarchy";
import { useMemo, useState } from "preact/hooks";
import { areaFill, areaMatches, AreaPicture } from "./area-picture";
import type { FlameProps } from "./flame";
import { fit, letterWidth, type Painter } from "./painter";
import { usePictureHeight } from "./room";
import { type Area, areas } from "./shape";
import type { Tree } from "./tree";

type Circle = HierarchyCircularNode<Area>;

// What a caller holds itself is a circle within it, as d3 gives room to leaves only.
function place(tree: Tree, zoom: number, width: number, height: number): Circle[] {
    const within = (area: Area): Area[] =>
        area.children.length > 0 && area.own > 0 ? [...area.children, { ...area, total: area.own, children: [] }] : area.children;
    const root = hierarchy(areas(tree, zoom, 0.002, 0.9), within)
        .sum((area) => (area.children.length === 0 ? area.own : 0))
        .sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    return pack<Area>().size([width - 2, height - 2]).padding(2)(root).descendants().filter((circle) => circle.r >= 1);
}

export function Circles(props: FlameProps) {
    const { tree, theme, zoom } = props;
    const [width, setWidth] = useState(0);
    const room = usePictureHeight();
    const height = Math.min(width || room, room);
    const circles = useMemo(() => (width ? place(tree, zoom, width, height) : []), [tree, zoom, width, height]);
    const draw = (painter: Painter, window: { width: number }) => {
        if (window.width !== width) setWidth(window.width);
        for (const circle of circles) {
            const area = circle.data;
            const matches = areaMatches(props, area);
            const edge = area.node === props.at ? theme.text : circle.r > 12 ? theme.line : undefined;
            painter.circle(circle.x, circle.y, circle.r, matches ? theme.match : areaFill(props, area), edge);
        }
        for (const circle of circles) {
            if (circle.r < (circle.children ? 60 : 16) || circle.children?.some((inner) => inner.r > 0.85 * circle.r)) continue;
            const y = circle.children ? circle.y - circle.r + 16 : circle.y; // above what is inside
            const room = 2 * Math.sqrt(circle.r ** 2 - (circle.y - y) ** 2) - letterWidth(10);
            const text = fit(tree.name(circle.data.node), room, 10);
            if (text) painter.text(circle.x, y, text, { fill: theme.label, size: 10, align: "center" });
        }
    };
    const hit = (x: number, y: number): number => {
        let inner = -1;
        for (const circle of circles) if (Math.hypot(x - circle.x, y - circle.y) <= circle.r) inner = circle.data.node;
        return inner;
    };
    return <AreaPicture props={props} height={height} draw={draw} hit={hit} />;
}
