import { workerData } from 'node:worker_threads';
import { openGraphReader } from '#graph/open-reader.ts';
import { Followers } from '#log/followers.ts';
import { openPublishedLog } from '../open-published-log.ts';
import { lowerPriority, serve } from '../threads/thread.ts';
import type { ChangeCalls, ChangePlace, ToldChanges } from './change-thread.ts';
import { CommitWindow } from './commit-window.ts';
import { findChanges } from './find-changes.ts';
import { findDeliveries } from './find-deliveries.ts';
import { WatchMatcher } from './watch-matcher.ts';

/**
 * The thread that reads the commit log for triggers, webhooks and watches, beside the thread that
 * writes it.
 * Others go before it.
 */
lowerPriority();

const main = serve<ToldChanges, ChangeCalls>(async () => {
  const place: ChangePlace = workerData;
  const { storage, masterKey } = place;
  const followers = new Followers(place.followers);
  const { applied } = followers;
  const { log, keys } = await openPublishedLog(storage, masterKey, applied);
  const { environmentKey } = keys;
  const newestSequence = (): number => applied.get();
  const reader = openGraphReader({ storage, environmentKey, newestSequence, rowMemoryBytes: 0 });
  const registry = () => {
    reader.refresh();
    return reader.registry;
  };
  const commits = new CommitWindow({ log, applied, registry });
  const ending = new AbortController();
  const untilEnd = (signal: AbortSignal) => AbortSignal.any([signal, ending.signal]);
  const matcher = new WatchMatcher({
    commits,
    registry,
    slot: followers.of('watches'),
    listener: {
      woken: (questions) => main.tell('woken', questions),
      lost: () => main.tell('lost', undefined),
    },
    signal: ending.signal,
  });
  return {
    events: (asked, { signal }) => findChanges(commits, asked, untilEnd(signal)),
    deliveries: (asked, { signal }) => findDeliveries(commits, reader, asked, untilEnd(signal)),
    watch: (asked) => matcher.watch(asked),
    unwatch: (question) => matcher.unwatch(question),
    changed: (asked) => matcher.hasChanged(asked),
    first: () => commits.firstSequence,
    end: () => {
      ending.abort(new Error('the server stops'));
      reader[Symbol.dispose]();
      main.close();
    },
  };
});
