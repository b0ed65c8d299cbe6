import { afterAll, beforeAll, expect, test } from 'vitest';
import { must } from '#base/assert.ts';
import { openTestIdentity, type TestIdentity } from '../testing/test-identity.ts';
import { UsedAssertions } from './saml-sign-in.ts';

let at: TestIdentity;
beforeAll(async () => {
  at = await openTestIdentity();
});
afterAll(() => at[Symbol.asyncDispose]());

async function accept(used: UsedAssertions, id: string, endsAt: number): Promise<boolean> {
  const claim = used.claim('https://idp.example', id, endsAt);
  if (claim === undefined) return false;
  await at.graph.writer.commit({ operations: [], system: true, vault: claim.records });
  claim.settle();
  return true;
}

test('an assertion is accepted once, also after a restart, and forgotten when it ends', async () => {
  const { clock } = at.graph;
  const used = new UsedAssertions(at.vault, clock);
  const now = clock.now();
  expect(await accept(used, 'one', now + 10)).toBe(true);
  expect(await accept(used, 'one', now + 10)).toBe(false);
  expect(await accept(new UsedAssertions(at.vault, clock), 'one', now + 10)).toBe(false);
  expect(used.claim('https://other.example', 'one', now + 10)).toBeDefined();
  clock.time = now + 10;
  expect(await accept(used, 'two', now + 20)).toBe(true);
  expect(at.vault.list('saml-assertion/')).toHaveLength(1);
});

test('an assertion being accepted is not accepted beside it, and one that failed may come again', () => {
  const used = new UsedAssertions(at.vault, at.graph.clock);
  const endsAt = at.graph.clock.now() + 10;
  const claim = must(used.claim('https://idp.example', 'three', endsAt), 'the claim');
  expect(used.claim('https://idp.example', 'three', endsAt)).toBeUndefined();
  claim.settle();
  expect(used.claim('https://idp.example', 'three', endsAt)).toBeDefined();
});
