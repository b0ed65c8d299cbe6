import { openNetwork } from './addresses.ts';
import { Checkers, isEqual } from './checkers/checkers.ts';
import { CommitHistory } from './checkers/commit-history.ts';
import { Disk } from './disk.ts';
import { Host } from './host.ts';
import type { World } from './host.ts';
import { SimulatedNetwork } from './network.ts';
import type { Faults } from './planted-faults.ts';
import { PrimaryNode } from './primary-node.ts';
import { promote } from './promotion.ts';
import type { SimulatedProcess } from './process.ts';
import { Random } from './random.ts';
import { ReplicaNode } from './replica-node.ts';
import { Scheduler } from './scheduler.ts';

export interface ClusterOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly faults: Faults;
  readonly onTrace?: ((line: string) => void) | undefined;
}

const FIRST_JOIN_MAX_MS = 1_500;
/** Only what a slow disk is doing may be waited for. */
const STOP_MAX_MS = 15_000;
const RESTART_MIN_MS = 100;
const RESTART_MAX_MS = 2_000;

/** A primary and its replicas, each kept running as by systemd, and everything around them. */
export class Cluster implements Disposable {
  readonly world: World;
  readonly hosts: readonly Host[];
  readonly #opened: Disposable;
  #primaryHost: Host;
  #primary: PrimaryNode | undefined;
  #isHealed = false;
  #healsAt = 0;
  readonly #replicas = new Map<Host, ReplicaNode>();
  /** Those that are starting. */
  readonly #starting = new Map<Host, SimulatedProcess>();
  /** Hosts on which nothing runs, each with what will start it. */
  readonly #down = new Map<Host, Disposable>();
  /** Old primaries, which stay stopped. */
  readonly #retired = new Set<Host>();

