import { hierarchy, type HierarchyRectangularNode, treemap, treemapSquarify } from "d3-hierarchy";
import { useMemo, useState } from "preact/hooks";
import { areaFill, areaMatches, AreaPicture } from "./area-picture";
import { fit, type Painter } from "./painter";
import { usePictureHeight } from "./room";
import { type Area, areas, label } from "./shape";
import type { FlameProps } from "./flame";
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

export function Treemap(props: FlameProps) {
    const { tree, theme, zoom } = props;
    const [width, setWidth] = useState(0);
    const height = usePictureHeight();
    const boxes = useMemo(() => (width ? place(tree, zoom, width, height) : []), [tree, zoom, width, height]);
    const draw = (painter: Painter, window: { width: number }) => {
        if (window.width !== width) setWidth(window.width);
        for (const box of boxes) {
            const area = box.data;
            const wide = box.x1 - box.x0;
            const high = box.y1 - box.y0;
            const matches = areaMatches(props, area);
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
    return <AreaPicture props={props} height={height} draw={draw} hit={hit} />;
}
