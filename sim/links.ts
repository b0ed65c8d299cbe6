import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** What waits for the end of a silence. */
export interface Pipe {
  resume(): void;
}

/** One direction between two hosts. */
export interface Link {
  /**
   * How long a message takes, in milliseconds: each its own time, so that streams overtake one
   * another.
   */
  delayMinMs: number;
  delayMaxMs: number;
  /** How likely it is that a message does not arrive as it was sent. */
  damageProbability: number;
  /** Nothing arrives, and nobody is told; what is sent waits, as in a connection of TCP. */
  isSilent: boolean;
  /** Pipes whose next message waits for the end of the silence. */
  readonly waiting: Set<Pipe>;
}

/** The share of damaged messages that are repeated; the others have a bit flipped. */
const REPEATED_SHARE = 0.2;

/** What lies between the hosts of one simulation: a link for each direction between two of them. */
export class Links {
  readonly scheduler: Scheduler;
  readonly #random: Random;
  readonly #links = new Map<string, Link>();
  /** Told of each message that arrives at a server. */
  onMessage: (client: string, path: string) => void = () => {};
  /** Messages that did not arrive as they were sent. */
  damaged = 0;

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler;
    this.#random = random;
  }

  between(from: string, to: string): Link {
    const name = `${from}>${to}`;
    let link = this.#links.get(name);
    if (link === undefined) {
      link = {
        delayMinMs: 1,
        delayMaxMs: 4,
        damageProbability: 0,
        isSilent: false,
        waiting: new Set(),
      };
      this.#links.set(name, link);
    }
    return link;
  }

  delay({ delayMinMs, delayMaxMs }: Link): number {
    return this.#random.between(delayMinMs, delayMaxMs);
  }

  endSilence(from: string, to: string): void {
    const link = this.between(from, to);
    link.isSilent = false;
    for (const pipe of link.waiting) pipe.resume();
    link.waiting.clear();
  }

  /** Every link as it was in the beginning. */
  heal(): void {
    for (const [name, link] of this.#links) {
      const [from = '', to = ''] = name.split('>');
      Object.assign(link, { delayMinMs: 1, delayMaxMs: 4, damageProbability: 0 });
      if (link.isSilent) this.endSilence(from, to);
    }
  }

  /** A message as it arrives: now and then with a bit that is another, or twice. */
  carry(link: Link, bytes: Uint8Array): readonly Uint8Array[] {
    if (!this.#random.chance(link.damageProbability)) return [bytes];
    this.damaged++;
    if (this.#random.chance(REPEATED_SHARE)) {
      this.scheduler.note('a message is repeated');
      return [bytes, bytes];
    }
    return [this.#flip(bytes)];
  }

  /** What does not come in messages of its own. */
  carryText(link: Link, text: string): string {
    if (!this.#random.chance(link.damageProbability)) return text;
    this.damaged++;
    return Buffer.from(this.#flip(Buffer.from(text))).toString();
  }

  #flip(bytes: Uint8Array): Uint8Array {
    if (bytes.length === 0) return bytes;
    this.scheduler.note('a bit is flipped');
    const changed = Uint8Array.from(bytes);
    const at = this.#random.between(0, bytes.length - 1);
    changed[at] = changed[at]! ^ (1 << this.#random.between(0, 7));
    return changed;
  }
}
