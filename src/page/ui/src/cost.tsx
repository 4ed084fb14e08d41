// What leads through a function over time, of a choice of a store; against a base, before and now.

import { question, useAnswer } from "./api";
import { Curve } from "./cards";
import { bytes } from "./format";
import { sampleOf } from "./report-answer";
import type { State } from "./state";
import type { Services } from "./fleet/answers";
import { rangeOf, rangeText, selection } from "./fleet/state";
import { moment } from "./fleet/times";
import type { Shown } from "./types";

const STEPS = 60;

// A selection's labels, and its time where that has bounds.
function partsOf(of: string): { labels: string; time: [number, number] | null } {
    const found = /(?:^| )time=(\d+\.\.\d+)$/.exec(of);
    return { labels: found ? of.slice(0, found.index) : of, time: found && rangeOf(found[1]) };
}

// The selections that are asked about: where only the times differ, all of the time at once.
function asked(path: string): string[] {
    const found = /\/show\/([^/]+)\/(?:against\/([^/]+)\/)?$/.exec(path);
    if (!found) return [];
    const both = found.slice(1).filter((part) => part).map((part) => decodeURIComponent(part));
    const [of, base] = both.map(partsOf);
    if (!base?.time || !of.time || of.labels !== base.labels) return both.reverse();
    return [selection(of.labels, `time=${rangeText(Math.min(of.time[0], base.time[0]), Math.max(of.time[1], base.time[1]))}`)];
}

function One({ home, of, name, isLevel, generation }: { home: string; of: string; name: string; isLevel: boolean; generation: number }) {
    const url = question(`${home.replace(/\?.*/, "")}api/services`, { of, by: "service", steps: STEPS, through: name });
    const { answer, error } = useAnswer(url, generation, (raw: never) => raw as Services);
    if (error) return <p class="quiet">{error}</p>;
    if (!answer) return <p class="quiet" role="status">Asking…</p>;
    const seconds = ((answer.to_us - answer.from_us) * 1e-6) / STEPS;
    const sums = Array.from({ length: STEPS }, (_, step) => answer.services.reduce((sum, row) => sum + (isLevel ? row.in_use_by_step : row.allocated_by_step)[step], 0) / (isLevel ? 1 : seconds));
    const span = `${moment(answer.from_us * 1e-6)} to ${moment(answer.to_us * 1e-6)}`;
    const most = `at most ${bytes(Math.max(...sums, 0))}${isLevel ? "" : "/s"}`;
    return (
        <figure class="cost-curve" role="img" aria-label={`Through ${name}, ${span}: ${most}`}>
            <Curve values={sums} steps />
            <figcaption class="quiet">{partsOf(of).labels && <code>{partsOf(of).labels} </code>}{span}, {most}</figcaption>
        </figure>
    );
}

export function CostOverTime({ about, state, name }: { about: Shown; state: State; name: string }) {
    if (!about.home) return null;
    const query = about.home.includes("?") ? "&" : "?";
    return (
        <section id="cost-over-time">
            <h2>Cost over time</h2>
            {asked(location.pathname).map((of) => <One key={of} home={about.home!} of={of} name={name} isLevel={sampleOf(about, state).startsWith("inuse")} generation={about.generation} />)}
            <p><a href={`${about.home}${query}through=${encodeURIComponent(name)}`} title="What leads through this function, by service and over time">Of all services</a></p>
        </section>
    );
}
