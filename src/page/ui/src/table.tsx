// A table that sorts, is walked with the keys, and goes away as CSV.

import type { ComponentChildren } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { copyText, csv, download } from "./files";

export interface Column<Row> {
    name: string; // also its id in the URL, and what the CSV calls it
    label?: string; // above it, where that is another
    title?: string; // what it says, where that is more than its name
    number?: boolean;
    narrow?: boolean; // is there on narrow screens too; the first and the last always are
    value: (row: Row) => number | string; // sorted by, and written into the CSV
    show?: (row: Row) => ComponentChildren; // what is seen, where that differs
}

export interface TableProps<Row> {
    label: string;
    file: string;
    columns: Column<Row>[];
    rows: Row[];
    sort: string; // a column's name, with a - in front for descending; "" as the rows come
    setSort: (sort: string) => void;
    open?: (row: Row) => void; // Enter, or a click
    marked?: (row: Row) => boolean;
    doubted?: (row: Row) => string | undefined; // why what the row says may not be so: it is grey then
    most?: number; // rows shown
    children?: ComponentChildren;
}

function sorted<Row>(rows: Row[], columns: Column<Row>[], sort: string): Row[] {
    const column = columns.find(({ name }) => name === sort.replace(/^-/, ""));
    if (!column) return rows;
    const sign = sort.startsWith("-") ? -1 : 1;
    return [...rows].sort((a, b) => {
        const [x, y] = [column.value(a), column.value(b)];
        return sign * (typeof x === "number" && typeof y === "number" ? x - y : String(x) < String(y) ? -1 : String(x) > String(y) ? 1 : 0);
    });
}

export function Table<Row>(props: TableProps<Row>) {
    const { columns, sort, most = 1000 } = props;
    const body = useRef<HTMLTableSectionElement>(null);
    const rows = useMemo(() => sorted(props.rows, columns, sort), [props.rows, sort, columns.length]);
    const seen = rows.slice(0, most);
    const text = () => csv([columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ value }) => value(row)))]);
    const key = (event: KeyboardEvent, row: Row, at: number) => {
        const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
        if (by) (body.current?.children[at + by] as HTMLElement | undefined)?.focus();
        else if (event.key === "Enter") props.open?.(row);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    return (
        <>
            <div class="table-box">
                <table class="table" aria-label={props.label}>
                    <thead>
                        <tr>
                            {columns.map(({ name, label, title, number, narrow }, i) => (
                                <th key={name} class={(number ? "number" : "") + (narrow || i === 0 || i === columns.length - 1 ? "" : " hide-narrow")}
                                    aria-sort={sort === name ? "ascending" : sort === "-" + name ? "descending" : "none"}>
                                    <button type="button" title={title ? `Sort by ${title}` : undefined}
                                        onClick={() => props.setSort(sort === (number ? "-" + name : name) ? (number ? name : "-" + name) : number ? "-" + name : name)}>
                                        {label ?? name}{sort === name ? " ▴" : sort === "-" + name ? " ▾" : ""}
                                    </button>
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody ref={body}>
                        {seen.map((row, at) => (
                            <tr key={at} tabIndex={at === 0 ? 0 : -1} class={(props.marked?.(row) ? "marked" : "") + (props.doubted?.(row) ? " doubted" : "")} data-doubt={props.doubted?.(row)} onKeyDown={(event) => key(event, row, at)} onClick={() => props.open?.(row)}>
                                {columns.map(({ name, number, narrow, value, show }, i) => (
                                    <td key={name} class={(number ? "number" : "name mono") + (narrow || i === 0 || i === columns.length - 1 ? "" : " hide-narrow")}>{show ? show(row) : value(row)}</td>
                                ))}
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            <div class="caption">
                <span class="caption-text">
                    {props.children}
                    {rows.length > most && <span class="quiet"> · {rows.length - most} more rows hidden; the CSV has them</span>}
                </span>
                <span class="buttons">
                    <button type="button" onClick={() => download(props.file + ".csv", "text/csv", text())}>CSV</button>
                    <button type="button" onClick={() => copyText(text())}>Copy</button>
                </span>
            </div>
        </>
    );
}
