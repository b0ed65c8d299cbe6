import { Problem } from '#base/problem.ts';

export interface BodyBudgetLimits {
  readonly bytesMax: number;
  readonly addressBytesMax: number;
}

/** A limit for the bodies of many requests together: those of one address, and all of them. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #byAddress = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** Bytes that all addresses hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Addresses that hold something now. */
  get addresses(): number {
    return this.#byAddress.size;
  }

  /** Throws `bodies_in_flight`, and then holds no more than before. */
  take(address: string, bytes: number): void {
    const { bytesMax, addressBytesMax } = this.#limits;
    const own = (this.#byAddress.get(address) ?? 0) + bytes;
    if (own > addressBytesMax) throw full('of this address', addressBytesMax);
    if (this.#bytes + bytes > bytesMax) throw full('of all callers', bytesMax);
    this.#byAddress.set(address, own);
    this.#bytes += bytes;
  }

  give(address: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byAddress.get(address) ?? 0) - bytes;
    if (own > 0) this.#byAddress.set(address, own);
    else this.#byAddress.delete(address);
  }
}

/** The bytes that one request holds, until it is released. */
export class BodyHold {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  /** Throws `bodies_in_flight`. */
  add(bytes: number): void {
    // The connection is gone: nothing more of the request is read.
    if (this.#isReleased) return;
    this.#budget.take(this.#address, bytes);
    this.#bytes += bytes;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#address, this.#bytes);
  }
}

function full(whose: string, limitBytes: number): Problem {
  return new Problem(
    'bodies_in_flight',
    `The requests ${whose} that are not answered yet hold ${limitBytes} bytes of bodies.`,
    { details: { limitBytes } },
  );
}
