import { expect } from 'vitest';
import { seededRandom } from '../support/seeded-random.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { chooseStep, type FaultStep, step } from './fault-steps.ts';
import { InvariantChecker } from './invariant-checker.ts';
import type { Link } from './link.ts';
import { expectOrderlyEnd, type ServerProcess } from './server-process.ts';
import { manifestOf } from './stopped-state.ts';
import {
  pause,
  prepareWorkload,
  readItems,
  sequenceOf,
  Workload,
  writeBallast,
} from './workload.ts';

const STEPS = 8;
const MEGABYTE = 1024 * 1024;
const COMMITS_BETWEEN_MAX = 25;
const START_ATTEMPTS_MAX = 4;
/** Longer than a connection that is dead is held. */
const CATCH_UP_MS = 60_000;
const POLL_MS = 50;

/**
 * Runs one primary, one replica and a random sequence of the faults that are possible at the time:
 * the same seed makes the same choices. In the end both have the same state, every acknowledged
 * commit is there but those that a promotion has lost, and no read has seen a mixture.
 */
export async function runFaults(seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const env = { MSK_LOW_MEMORY: String(random() < 0.5) };
  await using cluster = await Cluster.create(env);
  const [primary, replica] = [await cluster.node('one'), await cluster.node('other')];
  // The link has its own random numbers: how many it takes depends on the traffic.
  const link = await cluster.link(primary, seededRandom(~seed));
  await primary.startPrimary();
  const token = await prepareWorkload(primary.http);
  await writeBallast(primary.http, token, MEGABYTE);
  await using run = new FaultRun({ primary, replica, link, token, random });
  try {
    await run.faults();
    await run.settle();
    await run.check();
  } catch (error) {
    throw new Error(`seed ${seed}: ${run.steps.join(', ')}`, { cause: error });
  }
  return run.steps;
}

interface FaultRunParts {
  readonly primary: ClusterNode;
  readonly replica: ClusterNode;
  readonly link: Link;
  readonly token: string;
  readonly random: () => number;
}

class FaultRun implements AsyncDisposable {
  /** The names of those that were taken. */
  readonly steps: string[] = [];
  readonly #link: Link;
  readonly #token: string;
  readonly #random: () => number;
  readonly #workload: Workload;
  #primary: ClusterNode;
  #replica: ClusterNode;
  #checker: InvariantChecker;
  /** Acknowledged before a promotion, and gone after it. */
  readonly #lost = new Set<string>();
  readonly #catalogue: readonly FaultStep[];

