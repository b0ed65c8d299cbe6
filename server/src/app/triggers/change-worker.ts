import { workerData } from 'node:worker_threads';
import { openGraphReader } from '#graph/open-reader.ts';
import { Followers } from '#log/followers.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { lowerPriority, serve } from '../threads/thread.ts';
import type { ChangeCalls, ChangePlace } from './change-thread.ts';
import { findChanges } from './find-changes.ts';

/**
 * The thread that reads the commit log for triggers, beside the thread that writes it. Others go
 * before it.
 */
lowerPriority();
const main = serve<object, ChangeCalls>(async () => {
  const place: ChangePlace = workerData;
  const { storage, masterKey } = place;
  const { applied } = new Followers(place.followers);
  const { log, keys } = await openPublishedLog(storage, masterKey, applied);
  const { environmentKey } = keys;
  const newestSequence = (): number => applied.get();
  const reader = openGraphReader({ storage, environmentKey, newestSequence, rowMemoryBytes: 0 });
  const registry = () => {
    reader.refresh();
    return reader.registry;
  };
  const ending = new AbortController();
  return {
    next: (asked, { signal }) =>
      findChanges({ log, applied, registry }, asked, AbortSignal.any([signal, ending.signal])),
    end: () => {
      ending.abort(new Error('the server stops'));
      reader[Symbol.dispose]();
      main.close();
    },
  };
});
