// What is chosen, and what it is compared with: where to go from there.

import { useState } from "preact/hooks";
import { question, useAnswer } from "../api";
import { copyText } from "../files";
import { bytes, percent } from "../format";
import type { Regression } from "./answers";
import { type FleetState, type Go, named, rangeOf, showPath } from "./state";
import { moment } from "./times";

// A selection in words: the time where the browser is.
function Words({ of }: { of: string }) {
    const time = /(?:^| )time=(\d+\.\.\d+)$/.exec(of);
    const range = time && rangeOf(time[1]);
    const labels = time ? of.slice(0, time.index) : of;
    return <><code>{labels || "all services"}</code>{range && `, ${moment(range[0])} to ${moment(range[1])}`}</>;
}

interface Grown {
    false_alarm_rate: number;
    count: number;
    found: number;
    sites: Regression[];
}

// Sites that have a larger share than in the base, by more than chance.
function WhatGrew({ of, base }: { of: string; base: string }) {
    const asked = useAnswer<Grown>(question("/api/regressions", { of: named(of), base: named(base), "node-count": 50 }), 0, (raw: never) => raw as Grown);
    if (asked.error) return <p class="remark" role="alert">{asked.error}</p>;
    const grown = asked.answer;
    if (!grown) return <p class="quiet" role="status">Comparing…</p>;
    return (
        <section id="grew" aria-label="What grew">
            <p>
                {grown.found} of {grown.count} sites have a larger share than in the base by more than the chance of sampling
                {" "}<span class="quiet">(if none had grown, any would be named in {percent(grown.false_alarm_rate, 1)} of comparisons)</span>
            </p>
            {grown.found > 0 && (
                <div class="table-box">
                    <table class="table" aria-label="Sites that grew">
                        <thead><tr><th>site</th><th class="number">base</th><th class="number">now</th><th class="number">allocated</th></tr></thead>
                        <tbody>
                            {grown.sites.slice(0, grown.found).map((site, i) => (
                                <tr key={i}>
                                    <td class="name mono">{site.function} <span class="quiet">{site.file}</span></td>
                                    <td class="number">{percent(Number(site.base_share), 1)}</td>
                                    <td class="number grew">{percent(Number(site.new_share), 1)}</td>
                                    <td class="number">{bytes(Number(site.new_value))}</td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            )}
        </section>
    );
}

export interface ChosenProps {
    state: FleetState;
    go: Go;
    of: string; // with absolute times
    before: string; // the same of as long a time before; "" where the time has no bounds
    link: string; // of this page, with absolute times
}

export function Chosen({ state, go, of, before, link }: ChosenProps) {
    const [grew, setGrew] = useState(false);
    const base = state.base === "all" ? "" : state.base;
    return (
        <section class="chosen" aria-label="Chosen">
            <p id="chosen">
                <strong>Chosen:</strong> <Words of={of} />{" "}
                <span class="buttons">
                    <a class="button" id="show" href={showPath(of, "")}>Flame graph</a>
                    <a class="button" href={showPath(of, "", "top")}>Functions</a>
                    <a class="button" href={showPath(of, "", "reports")}>Reports</a>
                    <button type="button" id="keep" onClick={() => go({ base: named(of) })}>Keep as base</button>
                    {before && <a class="button" id="before" href={showPath(of, before)} title="Compare with as long a time right before">Against the time before</a>}
                    {state.range && <button type="button" id="zoom" onClick={() => go({ time: state.range, range: "" })}>Zoom in</button>}
                    {(state.range || state.value) && <button type="button" id="clear" onClick={() => go({ range: "", value: "" })}>Clear</button>}
                    <button type="button" onClick={() => copyText(link)} title="A link that shows the same at any time">Copy link</button>
                </span>
            </p>
            {state.base && (
                <p id="base">
                    <strong>Base:</strong> <Words of={base} />{" "}
                    <span class="buttons">
                        <a class="button" id="compare" href={showPath(of, state.base)}>Compare as a flame graph</a>
                        <a class="button" href={showPath(of, state.base, "top")}>Compare functions</a>
                        <button type="button" id="what-grew" aria-pressed={grew} onClick={() => setGrew(!grew)}>What grew</button>
                        <button type="button" onClick={() => go({ base: "" })}>Forget</button>
                    </span>
                </p>
            )}
            {state.base && grew && <WhatGrew of={of} base={base} />}
        </section>
    );
}
