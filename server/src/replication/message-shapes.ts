import { corrupt } from './channel-problem.ts';

/** A database in which two states of one sequence differ: how many pieces only one of them has. */
export interface StateDifference {
  /** Its name. */
  readonly database: string;
  readonly piecesOnPrimary: number;
  readonly piecesOnReplica: number;
  /** The first key of the first of these pieces, hexadecimal. */
  readonly firstKey: string;
}

/** What a replica found when it compared itself. */
export interface Comparison {
  readonly isEqual: boolean;
  readonly differences: readonly StateDifference[];
}

/** The JSON inside the frames; see `replication.proto` for which is whose. */
export interface Hello {
  readonly name: string;
  readonly version: string;
}

export interface Welcome {
  readonly version: string;
  readonly epoch: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
}

export interface FollowRequest {
  readonly epoch: string;
  readonly from: number;
  /** The `recordDigest` of the replica's last record, before `from`; left out when it has none. */
  readonly previous?: string | undefined;
}

export interface Report {
  readonly sequence: number;
}

/** Something that replicas learn at once, such as `LoadNewIndexOnReplica`. */
export interface Notice {
  readonly kind: string;
  /** JSON. */
  readonly payload: unknown;
}

/** In answer to the notice `VerifyReplica`: where the replica has stopped. */
export interface HoldRequest {
  readonly id: number;
  readonly sequence: number;
}

export function readHello(bytes: Buffer): Hello {
  const value = readObject(bytes);
  return { name: text(value, 'name'), version: text(value, 'version') };
}

export function readWelcome(bytes: Buffer): Welcome {
  const value = readObject(bytes);
  return {
    version: text(value, 'version'),
    epoch: text(value, 'epoch'),
    firstSequence: sequence(value, 'firstSequence'),
    lastSequence: sequence(value, 'lastSequence'),
  };
}

export function readFollowRequest(bytes: Buffer): FollowRequest {
  const value = readObject(bytes);
  const previous = value['previous'] === undefined ? undefined : text(value, 'previous');
  return { epoch: text(value, 'epoch'), from: sequence(value, 'from'), previous };
}

export function readReport(bytes: Buffer): Report {
  return { sequence: sequence(readObject(bytes), 'sequence') };
}

export function readHoldRequest(bytes: Buffer): HoldRequest {
  const value = readObject(bytes);
  return { id: sequence(value, 'id'), sequence: sequence(value, 'sequence') };
}

export function readComparison(bytes: Buffer): Comparison & { readonly id: number } {
  const value = readObject(bytes);
  const { isEqual, differences } = value;
  if (typeof isEqual !== 'boolean' || !Array.isArray(differences)) {
    throw corrupt('a message is no comparison');
  }
  return { id: sequence(value, 'id'), isEqual, differences: differences.map(differenceOf) };
}

function differenceOf(given: unknown): StateDifference {
  if (typeof given !== 'object' || given === null) throw corrupt('a difference is no object');
  const value = { ...given };
  return {
    database: text(value, 'database'),
    piecesOnPrimary: sequence(value, 'piecesOnPrimary'),
    piecesOnReplica: sequence(value, 'piecesOnReplica'),
    firstKey: text(value, 'firstKey'),
  };
}

export function readNotice(bytes: Buffer): Notice {
  const value = readObject(bytes);
  return { kind: text(value, 'kind'), payload: value['payload'] };
}

/**
 * Both sides encrypt what they send, so a wrong shape means that the other side speaks another
 * version of this.
 */
export function readObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (cause) {
    throw corrupt('a message is not JSON', cause);
  }
  if (typeof value !== 'object' || value === null) throw corrupt('a message is not an object');
  return { ...value };
}

export function text(value: Readonly<Record<string, unknown>>, member: string): string {
  const found = value[member];
  if (typeof found !== 'string') throw corrupt(`a message has no text "${member}"`);
  return found;
}

function sequence(value: Readonly<Record<string, unknown>>, member: string): number {
  const found = value[member];
  if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < 0) {
    throw corrupt(`a message has no sequence "${member}"`);
  }
  return found;
}
