import { expect } from 'vitest';
import { PostgresPair } from '../../tools/postgres-pair.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { chooseStep, type FaultStep, step } from './fault-steps.ts';
import { freePort } from './free-port.ts';
import { InvariantChecker } from './invariant-checker.ts';
import { LeaseWitness } from './lease-witness.ts';
import { type MemberNode, Members, RoamingClient } from './members.ts';
import type { ServerProcess } from './server-process.ts';
import { manifestOf } from './stopped-state.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { expectCaughtUp, pause, prepareWorkload, Workload } from './workload.ts';

const NAMES = ['one', 'two', 'three'];
const HOST = '127.0.0.1';
const WRITERS = 3;
const STEPS = 8;
const COMMITS_BETWEEN_MAX = 15;
const PAUSE_MS_MAX = 6_000;

/**
 * Three members, each with its own way to a PostgreSQL and the standby that it waits for, and a
 * random sequence of the faults that are possible at the time: the same seed makes the same
 * choices. In the end all have the same state with every acknowledged commit, no sequence was
 * acknowledged by a member that did not have the lease in its term, and no read has seen a mixture.
 */
export async function runMemberFaults(seed: number): Promise<readonly string[]> {
  const random = seededRandom(seed);
  await using folder = await temporaryFolder();
  const ports = { first: await freePort(), second: await freePort() };
  const settings = { fsync: 'off' };
  await using postgres = await PostgresPair.start({ folder: folder.path, ports, settings });
  await using stack = new AsyncDisposableStack();
  const members = stack.use(await Members.create(''));
  const all: Faulty[] = [];
  for (const name of NAMES) {
    const link = stack.use(
      await TcpProxy.listen({ host: HOST, port: postgres.primaryPort }, seededRandom(~seed)),
    );
    const node = await members.start(name, { MSK_LOG: postgres.primaryUrl(link.port) });
    if (all.length === 0) await node.process.ready;
    all.push({ node, link, isFrozen: false, isCut: false });
  }
  const [first] = all;
  if (first === undefined) throw new Error('no members');
  const token = await prepareWorkload(first.node.http);
  for (const { node } of all) await node.process.ready;
  await using run = new MemberFaults({ postgres, all, token, random });
  try {
    await run.faults();
    await run.settle();
    await run.check();
  } catch (error) {
    const logs = all.map(({ node }) => `${node.name}:\n${node.logs}`).join('\n');
    throw new Error(`seed ${seed}: ${run.steps.join(', ')}\n${String(error)}\n${logs}`, {
      cause: error,
    });
  }
  return run.steps;
}

interface Faulty {
  readonly node: MemberNode;
  readonly link: TcpProxy;
  isFrozen: boolean;
  isCut: boolean;
}

interface MemberFaultsParts {
  readonly postgres: PostgresPair;
  readonly all: readonly Faulty[];
  readonly token: string;
  readonly random: () => number;
}

class MemberFaults implements AsyncDisposable {
  readonly steps: string[] = [];
  readonly #parts: MemberFaultsParts;
  readonly #writers: readonly Workload[];
  readonly #checkers: readonly InvariantChecker[];
  readonly #witness: LeaseWitness;
  readonly #catalogue: readonly FaultStep[];
  /** Every commit waits for it. */
  #isStandbyLost = false;

