import { beginDatabaseLog } from '../../server/src/log/postgres/database-log.ts';
import { Random } from '../random.ts';
import { Scheduler } from '../scheduler.ts';
import { emptyFollowerState, FollowerNode, type FollowerState } from './follower-node.ts';
import { emptyMemberState, Ledger, type MemberState, type MemberViolation } from './ledger.ts';
import { MemberNode, type MemberWorld } from './member-node.ts';
import { ModelDatabase } from './model-database.ts';
import type { MemberFaults } from './planted-member-faults.ts';
import type { SimulatedMember } from './simulated-member.ts';

export interface TakeoverOptions {
  readonly faults?: MemberFaults;
  readonly onTrace?: (line: string) => void;
}

export interface TakeoverResult {
  readonly violations: readonly MemberViolation[];
  /** Equal for equal runs. */
  readonly traceHash: string;
  readonly events: number;
  readonly acknowledged: number;
  /** Terms in which somebody held the lease. */
  readonly terms: number;
}

const MEMBERS = 3;
/** They never lead, and so follow throughout. */
const FOLLOWERS = 2;
const BUSY_MIN_MS = 8_000;
const BUSY_MAX_MS = 40_000;
/** Once nothing fails any more, a member takes writes within this. */
const RECOVERY_MAX_MS = 30_000;
const SETTLED_MS = 15_000;
const EVENTS_BETWEEN_MAX = 400;

/**
 * One schedule: three members share a log in a database, are written to and disturbed for a while,
 * then left alone. In the end a new member reads the whole log, and followers have all of it.
 */
export async function runTakeovers(
  seed: number,
  { faults = {}, onTrace }: TakeoverOptions = {},
): Promise<TakeoverResult> {
  const cluster = new MemberCluster(seed, faults, onTrace);
  const { scheduler, ledger, database } = cluster.world;
  await cluster.run();
  return {
    violations: ledger.violations,
    traceHash: scheduler.traceHash(),
    events: scheduler.events,
    acknowledged: ledger.acknowledgedCount,
    terms: database.tables.lease.term,
  };
}

class MemberCluster {
  readonly world: MemberWorld;
  readonly #states: MemberState[];
  readonly #members: MemberNode[] = [];
  readonly #followed: FollowerState[];
  readonly #followers: FollowerNode[] = [];
  #lives = 0;
  #clockAheadMs = 0;
  #isBusy = true;

