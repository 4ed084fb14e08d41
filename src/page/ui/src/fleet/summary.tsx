// The cards of a store: what grew, what is allocated and in use, and of how many instances and versions.

import { OneCard } from "../cards";
import { percent } from "../format";
import type { Grown, Service, Services, Store } from "./answers";
import { type Comparison, siteLink } from "./grew";
import type { FleetState, Go } from "./state";

const ERRORS = 1.959964; // standard errors between a figure and its bound

// What is known of all rows together; an error is where each row has one.
function sumOf(rows: Service[], value: (row: Service) => number | null): number {
    return rows.reduce((sum, row) => sum + (value(row) ?? 0), 0);
}

function boundsOf(rows: Service[], sum: number): { value_low?: number; value_high?: number } {
    if (rows.length === 1) return { value_low: rows[0].allocated_low ?? undefined, value_high: rows[0].allocated_high ?? undefined };
    if (rows.length === 0 || rows.some((row) => row.allocated_standard_error === null)) return {};
    const error = ERRORS * Math.hypot(...rows.map((row) => row.allocated_standard_error!));
    return { value_low: Math.max(0, sum - error), value_high: sum + error };
}

function curveOf(rows: Service[], steps: (row: Service) => number[]): number[] {
    return (rows[0] ? steps(rows[0]) : []).map((_, at) => rows.reduce((sum, row) => sum + steps(row)[at], 0));
}

// The label that tells instances from each other, if there is one.
function instanceLabel(store: Store): string {
    return ["instance", "host", "process"].find((name) => store.labels.some(({ label }) => label === name)) ?? "";
}

export interface FleetCardsProps {
    store: Store;
    answer: Services;
    grown: Grown | null;
    comparison: Comparison;
    compared: Partial<FleetState>; // the state in which the comparison stands in the address
    state: FleetState;
    go: Go;
    narrow: (name: string) => void;
}

export function FleetCards({ store, answer, grown, comparison, compared, state, go, narrow }: FleetCardsProps) {
    const rows = answer.services;
    const most = (value: (row: Service) => number) => rows.reduce<Service | null>((best, row) => (!best || value(row) > value(best) ? row : best), null);
    const card = (name: string, title: string, sum: number, value: (row: Service) => number) => {
        const row = most(value);
        return { card: name, title, value: sum, share: row?.name && sum ? value(row) / sum : null, function: row?.name || null, file: null };
    };
    const allocated = sumOf(rows, (row) => row.allocated_bytes);
    const [inUse, instances] = [sumOf(rows, (row) => row.in_use_bytes), sumOf(rows, (row) => row.series)];
    const site = grown && grown.found > 0 ? grown.sites[0] : null;
    const isCompared = Object.entries(compared).every(([key, wanted]) => state[key as keyof FleetState] === wanted);
    const label = instanceLabel(store);
    const open = (name: string | null) => () => name && narrow(name);
    const heaviest = [
        card("allocated", "Allocated", allocated, (row) => row.allocated_bytes ?? 0),
        card("in-use", "In use", inUse, (row) => row.in_use_bytes ?? 0),
        card("instances", "Sets of labels", instances, (row) => row.series),
    ];
    const what = state.what === "in_use" ? "in-use" : "allocated";
    return (
        <section class="cards" aria-label="Summary">
            {grown && (
                <OneCard unit="bytes" sign chosen={isCompared} open={site ? siteLink(comparison, site) : ""} choose={() => go(isCompared ? { base: "", range: "" } : compared)}
                    card={{ card: "grew", title: `Grew ${comparison.since}`, value: site?.growth ?? 0, value_low: site?.growth_low, value_high: site?.growth_high,
                        share: site?.new_share ?? null, function: site?.function ?? null, file: site?.file ?? null, line: site?.line ?? undefined }}
                    said={site ? `of all, ${percent(site.base_share, 1)} before${grown.found > 1 ? `; ${grown.found - 1} more grew` : ""}` : "no function, by more than chance"} />
            )}
            <OneCard card={{ ...heaviest[0], ...boundsOf(rows, allocated) }} unit="bytes" chosen={what === "allocated"} choose={() => go({ what: "allocated" })}
                open={open(heaviest[0].function)} steps curve={curveOf(rows, (row) => row.allocated_by_step)} />
            {rows.some((row) => row.in_use_bytes !== null) && (
                <OneCard card={heaviest[1]} unit="bytes" chosen={what === "in-use"} choose={() => go({ what: "in_use" })}
                    open={open(heaviest[1].function)} said="the mean over the time that has profiles" steps curve={curveOf(rows, (row) => row.in_use_by_step)} />
            )}
            <OneCard card={heaviest[2]} unit="count" chosen={label !== "" && state.by === label} choose={() => label && go({ by: state.by === label ? "service" : label, value: "" })}
                open={open(heaviest[2].function)} said={`instances, versions; ${sumOf(rows, (row) => row.profiles)} profiles`} />
        </section>
    );
}
