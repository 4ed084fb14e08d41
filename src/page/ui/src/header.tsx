// What the trace is, in a line; the rest of it on request.

import { between, bytes, counted, duration } from "./format";
import type { ThemeChoice } from "./theme";
import type { Navigate, State } from "./state";
import type { Shown } from "./types";

function facts(about: Shown): [string, string][] {
    const list: [string, string | undefined | null][] = [
        ["Program", about.executable],
        ["Context", about.context],
        ["Process", about.pid ? String(about.pid) : ""],
        ["Machine", about.host],
        ["Runtime", about.runtime_params],
        ["Began", about.start_us ? new Date(about.start_us / 1000).toLocaleString() : ""],
        ["Lasted", about.duration_us !== undefined ? duration(about.duration_us * 1e-6) : ""],
        ["Sampled", about.sample_rate === 1 ? "every allocation" : about.sample_rate ? `${about.sample_rate.toPrecision(3)} of all words` : ""],
        ["Words", about.word_bits === 8 ? "bytes" : about.word_bits ? `${about.word_bits} bits` : ""],
        ["Format", about.kind === "trace" ? `memtrace version ${about.version}` : "pprof profile"],
        ["Objects", about.objects !== undefined ? `${about.objects.toLocaleString("en")} ${about.sample_rate === 1 ? "" : "sampled "}blocks` : ""],
        ["Samples", about.samples !== undefined ? about.samples.toLocaleString("en") : ""],
        ["Filter", about.filter],
        ["Compared with", about.base?.name],
    ];
    return list.filter((fact): fact is [string, string] => !!fact[1]);
}

function program(about: Shown): string {
    const path = about.executable ?? "";
    return path.slice(path.lastIndexOf("/") + 1);
}

// What the peak surely lies between, where it is an estimate.
function bounds(about: Shown): string {
    const [low, high] = [about.peak_low ?? 0, about.peak_high ?? 0];
    const text = between(about.peak_bytes ?? 0, low, high, "bytes");
    return low < high && text ? ` (${text}${about.peak_too_few_samples ? ": too few samples to tell" : ""})` : "";
}

// Its size in a few words: how long, how much at most.
function extent(about: Shown): string {
    if (about.duration_us === undefined) return about.samples !== undefined ? counted(about.samples, "sample") : "";
    return `${duration(about.duration_us * 1e-6)}, ${bytes(about.peak_bytes ?? 0)}${bounds(about)} alive at the peak`;
}

export function ThemeField({ choice, choose }: { choice: ThemeChoice; choose: (choice: ThemeChoice) => void }) {
    return (
        <label class="field">
            <span class="hidden">Theme</span>
            <select id="theme" value={choice} onChange={(event) => choose(event.currentTarget.value as ThemeChoice)}>
                <option value="system">as the system</option>
                <option value="light">light</option>
                <option value="dark">dark</option>
            </select>
        </label>
    );
}

export interface HeaderProps {
    about: Shown;
    state: State;
    navigate: Navigate;
    choice: ThemeChoice;
    choose: (choice: ThemeChoice) => void;
    showHelp: () => void;
}

export function Header({ about, state, navigate, choice, choose, showHelp }: HeaderProps) {
    const said = [program(about), about.context, extent(about), about.filter ? `only ${about.filter}` : "", about.base ? `against ${about.base.name}` : "", about.live ? "live" : ""];
    return (
        <header class="header">
            {about.files.length > 1 ? (
                <h1>
                    <select id="file" aria-label="File" value={state.file} onChange={(event) => navigate({ file: Number(event.currentTarget.value), zoom: "" })}>
                        {about.files.map((file, i) => <option key={i} value={i}>{file.name}</option>)}
                    </select>
                </h1>
            ) : (
                <h1>{about.name}</h1>
            )}
            {about.home && <a id="home" href={about.home}>All services</a>}
            <span class="quiet" id="said">{said.filter((text) => text).join(" · ")}</span>
            <details class="facts">
                <summary>About</summary>
                <table>
                    {facts(about).map(([name, text]) => (
                        <tr key={name}>
                            <th scope="row">{name}</th>
                            <td>{text}</td>
                        </tr>
                    ))}
                </table>
            </details>
            <span class="space" />
            <ThemeField choice={choice} choose={choose} />
            <button type="button" id="help" onClick={showHelp} aria-label="Help">?</button>
        </header>
    );
}
