import { expect, it } from 'vitest';
import { timerAlarm } from '#base/clock.ts';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { type DocumentFeed, DocumentFollower, type WatchedDocuments } from './document-follower.ts';

it('looks at a document that is deleted while it is told that there are others', async () => {
  await using graph = await openTestGraph();
  const documents = new Map([['old', 'old']]);
  const watched = (): WatchedDocuments => {
    return { documents: new Map(documents), types: ['Report'], waiting: [] };
  };
  const looked = Promise.withResolvers<string>();
  const deleted = { event: 'deleted', uid: 'new', type: 'Report' };
  let asked = 0;
  const feed: DocumentFeed = {
    sequence: 0,
    needs: () => undefined,
    next: async ({ after, skip }, signal) => {
      if (after === 1) {
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
      }
      // What it has found by then it gives, though nobody waits for it any more.
      if (++asked === 1) {
        documents.set('new', 'new');
        follower.again();
      }
      return { events: [deleted], after: 1, skip, isLost: false };
    },
  };
  await using follower = new DocumentFollower({
    feed,
    reader: graph.reader,
    alarm: timerAlarm,
    watched,
    look: async (uid) => {
      if (uid !== 'old') looked.resolve(uid);
    },
    onFault: (error) => looked.reject(error),
  });
  follower.start();
  expect(await looked.promise).toBe('new');
});