  constructor({ primary, replica, link, token, random }: FaultRunParts) {
    this.#primary = primary;
    this.#replica = replica;
    this.#link = link;
    this.#token = token;
    this.#random = random;
    this.#workload = new Workload(primary.http, token);
    this.#checker = new InvariantChecker(replica.http, token);
    this.#catalogue = [
      ...this.#createPrimarySteps(),
      ...this.#createReplicaSteps(),
      ...this.#createLinkSteps(),
    ];
  }

  async faults(): Promise<void> {
    this.#launchReplica();
    for (let taken = 0; taken < STEPS; taken++) {
      const chosen = chooseStep(this.#catalogue, this.#random);
      this.steps.push(chosen.name);
      await chosen.run();
      for (const { process } of [this.#primary, this.#replica]) expectOrderlyEnd(process);
      if (this.#isPrimaryUp()) {
        await this.#workload.written(1 + Math.floor(this.#random() * COMMITS_BETWEEN_MAX));
      }
    }
  }

  /** Ends every fault, and waits until both serve the same. */
  async settle(): Promise<void> {
    this.#link.mend();
    if (!this.#isPrimaryUp()) await this.#primary.startPrimary();
    else await this.#primary.process.ready;
    await this.#workload.written(1);
    await this.#workload.stop();
    for (let attempt = 0; attempt < START_ATTEMPTS_MAX; attempt++) {
      if (!this.#isReplicaUp()) this.#launchReplica();
      if (await this.#catchesUp()) return;
      // It met the last fault while it joined.
      expectOrderlyEnd(this.#replica.process);
    }
    throw new Error(`the replica did not come back:\n${this.#replica.process.log}`);
  }

  async check(): Promise<void> {
    await this.#checker.stop();
    const items = await readItems(this.#replica.http, this.#token);
    const missing = this.#workload.acknowledged.filter(
      ({ item }) => !items.has(item) && !this.#lost.has(item),
    );
    expect(missing, 'acknowledged commits that are missing').toEqual([]);
    const manifests = [];
    for (const { process, storage } of [this.#replica, this.#primary]) {
      expect((await process.stop()).code).toBe(0);
      manifests.push(await manifestOf(storage));
    }
    expect(manifests[0]).toEqual(manifests[1]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#workload.stop(), this.#checker.stop()]);
  }

  #createPrimarySteps(): readonly FaultStep[] {
    const isUp = (): boolean => this.#isPrimaryUp();
    const isDown = (): boolean => !this.#isPrimaryUp();
    const areUp = (): boolean => this.#isPrimaryUp() && this.#isReplicaUp();
    return [
      step('kill the primary', 2, isUp, () => this.#primary.process.kill()),
      step('stop the primary', 1, isUp, () => this.#primary.process.stop()),
      step('start the primary', 8, isDown, () => this.#startPrimary()),
      step('write a lot', 2, isUp, () => this.#writeALot()),
      step('promote the replica', 3, areUp, () => this.#promote()),
    ];
  }

  #createReplicaSteps(): readonly FaultStep[] {
    const isUp = (): boolean => this.#isReplicaUp();
    const isDown = (): boolean => !this.#isReplicaUp();
    return [
      step('kill the replica', 2, isUp, () => this.#replica.process.kill()),
      step('stop the replica', 1, isUp, () => this.#replica.process.stop()),
      step('start the replica', 8, isDown, () => this.#startReplica()),
      step('empty the replica', 1, isDown, () => this.#replica.empty()),
    ];
  }

  #createLinkSteps(): readonly FaultStep[] {
    const link = this.#link;
    const onLink = (name: string, weight: number, run: () => void): FaultStep =>
      step(
        name,
        weight,
        () => true,
        async () => run(),
      );
    return [
      onLink('cut the link', 2, () => link.cut()),
      onLink('hold the link', 2, () => link.hold()),
      onLink('mend the link', 6, () => link.mend()),
      onLink('break the connections', 2, () => link.channel.breakConnections()),
      onLink('delay the link', 2, () => link.impair({ delayMs: 30, jitterMs: 60 })),
      onLink('throttle the link', 2, () => link.impair({ bytesPerSecond: 50_000 })),
      onLink('flip bits', 2, () => link.channel.flipBits()),
    ];
  }

  /** Whether the replica has all that was written, or else has ended. */
  async #catchesUp(): Promise<boolean> {
    const { http, process } = this.#replica;
    const headers = { 'x-msk-min-sequence': String(this.#workload.sequence) };
    const call = { path: '/api/schema', token: this.#token, headers };
    const deadline = performance.now() + CATCH_UP_MS;
    while (process.isRunning) {
      const answer = await http.send(call).catch(() => undefined);
      if (answer?.status === 200) return true;
      if (performance.now() > deadline) throw new Error(`it does not catch up:\n${process.log}`);
      await pause(POLL_MS);
    }
    return false;
  }

  #isPrimaryUp(): boolean {
    return this.#primary.process.isRunning;
  }

  #isReplicaUp(): boolean {
    return this.#replica.process.isRunning;
  }

  async #startPrimary(): Promise<void> {
    const started = this.#primary.launchPrimary();
    if (this.#random() < 0.7) await started.ready;
  }

  async #startReplica(): Promise<void> {
    const started = this.#launchReplica();
    if (this.#random() < 0.5) return;
    // Ready, or ended by a fault, or kept by one where it is.
    await started.waitForLine(/./).catch(() => undefined);
  }

  #launchReplica(): ServerProcess {
    return this.#replica.launchReplica(this.#link);
  }

  async #writeALot(): Promise<void> {
    await this.#primary.process.ready;
    const label = `lot-${this.steps.length}`;
    await writeBallast(this.#primary.http, this.#token, 1.5 * MEGABYTE, label);
  }

  /**
   * The replica's folder becomes the primary's, and the old primary a replica with an empty one.
   */
  async #promote(): Promise<void> {
    const read = { path: '/api/schema', token: this.#token };
    const answer = await this.#replica.http.send(read).catch(() => undefined);
    // One that has no state cannot be promoted.
    if (answer?.status !== 200) return;
    const reached = sequenceOf(answer);
    await Promise.all([this.#primary.process.kill(), this.#replica.process.kill()]);
    await this.#checker.stop();
    [this.#primary, this.#replica] = [this.#replica, this.#primary];
    await this.#primary.startPrimary();
    const items = await readItems(this.#primary.http, this.#token);
    for (const { item, sequence } of this.#workload.acknowledged) {
      if (items.has(item) || this.#lost.has(item)) continue;
      expect(sequence, `${item} had reached the replica`).toBeGreaterThan(reached);
      this.#lost.add(item);
    }
    this.#workload.pointTo(this.#primary.http);
    await this.#replica.empty();
    this.#link.pointTo(this.#primary);
    this.#checker = new InvariantChecker(this.#replica.http, this.#token);
    this.#launchReplica();
  }
}
