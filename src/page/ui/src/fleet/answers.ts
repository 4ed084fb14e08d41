// What the server answers (src/fleet/answers.c).

export interface Store {
    state: "fleet"; // what tells it from a viewer's answer
    name: string;
    from_us: number; // of all profiles; 0 where there are none
    until_us: number;
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
    outlier?: { of: string; label: string | null; value: string | null; series: number; bytes: number; rest_bytes: number }; // has a thousand times as much as all others
    services: Service[];
}

// A site whose share grew, or may have.
export interface Site {
    function: string;
    file: string | null;
    line: number | null; // that has most
    base_share: number;
    new_share: number;
    growth: number; // beyond the base's share, with bounds of 95 of 100
    growth_low: number;
    growth_high: number;
}

export interface Grown {
    false_alarm_rate: number;
    count: number;
    found: number; // these come first
    small: number;
    sites: Site[];
}
