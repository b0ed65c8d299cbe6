import { expect, it, vi } from 'vitest';
import { formatUid, keyedUid, randomUid } from '#base/uid.ts';
import { openTestGraph } from '#graph/testing/test-graph.ts';
import { ChatStore, newChat, newMessage, rating, removed, replyFields } from './chat-store.ts';

it('lists an answer once that is rated anew, or goes, while the lists are read', async () => {
  await using graph = await openTestGraph();
  const { reader, writer } = graph;
  await writer.addSystemSchema();
  const ann = formatUid(keyedUid('_User', 'ann'));
  const [chat = '', one = '', other = ''] = Array.from({ length: 3 }, () => formatUid(randomUid()));
  const commit = async (operations: Parameters<typeof writer.commit>[0]['operations']) => {
    await writer.commit({ system: true, operations });
  };
  const message = (uid: string) => ({ uid, atMs: 1, fields: replyFields('m') });
  await commit([
    { op: 'addOrUpdate', type: '_User', key: 'ann', fields: { UserName: 'ann' } },
    ...newChat(ann, { uid: chat, title: '', atMs: 1 }),
    ...newMessage(ann, chat, message(one)),
    ...newMessage(ann, chat, message(other)),
  ]);
  await commit([one, other].flatMap((uid) => rating(uid, { value: 'up', comment: undefined })));
  const store = new ChatStore(reader, writer);
  expect(store.rated(undefined)).toHaveLength(2);

  await commit([...rating(one, { value: 'down', comment: undefined }), ...removed([other])]);
  // The commit arrives when the first list has been read.
  const neighbors = reader.neighbors.bind(reader);
  const refresh = reader.refresh.bind(reader);
  let isThere = false;
  using _refresh = vi.spyOn(reader, 'refresh').mockImplementation(() => (isThere ? refresh() : 0));
  using _neighbors = vi.spyOn(reader, 'neighbors').mockImplementation((...asked) => {
    isThere = true;
    return neighbors(...asked);
  });
  const rated = store.rated(undefined);
  expect(rated).toHaveLength(2);
  expect(rated.map((id) => store.timeOf(id))).toEqual([1, 1]);
});
