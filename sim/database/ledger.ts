import type { Scheduler } from '../scheduler.ts';
import type { ModelDatabase, TermGroup } from './model-database.ts';

/** One commit, as it lies in the log. */
export interface MemberCommit {
  /** No two commits have the same. */
  readonly id: number;
  /** What the counter was before; each operation adds one. */
  readonly base: number;
}

/** What a member knows of the log, from its beginning. */
export interface MemberState {
  sequence: number;
  counter: number;
  readonly ids: Map<number, number>;
}

export function emptyMemberState(): MemberState {
  return { sequence: 0, counter: 0, ids: new Map() };
}

export interface MemberViolation {
  readonly checker: 'members';
  readonly elapsedMs: number;
  readonly message: string;
}

/** What members did and were told, and all that must hold of it. */
export class Ledger {
  readonly violations: MemberViolation[] = [];
  readonly #scheduler: Scheduler;
  readonly #database: ModelDatabase;
  /** By the last sequence of each commit: its id, and the term that it was appended in. */
  readonly #acknowledged = new Map<number, { readonly id: number; readonly term: number }>();
  readonly #refused = new Set<number>();
  /** Of the newest primary, when it had read to the end of the log. */
  #servedTerm = 0;

  constructor(scheduler: Scheduler, database: ModelDatabase) {
    this.#scheduler = scheduler;
    this.#database = database;
    database.onVisible = (group) => this.#onVisible(group);
  }

  get acknowledgedCount(): number {
    return this.#acknowledged.size;
  }

  report(message: string): void {
    this.#scheduler.note(`VIOLATION ${message}`);
    const { elapsedMs } = this.#scheduler;
    this.violations.push({ checker: 'members', elapsedMs, message });
  }

  acknowledge(member: string, last: number, id: number): void {
    const known = this.#acknowledged.get(last);
    if (known !== undefined) this.report(`sequence ${last} was given to ${known.id} and to ${id}`);
    const { groups } = this.#database.tables;
    const group = groups.find((each) => each.first <= last && last <= each.last);
    this.#acknowledged.set(last, { id, term: group?.term ?? 0 });
    if (group !== undefined) return;
    this.report(`${member} acknowledges sequence ${last}, which is not in the log`);
  }

  refuse(id: number): void {
    this.#refused.add(id);
  }

  /** A member has read to the end of the log, and takes writes from now on. */
  serve(member: string, term: number, state: MemberState): void {
    this.#scheduler.note(`${member} serves in term ${term} from sequence ${state.sequence}`);
    this.#servedTerm = Math.max(this.#servedTerm, term);
    for (const [sequence, acknowledged] of this.#acknowledged) {
      // Another member has taken over from this one already, which will find out.
      if (acknowledged.term > term || state.ids.get(sequence) === acknowledged.id) continue;
      this.report(`sequence ${sequence} was acknowledged and is gone in ${member}`);
      return;
    }
  }

  /** `state` is the whole log, read when nothing else goes on. */
  checkEnd(state: MemberState): void {
    for (const id of state.ids.values()) {
      if (this.#refused.has(id)) this.report(`commit ${id} was refused and is in the log`);
    }
  }

  /** A follower has applied the whole log and nothing else. */
  checkFollower(follower: string, { sequence, ids }: MemberState, log: MemberState): void {
    for (const [last, id] of ids) {
      if (log.ids.get(last) === id) continue;
      this.report(`${follower} has applied commit ${id} at ${last}, which is not in the log`);
      return;
    }
    if (sequence === log.sequence) return;
    this.report(`${follower} has followed to ${sequence}, and the log ends at ${log.sequence}`);
  }

  #onVisible({ first, term }: TermGroup): void {
    this.#scheduler.note(`the group ${first} is there, of term ${term}`);
    if (term >= this.#servedTerm) return;
    this.report(
      `the group ${first} of term ${term} appears after the primary of term ${this.#servedTerm} has read to the end`,
    );
  }
}
