import type { CallStatus } from './connection.ts';

/** The codes of gRPC that the channel uses. */
export const status = {
  OK: 0,
  CANCELLED: 1,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** What a call fails with. */
export class CallError extends Error implements CallStatus {
  readonly code: number;
  readonly details: string;

  constructor({ code, details }: CallStatus) {
    super(`${code}: ${details}`);
    this.code = code;
    this.details = details;
  }
}

export class Metadata {
  readonly values: Map<string, string>;

  constructor(values: ReadonlyMap<string, string> = new Map()) {
    this.values = new Map(values);
  }

  get(key: string): string[] {
    const value = this.values.get(key);
    return value === undefined ? [] : [value];
  }

  set(key: string, value: string): void {
    this.values.set(key, value);
  }
}
