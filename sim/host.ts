import type { Checkers } from './checkers/checkers.ts';
import type { CommitHistory } from './checkers/commit-history.ts';
import type { Disk } from './disk.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Faults } from './planted-faults.ts';
import { SimulatedProcess } from './process.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** What everything in one simulation shares. */
export interface World {
  /** Ends the addresses of its network. */
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: SimulatedNetwork;
  readonly history: CommitHistory;
  readonly checkers: Checkers;
  readonly faults: Faults;
  newEpoch(): string;
}

/** A machine: its disk stays, its processes come and go. */
export class Host {
  readonly name: string;
  readonly world: World;
  readonly disk: Disk;
  #lives = 0;

  constructor(name: string, world: World, disk: Disk) {
    this.name = name;
    this.world = world;
    this.disk = disk;
  }

  newProcess(): SimulatedProcess {
    const { scheduler, network } = this.world;
    const process = new SimulatedProcess(scheduler, this.name, ++this.#lives);
    network.processes.set(process.name, process);
    return process;
  }
}
