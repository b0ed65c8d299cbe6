/**
 * How far the replicas are behind, and what the primary should do about it (specification, section
 * 2.7). All lags count operations.
 */
export interface LagReport {
  /** The largest lag of any replica, as of the last report. */
  readonly currentLag: number;
  /**
   * The mean of the last LAG_WINDOW_REPORTS values of `currentLag`; 240 are a minute of one
   * replica's reports.
   */
  readonly averageLag: number;
  /**
   * The exponential moving average of `currentLag` over time, with LAG_TIME_CONSTANT_MS: after a
   * time dt it has moved by alpha = 1 - exp(-dt / constant) of the way towards the current lag,
   * which is 0.05 in the 250 ms between two reports. So a single spike hardly shows, and while
   * nobody reports it still settles at the last lag.
   */
  readonly emaLag: number;
  /** 0 to 2000; see `recommendDelayMs`. */
  readonly recommendedDelayMs: number;
}

/** Immutable; `observeLag` makes the next one. */
export interface LagState {
  readonly recent: readonly number[];
  readonly emaLag: number;
  readonly observedAt: number;
  /** Whether the controller asks for a delay. */
  readonly isEngaged: boolean;
}

export const LAG_WINDOW_REPORTS = 240;
export const LAG_TIME_CONSTANT_MS = 5_000;
/**
 * The average lag, in operations, at which the controller begins to ask for a delay, and at which
 * it stops.
 */
export const LAG_ENGAGE = 20_000;
export const LAG_RELEASE = 5_000;
/** The average lag from which it asks for the longest delay. */
export const LAG_FULL = 200_000;
export const DELAY_MAX_MS = 2_000;

export const INITIAL_LAG: LagState = { recent: [], emaLag: 0, observedAt: 0, isEngaged: false };

/**
 * The state after the largest lag was found to be `lag` at `now`, milliseconds since the Unix
 * epoch.
 */
export function observeLag(state: LagState, lag: number, now: number): LagState {
  const emaLag = emaAt(state, now);
  return {
    recent: [...state.recent.slice(1 - LAG_WINDOW_REPORTS), lag],
    emaLag,
    observedAt: now,
    isEngaged: engages(state.isEngaged, emaLag),
  };
}

export function readLag(state: LagState, now: number): LagReport {
  const { recent, isEngaged } = state;
  const emaLag = emaAt(state, now);
  const sum = recent.reduce((total, lag) => total + lag, 0);
  return {
    currentLag: recent.at(-1) ?? 0,
    averageLag: recent.length === 0 ? 0 : sum / recent.length,
    emaLag,
    recommendedDelayMs: recommendDelayMs(engages(isEngaged, emaLag), emaLag),
  };
}

/**
 * A proportional controller with hysteresis: nothing until the average lag reaches LAG_ENGAGE; from
 * then on, in proportion to how far it is above LAG_RELEASE, 2000 ms at LAG_FULL and above, until
 * it has come down to LAG_RELEASE. More lag never recommends less delay.
 */
export function recommendDelayMs(isEngaged: boolean, emaLag: number): number {
  if (!isEngaged) return 0;
  const share = (emaLag - LAG_RELEASE) / (LAG_FULL - LAG_RELEASE);
  return Math.round(DELAY_MAX_MS * Math.min(1, Math.max(0, share)));
}

/**
 * Between two observations the average moves one way only, so asking at any times in between makes
 * no difference.
 */
function engages(wasEngaged: boolean, emaLag: number): boolean {
  return wasEngaged ? emaLag > LAG_RELEASE : emaLag >= LAG_ENGAGE;
}

/**
 * The first lag that is ever seen is not a jump from nothing: the average begins there at 0 and
 * moves like for any other.
 */
function emaAt({ recent, emaLag, observedAt }: LagState, now: number): number {
  const current = recent.at(-1);
  if (current === undefined) return 0;
  const elapsedMs = Math.max(0, now - observedAt);
  return current + (emaLag - current) * Math.exp(-elapsedMs / LAG_TIME_CONSTANT_MS);
}
