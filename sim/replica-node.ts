import { runReplica } from '../server/src/app/replication/replica-run.ts';
import type { JoinedPrimary, ReplicaEvents } from '../server/src/app/replication/replica-run.ts';
import { unavailable } from '../server/src/replication/channel-problem.ts';
import { connectReplica } from '../server/src/replication/replica-channel.ts';
import { replicaName } from '../server/src/replication/replica-name.ts';
import type { History } from '../server/src/store/history.ts';
import { addressOf } from './addresses.ts';
import { SimulatedFollowedState } from './followed-state.ts';
import type { Host } from './host.ts';
import { ReplicaFolder } from './replica-folder.ts';
import { SECRET, VERSION } from './primary-node.ts';
import type { PrimaryNode } from './primary-node.ts';
import type { SimulatedProcess } from './process.ts';
import type { StateVersion } from './workspace-state.ts';

const REGISTRATION_TIMEOUT_MS = 10_000;

export interface PrimaryPlace {
  readonly host: string;
  /** Undefined while none runs there. */
  find(): PrimaryNode | undefined;
}

/**
 * A replica from the start of its process to its end: `runReplica` itself, on a simulated disk and
 * network.
 */
export class ReplicaNode {
  readonly process: SimulatedProcess;
  /** Resolves with what ended it; undefined when it was asked to end. */
  readonly ended: Promise<unknown>;
  readonly #host: Host;
  readonly #primary: PrimaryPlace;
  #isLoaded = false;
  #isJoining = false;

  constructor(host: Host, primary: PrimaryPlace) {
    const { world, disk } = host;
    this.process = host.newProcess();
    this.#host = host;
    this.#primary = primary;
    disk.isOfReplica = true;
    const { process } = this;
    this.ended = runReplica(
      {
        store: new ReplicaFolder(disk, process, world.scheduler),
        join: async (history) => {
          this.#isJoining = true;
          try {
            return await this.#join(history);
          } finally {
            this.#isJoining = false;
          }
        },
        openState: () =>
          SimulatedFollowedState.open({
            disk,
            process,
            scheduler: world.scheduler,
            faults: world.faults,
          }),
        timers: process,
        pause: (ms, signal) => pause(process, ms, signal),
        events: this.#events(),
      },
      process.signal,
    ).catch((error: unknown) => error);
  }

  /** Whether a connection is being made for it: one that stops does not wait for that. */
  get isJoining(): boolean {
    return this.#isJoining;
  }

  /** Whether readers have ever seen anything of it. */
  get hasServed(): boolean {
    return this.#isLoaded;
  }

  /** What readers see; undefined while it serves nothing. */
  get served(): StateVersion | undefined {
    return this.#isLoaded && this.process.isAlive ? this.#host.disk.state?.live : undefined;
  }

  async #join(history: History | undefined): Promise<JoinedPrimary> {
    const { process } = this;
    const { world, name } = this.#host;
    const { links } = world.network;
    const there = links.between(name, this.#primary.host);
    const back = links.between(this.#primary.host, name);
    await process.wait(links.delay(there), 'registers');
    if (there.isSilent) await this.#giveUp();
    const primary = this.#primary.find();
    if (primary === undefined) throw unavailable('no primary answers');
    primary.register(process.name, history);
    await process.wait(links.delay(back), 'is registered');
    if (back.isSilent) await this.#giveUp();
    return connectReplica({
      host: addressOf(world.name, process, this.#primary.host),
      port: 42_999,
      secret: SECRET,
      replicaUID: process.name,
      hello: { name: replicaName(process.name), version: VERSION },
    });
  }

  async #giveUp(): Promise<never> {
    await this.process.wait(REGISTRATION_TIMEOUT_MS, 'waits for its registration');
    throw unavailable('the primary does not answer');
  }

  #events(): ReplicaEvents {
    const { scheduler, checkers, network } = this.#host.world;
    const { process } = this;
    return {
      note: (text) => {
        if (!process.isAlive) return;
        scheduler.note(`${process.name}: ${text}`);
        checkers.onNote(process.name, text, network.links.damaged > 0);
      },
      progress: () => {},
      loaded: () => {
        this.#isLoaded = true;
      },
      caughtUp: () => {},
    };
  }
}

async function pause(process: SimulatedProcess, ms: number, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([process.wait(ms, 'pauses').catch(() => {}), aborted]);
}
