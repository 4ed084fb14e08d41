// Rows that open, as a table that is walked with the keys.

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface GridRow {
    key: string;
    depth: number;
    isOpen?: boolean; // of one that has rows below
    note?: string; // of one that only says what is not listed
    doubt?: string;
}

export interface TreeGridProps<Row extends GridRow> {
    label: string;
    head: ComponentChildren;
    rows: Row[];
    at: string; // the key of the row that is marked
    select: (row: Row, walked: boolean) => void; // with the keys, or by a click
    toggle: (row: Row, wanted: boolean) => void;
    open?: (row: Row) => void; // Shift+Enter, or a double click
    leave?: () => void; // Escape
    cells: (row: Row) => ComponentChildren;
}

// What a row's name begins with, as deep as it stands.
export function Fold({ row }: { row: GridRow }) {
    return <span aria-hidden="true" class="quiet">{row.isOpen === undefined ? "· " : row.isOpen ? "▾ " : "▸ "}</span>;
}

export function indentOf(row: GridRow): { paddingLeft: string } {
    return { paddingLeft: 8 + Math.min(row.depth, 24) * 10 + "px" };
}

export function TreeGrid<Row extends GridRow>(props: TreeGridProps<Row>) {
    const { rows, at } = props;
    const body = useRef<HTMLTableSectionElement>(null);
    const move = (from: number, by: number) => {
        let to = from + by;
        while (rows[to]?.note) to += by;
        if (!rows[to]) return;
        props.select(rows[to], true);
        (body.current?.children[to] as HTMLElement | undefined)?.focus();
    };
    const outer = (from: number) => {
        let to = from - 1;
        while (to >= 0 && rows[to].depth >= rows[from].depth) to--;
        return to;
    };
    const key = (event: KeyboardEvent, row: Row, n: number) => {
        if (event.key === "ArrowDown" || event.key === "j") move(n, 1);
        else if (event.key === "ArrowUp" || event.key === "k") move(n, -1);
        else if (event.key === "ArrowRight" || event.key === "l") row.isOpen === false ? props.toggle(row, true) : move(n, 1);
        else if (event.key === "ArrowLeft" || event.key === "h") row.isOpen ? props.toggle(row, false) : move(n, outer(n) - n);
        else if (event.key === "Enter") event.shiftKey ? props.open?.(row) : row.isOpen !== undefined && props.toggle(row, !row.isOpen);
        else if (event.key === "Escape" && props.leave) props.leave();
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const clicked = (row: Row) => {
        props.select(row, false);
        if (row.isOpen !== undefined) props.toggle(row, !row.isOpen);
    };
    const reached = rows.some((row) => row.key === at && !row.note) ? at : rows[0]?.key;
    return (
        <div class="table-box">
            <table class="table" role="treegrid" aria-label={props.label}>
                <thead>
                    <tr>{props.head}</tr>
                </thead>
                <tbody ref={body}>
                    {rows.map((row, n) =>
                        row.note ? (
                            <tr key={`note ${row.key}`} class="doubted">{props.cells(row)}</tr>
                        ) : (
                            <tr key={row.key} role="row" data-node={row.key} data-doubt={row.doubt} aria-level={row.depth + 1} aria-expanded={row.isOpen} tabIndex={row.key === reached ? 0 : -1}
                                class={row.key === at ? "marked" : ""} onClick={() => clicked(row)} onDblClick={() => props.open?.(row)} onKeyDown={(event) => key(event, row, n)}>
                                {props.cells(row)}
                            </tr>
                        ),
                    )}
                </tbody>
            </table>
        </div>
    );
}
