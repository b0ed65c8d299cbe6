import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalState } from '#store/local-state.ts';
import { IndexBlocks } from '../indexes/index-blocks.ts';
import { RowPacker } from './row-packer.ts';

/** How often it is looked whether something is to be packed. */
const LOOK_INTERVAL_MS = 500;
/** Commits that go on and on hold the packing back no longer than this. */
const WAIT_MAX_MS = 10_000;
/** Between two slices. */
const PAUSE_MS = 2;
/** While commits come: at least so long, and so many times as long as they waited for a slice. */
const BUSY_PAUSE_MS = 20;
const BUSY_PAUSES = 4;
/** After a problem, such as a full disk. */
const RETRY_MS = 60_000;

/**
 * Packs rows, and divides indexes into counted blocks, once no commit has come for a moment, or has
 * not stopped coming for a while, until it is disposed. `onNote` hears of what an operator should
 * know.
 */
export function keepPacking(local: LocalState, onNote: (text: string) => void): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  const pauses = new SlicePauses(local);
  const pause = async (): Promise<void> => {
    await rest(pauses.nextMs);
    pauses.begin();
  };
  const packer = new RowPacker(local, pause);
  const blocks = new IndexBlocks(local, pause);

  const rest = async (ms: number): Promise<void> => {
    try {
      await sleep(ms, undefined, { signal, ref: false });
    } catch {
      // It has ended; the loop sees that.
    }
  };

  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      if (!packer.isBehind && !blocks.isBehind) {
        await rest(LOOK_INTERVAL_MS);
        continue;
      }
      await untilQuiet(local, rest, signal);
      pauses.begin();
      try {
        if (packer.isBehind) await packer.pack(signal);
        await blocks.divide(signal);
      } catch (error) {
        onNote(`packing adjacency and counting indexes: ${error}`);
        await rest(RETRY_MS);
      }
    }
  };
  const done = work();
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await done;
    },
  };
}

/** How long to rest after a slice of work. */
export class SlicePauses {
  readonly #local: Pick<LocalState, 'sequence' | 'isBusy'>;
  readonly #now: () => number;
  #sequence = 0;
  #begunAt = 0;

  constructor(
    local: Pick<LocalState, 'sequence' | 'isBusy'>,
    now: () => number = () => performance.now(),
  ) {
    this.#local = local;
    this.#now = now;
    this.begin();
  }

  /** A slice begins. */
  begin(): void {
    this.#sequence = this.#local.sequence;
    this.#begunAt = this.#now();
  }

  get nextMs(): number {
    const { isBusy, sequence } = this.#local;
    if (!isBusy && sequence === this.#sequence) return PAUSE_MS;
    return Math.max(BUSY_PAUSE_MS, (this.#now() - this.#begunAt) * BUSY_PAUSES);
  }
}

async function untilQuiet(
  local: LocalState,
  rest: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const latest = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const { sequence } = local;
    await rest(LOOK_INTERVAL_MS);
    if (signal.aborted || sequence === local.sequence || performance.now() > latest) return;
  }
}
