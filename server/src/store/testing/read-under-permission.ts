import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { DB } from '../databases.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';

/**
 * A thread under Node's permission model, which may read the folder of the graph and the program's
 * own files.
 */
export interface ReadUnderPermission {
  readonly storage: string;
  readonly environmentKey: string | undefined;
  readonly key: Uint8Array;
  readonly forbiddenFile: string;
}

export interface PermissionResult {
  readonly sequence: number;
  readonly value: Uint8Array | undefined;
  readonly refused: unknown;
}

function refusalOf(read: () => unknown): unknown {
  try {
    read();
    return 'nothing was refused';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

const { storage, environmentKey, key, forbiddenFile } = workerData as ReadUnderPermission;
using reader = openSnapshotReader({ storage, environmentKey, environments: ['graph'] });
const result: PermissionResult = {
  sequence: reader.refresh(),
  value: reader.get(DB.nodes, key)?.slice(),
  refused: refusalOf(() => readFileSync(forbiddenFile)),
};
must(parentPort, 'the thread that started this one').postMessage(result);
