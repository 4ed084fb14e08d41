// What the server answers (src/fleet/answers.c).

export interface Labels {
    store: string;
    labels: { label: string; values: string[]; more: boolean }[];
}

export interface Service {
    name: string;
    allocated_bytes: number | null;
    allocated_standard_error: number | null;
    allocated_low?: number | null; // bounds of 95 of 100
    allocated_high?: number | null;
    share: number | null;
    in_use_bytes: number | null;
    series: number;
    profiles: number;
    from: string;
    until: string;
    allocated_by_step: number[];
    in_use_by_step: number[];
}

export interface Services {
    label: string;
    from_us: number;
    to_us: number;
    lacks?: string; // what all figures are without: a shard that is down
    services: Service[];
}

export interface Regression {
    function: string;
    file: string | null;
    [column: string]: number | string | null;
}
