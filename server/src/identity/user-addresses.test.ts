import { expect, test, vi } from 'vitest';
import { userUid } from './users.ts';
import { openTestIdentity } from './testing/test-identity.ts';
import { addressChange, indexAddresses, userIdsOfAddress } from './user-addresses.ts';

const USERS = 2_500;

test('users of an older workspace are found by their addresses, also after a cut', async () => {
  await using at = await openTestIdentity();
  const { reader, writer } = at.graph;
  // Two of each address, in different cases, and some without one.
  const emailOf = (i: number): string => (i % 2 === 0 ? `U${i}@X.example` : `u${i - 1}@x.example`);
  await writer.commit({
    system: true,
    operations: Array.from({ length: USERS }, (_, i) => {
      const fields = { UserName: `user-${i}`, ...(i < 2_400 && { Email: emailOf(i) }) };
      return { op: 'addOrUpdate', type: '_User', key: `user-${i}`, fields };
    }),
  });
  const found = (email: string): (string | undefined)[] =>
    userIdsOfAddress(reader, email)
      .map((id) => reader.uid(id))
      .toSorted();
  const pair = (i: number): string[] => [userUid(`user-${i}`), userUid(`user-${i + 1}`)].toSorted();
  reader.refresh();
  expect(found('u0@x.example')).toEqual([]);

  const commits = vi.spyOn(writer, 'commit');
  let left = 2;
  const cut = {
    commit: (...asked: Parameters<typeof writer.commit>) =>
      left-- > 0 ? writer.commit(...asked) : Promise.reject(new Error('cut')),
  };
  await expect(indexAddresses(reader, cut)).rejects.toThrow('cut');
  await indexAddresses(reader, writer);
  reader.refresh();
  for (let i = 0; i < 2_400; i += 2) expect(found(`u${i}@x.EXAMPLE`)).toEqual(pair(i));

  // It is done once.
  commits.mockClear();
  await indexAddresses(reader, writer);
  expect(commits).not.toHaveBeenCalled();
});

test('a user is found by the present address alone', async () => {
  await using at = await openTestIdentity();
  const { reader } = at.graph;
  const ann = await at.putUser('ann');
  await at.putUser('bob');
  const found = (email: string): (string | undefined)[] => {
    reader.refresh();
    return userIdsOfAddress(reader, email).map((id) => reader.uid(id));
  };
  await at.setAddress('ann', 'Old@x.example');
  await at.setAddress('bob', 'old@x.example');
  expect(found('OLD@x.example')).toEqual([ann, userUid('bob')]);
  await at.setAddress('ann', 'new@x.example');
  expect(found('old@x.example')).toEqual([userUid('bob')]);
  expect(found('new@x.example')).toEqual([ann]);
  // In another case it is the same.
  expect(addressChange(reader, ann, { before: 'new@x.example', after: 'NEW@x.example' })).toEqual(
    [],
  );
  expect(found('')).toEqual([]);
  expect(found('*')).toEqual([]);
});
