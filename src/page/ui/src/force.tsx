// The heaviest nodes of the tree as bodies that push each other away, held by their calls.

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from "d3-force";
import { useMemo, useRef, useState } from "preact/hooks";
import type { FlameProps } from "./flame";
import { fit, letterWidth, type Painter } from "./painter";
import { usePictureHeight } from "./room";
import { type Area, areas, label } from "./shape";
import { areaFill, areaMatches, AreaPicture } from "./area-picture";
import type { Theme } from "./theme";
import type { Tree } from "./tree";

interface Body extends SimulationNodeDatum {
    area: Area;
    radius: number;
}

const BODIES_MAX = 220;
const TICKS = 260;

function place(tree: Tree, zoom: number, width: number, height: number): { bodies: Body[]; links: { source: Body; target: Body }[] } {
    let share = 0.002;
    let root = areas(tree, zoom, share, 0.98);
    const sizeOf = (area: Area): number => 1 + area.children.reduce((sum, child) => sum + sizeOf(child), 0);
    while (sizeOf(root) > BODIES_MAX) root = areas(tree, zoom, (share *= 1.5), 0.98);
    const bodies: Body[] = [];
    const links: { source: Body; target: Body }[] = [];
    const add = (area: Area, from: Body | null) => {
        const body: Body = { area, radius: 3 + 26 * Math.sqrt(area.total / (root.total || 1)) };
        bodies.push(body);
        if (from) links.push({ source: from, target: body });
        for (const child of area.children) add(child, body);
    };
    add(root, null);
    const simulation = forceSimulation(bodies)
        .force("link", forceLink(links).distance((link) => 12 + (link.source as Body).radius + (link.target as Body).radius).strength(0.7))
        .force("push", forceManyBody().strength(-90))
        .force("x", forceX(width / 2).strength(0.04 * Math.min(1, height / width)))
        .force("y", forceY(height / 2).strength(0.05))
        .force("apart", forceCollide<Body>((body) => body.radius + 2))
        .stop();
    simulation.tick(TICKS);
    return fitIn(bodies, links, width, height);
}

// Scales positions, not bodies, into the picture.
function fitIn(bodies: Body[], links: { source: Body; target: Body }[], width: number, height: number) {
    const edge = 34;
    const low = (get: (body: Body) => number) => Math.min(...bodies.map(get));
    const high = (get: (body: Body) => number) => Math.max(...bodies.map(get));
    const [left, right] = [low((body) => body.x!), high((body) => body.x!)];
    const [top, bottom] = [low((body) => body.y!), high((body) => body.y!)];
    const scale = (value: number, from: number, to: number, size: number) => (to > from ? edge + ((value - from) / (to - from)) * (size - 2 * edge) : size / 2);
    for (const body of bodies) {
        body.x = scale(body.x!, left, right, width);
        body.y = scale(body.y!, top, bottom, height);
    }
    return { bodies, links };
}

// Names below the bodies, the heaviest first; where one would cover another, the lighter stays away.
function drawLabels(painter: Painter, tree: Tree, bodies: Body[], theme: Theme, width: number): void {
    const taken: { x: number; y: number; half: number }[] = [];
    for (const body of [...bodies].sort((a, b) => b.radius - a.radius)) {
        if (body.radius < 6) break;
        const text = fit(label(tree, body.area), 170, 10);
        const half = (text.length * letterWidth(10)) / 2;
        const x = Math.max(half + 2, Math.min(width - half - 2, body.x!));
        const y = body.y! + body.radius + 7;
        if (taken.some((other) => Math.abs(other.x - x) < other.half + half + 3 && Math.abs(other.y - y) < 12)) continue;
        taken.push({ x, y, half });
        painter.rect(x - half - 1, y - 6, 2 * half + 2, 12, theme.background);
        painter.text(x, y, text, { fill: theme.text, size: 10, align: "center" });
    }
}

export function Force(props: FlameProps) {
    const { tree, theme, zoom } = props;
    const [width, setWidth] = useState(0);
    const height = usePictureHeight();
    const { bodies, links } = useMemo(() => (width ? place(tree, zoom, width, height) : { bodies: [], links: [] }), [tree, zoom, width, height]);
    const dragged = useRef<Body | null>(null);
    const bodyAt = (x: number, y: number) => [...bodies].reverse().find((body) => Math.hypot(x - body.x!, y - body.y!) <= body.radius + 2) ?? null;
    const draw = (painter: Painter, window: { width: number }) => {
        if (window.width !== width) setWidth(window.width);
        for (const { source, target } of links)
            painter.path([source.x!, source.y!, target.x!, target.y!], { stroke: theme.line, width: Math.max(0.7, target.radius / 5) });
        for (const body of bodies) {
            const { area } = body;
            const matches = areaMatches(props, area);
            painter.circle(body.x!, body.y!, body.radius, matches ? theme.match : areaFill(props, area), area.node === props.at ? theme.text : theme.quiet);
        }
        drawLabels(painter, tree, bodies, theme, window.width);
    };
    const drag = (phase: "down" | "move" | "up", x: number, y: number): boolean => {
        if (phase === "down") dragged.current = bodyAt(x, y);
        if (phase === "move" && dragged.current) {
            dragged.current.x = x;
            dragged.current.y = y;
        }
        return dragged.current !== null;
    };
    const hit = (x: number, y: number) => bodyAt(x, y)?.area.node ?? -1;
    return <AreaPicture props={props} height={height} draw={draw} hit={hit} drag={drag} />;
}
