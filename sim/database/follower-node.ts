import { type LogRecord, recordDigest } from '../../server/src/log/commit-log.ts';
import { followLog } from '../../server/src/log/postgres/followed-log.ts';
import { DatabaseFault } from '../../server/src/log/postgres/log-database.ts';
import { emptyMemberState, type MemberCommit, type MemberState } from './ledger.ts';
import type { MemberWorld } from './member-node.ts';
import { ModelClient } from './model-client.ts';
import { SimulatedMember } from './simulated-member.ts';

const RETRY_MS = 200;

/** What a follower has on its disk. */
export interface FollowerState extends MemberState {
  /** Of its last record. */
  digest: string | undefined;
}

export function emptyFollowerState(): FollowerState {
  return { ...emptyMemberState(), digest: undefined };
}

/** One life of a follower: it reads the log as that of the server does. */
export class FollowerNode {
  readonly process: SimulatedMember;
  readonly #world: MemberWorld;
  readonly #state: FollowerState;
  readonly #client: ModelClient;
  readonly #ending = new AbortController();

  constructor(name: string, state: FollowerState, world: MemberWorld) {
    this.#world = world;
    this.#state = state;
    this.process = new SimulatedMember(name, world.scheduler);
    this.#client = new ModelClient(world, this.process);
    void this.#live();
  }

  get state(): FollowerState {
    return this.#state;
  }

  kill(): void {
    this.process.kill();
  }

  async #live(): Promise<void> {
    const { epoch } = this.#world.manifest;
    const { signal } = this.#ending;
    for (;;) {
      try {
        const session = this.#client.openSession({
          epoch,
          pause: (...given) => this.#pause(...given),
        });
        await followLog(session, {
          epoch,
          from: this.#state.sequence + 1,
          previous: this.#state.digest,
          signal,
          apply: async (records) => {
            for (const record of records) this.#apply(record);
          },
        });
      } catch (error) {
        if (!(error instanceof DatabaseFault)) {
          // Above all: that the log has lost what was applied.
          this.#world.ledger.report(`${this.process.name}: ${String(error)}`);
          return;
        }
      }
      await this.#pause(RETRY_MS, signal);
    }
  }

  #apply(record: LogRecord): void {
    const { first, last, payload } = record;
    const { id }: MemberCommit = JSON.parse(Buffer.from(payload).toString());
    const state = this.#state;
    if (first !== state.sequence + 1) {
      const { ledger } = this.#world;
      ledger.report(`${this.process.name} applies ${first} after ${state.sequence}`);
    }
    state.sequence = last;
    state.ids.set(last, id);
    state.digest = recordDigest(record);
  }

  #pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer[Symbol.dispose]();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = this.process.every(ms, end);
      signal.addEventListener('abort', end);
    });
  }
}
