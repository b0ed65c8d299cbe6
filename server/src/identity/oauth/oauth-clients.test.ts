import { expect, it } from 'vitest';
import { liveHeapBytes } from '../../../../test/support/live-heap.ts';
import { scale } from '../../../../test/support/scale.ts';
import { openTestIdentity, TEST_KEY } from '../testing/test-identity.ts';
import { OAuthClients } from './oauth-clients.ts';

const MANY = scale({ sample: 20_000, soak: 1_000_000 });
/** A million signatures take more than ten minutes of a machine that others use, too. */
const WHOLE_MS = scale({ sample: 600_000, soak: 3_600_000 });

it(
  `keeps nothing of ${MANY} clients that register, and knows each of them`,
  async () => {
    await using at = await openTestIdentity();
    const clients = new OAuthClients(TEST_KEY, at.vault, at.graph.clock);
    const register = (i: number) =>
      clients.register({ redirect_uris: [`https://a.example/${i}`], client_name: `Desk ${i}` });
    const first = register(0);
    const stored = () => [at.vault.list('').length, at.graph.reader.refresh()];
    const [storedBefore, heapBefore] = [stored(), liveHeapBytes()];
    for (let i = 1; i < MANY; i++) register(i);
    expect(stored()).toEqual(storedBefore);
    // The id of each alone would be more.
    expect(liveHeapBytes() - heapBefore).toBeLessThan(4 * 1024 * 1024);
    expect(clients.find(first.clientId)).toMatchObject({ name: 'Desk 0' });
    expect(clients.find(register(MANY).clientId)).toMatchObject({ name: `Desk ${MANY}` });
    expect(clients.known()).toEqual([]);
  },
  WHOLE_MS,
);
