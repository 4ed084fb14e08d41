// What is chosen, and where to go from there.

import { copyText } from "../files";
import { type FleetState, type Go, named, rangeOf, showPath } from "./state";
import { moment } from "./times";

// A selection in words: the time where the browser is.
export function Words({ of }: { of: string }) {
    const time = /(?:^| )time=(\d+\.\.\d+)$/.exec(of);
    const range = time && rangeOf(time[1]);
    const labels = time ? of.slice(0, time.index) : of === "all" ? "" : of;
    return <><code>{labels || "all services"}</code>{range && `, ${moment(range[0])} to ${moment(range[1])}`}</>;
}

export interface ChosenProps {
    state: FleetState;
    go: Go;
    of: string; // with absolute times
    link: string; // of this page, with absolute times
}

export function Chosen({ state, go, of, link }: ChosenProps) {
    return (
        <section class="chosen" aria-label="Chosen">
            <p id="chosen">
                <strong>Chosen:</strong> <Words of={of} />{" "}
                <span class="buttons">
                    <a class="button" id="show" href={showPath(of, "")}>Flame graph</a>
                    <a class="button" href={showPath(of, "", { view: "top" })}>Functions</a>
                    <a class="button" href={showPath(of, "", { view: "reports" })}>Reports</a>
                    <button type="button" id="keep" onClick={() => go({ base: named(of) })} title="Compare what is chosen then with this">Keep as base</button>
                    {state.range && <button type="button" id="zoom" onClick={() => go({ time: state.range, range: "" })}>Zoom in</button>}
                    {(state.range || state.value) && <button type="button" id="clear" onClick={() => go({ range: "", value: "" })}>Clear</button>}
                    <button type="button" onClick={() => copyText(link)} title="A link that shows the same at any time">Copy link</button>
                </span>
            </p>
        </section>
    );
}