  constructor({ seed, replicas, faults, onTrace }: ClusterOptions) {
    const random = new Random(seed);
    const scheduler = new Scheduler(random, onTrace);
    const network = new SimulatedNetwork(scheduler, random);
    const history = new CommitHistory();
    const checkers = new Checkers(scheduler, history, (uid) => this.#isFollowing(uid));
    let epochs = 0;
    this.world = {
      name: `net${seed}`,
      scheduler,
      random,
      network,
      history,
      checkers,
      faults,
      newEpoch: () => String(++epochs).padStart(32, '0'),
    };
    network.links.onMessage = (client, path) => checkers.onMessage(client, path);
    this.#opened = openNetwork(this.world.name, network);
    this.hosts = Array.from({ length: replicas + 1 }, (_, i) => {
      return new Host(`h${i}`, this.world, new Disk(random));
    });
    this.#primaryHost = this.hosts[0]!;
  }

  get primary(): PrimaryNode | undefined {
    return this.#primary;
  }

  get primaryHost(): Host {
    return this.#primaryHost;
  }

  get replicaHosts(): readonly Host[] {
    return this.hosts.filter((host) => host !== this.#primaryHost && !this.#retired.has(host));
  }

  /** The primary at once, each replica some time later. */
  start(): void {
    for (const host of this.replicaHosts) {
      this.#startLater(host, this.world.random.between(0, FIRST_JOIN_MAX_MS));
    }
    this.#startPrimary();
  }

  look(): void {
    this.world.checkers.look(this.#primary, [...this.#replicas.values()]);
  }

  get isConverged(): boolean {
    const primary = this.#primary;
    if (primary?.process.isAlive !== true) return false;
    return this.replicaHosts.every((host) => {
      const replica = this.#replicas.get(host);
      const served = replica?.served;
      return served !== undefined && isEqual(served, primary.state);
    });
  }

  /** Whether the primary knows that every replica has everything. */
  get isReported(): boolean {
    const listed = this.#primary?.server.replicas() ?? [];
    return [...this.#replicas.values()].every(({ process }) =>
      listed.some((status) => status.replicaUID === process.name && status.lagVersions === 0),
    );
  }

  checkEnd(): void {
    const { checkers } = this.world;
    const primary = this.#primary;
    if (primary?.process.isAlive !== true) {
      checkers.report('converged', 'there is no primary');
      return;
    }
    checkers.checkAcknowledged(primary.state);
    const replicas = this.replicaHosts.map((host) => this.#replicas.get(host));
    if (replicas.includes(undefined)) checkers.report('converged', 'a replica is not running');
    checkers.checkConverged(
      primary.state,
      replicas.filter((replica) => replica !== undefined),
    );
    if (this.isReported) return;
    checkers.report('registry', 'the primary does not know that all is applied');
  }

  /** Kills what runs on a host; it is started again after `downMs`. */
  crash(host: Host, downMs: number, hasPower: boolean): void {
    if (this.#down.has(host)) return;
    this.#note(`${host.name} ${hasPower ? 'is killed' : 'loses its power'}`);
    this.#end(host);
    if (!hasPower) host.disk.loseUnflushed();
    this.#startLater(host, downMs);
  }

  /** As systemd stops it: what runs on a host may finish what it does. */
  stop(host: Host, downMs: number): void {
    if (this.#isHealed || this.#down.has(host)) return;
    this.#note(`${host.name} is stopped`);
    const { scheduler, checkers } = this.world;
    const replica = this.#replicas.get(host);
    if (replica === undefined) {
      void this.#stopPrimary(host, downMs);
      return;
    }
    replica.process.stop();
    scheduler.after(STOP_MAX_MS, `${host.name} must have stopped`, () => {
      if (!replica.process.isAlive) return;
      checkers.report('ended', `${replica.process.name} does not stop`);
    });
  }

  async #stopPrimary(host: Host, downMs: number): Promise<void> {
    const primary = this.#primary;
    if (host !== this.#primaryHost || primary === undefined) return;
    await primary.stop();
    if (this.#primary !== primary) return;
    this.#end(host);
    this.#startLater(host, downMs);
  }

  /** The old primary stays stopped, and the others follow the new one. */
  promote(host: Host): void {
    if (this.#isHealed || host.disk.state === undefined) return;
    this.#note(`${host.name} is promoted`);
    const old = this.#primaryHost;
    this.#retired.add(old);
    for (const other of this.hosts) this.#end(other);
    this.#primaryHost = host;
    this.#startPrimary();
    for (const other of this.replicaHosts) this.#startLater(other, 0);
  }

  /** Some faults last longer than the writing. */
  healAfter(ms: number): void {
    this.#healsAt = this.world.scheduler.now() + ms;
  }

  get healsInMs(): number {
    return Math.max(0, this.#healsAt - this.world.scheduler.now());
  }

  /** Nothing fails any more. */
  heal(): void {
    this.#isHealed = true;
    this.world.network.links.heal();
    for (const { disk } of this.hosts) disk.heal();
  }

  [Symbol.dispose](): void {
    for (const process of this.world.network.processes.values()) process.kill();
    this.#opened[Symbol.dispose]();
  }

  #end(host: Host): void {
    const node = host === this.#primaryHost ? this.#primary : this.#replicas.get(host);
    this.#starting.get(host)?.kill();
    node?.process.kill();
    if (host === this.#primaryHost) this.#primary = undefined;
    this.#replicas.delete(host);
    this.#down.get(host)?.[Symbol.dispose]();
    this.#down.delete(host);
  }

  #startLater(host: Host, downMs: number): void {
    this.#down.get(host)?.[Symbol.dispose]();
    const start = (): void => {
      this.#down.delete(host);
      if (host === this.#primaryHost) this.#startPrimary();
      else this.#startReplica(host);
    };
    const { scheduler } = this.world;
    const starting = scheduler.after(downMs, `${host.name} starts`, start);
    this.#down.set(host, starting);
  }

  #startPrimary(): void {
    const host = this.#primaryHost;
    const process = host.newProcess();
    this.#starting.set(host, process);
    const begin = async (): Promise<void> => {
      await promote(host, process);
      const primary = await PrimaryNode.start(host, process);
      this.#starting.delete(host);
      this.#primary = primary;
      this.#note(`${process.name} serves as primary from sequence ${primary.state.sequence}`);
      this.world.checkers.checkAcknowledged(primary.state);
    };
    begin().catch((error: unknown) => {
      if (process.isAlive) this.world.checkers.onPrimaryFailed(process.name, error);
    });
  }

  #startReplica(host: Host): void {
    const primaryHost = this.#primaryHost;
    const replica = new ReplicaNode(host, {
      host: primaryHost.name,
      find: () => (this.#primaryHost === primaryHost ? this.#primary : undefined),
    });
    this.#replicas.set(host, replica);
    void replica.ended.then((error) => this.#replicaEnded(host, replica, error));
  }

  #replicaEnded(host: Host, replica: ReplicaNode, error: unknown): void {
    const { process } = replica;
    if (!process.isAlive) return;
    const { checkers, network } = this.world;
    this.#note(`${process.name} ends: ${error instanceof Error ? error.message : String(error)}`);
    if (!process.signal.aborted) checkers.onReplicaEnded(replica, error, network.links.damaged > 0);
    if (!replica.isJoining && network.isConnected(process)) {
      checkers.report('ended', `${process.name} ends and leaves a connection open`);
    }
    const { random } = this.world;
    this.#end(host);
    this.#startLater(host, random.between(RESTART_MIN_MS, RESTART_MAX_MS));
  }

  /** Whether a replica serves and nothing keeps its reports from the primary. */
  #isFollowing(replicaUID: string): boolean {
    const { links } = this.world.network;
    const there = this.#primaryHost.name;
    return [...this.#replicas].some(([{ name }, { process, served }]) => {
      if (process.name !== replicaUID || served === undefined) return false;
      return !links.between(name, there).isSilent && !links.between(there, name).isSilent;
    });
  }

  #note(text: string): void {
    this.world.scheduler.note(text);
  }
}