  constructor(parts: MemberFaultsParts) {
    const { all, token, postgres } = parts;
    this.#parts = parts;
    const nodes = all.map(({ node }) => node);
    this.#witness = new LeaseWitness(() => postgres.primaryUrl());
    this.#writers = Array.from({ length: WRITERS }, (_, index) => {
      const client = new RoamingClient(nodes, (member, sequence) =>
        this.#witness.acknowledged(member, sequence),
      );
      return new Workload(client, token, { label: `writer-${index}`, pauseMs: 5 });
    });
    this.#checkers = nodes.map(({ http }) => new InvariantChecker(http, token));
    this.#catalogue = this.#createSteps();
  }

  async faults(): Promise<void> {
    for (let taken = 0; taken < STEPS; taken++) {
      const chosen = chooseStep(this.#catalogue, this.#parts.random);
      this.steps.push(chosen.name);
      await chosen.run();
      await this.#goOn();
      for (const { node } of this.#parts.all) expectNoCrash(node.process);
    }
  }

  /** Ends every fault. */
  async settle(): Promise<void> {
    if (this.#isStandbyLost) await this.#addStandby();
    for (const each of this.#parts.all) {
      this.#mend(each);
    }
    for (const { node } of this.#parts.all) {
      expectNoCrash(node.process);
      // One that has met a fault while it started ends.
      if (node.process.isRunning) await node.process.ready.catch(() => undefined);
      if (!node.process.isRunning) node.launch();
      await node.process.ready;
    }
    for (const writer of this.#writers) await writer.written(1);
    for (const checker of this.#checkers) await checker.round();
  }

  async check(): Promise<void> {
    const { all, token } = this.#parts;
    for (const writer of this.#writers) {
      const sequences = (await writer.stop()).map(({ sequence }) => sequence);
      const rising = [...new Set(sequences)].toSorted((a, b) => a - b);
      expect(sequences, 'sequences of one writer after the other').toEqual(rising);
    }
    for (const { node } of all) {
      for (const writer of this.#writers) await expectCaughtUp(node, writer, token);
    }
    for (const checker of this.#checkers) await checker.stop();
    await this.#witness.check();
    const manifests = [];
    for (const { node } of all) {
      expect((await node.process.stop()).code).toBe(0);
      manifests.push(await manifestOf(node.storage));
    }
    for (const manifest of manifests) expect(manifest).toEqual(manifests[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = [...this.#writers, ...this.#checkers];
    await Promise.allSettled(running.map((each) => each.stop()));
    await this.#witness[Symbol.asyncDispose]();
  }

  /** Some commits, where a member can take them; or some time, in which leases may run out. */
  async #goOn(): Promise<void> {
    const { all, random } = this.#parts;
    const hasOne = !this.#isStandbyLost && all.some((each) => this.#isWell(each));
    if (!hasOne || random() < 0.3) {
      await pause(random() * PAUSE_MS_MAX);
      return;
    }
    const commits = 1 + Math.floor(random() * COMMITS_BETWEEN_MAX);
    for (const writer of this.#writers) await writer.written(commits);
  }

  #isWell({ node, isFrozen, isCut }: Faulty): boolean {
    return node.process.isRunning && !isFrozen && !isCut;
  }

  #createSteps(): readonly FaultStep[] {
    const { all, postgres } = this.#parts;
    const well = () => all.filter((each) => this.#isWell(each));
    const down = () => all.filter(({ node }) => !node.process.isRunning);
    const ill = () =>
      all.filter(({ node, ...is }) => node.process.isRunning && !this.#isWell({ node, ...is }));
    const primary = async () => {
      for (const each of well()) if (await each.node.isPrimary()) return each;
      return this.#any(well());
    };
    const any = () => true;
    const hasStandby = () => postgres.standby !== undefined;
    const has = (list: () => readonly Faulty[]) => () => list().length > 0;
    return [
      step('kill the primary', 3, has(well), async () => (await primary()).node.process.kill()),
      step('stop the primary', 1, has(well), async () => (await primary()).node.process.stop()),
      step('freeze the primary', 3, has(well), async () => this.#freeze(await primary())),
      step('cut the primary off', 3, has(well), async () => this.#cut(await primary())),
      step('hold the primary back', 2, has(well), async () => this.#hold(await primary())),
      step('kill any', 2, has(well), async () => this.#any(well()).node.process.kill()),
      step('freeze any', 1, has(well), async () => this.#freeze(this.#any(well()))),
      step('let step down', 3, has(well), () => this.#stepDown()),
      step('start', 7, has(down), async () => this.#start(this.#any(down()))),
      step('start with an empty folder', 1, has(down), async () => {
        if (down().length > 1) return;
        const each = this.#any(down());
        await each.node.empty();
        this.#start(each);
      }),
      step('mend', 8, has(ill), async () => this.#mend(this.#any(ill()))),
      step('end the sessions', 2, any, () => this.#witness.endSessions()),
      step('break the connections', 2, any, async () => this.#any(all).link.breakConnections()),
      step('slow the connections', 1, any, async () =>
        this.#any(all).link.impair({ delayMs: 30, jitterMs: 100 }),
      ),
      step('crash PostgreSQL', 2, any, () => postgres.crash()),
      step('promote the standby', 3, hasStandby, () => this.#failOver()),
      step('kill the standby', 1, hasStandby, async () => {
        await postgres.loseStandby();
        this.#isStandbyLost = true;
      }),
      step(
        'add a standby',
        4,
        () => postgres.standby === undefined,
        () => this.#addStandby(),
      ),
    ];
  }

  /** The way of each member leads to the other PostgreSQL, as an address that moves does. */
  async #failOver(): Promise<void> {
    const { all, postgres } = this.#parts;
    await postgres.failOver();
    for (const { link } of all) link.target = { host: HOST, port: postgres.primaryPort };
  }

  async #addStandby(): Promise<void> {
    await this.#parts.postgres.addStandby();
    this.#isStandbyLost = false;
  }

  #any(list: readonly Faulty[]): Faulty {
    const found = list[Math.floor(this.#parts.random() * list.length)];
    if (found === undefined) throw new Error('none is possible');
    return found;
  }

  #start(each: Faulty): void {
    this.#mend(each);
    each.node.launch();
  }

  #freeze(each: Faulty): void {
    each.node.process.freeze();
    each.isFrozen = true;
  }

  #cut(each: Faulty): void {
    each.link.cut();
    each.isCut = true;
  }

  #hold(each: Faulty): void {
    each.link.hold();
    each.isCut = true;
  }

  #mend(each: Faulty): void {
    each.link.mend();
    each.isCut = false;
    if (each.isFrozen) each.node.process.thaw();
    each.isFrozen = false;
  }

  async #stepDown(): Promise<void> {
    const { all, token } = this.#parts;
    for (const { node, ...each } of all) {
      if (!this.#isWell({ node, ...each })) continue;
      const path = '/api/graph/members/step-down';
      // Whether there is a primary, and somebody to follow it, depends on the faults before.
      await node.http.send({ method: 'POST', path, token }).catch(() => undefined);
      return;
    }
  }
}

/** A member that was ready once ends only when it is told to, whatever PostgreSQL does. */
function expectNoCrash({ exit, log }: ServerProcess): void {
  if (exit === undefined || exit.code === 0 || exit.signal !== null) return;
  if (!log.includes('this member is ready') && log.includes('"code":"storage_failed"')) return;
  throw new Error(`a member ended by itself with ${exit.code}`);
}
