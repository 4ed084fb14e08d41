// What pictures of the tree's nodes as areas share: treemap, circles, force.
import { type FlameProps, step } from "./flame";
import { NodeTip } from "./node-tip";
import type { Painter } from "./painter";
import { Picture } from "./picture";
import type { Area } from "./shape";
import { nodeFill } from "./theme";

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

export function areaMatches({ tree, found }: FlameProps, area: Area): boolean {
    return found !== null && area.node > 0 && found.symbols[tree.symbol[area.node]] === 1;
}

// The arrows go along the tree, Enter goes in, Escape comes out.
function areaKeys(event: KeyboardEvent, props: FlameProps): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = step(props.tree, props.at < 0 ? props.zoom : props.at, event.key, false);
    if (next !== null) props.select(next);
    else if (event.key === "Enter" && props.at >= 0) (event.shiftKey ? props.open : props.zoomTo)(props.at);
    else if (event.key === "Escape") props.zoomTo(props.tree.parent[props.zoom]);
    else return;
    event.preventDefault();
    event.stopPropagation();
}

interface AreaPictureProps {
    props: FlameProps;
    height: number;
    draw: (painter: Painter, window: { width: number }) => void;
    hit: (x: number, y: number) => number;
    drag?: (phase: "down" | "move" | "up", x: number, y: number) => boolean;
}

// What is drawn of the tree's nodes as areas: one is chosen, twice to zoom, or by keys.
export function AreaPicture({ props, height, draw, hit, drag }: AreaPictureProps) {
    return (
        <Picture label={props.label} file={props.file} theme={props.theme} height={() => height} draw={draw} hit={hit} tall drag={drag}
            tip={(node) => <NodeTip tree={props.tree} node={node} unit={props.unit} />}
            choose={props.select} chooseTwice={props.zoomTo} onKey={(event) => areaKeys(event, props)}>
            {props.children}
        </Picture>
    );
}
