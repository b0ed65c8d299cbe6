import { isObject } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { didYouMean } from '#graph/names.ts';

type Read<T> = (value: unknown, path: string) => T;

/** Members of an object from outside; each is taken once, and the rest is refused. */
export class Members {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #path: string;
  readonly #known = new Set<string>();

  constructor(value: unknown, path: string) {
    if (!isObject(value)) throw invalid(path, 'must be an object');
    this.#values = value;
    this.#path = path;
  }

  has(name: string): boolean {
    return this.take(name) !== undefined;
  }

  take(name: string): unknown {
    this.#known.add(name);
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Null counts as absent. */
  optional<T>(name: string, read: Read<T>): T | undefined {
    const value = this.take(name) ?? undefined;
    return value === undefined ? undefined : read(value, `${this.#path}.${name}`);
  }

  oneOf<T>(name: string, values: readonly T[]): T | undefined {
    return this.optional(name, (value, path) => {
      const found = values.find((one) => one === value);
      if (found === undefined) throw invalid(path, `must be one of ${values.join(', ')}`);
      return found;
    });
  }

  boolean(name: string): boolean | undefined {
    return this.oneOf(name, [true, false]);
  }

  wholeNumber(name: string, min: number, max: number): number | undefined {
    return this.optional(name, (value, path) => {
      if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) {
        return Number(value);
      }
      throw invalid(path, `must be a whole number from ${min} to ${max}`);
    });
  }

  /** Reads a number from 0 to 1. */
  share(name: string): number | undefined {
    return this.optional(name, (value, path) => {
      if (typeof value === 'number' && value >= 0 && value <= 1) return value;
      throw invalid(path, 'must be a number from 0 to 1');
    });
  }

  refuseOthers(): void {
    for (const name in this.#values) {
      if (this.#known.has(name)) continue;
      const { hint } = didYouMean(name, this.#known);
      throw invalid(`${this.#path}.${name}`, 'is not a member of this', hint);
    }
  }
}

export function asList<T>(value: unknown, path: string, max: number, read: Read<T>): T[] {
  if (!Array.isArray(value) || value.length > max) {
    throw invalid(path, `must be a list of at most ${max}`);
  }
  return value.map((one, i) => read(one, `${path}[${i}]`));
}

export function invalid(path: string, message: string, hint?: string): Problem {
  return new Problem('invalid_request', `${path}: ${message}`, {
    details: { fields: [{ path, message }] },
    ...(hint === undefined ? {} : { hint }),
  });
}