  constructor(seed: number, faults: MemberFaults, onTrace?: (line: string) => void) {
    const random = new Random(seed);
    const scheduler = new Scheduler(random, onTrace);
    const { manifest, segment } = beginDatabaseLog({ random: (length) => Buffer.alloc(length, 7) });
    const database = new ModelDatabase(scheduler, random, {
      lease: { term: 0, holder: '', expiresAt: 0 },
      segments: [segment],
      groups: [],
    });
    const ledger = new Ledger(scheduler, database);
    let ids = 0;
    this.world = { scheduler, random, database, manifest, faults, ledger, nextId: () => ++ids };
    this.#states = Array.from({ length: MEMBERS }, emptyMemberState);
    for (const place of this.#states.keys()) this.#start(place);
    this.#followed = Array.from({ length: FOLLOWERS }, emptyFollowerState);
    for (const place of this.#followed.keys()) this.#follow(place);
  }

  async run(): Promise<void> {
    const { scheduler, random, ledger, database } = this.world;
    const isViolated = (): boolean => ledger.violations.length > 0;
    scheduler.after(0, 'writing begins', () => this.#write());
    scheduler.after(random.between(0, 4_000), 'disturbances begin', () => this.#disturb());
    // Some pauses come by what happens, so that short steps are hit as often as long ones.
    let pausedAt = random.between(0, EVENTS_BETWEEN_MAX);
    await scheduler.run(random.between(BUSY_MIN_MS, BUSY_MAX_MS), () => {
      if (scheduler.events >= pausedAt) {
        pausedAt += random.between(1, EVENTS_BETWEEN_MAX);
        const member = random.pick(this.#members);
        if (member !== undefined) this.#pause(member);
      }
      return isViolated();
    });
    this.#heal();
    const before = ledger.acknowledgedCount;
    const isRecovered = (): boolean =>
      isViolated() || (ledger.acknowledgedCount > before && this.#primary !== undefined);
    await scheduler.run(RECOVERY_MAX_MS, isRecovered);
    if (!isRecovered()) ledger.report('nobody takes writes, though nothing fails');
    this.#isBusy = false;
    await scheduler.run(SETTLED_MS, isViolated);
    for (const member of this.#members) member.kill();
    const auditor = new MemberNode('auditor', emptyMemberState(), this.world);
    await scheduler.run(RECOVERY_MAX_MS, () => isViolated() || auditor.serves);
    if (!isViolated() && !auditor.serves) ledger.report('the auditor cannot read the log');
    ledger.checkEnd(auditor.state);
    for (const { process, state } of this.#followers) {
      if (!isViolated()) ledger.checkFollower(process.name, state, auditor.state);
      process.kill();
    }
    auditor.kill();
    const { groups } = database.tables;
    const isDescending = groups.some(({ term }, i) => term < (groups[i - 1]?.term ?? 0));
    if (isDescending) ledger.report('an older term lies after a newer one in the log');
  }

  get #primary(): MemberNode | undefined {
    return this.#members.find(({ serves }) => serves);
  }

  #start(place: number): void {
    const state = this.#states[place];
    if (state === undefined) return;
    this.#members[place] = new MemberNode(`m${place}-${++this.#lives}`, state, this.world);
  }

  #follow(place: number): void {
    const state = this.#followed[place];
    if (state === undefined) return;
    this.#followers[place] = new FollowerNode(`f${place}-${++this.#lives}`, state, this.world);
  }

  /** Everybody who takes writes gets some: two may believe that they lead. */
  #write(): void {
    const { scheduler, random } = this.world;
    if (!this.#isBusy) return;
    for (const member of this.#members) {
      for (let i = random.between(0, 3); i > 0; i--) member.commit(random.between(1, 3));
    }
    scheduler.after(random.between(1, 250), 'a write', () => this.#write());
  }

  #disturb(): void {
    const { scheduler, random, database } = this.world;
    if (!database.isDisturbed) return;
    const place = random.chance(0.7)
      ? this.#members.findIndex((member) => member === this.#primary)
      : random.between(0, MEMBERS - 1);
    const member = this.#members[place];
    if (member !== undefined) this.#hit(place, member);
    if (random.chance(0.5)) this.#hitFollower(random.between(0, FOLLOWERS - 1));
    scheduler.after(random.between(1, 3_000), 'a disturbance', () => this.#disturb());
  }

  #hit(place: number, member: MemberNode): void {
    const { scheduler, random } = this.world;
    const { process } = member;
    switch (random.between(0, 9)) {
      case 0:
      case 1:
        scheduler.note(`${process.name} is killed`);
        member.kill();
        scheduler.after(random.between(50, 6_000), 'a member starts', () => {
          if (this.#members[place] === member) this.#start(place);
        });
        return;
      case 2:
      case 3:
      case 4:
      case 5:
        this.#pause(member);
        return;
      case 6:
      case 7:
        this.#cutOff(process);
        return;
      case 8:
        scheduler.note(`${process.name} steps down`);
        void member.stepDown();
        return;
      default:
        this.#hitDatabase();
    }
  }

  #hitFollower(place: number): void {
    const { scheduler, random } = this.world;
    const follower = this.#followers[place];
    if (follower === undefined) return;
    const { process } = follower;
    switch (random.between(0, 2)) {
      case 0:
        scheduler.note(`${process.name} is killed`);
        follower.kill();
        this.#follow(place);
        return;
      case 1:
        this.#pause(follower);
        return;
      default:
        this.#cutOff(process);
    }
  }

  #cutOff(process: SimulatedMember): void {
    const { scheduler, random } = this.world;
    scheduler.note(`${process.name} is cut off`);
    process.isCutOff = true;
    scheduler.after(random.between(100, 9_000), 'a member is reached', () => {
      process.isCutOff = false;
    });
  }

  /** Often for longer than a lease lasts. */
  #pause({ process }: { readonly process: SimulatedMember }): void {
    const { scheduler, random } = this.world;
    if (process.isStopped) return;
    scheduler.note(`${process.name} is stopped`);
    process.stop();
    scheduler.after(random.between(100, 12_000), 'a member goes on', () => process.goOn());
  }

  #hitDatabase(): void {
    const { scheduler, random, database } = this.world;
    this.#clockAheadMs = random.between(-20_000, 20_000);
    const failOver = (): void => database.failOver(random.between(100, 8_000), this.#clockAheadMs);
    switch (random.between(0, 2)) {
      case 0:
        scheduler.note('the clock of the database is set');
        database.setClock(this.#clockAheadMs);
        return;
      case 1:
        failOver();
        return;
      default:
        scheduler.note('nobody waits for the standby');
        database.endsWaits = true;
        scheduler.after(random.between(10, 3_000), 'the standby is there', () => {
          if (database.isDisturbed && random.chance(0.5)) failOver();
          database.endsWaits = false;
        });
    }
  }

  /** Nothing fails any more; the clock has passed every time that it ever told. */
  #heal(): void {
    const { scheduler, database } = this.world;
    scheduler.note('everything heals');
    database.isDisturbed = false;
    database.endsWaits = false;
    database.setClock(60_000);
    for (const [place, { process }] of this.#members.entries()) {
      process.isCutOff = false;
      if (process.isAlive) process.goOn();
      else this.#start(place);
    }
    for (const { process } of this.#followers) {
      process.isCutOff = false;
      process.goOn();
    }
  }
}
