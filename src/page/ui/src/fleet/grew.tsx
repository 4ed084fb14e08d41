// What grew: the sites of what is chosen that have a larger share than in the base, or in the time before.  A row leads to the flame
// graph of both, where its function is marked and stands at the side.

import type { Asked } from "../api";
import { bytes, percent, placeOf } from "../format";
import { rootPattern } from "../report-answer";
import type { Grown, Site } from "./answers";
import { Words } from "./chosen";
import { type Go, showPath } from "./state";

const ROWS = 5;

// What is compared with what, and how the title says it.
export interface Comparison {
    of: string;
    base: string;
    since: string; // "since yesterday"
}

export function siteLink({ of, base }: Comparison, site: Site): string {
    return showPath(of, base, { function: site.function, search: rootPattern(site.function) });
}

function Row({ site, href }: { site: Site; href: string }) {
    return (
        <tr onClick={() => location.assign(href)} class="leads">
            <td class="name mono"><a class="link" href={href} onClick={(event) => event.stopPropagation()}>{site.function}</a> <span class="quiet">{placeOf({ file: site.file, line: site.line ?? undefined })}</span></td>
            <td class="number grew">+{bytes(site.growth)}</td>
            <td class="number hide-narrow">{bytes(site.growth_low)} to {bytes(site.growth_high)}</td>
            <td class="number hide-narrow">{percent(site.base_share, 1)}</td>
            <td class="number">{percent(site.new_share, 1)}</td>
        </tr>
    );
}

function Sites({ grown, comparison, all }: { grown: Grown; comparison: Comparison; all: boolean }) {
    return (
        <div class="table-box">
            <table class="table" aria-label="Sites that grew">
                <thead>
                    <tr>
                        <th>function</th><th class="number">more</th><th class="number hide-narrow">bounds (95 %)</th>
                        <th class="number hide-narrow">share before</th><th class="number">share now</th>
                    </tr>
                </thead>
                <tbody>{grown.sites.slice(0, all ? grown.found : Math.min(ROWS, grown.found)).map((site, i) => <Row key={i} site={site} href={siteLink(comparison, site)} />)}</tbody>
            </table>
        </div>
    );
}

function None({ grown }: { grown: Grown }) {
    return (
        <p id="none-grew">
            No function has a larger share than before by more than the chance of sampling{grown.small > 0 ? `; ${grown.small} grew by less than matters` : ""}.
            {" "}<span class="quiet">To compare otherwise, drag over the curves, or press <em>Base</em> and <em>Choose</em> in two rows.</span>
        </p>
    );
}

export interface WhatGrewProps {
    comparison: Comparison;
    asked: Asked<Grown>;
    isFirst: boolean; // there are no profiles before it
    hasBase: boolean; // one that was chosen
    all: boolean; // rows that are shown
    go: Go;
}

export function WhatGrew({ comparison, asked, isFirst, hasBase, all, go }: WhatGrewProps) {
    const { answer: grown, error } = asked;
    const shown = isFirst || error ? null : grown;
    return (
        <section id="grew" aria-label="What grew" aria-busy={asked.waiting}>
            <h2>What grew {comparison.since}</h2>
            <p id="base" class="quiet">
                <Words of={comparison.of} /> against <Words of={comparison.base} />{" "}
                <span class="buttons">
                    <a class="button" id="compare" href={showPath(comparison.of, comparison.base)}>Compare as a flame graph</a>
                    <a class="button" href={showPath(comparison.of, comparison.base, { view: "top" })}>Compare functions</a>
                    {hasBase && <button type="button" id="forget" onClick={() => go({ base: "", range: "" })}>Forget the base</button>}
                </span>
            </p>
            {(error || isFirst) && <p class="remark" role="status" id="incomparable">Nothing can be compared: {error || "no profiles are from before that"}. Drag over the curves to choose a range that has profiles before it, or press <em>Base</em> and <em>Choose</em> in two rows.</p>}
            {!isFirst && !error && !grown && <p class="quiet" role="status">Comparing…</p>}
            {shown?.found === 0 && <None grown={shown} />}
            {shown && shown.found > 0 && (
                <>
                    <Sites grown={shown} comparison={comparison} all={all} />
                    <p class="quiet">
                        {shown.found} of {shown.count} functions have a larger share of what is allocated, by more than the chance of sampling: if none had grown, any would be named in {percent(shown.false_alarm_rate, 1)} of comparisons.
                        {" "}{shown.found > ROWS && <button type="button" id="more-grew" onClick={() => go({ all: all ? "" : "1" }, true)}>{all ? "Show fewer" : `Show ${shown.found - ROWS} more`}</button>}
                    </p>
                </>
            )}
        </section>
    );
}
