import type { TargetSettings } from '../backup/open-target.ts';

/** What a thread that scrubs is started with. It runs no user code. */
export interface ScrubPlace {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  /** Null where there are no backups. */
  readonly target: TargetSettings | null;
  /** Of `Followers`: how far the state is. */
  readonly followers: SharedArrayBuffer;
}

export const SCRUB_PARTS = ['state', 'log', 'index', 'backups'] as const;
export type ScrubPart = (typeof SCRUB_PARTS)[number];

/** Something that is not what was written. */
export interface Damage {
  readonly part: ScrubPart;
  /** Without any content. */
  readonly place: string;
}

/** How much there was of each part. */
export interface ScrubRead {
  readonly entries: number;
  readonly commits: number;
  readonly indexFiles: number;
  readonly backups: number;
}

/** What is told while it reads. A damage is told as soon as it is found: what follows may fail. */
export type ScrubStep =
  | { readonly kind: 'progress'; readonly fraction: number; readonly step: string }
  | { readonly kind: 'damage'; readonly damage: Damage };

export interface ScrubCalls {
  /** Once: the thread ends with it. */
  scrub(given: undefined, step: ScrubStep): ScrubRead;
}
